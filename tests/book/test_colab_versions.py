"""The versions that `make test-colab` runs notebooks on: all pinned, enough for attnutils."""

import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import environments
from tools.project import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIRED = [Requirement(line) for line in PROJECT["dependencies"]]


@pytest.fixture(scope="module")
def colab() -> dict[str, str]:
    """The versions by the names of the packages."""
    lines = environments.constraints("colab").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    versions = {}
    for pin in map(Requirement, pins):
        (specifier,) = pin.specifier
        assert specifier.operator == "==", f"{pin} is not pinned"
        versions[canonicalize_name(pin.name)] = specifier.version
    assert len(versions) == len(pins)
    return versions


@pytest.mark.parametrize("requirement", REQUIRED, ids=str)
def test_colab_has_what_attnutils_requires(requirement: Requirement, colab: dict[str, str]) -> None:
    assert requirement.specifier.contains(colab[canonicalize_name(requirement.name)])
