"""A reader's own layer at work: in the place of the book's, inside the stored model that writes.

The model's layers have no biases, so the layer of the finish line fits as it is. A broken layer may
write, too: what its slip costs is measured on text that the model has not seen.
"""

import base64
import datetime
import time
from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

import numpy as np

from attnbook.exercises import finish_line
from attnbook.models.language import encode_text, load_language_model, load_wonderland, run
from attnutils._checks import FloatArray, IntArray
from attnutils.masks import causal_mask
from attnutils.normalize import softmax
from attnutils.positional import sinusoidal_encoding
from attnutils.transformer import feed_forward, layer_norm

PROMPT, LETTERS, TEMPERATURE, SEED = "'Here!' cried Alice,", 50, 0.6, 3
WINDOWS = 24  # of unseen text, each as long as the model's context
SECONDS = 10  # of writing; a slow layer writes less
#: Letters of a row, px of a letter, px from row to row.
ROW, STEP, HIGH = 35, 15, 86
#: Of the two maps: px of a weight, px from one map to the next, px of both with their letters.
CELL, NEXT, MAPS = 11, 270, 270
INK, FAINT, QUERY = "#1f2328", "#59636e", "#0069a6"
KEYFRAMES = """<style>g{animation:come .2s both}@keyframes come{from{opacity:0}}
@media (prefers-reduced-motion:reduce){g{animation:none}}</style>"""

Pass = Callable[[IntArray], tuple[FloatArray, FloatArray]]


class Written(NamedTuple):
    """A line that a model wrote, for each letter where it looked, and the loss on unseen text.

    `heads` are the weights of all heads on what stood there before.
    """

    line: str
    looks: list[FloatArray]
    heads: FloatArray
    nats: float


def with_layer(answer: Any) -> Pass:
    """The stored model with the reader's layer: from symbols to logits and the last weights."""
    model, layer = load_language_model(), finish_line._layer_of(answer)
    p = model.params

    def logits(tokens: IntArray) -> tuple[FloatArray, FloatArray]:
        x = p.embedding[tokens]
        n, d = x.shape
        x = x + sinusoidal_encoding(n, d).astype(x.dtype)
        weights: FloatArray = np.empty(0)
        for each in p.blocks:
            a = each.attention
            matrices = (a.w_query, a.w_key, a.w_value, a.w_output)
            normed = layer_norm(x, *each.norm_1)
            moved, weights = layer(normed, matrices, model.n_heads, causal_mask(n))
            x = x + moved.astype(x.dtype)
            x = x + feed_forward(layer_norm(x, *each.norm_2), each.feed_forward)
        return layer_norm(x, *p.norm) @ p.w_output, weights

    return logits


def the_books() -> Pass:
    """The stored model as it is."""
    model = load_language_model()

    def logits(tokens: IntArray) -> tuple[FloatArray, FloatArray]:
        found, weights = run(tokens, model.params, model.n_heads)
        return found, weights[-1]

    return logits


def write(logits: Pass) -> Written:
    """Let a model write a line, and measure its loss in nats a letter."""
    alphabet, _, _, context = load_language_model()
    rng, text, end = np.random.default_rng(SEED), PROMPT, time.monotonic() + SECONDS
    looks: list[FloatArray] = []
    heads: FloatArray = np.empty(0)
    with np.errstate(all="ignore"):
        while len(looks) < LETTERS and time.monotonic() < end:
            found, weights = logits(encode_text(text[-context:], alphabet))
            chances = softmax(found[-1].astype(np.float64), temperature=TEMPERATURE)
            if not np.isfinite(chances).all():
                raise finish_line.NotALayerError("its outputs are not finite")
            text += alphabet[rng.choice(len(alphabet), p=chances / chances.sum())]
            looks.append(weights[:, -1].mean(axis=0))
            heads = heads if heads.size else weights
        unseen = encode_text(load_wonderland()[1][: WINDOWS * context + 1], alphabet)
        lost = []
        for start in range(0, WINDOWS * context, context):
            shown = unseen[start : start + context + 1]
            chances = softmax(logits(shown[:-1])[0].astype(np.float64))
            lost.append(-np.log(chances[np.arange(context), shown[1:]] + 1e-300))
    return Written(text[len(PROMPT) :].replace("\n", " "), looks, heads, float(np.mean(lost)))


class Work:
    """What a layer wrote, beside what the book's wrote."""

    def __init__(self, mine: Written, book: Written, *, is_right: bool) -> None:
        self.mine, self.book, self.is_right = mine, book, is_right

    @property
    def said(self) -> str:
        """How the two compare, in a sentence."""
        cost = self.mine.nats - self.book.nats
        if self.is_right and self.mine.line == self.book.line:
            return "Letter for letter what the book’s layer writes: yours is a layer of a model."
        if abs(cost) < 0.005:
            return "On the whole text it is as good as the book’s."
        return (
            f"Per letter your layer loses {cost:.2f} nats more than the book’s: the slip’s price."
        )

    def __repr__(self) -> str:
        rows = (("your layer", self.mine), ("the book's", self.book))
        lines = [f"{name:11}{each.nats:5.2f} nats  {PROMPT}{each.line}" for name, each in rows]
        return "\n".join([*lines, self.said])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{name}</th><td><i>{escape(PROMPT)}</i>{escape(each.line)}</td>"
            f"<td>{each.nats:.2f}</td></tr>"
            for name, each in (("Your layer", self.mine), ("The book’s", self.book))
        )
        data = base64.b64encode(self.picture().encode()).decode()
        told = "The line that your layer wrote; from each letter, arcs to where it looked."
        if self.is_right:
            told += " Below, the weights of two of its heads as maps."
        keep = (
            f'<p><a download="my-attention-layer.svg" href="data:image/svg+xml;base64,{data}">'
            "Keep the card</a></p>"
        )
        return (
            f"<table><tr><th></th><th>writes</th><th>nats a letter</th></tr>{rows}</table>"
            f"<p>{self.said}</p>"
            f'<p><img alt="{told}" src="data:image/svg+xml;base64,{data}"></p>'
            f"{keep if self.is_right else ''}"
        )

    def picture(self) -> str:
        """The line as a picture that writes itself: with a right layer, a card to keep."""
        text = PROMPT + self.mine.line
        top = 62 if self.is_right else 26
        below = top + HIGH * -(-len(text) // ROW)
        height = below + (4 + MAPS if self.is_right else -20)
        width = ROW * STEP + 40
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="monospace" font-size="17">',
            f'{KEYFRAMES}<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" '
            'fill="#fff" stroke="#d5d9de"/>',
        ]
        if self.is_right:
            today = datetime.datetime.now().astimezone()
            head = 'font-family="sans-serif" font-size="16"'
            parts.append(
                f'<text x="20" y="30" {head} font-weight="bold" fill="{INK}">I wrote this layer'
                f'</text><text x="{width - 20}" y="30" {head} fill="{FAINT}" text-anchor="end">'
                f"{today.day} {today:%B %Y}</text>"
                f'<text x="20" y="{height - 16}" {head} fill="{FAINT}">Masked multi-head attention '
                "at work in a model that writes</text>"
            )
            parts += self.maps(below)
        first = len(PROMPT)
        for i, letter in enumerate(text):
            x, y = 20 + STEP * (i % ROW) + STEP / 2, top + HIGH * (i // ROW)
            mark = f'<text x="{x}" y="{y}" text-anchor="middle" fill="{{}}">{escape(letter)}</text>'
            if i < first:
                parts.append(mark.format(FAINT))
                continue
            look = self.mine.looks[i - first]
            arcs = [mark.format(INK)]
            for j, weight in enumerate(look):
                at = i - len(look) + j
                if weight > 0.06 and at // ROW == i // ROW:
                    back = STEP * (i - at)
                    arcs.append(
                        f'<path d="M{x} {y + 6}q{-back / 2} {min(0.3 * back + 8, 110)} {-back} 0" '
                        f'fill="none" stroke="{QUERY}" stroke-opacity=".7" '
                        f'stroke-width="{5 * weight:.1f}"/>'
                    )
            parts.append(
                f'<g style="animation-delay:{0.07 * (i - first):.2f}s">{"".join(arcs)}</g>'
            )
        return "".join([*parts, "</svg>"])

    def maps(self, top: int) -> list[str]:
        """The weights of the two heads that differ most, on the given letters, row by row."""
        heads = self.mine.heads
        apart = np.abs(heads[:, None] - heads).sum(axis=(-2, -1))
        parts = [f'<g font-size="10" fill="{INK}" text-anchor="middle">']
        for nth, head in enumerate(sorted(map(int, np.unravel_index(apart.argmax(), apart.shape)))):
            left = 36 + nth * NEXT
            for i, letter in enumerate(PROMPT):
                at = CELL * i + CELL / 2
                parts += [
                    f'<text x="{left + at}" y="{top - 4}">{escape(letter)}</text>',
                    f'<text x="{left - 8}" y="{top + at + 4}">{escape(letter)}</text>',
                ]
            parts += [
                f'<rect x="{left + CELL * j}" y="{top + CELL * i}" width="{CELL}" height="{CELL}" '
                f'fill-opacity="{heads[head, i, j]:.2f}"/>'
                for i, j in zip(*np.nonzero(heads[head] > 0.005), strict=True)
            ]
            name = f"Head {head}: a row for each letter that asks"
            parts.append(f'<text x="{left + 110}" y="{top + 234}">{name}</text>')
        return [*parts, "</g>"]


def at_work(answer: Any) -> Work | None:
    """Let the reader's layer write; None where none can: `check` says why."""
    if not callable(answer):
        return None
    try:
        mine = write(with_layer(answer))
    except finish_line.NotALayerError:
        return None
    return Work(mine, write(the_books()), is_right=finish_line._finish_line(answer) is None)
