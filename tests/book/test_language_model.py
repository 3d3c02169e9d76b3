"""The tool that trains the model that writes, on few steps."""

import hashlib
import sys

import numpy as np
import pytest

from attnutils import load_wonderland
from tools import language_model

SOURCE = """
                ALICE'S ADVENTURES IN WONDERLAND

                            CHAPTER I

                      Down the Rabbit-Hole

  Alice was beginning to
get a daisy-
chain:  `Oh--
dear!'

        How doth
          the _little_

     *       *       *
         *       *

 [later editions continued as follows
  not this]
  The end.

                           CHAPTER II

                         The Pool

  `So!'

                             THE END
"""


def test_the_text_is_made_of_its_source():
    wanted = (
        "Alice was beginning to get a daisy-chain: 'Oh-- dear!'\nHow doth\nthe little\nThe end."
    )
    assert language_model.cleaned(SOURCE) == f"{wanted}\n\n'So!'\n"


def test_the_stored_text_is_cleaned_already():
    text = language_model.TEXT.read_text(encoding="utf-8")
    assert len(text.split("\n\n")) == 12
    assert "".join(load_wonderland()) == text.replace("\n\n", "\n")


def test_a_source_with_another_hash_is_refused(monkeypatch, capsys, tmp_path):
    source = tmp_path / "alice.txt"
    source.write_text(SOURCE, encoding="ascii")
    monkeypatch.setattr(sys, "argv", ["language_model", "--text", str(source)])
    assert language_model.main() == 1
    assert "hash is another" in capsys.readouterr().err
    monkeypatch.setattr(
        language_model, "SOURCE_SHA256", hashlib.sha256(source.read_bytes()).hexdigest()
    )
    assert language_model.main() == 1  # it is not the text that is stored
    monkeypatch.setattr(language_model, "ROOT", tmp_path)
    monkeypatch.setattr(language_model, "TEXT", tmp_path / "text.txt")
    monkeypatch.setattr(sys, "argv", ["language_model", "--write", "--text", str(source)])
    assert language_model.main() == 0
    assert (tmp_path / "text.txt").read_text(encoding="utf-8").endswith("'So!'\n")


@pytest.fixture
def quick(monkeypatch):
    """Training of few steps, in place of minutes."""
    recipes = {name: recipe._replace(steps=3) for name, recipe in language_model.RECIPES.items()}
    monkeypatch.setattr(language_model, "RECIPES", recipes)
    monkeypatch.setattr(sys, "argv", ["language_model"])


def test_models_that_differ_are_told_and_not_stored(quick, capsys):
    before = language_model.STORED.read_bytes()
    assert language_model.main() == 1
    assert "does not agree" in capsys.readouterr().err
    assert language_model.STORED.read_bytes() == before


def test_what_was_made_agrees_and_repeats(quick, monkeypatch, tmp_path):
    stored = tmp_path / "language_model.npz"
    monkeypatch.setattr(language_model, "ROOT", tmp_path)
    monkeypatch.setattr(language_model, "STORED", stored)
    monkeypatch.setattr("attnutils.language._STORED", stored)
    assert language_model.main() == 0
    with np.load(stored) as file:
        first = dict(file)
    assert {name for name in first if name.endswith("_losses")} == {
        "causal_losses",
        "unmasked_losses",
    }
    assert language_model.main() == 0
    moved = {**first, "causal_losses": first["causal_losses"] + 0.03}
    np.savez_compressed(stored, **moved)
    assert language_model.main() == 1


def test_what_is_stored_is_small_and_made_by_the_recipes():
    assert language_model.STORED.stat().st_size < 150_000
    with np.load(language_model.STORED) as file:
        for name, recipe in language_model.RECIPES.items():
            assert file[f"{name}_sizes"].tolist() == [recipe.d, recipe.d_ff, 2]
            last, held_out = file[f"{name}_losses"]
            assert 0 < last <= held_out
