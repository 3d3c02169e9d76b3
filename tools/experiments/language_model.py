"""Two models that were trained on a book.

Training takes minutes, on one core. Another machine multiplies matrices in another order, so that
after thousands of steps no parameter is the same. The losses are: they may differ by LARGEST_GAP.
"""

from typing import Any, NamedTuple

import numpy as np

from attnbook.models._stored import packed
from attnbook.models.language import (
    CONTEXT,
    N_HEADS,
    LanguageModelParams,
    encode_text,
    init_language_model,
    language_model_gradients,
    load_language_model,
    load_wonderland,
    text_batch,
    train_language_model,
)
from attnutils import leaves
from tools.project import ROOT

STORED = ROOT / "attnbook" / "models" / "data" / "language_model.npz"
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


def agree(stored: dict[str, Any], made: dict[str, Any]) -> bool:
    """Whether the stored losses are those of the new models, and the stored models have them."""
    _, held_out = load_wonderland()
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
