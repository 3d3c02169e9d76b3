"""Learning the weights of one attention layer: gradients by hand, Adam, and two tasks to learn.

Taught on the page *training*. The gradient of the loss with respect to x is called ``d_x`` and has
the shape of x. The model is as small as attention can be: tokens are looked up in a table, one
layer with one head mixes them, and a linear map reads a class off each position.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnutils import _shapes
from attnutils._shapes import FloatArray
from attnutils.heads import linear
from attnutils.mechanism import attention
from attnutils.normalize import softmax
from attnutils.scores import scaled_dot_scores

__all__ = [
    "AdamState",
    "AttentionGradients",
    "ClassifierGradients",
    "ClassifierOutput",
    "ClassifierParams",
    "CrossEntropy",
    "Training",
    "adam_init",
    "adam_step",
    "attention_backward",
    "classifier_gradients",
    "cross_entropy",
    "init_classifier",
    "lookup_batch",
    "numerical_gradient",
    "progress",
    "reversal_batch",
    "softmax_backward",
    "token_classifier",
    "train",
]

IntArray = NDArray[np.intp]
Item = TypeVar("Item")
Params = TypeVar("Params", bound=tuple[Any, ...] | list[Any])


class AttentionGradients(NamedTuple):
    """Gradients with respect to `query`, `key` and `value`, each of the same shape as these."""

    query: FloatArray
    key: FloatArray
    value: FloatArray


class CrossEntropy(NamedTuple):
    """What cross_entropy returns: the `loss` in nats, and its gradient `d_logits`."""

    loss: float
    d_logits: FloatArray


class ClassifierParams(NamedTuple):
    """`embedding` (n_symbols, d), `w_query` and `w_key` (d, d_k), `w_value` (d, d_v),
    `w_output` (d_v, n_classes), `b_output` (n_classes,)."""

    embedding: FloatArray
    w_query: FloatArray
    w_key: FloatArray
    w_value: FloatArray
    w_output: FloatArray
    b_output: FloatArray


class ClassifierOutput(NamedTuple):
    """`logits` (..., n, n_classes), `scores` before the mask and `weights` (..., n, n)."""

    logits: FloatArray
    scores: FloatArray
    weights: FloatArray


class ClassifierGradients(NamedTuple):
    """The `loss`, and its `gradients` with respect to each parameter."""

    loss: float
    gradients: ClassifierParams


class AdamState(NamedTuple):
    """What Adam remembers: the number of steps, and running means of gradients and squares.

    The means are also called first and second moment.
    """

    step: int
    mean: Any
    square: Any


class Training(NamedTuple):
    """What train returns: the last `params`, `losses` (n_steps,), and what was `watched`."""

    params: ClassifierParams
    losses: FloatArray
    watched: list[Any]


def softmax_backward(weights: ArrayLike, d_weights: ArrayLike) -> FloatArray:
    r"""From the gradient of the weights to that of the scores they are the softmax of.

    .. math:: ds_j = \alpha_j \Big( d\alpha_j - \sum_m \alpha_m \, d\alpha_m \Big)

    This is the Jacobian :math:`\mathrm{diag}(\alpha) - \alpha \alpha^\top` times `d_weights`,
    without the matrix.

    Parameters
    ----------
    weights : array_like of shape (..., n)
        Rows of weights, as softmax returned them. A weight of 0, as of a masked score, gets
        gradient 0.
    d_weights : array_like of shape (..., n)
        Gradient of the loss with respect to each weight.

    Returns
    -------
    ndarray of shape (..., n)
        Gradient with respect to each score. Rows sum to 0, since only differences of scores count.
        If the weights are those of temperature T, divide by T.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If the two shapes differ, or there is no axis.

    See Also
    --------
    attention_backward : the whole way back through attention.

    Examples
    --------
    >>> softmax_backward([0.5, 0.25, 0.25], [4, 0, 0])
    array([ 1. , -0.5, -0.5])
    """
    name = "softmax_backward"
    a = _shapes.real_array(name, "weights", weights, shape="(..., n)", rank=1)
    hint = "a number for each weight"
    d = _shapes.sized(name, "d_weights", d_weights, "(..., n)", a.shape, hint)

    dtype = np.result_type(a, d)
    a, d = _shapes.widen(a), _shapes.widen(d)
    with np.errstate(all="ignore"):
        d_scores = a * (d - (a * d).sum(-1, keepdims=True))
    return _shapes.narrow(d_scores, dtype)


def attention_backward(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, weights: ArrayLike, d_output: ArrayLike
) -> AttentionGradients:
    r"""From the gradient of the output of attention to those of query, key and value.

    .. math:: dV = A^\top dY, \qquad dA = dY \, V^\top, \qquad
        dQ = dS \, K / \sqrt{d_k}, \qquad dK = dS^\top Q / \sqrt{d_k}

    where :math:`dS` is what `softmax_backward` makes of :math:`dA`. It belongs to scaled dot
    products, the default of `attention`.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k) or (d_k,)
        Queries as rows, or one query.
    key : array_like of shape (..., n_k, d_k)
        Keys as rows. All arguments have the same leading axes.
    value : array_like of shape (..., n_k, d_v)
        Values as rows, one for each key.
    weights : array_like of shape (..., n_q, n_k) or (n_k,)
        What `attention` returned. It holds all there is to know about a mask: where that hides a
        key the weight is 0, and nothing is passed back. Here, unlike in `attention`, what is
        hidden must be finite: 0 times NaN is NaN.
    d_output : array_like of shape (..., n_q, d_v) or (d_v,)
        Gradient of the loss with respect to the output.

    Returns
    -------
    query : ndarray of shape (..., n_q, d_k) or (d_k,)
        Gradient with respect to `query`.
    key : ndarray of shape (..., n_k, d_k)
        Gradient with respect to `key`.
    value : ndarray of shape (..., n_k, d_v)
        Gradient with respect to `value`. The dtype of all three is that of the arguments together.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If the shapes do not fit each other, or there is no key.

    See Also
    --------
    attention : the way forward.

    References
    ----------
    vaswani2017 : scaled dot-product attention.

    Examples
    --------
    How the output changes with the query, for keys that are also the values: with their variance
    under the weights, here half and half.

    >>> key = value = [[1.0], [3.0]]
    >>> weights = attention([0.0], key, value).weights
    >>> attention_backward([0.0], key, value, weights, d_output=[1.0]).query
    array([1.])
    """
    name = "attention_backward"
    q, k = _shapes.query_and_key(name, query, key)
    v = _shapes.value_for(name, value, q, k)
    lead, n_q, n_k, d_v = q.shape[:-2], q.shape[-2:-1], k.shape[-2], v.shape[-1]
    hint = "all arguments have the leading axes of query"
    k = _shapes.sized(name, "key", k, "(..., n_k, d_k)", (*lead, *k.shape[-2:]), hint)
    v = _shapes.sized(name, "value", v, "(..., n_k, d_v)", (*lead, n_k, d_v), hint)
    hint = "a row for each query, a column for each key"
    a = _shapes.sized(name, "weights", weights, "(..., n_q, n_k)", (*lead, *n_q, n_k), hint)
    hint = "it has the shape of the output"
    d = _shapes.sized(name, "d_output", d_output, "(..., n_q, d_v)", (*lead, *n_q, d_v), hint)

    dtype = np.result_type(q, k, v, a, d)
    single = q.ndim == 1
    if single:  # work with one row, and take it out again at the end
        q, a, d = q[None, :], a[None, :], d[None, :]
    q, k, v, a, d = (_shapes.widen(x) for x in (q, k, v, a, d))
    with np.errstate(all="ignore"):
        d_weights = d @ v.swapaxes(-1, -2)  # (..., n_q, n_k)
        d_scores = softmax_backward(a, d_weights) / math.sqrt(q.shape[-1])
        d_query = d_scores @ k
        d_key = d_scores.swapaxes(-1, -2) @ q
        d_value = a.swapaxes(-1, -2) @ d
    if single:
        d_query = d_query[0]
    return AttentionGradients(*(_shapes.narrow(x, dtype) for x in (d_query, d_key, d_value)))


def cross_entropy(logits: ArrayLike, targets: ArrayLike) -> CrossEntropy:
    r"""How surprising the right classes are, on average, and the gradient of that.

    .. math:: L = -\frac{1}{m} \sum_i \log p_{i, t_i}, \qquad
        p = \mathrm{softmax}(z), \qquad dz_{ij} = (p_{ij} - [j = t_i]) / m

    Parameters
    ----------
    logits : array_like of shape (..., n_classes)
        A score :math:`z` for each class, mostly of shape (batch_size, n, n_classes).
    targets : array_like of int of shape (...)
        The right class :math:`t` at each position; -1 where nothing is asked. m positions are
        asked.

    Returns
    -------
    loss : float
        In nats. Guessing all classes alike costs log(n_classes).
    d_logits : ndarray of shape (..., n_classes)
        Gradient of the loss; 0 where nothing is asked. The dtype is that of `logits`.

    Raises
    ------
    TypeError
        If `logits` does not hold real numbers or `targets` integers.
    ValueError
        If the shapes do not fit each other, there is no class, a target is not one, or nothing
        is asked.

    Examples
    --------
    >>> loss, d_logits = cross_entropy([[0.0, 0.0], [5.0, 9.0]], [1, -1])
    >>> round(loss, 4)
    0.6931
    >>> d_logits
    array([[ 0.5, -0.5],
           [ 0. ,  0. ]])
    """
    name = "cross_entropy"
    z = _shapes.real_array(name, "logits", logits, shape="(..., n_classes)", rank=1)
    _shapes.axis_of(name, "logits", z, -1)
    t = _shapes.targets_for(name, targets, z.shape)

    rows: FloatArray = _shapes.widen(z).reshape(-1, z.shape[-1])
    asked = t.ravel() >= 0
    n_asked = int(asked.sum())
    right = np.arange(n_asked), t.ravel()[asked]  # where the right class of each row is
    with np.errstate(all="ignore"):
        largest = rows[asked].max(-1, keepdims=True)
        # So that exp cannot overflow. The largest are set, as inf - inf has no answer.
        shifted = np.where(rows[asked] == largest, 0, rows[asked] - largest)
        surprise = np.log(np.exp(shifted).sum(-1)) - shifted[right]
        d_asked = softmax(rows[asked])
        d_asked[right] -= 1
        d_logits = np.zeros_like(rows)
        d_logits[asked] = d_asked / n_asked
    d_logits = _shapes.narrow(d_logits, z.dtype)
    return CrossEntropy(float(surprise.mean()), d_logits.reshape(z.shape))


def init_classifier(
    rng: np.random.Generator, n_symbols: int, n_classes: int, d: int = 32
) -> ClassifierParams:
    r"""Random parameters to start from: numbers of mean 0, in float64.

    Those of a matrix have the standard deviation :math:`1 / \sqrt{\mathrm{rows}}`, which keeps
    the size of what is multiplied by it, those of the embedding have 0.5. Biases are 0.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the numbers come from.
    n_symbols : int
        Number of different tokens.
    n_classes : int
        Number of classes to tell apart.
    d : int
        Width of embeddings, queries, keys and values.

    Returns
    -------
    ClassifierParams
        The same for the same state of `rng`.

    Raises
    ------
    TypeError
        If `rng` is not a generator, or a number is not an integer.
    ValueError
        If a number is below 1.

    Examples
    --------
    >>> params = init_classifier(np.random.default_rng(0), n_symbols=12, n_classes=5, d=4)
    >>> params.embedding.shape, params.w_query.shape, params.w_output.shape
    ((12, 4), (4, 4), (4, 5))
    """
    name = "init_classifier"
    rng = _shapes.generator(name, rng)
    n_symbols = _shapes.count(name, "n_symbols", n_symbols, "it counts the symbols", low=1)
    n_classes = _shapes.count(name, "n_classes", n_classes, "it counts the classes", low=1)
    d = _shapes.count(name, "d", d, "it is the width of the embeddings", low=1)
    return ClassifierParams(
        embedding=rng.standard_normal((n_symbols, d)) / 2,
        w_query=rng.standard_normal((d, d)) / math.sqrt(d),
        w_key=rng.standard_normal((d, d)) / math.sqrt(d),
        w_value=rng.standard_normal((d, d)) / math.sqrt(d),
        w_output=rng.standard_normal((d, n_classes)) / math.sqrt(d),
        b_output=np.zeros(n_classes),
    )


def token_classifier(
    tokens: ArrayLike,
    params: ClassifierParams,
    *,
    encoding: ArrayLike | None = None,
    mask: ArrayLike | None = None,
) -> ClassifierOutput:
    r"""Classes for the tokens of a sequence, by one layer of attention with one head.

    .. math:: X = E_{\mathrm{tokens}} + P, \qquad
        Z = \mathrm{attention}(X W_q, X W_k, X W_v) \, W_p + b_p

    Parameters
    ----------
    tokens : array_like of int of shape (B, n) or (n,)
        Symbols, from 0 to n_symbols - 1.
    params : ClassifierParams
        What is learned.
    encoding : array_like of shape (n, d), optional
        Position encoding :math:`P`, added to the embeddings. It is not learned.
    mask : array_like of bool that broadcasts to the scores, optional
        True means that the position (row) may attend to the position (column).

    Returns
    -------
    logits : ndarray of shape (B, n, n_classes) or (n, n_classes)
        A score for each class. The largest is the answer.
    scores : ndarray of shape (B, n, n) or (n, n)
        Scaled dot products, before the mask.
    weights : ndarray of shape (B, n, n) or (n, n)
        Attention weights.

    Raises
    ------
    TypeError
        If `tokens` does not hold integers or another array real numbers, `mask` is not boolean, or
        `params` is not `ClassifierParams`.
    ValueError
        If the shapes do not fit each other, there is no token, or a token is not a symbol.

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
    forward = _forward("token_classifier", tokens, params, encoding, mask)
    scores = scaled_dot_scores(forward.query, forward.key)
    outputs = forward.logits, scores, forward.weights
    return ClassifierOutput(*(_shapes.narrow(x, forward.dtype) for x in outputs))


def classifier_gradients(
    tokens: ArrayLike,
    targets: ArrayLike,
    params: ClassifierParams,
    *,
    encoding: ArrayLike | None = None,
    mask: ArrayLike | None = None,
) -> ClassifierGradients:
    """The loss of the token classifier, and its gradient for each parameter.

    Parameters
    ----------
    tokens : array_like of int of shape (B, n) or (n,)
        Symbols, from 0 to n_symbols - 1.
    targets : array_like of int of shape (B, n) or (n,)
        The right class at each position; -1 where nothing is asked.
    params : ClassifierParams
        What is learned.
    encoding : array_like of shape (n, d), optional
        Position encoding, added to the embeddings.
    mask : array_like of bool that broadcasts to the scores, optional
        True means that the position (row) may attend to the position (column).

    Returns
    -------
    loss : float
        Cross-entropy in nats, the mean over all positions that are asked.
    gradients : ClassifierParams
        Gradients, each of the shape and dtype of its parameter.

    Raises
    ------
    TypeError
        If `tokens` or `targets` does not hold integers or another array real numbers, `mask` is not
        boolean, or `params` is not `ClassifierParams`.
    ValueError
        If the shapes do not fit each other, there is no token, a token is not a symbol or a target
        not a class, or nothing is asked.

    See Also
    --------
    token_classifier : the way forward.

    Examples
    --------
    >>> params = init_classifier(np.random.default_rng(0), n_symbols=3, n_classes=2, d=4)
    >>> loss, gradients = classifier_gradients([[0, 1, 2]], [[1, -1, -1]], params)
    >>> gradients.w_query.shape
    (4, 4)
    >>> numerical = numerical_gradient(
    ...     lambda b: classifier_gradients(
    ...         [[0, 1, 2]], [[1, -1, -1]], params._replace(b_output=b)
    ...     ).loss,
    ...     params.b_output,
    ... )
    >>> np.allclose(gradients.b_output, numerical)
    True
    """
    name = "classifier_gradients"
    forward = _forward(name, tokens, params, encoding, mask)
    x, p = forward.x, forward.params
    t = _shapes.targets_for(name, targets, forward.logits.shape)
    loss, d_logits = cross_entropy(forward.logits, t)

    d_output = linear(d_logits, p.w_output.T, None)  # (..., n, d_v)
    d_query, d_key, d_value = attention_backward(
        forward.query, forward.key, forward.value, forward.weights, d_output
    )
    d_x = (  # (..., n, d)
        linear(d_query, p.w_query.T, None)
        + linear(d_key, p.w_key.T, None)
        + linear(d_value, p.w_value.T, None)
    )
    d_embedding = np.zeros(p.embedding.shape, d_x.dtype)
    np.add.at(d_embedding, forward.tokens, d_x)  # a symbol that comes several times gets the sum
    gradients = ClassifierParams(
        embedding=d_embedding,
        w_query=_d_weight(x, d_query),
        w_key=_d_weight(x, d_key),
        w_value=_d_weight(x, d_value),
        w_output=_d_weight(forward.output, d_logits),
        b_output=d_logits.reshape(-1, d_logits.shape[-1]).sum(0),
    )
    narrow = (_shapes.narrow(g, w.dtype) for g, w in zip(gradients, p, strict=True))
    return ClassifierGradients(loss, ClassifierParams(*narrow))


def adam_init(params: Params) -> AdamState:
    """What Adam remembers before the first step: nothing.

    Parameters
    ----------
    params : NamedTuple, tuple or list of array_like
        What is learned.

    Returns
    -------
    AdamState
        `step` 0, and zeros in the shapes of the parameters for `mean` and `square`.

    Raises
    ------
    TypeError
        If `params` is not a tuple or list, or holds something else than arrays of real numbers.
    ValueError
        If a parameter is ragged.

    References
    ----------
    kingma2015

    Examples
    --------
    >>> adam_init([np.ones(2)])
    AdamState(step=0, mean=[array([0., 0.])], square=[array([0., 0.])])
    """
    arrays = _shapes.parameters("adam_init", "params", params)
    # Squares of small gradients would vanish in float16.
    zeros = [np.zeros(p.shape, _shapes.widen(p).dtype) for p in arrays]
    return AdamState(0, _like(params, zeros), _like(params, zeros))


def adam_step(
    params: Params,
    gradients: Params,
    state: AdamState,
    *,
    learning_rate: float = 0.01,
    beta_1: float = 0.9,
    beta_2: float = 0.999,
    eps: float = 1e-8,
) -> tuple[Params, AdamState]:
    r"""One step of Adam: about as far for each number, however steep it is there.

    .. math:: m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad
        u \leftarrow \beta_2 u + (1 - \beta_2) g^2, \qquad
        \theta \leftarrow \theta - \eta \,
        \frac{m / (1 - \beta_1^t)}{\sqrt{u / (1 - \beta_2^t)} + \epsilon}

    The divisions by :math:`1 - \beta^t` in step t make up for the start of both means at 0.

    Parameters
    ----------
    params : NamedTuple, tuple or list of array_like
        What is learned, :math:`\theta`.
    gradients : NamedTuple, tuple or list of array_like
        The gradient :math:`g` of each parameter, in the same order and shapes.
    state : AdamState
        What `adam_init` or the step before returned.
    learning_rate : float
        :math:`\eta`, at least 0. The first step changes each number by almost as
        much, unless its gradient is 0 or as small as `eps`.
    beta_1, beta_2 : float
        How much of the running means of g and of its square is kept, at least 0 and below 1.
    eps : float
        :math:`\epsilon`, above 0. It keeps a gradient of 0 from being divided by 0.

    Returns
    -------
    params : of the type of `params`
        New parameters, of the dtypes of the old ones; the old ones stay as they are.
    state : AdamState
        For the next step.

    Raises
    ------
    TypeError
        If `params` or `gradients` is not a tuple or list of arrays of real numbers, `state` is not
        `AdamState`, or an option is not a number.
    ValueError
        If the shapes do not fit each other, or an option has a value that it cannot have.

    References
    ----------
    kingma2015

    Examples
    --------
    >>> params = [np.array([1.0, 1.0])]
    >>> params, state = adam_step(params, [np.array([100.0, -0.001])], adam_init(params))
    >>> params[0].round(4)
    array([0.99, 1.01])
    >>> state.step
    1
    """
    name = "adam_step"
    arrays = _shapes.parameters(name, "params", params)
    _shapes.fields_of(name, "state", state, AdamState)
    g = _shapes.parameters(name, "gradients", gradients, arrays)
    m = _shapes.parameters(name, "state.mean", state.mean, arrays)
    u = _shapes.parameters(name, "state.square", state.square, arrays)
    learning_rate = _shapes.learning_rate(name, learning_rate)
    beta_1 = _shapes.decay(name, "beta_1", beta_1)
    beta_2 = _shapes.decay(name, "beta_2", beta_2)
    eps = _shapes.above_0(name, "eps", eps, "it is added to a root that may be 0")

    step = _shapes.count(name, "state.step", state.step, "it counts the steps") + 1
    new, means, squares = [], [], []
    for p, grad, mean, square in zip(arrays, g, m, u, strict=True):
        grad = _shapes.widen(grad)
        with np.errstate(all="ignore"):
            mean = beta_1 * mean + (1 - beta_1) * grad
            square = beta_2 * square + (1 - beta_2) * grad**2
            root = np.sqrt(square / (1 - beta_2**step))
            moved = p - learning_rate * mean / (1 - beta_1**step) / (root + eps)
        new.append(_shapes.narrow(moved, p.dtype))
        means.append(mean)
        squares.append(square)
    return _like(params, new), AdamState(step, _like(params, means), _like(params, squares))


def numerical_gradient(
    function: Callable[[FloatArray], float], x: ArrayLike, step: float = 1e-6
) -> FloatArray:
    r"""Gradient of a function by trying: central differences, to check what was derived by hand.

    .. math:: \frac{\partial f}{\partial x_i} \approx \frac{f(x + h e_i) - f(x - h e_i)}{2 h}

    Parameters
    ----------
    function : callable
        A function of an array of the shape of `x` that returns one number.
    x : array_like of any shape
        Where. It is not changed; `function` gets copies in float64.
    step : float
        :math:`h`, above 0. If it is large the curve bends within the step, if it is small the
        difference is lost in rounding.

    Returns
    -------
    ndarray of the shape of `x`
        Gradient, in float64.

    Raises
    ------
    TypeError
        If `function` is not one or returns something else than a number, `x` does not hold real
        numbers, or `step` is not a number.
    ValueError
        If `function` returns more than one number, `x` is ragged, or `step` is not above 0.

    Examples
    --------
    >>> numerical_gradient(lambda x: (x**2).sum(), [1, 2, 3]).round(4)
    array([2., 4., 6.])
    """
    name = "numerical_gradient"
    _shapes.function_of(name, "function", function, "an array", "function=np.sum")
    array = _shapes.real_array(name, "x", x, shape="(...)", rank=0).astype(np.float64)
    step = _shapes.above_0(name, "step", step, "differences are taken over twice this width")
    gradient = np.empty_like(array)
    for i in np.ndindex(array.shape):
        up, down = array.copy(), array.copy()
        up[i] += step
        down[i] -= step
        high, low = (
            _shapes.scalar(name, "the result of function", function(moved)) for moved in (up, down)
        )
        gradient[i] = (high - low) / (2 * step)
    return gradient


def train(
    params: ClassifierParams,
    batch: Callable[[], tuple[ArrayLike, ArrayLike]],
    n_steps: int,
    *,
    encoding: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    learning_rate: float = 0.01,
    watch: Callable[[int, ClassifierParams], Any] | None = None,
) -> Training:
    """Teach the token classifier: a batch, its gradients, a step of Adam, and again.

    A bar shows the progress, see `progress`.

    Parameters
    ----------
    params : ClassifierParams
        Where to start. They are not changed.
    batch : callable
        ``batch()`` returns the next tokens and targets.
    n_steps : int
        Number of steps.
    encoding : array_like of shape (n, d), optional
        Position encoding, added to the embeddings.
    mask : array_like of bool that broadcasts to the scores, optional
        True means that the position (row) may attend to the position (column).
    learning_rate : float
        Of `adam_step`, at least 0.
    watch : callable, optional
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

    Raises
    ------
    TypeError
        If an argument is of the wrong type.
    ValueError
        If `n_steps` or `learning_rate` is negative, or the shapes do not fit each other.

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
    name = "train"
    _shapes.fields_of(name, "params", params, ClassifierParams)
    _shapes.function_of(
        name, "batch", batch, "no arguments", "batch=lambda: reversal_batch(rng, 32)"
    )
    n_steps = _shapes.count(name, "n_steps", n_steps, "it counts the steps")
    learning_rate = _shapes.learning_rate(name, learning_rate)
    if watch is not None:
        example = "watch=lambda step, params: params"
        _shapes.function_of(name, "watch", watch, "step and params", example)

    losses, watched = np.zeros(n_steps), []

    def look(step: int) -> None:
        seen = None if watch is None else watch(step, params)
        if seen is not None:
            watched.append(seen)

    state = adam_init(params)
    for step in progress(range(n_steps)):
        look(step)
        tokens, targets = _shapes.pair(name, "the result of batch", batch(), "(tokens, targets)")
        losses[step], gradients = classifier_gradients(
            tokens, targets, params, encoding=encoding, mask=mask
        )
        params, state = adam_step(params, gradients, state, learning_rate=learning_rate)
    look(n_steps)
    return Training(params, losses, watched)


def progress(steps: Iterable[Item]) -> Iterator[Item]:
    """Go through `steps` with a bar that shows how far it is, and is gone in the end.

    There is no bar if the environment has a variable TQDM_DISABLE that is not empty.

    Parameters
    ----------
    steps : iterable
        What to loop over. If it has no length the bar only counts.

    Returns
    -------
    iterator
        The same things.

    Raises
    ------
    TypeError
        If `steps` cannot be looped over.

    Notes
    -----
    So that nothing of the bar is saved with a notebook, all that its cell has put out is cleared
    when the loop is done, also what was printed before. Print afterwards. A loop that is left
    early keeps its bar, to show how far it came.

    Examples
    --------
    >>> sum(progress([1, 2, 3]))
    6
    """
    if os.environ.get("TQDM_DISABLE"):  # the bar of notebooks does not look at it
        yield from steps
        return
    from tqdm.auto import tqdm  # here, so that importing attnutils does not load it

    bar = tqdm(steps, leave=False)
    yield from bar
    if hasattr(bar, "container"):  # a widget: its view would stay among the outputs of the cell
        from IPython.display import clear_output

        clear_output()  # type: ignore[no-untyped-call]


def reversal_batch(
    rng: np.random.Generator, batch_size: int, length: int = 10, n_symbols: int = 12
) -> tuple[IntArray, IntArray]:
    """Sequences of distinct tokens, to be said backwards.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the numbers come from.
    batch_size : int
        Number of sequences.
    length : int
        Number of tokens in each, n.
    n_symbols : int
        Number of symbols to draw from, at least `length`.

    Returns
    -------
    tokens : ndarray of int of shape (batch_size, length)
        Symbols from 0 to n_symbols - 1; no row has one twice.
    targets : ndarray of int of shape (batch_size, length)
        Each row of `tokens` backwards.

    Raises
    ------
    TypeError
        If `rng` is not a generator, or a number is not an integer.
    ValueError
        If a number is below 1, or `length` is above `n_symbols`.

    Examples
    --------
    >>> tokens, targets = reversal_batch(np.random.default_rng(0), 1, length=4)
    >>> print(tokens, targets)
    [[9 2 7 4]] [[4 7 2 9]]
    """
    name = "reversal_batch"
    rng = _shapes.generator(name, rng)
    batch_size = _shapes.count(name, "batch_size", batch_size, "it counts the rows", low=1)
    n_symbols = _shapes.count(name, "n_symbols", n_symbols, "it counts the symbols", low=1)
    length = _shapes.part_of(name, "length", length, "n_symbols", n_symbols)
    tokens = _distinct(rng, batch_size, length, n_symbols)
    return tokens, tokens[:, ::-1].copy()


def lookup_batch(
    rng: np.random.Generator,
    batch_size: int,
    n_pairs: int = 6,
    n_keys: int = 8,
    n_values: int = 8,
) -> tuple[IntArray, IntArray]:
    """Pairs of a key and a value, and then a key: which value went with it?

    One token stands for a pair: k * n_values + v for the key k with the value v. The last token of
    a row asks for the key k: n_keys * n_values + k. So there are n_keys * (n_values + 1) symbols.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the numbers come from.
    batch_size : int
        Number of sequences.
    n_pairs : int
        Number of pairs in each, with keys that are all different.
    n_keys : int
        Number of keys to draw from, at least `n_pairs`.
    n_values : int
        Number of values. They may come more than once.

    Returns
    -------
    tokens : ndarray of int of shape (batch_size, n_pairs + 1)
        Pairs, and the key that is asked for; one of the pairs has it.
    targets : ndarray of int of shape (batch_size, n_pairs + 1)
        The value at the last position, -1 at the others: nothing is asked there.

    Raises
    ------
    TypeError
        If `rng` is not a generator, or a number is not an integer.
    ValueError
        If a number is below 1, or `n_pairs` is above `n_keys`.

    Examples
    --------
    >>> tokens, targets = lookup_batch(np.random.default_rng(0), 1, n_pairs=3, n_values=10)
    >>> print(tokens, targets)
    [[21 48 36 83]] [[-1 -1 -1  6]]
    """
    name = "lookup_batch"
    rng = _shapes.generator(name, rng)
    batch_size = _shapes.count(name, "batch_size", batch_size, "it counts the rows", low=1)
    n_keys = _shapes.count(name, "n_keys", n_keys, "it counts the keys", low=1)
    n_values = _shapes.count(name, "n_values", n_values, "it counts the values", low=1)
    n_pairs = _shapes.part_of(name, "n_pairs", n_pairs, "n_keys", n_keys)
    keys = _distinct(rng, batch_size, n_pairs, n_keys)
    values = rng.integers(n_values, size=keys.shape)
    row, asked = np.arange(batch_size), rng.integers(n_pairs, size=batch_size)
    query = n_keys * n_values + keys[row, asked]
    tokens = np.column_stack([keys * n_values + values, query])
    targets = np.full(tokens.shape, -1)
    targets[:, -1] = values[row, asked]
    return tokens, targets


class _Forward(NamedTuple):
    """The way forward through the token classifier, in a dtype that is safe to compute in."""

    tokens: IntArray
    params: ClassifierParams  # as given, and so in dtypes of their own
    dtype: np.dtype[Any]  # of all that was given
    x: FloatArray
    query: FloatArray
    key: FloatArray
    value: FloatArray
    output: FloatArray
    weights: FloatArray
    logits: FloatArray


def _forward(
    function: str,
    tokens: ArrayLike,
    params: ClassifierParams,
    encoding: ArrayLike | None,
    mask: ArrayLike | None,
) -> _Forward:
    """Check the arguments of the token classifier and compute its output."""
    p = _checked_params(function, params)
    tokens = _shapes.tokens_for(function, tokens, len(p.embedding))
    dtype = np.result_type(*p)
    x = _shapes.widen(p.embedding[tokens])  # (..., n, d)
    n, d = x.shape[-2:]
    if encoding is not None:
        hint = "a row for each position, as wide as the embeddings"
        waves = _shapes.sized(function, "encoding", encoding, "(n, d)", (n, d), hint)
        dtype, x = np.result_type(dtype, waves), x + waves
    if mask is not None:
        mask = _shapes.mask_for(function, mask, (*x.shape[:-1], n), "(..., n, n)")
    query, key, value = (linear(x, w, None) for w in (p.w_query, p.w_key, p.w_value))
    output, weights = attention(query, key, value, mask=mask)
    assert weights is not None
    logits = linear(output, p.w_output, p.b_output)
    return _Forward(tokens, p, dtype, x, query, key, value, output, weights, logits)


def _checked_params(function: str, params: ClassifierParams) -> ClassifierParams:
    """`params` as arrays that fit each other."""
    _shapes.fields_of(function, "params", params, ClassifierParams)

    def array(field: str, shape: str, size: tuple[int | None, ...], hint: str) -> FloatArray:
        x = getattr(params, field)
        return _shapes.sized(function, f"params.{field}", x, shape, size, hint)

    embedding = array("embedding", "(n_symbols, d)", (None, None), "a row for each symbol")
    d, hint = embedding.shape[1], "a row for each column of the embedding"
    w_query = array("w_query", "(d, d_k)", (d, None), hint)
    w_key = array("w_key", "(d, d_k)", w_query.shape, f"{hint}, and as many columns as w_query")
    w_value = array("w_value", "(d, d_v)", (d, None), hint)
    hint = "a row for each column of w_value"
    w_output = array("w_output", "(d_v, n_classes)", (w_value.shape[1], None), hint)
    hint = "one number for each column of w_output"
    b_output = array("b_output", "(n_classes,)", w_output.shape[1:], hint)
    return ClassifierParams(embedding, w_query, w_key, w_value, w_output, b_output)


def _d_weight(x: FloatArray, d_z: FloatArray) -> FloatArray:
    """Gradient of W from that of z = x W, summed over all rows of all sequences."""
    return linear(x.reshape(-1, x.shape[-1]).T, d_z.reshape(-1, d_z.shape[-1]), None)


def _like(params: Any, arrays: list[FloatArray]) -> Any:
    """`arrays` in a tuple, list or NamedTuple of the type of `params`."""
    return type(params)(*arrays) if hasattr(params, "_fields") else type(params)(arrays)


def _distinct(rng: np.random.Generator, rows: int, length: int, n: int) -> IntArray:
    """Integers from 0 to n - 1 of shape (rows, length), no row with one twice."""
    return rng.permuted(np.tile(np.arange(n), (rows, 1)), axis=1)[:, :length]
