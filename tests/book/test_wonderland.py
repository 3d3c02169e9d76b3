"""The text that the language model learns is made of its source."""

import hashlib
import sys

from attnutils import load_wonderland
from tools import wonderland

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
    assert wonderland.cleaned(SOURCE) == f"{wanted}\n\n'So!'\n"


def test_the_stored_text_is_cleaned_already():
    text = wonderland.STORED.read_text(encoding="utf-8")
    assert len(text.split("\n\n")) == 12
    assert "".join(load_wonderland()) == text.replace("\n\n", "\n")


def test_a_source_with_another_hash_is_refused(monkeypatch, capsys, tmp_path):
    source = tmp_path / "alice.txt"
    source.write_text(SOURCE, encoding="ascii")
    monkeypatch.setattr(sys, "argv", ["wonderland", str(source)])
    assert wonderland.main() == 1
    assert "hash is another" in capsys.readouterr().err
    monkeypatch.setattr(
        wonderland, "SOURCE_SHA256", hashlib.sha256(source.read_bytes()).hexdigest()
    )
    assert wonderland.main() == 1  # it is not the text that is stored
    monkeypatch.setattr(wonderland, "ROOT", tmp_path)
    monkeypatch.setattr(wonderland, "STORED", tmp_path / "text.txt")
    monkeypatch.setattr(sys, "argv", ["wonderland", "--write", str(source)])
    assert wonderland.main() == 0
    assert (tmp_path / "text.txt").read_text(encoding="utf-8").endswith("'So!'\n")
