"""What the 72 heads of a trained model do on sentences. Taught on the page *trained heads*.

The model is all-MiniLM-L6-v2: an encoder of 6 layers with 12 heads each, each head 32 numbers wide,
trained to turn a sentence into a vector. Its weights are not here. It was run once, and what
attention computes on the way was stored; ``make heads`` runs it again and compares.
``attnbook/models/data/README.md`` says from where the weights come, under which licence, and how
the result was checked.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.npyio import NpzFile

from attnbook.models._stored import DATA, existing
from attnutils._checks import BoolArray, FloatArray, IntArray

__all__ = [
    "HeadInterventions",
    "PronounHeads",
    "TrainedHeads",
    "load_head_interventions",
    "load_pronoun_heads",
    "load_trained_heads",
]

_STORED = DATA / "minilm_heads.npz"
_INTERVENTIONS = DATA / "minilm_interventions.npz"


class TrainedHeads(NamedTuple):
    """What the heads of all-MiniLM-L6-v2 compute on one sentence of n tokens.

    `tokens`: the n tokens as text, in lower case. "[CLS]" opens the sentence and "[SEP]" closes it;
    a word that the vocabulary does not have is cut into pieces, and "##" marks all but the first.

    `scores` (6, 12, n, n): for each layer and head the scaled dot products of queries (rows) and
    keys (columns). Their softmax gives the attention weights; the model hides nothing.

    `value_norms` (6, 12, n): the length of what each token hands on through each head, its value
    times the rows of W_O that belong to the head. The bias of the value is part of it; the bias
    after W_O, which does not depend on a token, is not.
    """

    tokens: tuple[str, ...]
    scores: FloatArray
    value_norms: FloatArray


class PronounHeads(NamedTuple):
    """Where the heads of all-MiniLM-L6-v2 look from the word "it" of a sentence of n tokens.

    `tokens`: the n tokens as text, as in `TrainedHeads`.

    `asks`: which of them is "it".

    `scores` (6, 12, n): for each layer and head the scaled dot products of its query and all keys.
    """

    tokens: tuple[str, ...]
    asks: int
    scores: FloatArray


class HeadInterventions(NamedTuple):
    """What changes in all-MiniLM-L6-v2 where heads or tokens are taken away.

    A sentence vector is the mean over the rows of the last output, divided by its length. That it
    "moves" by x means: its distance from the one of the whole model is x. The five sentences are
    those of `load_trained_heads`; the seeds are 0 to 19.

    `sinks` (6, 12): True for the heads whose words give "[CLS]" more than half of their weight, on
    average over the five sentences.

    `apart` (11, 11): the distances of the vectors of the five sentences and of the six of
    `load_pronoun_heads`, in the whole model.

    `alone` (6, 12, 5): how far the vectors of the five sentences move if one head is deleted, so
    that it hands on nothing.

    `all_moved` (2, 5): if all sink heads are deleted, or all others.

    `sizes` (7,), `some_moved` (2, 7, 20, 5): if so many are deleted, drawn from the sink heads or
    from the others: a draw for each seed.

    `layer_moved` (2, 20, 5): the same, for 11 sink heads and 11 others, drawn so that each layer
    loses equally many of both.

    `token_masked`, `token_silenced`: for each sentence, for each of its tokens, how far its vector
    moves if no token of any head and layer can see this one, so that its weight goes elsewhere; or
    if the weights in each layer are computed as ever, but what this one hands on is replaced by 0.

    `went` (5, 3, 6, 12): where "[CLS]" is masked, what the words give to "[SEP]", to themselves,
    and to other words.

    `words` (2, 10): two lists of words, the first that were drawn with seed 0.

    `looks` (20, 2, 3, 6, 12): for each seed, where such a list was followed by itself, or by
    another one: what the words of the second list give to the word at their own place in the first,
    to the one after it, and to the one before it. Those at the ends of the list are left out.
    """

    sinks: BoolArray
    apart: FloatArray
    alone: FloatArray
    all_moved: FloatArray
    sizes: IntArray
    some_moved: FloatArray
    layer_moved: FloatArray
    token_masked: tuple[FloatArray, ...]
    token_silenced: tuple[FloatArray, ...]
    went: FloatArray
    words: tuple[tuple[str, ...], ...]
    looks: FloatArray


def load_trained_heads() -> dict[str, TrainedHeads]:
    """Load the scores of a trained model's heads on five sentences.

    Returns
    -------
    dict of str to TrainedHeads
        Sentences as text, always in the same order; the first is the worked example. The arrays
        are new with each call. They are float64, but were stored as float16: an attention weight
        is within 0.001 of what the model computes.

    References
    ----------
    wang2020 : how a small model learns from the attention of a large one.
    reimers2019 : how a model learns to turn sentences into vectors.

    Examples
    --------
    In head 1 of layer 0, "book" reads mostly "reads".

    >>> from attnutils import softmax
    >>> heads = load_trained_heads()["The sleepy child reads a book"]
    >>> heads.tokens
    ('[CLS]', 'the', 'sleepy', 'child', 'reads', 'a', 'book', '[SEP]')
    >>> weights = softmax(heads.scores)
    >>> weights.shape
    (6, 12, 8, 8)
    >>> weights[0, 1, 6].round(2)
    array([0.07, 0.01, 0.04, 0.  , 0.81, 0.01, 0.05, 0.02])
    """
    heads = {}
    with _stored(_STORED) as stored:
        for i, sentence in enumerate(stored["sentences"]):
            heads[str(sentence)] = TrainedHeads(
                tuple(map(str, stored[f"tokens_{i}"])),
                stored[f"scores_{i}"].astype(np.float64),
                stored[f"value_norms_{i}"].astype(np.float64),
            )
    return heads


def load_pronoun_heads() -> dict[str, PronounHeads]:
    """Load where a trained model's heads look from "it", in pairs of sentences.

    The two sentences of a pair differ in the last word alone, and that word decides what "it" is.

    Returns
    -------
    dict of str to PronounHeads
        Sentences as text, pair after pair. The arrays are new with each call, and as exact as
        those of `load_trained_heads`.

    References
    ----------
    wang2020 : how a small model learns from the attention of a large one.
    reimers2019 : how a model learns to turn sentences into vectors.

    Examples
    --------
    Head 11 of layer 5 looks at "animal", although it was the street that was too wide.

    >>> from attnutils import softmax
    >>> sentence = "The animal did not cross the street because it was too wide"
    >>> heads = load_pronoun_heads()[sentence]
    >>> weights = softmax(heads.scores[5, 11])
    >>> heads.tokens[weights.argmax()], round(float(weights.max()), 2)
    ('animal', 0.51)
    """
    with _stored(_STORED) as stored:
        sentences, texts = stored["pronoun_sentences"], stored["pronoun_tokens"]
        table = stored["pronoun_scores"].astype(np.float64)
    heads = {}
    for sentence, text in zip(sentences, texts, strict=True):
        tokens = tuple(str(text).split())
        scores, table = np.split(table, [len(tokens)], axis=-1)
        heads[str(sentence)] = PronounHeads(tokens, tokens.index("it"), scores)
    return heads


def load_head_interventions() -> HeadInterventions:
    """Load what changes in a trained model where heads or tokens are taken away.

    Returns
    -------
    HeadInterventions
        The arrays are new with each call. They were stored as float16, with three digits.

    References
    ----------
    michel2019 : heads of trained models are deleted, and many are not missed.
    olsson2022 : the search for induction heads.

    Examples
    --------
    "[CLS]" can be silenced, but not hidden.

    >>> found = load_head_interventions()
    >>> found.token_silenced[0].round(2)[0], found.token_masked[0].round(2)[0]
    (np.float64(0.08), np.float64(0.92))
    """
    with _stored(_INTERVENTIONS) as stored:
        arrays: dict[str, Any] = {
            name: array.astype(np.float64) if array.dtype == np.float16 else array
            for name, array in stored.items()
        }
    arrays["words"] = tuple(tuple(map(str, words)) for words in arrays["words"])
    lengths = [len(heads.tokens) for heads in load_trained_heads().values()]
    for name in ("token_masked", "token_silenced"):
        arrays[name] = tuple(np.split(arrays[name], np.cumsum(lengths)[:-1]))
    return HeadInterventions(**arrays)


def _stored(path: Path) -> NpzFile:
    stored: NpzFile = np.load(existing(path), allow_pickle=False)
    return stored
