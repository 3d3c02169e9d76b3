"""What the scripts compute equals what Python computes: all of them asked in one run of Node.

Each function here yields the input of the function of its name in agreement.mjs, is sent what
that returned, and compares. Infinite numbers may be in the input.
"""

import base64
import contextlib
import itertools
import json
import math
import subprocess
from functools import partial

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from attnbook import explorers as widgets
from attnbook.explorers._traits import number_to_json
from attnbook.explorers.bug_game import explorer as bug_game
from attnbook.explorers.leak_game import explorer as leak_game
from attnbook.explorers.memory import explorer as memory_explorer
from attnbook.explorers.width import explorer as width_explorer
from attnbook.models.bugs import PROBES, keeps
from attnbook.models.induction import LETTERS
from attnbook.models.number_sets import SetReaderParams, number_sets, set_reader_gradients
from attnbook.models.online_softmax import read_blocks
from attnbook.models.reversal import EXAMPLE, REMEDIES, encoding_of, minibatch, starting_params
from attnbook.models.toy_tasks import classifier_gradients
from attnutils import entropy, hardmax, masked_softmax, softmax, sparsemax
from attnutils.plotting import INKS, INKS_DARK, ink_on, plot_weights
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.examples.word_order import reordered
from tests.explorers.examples.writing import MODELS
from tests.explorers.states import NAMED, WIDE_WIDGETS, WITH_EXAMPLE, example
from tools import widget_page
from tools.project import ROOT, environment

SCRIPT = ROOT / "tests" / "explorers" / "agreement.mjs"

POSITIONS = [0, 1, 25, 49, 50, 75, 99, 100]  # of the slider of temperatures
TEMPERATURES = [0.0, 5e-324, 1e-3, 0.25, 1.0, 7.3, 1e6, 1e308, math.inf]
SCORES = [
    [0.0, 1, -4, 7, 0, 5],
    [7.0, 7, 7, 1],
    [710.0, 709, -709],
    [1e-12, 0, -1e-12, 2e-12],
    [-5.0],
    list(np.random.default_rng(0).normal(scale=20, size=12)),
]
close = partial(np.testing.assert_allclose, rtol=0, atol=1e-12)
nearly = partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12)


def states(explorer):
    """The named states of an explorer, and those with as much as fits in."""
    wide = [each for each in WIDE_WIDGETS if isinstance(each, explorer)]
    return [*NAMED[explorer.__name__].values(), *wide]


def plain(x):
    """An input as JSON takes it."""
    if isinstance(x, dict):
        return {name: plain(value) for name, value in x.items()}
    if isinstance(x, np.ndarray):
        return plain(x.tolist())
    if isinstance(x, list | tuple | range):
        return [plain(each) for each in x]
    return number_to_json(x) if isinstance(x, float) else x


# -- what all share --------------------------------------------------------------------------


def normalizers():
    masks = [[bool(bits >> i & 1) for i in range(6)] for bits in range(64)]
    weights = [0.0, 1e-9, 1.5e-5, 0.004, 0.006, 0.125, 0.5, 0.994, 0.996, 1 - 1e-12, 1.0]
    got = yield [SCORES, masks, TEMPERATURES, POSITIONS, weights]
    for scores, by_temperature in zip(SCORES, got[0], strict=True):
        for t, found in zip(TEMPERATURES, by_temperature, strict=True):
            all_ = softmax(scores, temperature=t), sparsemax(scores, temperature=t), hardmax(scores)
            for wanted, one in zip(all_, found, strict=True):
                close(one, [*wanted, entropy(wanted)], err_msg=f"T = {t}")
    for mask, by_temperature in zip(masks, got[1], strict=True):
        wanted = [masked_softmax(SCORES[0], mask, temperature=t) for t in TEMPERATURES]
        close(by_temperature, wanted)
    hot = 10 ** (40 / 25) * 10  # 1 / T falls evenly to 0 over the last ten
    wanted = [0, *(10 ** ((at - 50) / 25) for at in POSITIONS[1:-2]), hot, math.inf]
    nearly(np.array(got[2], dtype=float), wanted)
    assert all(got[3])
    assert got[4] == ["0", ".00", ".00", ".00", ".01", ".13", ".50", ".99", "1.00", "1.00", "1"]
    assert got[5] == ["0.000", "<.001", "<.001", "0.004", "0.006", "0.125", "0.500", "0.994",
                      "0.996", "1.000", "1.000"]  # fmt: skip


def on_page(ink, page, amount):
    """So much of an ink on a page: red, green and blue, 0 to 1."""
    ink, page = (np.array(matplotlib.colors.to_rgb(color)) for color in (ink, page))
    return page + amount * (ink - page)


def contrast(one, other):
    """The contrast of two colours by WCAG."""
    rgb = np.array([matplotlib.colors.to_rgb(each) for each in (one, other)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    low, high = sorted(linear @ [0.2126, 0.7152, 0.0722])
    return (high + 0.05) / (low + 0.05)


def colours():
    amounts = np.linspace(0, 1, 256)
    shares, *letters = yield amounts
    # A weight has one colour in scripts and in figures.
    shares = [float(each.split("(--weight) ")[1].split("%")[0]) / 100 for each in shares]
    figure, ax = plt.subplots()
    image = plot_weights(amounts, ax=ax).images[0]
    drawn = image.to_rgba(image.get_array())[0, :, :3]
    plt.close(figure)
    wanted = [on_page(INKS["weight"], "white", share) for share in shares]
    np.testing.assert_allclose(drawn, wanted, rtol=0, atol=1 / 255)
    # A number reads on every amount of ink, in scripts and in figures, which pages turn dark.
    turned = {"black": "white", "white": "black"}
    for i, amount in enumerate(amounts):
        for name, ink in INKS.items():
            light, dark = on_page(ink, "#fff", amount), on_page(INKS_DARK[name], "#14181e", amount)
            letter = ink_on([*light, 1])
            reads = [contrast(light, letter), contrast(dark, turned[letter])]
            if name == "weight":
                reads += [contrast(light, letters[0][i]), contrast(dark, letters[1][i])]
            assert min(reads) >= 4.5, (name, amount)


# -- explorers whose scripts compute, in one function, what Python has as attributes ----------

RNG = np.random.default_rng(0)
HOT_AND_COLD = [0, 5e-324, 0.25, 7.3, math.inf]
EXTREME = 300 * RNG.normal(size=(6, 6))
EXTREME[0], EXTREME[1, 2:4], EXTREME[2] = 1e6, -np.inf, -np.inf
WEIGHTS = {"weights": "weights"}


def attributes(make, arguments, names, more=list):
    """What the function returns has these names; the attributes, these values."""
    explorers = [*states(make), *more()]
    got = yield [arguments(each) for each in explorers]
    for explorer, found in zip(explorers, got, strict=True):
        for name, attribute in names.items():
            wanted = getattr(explorer, attribute)
            wanted = np.array(0 if wanted is None else wanted, dtype=float)
            nearly(found[name], wanted, err_msg=f"{explorer}: {name}")


def benches():
    for _ in range(100):
        query, mask = int(RNG.choice([5, 5, 2])), RNG.random(6) < 0.7
        score, t = RNG.choice(["dot", "scaled_dot", "gaussian"]), RNG.choice([0, 1, 20, math.inf])
        options = {"query": query, "mask": mask, "score": str(score), "temperature": float(t)}
        bench = widgets.AttentionBench(WORDS, KEYS, VALUES, challenge=("Book", "Child"), **options)
        bench.query_vector = RNG.integers(-2, 3, 3)
        yield bench


def maps():
    for mask, order, t in itertools.product(
        ("none", "causal", "padding"), ([0, 1, 2, 3, 4, 5], [3, 5, 0, 2, 4, 1]), HOT_AND_COLD
    ):
        made = widgets.AttentionExplorer(WORDS, EXTREME, n_real=4, mask=mask, temperature=t)
        made.order = order
        yield made


def graphs():
    senders, receivers = np.indices((6, 6)).reshape(2, -1)[::-1]
    for t in HOT_AND_COLD:
        scores, places = {"dot": EXTREME.ravel()}, RNG.normal(size=(6, 2))
        ends = senders, receivers
        yield widgets.GraphAttentionExplorer(WORDS, places, *ends, scores, temperature=t)


HAVE_ATTRIBUTES = [
    (
        widgets.AttentionBench,
        lambda e: (
            *(e.query_vector, e.key_matrix, e.value_matrix[:, 0], e.mask, e.score, e.temperature),
            *(e.query, bool(e.challenge)),
        ),
        WEIGHTS | {"output": "output", "isMet": "is_met"},
        benches,
    ),
    (
        widgets.AttentionExplorer,
        lambda e: (
            *(e.scores[tuple(e.index)], e.temperature, e.mask, e.n_real, np.argsort(e.order)),
            *([e.norm_table] if e.by_length and e.norm_table.size else []),
        ),
        {"shares": "shares"},
        maps,
    ),
    (
        widgets.BindingExplorer,
        lambda e: (
            *(e.tables[e.counts.index(e.n_heads)], e.n_heads),
            [*zip(e.item_colours, e.item_things, strict=True)],
            [e.item_colours[e.first], e.item_colours[e.second]],
        ),
        WEIGHTS | {"found": "found", "chances": "chances"},
    ),
    (
        widgets.GraphAttentionExplorer,
        lambda e: [e.receivers, e.scores[e.mechanism][:, e.head], e.temperature, len(e.names)],
        WEIGHTS,
        graphs,
    ),
    (
        widgets.InductionExplorer,
        lambda e: (
            base64.b64encode(e.parameters).decode(),
            {"symbols": 20, "places": 32, "d": e.width},
            *([LETTERS.index(letter) for letter in e.text], e.heads),
        ),
        WEIGHTS | {"chances": "probabilities"},
    ),
    (
        widgets.KernelRegressionExplorer,
        lambda e: (e.x, e.y, e.query, e.bandwidth),
        WEIGHTS | {"output": "output"},
        lambda: (
            widgets.KernelRegressionExplorer([0, 1, 3, 1], [5, 7, 9, 2], query=query, bandwidth=s)
            for query, s in itertools.product((-7, 1, 2, 1e6), (0, 1e-9, 0.5, 10, 1e200, math.inf))
        ),
    ),
    (
        widgets.LearnedQueriesExplorer,
        lambda e: (e.numbers, e.slopes[: e.queries]),
        {name: name for name in ("weights", "returned", "errors")},
    ),
    (
        widgets.ProjectionExplorer,
        lambda e: (e.token_matrix, e.w_query, e.w_key),
        WEIGHTS | {"queries": "queries"},
        lambda: (
            widgets.ProjectionExplorer(
                list("abcde"), RNG.normal(size=(5, 2)), *RNG.normal(size=(2, 2, 2))
            )
            for _ in range(2)
        ),
    ),
    (
        widgets.RotaryBench,
        lambda e: [e.query_vector, e.key_vector, e.base],
        {"scores": "scores_by_offset"},
        lambda: (
            widgets.RotaryBench(*RNG.normal(size=(2, d)), base=base)
            for d, base in itertools.product((2, 4, 8), (1.0, 100.0, 10000.0))
        ),
    ),
    (
        widgets.TranslatorExplorer,
        lambda e: (
            e._at(e.scores)[-1, : len(e.sources[e.sentence])],
            e._at(e.logits)[-1],
        ),
        WEIGHTS | {"chances": "probabilities"},
    ),
    (
        widgets.WidthExplorer,
        lambda e: (e.draw, e.width),
        WEIGHTS | {"scores": "scores"},
        lambda: (widgets.WidthExplorer(width=width, draw=77) for width in width_explorer.WIDTHS),
    ),
    (
        widgets.WinnerExplorer,
        lambda e: (e.score, e.query_vector, e.key_matrix, e.temperature),
        WEIGHTS | {"scores": "raw_scores"},
        lambda: (
            widgets.WinnerExplorer(list("abcde"), keys, query, score=score, temperature=t)
            for score, t in (("dot", 1), ("cosine", 0.1), ("Gaussian", 7))
            for query, *keys in 3 * RNG.normal(size=(20, 6, 2))
        ),
    ),
    (
        widgets.WordOrderExplorer,
        lambda e: [e.x, e.projections, e.order, e.get_state(["has_positions", "is_causal"])],
        {"outputs": "outputs"},
        lambda: [reordered(has_positions=True, is_causal=True)],
    ),
]


# -- the others ------------------------------------------------------------------------------


def memory():
    cases = [*itertools.product((128, 256), (16, 64, 256), (False, True))]
    steps = yield cases
    for case, found in zip(cases, steps, strict=True):
        assert np.array_equal(found, memory_explorer.run(*case)[1:])


def bugs():
    rng = np.random.default_rng(0)
    cases = [(KEYS[:, [1, 2, 0]], KEYS, VALUES[:, 0])]
    cases += [(*rng.normal(size=(2, n, 4)), rng.normal(size=n)) for n in (2, 5, 12)]
    got = yield cases
    assert got[:2] == [list(bug_game.SUSPECTS), list(PROBES)]
    for (q, k, v), by_layer in zip(cases, got[2], strict=True):
        for mistake, by_probe in zip(bug_game.SUSPECTS, by_layer, strict=True):
            for probe, found in zip(PROBES, by_probe, strict=True):
                ours = bug_game.probed(mistake, probe, q, k, v[:, None])
                if ours is None:
                    assert (found["output"], found["outcome"]) == (None, "error")
                    continue
                nearly(np.array(found["output"], dtype=float), ours.output[:, 0])
                nearly(found["wanted"], ours.wanted[:, 0])
                assert found["broken"] == (~keeps(ours)).tolist()


def learning():
    """The loss of learned queries on sets, and how it changes with all that is learned."""
    rng, cases, wanted = np.random.default_rng(0), [], []
    for n in (1, 3, 5):
        numbers, is_there, answers = number_sets(rng, 32)
        params = SetReaderParams(*(3 * rng.normal(size=shape) for shape in ((n, 1), (n, 3), 3)))
        flat = np.concatenate([x.ravel() for x in params])
        cases.append((flat, n, [row[there] for row, there in zip(numbers, is_there, strict=True)]))
        wanted.append(set_reader_gradients(numbers, is_there, answers, params))
    got = yield cases
    for found, (loss, gradients) in zip(got, wanted, strict=True):
        nearly(found["loss"], loss)
        nearly(found["gradients"], np.concatenate([x.ravel() for x in gradients]))


def leak():
    cases = [[0.0] * 6, [1, 2, 0.5, 1.5, -1, 1e6], *RNG.normal(size=(5, 6))]
    got = yield cases
    for numbers, by_layer in zip(cases, got, strict=True):
        for (name, outputs), layer in zip(by_layer, leak_game.LAYERS, strict=True):
            assert name == layer
            nearly(outputs, leak_game.outputs_of(name, np.array(numbers)))


def online_softmax():
    cases = [(e.scores, e.values) for e in states(widgets.OnlineSoftmaxExplorer)]
    cases += [(np.full(5, 3.0), np.arange(5.0)), (np.array([-1e6, 1e6]), np.array([1e6, -1e6]))]
    moves = [
        (block, step, new)
        for block, step, new in itertools.product(range(1, 8), range(8), range(1, 8))
        if step <= math.ceil(7 / block)
    ]
    got = yield [cases, moves]
    for (scores, values), by_correct in zip(cases, got[0], strict=True):
        for correct, by_block in zip((True, False), by_correct, strict=True):
            for block, found in enumerate(by_block, start=1):
                wanted = read_blocks(scores, values, block, correct)
                for numbers, s in zip(found, wanted, strict=True):
                    right = [s.maximum, s.correction, s.total, s.output, *s.terms]
                    nearly(np.array(numbers, dtype=float), right)
    for (block, step, new), found in zip(moves, got[1], strict=True):
        one = widgets.OnlineSoftmaxExplorer(range(7), range(7), block=block, step=step)
        one.block = new
        assert one.step == found


def positional():
    sizes = itertools.product([(2, 2), (3, 4), (20, 6), (33, 50), (128, 128)], [1.5, 1e4, 1e300])
    cases = [{"length": length, "dim": dim, "base": base} for (length, dim), base in sizes]
    got = yield [[case] for case in cases]
    for case, found in zip(cases, got, strict=True):
        one = widgets.PositionalEncodingExplorer(**case)
        close(found["matrix"], one.encoding_matrix.ravel())
        close(found["similar"], [one.similarity_to(i) for i in (0, case["length"] - 1)])


def training():
    """Losses, weights and letters of the first ten steps, from the same start, to 1e-6."""
    runs = [{"start": 77, "positions": False, "rate": 0.05, "fork": 0, "branch": ""}]
    runs += [
        {"start": 5, "positions": True, "rate": 0.2, "fork": 4, "branch": branch}
        for branch in REMEDIES
    ]
    got = yield {"runs": runs, "example": EXAMPLE}
    for run, stages in zip(runs, got[0], strict=True):
        explorer = widgets.TrainingExplorer(**run, step=10)
        assert [stage["step"] for stage in stages] == list(range(11))
        losses = [stage["loss"] for stage in stages]
        np.testing.assert_allclose(losses, explorer.losses, rtol=0, atol=1e-6)
        for stage in stages:
            for answer, explorer.length in zip(stage["answers"], (10, 9), strict=True):
                weights, said = explorer.answer_at(stage["step"])
                found = np.reshape(answer["weights"], weights.shape)
                np.testing.assert_allclose(found, weights, rtol=0, atol=1e-6)
                assert ["abcdefghijkl"[letter] for letter in answer["said"]] == said
    given = *minibatch(3, 7), starting_params(3)
    wanted = classifier_gradients(*given, encoding=encoding_of(10, True))
    close(got[1], [wanted.loss, *np.concatenate([each.ravel() for each in wanted.gradients])])


def writing():
    make = partial(widgets.WritingExplorer, MODELS)
    cases = [make(), make(""), make("é😀 <b>"), make(mask=False), make(heads=[0, 1] * 4)]
    cases += [make("The Queen", place=5), make(heads=[0] * 8, context=7)]
    cases += [make(model="unmasked", context=1)]
    names = [each["name"] for each in cases[0].models]
    explorer = make("The Queen ", seed=5)
    got = yield {
        **explorer.get_state(["models", "alphabet", "text"]),
        "parameters": base64.b64encode(explorer.parameters).decode("ascii"),
        "cases": [
            {"at": names.index(e.model), "read": e.read, "heads": e.heads, "mask": e.mask}
            for e in cases
        ],
    }
    for case, found in zip(cases, got["found"], strict=True):
        np.testing.assert_allclose(found["logits"], case.logits, rtol=0, atol=1e-9)
        own = case.weights.reshape(8, -1)
        np.testing.assert_allclose(found["weights"], own, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found["look"], case.look, rtol=0, atol=1e-9)
    explorer.go_on(70)
    assert got["text"] == explorer.text
    # The first look computes all, then one a character, until the window moves on.
    assert got["computed"][:3] == [[11, 11], [1, 12], [1, 13]]
    assert got["computed"][53:] == [[1, 64], *[[64, 64]] * 16]


# -- addresses -------------------------------------------------------------------------------

# Values that fit somewhere, that fit nowhere, and nearly.
TEXTS = [
    *("0", "1", "2", "3", "7", "8", "64", "127", "128", "-1", "0.5", "1e6", "1e7", "inf", "NaN"),
    *("", " 1", "1,2,3", "0,0,0", "0,1,2,3,4,5", "5,4,3,2,1,0", "-2,0.5", "0,0", "1,1e7", "1e400"),
    *("0,0,1,1,1,-1,-1,0,0,0,2,2", "9,9,1,1,1,-1,-1,0,0,0,2,1", "6", "13", "17", "B", "E"),
    *("-1,0,1,2,3", "1,2,3,4,5,6,7,8,9", "0,0,0,0,0,0,0,0,-0.5", "000000", "101011", "true"),
    *("softmax", "sparsemax", "causal", "padding", "rotary", "alibi", "dot", "GAT", "gaussian"),
    *("Book", "The", "the", "The@0", "Book@5", "a", "Reads", "__proto__"),
    "<img src=x onerror=alert(1)>",
]


def address(make):
    """Python takes what the script reads in an address; what readers move is what it holds."""
    widget, calm = example(make), example(make).get_state()
    pairs = [*itertools.combinations(TEXTS, 2)][::31]
    traits = {name: trait.described() for name, trait in make.declared().items()}
    given = {"folder": make.__module__.split(".")[-2], "traits": traits}
    found = yield given | widget_page.saved(widget) | {"values": TEXTS, "pairs": pairs}
    assert sorted(name for name, _ in found[0]["state"]) == sorted(widget.settable())
    for each in found:
        assert each["again"] == each["state"], each["asked"]
        state = {
            name: base64.b64decode(x["bytes"]) if isinstance(x, dict) else x
            for name, x in each["state"]
        }
        widget.set_state(state)  # it refuses what does not fit with an error
        got = widget.get_state(list(state))
        assert got == state
        assert bool(each["written"]) == (got != {name: calm[name] for name in state})
    assert any(each["written"] for each in found)


# -- the run ---------------------------------------------------------------------------------

OTHERS = (
    normalizers,
    colours,
    memory,
    bugs,
    learning,
    leak,
    online_softmax,
    positional,
    training,
    writing,
)
AGREEMENTS = {each.__name__: each for each in OTHERS}
AGREEMENTS |= {args[0].__name__: partial(attributes, *args) for args in HAVE_ATTRIBUTES}
AGREEMENTS |= {f"address of {make.__name__}": partial(address, make) for make in WITH_EXAMPLE}


@pytest.fixture(scope="module")
def runs():
    """All agreements, begun, and what Node has computed for each."""
    begun = {name: each() for name, each in AGREEMENTS.items()}
    asked = {name: plain(next(each)) for name, each in begun.items()}
    done = subprocess.run(
        ["node", SCRIPT],
        input=json.dumps(asked, allow_nan=False),
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return begun, json.loads(done.stdout)


@pytest.mark.parametrize("name", AGREEMENTS)
def test_script_and_python_agree(runs, name):
    begun, found = runs
    assert "error" not in found[name], found[name]["error"]
    with contextlib.suppress(StopIteration):
        begun[name].send(found[name]["got"])
