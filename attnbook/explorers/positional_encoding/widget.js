// PositionalEncodingExplorer: the rows of an encoding, a clock over each pair of its columns.

import { slider, tick } from "../core/controls.js";
import { dragging, pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { countWord, fixed, listed, short } from "../core/format.js";
import { html, nothing, svg } from "../core/lit.js";
import { pointer } from "../core/plot.js";
import { frequency, wayBack } from "../core/positions.js";
import { number } from "../core/text.js";
import { whole } from "../core/traits.js";

// == compute ==================================================================================

// What a column holds at a position, or between two.
const entry = (column, position, facts) =>
  (column % 2 ? Math.cos : Math.sin)(position * frequency(column, facts));

// A row for each position, one after the other.
export const encodingMatrix = (facts) =>
  Float64Array.from({ length: facts.length * facts.dim }, (_, at) =>
    entry(at % facts.dim, Math.floor(at / facts.dim), facts),
  );

// How alike two rows are: each pair adds the cosine of the angle between its two hands.
function likeness(offset, facts) {
  let total = 0;
  for (let c = 0; c < facts.dim; c += 2) total += Math.cos(offset * frequency(c, facts));
  return total / (facts.dim / 2);
}

// A position, or a place between two, compared with every position.
export const similarityTo = (facts, place) =>
  Array.from({ length: facts.length }, (_, i) => likeness(i - place, facts));

// The base at a place 0..50 of the slider: ten steps a decade from 10; and the nearest place.
export const baseAt = (place) => Number((10 ** (1 + place / 10)).toPrecision(2));
export const placeOf = (base) => Math.max(0, Math.min(50, Math.round(10 * (Math.log10(base) - 1))));

const SMALLEST = 24; // px across a clock

// The pairs that have a clock: all, or each second or third, for which there is room.
export function pairsWithClock(pairs, width) {
  const step = Math.ceil((SMALLEST * pairs) / width);
  return Array.from({ length: Math.ceil(pairs / step) }, (_, i) => i * step);
}

// The colour of a number from -1 to 1: so much of blue or of red on the ground.
export const shade = (x) => [...(x < 0 ? [33, 102, 172] : [192, 48, 48]), Math.abs(x) * 255];

// Steps of a turn in few characters: 6.28, 353, 35,333, 5.1e6.
export const lengthText = (x) =>
  x < 1000
    ? x.toPrecision(3)
    : x < 1e6
      ? Math.round(x).toLocaleString("en")
      : x.toExponential(1).replace("e+", "e");

// == page =====================================================================================

const FEW = 16; // columns at the start
const [LEFT, RIGHT] = [28, 8]; // px: for the numbers of positions, and after the columns
const HEAD = 18; // above the clocks
const LARGEST = 72; // across a clock
const FOOT = 20;
const CURVE = 130; // how high it is

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  let painted = "";
  let lowest = 0;
  const canvas = document.createElement("canvas");
  canvas.ariaHidden = "true";

  const back = wayBack(view, ({ position }) => [position], ".board"); // its hands are ghosts
  view.root.addEventListener("try", back.forget); // what is set up starts here
  const player = view.play({
    step: ({ position, length }) => (position < length - 1 ? { position: position + 1 } : null),
    rewind: () => ({ position: 0 }),
    // Slow while the first hand turns twice, then as fast as one sees the slow ones move.
    ms: ({ position, length }) => (position < 13 ? 320 : 6000 / length),
  });

  // A pixel for each number; the page enlarges them.
  function paint(facts) {
    const key = String([facts.length, facts.dim, facts.base, facts.all_columns]);
    if (key === painted) return;
    painted = key;
    lowest = Math.min(-0.25, ...similarityTo(facts, 0));
    const { columns } = layout(facts);
    Object.assign(canvas, { width: columns, height: facts.length });
    const image = new ImageData(facts.dim, facts.length);
    encodingMatrix(facts).forEach((x, i) => image.data.set(shade(x), 4 * i));
    canvas.getContext("2d").putImageData(image, 0, 0);
  }

  function layout({ dim, all_columns }) {
    const columns = all_columns ? dim : Math.min(dim, FEW);
    const wide = view.width - LEFT - RIGHT;
    const pairs = pairsWithClock(columns / 2, wide);
    const clock = Math.min(LARGEST, (0.92 * wide * (pairs[1] ?? 1)) / (columns / 2));
    const height = view.width <= 600 ? 220 : 300;
    return { columns, wide, pairs, clock, top: HEAD + clock + 16, height };
  }

  const under = (event) => {
    const now = view.read();
    const { top, height } = layout(now);
    const [, y] = pointer(event, view.root.querySelector(".board svg"));
    return inside(Math.floor(((y - top) / height) * now.length));
  };
  const inside = (row) => ({ position: Math.max(0, Math.min(view.read().length - 1, row)) });
  const hand = dragging((event) => view.set(under(event)));
  const down = (event) => {
    back.leave();
    hand.down(event);
  };
  // The name of the row is taken by the hand, or moved by keys.
  const take = (event) => {
    back.leave();
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const carry = (event) =>
    event.currentTarget.hasPointerCapture(event.pointerId) && view.set(under(event));
  const key = (event) => {
    const { position: at, length } = view.read();
    const to = {
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      Home: 0,
      End: length - 1,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.shiftKey || event.metaKey)
      return;
    event.preventDefault();
    back.leave();
    view.set(inside(to));
  };
  const hover = (event) => {
    hand.move(event);
    if (event.pointerType === "mouse" && !event.buttons && !player.isOn) view.preview(under(event));
  };

  const say = (x, at, text, anchor = "start", role = "dim") =>
    svg`<text class=${role} x=${px(x)} y=${px(at)} text-anchor=${anchor}>${text}</text>`;

  function board(facts, place, ghost) {
    const { length: n, dim, position: here } = facts;
    const { columns, wide, pairs, clock, top, height } = layout(facts);
    const [right, end] = [LEFT + wide, top + height];
    const y = (i) => top + ((i + 0.5) * height) / n;
    const column = wide / columns;
    canvas.style.cssText = `left: ${LEFT}px; top: ${px(top)}px; width: ${px(wide)}px; height: ${height}px`;

    const radius = clock / 2 - 1;
    const tip = (r, p) => [radius * entry(2 * r, p, facts), -radius * entry(2 * r + 1, p, facts)];
    const half = px(column - 3); // of a bracket
    const clocks = pairs.map((r, i) => {
      const arm = (role, p) => svg`<path class=${role} d=${pathOf([[0, 0], tip(r, p)])}></path>`;
      const turn = lengthText((2 * Math.PI) / frequency(2 * r, facts));
      const isTold = clock > 44 || i % 3 === 0;
      return svg`<g transform="translate(${px(LEFT + (2 * r + 1) * column)} ${px(HEAD + clock / 2)})">
        <circle class="ring" r=${px(radius)}></circle>${ghost === null ? nothing : arm("ghost", ghost)}${arm("arm", place)}
        <path class="bracket" d="M${-half} ${px(clock / 2 + 13)}v-5h${2 * half}v5"></path>
        ${isTold ? say(0, -clock / 2 - 8, i ? turn : wide > 600 ? `a turn in ${turn}` : turn, "middle") : nothing}</g>`;
    });
    const marks = [...new Set([0, n >> 2, n >> 1, (3 * n) >> 2, n - 1])];
    const isFar = (i, other) => other === null || Math.abs(y(i) - y(other)) > 13;
    const angles = pairs.map((r) => {
      const [right, down] = tip(r, here);
      return `${fixed(((Math.atan2(right, -down) * 180) / Math.PI + 360) % 360, 0)}°`;
    });
    const thick = Math.max(6, height / n + 2);
    const band = (role) =>
      svg`<rect class=${role} x=${LEFT - 2} y=${px(y(place) - thick / 2)} width=${px(wide + 4)} height=${px(thick)}></rect>`;
    return html`<div class="board" style="height: ${px(end + FOOT)}px">${canvas}
      <svg height=${px(end + FOOT)} viewBox="0 0 ${view.width} ${px(end + FOOT)}" role="img" aria-label="The encoding of ${n} positions in ${dim} columns.
        The hands of the clocks stand at ${listed(angles)} from the top."
        @pointerdown=${down} @pointermove=${hover} @pointerleave=${view.unlook} @click=${hand.click}>
        <rect class="ground" width=${view.width} height=${px(end + FOOT)}></rect>${clocks}
        ${marks.filter((i) => isFar(i, ghost)).map((i) => say(LEFT - 6, y(i) + 4, i, "end"))}
        ${say(LEFT, end + 15, "column 0")}${say(right, end + 15, columns - 1, "end")}
        ${
          ghost === null
            ? nothing
            : svg`<path class="ghost" d="M${LEFT} ${px(y(ghost))}H${right}"></path>${say(LEFT - 6, y(ghost) + 4, ghost, "end")}`
        }
        ${band("now under")}${band("now")}</svg>
      <div class="grip" role="slider" tabindex="0" aria-label="Position" aria-valuemin="0" aria-valuemax=${n - 1} aria-valuenow=${here}
        style="left: ${px(LEFT + wide / 2)}px; top: ${px(y(place) + (y(place) > (top + end) / 2 ? -29 : 5))}px"
        @keydown=${key} @pointerdown=${take} @pointermove=${carry}>position ${here} ↕</div></div>`;
  }

  // How alike the chosen row is to each.
  function curve(facts, place, ghost) {
    const { length: n, position: here } = facts;
    const [right, bottom] = [view.width - RIGHT, CURVE - 20];
    const x = (i) => LEFT + ((right - LEFT) * i) / (n - 1);
    const y = (value) => 10 + ((bottom - 10) * (1 - value)) / (1 - lowest);
    const places = [...Array.from({ length: n }, (_, i) => i), place].sort((a, b) => a - b);
    const dot = (role, i) =>
      svg`<circle class=${role} r="4" cx=${px(x(i))} cy=${px(y(likeness(i - place, facts)))}></circle>`;
    return html`<svg height=${CURVE} viewBox="0 0 ${view.width} ${CURVE}" role="img" aria-label="How alike each row is to that of position ${here}.">
      <path class="hair" d="M${LEFT} ${px(y(0))}H${right}M${LEFT} ${px(y(1))}H${right}"></path>
      ${[0, 1].map((value) => say(LEFT - 6, y(value) + 4, value, "end"))}
      <path class="curve" d=${pathOf(places.map((i) => [x(i), y(likeness(i - place, facts))]))}></path>
      ${ghost === null ? nothing : dot("dot ghostly", ghost)}${dot("dot", place)}
      ${[0, here, n - 1].filter((i, at) => at === 1 || Math.abs(x(i) - x(here)) > 24).map((i) => say(x(i), CURVE - 4, i, "middle", i === here ? "strong" : "dim"))}</svg>`;
  }

  return (now) => {
    const facts = { ...now, position: Math.min(now.position, now.length - 1) };
    const { length, dim, base, position } = facts;
    paint(facts);
    const place = Math.min(view.glide("place", position), length - 1);
    const before = back.to(facts)?.[0] ?? length;
    const ghost = before < length ? before : null;
    const told = (k) => number(likeness(k, facts), fixed(likeness(k, facts)));
    const hands = layout(facts).pairs.length;
    return {
      headline:
        ghost === null
          ? html`Position ${position} as ${hands === 1 ? "one hand" : html`${countWord(hands)} hands, fast on the left, slow on the right`}. Similarity one step away: <b>${told(1)}</b>.`
          : html`Position ${position}: similarity <b>${told(position - ghost)}</b> with position ${ghost}.`,
      picture: html`${board(facts, place, ghost)}
        <p class="small">Each row is a position: red is 1, blue −1. A hand reads its two columns: the sine to the right, the cosine up. Above it: steps for a turn.</p>`,
      numbers: curve(facts, place, ghost),
      folded: "Similarity with every position",
      more: html`${dim > FEW ? tick("all columns", facts.all_columns, (checked) => view.set({ all_columns: checked })) : nothing}
        ${slider(view, {
          key: "length",
          label: "Length",
          min: 2,
          max: 128,
          value: length,
          onInput: (to) => view.set({ length: to, position: Math.min(position, to - 1) }),
        })}
        ${slider(view, { key: "dim", label: "Dimension", min: 1, max: 64, value: dim / 2, text: String(dim), onInput: (half) => view.set({ dim: 2 * half }) })}
        ${slider(view, { key: "base", label: "Base", max: 50, value: placeOf(base), text: short(base), onInput: (to) => view.set({ base: baseAt(to) }) })}`,
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = { position: whole("at", 0, ({ length }) => length - 1) };

export default explorer("positional", "Positional encoding explorer", build, {
  traits,
});
