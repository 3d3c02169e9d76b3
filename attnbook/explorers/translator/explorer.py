"""A translator, one word at a time: where it looks, and what it writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Array, IndexOf, Trait, word_list
from attnbook.models.recurrent_translator import (
    ENGLISH,
    FRENCH,
    Translator,
    translate,
    translate_by_rule,
)
from attnutils._checks import FloatArray, Int, refuse
from attnutils.normalize import softmax

__all__ = ["TranslatorExplorer"]

MOST_MODELS, MOST_SENTENCES, MOST_WORDS = 2, 8, 60


def _checked_sentence(widget: TranslatorExplorer, x: Any) -> int:
    option = Int(0, "it is the index of a sentence", len(widget.sources) - 1)
    return int(option.check(type(widget).__name__, "sentence", x))


def _checked_step(widget: TranslatorExplorer, x: Any) -> int:
    option = Int(0, "it counts the words that are written", widget.scores.shape[2] - 1)
    return int(option.check(type(widget).__name__, "step", x))


class TranslatorExplorer(Explorer):
    """Step through a translation: source words get weights, a word is chosen.

    Ribbons run from each word to the words that it comes from. Of two translators one is shown at
    a time, and one may have no attention.

    Parameters
    ----------
    models : mapping of str to Translator
        1 or 2 of these, by the name that readers see.
    sentences : sequence of str
        1 to 8 sentences with words of `attnbook.models.recurrent_translator.ENGLISH`, 60 at most.
    model, sentence, step : int, default 0
        At the start, counted from 0. A step that a translation does not have is its last one.

    References
    ----------
    bahdanau2015

    Examples
    --------
    >>> from attnbook.models.recurrent_translator import load_translation_runs
    >>> model = load_translation_runs().models["attention"]
    >>> explorer = TranslatorExplorer({"attention": model}, ["the black cat is watching a dog ."])
    >>> explorer.step = 2
    >>> explorer.word, explorer.right_word, explorer.alignment.shape
    ('noir', 'noir', (3, 8))
    """

    address = Address("translator")
    #: The words of each sentence, and of its translation by the rule.
    sources = Trait()
    right = Trait()
    #: Of each model its name, whether it attends, and the words that it writes for each sentence.
    names = Trait()
    attends = Trait()
    written = Trait()
    #: What can be written.
    vocabulary = Trait()
    #: -inf behind the end of a sentence and without attention.
    scores = Array("models", "sources", "n_q", "n_k", masked=True, fixed=True)
    logits = Array("models", "sources", "n_q", "vocabulary", fixed=True)
    model = IndexOf("names", "it is the index of a translator", address="model")
    sentence = Trait(0, address="sentence", check=_checked_sentence)
    step = Trait(0, address="step", check=_checked_step)

    def __init__(
        self, models: Mapping[str, Translator], sentences: Sequence[str], **kwargs: Any
    ) -> None:
        owner = type(self).__name__
        if not isinstance(models, Mapping) or not 1 <= len(models) <= MOST_MODELS:
            raise TypeError(f"{owner}: models must be a mapping of 1 to {MOST_MODELS} names.")
        for name, each in models.items():
            if not isinstance(each, Translator):
                refuse(TypeError, owner, f"models[{name!r}]", each, "a Translator", "")
        sources = _checked_sentences(owner, sentences)
        runs = [[translate(each, source) for source in sources] for each in models.values()]
        n_q = max(len(run.words) for of_model in runs for run in of_model)
        scores = np.full((len(runs), len(sources), n_q, max(map(len, sources))), -np.inf)
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
            names=[str(name) for name in models],
            attends=[each.w_query is not None for each in models.values()],
            written=[[run.words for run in of_model] for of_model in runs],
            vocabulary=list(FRENCH),
            scores=scores,
            logits=logits,
            **kwargs,
        )

    @property
    def _words(self) -> list[str]:
        """What is written up to this step, or up to the end."""
        written: list[str] = self.written[self.model][self.sentence]
        return written[: self.step + 1]

    def _at(self, facts: FloatArray) -> FloatArray:
        """What the translator has at each step up to this one."""
        return facts[self.model, self.sentence, : len(self._words)]

    @property
    def word(self) -> str:
        """What is written at this step."""
        return self._words[-1]

    @property
    def right_word(self) -> str:
        """What the rule would have there; nothing after its end."""
        right: list[str] = self.right[self.sentence]
        return "".join(right[len(self._words) - 1 :][:1])

    @property
    def alignment(self) -> FloatArray:
        """A row of weights for each word up to this step, (n_q, n_k); 0 without attention."""
        scores = self._at(self.scores)[:, : len(self.sources[self.sentence])]
        return softmax(scores) if self.attends[self.model] else np.zeros(scores.shape)

    @property
    def weights(self) -> FloatArray:
        """Those of this step, of shape (n_k,)."""
        return self.alignment[-1]

    @property
    def probabilities(self) -> FloatArray:
        """Of each word that can be written, of shape (15,)."""
        return softmax(self._at(self.logits)[-1])


def _rounded(x: FloatArray) -> FloatArray:
    """To 1024ths: a page holds many, and a weight moves by less than a thousandth."""
    return np.round(1024 * x) / 1024


def _checked_sentences(owner: str, sentences: Any) -> list[list[str]]:
    texts = word_list(owner, "sentences", sentences, 1, MOST_SENTENCES)
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
