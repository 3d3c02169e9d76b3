// WordOrderExplorer: words to put in another order, and the output of each.

import { dot, softmax } from "../core/compute.js";
import { choice, tick } from "../core/controls.js";
import { explorer } from "../core/explorer.js";
import { capital, countWord, fixed } from "../core/format.js";
import { html } from "../core/lit.js";
import { frequency } from "../core/positions.js";
import { letter, number } from "../core/text.js";
import { rowsOf } from "../core/traits.js";

// == compute ==================================================================================

const BASE = 10000; // of the encoding

// The encoding of a position.
const encodingOf = (position, dim) =>
  Array.from({ length: dim }, (_, column) =>
    (column % 2 ? Math.cos : Math.sin)(position * frequency(column, { dim, base: BASE })),
  );

// A row times a matrix.
const times = (row, matrix) =>
  matrix[0].map((_, c) =>
    dot(
      row,
      matrix.map((line) => line[c]),
    ),
  );

// What a layer of self-attention makes of each word, in the order in which `x` has them; `order` has
// the word at each place.
export function outputsOf(x, projections, order, { has_positions, is_causal }) {
  const dim = x[0].length;
  const given = order.map((word, place) => {
    const p = has_positions ? encodingOf(place, dim) : null;
    return x[word].map((item, c) => item + (p ? p[c] : 0));
  });
  const [q, k, v] = projections.map((matrix) => given.map((row) => times(row, matrix)));
  const read = q.map((query, i) => {
    const scores = k.map((key) => dot(query, key) / Math.sqrt(dim));
    return times(softmax(scores, 1, is_causal ? k.map((_, j) => j <= i) : undefined), v);
  });
  return x.map((_, word) => read[order.indexOf(word)]);
}

// The largest difference.
const gap = (a, b) => Math.max(...a.map((item, c) => Math.abs(item - b[c])));

// A word taken out and put in at another place.
export const placed = (order, word, place) =>
  order.filter((other) => other !== word).toSpliced(place, 0, word);

// == page =====================================================================================

const LEAST = 5e-4; // a gap that shows in three decimals

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { words, x: flat, projections: cells } = view.read();
  const n = words.length;
  const first = words.map((_, i) => i);
  const dim = flat.length / n;
  const x = rowsOf(flat, dim);
  const projections = rowsOf(cells, dim * dim).map((matrix) => rowsOf(matrix, dim));
  const all = [first, [...first].reverse()].flatMap((order) =>
    [false, true].flatMap((has_positions) =>
      outputsOf(x, projections, order, { has_positions, is_causal: false }),
    ),
  );
  const most = 1.15 * Math.max(1e-9, ...all.flat().map(Math.abs)); // the end of the scale
  const end = (item) => 50 * Math.max(-1, Math.min(1, item / most));

  const move = (word, place) => {
    const { order } = view.read();
    const to = Math.max(0, Math.min(n - 1, place));
    if (order.indexOf(word) !== to) view.set({ order: placed(order, word, to) });
  };
  const under = ({ clientX, currentTarget }) => {
    const { left, width } = currentTarget.closest(".board").getBoundingClientRect();
    return Math.floor(((clientX - left) / width) * n);
  };
  // Who cannot drag presses a word, and then a place.
  const press = (event) => {
    /** @type {HTMLElement | null} */
    const chip = view.root.querySelector(".chip:focus");
    if (!chip || event.button !== 0 || event.target.closest(".chip")) return;
    event.preventDefault();
    move(Number(chip.dataset.word), under(event));
  };
  const down = (event) => {
    if (event.button !== 0) return;
    event.preventDefault(); // of selecting text; the focus comes by hand
    event.currentTarget.focus({ preventScroll: true });
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const drag = (word) => (event) =>
    event.currentTarget.hasPointerCapture(event.pointerId) && move(word, under(event));
  const key = (word, place) => (event) => {
    const to = {
      ArrowLeft: place - 1,
      ArrowDown: place - 1,
      ArrowRight: place + 1,
      ArrowUp: place + 1,
      Home: 0,
      End: n - 1,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.shiftKey || event.metaKey)
      return;
    event.preventDefault();
    move(word, to);
  };

  // A bar that changes flashes: one of two names of the same animation, in turn.
  let shown = null;
  const flashes = x.map((row) => row.map(() => 0));
  function flash(outputs) {
    outputs.forEach((row, i) =>
      row.forEach((item, c) => {
        if (shown && Math.abs(item - shown[i][c]) >= LEAST) flashes[i][c] = 1 + (flashes[i][c] % 2);
      }),
    );
    shown = outputs;
  }

  // A word to take hold of, and its output below it.
  const column = (
    i,
    place,
    output,
    away,
    bars,
    marks,
  ) => html`<div class="column" style="translate: ${100 * place}%; --place: ${place}">
    <div class="chip" role="slider" tabindex="0" aria-label="place of ${words[i]}" aria-valuemin="0" aria-valuemax=${n - 1}
      aria-valuenow=${place} aria-valuetext="place ${place}, its output ${
        away < LEAST ? "as in the first order" : `has moved by ${fixed(away)}`
      }: ${output.map((item) => fixed(item, 2)).join(", ")}"
      data-word=${i} @keydown=${key(i, place)} @pointerdown=${down} @pointermove=${drag(i)}><span class="wraps">${words[i]}</span></div>
    <div class="bars" aria-hidden="true">${bars.map(
      (item, c) => html`<span class="track">
      <span class="fill flash${flashes[i][c]}" style="left: ${(50 + Math.min(0, end(item))).toFixed(2)}%; width: ${Math.abs(end(item)).toFixed(2)}%"></span>
      <span class="mark" style="left: ${(50 + end(marks[c])).toFixed(2)}%"></span></span>`,
    )}</div>
    <span class="gap ${away < LEAST ? "" : "changed"}" aria-hidden="true">${number(away, away < LEAST ? "0" : fixed(away, 2))}</span></div>`;

  return (now) => {
    const { order, has_positions, is_causal } = now;
    const before = outputsOf(x, projections, first, now);
    const after = outputsOf(x, projections, order, now);
    const gaps = after.map((row, i) => gap(row, before[i]));
    flash(after);
    const [bars, marks] = view.glide("bars", [after, before]);
    const moved = first.filter((place) => order[place] !== place).length;
    const changed = gaps.filter((each) => each >= LEAST).length;
    const largest = Math.max(...gaps);
    const far = number(largest, fixed(largest));
    return {
      headline:
        moved === 0
          ? "Drag a word to another place. Which outputs will notice?"
          : changed === 0
            ? html`${capital(countWord(moved))} words moved, and <b class="o">no output</b> changed: largest gap ${far}.`
            : html`${capital(countWord(changed))} of ${countWord(n)} <b class="o">outputs</b> changed: largest gap ${far} at ${words[gaps.indexOf(largest)]}.`,
      picture: html`<div class="added">${choice(view, {
        key: "p",
        legend: "Added to each word",
        options: ["nothing", "its position"],
        index: has_positions ? 1 : 0,
        onInput: (i) => view.set({ has_positions: i === 1 }),
        previewed: (i) => ({ has_positions: i === 1 }),
      })}</div><div class="sheet ${moved === 0 ? "" : "compared"}" style="--n: ${n}; --bars: ${dim}">
          <div class="labels" aria-hidden="true"><span class="verb">drag ↔</span>
            <div class="bars">${marks[0].map((_, c) => html`<span class="track"><span>${letter("o")}<sub>${c}</sub></span></span>`)}</div><span class="gap">gap</span></div>
          <div class="board" @mousedown=${press}>${words.map((_, i) => column(i, order.indexOf(i), after[i], gaps[i], bars[i], marks[i]))}</div></div>
        <p class="small">Below each word the ${countWord(dim)} numbers of its output ${letter("o")}, as bars from 0.${moved === 0 ? "" : " Lines: where they ended in the first order."}</p>`,
      more: tick("causal mask", is_causal, (checked) => view.set({ is_causal: checked })),
    };
  };
};

export default explorer("order", "Words in another order", build);
