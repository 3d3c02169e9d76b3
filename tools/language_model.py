"""Make attnutils/data/language_model.npz: two models that were trained on a book.

    python -m tools.language_model           train again and compare; fail if the losses differ
    python -m tools.language_model --write   store what was made
    python -m tools.language_model --text alice29.txt   make the text from its source and compare

Training takes minutes, on one core. Another machine multiplies matrices in another order, so that
after thousands of steps no parameter is the same. The losses are: they may differ by LARGEST_GAP.
"""

import argparse
import hashlib
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attnutils import (
    LanguageModelParams,
    encode_text,
    init_language_model,
    language_model_gradients,
    load_language_model,
    load_wonderland,
    text_batch,
    train_language_model,
)
from attnutils.language import CONTEXT, N_HEADS, leaves, packed
from tools.project import ROOT

SOURCE_SHA256 = "7467306ee0feed4971260f3c87421154a05be571d944e9cb021a5713700c38f0"
STORED = ROOT / "attnutils" / "data" / "language_model.npz"
TEXT = ROOT / "attnutils" / "data" / "wonderland.txt"
COMMAND = ".venv/bin/python -m tools.language_model"
SEED = 0
LARGEST_GAP = 0.02  # nats


class Recipe(NamedTuple):
    """How a model is trained."""

    d: int
    d_ff: int
    steps: int
    is_causal: bool


RECIPES = {
    "causal": Recipe(64, 256, 1500, is_causal=True),
    "unmasked": Recipe(32, 128, 1000, is_causal=False),
}


def cleaned(source: str) -> str:
    """The chapters, each paragraph and each line of a poem on a line; chapters two lines apart.

    Title, headings, rows of stars and two notes on later editions go; the opening quote ` becomes
    ', the marks of italics go.
    """
    start, end = source.index("  Alice was beginning"), source.index("THE END")
    chapters = re.split(r"\n+ +CHAPTER [IVXL]+\n+ +[^\n]+\n+", source[start:end])
    return "\n\n".join(map(_chapter, chapters)) + "\n"


def _chapter(text: str) -> str:
    text = re.sub(r"\[later editions.*?\]", "", text, flags=re.DOTALL)
    rows = [row for row in text.split("\n") if not re.fullmatch(r"[ *]*\*[ *]*", row)]
    paragraphs = re.split(r"\n\s*\n", "\n".join(rows))
    return "\n".join(filter(None, map(_paragraph, paragraphs))).replace("`", "'").replace("_", "")


def _paragraph(text: str) -> str:
    joined = ""
    for row in filter(str.strip, text.split("\n")):
        is_verse = len(row) - len(row.lstrip()) > 3
        is_cut = joined.endswith("-") and not joined.endswith("--")
        between = "" if is_cut or not joined else "\n" if is_verse else " "
        joined += between + " ".join(row.split())
    return joined


def train(recipe: Recipe, alphabet: str) -> tuple[LanguageModelParams, float]:
    """Train a model; return its parameters and the mean loss of its last 200 steps."""
    rng = np.random.default_rng(SEED)
    codes = encode_text(load_wonderland()[0], alphabet)
    params, losses = train_language_model(
        init_language_model(rng, len(alphabet), recipe.d, recipe.d_ff),
        lambda: text_batch(rng, codes),
        recipe.steps,
        n_heads=N_HEADS,
        is_causal=recipe.is_causal,
    )
    return params, float(losses[-200:].mean())


def loss_on(text: str, alphabet: str, params: LanguageModelParams, is_causal: bool) -> float:
    """The mean loss on a text, read in pieces of the context."""
    codes = encode_text(text, alphabet)
    n = (len(codes) - 1) // CONTEXT * CONTEXT
    tokens, targets = (codes[i : i + n].reshape(-1, CONTEXT) for i in (0, 1))
    options: dict[str, Any] = {"n_heads": N_HEADS, "is_causal": is_causal}
    return language_model_gradients(tokens, targets, params, **options).loss


def make() -> dict[str, Any]:
    """Train both models; return what is stored."""
    training, held_out = load_wonderland()
    alphabet = "".join(sorted(set(training + held_out)))
    made: dict[str, Any] = {"alphabet": np.array(alphabet)}
    for name, recipe in RECIPES.items():
        params, last = train(recipe, alphabet)
        codes, scales = packed(leaves(params))
        loss = loss_on(held_out, alphabet, params, recipe.is_causal)
        print(f"{name}: loss {last:.3f} in training, {loss:.3f} on the held-out chapter")
        made |= {
            f"{name}_sizes": np.array([recipe.d, recipe.d_ff, len(params.blocks)]),
            f"{name}_codes": codes,
            f"{name}_scales": scales,
            f"{name}_losses": np.array([last, loss]),
        }
    return made


def agree(made: dict[str, Any]) -> bool:
    """Whether the stored losses are those of the new models, and the stored models have them."""
    _, held_out = load_wonderland()
    with np.load(STORED, allow_pickle=False) as file:
        stored = dict(file)
    if stored.keys() != made.keys() or stored["alphabet"] != made["alphabet"]:
        return False
    gaps = []
    for name, recipe in RECIPES.items():
        model = load_language_model(is_causal=recipe.is_causal)
        found = loss_on(held_out, model.alphabet, model.params, recipe.is_causal)
        losses = stored[f"{name}_losses"]
        gaps += [abs(losses - made[f"{name}_losses"]).max(), abs(found - losses[1])]
    print(f"Losses agree to {max(gaps):.4f}; {LARGEST_GAP} is allowed.")
    return bool(max(gaps) <= LARGEST_GAP)


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the data of the page on a language model.")
    parser.add_argument("--write", action="store_true", help="store what was made")
    parser.add_argument("--text", type=Path, help="make the text from this source, and compare")
    options = parser.parse_args()
    if options.text:
        source = options.text.read_bytes()
        if hashlib.sha256(source).hexdigest() != SOURCE_SHA256:
            print(f"{options.text} is not the source: its hash is another.", file=sys.stderr)
            return 1
        text = cleaned(source.decode("ascii").replace("\r\n", "\n"))
        if options.write:
            TEXT.write_text(text, encoding="utf-8")
        print(f"{TEXT.relative_to(ROOT)}, {len(text)} characters.")
        return int(text != TEXT.read_text(encoding="utf-8"))
    made, name = make(), STORED.relative_to(ROOT)
    if options.write or not STORED.exists():
        np.savez_compressed(STORED, **made)
        print(f"Wrote {name}, {STORED.stat().st_size / 1000:.0f} kB.")
        return 0
    if agree(made):
        print(f"{name} agrees with what was just made.")
        return 0
    print(
        f"{name} does not agree with what was just made. It stays as it is; "
        f"{COMMAND} --write stores the new one.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
