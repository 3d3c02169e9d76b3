from attnbook import TranslatorExplorer
from attnbook.lessons.translation import load_translation_runs

MODELS = load_translation_runs().models
SHORT = "the black cat is watching a dog ."
LONG = f"{SHORT[:-1]}and a white wolf is often following the grey cat and a dog is watching a cat ."


def made(**options: object) -> TranslatorExplorer:
    """Both translators, and two sentences."""
    return TranslatorExplorer(MODELS, [SHORT, LONG], **options)


NAMED = {
    "attention": TranslatorExplorer({"attention": MODELS["attention"]}, [SHORT], step=4),
    "last state, long": made(translator=1, sentence=1, step=6),
    "the last step": made(sentence=1, step=19),
    "shortest": TranslatorExplorer({"one": MODELS["last state"]}, ["cat ."]),
}
