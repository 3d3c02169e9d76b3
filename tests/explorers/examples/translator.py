from attnbook.explorers.translator.explorer import TranslatorExplorer
from attnbook.models.recurrent_translator import load_translation_runs

MODELS = load_translation_runs().models
SHORT = "the black cat is watching a dog ."
LONG = f"{SHORT[:-1]}and a white wolf is often following the grey cat and a dog is watching a cat ."


def start() -> TranslatorExplorer:
    """A translator with attention, one without, and two sentences."""
    return TranslatorExplorer(
        MODELS, [SHORT, f"{SHORT[:-1]}and a wolf is always following the grey cat ."]
    )


def made(**options: int) -> TranslatorExplorer:
    """Both translators, and a long sentence."""
    return TranslatorExplorer(MODELS, [SHORT, LONG], **options)


NAMED = {
    "attention": TranslatorExplorer({"attention": MODELS["attention"]}, [SHORT], step=4),
    "long": made(sentence=1, step=6),
    "the last step": made(sentence=1, step=19),
    "long, with its matrix": TranslatorExplorer(
        {"attention": MODELS["attention"]}, [LONG], step=12
    ),
    "without attention": made(model=1, sentence=1, step=9),
    "shortest": TranslatorExplorer({"one": MODELS["last state"]}, ["cat ."]),
}
