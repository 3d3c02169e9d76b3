"""What every explorer that is registered must have and pass. What one alone has is tested apart."""

import base64
import inspect
import io
import json
import math
import re
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image

from attnutils import widgets
from attnutils.widgets import _base, pictures
from attnutils.widgets._base import ArrayTrait, Checked, Fixed, Number, Temperature
from tests.conftest import some
from tests.examples import (
    EXPLORERS,
    HOSTILE_WIDGETS,
    PLACES,
    STATES,
    WIDE_WIDGETS,
    WITH_EXAMPLE,
    WITH_WORDS,
)
from tests.examples._texts import LONG

FOLDER = Path(widgets.__file__).parent
VIEW = "application/vnd.jupyter.widget-view+json"


def described(each):
    return each.__name__ if isinstance(each, type) else type(each).__name__


every = pytest.mark.parametrize("explorer", EXPLORERS, ids=described)
every_example = pytest.mark.parametrize("make", WITH_EXAMPLE, ids=described)
ALL = [*STATES, *WIDE_WIDGETS, *HOSTILE_WIDGETS]
shown = pytest.mark.parametrize("widget", ALL, ids=described)
# To draw takes the longest here: beside the usual ones, what holds labels that attack is drawn.
drawn = pytest.mark.parametrize("widget", some(ALL, *HOSTILE_WIDGETS), ids=described)


# -- nothing is forgotten --------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(FOLDER.glob("[!_]*.py")), ids=lambda path: path.stem)
def test_every_module_is_registered(path):
    name = "".join(part.capitalize() for part in path.stem.split("_"))
    assert name in widgets.__all__, (
        f"{path.name} is not registered: import {name} in attnutils/widgets/__init__.py, "
        "and name it in __all__."
    )


@every
def test_nothing_is_forgotten(explorer):
    name, stem = explorer.__name__, inspect.getmodule(explorer).__name__.rpartition(".")[2]
    files = {
        f"static/{stem}.js": "its script",
        f"static/{stem}.css": "its style",
        f"pictures/{stem}.py": "what draws its picture",
    }
    missing = [
        f"attnutils/widgets/{file}, {what}"
        for file, what in files.items()
        if not (FOLDER / file).exists()
    ]
    if explorer not in WITH_EXAMPLE:
        missing.append("the method example(words), or example() if it shows no words")
    if name not in dict(PLACES):
        missing.append("a page: end a cell of a notebook with one, and run `make execute`")
    sections = ("Parameters\n", "Raises\n", "Examples\n")
    missing += [
        f"a section {section.strip()} in its docstring"
        for section in sections
        if section not in explorer.__doc__
    ]
    assert not missing, f"{name} lacks {'; '.join(missing)}."


# -- traits ----------------------------------------------------------------------------------


def traits(widget, kind):
    return [name for name, trait in widget.traits().items() if isinstance(trait, kind)]


@every_example
def test_the_state_arrives(make):
    widget = make.example()
    state = {name: x for name, x in widget.get_state().items() if name != "layout"}
    plain = {name: x for name, x in state.items() if not isinstance(x, bytes)}
    own = traits(widget, Checked | Fixed | ArrayTrait)
    assert own
    twin = make.example()
    for name in own:
        if isinstance(twin.traits()[name], Fixed):
            continue
        sent = json.loads(json.dumps(plain[name])) if name in plain else memoryview(state[name])
        twin.set_state({name: sent})
    assert twin.get_state(own) == widget.get_state(own)


@shown
def test_the_whole_state_is_json(widget):
    state = {name: x for name, x in widget.get_state().items() if not isinstance(x, bytes)}
    state.pop("layout")  # a widget of its own
    json.dumps(state, allow_nan=False)


hot = pytest.mark.parametrize(
    "make", [each for each in WITH_EXAMPLE if traits(each.example(), Temperature)], ids=described
)


@hot
@pytest.mark.parametrize("t", [0.0, 0.25, 1.0, math.inf])
def test_temperature_travels_both_ways(make, t):
    widget = make.example()
    widget.temperature = t
    sent = json.loads(json.dumps(widget.get_state("temperature"), allow_nan=False))
    assert sent == {"temperature": "inf" if t == math.inf else t}
    widget.temperature = 3
    widget.set_state(sent)
    assert widget.temperature == t
    assert type(widget.temperature) is float


@hot
@pytest.mark.parametrize("t", [-1, -math.inf, math.nan, "1", None, True])
def test_a_bad_temperature_is_refused_and_the_old_one_stays(make, t):
    widget = make.example()
    with pytest.raises((TypeError, ValueError), match=f"^{make.__name__}: temperature"):
        widget.temperature = t
    assert widget.temperature == 1


@every_example
def test_what_the_page_is_drawn_from_stays(make, assign):
    widget = make.example()
    for name in traits(widget, Fixed):
        before = getattr(widget, name)
        message = rf"^{make.__name__}: {name} cannot be changed; make a new"
        with pytest.raises(AttributeError, match=message):
            assign(widget, name, "another")
        assert getattr(widget, name) is before


@every_example
def test_a_bad_assignment_is_refused_and_nothing_changes(make, assign):
    widget = make.example()
    before = widget.get_state()
    for name in traits(widget, Checked):
        is_number = isinstance(widget.traits()[name], Number)
        for bad in (float("nan"),) if is_number else ("no such thing", float("nan")):
            with pytest.raises((TypeError, ValueError), match=f"^{make.__name__}: {name}"):
                assign(widget, name, bad)
            assert widget.get_state() == before


@every_example
def test_arrays_keep_their_shape_and_cannot_be_changed_in_place(make):
    widget = make.example()
    for name in traits(widget, ArrayTrait):
        array = getattr(widget, name)
        with pytest.raises(ValueError, match=f"^{make.__name__}: {name} has shape"):
            setattr(widget, name, np.zeros((2, *array.shape)))
        # A change that no trait notices would not reach the page.
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize("make", WITH_WORDS, ids=described)
def test_words_are_checked_and_copied(make):
    words = list(LONG)
    widget = make.example(words)
    words[:] = ["changed"] * len(words)
    assert "changed" not in str(widget.get_state(traits(widget, Fixed)))
    for bad, error in (("Book", TypeError), ([1, 2], TypeError), (["Book"], ValueError)):
        with pytest.raises(error, match=f"^{make.__name__}: "):
            make.example(bad)


# -- what stands in where no script runs -----------------------------------------------------


@pytest.mark.parametrize("make", some(WITH_EXAMPLE, *WITH_EXAMPLE[::3]), ids=described)
def test_a_picture_goes_with_the_widget(make):
    before = dict(matplotlib.rcParams)
    data, _ = make.example()._repr_mimebundle_()
    assert set(data) == {VIEW, "text/plain", "image/png"}
    assert data["image/png"] == make.example()._repr_mimebundle_()[0]["image/png"]
    assert dict(matplotlib.rcParams) == before
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or pyplot.get_fignums() == []
    width, height = Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).size
    assert 700 <= width <= 800
    assert height < 720


@drawn
def test_every_state_has_its_stand_in(widget):
    data, _ = widget._repr_mimebundle_()
    assert {VIEW, "text/plain"} < set(data) <= {VIEW, "text/plain", "image/png", "text/html"}
    assert data["text/plain"] == repr(widget)


@shown
def test_every_state_has_one_line_of_text(widget):
    assert re.fullmatch(rf"{type(widget).__name__}\(.*\)", repr(widget))
    assert "0x" not in repr(widget)


def test_pictures_are_drawn_from_data():
    folder = Path(pictures.__file__).parent
    for path in folder.glob("*.py"):
        imported = re.findall(r"attnutils\.widgets\.(\w+)", path.read_text(encoding="utf-8"))
        assert set(imported) <= {"pictures"}, path.name


# -- the script ------------------------------------------------------------------------------


@every
def test_the_script_stands_on_the_core(explorer):
    """Then its model, its headline and its end are those of all."""
    own = explorer._esm.removeprefix((_base.STATIC / "core.js").read_text(encoding="utf-8"))
    assert len(re.findall(r"= explorer\(", own)) == 1
    assert re.search(r"^export default widget;$", own, re.MULTILINE)
