"""Gradients by hand, and Adam. Taught on the page *training*.

The gradient of the loss with respect to x is called ``d_x`` and has the shape of x.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np

from attnutils._checked import checked
from attnutils._checks import (
    REAL,
    ArrayLike,
    FloatArray,
    Function,
    Int,
    IntArray,
    Number,
    array_of,
    fail,
    misfit,
    refuse,
    result,
)
from attnutils._shapes import Index
from attnutils.mechanism import long_product
from attnutils.normalize import gap_to_largest, softmax, total

__all__ = [
    "AdamState",
    "AttentionGradients",
    "CrossEntropy",
    "adam_init",
    "adam_step",
    "attention_backward",
    "cross_entropy",
    "leaves",
    "numerical_gradient",
    "softmax_backward",
    "with_leaves",
]

Params = TypeVar("Params", bound=tuple[Any, ...] | list[Any])


LearningRate = Annotated[
    float, Number(0, "Adam changes each parameter by about as much in a step", below=math.inf)
]
Decay = Annotated[
    float, Number(0, "it is the part of a running mean that is kept in a step", below=1)
]


class AttentionGradients(NamedTuple):
    """Gradients with respect to `query`, `key` and `value`, each of the same shape as these."""

    query: Annotated[FloatArray, "*lead n_q? d_k"]
    key: Annotated[FloatArray, "*lead n_k d_k"]
    value: Annotated[FloatArray, "*lead n_k d_v"]


class CrossEntropy(NamedTuple):
    """What cross_entropy returns: the `loss` in nats, and its gradient `d_logits`."""

    loss: float
    d_logits: Annotated[FloatArray, "*lead n_classes"]


class AdamState(NamedTuple):
    """What Adam remembers: the number of steps, and running means of gradients and squares.

    The means are also called first and second moment.
    """

    step: Annotated[int, Int(0, "it counts the steps")]
    mean: Any
    square: Any


@checked
def softmax_backward(
    weights: Annotated[ArrayLike, "*lead n"], d_weights: Annotated[ArrayLike, "*lead n"]
) -> Annotated[FloatArray, "*lead n"]:
    r"""From the gradient of the weights to that of the scores they are the softmax of.

    .. math:: ds_j = \alpha_j \Big( d\alpha_j - \sum_m \alpha_m \, d\alpha_m \Big)

    This is the Jacobian :math:`\mathrm{diag}(\alpha) - \alpha \alpha^\top` times `d_weights`,
    without the matrix.

    Parameters
    ----------
    weights
        Rows of weights, as softmax returned them. A weight of 0, as of a masked score, gets
        gradient 0.
    d_weights
        Gradient of the loss with respect to each weight.

    Returns
    -------
    ndarray
        Gradient with respect to each score. Rows sum to 0, since only differences of scores count.
        If the weights are those of temperature T, divide by T.

    See Also
    --------
    attention_backward : the whole way back through attention.

    Examples
    --------
    >>> softmax_backward([0.5, 0.25, 0.25], [4, 0, 0])
    array([ 1. , -0.5, -0.5])
    """
    return weights * (d_weights - total(weights * d_weights, -1))


@checked
def attention_backward(
    query: Annotated[ArrayLike, "*lead n_q? d_k"],
    key: Annotated[ArrayLike, "*lead n_k+ d_k"],
    value: Annotated[ArrayLike, "*lead n_k d_v"],
    weights: Annotated[ArrayLike, "*lead n_q? n_k"],
    d_output: Annotated[ArrayLike, "*lead n_q? d_v"],
) -> AttentionGradients:
    r"""From the gradient of the output of attention to those of query, key and value.

    .. math:: dV = A^\top dY, \qquad dA = dY \, V^\top, \qquad
        dQ = dS \, K / \sqrt{d_k}, \qquad dK = dS^\top Q / \sqrt{d_k}

    where :math:`dS` is what `softmax_backward` makes of :math:`dA`. It belongs to scaled dot
    products, the default of `attention`.

    Parameters
    ----------
    query
        Queries as rows, or one query.
    key
        Keys as rows. All arguments have the same leading axes.
    value
        Values as rows, one for each key.
    weights
        What `attention` returned. It holds all there is to know about a mask: where that hides a
        key the weight is 0, and nothing is passed back. Here, unlike in `attention`, what is
        hidden must be finite: 0 times NaN is NaN.
    d_output
        Gradient of the loss with respect to the output.

    Returns
    -------
    query
        Gradient with respect to `query`.
    key
        Gradient with respect to `key`.
    value
        Gradient with respect to `value`. The dtype of all three is that of the arguments together.

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

    >>> from attnutils import attention
    >>> key = value = [[1.0], [3.0]]
    >>> weights = attention([0.0], key, value).weights
    >>> attention_backward([0.0], key, value, weights, d_output=[1.0]).query
    array([1.])
    """
    d_weights = d_output @ value.swapaxes(-1, -2)  # (..., n_q, n_k)
    d_scores = softmax_backward(weights, d_weights) / math.sqrt(query.shape[-1])
    return AttentionGradients(
        query=long_product(d_scores, key),
        key=long_product(d_scores.swapaxes(-1, -2), query),
        value=long_product(weights.swapaxes(-1, -2), d_output),
    )


@checked
def cross_entropy(
    logits: Annotated[ArrayLike, "*lead n_classes+"],
    targets: Annotated[
        ArrayLike, Index("*lead", "-1 where nothing is asked", below="n_classes", least=-1)
    ],
) -> CrossEntropy:
    r"""How surprising the right classes are, on average, and the gradient of that.

    .. math:: L = -\frac{1}{m} \sum_i \log p_{i, t_i}, \qquad
        p = \mathrm{softmax}(z), \qquad dz_{ij} = (p_{ij} - [j = t_i]) / m

    Parameters
    ----------
    logits
        A score :math:`z` for each class, mostly of shape (batch_size, n, n_classes).
    targets
        The right class :math:`t` at each position; -1 where nothing is asked. m positions are
        asked.

    Returns
    -------
    loss
        In nats. Guessing all classes alike costs log(n_classes).
    d_logits
        Gradient of the loss; 0 where nothing is asked. The dtype is that of `logits`.

    Raises
    ------
    ValueError
        If nothing is asked.

    Examples
    --------
    >>> loss, d_logits = cross_entropy([[0.0, 0.0], [5.0, 9.0]], [1, -1])
    >>> round(loss, 4)
    0.6931
    >>> d_logits
    array([[ 0.5, -0.5],
           [ 0. ,  0. ]])
    """
    something_is_asked("cross_entropy", targets)
    asked = targets >= 0
    z, t = logits[asked], targets[asked]  # (m, n_classes), (m,)
    right = np.arange(len(z)), t  # where the right class of each row is
    gap = gap_to_largest(z, -1, 1)  # so that exp cannot overflow
    surprise = np.log(total(np.exp(gap), -1)[:, 0]) - gap[right]
    surprise[np.isneginf(gap[right])] = np.inf  # also where all are -inf
    d_z = softmax(z)
    d_z[right] -= 1
    d_logits = np.zeros_like(logits)
    d_logits[asked] = d_z / len(z)
    return CrossEntropy(float(surprise.mean()), d_logits)


def something_is_asked(function: str, targets: IntArray) -> None:
    """The mean surprise needs one class at least."""
    if not (targets >= 0).any():
        text = f"targets has no class (shape {targets.shape}, all are -1) but at least one"
        hint = "the loss is a mean over what is asked"
        fail(ValueError, function, f"{text} is expected", hint)


def one_number(function: str, name: str, y: ArrayLike, x: FloatArray) -> float:
    """What a function of the caller's own has returned, checked."""
    return float(result(function, name, y, "()", (), "a single number, such as a sum"))


@checked
def numerical_gradient(
    function: Annotated[
        Callable[[FloatArray], float],
        Function("an array", "for example function=np.sum", one_number),
    ],
    x: Annotated[ArrayLike, "..."],
    step: Annotated[
        float, Number(above=0, hint="differences are taken over twice this width")
    ] = 1e-6,
) -> FloatArray:
    r"""Gradient of a function by trying: central differences, to check what was derived by hand.

    .. math:: \frac{\partial f}{\partial x_i} \approx \frac{f(x + h e_i) - f(x - h e_i)}{2 h}

    Parameters
    ----------
    function
        A function of an array of the shape of `x` that returns one number.
    x
        Where. It is not changed; `function` gets copies in float64.
    step
        :math:`h`, above 0. If it is large the curve bends within the step, if it is small the
        difference is lost in rounding.

    Returns
    -------
    ndarray of the shape of `x`
        Gradient, in float64.

    Examples
    --------
    >>> numerical_gradient(lambda x: (x**2).sum(), [1, 2, 3]).round(4)
    array([2., 4., 6.])
    """
    x = x.astype(np.float64)
    gradient = np.empty_like(x)
    for i in np.ndindex(x.shape):
        change = np.zeros_like(x)
        change[i] = step
        gradient[i] = (function(x + change) - function(x - change)) / (2 * step)
    return gradient


@checked
def adam_init(params: tuple[Any, ...] | list[Any]) -> AdamState:
    """What Adam remembers before the first step: nothing.

    Parameters
    ----------
    params
        What is learned.

    Returns
    -------
    AdamState
        `step` 0, and zeros in the shapes of the parameters for `mean` and `square`.

    References
    ----------
    kingma2015

    Examples
    --------
    >>> adam_init([np.ones(2)])
    AdamState(step=0, mean=[array([0., 0.])], square=[array([0., 0.])])
    """
    zeros = [np.zeros_like(p) for p in parameters("adam_init", "params", params)]
    return AdamState(0, with_leaves(params, zeros), with_leaves(params, zeros))


@checked
def adam_step(
    params: Params,
    gradients: Params,
    state: AdamState,
    *,
    learning_rate: LearningRate = 0.01,
    beta_1: Decay = 0.9,
    beta_2: Decay = 0.999,
    eps: Annotated[float, Number(above=0, hint="it is added to a root that may be 0")] = 1e-8,
) -> tuple[Params, AdamState]:
    r"""One step of Adam: about as far for each number, however steep it is there.

    .. math:: m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad
        u \leftarrow \beta_2 u + (1 - \beta_2) g^2, \qquad
        \theta \leftarrow \theta - \eta \,
        \frac{m / (1 - \beta_1^t)}{\sqrt{u / (1 - \beta_2^t)} + \epsilon}

    The divisions by :math:`1 - \beta^t` in step t make up for the start of both means at 0.

    Parameters
    ----------
    params
        What is learned, :math:`\theta`.
    gradients
        The gradient :math:`g` of each parameter, in the same order and shapes.
    state
        What `adam_init` or the step before returned.
    learning_rate
        :math:`\eta`, at least 0. The first step changes each number by almost as
        much, unless its gradient is 0 or as small as `eps`.
    beta_1, beta_2
        How much of the running means of g and of its square is kept, at least 0 and below 1.
    eps
        :math:`\epsilon`, above 0. It keeps a gradient of 0 from being divided by 0.

    Returns
    -------
    params : of the type of `params`
        New parameters, of the dtypes of the old ones; the old ones stay as they are.
    state : AdamState
        For the next step.

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
    before = parameters("adam_step", "params", params)
    grads = parameters("adam_step", "gradients", gradients, params)
    means = parameters("adam_step", "state.mean", state.mean, params)
    squares = parameters("adam_step", "state.square", state.square, params)

    t = state.step + 1
    grads = [widened(g) for g in grads]
    means = [beta_1 * m + (1 - beta_1) * g for m, g in zip(means, grads, strict=True)]
    squares = [beta_2 * u + (1 - beta_2) * g**2 for u, g in zip(squares, grads, strict=True)]
    after = []
    for p, m, u in zip(before, means, squares, strict=True):
        root = np.sqrt(u / (1 - beta_2**t))
        moved = p - learning_rate * m / (1 - beta_1**t) / (root + eps)
        after.append(moved.astype(p.dtype, copy=False))
    mean, square = with_leaves(params, means), with_leaves(params, squares)
    return with_leaves(params, after), AdamState(t, mean, square)


def leaves(params: Any) -> list[Any]:
    """The arrays of parameters in their order, however nested; what is None is left out.

    Parameters
    ----------
    params
        Tuples, lists and NamedTuples of arrays, or of more of them.

    Returns
    -------
    list of ndarray
        The arrays themselves.

    See Also
    --------
    with_leaves : the way back.

    Examples
    --------
    >>> leaves([np.ones(2), (np.zeros(1), None)])
    [array([1., 1.]), array([0.])]
    """
    return [x for _, x in _named_leaves("", params)]


def with_leaves(params: Params, arrays: Iterable[Any]) -> Params:
    """The same parameters with other arrays.

    Parameters
    ----------
    params
        Tuples, lists and NamedTuples of arrays, or of more of them.
    arrays
        One for each, in the order of `leaves`.

    Returns
    -------
    of the type of `params`
        What was None stays None.

    Raises
    ------
    ValueError
        If there are too few arrays, or too many.

    Examples
    --------
    >>> with_leaves([1.0, (2.0, None)], [3.0, 4.0])
    [3.0, (4.0, None)]
    """
    given, n = list(arrays), len(leaves(params))
    if len(given) != n:
        text = f"arrays has {len(given)} entries but params has {n} arrays"
        fail(ValueError, "with_leaves", text, "there must be one for each")
    left = iter(given)

    def filled(part: Any) -> Any:
        if not isinstance(part, tuple | list):
            return None if part is None else next(left)
        parts = [filled(each) for each in part]
        return type(part)(*parts) if hasattr(part, "_fields") else type(part)(parts)

    found: Params = filled(params)
    return found


def _named_leaves(path: str, x: Any) -> Iterator[tuple[str, Any]]:
    """Each array with where it is."""
    if isinstance(x, tuple | list):
        names = getattr(x, "_fields", ())
        for i, part in enumerate(x):
            yield from _named_leaves(path + (f".{names[i]}" if names else f"[{i}]"), part)
    elif x is not None:
        yield path, x


def parameters(function: str, name: str, x: Any, params: Any = None) -> list[FloatArray]:
    """The arrays in a tuple, list or NamedTuple, each with the shape of that in `params`."""
    if not isinstance(x, tuple | list):
        expected, hint = "a NamedTuple, tuple or list of arrays", "a single array goes into a list"
        refuse(TypeError, function, name, x, expected, hint)
    found = {p: array_of(REAL, function, p, leaf, "(...)") for p, leaf in _named_leaves(name, x)}
    shapes = {p: np.shape(leaf) for p, leaf in _named_leaves(name, x if params is None else params)}
    if found.keys() != shapes.keys():
        text = f"{name} has {len(found)} arrays but params has {len(shapes)}"
        fail(ValueError, function, text, "there must be one for each")
    for path, array in found.items():
        if array.shape != shapes[path]:
            expected, hint = str(shapes[path]), "the shape of the parameter"
            misfit(function, path, array.shape, expected, expected, hint)
    return list(found.values())


def widened(x: FloatArray) -> FloatArray:
    """`x` in a dtype that is safe to compute in: float16 becomes float32, others stay."""
    return x.astype(np.promote_types(x.dtype, np.float32), copy=False)
