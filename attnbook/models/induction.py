"""Two layers of attention that learn to go on with what repeats. Taught on *induction heads*.

Letters that repeat after a while; a causal model with one head a layer, residuals, and nothing
else: no network, no norm. Its two heads come to work together, and its matrices are small enough
to be looked at.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from attnbook.models._stored import DATA, existing, unpacked
from attnbook.models.layers import attend, in_one_dtype, look_up, narrowed, of_matrix
from attnbook.models.toy_tasks import BatchSize, Rng
from attnutils._checked import checked
from attnutils._checks import ArrayLike, FloatArray, Int, IntArray, fail
from attnutils._shapes import Index
from attnutils.gradients import cross_entropy, something_is_asked
from attnutils.heads import MultiHeadParams, multi_head_attention
from attnutils.masks import causal_mask

__all__ = [
    "AttentionOnlyGradients",
    "AttentionOnlyOutput",
    "AttentionOnlyParams",
    "InductionRuns",
    "RepeatedBatch",
    "ablate_head",
    "attention_only",
    "attention_only_gradients",
    "init_attention_only",
    "load_induction_runs",
    "repeated_batch",
]

LETTERS = "abcdefghijklmnopqrst"
LENGTH, WIDTH = 32, 32  # letters of a text, and numbers of the stream at each
_STORED = DATA / "induction.npz"

Period = Annotated[int, Int(1, "letters within a period are distinct", 20)]


class AttentionOnlyParams(NamedTuple):
    """What a model of attention alone learns, with one head a layer.

    `embedding` has a row for each symbol and `positions` one for each place; the projections have
    an axis of layers in front; `w_class` reads scores of the next symbol.
    """

    embedding: Annotated[FloatArray, "n_symbols d"]
    positions: Annotated[FloatArray, "n_places d"]
    w_query: Annotated[FloatArray, "n_layers d d_k"]
    w_key: Annotated[FloatArray, "n_layers d d_k"]
    w_value: Annotated[FloatArray, "n_layers d d_v"]
    w_output: Annotated[FloatArray, "n_layers d_v d"]
    w_class: Annotated[FloatArray, "d n_symbols"]


class AttentionOnlyOutput(NamedTuple):
    """Scores of the next symbol at each place, and the attention weights of each layer."""

    logits: Annotated[FloatArray, "... n n_symbols"]
    weights: Annotated[FloatArray, "... n_layers n n"]


class AttentionOnlyGradients(NamedTuple):
    """The `loss`, and its `gradients` with respect to each parameter."""

    loss: float
    gradients: AttentionOnlyParams


class RepeatedBatch(NamedTuple):
    """Texts that repeat.

    `tokens` (B, 32): symbols from 0 to 19.

    `targets` (B, 32): the next symbol where the one that is read has come before, else -1.

    `periods` (B, 1): after how many places each text repeats.
    """

    tokens: IntArray
    targets: IntArray
    periods: IntArray


class InductionRuns(NamedTuple):
    """What training came to, with seeds that nobody chose: 0 to 19. A row for each.

    `params`: two layers, trained in 300 steps from seed 0.

    `losses` (20, 60), `one_losses` (20, 200): of two layers in 300 steps and of one layer in 1,000,
    means of five.

    `right` (20, 3): the share of right letters of two layers in new texts; without the head of
    layer 0; without that of layer 1.

    `one_right` (20,): of one layer, after 1,000 steps.

    `doors` (20, 3): of two layers, where what layer 0 has found is kept from the queries of
    layer 1, from its keys, from its values.

    `watched` (20, 61, 3): before step 0, 5, ..., 300: the share of right letters, the weight on
    the place before, from place 1 to 16, and that of layer 1 on what came after the same letter.

    `circuits` (20, 3): of 20 letters, for how many the largest entry is their own: key for query,
    output for value; and at how many of the places 1 to 16 the codes of place point one back.
    """

    params: AttentionOnlyParams
    losses: FloatArray
    one_losses: FloatArray
    right: FloatArray
    one_right: FloatArray
    doors: FloatArray
    watched: FloatArray
    circuits: IntArray


@checked
def repeated_batch(
    rng: Rng, batch_size: BatchSize, shortest: Period = 8, longest: Period = 16
) -> RepeatedBatch:
    """Texts of 32 letters in which the same letters come again and again, in the same order.

    Parameters
    ----------
    rng
        Where the numbers come from.
    batch_size
        Number of texts.
    shortest, longest
        Each text repeats after a number of letters of its own, from `shortest` to `longest`.

    Returns
    -------
    RepeatedBatch
        Tokens, targets and periods.

    Raises
    ------
    ValueError
        If `longest` is below `shortest`.

    Examples
    --------
    >>> tokens, targets, periods = repeated_batch(np.random.default_rng(0), 1, 3, 3)
    >>> print(tokens[0, :8], targets[0, :8])
    [ 4 19  6  4 19  6  4 19] [-1 -1 -1 19  6  4 19  6]
    """
    if longest < shortest:
        raise ValueError(f"repeated_batch: longest={longest} is below shortest={shortest}.")
    periods = rng.integers(shortest, longest + 1, size=(batch_size, 1))
    alphabets = np.tile(np.arange(len(LETTERS)), (batch_size, 1))
    places = np.arange(LENGTH + 1)
    text = np.take_along_axis(rng.permuted(alphabets, axis=1), places % periods, axis=1)
    targets = np.where(places[:-1] < periods, -1, text[:, 1:])
    return RepeatedBatch(text[:, :-1], targets, periods)


@checked
def init_attention_only(
    rng: Rng,
    n_layers: Annotated[int, Int(1, "each layer has one head")] = 2,
) -> AttentionOnlyParams:
    r"""Random parameters to start from, for 20 symbols, 32 places and width 32.

    Those of a matrix have the standard deviation :math:`1 / \sqrt{32}`, those of symbols and
    places 0.5.

    Parameters
    ----------
    rng
        Where the numbers come from.
    n_layers
        Number of layers.

    Returns
    -------
    AttentionOnlyParams
        In float64.

    Examples
    --------
    >>> params = init_attention_only(np.random.default_rng(0))
    >>> sum(array.size for array in params)
    10496
    """
    square = n_layers, WIDTH, WIDTH
    shapes = square, square, square, square, (WIDTH, len(LETTERS))
    return AttentionOnlyParams(
        rng.standard_normal((len(LETTERS), WIDTH)) / 2,
        rng.standard_normal((LENGTH, WIDTH)) / 2,
        *(rng.standard_normal(shape) / np.sqrt(WIDTH) for shape in shapes),
    )


@checked
def attention_only(
    tokens: Annotated[ArrayLike, Index("*lead n+", "there must be a token", below="n_symbols")],
    params: AttentionOnlyParams,
) -> AttentionOnlyOutput:
    r"""Scores of the next symbol, by causal attention and residuals alone.

    .. math:: X_0 = E_{\mathrm{tokens}} + P, \qquad
        X_{l+1} = X_l + \mathrm{attention}(X_l W_q, X_l W_k, X_l W_v) \, W_o, \qquad
        Z = X_L W_p

    with matrices of its own in each layer.

    Parameters
    ----------
    tokens
        Symbols, from 0 to n_symbols - 1; at most as many as there are places.
    params
        What was learned.

    Returns
    -------
    AttentionOnlyOutput
        Logits and weights.

    Raises
    ------
    ValueError
        If there are more tokens than places.

    References
    ----------
    elhage2021

    Examples
    --------
    What comes after the second *c*?

    >>> params = load_induction_runs().params
    >>> text = [LETTERS.index(letter) for letter in "frecklesc" if letter in LETTERS]
    >>> LETTERS[attention_only(text, params).logits[-1].argmax()]
    'k'
    """
    p, n = in_one_dtype(params), has_places("attention_only", tokens, params)
    x, weights = p.embedding[tokens] + p.positions[:n], []
    for layer in range(len(p.w_query)):
        heads = MultiHeadParams(*(w[layer] for w in p[2:6]))
        found = multi_head_attention(x, x, x, heads, n_heads=1, is_causal=True)
        x = x + found.output
        weights.append(found.weights[..., 0, :, :])
    return AttentionOnlyOutput(x @ p.w_class, np.stack(weights, axis=-3))


@checked
def ablate_head(
    params: AttentionOnlyParams,
    layer: Annotated[int, Int(0, "it is the layer of the head")],
) -> AttentionOnlyParams:
    """The same model with the head of a layer switched off: what it finds is not handed on.

    Parameters
    ----------
    params
        They are not changed.
    layer
        Counted from 0.

    Returns
    -------
    AttentionOnlyParams
        The output projection of that layer is 0.

    Raises
    ------
    ValueError
        If there is no such layer.

    Examples
    --------
    >>> params = ablate_head(init_attention_only(np.random.default_rng(0)), 1)
    >>> params.w_output.any(axis=(1, 2))
    array([ True, False])
    """
    n_layers = len(params.w_output)
    if layer >= n_layers:
        raise ValueError(
            f"ablate_head: layer={layer} but params has the layers 0 to {n_layers - 1}."
        )
    w_output = params.w_output.copy()
    w_output[layer] = 0
    return params._replace(w_output=w_output)


@checked
def attention_only_gradients(
    tokens: Annotated[ArrayLike, Index("*lead n+", "there must be a token", below="n_symbols")],
    targets: Annotated[
        ArrayLike, Index("*lead n", "-1 where nothing is asked", below="n_symbols", least=-1)
    ],
    params: AttentionOnlyParams,
) -> AttentionOnlyGradients:
    """The loss of the model, and its gradient for each parameter.

    Parameters
    ----------
    tokens
        Symbols, from 0 to n_symbols - 1.
    targets
        The right next symbol at each place; -1 where nothing is asked.
    params
        What is learned.

    Returns
    -------
    loss
        Cross-entropy in nats, the mean over all places that are asked.
    gradients
        Gradients, each of the shape of its parameter.

    Raises
    ------
    ValueError
        If nothing is asked, or there are more tokens than places.

    See Also
    --------
    attention_only : the way forward.

    Examples
    --------
    >>> params = init_attention_only(np.random.default_rng(0))
    >>> tokens, targets, _ = repeated_batch(np.random.default_rng(1), 4)
    >>> loss, gradients = attention_only_gradients(tokens, targets, params)
    >>> gradients.w_key.shape
    (2, 32, 32)
    """
    something_is_asked("attention_only_gradients", targets)
    p, n = in_one_dtype(params), has_places("attention_only_gradients", tokens, params)
    x, back_embedding = look_up(p.embedding, tokens)
    x, backs, past = x + p.positions[:n], [], causal_mask(n)
    for layer in range(len(p.w_query)):
        found, back = attend(x, x, MultiHeadParams(*(w[layer] for w in p[2:6])), 1, past)
        x = x + found
        backs.append(back)
    loss, d_logits = cross_entropy(x @ p.w_class, targets)
    w_class = of_matrix(x, d_logits)
    d_x, layers = d_logits @ p.w_class.T, list[Any]()
    for back in reversed(backs):
        d_asked, d_source, d_p = back(d_x)
        d_x = d_x + d_asked + d_source  # the residual hands it on as it is
        layers.insert(0, d_p[:4])
    positions = np.zeros_like(p.positions)
    positions[:n] = d_x.reshape(-1, n, d_x.shape[-1]).sum(0)
    heads = (np.stack(matrices) for matrices in zip(*layers, strict=True))
    gradients = AttentionOnlyParams(*[back_embedding(d_x), positions, *heads, w_class])
    return AttentionOnlyGradients(loss, narrowed(gradients, params))


def load_induction_runs() -> InductionRuns:
    """Load what training came to on 20 seeds, and the parameters of the first.

    Returns
    -------
    InductionRuns
        The arrays are new with each call. The parameters are float64, but were stored with 8 bits
        each and a scale for each column.

    References
    ----------
    olsson2022

    Examples
    --------
    The least of 20 runs with both heads, and the best with that of layer 0 switched off.

    >>> right = load_induction_runs().right
    >>> bool(right[:, 0].min() > 0.98), bool(right[:, 1].max() < 0.15)
    (True, True)
    """
    empty = init_attention_only(np.random.default_rng(0))
    with np.load(existing(_STORED), allow_pickle=False) as stored:
        params = AttentionOnlyParams(*unpacked(empty, stored["codes"], stored["scales"]))
        found = {
            name: stored[name] if name == "circuits" else stored[name].astype(np.float64)
            for name in InductionRuns._fields[1:]
        }
    return InductionRuns(params, **found)


def has_places(function: str, tokens: IntArray, params: AttentionOnlyParams) -> int:
    """The number of tokens, if the model has as many places."""
    n, most = tokens.shape[-1], len(params.positions)
    if n > most:
        text = f"tokens has n={n} but at most n_places={most} are expected"
        fail(ValueError, function, text, "the model knows no others")
    return n
