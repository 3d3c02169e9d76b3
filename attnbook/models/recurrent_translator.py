"""A little English, its French, and translators of it. Taught on *encoder-decoder attention*.

Sentences are clauses that are joined by *and*: "the black cat is often watching a dog and a wolf is
following the cat ." Two recurrent networks read a sentence, a third one writes its translation. A
translator either looks back at all states of those that read, or has the last ones alone.
``make experiments`` trains all of them again and compares.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from attnbook.models._stored import DATA, existing, unpacked
from attnbook.models.toy_tasks import Rng
from attnutils._checked import checked
from attnutils._checks import FloatArray, Generator, Int, IntArray
from attnutils.mechanism import attention
from attnutils.scores import additive_scores

__all__ = [
    "Translation",
    "TranslationRuns",
    "Translator",
    "load_translation_runs",
    "random_sentence",
    "translate",
    "translate_by_rule",
]

_STORED = DATA / "recurrent_translator.npz"
_MEANING = {
    "the": "le",
    "a": "un",
    "cat": "chat",
    "dog": "chien",
    "wolf": "loup",
    "black": "noir",
    "white": "blanc",
    "grey": "gris",
    "often": "souvent",
    "always": "toujours",
    "watching": "regarde",
    "following": "suit",
    "and": "et",
    ".": ".",
}
_SECOND = {"black", "white", "grey", "often", "always"}  # second in French

#: The words that are read.
ENGLISH = (*_MEANING, "is")
#: The words that are written; the first one starts the decoder.
FRENCH = ("<start>", *_MEANING.values())

WIDTH, D_A = 16, 16  # of embeddings, and of the hidden layer of the scores
M = 16  # numbers in a state, each way; the decoder has twice as many


class Translator(NamedTuple):
    """What a translator has learned; ``w_query``, ``w_key`` and ``w_score`` make it attend.

    `english` (15, d) and `french` (15, d) are embeddings. A recurrent network has three arrays: for
    what it reads, ``_x``, for its own state, ``_h``, and a bias, ``_b``; the first half of their
    columns is the gate's. `left` reads from the left, `right` from the right, with states of m
    numbers each; `decoder` has d_s. `w_start` (2m, d_s) makes the decoder's first state of the last
    ones of both, `w_word` (d_s + 2m, 15) reads a word from the decoder's state and the context.
    """

    english: FloatArray
    french: FloatArray
    left_x: FloatArray
    left_h: FloatArray
    left_b: FloatArray
    right_x: FloatArray
    right_h: FloatArray
    right_b: FloatArray
    w_start: FloatArray
    decoder_x: FloatArray
    decoder_h: FloatArray
    decoder_b: FloatArray
    w_word: FloatArray
    w_query: FloatArray | None = None
    w_key: FloatArray | None = None
    w_score: FloatArray | None = None


class Translation(NamedTuple):
    """What a translator writes, and how it comes to it; for all steps, one a row.

    `words`: up to the full stop. `scores` and `weights` (n_q, n_k): of each source word, None
    without attention; the weights are the alignment. `contexts` (n_q, 2m). `logits` (n_q, 15): of
    each word of `FRENCH`.
    """

    words: list[str]
    scores: FloatArray | None
    weights: FloatArray | None
    contexts: FloatArray
    logits: FloatArray


class TranslationRuns(NamedTuple):
    """What training came to, with seeds that nobody chose: 0, 1, 2 and so on.

    `lengths` (6,): the mean number of words of test sentences of one to six clauses; training has
    one to four. `right`: by "attention", "last state" and "wide", which has the last state with
    twice as many numbers, for each seed (rows) and number of clauses the share of 200 new
    sentences that are right from the first word to the last. `aligned` (seeds,): of the words of
    sentences of one clause, how many have their largest weight on the word that they come from.

    `models`: those of seed 0, "attention" and "last state".
    """

    lengths: FloatArray
    right: dict[str, FloatArray]
    aligned: FloatArray
    models: dict[str, Translator]


@checked
def random_sentence(
    rng: Rng, n_clauses: Annotated[int, Int(1, "each clause has 6 to 9 words")]
) -> list[str]:
    """An English sentence of clauses that are joined by *and*.

    Parameters
    ----------
    rng
        Where the words come from.
    n_clauses
        Number of clauses.

    Returns
    -------
    list of str
        The words, and a full stop.

    Examples
    --------
    >>> print(*random_sentence(np.random.default_rng(1), 1))
    a white wolf is often watching a wolf .
    """

    def one_of(*words: str) -> str:
        return words[rng.integers(len(words))]

    def animal() -> list[str]:
        colour = one_of("", "black", "white", "grey")
        return [one_of("the", "a"), colour, one_of("cat", "dog", "wolf")]

    words = []
    for clause in range(n_clauses):
        words += ["and"] if clause else []
        adverb = one_of("", "often", "always")
        words += [*animal(), "is", adverb, one_of("watching", "following"), *animal()]
    return [*filter(None, words), "."]


def translate_by_rule(source: Sequence[str]) -> tuple[list[str], list[int]]:
    """The right translation, and the place of the source word that each of its words comes from.

    Adjectives and adverbs stand second in French, and *is* has no word of its own.

    Parameters
    ----------
    source
        English words.

    Returns
    -------
    words : list of str
    places : list of int

    Examples
    --------
    >>> translate_by_rule("the black cat is watching a dog .".split())
    (['le', 'chat', 'noir', 'regarde', 'un', 'chien', '.'], [0, 2, 1, 4, 5, 6, 7])
    """
    unknown = sorted(set(source) - set(ENGLISH))
    if unknown:
        raise ValueError(f"translate_by_rule: source has words that are unknown: {unknown}.")
    order = list(range(len(source)))
    for t, word in enumerate(source[:-1]):
        if word in _SECOND:
            order[t], order[t + 1] = t + 1, t
    order = [t for t in order if source[t] != "is"]
    return [_MEANING[source[t]] for t in order], order


def translate(translator: Translator, source: Sequence[str]) -> Translation:
    """Write a translation, at each step the most probable word.

    Parameters
    ----------
    translator
        What was learned.
    source
        English words.

    Returns
    -------
    Translation
        Words, scores, weights, contexts and logits.

    References
    ----------
    bahdanau2015

    Examples
    --------
    >>> models = load_translation_runs().models
    >>> source = "the black cat is watching a dog .".split()
    >>> written = translate(models["attention"], source)
    >>> print(*written.words)
    le chat noir regarde un chien .
    >>> written.weights.shape
    (7, 8)
    """
    tokens, _, _ = batch_of([source])
    run = forward(translator, tokens, n_steps=2 * len(source))
    words = [FRENCH[word] for word in run.words[0]]
    n_q = words.index(".") + 1 if "." in words else len(words)
    scores = weights = None
    if (score := score_of(translator)) is not None and run.weights is not None:
        scores = score(run.states[0, :n_q], run.read[0])  # states before each step
        weights = run.weights[0, :n_q]
    return Translation(words[:n_q], scores, weights, run.contexts[0, :n_q], run.logits[0, :n_q])


def load_translation_runs() -> TranslationRuns:
    """Load translators with attention and without, and how they did by length of sentence.

    Returns
    -------
    TranslationRuns
        The arrays are new with each call.

    Examples
    --------
    Three clauses: how many of five trainings get more than nine sentences in ten right.

    >>> right = load_translation_runs().right
    >>> {name: int((shares[:, 2] > 0.9).sum()) for name, shares in right.items()}
    {'attention': 5, 'last state': 0, 'wide': 0}
    """
    with np.load(existing(_STORED), allow_pickle=False) as stored:
        models = {}
        for name in ("attention", "last state"):
            empty = init_translator(np.random.default_rng(0), attends=name == "attention")
            arrays = [x for x in empty if x is not None]
            codes, scales = (stored[f"{name.replace(' ', '_')}_{x}"] for x in ("codes", "scales"))
            models[name] = Translator(*unpacked(arrays, codes, scales))
        return TranslationRuns(
            stored["lengths"],
            dict(zip(("attention", "last state", "wide"), stored["right"], strict=True)),
            stored["aligned"],
            models,
        )


# -- the model -------------------------------------------------------------------------------


class Run(NamedTuple):
    """What a minibatch of B sentences went through: `states` starts before the first word."""

    embedded: FloatArray  # (B, n_k, d)
    mask: Any  # (B, n_k)
    left: FloatArray  # (B, n_k, m)
    right: FloatArray  # (B, n_k, m), as it was read: the last word comes first
    read: FloatArray  # (B, n_k, 2m)
    last: FloatArray  # (B, 2m)
    states: FloatArray  # (B, n_q + 1, d_s)
    before: IntArray  # (B, n_q), the words that were written before each step
    weights: FloatArray | None  # (B, n_q, n_k)
    contexts: FloatArray  # (B, n_q, 2m)
    logits: FloatArray  # (B, n_q, 15)
    words: IntArray  # (B, n_q)


def init_translator(rng: Generator, *, attends: bool, m: int = M) -> Translator:
    """Random numbers, of a size that keeps the size of what they multiply; gates almost shut."""
    d, d_s, d_a = WIDTH, 2 * m, D_A

    def draw(rows: int, columns: int, size: float = 1) -> FloatArray:
        drawn: FloatArray = size * rng.normal(size=(rows, columns)) / np.sqrt(rows)
        return drawn.astype(np.float32)

    def network(d_in: int, width: int) -> list[FloatArray]:
        bias = np.repeat([-1, 0], width).astype(np.float32)
        return [draw(d_in, 2 * width), draw(width, 2 * width), bias]

    arrays = [draw(n, d, np.sqrt(n)) for n in (len(ENGLISH), len(FRENCH))]
    arrays += [*network(d, m), *network(d, m), draw(2 * m, d_s), *network(d + 2 * m, d_s)]
    scores = [draw(d_s, d_a), draw(2 * m, d_a), draw(d_a, 1)[:, 0]] if attends else [None] * 3
    return Translator._make([*arrays, draw(d_s + 2 * m, len(FRENCH)), *scores])


def score_of(p: Translator) -> Callable[[FloatArray, FloatArray], FloatArray] | None:
    """How a query and keys are compared, if it attends."""
    if p.w_query is None or p.w_key is None or p.w_score is None:
        return None
    return partial(additive_scores, w_query=p.w_query, w_key=p.w_key, w_score=p.w_score)


def batch_of(sources: Sequence[Sequence[str]]) -> tuple[IntArray, IntArray, IntArray]:
    """Words, their translations, and the places that these come from; -1 after the end."""

    def padded(rows: list[list[int]]) -> IntArray:
        longest = max(map(len, rows))
        return np.array([row + [-1] * (longest - len(row)) for row in rows])

    targets, places = zip(*map(translate_by_rule, sources), strict=True)
    return (
        padded([[ENGLISH.index(word) for word in source] for source in sources]),
        padded([[FRENCH.index(word) for word in target] for target in targets]),
        padded(list(places)),
    )


def gates(x: FloatArray, h: FloatArray, w_h: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How much is written, and what: `x` is what was read, times its matrix, with the bias."""
    gate, new = np.split(x + h @ w_h, 2, axis=-1)
    return 1 / (1 + np.exp(-gate)), np.tanh(new)


def recurrent(x: FloatArray, w_h: FloatArray, mask: Any) -> FloatArray:
    """The states (B, n, m) of a gated network; where the mask is False, a state stays as it is."""
    h = np.zeros((len(x), len(w_h)), x.dtype)
    states = []
    for t in range(x.shape[1]):
        z, new = gates(x[:, t], h, w_h)
        h = h + mask[:, t, None] * z * (new - h)
        states.append(h)
    return np.stack(states, axis=1)


def forward(
    p: Translator, tokens: IntArray, targets: IntArray | None = None, n_steps: int = 0
) -> Run:
    """Read and write; with targets, each step is given the right word before it."""
    mask = tokens >= 0
    embedded = p.english[tokens]
    left = recurrent(embedded @ p.left_x + p.left_b, p.left_h, mask)
    turned = embedded[:, ::-1] @ p.right_x + p.right_b
    right = recurrent(turned, p.right_h, mask[:, ::-1])
    last = np.concatenate([left[:, -1], right[:, -1]], axis=-1)
    read = np.concatenate([left, right[:, ::-1]], axis=-1)

    states = [np.tanh(last @ p.w_start)]
    before, weights, contexts, logits = [np.zeros(len(tokens), int)], [], [], []
    score = score_of(p)
    for step in range(n_steps if targets is None else targets.shape[1]):
        context = last
        if score is not None:
            found = attention(states[-1][:, None], read, read, mask=mask[:, None], scores=score)
            context = found.output[:, 0]
            assert found.weights is not None
            weights.append(found.weights[:, 0])
        x = np.concatenate([p.french[before[-1]], context], axis=-1)
        z, new = gates(x @ p.decoder_x + p.decoder_b, states[-1], p.decoder_h)
        states.append(states[-1] + z * (new - states[-1]))
        contexts.append(context)
        logits.append(np.concatenate([states[-1], context], axis=-1) @ p.w_word)
        before.append(logits[-1].argmax(-1) if targets is None else np.maximum(targets[:, step], 0))
    return Run(
        *(embedded, mask, left, right, read, last),
        np.stack(states, axis=1),
        np.stack(before[:-1], axis=1),
        np.stack(weights, axis=1) if weights else None,
        np.stack(contexts, axis=1),
        np.stack(logits, axis=1),
        np.stack(logits, axis=1).argmax(-1),
    )
