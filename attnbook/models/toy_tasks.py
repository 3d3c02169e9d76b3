"""Two tasks to learn, and a model as small as attention can be. Taught on the page *training*.

Tokens are looked up in a table, one layer with one head mixes them, and a linear map reads a class
off each position.
"""

import math
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from attnbook.models._progress import progress as progress
from attnbook.models.layers import attend, in_one_dtype, look_up, narrowed, of_bias, training
from attnutils._checked import checked
from attnutils._checks import (
    ArrayLike,
    FloatArray,
    Function,
    Generator,
    Int,
    IntArray,
    Option,
    checks_on,
    fail,
)
from attnutils._shapes import Array, Index, Mask
from attnutils.gradients import LearningRate, cross_entropy, something_is_asked
from attnutils.heads import MultiHeadParams
from attnutils.mechanism import attention
from attnutils.scores import scaled_dot_scores

__all__ = [
    "ClassifierGradients",
    "ClassifierOutput",
    "ClassifierParams",
    "Training",
    "classifier_gradients",
    "init_classifier",
    "lookup_batch",
    "progress",
    "reversal_batch",
    "token_classifier",
    "train",
]


def pair_of(function: str, name: str, x: Any) -> tuple[Any, Any]:
    """What a batch of the caller's own is, if it is a tuple or list of tokens and targets."""
    if not isinstance(x, tuple | list) or len(x) != 2:
        got = type(x).__name__ + (f" of {len(x)}" if isinstance(x, tuple | list) else "")
        text = f"the result of {name} must be (tokens, targets), got {got}"
        fail(TypeError, function, text, "return both")
    return x[0], x[1]


class ClassifierParams(NamedTuple):
    """What the token classifier learns."""

    embedding: Annotated[FloatArray, "n_symbols d"]
    w_query: Annotated[FloatArray, "d d_k"]
    w_key: Annotated[FloatArray, "d d_k"]
    w_value: Annotated[FloatArray, "d d_v"]
    w_output: Annotated[FloatArray, "d_v n_classes"]
    b_output: Annotated[FloatArray, "n_classes"]


class ClassifierOutput(NamedTuple):
    """What the token classifier returns; the scores are those before the mask."""

    logits: Annotated[FloatArray, "... n n_classes"]
    scores: Annotated[FloatArray, "... n n"]
    weights: Annotated[FloatArray, "... n n"]


class ClassifierGradients(NamedTuple):
    """The `loss`, and its `gradients` with respect to each parameter."""

    loss: float
    gradients: ClassifierParams


class Training(NamedTuple):
    """What train returns: the last `params`, `losses` (n_steps,), and what was `watched`."""

    params: ClassifierParams
    losses: FloatArray
    watched: list[Any]


_RANDOM = "a numpy.random.Generator", "for example np.random.default_rng(0)"
Rng = Annotated[Generator, Option(*_RANDOM, lambda x: isinstance(x, np.random.Generator))]
Symbols = Annotated[int, Int(1, "it counts the symbols")]
Steps = Annotated[int, Int(0, "it counts the steps")]
BatchSize = Annotated[int, Int(1, "it counts the rows")]
Tokens = Annotated[
    ArrayLike, Index("*lead n+", "there must be at least one token", below="n_symbols")
]
Encoding = Annotated[
    ArrayLike | None, Array("n d", "a row for each position, as wide as the embeddings")
]
MaskOption = Annotated[ArrayLike | None, Mask("... n n")]
Batch = Annotated[
    Callable[[], tuple[ArrayLike, ArrayLike]],
    Function("no arguments", "for example batch=lambda: reversal_batch(rng, 32)", pair_of),
]
Watch = Annotated[
    Callable[[int, ClassifierParams], Any] | None,
    Function("step and params", "for example watch=lambda step, params: params"),
]


@checked
def init_classifier(
    rng: Rng,
    n_symbols: Symbols,
    n_classes: Annotated[int, Int(1, "it counts the classes")],
    d: Annotated[int, Int(1, "it is the width of the embeddings")] = 32,
) -> ClassifierParams:
    r"""Random parameters to start from: numbers of mean 0, in float64.

    Those of a matrix have the standard deviation :math:`1 / \sqrt{\mathrm{rows}}`, which keeps
    the size of what is multiplied by it, those of the embedding have 0.5. Biases are 0.

    Parameters
    ----------
    rng
        Where the numbers come from.
    n_symbols
        Number of different tokens.
    n_classes
        Number of classes to tell apart.
    d
        Width of embeddings, queries, keys and values.

    Returns
    -------
    ClassifierParams
        The same for the same state of `rng`.

    Examples
    --------
    >>> params = init_classifier(np.random.default_rng(0), n_symbols=12, n_classes=5, d=4)
    >>> params.embedding.shape, params.w_query.shape, params.w_output.shape
    ((12, 4), (4, 4), (4, 5))
    """
    return ClassifierParams(
        embedding=rng.standard_normal((n_symbols, d)) / 2,
        w_query=rng.standard_normal((d, d)) / math.sqrt(d),
        w_key=rng.standard_normal((d, d)) / math.sqrt(d),
        w_value=rng.standard_normal((d, d)) / math.sqrt(d),
        w_output=rng.standard_normal((d, n_classes)) / math.sqrt(d),
        b_output=np.zeros(n_classes),
    )


@checked
def token_classifier(
    tokens: Tokens, params: ClassifierParams, *, encoding: Encoding = None, mask: MaskOption = None
) -> ClassifierOutput:
    r"""Classes for the tokens of a sequence, by one layer of attention with one head.

    .. math:: X = E_{\mathrm{tokens}} + P, \qquad
        Z = \mathrm{attention}(X W_q, X W_k, X W_v) \, W_p + b_p

    Parameters
    ----------
    tokens
        Symbols, from 0 to n_symbols - 1.
    params
        What is learned.
    encoding
        Position encoding :math:`P`, added to the embeddings. It is not learned.
    mask
        True means that the position (row) may attend to the position (column).

    Returns
    -------
    logits
        A score for each class. The largest is the answer.
    scores
        Scaled dot products, before the mask.
    weights
        Attention weights.

    References
    ----------
    vaswani2017

    Examples
    --------
    >>> params = init_classifier(np.random.default_rng(0), n_symbols=12, n_classes=5)
    >>> logits, scores, weights = token_classifier([[3, 1, 4], [1, 5, 9]], params)
    >>> logits.shape, scores.shape, weights.shape
    ((2, 3, 5), (2, 3, 3), (2, 3, 3))
    """
    p = in_one_dtype(params)
    x = p.embedding[tokens] if encoding is None else p.embedding[tokens] + encoding
    q, k, v = x @ p.w_query, x @ p.w_key, x @ p.w_value
    output, weights = attention(q, k, v, mask=mask)
    return ClassifierOutput(output @ p.w_output + p.b_output, scaled_dot_scores(q, k), weights)


@checked
def classifier_gradients(
    tokens: Tokens,
    targets: Annotated[
        ArrayLike, Index("*lead n", "-1 where nothing is asked", below="n_classes", least=-1)
    ],
    params: ClassifierParams,
    *,
    encoding: Encoding = None,
    mask: MaskOption = None,
) -> ClassifierGradients:
    """The loss of the token classifier, and its gradient for each parameter.

    Parameters
    ----------
    tokens
        Symbols, from 0 to n_symbols - 1.
    targets
        The right class at each position; -1 where nothing is asked.
    params
        What is learned.
    encoding
        Position encoding, added to the embeddings.
    mask
        True means that the position (row) may attend to the position (column).

    Returns
    -------
    loss
        Cross-entropy in nats, the mean over all positions that are asked.
    gradients
        Gradients, each of the shape and dtype of its parameter.

    Raises
    ------
    ValueError
        If nothing is asked.

    See Also
    --------
    token_classifier : the way forward.

    Examples
    --------
    >>> params = init_classifier(np.random.default_rng(0), n_symbols=3, n_classes=2, d=4)
    >>> loss, gradients = classifier_gradients([[0, 1, 2]], [[1, -1, -1]], params)
    >>> gradients.w_query.shape
    (4, 4)
    >>> from attnutils import numerical_gradient
    >>> numerical = numerical_gradient(
    ...     lambda b: classifier_gradients(
    ...         [[0, 1, 2]], [[1, -1, -1]], params._replace(b_output=b)
    ...     ).loss,
    ...     params.b_output,
    ... )
    >>> np.allclose(gradients.b_output, numerical)
    True
    """
    something_is_asked("classifier_gradients", targets)
    p = in_one_dtype(params)
    x, back_embedding = look_up(p.embedding, tokens)
    if encoding is not None:
        x = x + encoding
    logits, back = attend(x, x, MultiHeadParams(*p[1:5]), 1, mask)
    loss, d_logits = cross_entropy(logits + p.b_output, targets)
    d_asked, d_source, d_p = back(d_logits)
    d_embedding, d_bias = back_embedding(d_asked + d_source), of_bias(d_logits)
    gradients = ClassifierParams(*[d_embedding, *d_p[:4], d_bias])
    return ClassifierGradients(loss, narrowed(gradients, params))


@checked
def train(
    params: ClassifierParams,
    batch: Batch,
    n_steps: Steps,
    *,
    encoding: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    learning_rate: LearningRate = 0.01,
    watch: Watch = None,
) -> Training:
    """Teach the token classifier: a batch, its gradients, a step of Adam, and again.

    A bar shows the progress, see `progress`.

    Parameters
    ----------
    params
        Where to start. They are not changed.
    batch
        ``batch()`` returns the next tokens and targets.
    n_steps
        Number of steps.
    encoding
        Position encoding, added to the embeddings.
    mask
        True means that the position (row) may attend to the position (column).
    learning_rate
        Of `adam_step`, at least 0.
    watch
        ``watch(step, params)`` is called before each step and after the last, so for the steps 0
        to n_steps. What it returns is kept, unless it is None.

    Returns
    -------
    params : ClassifierParams
        What was learned.
    losses : ndarray of shape (n_steps,)
        The loss on each batch, before the step.
    watched : list
        What `watch` returned.

    References
    ----------
    kingma2015 : Adam.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> params = init_classifier(rng, n_symbols=3, n_classes=3, d=8)
    >>> def batch():
    ...     tokens = rng.integers(3, size=(16, 4))
    ...     return tokens, tokens  # say what you see
    >>> params, losses, watched = train(
    ...     params, batch, 50, watch=lambda step, p: step if step % 25 == 0 else None
    ... )
    >>> bool(losses[-1] < losses[0] / 2)
    True
    >>> watched
    [0, 25, 50]
    """

    def gradients(p: ClassifierParams) -> ClassifierGradients:
        tokens, targets = batch()
        with checks_on():  # it looks at each batch
            return classifier_gradients(tokens, targets, p, encoding=encoding, mask=mask)

    look = watch or (lambda step, params: None)
    losses: list[float] = []
    watched = [look(0, params)]
    for learned, loss in training(params, gradients, progress([learning_rate] * n_steps)):
        params = learned
        losses.append(loss)
        watched.append(look(len(losses), params))
    return Training(params, np.array(losses), [seen for seen in watched if seen is not None])


@checked
def reversal_batch(
    rng: Rng, batch_size: BatchSize, length: int = 10, n_symbols: Symbols = 12
) -> tuple[IntArray, IntArray]:
    """Sequences of distinct tokens, to be said backwards.

    Parameters
    ----------
    rng
        Where the numbers come from.
    batch_size
        Number of sequences.
    length
        Number of tokens in each, n.
    n_symbols
        Number of symbols to draw from, at least `length`.

    Returns
    -------
    tokens : ndarray of int of shape (batch_size, length)
        Symbols from 0 to n_symbols - 1; no row has one twice.
    targets : ndarray of int of shape (batch_size, length)
        Each row of `tokens` backwards.

    Raises
    ------
    ValueError
        If `length` is above `n_symbols`.

    Examples
    --------
    >>> tokens, targets = reversal_batch(np.random.default_rng(0), 1, length=4)
    >>> print(tokens, targets)
    [[9 2 7 4]] [[4 7 2 9]]
    """
    length = _part("reversal_batch", "length", length, "n_symbols", n_symbols)
    tokens = _distinct(rng, batch_size, length, n_symbols)
    return tokens, tokens[:, ::-1].copy()


@checked
def lookup_batch(
    rng: Rng,
    batch_size: BatchSize,
    n_pairs: int = 6,
    n_keys: Annotated[int, Int(1, "it counts the keys")] = 8,
    n_values: Annotated[int, Int(1, "it counts the values")] = 8,
) -> tuple[IntArray, IntArray]:
    """Pairs of a key and a value, and then a key: which value went with it?

    One token stands for a pair: k * n_values + v for the key k with the value v. The last token of
    a row asks for the key k: n_keys * n_values + k. So there are n_keys * (n_values + 1) symbols.

    Parameters
    ----------
    rng
        Where the numbers come from.
    batch_size
        Number of sequences.
    n_pairs
        Number of pairs in each, with keys that are all different.
    n_keys
        Number of keys to draw from, at least `n_pairs`.
    n_values
        Number of values. They may come more than once.

    Returns
    -------
    tokens : ndarray of int of shape (batch_size, n_pairs + 1)
        Pairs, and the key that is asked for; one of the pairs has it.
    targets : ndarray of int of shape (batch_size, n_pairs + 1)
        The value at the last position, -1 at the others: nothing is asked there.

    Raises
    ------
    ValueError
        If `n_pairs` is above `n_keys`.

    Examples
    --------
    >>> tokens, targets = lookup_batch(np.random.default_rng(0), 1, n_pairs=3, n_values=10)
    >>> print(tokens, targets)
    [[21 48 36 83]] [[-1 -1 -1  6]]
    """
    n_pairs = _part("lookup_batch", "n_pairs", n_pairs, "n_keys", n_keys)
    keys = _distinct(rng, batch_size, n_pairs, n_keys)
    # Tokens are counted and looked up: as wide as an index is, which may be 32 bits.
    values = rng.integers(n_values, size=keys.shape).astype(np.intp)
    row, asked = np.arange(batch_size), rng.integers(n_pairs, size=batch_size)
    query = n_keys * n_values + keys[row, asked]
    tokens = np.column_stack([keys * n_values + values, query])
    targets = np.full(tokens.shape, -1)
    targets[:, -1] = values[row, asked]
    return tokens, targets


def _distinct(rng: Generator, rows: int, length: int, n: int) -> IntArray:
    """Integers from 0 to n - 1 of shape (rows, length), no row with one twice."""
    return rng.permuted(np.tile(np.arange(n), (rows, 1)), axis=1)[:, :length]


def _part(function: str, name: str, x: int, whole: str, n: int) -> int:
    """`x` as the number of distinct things to draw from `n`."""
    return Int(1, f"they are distinct, of {whole}={n}", n).check(function, name, x)
