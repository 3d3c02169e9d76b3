// PositionalEncodingExplorer: the rows of an encoding, a clock over each pair of its columns.

import { slider } from "../core/controls.js";
import { dragging, pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed, listed, short } from "../core/format.js";
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

const FAR = 8; // the offset that the headline names beside 1
const [LEFT, GAP] = [28, 24]; // px: for the numbers of positions, and before the curve
const HEAD = 18; // above the clocks
const LARGEST = 64; // across a clock
const FOOT = 20;

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
    const key = String([facts.length, facts.dim, facts.base]);
    if (key === painted) return;
    painted = key;
    lowest = Math.min(-0.25, ...similarityTo(facts, 0));
    Object.assign(canvas, { width: facts.dim, height: facts.length });
    const image = new ImageData(facts.dim, facts.length);
    encodingMatrix(facts).forEach((x, i) => image.data.set(shade(x), 4 * i));
    canvas.getContext("2d").putImageData(image, 0, 0);
  }

  function layout({ dim }) {
    const isNarrow = view.width <= 600;
    const curve = isNarrow ? 56 : 130;
    const wide = view.width - LEFT - GAP - curve - 8;
    const pairs = pairsWithClock(dim / 2, wide);
    const clock = Math.min(LARGEST, (0.92 * wide * (pairs[1] ?? 1)) / (dim / 2));
    return { wide, pairs, clock, top: HEAD + clock + 8, height: isNarrow ? 220 : 300, curve };
  }

  const under = (event) => {
    const now = view.read();
    const { top, height } = layout(now);
    const row = Math.floor(((pointer(event)[1] - top) / height) * now.length);
    return { position: Math.max(0, Math.min(now.length - 1, row)) };
  };
  const hand = dragging((event) => view.set(under(event)));
  const down = (event) => {
    back.leave();
    hand.down(event);
  };
  const hover = (event) => {
    hand.move(event);
    if (event.pointerType === "mouse" && !event.buttons && !player.isOn) view.preview(under(event));
  };

  function board(facts, place, ghost) {
    const { length: n, dim, position: here } = facts;
    const { wide, pairs, clock, top, height, curve } = layout(facts);
    const [right, end] = [LEFT + wide, top + height];
    const y = (i) => top + ((i + 0.5) * height) / n;
    const column = wide / dim;
    canvas.style.cssText = `left: ${LEFT}px; top: ${px(top)}px; width: ${px(wide)}px; height: ${height}px`;
    const say = (x, at, text, anchor = "start", role = "dim") =>
      svg`<text class=${role} x=${px(x)} y=${px(at)} text-anchor=${anchor}>${text}</text>`;

    const radius = clock / 2 - 1;
    const tip = (r, p) => [radius * entry(2 * r, p, facts), -radius * entry(2 * r + 1, p, facts)];
    const clocks = pairs.map((r) => {
      const arm = (role, p) => svg`<path class=${role} d=${pathOf([[0, 0], tip(r, p)])}></path>`;
      return svg`<g transform="translate(${px(LEFT + (2 * r + 1) * column)} ${px(HEAD + clock / 2)})">
        <circle class="ring" r=${px(radius)}></circle>${ghost === null ? nothing : arm("ghost", ghost)}${arm("arm", place)}</g>`;
    });
    const turns = [0, dim - 2].map((c) => (2 * Math.PI) / frequency(c, facts));

    const start = right + GAP;
    const x = (value) => start + (curve * (value - lowest)) / (1 - lowest);
    const places = [...Array.from({ length: n }, (_, i) => i), place].sort((a, b) => a - b);
    const marks = [...new Set([0, n >> 2, n >> 1, (3 * n) >> 2, n - 1])];
    const isFar = (i, other) => other === null || Math.abs(y(i) - y(other)) > 13;
    const met = ghost === null ? 0 : likeness(ghost - place, facts);
    const dot = (role, value, i) =>
      svg`<circle class=${role} r="4" cx=${px(x(value))} cy=${px(y(i))}></circle>`;
    const angles = pairs.map((r) => {
      const [right, down] = tip(r, here);
      return `${fixed(((Math.atan2(right, -down) * 180) / Math.PI + 360) % 360, 0)}°`;
    });
    const across = `M${LEFT} ${px(y(place))}H${px(x(1))}`;
    return html`<div class="board" style="height: ${px(end + FOOT)}px">${canvas}
      <svg height=${px(end + FOOT)} viewBox="0 0 ${view.width} ${px(end + FOOT)}" role="img" aria-label="The encoding of ${n} positions in ${dim} columns,
        and how alike each row is to that of position ${here}. The hands of the clocks stand at ${listed(angles)} from the top."
        @pointerdown=${down} @pointermove=${hover} @pointerleave=${view.unlook} @click=${hand.click}>
        <rect class="ground" width=${view.width} height=${px(end + FOOT)}></rect>${clocks}
        ${say(LEFT, 10, `${lengthText(turns[0])} steps a turn`)}
        ${dim > 2 ? say(right, 10, lengthText(turns[1]), "end") : nothing}
        ${marks.filter((i) => isFar(i, here) && isFar(i, ghost)).map((i) => say(LEFT - 6, y(i) + 4, i, "end"))}
        ${say(LEFT - 6, y(here) + 4, here, "end", "strong")}
        ${say(LEFT, end + 15, "column 0")}${say(right, end + 15, dim - 1, "end")}
        ${say(start, top - 6, "similarity", "start", "")}
        <path class="hair" d="M${px(x(0))} ${px(top)}V${end}M${px(x(1))} ${px(top)}V${end}"></path>
        ${say(x(0), end + 15, 0, "middle")}${say(x(1), end + 15, 1, "middle")}
        <path class="curve" d=${pathOf(places.map((i) => [x(likeness(i - place, facts)), y(i)]))}></path>
        ${
          ghost === null
            ? nothing
            : svg`<path class="ghost" d="M${LEFT} ${px(y(ghost))}H${px(x(met))}"></path>${dot("dot ghostly", met, ghost)}
              ${isFar(ghost, here) ? say(LEFT - 6, y(ghost) + 4, ghost, "end") : nothing}`
        }
        <path class="now under" d=${across}></path><path class="now" d=${across}></path>${dot("dot", 1, place)}
        ${say(LEFT + wide / 2, y(place) + (here > n / 2 ? -8 : 16), "press a row", "middle", "verb halo")}</svg></div>`;
  }

  return (now) => {
    const facts = { ...now, position: Math.min(now.position, now.length - 1) };
    const { length, dim, base, position } = facts;
    paint(facts);
    const place = Math.min(view.glide("place", position), length - 1);
    const before = back.to(facts)?.[0] ?? length;
    const ghost = before < length ? before : null;
    const told = (k) => number(likeness(k, facts), fixed(likeness(k, facts)));
    const far = Math.min(FAR, length - 1);
    return {
      headline:
        ghost === null
          ? html`Position ${position}: one step away the similarity is <b>${told(1)}</b>${far > 1 ? html`, ${far} steps away ${told(far)}` : nothing}.`
          : html`Position ${position}: similarity <b>${told(position - ghost)}</b> with position ${ghost}.`,
      picture: html`${board(facts, place, ghost)}
        <p class="small">A row is the encoding of one position: red is 1, blue −1. Each clock reads the two columns below it: the sine to the right, the cosine up.</p>`,
      controls: slider(view, {
        key: "position",
        label: "Position",
        value: position,
        max: length - 1,
        onInput: (to) => view.set({ position: to }),
      }),
      more: html`
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
