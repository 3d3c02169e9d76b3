"""A translator, one word at a time: what it asks, where it looks, what it writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from attnbook.explorers._base import (
    Address,
    ArrayTrait,
    Checked,
    Explorer,
    Fixed,
    Widget,
    Words,
    script,
    style,
)
from attnbook.lessons.translation import (
    ENGLISH,
    FRENCH,
    Translator,
    load_translation_runs,
    translate,
    translate_by_rule,
)
from attnutils._checks import FloatArray, Int, refuse
from attnutils.normalize import softmax

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["TranslatorExplorer"]

MOST_SENTENCES, MOST_WORDS = 8, 60
SHOWN = 4  # words that the picture offers as the next


def _checked_place(name: str, hint: str) -> Any:
    def check(widget: Widget, x: Any) -> int:
        n_models, n_sentences, n_steps, _ = widget.scores.shape
        n = {"translator": n_models, "sentence": n_sentences, "step": n_steps}[name]
        return Int(0, hint, n - 1).check(type(widget).__name__, name, x)

    return check


class TranslatorExplorer(Explorer):
    """Step through a translation: the query asks, source words get weights, a word is chosen.

    With several translators they can be changed for each other; one may have no attention. What
    each writes is computed by attnutils when the explorer is made. The traits move the widget, and
    the widget moves the traits: `explorer.step = 2`.

    Parameters
    ----------
    models : mapping of str to Translator
        1 to 3 of these, by the name that readers see.
    sentences : sequence of str
        1 to 8 sentences with words of `attnbook.lessons.translation.ENGLISH`, 60 at most.
    translator, sentence, step : int
        At the start, counted from 0. A step that a translation does not have is its last one.

    Attributes
    ----------
    word : str
        What is written at this step.
    right_word : str
        What the rule would have there; nothing after its end.
    weights : ndarray of shape (n_k,) or None
        Over the words of the sentence; None without attention.
    probabilities : ndarray of shape (15,)
        Of each word of `attnbook.lessons.translation.FRENCH`.

    Raises
    ------
    ValueError, TypeError
        If a sentence has an unknown word, or types or numbers do not fit.

    References
    ----------
    bahdanau2015

    Examples
    --------
    >>> from attnbook.lessons.translation import load_translation_runs
    >>> model = load_translation_runs().models["attention"]
    >>> explorer = TranslatorExplorer({"attention": model}, ["the black cat is watching a dog ."])
    >>> explorer.step = 2
    >>> explorer.word, explorer.right_word, explorer.weights.shape
    ('noir', 'noir', (8,))
    """

    _esm = script("translator_explorer")
    _css = style("translator_explorer")

    address = Address("translator")
    #: The words of each sentence, and of its translation by the rule.
    sources = Fixed()
    right = Fixed()
    #: Of each model its name, whether it attends, and the words that it writes for each sentence.
    names = Fixed()
    attends = Fixed()
    written = Fixed()
    #: What can be written.
    vocabulary = Fixed()
    #: (models, sentences, n_q, n_k), -inf behind the end of a sentence and without attention.
    scores = ArrayTrait(masked=True)
    #: (models, sentences, n_q, V).
    logits = ArrayTrait()
    translator = Checked(0, _checked_place("translator", "it is the place of a translator"))
    sentence = Checked(0, _checked_place("sentence", "it is the place of a sentence"))
    step = Checked(0, _checked_place("step", "it counts the words that are written"))

    def __init__(
        self,
        models: Mapping[str, Translator],
        sentences: Sequence[str],
        *,
        translator: int = 0,
        sentence: int = 0,
        step: int = 0,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        names, translators = _checked_models(owner, models)
        sources = _checked_sentences(owner, sentences)
        runs = [[translate(each, source) for source in sources] for each in translators]
        n_q = max(len(run.words) for of_model in runs for run in of_model)
        n_k = max(map(len, sources))
        scores = np.full((len(runs), len(sources), n_q, n_k), -np.inf)
        logits = np.zeros((len(runs), len(sources), n_q, len(FRENCH)))
        for m, of_model in enumerate(runs):
            for i, run in enumerate(of_model):
                logits[m, i, : len(run.words)] = _rounded(run.logits)
                if run.scores is not None:
                    rows, columns = run.scores.shape
                    scores[m, i, :rows, :columns] = _rounded(run.scores)
        super().__init__(
            sources=sources,
            right=[translate_by_rule(source)[0] for source in sources],
            names=names,
            attends=[each.w_query is not None for each in translators],
            written=[[run.words for run in of_model] for of_model in runs],
            vocabulary=list(FRENCH),
            scores=scores,
            logits=logits,
            translator=translator,
            sentence=sentence,
            step=step,
            **kwargs,
        )

    @classmethod
    def example(cls) -> Self:
        """Two translators, one without attention, and two sentences."""
        models = load_translation_runs().models
        both = {name: models[name] for name in ("attention", "last state")}
        short = "the black cat is watching a dog ."
        return cls(both, [short, f"{short[:-1]}and a wolf is always following the grey cat ."])

    @property
    def _words(self) -> list[str]:
        words: list[str] = self.written[self.translator][self.sentence]
        return words

    @property
    def _place(self) -> int:
        return int(min(self.step, len(self._words) - 1))

    @property
    def word(self) -> str:
        """What is written at this step."""
        return self._words[self._place]

    @property
    def right_word(self) -> str:
        """What the rule would have there; nothing after its end."""
        right = self.right[self.sentence]
        return str(right[self._place]) if self._place < len(right) else ""

    @property
    def weights(self) -> FloatArray | None:
        """Over the words of the sentence, of shape (n_k,); None without attention."""
        if not self.attends[self.translator]:
            return None
        scores = self.scores[self.translator, self.sentence, self._place]
        return softmax(scores[: len(self.sources[self.sentence])])

    @property
    def probabilities(self) -> FloatArray:
        """Of each word that can be written, of shape (15,)."""
        return softmax(self.logits[self.translator, self.sentence, self._place])

    def __repr__(self) -> str:
        source = " ".join(self.sources[self.sentence])
        name = self.names[self.translator]
        return f"TranslatorExplorer({source!r}, translator={name!r}, step={self.step})"

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.translator_explorer import translator_picture

        chances = self.probabilities
        best = np.argsort(-chances, kind="stable")[:SHOWN]
        return translator_picture(
            self.sources[self.sentence],
            self.weights,
            self._words[: self._place],
            [(self.vocabulary[i], float(chances[i])) for i in best],
        )


def _rounded(x: FloatArray) -> FloatArray:
    """To 1024ths: a page holds many, and a weight moves by less than a thousandth."""
    return np.round(1024 * x) / 1024


def _checked_models(owner: str, models: Any) -> tuple[list[str], list[Translator]]:
    if not isinstance(models, Mapping) or not 1 <= len(models) <= 3:
        raise TypeError(f"{owner}: models must be a mapping of 1 to 3 names.")
    names = Words("a list of 1 to 3 words").check(owner, "the names of models", list(models))
    for name, each in models.items():
        if not isinstance(each, Translator):
            refuse(TypeError, owner, f"models[{name!r}]", each, "a Translator", "")
    return names, list(models.values())


def _checked_sentences(owner: str, sentences: Any) -> list[list[str]]:
    texts = Words(f"a list of 1 to {MOST_SENTENCES} words").check(owner, "sentences", sentences)
    if not 1 <= len(texts) <= MOST_SENTENCES:
        raise ValueError(
            f"{owner}: sentences has {len(texts)} entries but 1 to {MOST_SENTENCES} are expected."
        )
    sources = [text.split() for text in texts]
    for source in sources:
        unknown = sorted(set(source) - set(ENGLISH))
        if unknown:
            raise ValueError(f"{owner}: a sentence has words that are unknown: {unknown}.")
        if not 2 <= len(source) <= MOST_WORDS:
            raise ValueError(
                f"{owner}: a sentence has {len(source)} words but 2 to {MOST_WORDS} are expected."
            )
    return sources
