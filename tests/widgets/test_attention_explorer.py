"""AttentionExplorer: what it refuses, its traits, its picture, and its numbers in JavaScript."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from attnutils import AttentionExplorer, causal_mask, entropy, masked_softmax, padding_mask
from attnutils.widgets._base import number_to_json
from attnutils.widgets.pictures.attention_explorer import cell_text
from attnutils.worked_example import KEYS, WORDS
from tests.page.conftest import POSITIONS, temperature_at
from tests.page.test_attention_explorer import MAKE

SCORES = KEYS @ KEYS.T
GRID = np.random.default_rng(0).normal(size=(2, 3, 6, 6))
FRENCH = ["l'enfant", "lit", "un", "livre"]
CROSS = np.random.default_rng(1).normal(size=(4, 6))
LENGTHS = {"one": 3, "two": 5, "three": 2}
TEXTS = {name: list("abcde")[:n] for name, n in LENGTHS.items()}
TENSORS = {name: np.random.default_rng(n).normal(size=(2, 3, n, n)) for name, n in LENGTHS.items()}


def explorer(tokens=WORDS, scores=SCORES, **options):
    return AttentionExplorer(tokens, scores, **options)


def grid(axes=("layer", "head"), **options):
    return AttentionExplorer(WORDS, GRID, axes=axes, **options)


def cross(**options):
    return AttentionExplorer(FRENCH, CROSS, **{"key_tokens": WORDS, **options})


def several(tokens=TEXTS, scores=TENSORS, axes=("layer", "head"), **options):
    return AttentionExplorer(tokens, scores, axes=axes, **options)


@pytest.mark.parametrize(
    ("make", "change", "error", "message"),
    [
        (explorer, {"tokens": "Book"}, TypeError, "tokens must be a list"),
        (explorer, {"tokens": [1, 2]}, TypeError, "tokens must be a list"),
        (explorer, {"tokens": None}, TypeError, "tokens must be a list of 2 to 32 words, got None"),
        (explorer, {"tokens": ["a"]}, ValueError, "tokens has 1 entries but 2 to 32"),
        (explorer, {"tokens": ["a"] * 33}, ValueError, "tokens has 33 entries but 2 to 32"),
        (explorer, {"tokens": WORDS[:5]}, ValueError, r"shape \(6, 6\) but \(5, 5\) is expected"),
        (explorer, {"scores": GRID[0]}, ValueError, r"\(3, 6, 6\) but \(n_q, n_k\).*leading axis"),
        (explorer, {"scores": SCORES[0]}, ValueError, r"scores has shape \(6,\)"),
        (explorer, {"scores": [[1, 2], [3]]}, ValueError, "scores is a ragged list"),
        (explorer, {"scores": np.full((6, 6), "a")}, TypeError, "scores has dtype"),
        (explorer, {"scores": SCORES + np.nan}, ValueError, "scores .* no NaN"),
        (explorer, {"scores": SCORES + np.inf}, ValueError, r"scores .* no \+inf"),
        (explorer, {"scores": SCORES * 1e7}, ValueError, "from -1000000 to 1000000"),
        (explorer, {"axes": ("head",)}, ValueError, r"\(6, 6\) but \(head, n_q, n_k\)"),
        (grid, {"axes": "layer"}, TypeError, "axes must be a sequence of names"),
        (grid, {"axes": ("layer", 1)}, TypeError, "each name in axes must be text, got 1"),
        (grid, {"axes": ("head", "head")}, ValueError, "axes must have different names"),
        (grid, {"axes": 12}, TypeError, "axes must be a sequence of names"),
        (grid, {"axes": [["layer"], "head"]}, TypeError, r"each name in axes must be text, got \["),
        (grid, {"axes": ("a", "b", "c")}, ValueError, "axes must have at most 2 names, got 3"),
        (grid, {"axes": ()}, ValueError, r"\(2, 3, 6, 6\) but \(n_q, n_k\)"),
        (
            grid,
            {"axes": {"layer": [0, 1], "head": ["a", "b"]}},
            ValueError,
            "axes has 2 labels for head but scores has 3",
        ),
        (grid, {"axes": {"layer": ["a", 1], "head": "abc"}}, TypeError, "labels of layer"),
        (grid, {"axes": {"layer": [0, 1], "head": "abc"}}, TypeError, "labels of head"),
        (grid, {"axes": {"layer": [True, False], "head": [1, 2, 3]}}, TypeError, "labels of layer"),
        (grid, {"axes": {"layer": 12, "head": [1, 2, 3]}}, TypeError, "labels of layer"),
        (grid, {"axes": {"layer": None, "head": [1, 2, 3]}}, TypeError, "labels of layer"),
        (grid, {"axes": {"layer": [math.nan, 1], "head": "abc"}}, ValueError, "label .* got nan"),
        (grid, {"axes": {"layer": [1, math.inf], "head": "abc"}}, ValueError, "label .* got inf"),
        (grid, {"axes": {"layer": [1, -(10**400)], "head": "abc"}}, ValueError, "a finite number"),
        (grid, {"index": [2, 0]}, ValueError, r"index\[0\] must be an integer from 0 to 1, got 2"),
        (grid, {"index": [0, -1]}, ValueError, r"index\[1\] must be .* from 0 to 2, got -1"),
        (grid, {"index": [0]}, ValueError, "index has 1 entries but scores has 2 leading axes"),
        (grid, {"index": 1}, TypeError, "index must be a list of integers"),
        (grid, {"index": [0, 1.0]}, TypeError, r"index\[1\] must be an integer .* got float"),
        (explorer, {"token": 6}, ValueError, "token must be an integer from 0 to 5, got 6"),
        (explorer, {"token": "Book"}, TypeError, "token must be an integer .* got str"),
        (explorer, {"temperature": -1}, ValueError, "temperature .* got -1"),
        (explorer, {"mask": "window"}, ValueError, '"none" or "causal", got "window"'),
        (explorer, {"mask": np.eye(6, dtype=bool)}, TypeError, '"none" or "causal", got ndarray'),
        (explorer, {"mask": "padding"}, ValueError, "padding needs n_real"),
        (explorer, {"n_real": 7}, ValueError, "n_real must be an integer from 0 to 6, got 7"),
        (explorer, {"n_real": 2.5}, TypeError, "n_real must be an integer .* got float"),
        (cross, {"key_tokens": None}, ValueError, r"shape \(4, 6\) but \(4, 4\)"),
        (cross, {"key_tokens": "words"}, TypeError, "key_tokens must be a list"),
        (cross, {"key_tokens": WORDS[:5]}, ValueError, r"shape \(4, 6\) but \(4, 5\)"),
        (cross, {"mask": "causal"}, ValueError, "causal needs as many queries as keys"),
        (
            explorer,
            {"value_norms": np.ones(5)},
            ValueError,
            r"value_norms has shape \(5,\) but \(6,",
        ),
        (
            explorer,
            {"value_norms": -np.ones(6)},
            ValueError,
            "value_norms must hold lengths, .* -1",
        ),
        (grid, {"value_norms": np.ones(6)}, ValueError, r"value_norms has shape \(6,\)"),
        (several, {"value_norms": np.ones(6)}, TypeError, "tokens and value_norms must both be"),
        (
            several,
            {"value_norms": {"one": 0}},
            ValueError,
            r"value_norms has the sentences \['one'",
        ),
        (explorer, {"sentence": "one"}, ValueError, "sentence must be None where .* got 'one'"),
        (several, {"tokens": list("abc")}, TypeError, "both be mappings .* got list and dict"),
        (several, {"scores": GRID}, TypeError, "both be mappings .* got dict and ndarray"),
        (several, {"tokens": {}, "scores": {}}, ValueError, "has 0 sentences but 1 to 8"),
        (several, {"tokens": TEXTS | {1: "ab"}}, TypeError, "each name in tokens must be text"),
        (several, {"tokens": TEXTS | {" ": "ab"}}, TypeError, "text, got ' '"),
        (
            several,
            {"scores": {"one": TENSORS["one"], "four": 0}},
            ValueError,
            r"scores has the sentences \['one', 'four'\] but tokens has \['one', 'two', 'three'\]",
        ),
        (several, {"scores": TENSORS | {"four": 0}}, ValueError, r"'three', 'four'\] but tokens"),
        (
            several,
            {"tokens": TEXTS | {"two": "abcde"}},
            TypeError,
            r'tokens\["two"\] must be a list',
        ),
        (several, {"tokens": TEXTS | {"two": ["a"]}}, ValueError, r'tokens\["two"\] has 1 entries'),
        (
            several,
            {"scores": TENSORS | {"two": TENSORS["one"]}},
            ValueError,
            r'scores\["two"\] has shape \(2, 3, 3, 3\) but \(layer, head, 5, 5\) is expected',
        ),
        (
            several,
            {"scores": TENSORS | {"two": TENSORS["two"][:, :2]}},
            ValueError,
            r'scores\["two"\] has leading axes \(2, 2\) but scores\["one"\] has \(2, 3\)',
        ),
        (
            several,
            {"scores": TENSORS | {"two": TENSORS["two"] * np.nan}},
            ValueError,
            r'scores\["two"\] must hold numbers',
        ),
        (several, {"key_tokens": list("abc")}, ValueError, "key_tokens must be None where"),
        (
            several,
            {"n_real": 2},
            ValueError,
            "n_real must be None where tokens is a mapping, got 2",
        ),
        (several, {"sentence": "four"}, ValueError, '"one" or "two" or "three", got "four"'),
        (several, {"sentence": ["one"]}, TypeError, "sentence must be .* got list"),
        (several, {"token": 3}, ValueError, "token must be an integer from 0 to 2, got 3"),
    ],
)
def test_bad_facts(make, change, error, message):
    with pytest.raises(error, match=message) as caught:
        make(**change)
    assert str(caught.value).startswith("AttentionExplorer: ")


@pytest.mark.parametrize(
    ("shape", "most"),
    [
        ((64,), None),
        ((12, 12), None),
        ((16, 2), None),
        ((65,), 64),
        ((13, 12), 16),
        ((17, 2), 16),
        ((2, 17), 16),
    ],
)
def test_as_many_slices_as_can_be_shown(shape, most):
    scores, axes = np.zeros((*shape, 2, 2)), ("layer", "head")[: len(shape)]
    if most:
        with pytest.raises(ValueError, match=f"most {most} entries an axis and 144 slices in all"):
            AttentionExplorer(["a", "b"], scores, axes=axes)
    else:
        assert AttentionExplorer(["a", "b"], scores, axes=axes).weights.tolist() == [[0.5] * 2] * 2


def test_masks_are_offered_where_they_apply():
    assert explorer().masks == ["none", "causal"]
    assert explorer(n_real=4).masks == ["none", "causal", "padding"]
    assert cross().masks == ["none"]
    assert cross(n_real=4).masks == ["none", "padding"]


def test_labels_of_axes_become_text():
    steps = AttentionExplorer(WORDS, GRID[0], axes={"step": np.array([-1, 0.5, 3e5])})
    assert steps.axes == [{"name": "step", "labels": ["−1", "0.5", "300000"], "choose": False}]
    assert grid({"layer": range(2), "head": ["a", "b", "c"]}).axes[1]["choose"]
    assert grid().axes[0] == {"name": "layer", "labels": ["0", "1"], "choose": False}
    thirds = grid({"layer": (Fraction(1, 3), 1), "head": np.array(["a", "b", "c"])}).axes
    assert [axis["labels"] for axis in thirds] == [["0.333333333333", "1"], ["a", "b", "c"]]
    assert type(thirds[1]["labels"][0]) is str


@pytest.mark.parametrize(
    ("shape", "counted"), [((), 0), ((1,), 0), ((1, 1), 0), ((2,), 1), ((1, 2), 2), ((2, 1), 2)]
)
def test_room_is_kept_for_small_maps_where_there_are_several(shape, counted):
    axes = ("layer", "head")[: len(shape)]
    made = AttentionExplorer(["a", "b"], np.zeros((*shape, 2, 2)), axes=axes)
    assert made.sizes["axes"] == counted
    assert len(made.axes) == len(shape)


def test_weights_are_those_of_attnutils_in_the_order_given():
    made = grid(index=[1, 2], token=3, n_real=4)
    places = np.argsort([5, 0, 4, 1, 3, 2])
    for mask, wanted in (
        ("none", None),
        ("causal", causal_mask(6)[np.ix_(places, places)]),
        ("padding", padding_mask(4, 6)),
    ):
        for t in (0, 0.3, math.inf):
            made.mask, made.temperature, made.order = mask, t, [5, 0, 4, 1, 3, 2]
            weights = masked_softmax(
                GRID[1, 2], None if wanted is None else wanted.reshape(-1, 6), temperature=t
            )
            np.testing.assert_array_equal(made.weights, weights)
            assert made.entropy == entropy(weights[3])
    made.index = [0, 1]
    assert made.weights[:, 4:].tolist() == [[0, 0]] * 6
    nothing = explorer(scores=np.full((6, 6), -np.inf))
    assert nothing.weights.tolist() == [[0] * 6] * 6
    assert nothing.entropy == 0


def test_shares_are_weights_times_lengths_parted_by_their_sum():
    norms = {n: np.random.default_rng(n).uniform(size=(2, 3, n)) for n in LENGTHS.values()}
    made = several(value_norms={name: norms[n] for name, n in LENGTHS.items()}, index=[1, 2])
    for made.sentence, n in LENGTHS.items():
        made.by_length = False
        np.testing.assert_array_equal(made.shares, made.weights)
        made.by_length = True
        lengths = made.weights * norms[n][1, 2]
        for found, row in zip(made.shares, lengths, strict=True):
            np.testing.assert_allclose(found, row / sum(row))
    assert explorer(value_norms=np.zeros(6), by_length=True).shares.max() == 0
    plain = explorer(by_length=True)  # no lengths: nothing changes
    np.testing.assert_array_equal(plain.shares, plain.weights)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("by_length", True),
        ("index", [1, 2]),
        ("token", 5),
        ("mask", "causal"),
        ("order", [5, 4, 3, 2, 1, 0]),
    ],
)
def test_traits_travel_both_ways(name, value):
    made = grid()
    setattr(made, name, value)
    sent = json.loads(json.dumps(made.get_state(name)))
    assert sent == {name: value}
    other = grid()
    other.set_state(sent)
    assert getattr(other, name) == value


def test_scores_travel_as_they_are():
    made = explorer(scores=np.where(SCORES > 5, -np.inf, SCORES / 3))
    sent = made.get_state("score_table")["score_table"]
    assert sent == np.where(SCORES > 5, -np.inf, SCORES / 3).astype("<f8").tobytes()
    made.set_state({"score_table": memoryview((SCORES * 1.0).astype("<f8").tobytes())})
    assert made.scores.tolist() == SCORES.tolist()
    with pytest.raises(ValueError, match="read-only"):
        made.scores[0] = 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("index", [0, 3]),
        ("index", [0]),
        ("index", 1),
        ("token", -1),
        ("token", "a"),
        ("temperature", math.nan),
        ("mask", "padding"),
        ("mask", None),
        ("sentence", "Book"),
        ("order", [0, 0, 1, 2, 3, 4]),
        ("order", [0, 1, 2]),
        ("order", [0, 1, 2, 3, 4, "5"]),
        ("order", None),
    ],
)
def test_a_bad_assignment_is_refused_and_nothing_changes(assign, name, value):
    made = grid()
    before = made.get_state()
    with pytest.raises((TypeError, ValueError), match=f"^AttentionExplorer: {name}"):
        assign(made, name, value)
    assert made.get_state() == before


@pytest.mark.parametrize("value", [GRID[0], GRID + np.inf])
def test_bad_scores_are_refused_and_nothing_changes(value):
    made = grid()
    with pytest.raises(ValueError, match=r"^AttentionExplorer: scores"):
        made.scores = value
    assert made.scores.tolist() == GRID.tolist()


def test_arrays_of_integers_and_words_become_plain_lists():
    made = explorer(np.array(WORDS))
    made.order = np.array([1, 0, 2, 3, 4, 5])
    made.index, made.token = np.array([], dtype=int), np.int64(5)
    assert (made.order, made.index, made.token) == ([1, 0, 2, 3, 4, 5], [], 5)
    json.dumps(made.get_state(["sentences", "order", "index", "token"]))
    assert "token='Book'" in repr(made)
    assert explorer(word for word in WORDS).tokens == list(WORDS)


def test_only_tokens_that_are_their_own_keys_can_be_shuffled():
    made = cross()
    with pytest.raises(ValueError, match="order cannot be changed where key_tokens are given"):
        made.order = [3, 2, 1, 0]
    assert made.order == [0, 1, 2, 3]


def test_arguments_are_copied():
    scores, index = GRID.copy(), [1, 1]
    made = grid(index=index)
    scores[:], index[0] = 0, 0
    assert made.scores.tolist() == GRID.tolist()
    assert made.index == [1, 1]


def test_the_text_is_one_stable_line():
    assert repr(grid(index=[1, 2], token=5, temperature=np.inf)) == (
        "AttentionExplorer(6 tokens, layer=1, head=2, token='Book', temperature=inf, mask='none')"
    )
    assert (
        repr(cross())
        == "AttentionExplorer(4 tokens, token=\"l'enfant\", temperature=1, mask='none')"
    )


# -- several sentences -----------------------------------------------------------------------


def test_as_many_sentences_as_can_be_shown():
    for n in (1, 8, 9):
        names = [str(i) for i in range(n)]
        facts = dict.fromkeys(names, ("a", "b")), dict.fromkeys(names, np.eye(2))
        if n > 8:
            with pytest.raises(ValueError, match="has 9 sentences but 1 to 8"):
                AttentionExplorer(*facts)
        else:
            assert AttentionExplorer(*facts).sentence == "0"


def test_each_sentence_has_its_own_tokens_and_scores():
    made = several(dict(TEXTS), dict(reversed(TENSORS.items())), index=[1, 2], temperature=2)
    assert made.sentence == "one"
    for name in ("three", "one", "two"):
        made.sentence = name
        assert made.tokens == TEXTS[name]
        assert made.scores.tolist() == TENSORS[name].tolist()
        for mask, allowed in (("causal", np.tri(LENGTHS[name])), ("none", None)):
            made.mask = mask
            wanted = masked_softmax(
                TENSORS[name][1, 2], allowed if allowed is None else allowed > 0, temperature=2
            )
            np.testing.assert_array_equal(made.weights, wanted)
            assert made.may_attend.shape == wanted.shape
            assert made.entropy == entropy(wanted[made.token])
    assert several(sentence="two").scores.tolist() == TENSORS["two"].tolist()


def test_after_a_shuffle_the_causal_mask_stays_in_place():
    made = explorer(mask="causal")
    n = len(made.tokens)
    order = made.order = list(np.roll(np.arange(n)[::-1], 2))
    shown = np.ix_(order, order)
    assert made.may_attend[shown].tolist() == np.tri(n, dtype=bool).tolist()
    wanted = masked_softmax(made.scores[shown], np.tri(n) > 0)
    np.testing.assert_array_equal(made.weights[shown], wanted)
    made.mask = "none"
    assert made.may_attend.all()


def test_another_sentence_keeps_what_it_can(assign):
    made = several(sentence="two", index=[1, 2], token=2, temperature=0.5, mask="causal")
    made.order = [4, 3, 2, 1, 0]
    assign(made, "sentence", "one")
    assert (made.index, made.token, made.temperature, made.mask) == ([1, 2], 2, 0.5, "causal")
    assert made.order == [0, 1, 2]
    assign(made, "sentence", "three")
    assert (made.token, made.order) == (0, [0, 1])
    assign(made, "sentence", "two")
    assert (made.token, made.order) == (0, [0, 1, 2, 3, 4])


def test_the_page_may_send_the_sentence_after_its_token():
    made = several()
    made.set_state({"order": [0, 1, 2, 4, 3], "token": 4, "sentence": "two"})
    assert (made.sentence, made.token, made.order) == ("two", 4, [0, 1, 2, 4, 3])


def test_an_order_that_comes_with_the_sentence_is_kept():
    made = several()
    made.set_state({"sentence": "two", "order": [4, 3, 2, 1, 0]})
    assert made.order == [4, 3, 2, 1, 0]
    made.set_state({"sentence": "three"})
    made.set_state({"sentence": "two"})  # later it comes alone
    assert made.order == [0, 1, 2, 3, 4]
    with made.hold_trait_notifications():
        made.sentence = "one"
        made.order = [2, 1, 0]
    assert made.order == [2, 1, 0]
    # A length alone does not say whose order it is.
    alike = several({"a": ["x", "y"], "b": ["z", "w"]}, {"a": np.eye(2), "b": np.eye(2)}, axes=())
    alike.order = [1, 0]
    alike.sentence = "b"
    assert alike.order == [0, 1]


@pytest.mark.parametrize("value", ["four", None, 1, ["one"]])
def test_an_unknown_sentence_is_refused_and_nothing_changes(assign, value):
    made = several(sentence="two", token=4)
    before = made.get_state()
    with pytest.raises((TypeError, ValueError), match=r"^AttentionExplorer: sentence must be"):
        assign(made, "sentence", value)
    assert made.get_state() == before


def test_the_scores_of_one_sentence_are_replaced():
    made = several(sentence="two")
    made.scores = TENSORS["two"] * 2
    assert made.scores.tolist() == (TENSORS["two"] * 2).tolist()
    for name in ("one", "three"):
        made.sentence = name
        assert made.scores.tolist() == TENSORS[name].tolist()
        with pytest.raises(ValueError, match=r"^AttentionExplorer: scores has shape"):
            made.scores = TENSORS["two"]
        with pytest.raises(ValueError, match="read-only"):
            made.scores[0] = 1


def test_scores_that_are_replaced_may_be_masked_already():
    made = several(sentence="two", index=[1, 2])
    scores = TENSORS["two"].copy()
    scores[1, 2, :, 3] = -np.inf
    made.scores = scores
    assert made.weights[:, 3].tolist() == [0] * 5
    np.testing.assert_array_equal(made.weights, masked_softmax(scores[1, 2]))


def test_the_scores_of_all_sentences_travel_as_one_table():
    made = several(sentence="three")
    state = made.get_state()
    assert state["sentences"] == [{"name": name, "tokens": TEXTS[name]} for name in LENGTHS]
    table = np.concatenate([tensor.ravel() for tensor in TENSORS.values()])
    assert state["score_table"] == table.astype("<f8").tobytes()
    made.set_state({"score_table": memoryview((-table).tobytes())})
    assert made.scores.tolist() == (-TENSORS["three"]).tolist()


def test_room_is_kept_for_the_longest_sentence():
    made = several()
    assert [made.sizes[name] for name in ("queries", "keys", "letters")] == [5, 5, 1]
    alone = several({"only": ["a", "bcd"]}, {"only": np.eye(2)}, axes=())
    assert [alone.sizes[name] for name in ("queries", "letters")] == [2, 3]
    assert alone.sentence == "only"


def test_the_text_names_the_sentence():
    assert repr(several(sentence="three", index=[1, 2])) == (
        "AttentionExplorer(2 tokens, sentence='three', layer=1, head=2, token='a', "
        "temperature=1, mask='none')"
    )


# -- the picture -----------------------------------------------------------------------------


def large(**options):
    tokens = ["<img src=x onerror=alert(1)>", "$x^$", *(f"token{i}" for i in range(30))]
    return AttentionExplorer(tokens, np.random.default_rng(0).normal(size=(32, 32)), **options)


@pytest.mark.parametrize(
    "change",
    [
        {"index": [1, 2]},
        {"token": 2},
        {"temperature": 0},
        {"mask": "causal"},
        {"order": [1, 0, 2, 3, 4, 5]},
    ],
)
def test_the_picture_shows_the_traits(pixels, change):
    made = grid()
    before = pixels(made)
    for name, value in change.items():
        setattr(made, name, value)
    assert np.abs(pixels(made) - before).max() > 100


def test_the_picture_is_that_of_the_sentence(pixels):
    made = several(sentence="two", index=[1, 2], token=3)
    alone = AttentionExplorer(
        TEXTS["two"], TENSORS["two"], axes=("layer", "head"), index=[1, 2], token=3
    )
    np.testing.assert_array_equal(pixels(made), pixels(alone))


def test_every_state_has_a_picture(pixels):
    pixels(explorer(scores=np.full((6, 6), -np.inf), mask="causal"))
    pixels(AttentionExplorer(["a", "b"], [[0, 0], [0, 0]], n_real=0, mask="padding"))
    pixels(large(mask="causal", token=31))


# -- JavaScript ------------------------------------------------------------------------------


def test_a_cell_reads_the_same_in_the_picture_and_in_the_browser(run_script):
    weights = [0.0, 1e-9, 0.004, 0.006, 0.125, 0.375, 0.5, 0.994, 0.996, 1 - 1e-12, 1.0]
    got = run_script(
        "attention_explorer", "console.log(JSON.stringify(input.map(cellText)));", weights
    )
    assert got == [cell_text(w) for w in weights]
    assert got[:2] + got[-2:] == ["0", ".00", "1.00", "1"]


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [3, 5, 0, 2, 4, 1]], ids=["own", "shuffled"])
@pytest.mark.parametrize("mask", ["none", "causal", "padding"])
def test_the_browser_computes_what_attnutils_computes(run_script, mask, order):
    scores = np.random.default_rng(0).normal(scale=300, size=(6, 6))
    scores[0], scores[1, 2:4] = 1e6, -np.inf
    scores[2] = -np.inf
    temperatures = [0.0, 5e-324, 1e-3, 0.25, 1.0, 7.3, 1e308, math.inf]
    got = run_script(
        "attention_explorer",
        """
        const scores = input.scores.map((row) => row.map(readNumber));
        console.log(JSON.stringify(input.temperatures.map((text) =>
          attendAll(scores, readNumber(text), input.mask, 4, input.places)
            .map(({ weights }) => weights))));
        """,
        {
            "scores": [[number_to_json(x) for x in row] for row in scores],
            "temperatures": [number_to_json(t) for t in temperatures],
            "mask": mask,
            "places": np.argsort(order).tolist(),
        },
    )
    made = explorer(scores=scores, n_real=4, mask=mask)
    made.order = order
    for t, weights in zip(temperatures, got, strict=True):
        made.temperature = t
        np.testing.assert_allclose(weights, made.weights, rtol=0, atol=1e-12, err_msg=f"T = {t}")


def test_the_browser_computes_every_kind_of_explorer_at_every_place_of_the_slider(run_script):
    kinds = [(make(), mask) for make in MAKE.values() for mask in make().masks]
    got = run_script(
        "attention_explorer",
        """
        console.log(JSON.stringify(input.kinds.map(({ scores, mask, nReal }) =>
          input.positions.map(temperatureAt).map((t) =>
            attendAll(scores.map((row) => row.map(readNumber)), t, mask, nReal, ownOrder(scores))
              .map(({ weights }) => weights)))));
        """,
        {
            "positions": POSITIONS,
            "kinds": [
                {
                    "scores": [
                        [number_to_json(x) for x in row] for row in made.scores[tuple(made.index)]
                    ],
                    "mask": mask,
                    "nReal": made.n_real,
                }
                for made, mask in kinds
            ],
        },
    )
    for (made, made.mask), by_position in zip(kinds, got, strict=True):
        for position, weights in zip(POSITIONS, by_position, strict=True):
            made.temperature = temperature_at(position)
            np.testing.assert_allclose(weights, made.weights, rtol=0, atol=1e-12)
