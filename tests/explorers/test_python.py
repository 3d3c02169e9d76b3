"""What every explorer must have and pass in Python; questions and things to try, too."""

import inspect
import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from attnbook import Question
from attnbook import explorers as widgets
from attnbook.explorers import (
    AttentionBench,
    AttentionExplorer,
    BugGame,
    GraphAttentionExplorer,
    HeadTeaser,
    HeadWall,
    InductionExplorer,
    KernelRegressionExplorer,
    LeakGame,
    MemoryExplorer,
    OnlineSoftmaxExplorer,
    PositionalEncodingExplorer,
    ProjectionExplorer,
    RotaryBench,
    TemperatureExplorer,
    TrainingExplorer,
    TranslatorExplorer,
    WidthExplorer,
    WinnerExplorer,
    WordOrderExplorer,
    WritingExplorer,
    _base,
)
from attnbook.explorers._modules import as_function, joined, name_of, order
from attnbook.explorers._traits import Array, Setting, Trait
from attnbook.models.trained_heads import load_trained_heads
from attnutils._checks import Number
from attnutils.plotting import GREYS, INKS, INKS_DARK, ROLE_COLORS, ROLE_COLORS_DARK
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.examples.architecture import PARAMS as TRANSFORMER
from tests.explorers.examples.architecture import trained as architecture
from tests.explorers.examples.binding import trained as binding
from tests.explorers.examples.induction import PARAMS as INDUCTION
from tests.explorers.examples.translator import MODELS as TRANSLATORS
from tests.explorers.examples.translator import SHORT
from tests.explorers.examples.writing import MODELS as WRITERS
from tests.explorers.labels import IMAGE, LONG
from tests.explorers.states import (
    EXPLORERS,
    HOSTILE_WIDGETS,
    PLACES,
    STATES,
    USUAL,
    WIDE_WIDGETS,
    WITH_EXAMPLE,
    WITH_WORDS,
    example,
)
from tools.project import ROOT

FOLDER = Path(widgets.__file__).parent
THEME = ROOT / "book" / "theme"
CORE = _base.core_style()
VIEW = "application/vnd.jupyter.widget-view+json"


def named(each):
    return each.__name__ if isinstance(each, type) else type(each).__name__


every = pytest.mark.parametrize("explorer", EXPLORERS, ids=named)
every_example = pytest.mark.parametrize("make", WITH_EXAMPLE, ids=named)


@pytest.fixture(params=["Python", "the page"])
def assign(request):
    """A function that gives a widget's trait a value, as Python does or as the page does."""
    if request.param == "Python":
        return setattr
    return lambda widget, name, value: widget.set_state({name: value})


def arrays(widget):
    return [n for n, trait in widget.traits().items() if isinstance(trait, Array)]


def fixed(widget):
    return [
        name
        for name, trait in widget.traits().items()
        if isinstance(trait, Trait) and not trait.replaceable
    ]


def checked(widget):
    """What readers move, but for arrays."""
    return [name for name in widget.settable() if name not in arrays(widget)]


# -- nothing is forgotten --------------------------------------------------------------------


@every
def test_nothing_is_forgotten(explorer):
    name, home = explorer.__name__, Path(inspect.getfile(explorer)).parent
    files = [home / file for file in ("explorer.py", "widget.js", "widget.css")]
    missing = [f"{home.name}/{file.name}" for file in files if not file.exists()]
    if explorer not in WITH_EXAMPLE:
        function = "the function start(words), or start() if it shows no words,"
        missing.append(f"{function} in tests/explorers/examples/{home.name}.py")
    if name not in dict(PLACES):
        missing.append("a page: end a cell of a notebook with one, and run `make execute`")
    assert not missing, f"{name} lacks {'; '.join(missing)}."


def test_the_kinds_of_explorers_have_names_of_their_own_in_addresses():
    assert len({each.address for each in USUAL}) == len(USUAL)
    make = partial(AttentionBench, WORDS, KEYS, VALUES)
    assert make(address="second-1").get_state("address") == {"address": "second-1"}
    for address in ("", "Bench", "a:b", "a b", "1st", "x" * 21, 3, None, "ä"):
        with pytest.raises(ValueError, match=r"^AttentionBench: address must be"):
            make(address=address)


# -- traits ----------------------------------------------------------------------------------


@every_example
def test_the_state_arrives(make):
    for widget in (each for each in STATES if type(each) is make):
        state = {name: x for name, x in widget.get_state().items() if name != "layout"}
        plain = {name: x for name, x in state.items() if not isinstance(x, bytes)}
        sent = json.loads(json.dumps(plain, allow_nan=False))
        own = widget.settable()
        before = widget.get_state(own)
        widget.set_state({n: sent[n] if n in sent else memoryview(state[n]) for n in own})
        assert widget.get_state(own) == before
        assert own


@every_example
def test_a_bad_assignment_is_refused_and_nothing_changes(make, assign):
    widget = example(make)
    before = widget.get_state()
    for name in checked(widget):
        trait = widget.traits()[name]
        is_number = isinstance(trait, Setting) and isinstance(trait.option, Number)
        is_text = (make, name) == (WritingExplorer, "text")  # it may be any
        for bad in (float("nan"),) if is_number or is_text else ("no such thing", float("nan")):
            with pytest.raises((TypeError, ValueError), match=f"^{make.__name__}: {name}"):
                assign(widget, name, bad)
            assert widget.get_state() == before
    # What the page is drawn from stays.
    for name in fixed(widget):
        message = rf"^{make.__name__}: {name} cannot be changed; make a new"
        another = widget.get_state(name)[name] if name in arrays(widget) else "another"
        with pytest.raises(AttributeError, match=message):
            assign(widget, name, another)
        assert widget.get_state() == before


@every_example
def test_arrays_keep_their_shape_and_cannot_be_changed_in_place(make):
    widget = example(make)
    for name in arrays(widget):
        array = getattr(widget, name)
        assert widget.get_state(name)[name] == array.astype("<f8").tobytes()
        bad_ones = (np.zeros((2, *array.shape)), np.full(array.shape, np.nan))
        for bad in () if name in fixed(widget) else bad_ones:
            with pytest.raises(ValueError, match=f"^{make.__name__}: {name} "):
                setattr(widget, name, bad)
        # A change that no trait notices would not reach the page.
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize("make", WITH_WORDS, ids=named)
def test_words_are_checked_and_copied(make):
    words = list(LONG)
    widget = example(make, words)
    words[:] = ["changed"] * len(words)
    assert "changed" not in str(widget.get_state(fixed(widget)))
    for bad, error in (("Book", TypeError), ([1, 2], TypeError), (["Book"], ValueError)):
        with pytest.raises(error, match=f"^{make.__name__}: "):
            example(make, bad)


# -- what is refused -------------------------------------------------------------------------

TWO = {"yes": "Look again.", "no": "It is not."}
TEXTS = {"one": list("abc"), "two": list("abcde")}
TABLES = {"one": np.zeros((2, 3, 3)), "two": np.zeros((2, 5, 5))}
BENCH = {"words": WORDS, "keys": KEYS, "values": VALUES}
SENTENCES = {"tokens": TEXTS, "scores": TABLES, "axes": ("head",)}
MAP = {"tokens": WORDS, "scores": KEYS @ KEYS.T}
GAME = {"words": WORDS, "query": KEYS, "key": KEYS, "value": VALUES[:, 0]}
GRAPH = {"names": list("AB"), "positions": np.eye(2), "senders": [0, 1], "receivers": [1, 0]}
GRAPH["scores"] = {"dot": [0, 1]}
TEASER = {"tokens": WORDS, "scores": np.zeros((1, 6)), "asks": 5, "heads": ["a"]}
CAT = "The cat slept because it was tired"
WALL = {"heads": {CAT: load_trained_heads()[CAT]}, "asks": 5, "find": 2}
PLANE = {"words": WORDS, "keys": KEYS[:, :2], "query": [0, 2]}
EMBEDDED = {"words": WORDS, "tokens": KEYS[:, :2]}
TRANSLATOR = {"models": TRANSLATORS, "sentences": [SHORT]}
CHOICES = {"prompt": "Is it?", "choices": TWO, "answer": "no"}
NUMBER = {"prompt": "Is it?", "answer": 1}
#: What is right for each, and arguments that are not, each tried alone.
BAD_ARGUMENTS = [
    (architecture, {}, {"source": ["one"], "x": [[1]], "encoder": TRANSFORMER.decoder}),
    (AttentionBench, BENCH, {"keys": KEYS[:5], "mask": [1] * 6, "challenge": "Book"}),
    (AttentionExplorer, SENTENCES, {"scores": TABLES | {"two": TABLES["one"]}, "index": [2]}),
    (AttentionExplorer, MAP, {"tokens": ["a"] * 33, "n_real": 7, "value_norms": -np.ones(6)}),
    (binding, {}, {"n_heads": 3, "first": 6, "shares": {1: 0.5}}),
    (BugGame, GAME, {"key": KEYS[:, :2], "layers": ["a bug"], "probe": 8}),
    (GraphAttentionExplorer, GRAPH, {"receivers": [4, 1], "scores": {"dot": [1, np.inf]}}),
    (HeadTeaser, TEASER, {"scores": np.zeros((2, 6)), "heads": "ab", "guess": -2}),
    (HeadWall, WALL, {"heads": {"a": 1}, "asks": 9, "find": 5, "steps": [("a", "b")], "head": 72}),
    (InductionExplorer, {"params": INDUCTION, "text": "cat"}, {"text": "cat u", "heads": [1, 2]}),
    (KernelRegressionExplorer, {"x": [1, 2], "y": [1, 2]}, {"x": [1], "bandwidth": -0.5}),
    (LeakGame, {"words": WORDS, "numbers": [1] * 6}, {"numbers": [1] * 5, "layers": ["no mask"]}),
    (MemoryExplorer, {}, {"n": 100, "fast": 65, "done": 101}),
    (OnlineSoftmaxExplorer, {"scores": [0, 7], "values": [1, 2]}, {"values": [1], "block": 4}),
    (PositionalEncodingExplorer, {}, {"length": 129, "dim": 3, "base": 1, "position": 64}),
    (ProjectionExplorer, EMBEDDED, {"tokens": KEYS, "w_key": np.eye(3), "presets": {"I": 1}}),
    (RotaryBench, {"query": [1, 0], "key": [2, 1]}, {"query": [1, 2, 3], "key_position": -1}),
    (TemperatureExplorer, {"words": WORDS, "scores": [0] * 6}, {"scores": KEYS, "temperature": -1}),
    (TrainingExplorer, {}, {"example": [0] * 10, "rate": 0.02, "fork": 101, "positions": 1}),
    (TranslatorExplorer, TRANSLATOR, {"models": {}, "sentences": [], "step": 60}),
    (WidthExplorer, {}, {"width": 100, "draw": 0}),
    (WinnerExplorer, PLANE, {"keys": KEYS, "query": [1, np.nan], "score": "additive"}),
    (WordOrderExplorer, {"words": WORDS, "x": np.eye(6)}, {"x": KEYS, "order": [0] * 6}),
    (WritingExplorer, {"models": WRITERS, "text": ""}, {"models": {}, "text": "x" * 601}),
    (Question, CHOICES, {"answer": "maybe", "mixed": {"no": "rows and columns"}}),
    (Question, NUMBER, {"tolerance": -1, "hints": {1.0: "."}, "mixed": {2: "apples and pears"}}),
    (Question, NUMBER, {"answer": np.inf}),
]


@pytest.mark.parametrize(("make", "right", "wrong"), BAD_ARGUMENTS)
def test_bad_arguments_are_named(make, right, wrong):
    owner = type(make(**right)).__name__
    for name, bad in wrong.items():
        with pytest.raises((TypeError, ValueError), match=rf"^{owner}: .*\b{name}\b"):
            make(**right | {name: bad})


BAD_TRAITS = [
    (AttentionBench, {"mask": [[True] * 5, "all"], "score": ["cosine"]}),
    (AttentionExplorer, {"order": [[0, 0, 1, 2, 3, 4], [0, 1]], "mask": ["padding"]}),
    (BugGame, {"verdicts": [[8] + [0] * 7, [0]], "seen": [[256] + [0] * 7]}),
    (GraphAttentionExplorer, {"receiver": [4, 1.0], "mechanism": ["max"]}),
    (HeadWall, {"asks": [9], "head": [72, 1.5], "tried": [[72], "all"]}),
    (OnlineSoftmaxExplorer, {"block": [0, 7, 1.5], "step": [7], "correct": ["no"]}),
    (TemperatureExplorer, {"temperature": [-1, -np.inf]}),
    (TrainingExplorer, {"rate": [0.03, "0.01", True], "branch": ["all", 1], "step": [401]}),
    (WritingExplorer, {"text": ["x" * 700], "seed": [1000], "heads": [[1] * 7]}),
]


@pytest.mark.parametrize(("make", "wrong"), BAD_TRAITS, ids=named)
def test_a_value_that_cannot_be_is_refused(make, wrong, assign):
    widget = example(make)
    before = widget.get_state()
    for name, values in wrong.items():
        for bad in values:
            with pytest.raises((TypeError, ValueError), match=f"^{make.__name__}: {name}"):
                assign(widget, name, bad)
            assert widget.get_state() == before


# -- what stands in where no script runs -----------------------------------------------------


def test_every_state_has_one_line_of_text():
    for widget in (*STATES, *WIDE_WIDGETS, *HOSTILE_WIDGETS):
        assert re.fullmatch(rf"{type(widget).__name__}\((?!.*0x).*\)", repr(widget))


# -- scripts and styles ----------------------------------------------------------------------


@pytest.mark.parametrize("widget", [*USUAL, Question("Is it?", answer=1)], ids=named)
def test_a_script_stands_on_the_core_and_asks_for_nothing(widget):
    script, style = widget._esm, widget._css
    assert script.startswith(_base.core_script())
    assert style.startswith(CORE)
    assert len(re.findall(r"(?m)^export\b", script)) == 1
    library = as_function(_base.CORE / "lit.js")
    assert library in script
    # What is said in comments asks for nothing, and the name of SVG is no address.
    text = re.sub(r"/\*\*.*?\*/", "", script.replace(library, ""), flags=re.DOTALL)
    text = text.replace("http://www.w3.org/2000/svg", "")
    asks = r"\bimport\b *[({\"'*]|\bfetch\b|XMLHttpRequest|sendBeacon|WebSocket|http"
    assert not re.search(asks, text)
    assert not re.search(r"url\(|@import", style)
    # Text never becomes markup.
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|DOMParser"
    assert not re.search(markup, text)


A = 'import { hard as cold } from "./b.js";\nexport default [cold, typeof hard];\n'


def test_modules_are_joined_each_with_its_own_names(tmp_path, run_node):
    (tmp_path / "a.js").write_text(A, encoding="utf-8")
    (tmp_path / "b.js").write_text("const cold = 7;\nexport const hard = cold + 1;\n", "utf-8")
    modules = order(tmp_path / "a.js")
    assert [path.name for path in modules] == ["b.js", "a.js"]
    name = name_of(tmp_path / "a.js")
    program = f"console.log(JSON.stringify({name}.default));"
    assert run_node(joined(modules), program, None) == [8, "undefined"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("export const soft = 1;\n", "a imports 'hard', which .*b does not export; .* soft"),
        ('import { x } from "./a.js";\nexport const hard = 1;\n', "cannot import each other"),
        ('import hard from "./c.js";\nexport const hard = 1;\n', "of another form, 'import hard"),
        ("export const hard = 1;\nexport * from './c.js';\n", r"of another form, .export \*"),
    ],
)
def test_a_module_that_cannot_be_joined_is_named(tmp_path, text, error):
    (tmp_path / "a.js").write_text(A, encoding="utf-8")
    (tmp_path / "b.js").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=error):
        joined(order(tmp_path / "a.js"))


def test_pages_widgets_and_figures_have_the_same_colours_and_letters():
    base = (THEME / "style" / "1-base.css").read_text(encoding="utf-8")
    of_pages, of_widgets = (
        dict(reversed(re.findall(r"--([\w-]+): ([^;]+);", text)))  # the first of each name
        for text in (base, CORE)
    )
    pair = r"light-dark\((#\w{6}), (#\w{6})\)"
    of_widgets["page"] = re.search(pair, of_widgets["page"])[0]  # in a notebook, the notebook's
    both = of_pages.keys() & of_widgets.keys()
    assert both >= {"page", "ink", "ink-2", "rule", "field", *"qkvo", "sans", "weight"}
    assert {name: of_pages[name] for name in both} == {name: of_widgets[name] for name in both}
    for name, ink in INKS.items():
        assert of_pages[name] == f"light-dark({ink}, {INKS_DARK[name]})"
    for role in "qkvo":
        assert of_pages[role] == f"light-dark({ROLE_COLORS[role]}, {ROLE_COLORS_DARK[role]})"
    for name, grey in GREYS.items():
        assert of_widgets[name].startswith(f"light-dark({grey}, ")
    # Where a page has no other file it repeats them.
    bare = (THEME / "bare.html").read_text(encoding="utf-8")
    assert f"background: {of_pages['page']}; color: {of_pages['ink']};" in bare
    head = (THEME / "head.html").read_text(encoding="utf-8")
    tinted = re.findall(r'theme-color" content="(#\w{6})"', head)
    assert tinted == re.findall(r"#\w{6}", of_pages["page"])


def test_no_class_of_a_widget_is_one_that_pages_style():
    """One named like a button of the page was as unseen as that."""
    of_pages = set()
    for path in [
        *(THEME / "style").glob("*.css"),
        *(ROOT / "book" / "python" / "page").glob("*.css"),
    ]:
        text = re.sub(r'(?s)/\*.*?\*/|"[^"]*"', "", path.read_text(encoding="utf-8"))
        for selector in re.findall(r"[^{};,]+(?=[,{])", text):
            # The class by which a rule begins: in `article .share button`, share.
            begins = r"\s*(?:(?:html|body|main|article|section)\s+)*\.([\w-]+)(?![\w-]*\.)"
            of_pages.update(
                re.match(begins, selector).groups() if re.match(begins, selector) else ()
            )
    assert of_pages >= {"cell", "run", "share", "title"}
    shared, found = {"unbroken", "widget-slot"}, {}
    for path in [*_base.CORE.glob("*.*s"), *FOLDER.glob("*/widget.*")]:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".css":
            classes = set(re.findall(r"\.([a-z][\w-]*)", text))
        else:
            names = re.findall(r'\bclass(?:Name)?\b.{0,30}?["`]([^"`]*)["`]', text)
            names += re.findall(r'\bclassList\.\w+\("([^"]+)"', text)
            classes = set(re.findall(r"[\w-]+", " ".join(names)))
        if clash := classes & of_pages - shared:
            found[f"{path.parent.name}/{path.name}"] = clash
    assert not found


# -- things to try ---------------------------------------------------------------------------


def test_a_thing_to_try_holds_a_whole_state_and_the_explorer_stays_as_it_was():
    things = [
        ("Who?", "Nobody.", {"query": 0, "temperature": np.inf}),
        (f"Is {IMAGE} hidden at $T = 0$?", "See `x`.", {"mask": np.arange(6) != 3}),
    ]
    bare, explorer = (
        AttentionBench(WORDS, KEYS, VALUES, query=5, things_to_try=given) for given in ((), things)
    )
    for name in explorer.settable():
        assert np.array_equal(getattr(explorer, name), getattr(bare, name))
    first, second = (thing["state"] for thing in explorer.tries)
    assert set(first) == set(second) == set(explorer.settable())
    assert (first["query"], first["temperature"]) == (0, "inf")
    assert first["query_vector"] == KEYS[0].tobytes()  # a query word brings its key
    assert (second["query"], second["temperature"]) == (5, 1)
    assert second["mask"] == [True, True, True, False, True, True]
    # Without scripts, question and answer are text.
    text = _base.things_as_html(explorer.tries)
    assert "&lt;img" in text
    assert "<img" not in text
    assert '<span data-tex="T = 0">T = 0</span>' in text


def test_what_is_shown_does_not_flicker_while_a_thing_to_try_is_made(monkeypatch):
    explorer, sent = TemperatureExplorer(["a", "b"], [0, 1]), []
    note = lambda key=None: sent.append(explorer.get_state(key))  # noqa: E731
    monkeypatch.setattr(explorer, "send_state", note)
    before = explorer.get_state(["temperature"])
    assert explorer.state_with({"temperature": 0}) != before
    assert all(state.items() <= explorer.get_state().items() for state in sent)
    assert explorer.get_state(["temperature"]) == before


def test_a_setting_that_others_depend_on_is_set_first():
    things = [("?", "!", {"token": 4, "sentence": "two"})]
    explorer = AttentionExplorer(TEXTS, TABLES, axes=("head",), things_to_try=things)
    assert explorer.tries[0]["state"]["token"] == 4
    assert explorer.sentence == "one"


@pytest.mark.parametrize(
    ("things", "says"),
    [
        ("Ask", "things_to_try must be a list of tuples"),
        ([("Ask", "See")], "each of things_to_try must be a tuple"),
        ([(1, "See", {})], "what to ask must be text, got int."),
        ([("Ask", "See", {"heat": 0})], "TemperatureExplorer has no setting 'heat'"),
        ([("Ask", "See", {"scores": [1, 2]})], "has no setting 'scores'"),
        ([("Ask", "See", {"temperature": -1})], "TemperatureExplorer: temperature"),
    ],
)
def test_what_cannot_be_tried_is_refused(things, says):
    with pytest.raises((TypeError, ValueError), match=re.escape(says)):
        TemperatureExplorer(["a", "b"], [0, 1], things_to_try=things)


# -- questions -------------------------------------------------------------------------------


def html(question):
    return question._repr_mimebundle_()[0]["text/html"]


def test_a_question_falls_back_to_text_without_the_answer():
    choices = {"yes": "Sic.", f"{IMAGE} & no": "Non."}
    text = html(Question(f"Is `a < b`? {IMAGE}", choices, answer="yes"))
    assert "Is <code>a &lt; b</code>? &lt;img" in text
    assert "<li>yes</li><li>&lt;img src=x onerror=alert(1)&gt; &amp; no</li>" in text
    assert not re.search("<img|Sic|Non", text)
    text = html(Question("How much?", answer=0.125, hints={7: "Seven"}, right="Yes"))
    assert "The answer is a number." in text
    assert not re.search(r"0\.125|Seven|Yes", text)


def test_a_question_writes_formulas_in_plain_letters():
    question = Question("How much is $\\alpha_1^2 < 1$?", answer=1, quantity="share of $d_k'$")
    assert 'is <span data-tex="\\alpha_1^2 &lt; 1">α₁² &lt; 1</span>?' in html(question)
    assert 'a number: share of <span data-tex="d_k&#x27;">d_k′</span>.' in html(question)
    assert repr(question) == "Question('How much is α₁² < 1?', a number)"
    for tex, plain in {
        r"e^{-6} \cdot e^{7 + 100}": "e⁻⁶ · e^(7 + 100)",
        r"\lVert\partial\alpha/\partial q\rVert": "‖∂α/∂q‖",
        r"X X^\top": "X Xᵀ",
        r"\sqrt{d_k} \to 1{,}024": "√d_k → 1,024",
        r"d_{\mathrm{ff}} \times s_{t' - 1}": "d_ff × s_(t′ − 1)",
        r"x_{10}": "x₁₀",
    }.items():
        assert Question(f"${tex}$?", answer=1).formulas == {tex: plain}


def test_choices_are_shuffled_once_for_all_unless_they_are_a_scale():
    letters = {letter: "" for letter in "abcdefgh"}

    def order(given=letters, **options):
        return "".join(text for text, _ in Question("Which?", given, "a", **options).choices)

    assert order(ordered=True) == "abcdefgh"
    orders = {order(seed=seed) for seed in range(20)}
    assert len(orders) == 20
    assert order() in orders - {"abcdefgh"}
    assert order(dict(reversed(letters.items()))) == order()
