"""Answers to the exercises and the questions of the page on a model that writes."""

import numpy as np

import attnutils
from attnbook.models import language
from attnutils import cross_entropy, softmax
from tests.notebooks import functions


def top_k(logits, k):
    limit = np.sort(logits)[-k]
    return softmax(np.where(logits >= limit, logits, -np.inf))


def cut(logits, k):
    shares = softmax(logits)
    shares[np.argsort(-logits)[k:]] = 0
    return shares


def divided(logits, k):
    return cut(logits, k) / cut(logits, k).sum()


def in_place(logits, k):
    logits[np.argsort(-logits)[k:]] = -np.inf
    return softmax(logits)


# The solution of the page.
step = functions("language-model", "sol-step", np=np, **vars(attnutils), attnutils=attnutils)[
    "step"
]


class Stepped:
    """The same with NumPy alone, and nothing of the cache that is given; or with a slip."""

    def __init__(self, slip=""):
        self.slip, self.read, self.cache = slip, [], None

    def normed(self, x, gain_bias, name):
        if self.slip == name:
            return x
        gain, bias = gain_bias
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + bias

    def __call__(self, code, cache, params):
        if cache is not self.cache:  # another text begins
            self.read, self.cache = [], cache
        self.read = [code] if self.slip == "forgets" else [*self.read, code]
        n, d = len(self.read), 64
        place = np.arange(n)[:, None] * (self.slip != "place 0")
        angle = place / 10_000 ** (np.arange(0, d, 2) / d)
        codes = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)
        x = params.embedding[self.read] + codes * (self.slip != "no place")
        for block in params.blocks:
            p, added = block.attention, self.slip != "no residual"
            z = self.normed(x, block.norm_1, "norm 1")
            heads = []
            for part in np.split(np.arange(d), 1 if self.slip == "one head" else 4):
                q, k, v = (z @ w[:, part] for w in (p.w_query, p.w_key, p.w_value))
                scores = q @ k.T / np.sqrt(len(part))
                scores[np.triu_indices(n, 1)] = -np.inf
                e = np.exp(scores - scores.max(axis=1, keepdims=True))
                heads.append(e / e.sum(axis=1, keepdims=True) @ v)
            found = np.concatenate(heads, axis=1)
            x = x * added + (found if self.slip == "no w_output" else found @ p.w_output)
            z, f = self.normed(x, block.norm_2, "norm 2"), block.feed_forward
            x = x * added + np.maximum(z @ f.w_in + f.b_in, 0) @ f.w_out + f.b_out
        logits = (self.normed(x, params.norm, "last norm") @ params.w_output)[-1]
        return softmax(logits) if self.slip == "shares" else logits


def off_from_character_3(code, cache, params):
    return step(code, cache, params) + (len(cache[0][0]) > 3)


TOP, STEP = "write-top-k", "write-step"
K_LEAST, K_FIRST = "these are the k smallest", "these are the first k"
ONE_LIST = "both blocks keep their keys in one list"

RIGHT = {
    "which-cheats": [[0, 1, 2], (2, 0, 1)],
    "cached-positions": [[14950, 199]],
    TOP: [top_k, divided],
    STEP: [step, Stepped()],
}

WRONG = [
    ("which-cheats", [1, 2], "what does position i read"),
    ("which-cheats", [0, 2], "where does the answer to position i stand"),
    ("which-cheats", [0, 1], "which of the later characters"),
    ("which-cheats", [0, 1, 2, 3], "counted from either end"),
    ("which-cheats", [0, 1, 2, 4], "that is the honest training"),
    ("cached-positions", [1, 1], "the text has 100 characters when the first is drawn, and with"),
    (TOP, cut, "the shares do not sum to 1"),
    (TOP, lambda z, k: softmax(z), "nothing is hidden"),
    (TOP, lambda z, k: softmax(np.where(z <= np.sort(z)[k - 1], z, -np.inf)), K_LEAST),
    (TOP, lambda z, k: softmax(np.where(z >= np.sort(z)[-k], z, 0)), "a logit of 0 is not hidden"),
    (TOP, lambda z, k: (z >= np.sort(z)[-k]) / k, "the k are not equally likely"),
    (TOP, lambda z, k: softmax(np.where(np.arange(z.size) < k, z, -np.inf)), K_FIRST),
    (TOP, in_place, "your function changes its argument"),
    (TOP, lambda z, k: np.ones(len(z)), "the numbers are off"),
    (TOP, lambda z, k: z[:k], "for 6 logits and k = 3"),
    (STEP, Stepped("shares"), "these are probabilities"),
    (STEP, Stepped("no place"), "nothing says at which place"),
    (STEP, Stepped("place 0"), "each character stands at place 0"),
    (STEP, Stepped("forgets"), "only the new character is seen"),
    (STEP, lambda code, cache, p: step(code, cache[:1] * 2, p), ONE_LIST),
    (STEP, Stepped("norm 1"), "block.norm_1 comes"),
    (STEP, Stepped("norm 2"), "block.norm_2 comes"),
    (STEP, Stepped("last norm"), "params.norm comes"),
    (STEP, Stepped("no residual"), "what a part finds is added"),
    (STEP, Stepped("one head"), "each block has four heads"),
    (STEP, Stepped("no w_output"), "what the heads found goes through w_output"),
    (STEP, off_from_character_3, "the logits are off from character 3 on"),
    (STEP, lambda code, cache, params: code, "for character 0 of a text, expected"),
]  # fmt: skip


LETTERS = "\nabc"


def predict_pass(rng):
    """Places whose logits stay whatever comes after them."""
    _, params, n_heads, _ = language.load_language_model()
    codes = rng.integers(64, size=16)
    before = language.language_model(codes, params, n_heads=n_heads)
    honest = 0
    for i in range(16):
        other = codes.copy()
        other[i + 1 :] = rng.integers(64, size=15 - i)
        after = language.language_model(other, params, n_heads=n_heads)
        honest += np.allclose(before[i], after[i])
    return honest


def predict_perplexity(rng):
    return np.exp(cross_entropy(np.log([[0.5, 0.5], [0.125, 0.875]]), [0, 0]).loss)


def predict_mask(rng):
    # A pattern that can be learned in part: each letter is one of the two that follow the letter
    # before the last. Two models of each kind: of one alone the end may be lucky.
    steps = rng.integers(1, 3, size=(1500, 2))
    text = "".join("abc"[i] for i in np.cumsum(steps, axis=0).ravel() % 3)
    codes = language.encode_text(text, LETTERS)
    at_the_end, in_training = {0: 0, 1: 0}, {0: 0, 1: 0}
    for ahead in (0, 1) * 2:
        params, losses = language.train_language_model(
            language.init_language_model(rng, len(LETTERS), d=16, d_ff=16),
            lambda: language.text_batch(rng, codes, 16, 16),
            300,
            n_heads=2,
            ahead=ahead,
            learning_rate=0.01,
        )
        tokens, targets = (x[:, :8] for x in language.text_batch(rng, codes, 200, 16))
        # Its last position has nothing ahead: for it both masks are the same.
        targets = np.where(np.arange(8) == 7, targets, -1)
        found = language.language_model_gradients(tokens, targets, params, n_heads=2, ahead=ahead)
        at_the_end[ahead] += found.loss
        in_training[ahead] += losses[-10:].mean()
    low, better = in_training[0] < in_training[1], at_the_end[0] < at_the_end[1]
    return {
        "The right one has the low loss and writes better": low and better,
        "The one with the slip has the low loss and writes better": not low and not better,
        "The one with the slip has the low loss, the right one writes better": not low and better,
        "The right one has the low loss, the other one writes better": low and not better,
    }


def predict_drop(rng):
    """Of 65 characters the first drops out: are keys and values of the others those of 64?"""
    _, params, n_heads, _ = language.load_language_model()
    codes = rng.integers(64, size=65)

    def kept(codes):
        x = params.embedding[codes]
        for block in params.blocks:
            p, z = block.attention, attnutils.layer_norm(x, *block.norm_1)
            yield np.stack([z @ p.w_key, z @ p.w_value])
            q, k, v = (
                attnutils.split_heads(z @ w, n_heads) for w in (p.w_query, p.w_key, p.w_value)
            )
            q, k = attnutils.rotary_embedding(q), attnutils.rotary_embedding(k)
            found = attnutils.attention(q, k, v, is_causal=True).output
            x = x + attnutils.merge_heads(found) @ p.w_output
            z = attnutils.layer_norm(x, *block.norm_2)
            x = x + attnutils.feed_forward(z, block.feed_forward)

    pairs = zip(kept(codes), kept(codes[1:]), strict=True)
    right = [np.allclose(old[:, 1:], fresh) for old, fresh in pairs]
    return {
        "In both": right == [True, True],
        "In block 0 alone": right == [True, False],
        "In neither": right == [False, False],
    }
