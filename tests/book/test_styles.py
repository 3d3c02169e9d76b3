"""The fonts of formulas: cut once, and again when the book needs more.

That they have what it needs is judged on the built pages (`test_pages`).
"""

import pytest

from _ext import styles

WHOLE = sorted((styles.PACKAGE / "dist" / "fonts").glob("*.woff2"))


def test_fonts_are_kept_until_a_formula_has_a_new_character(tmp_path, monkeypatch):
    name = WHOLE[0].name
    monkeypatch.setattr(styles, "AT_ONCE", ())
    kept, first, second, third = (tmp_path / name for name in ("kept", "1", "2", "3"))
    styles.formulas(first, kept, {"a"})
    cut = []
    monkeypatch.setattr(styles, "cut", lambda path, used: cut.append((path.name, used)))
    styles.formulas(second, kept, {"a"})
    assert not cut
    assert (second / "fonts" / name).read_bytes() == (first / "fonts" / name).read_bytes()
    styles.formulas(third, kept, {"a", "b"})
    assert (name, {"a", "b"}) in cut
    assert len(cut) == len(WHOLE)


def test_a_cut_that_was_broken_off_is_made_again(tmp_path, monkeypatch):
    def stop(path, used):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(styles, "cut", stop)
        with pytest.raises(KeyboardInterrupt):
            styles.formulas(tmp_path / "1", tmp_path / "kept", {"a"})
    cut = []
    monkeypatch.setattr(styles, "cut", lambda path, used: cut.append(path.name))
    styles.formulas(tmp_path / "2", tmp_path / "kept", {"a"})
    assert len(cut) == len(WHOLE)
