"""The files of pins hold what they were made from, and name no index."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tools.environments import constraints
from tools.pins import LOCK, NODE, versions
from tools.project import ROOT

NAMED = sorted((ROOT / "tests").glob("constraints-*.in"))


def requirements(text: str) -> dict[str, Requirement]:
    """The requirements of a file by the names of their packages."""
    lines = re.findall(r"(?m)^[a-z][^#\n]*", text)
    return {canonicalize_name(r.name): r for r in map(Requirement, lines)}


@pytest.mark.parametrize("path", NAMED, ids=lambda path: path.stem)
def test_an_environment_is_pinned_as_its_file_asks(path):
    pins = requirements(path.with_suffix(".txt").read_text(encoding="utf-8"))
    for name, wanted in requirements(path.read_text(encoding="utf-8")).items():
        (pin,) = pins[name].specifier
        assert pin.operator == "=="
        assert wanted.specifier.contains(pin.version), wanted


def test_the_oldest_versions_are_those_that_attnutils_allows():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = requirements(constraints("oldest").read_text(encoding="utf-8"))
    for floor in map(Requirement, project["dependencies"]):
        (least,) = floor.specifier
        (pin,) = pins[canonicalize_name(floor.name)].specifier
        assert Version(pin.version) == Version(least.version), floor


def test_no_file_of_pins_names_an_index():
    locks = [LOCK, *(folder / "package-lock.json" for folder in NODE)]
    for path in [*locks, *(ROOT / "tests").glob("constraints-*.txt")]:
        text = re.sub(r"(?m)^ *#.*", "", path.read_text(encoding="utf-8"))
        assert not re.search(r"index-url|find-links|\"resolved\"", text), path
        hosts = set(re.findall(r"\w+://([\w.-]+)", text))
        # npm names the licences' and the authors' pages.
        assert not hosts if path.suffix != ".json" else not {h for h in hosts if "registry" in h}


def test_the_versions_of_a_file_of_pins(tmp_path):
    lock, npm = tmp_path / "pins.txt", tmp_path / "package-lock.json"
    assert versions(lock) == versions(npm) == {}
    lock.write_text(
        "# a==1\na==1.0 ; marker \\\n    --hash=sha256:0\na==2.0\n    # via b==3\nb==3\n"
    )
    assert versions(lock) == {"a": "1.0, 2.0", "b": "3"}
    npm.write_text('{"packages": {"": {"name": "x"}, "node_modules/@a/b": {"version": "1.2.3"}}}')
    assert versions(npm) == {"@a/b": "1.2.3"}
    for path in (LOCK, NODE[0] / "package-lock.json"):
        found = versions(path)
        assert len(found) > 50
        assert all(version[0].isdigit() for version in found.values())
