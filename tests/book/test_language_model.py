"""The tool that trains the model that writes, on few steps."""

import numpy as np
import pytest

from tests.conftest import exhaustive
from tools.experiments import language_model


@pytest.fixture
def quick(monkeypatch):
    """Training of few steps, in place of minutes."""
    recipes = {name: recipe._replace(steps=3) for name, recipe in language_model.RECIPES.items()}
    monkeypatch.setattr(language_model, "RECIPES", recipes)


@exhaustive
def test_what_was_made_agrees_and_repeats(quick, monkeypatch, tmp_path):
    made = language_model.make()
    assert {name for name in made if name.endswith("_losses")} == {
        "causal_losses",
        "unmasked_losses",
    }
    stored = tmp_path / "language_model.npz"
    monkeypatch.setattr("attnutils.language._STORED", stored)
    np.savez_compressed(stored, **made)
    assert language_model.agree(made, language_model.make())
    moved = {**made, "causal_losses": made["causal_losses"] + 0.03}
    assert not language_model.agree(moved, made)
    assert not language_model.agree({"alphabet": made["alphabet"]}, made)


def test_what_is_stored_is_small_and_made_by_the_recipes():
    assert language_model.STORED.stat().st_size < 150_000
    with np.load(language_model.STORED) as file:
        for name, recipe in language_model.RECIPES.items():
            assert file[f"{name}_sizes"].tolist() == [recipe.d, recipe.d_ff, 2]
            last, held_out = file[f"{name}_losses"]
            assert 0 < last <= held_out
