// WidthExplorer: random scores at any width, divided by 1, by the root of the width, by the width.

import { argsortDown, dot, softmax } from "../core/compute.js";
import { button, slider } from "../core/controls.js";
import { GUTTER, INSET, dragging, pathOf, px, weightBar } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed, short, weightText } from "../core/format.js";
import { spread } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { axisY, pointer, scaleLinear } from "../core/plot.js";
import { drawnLetter, letter, number } from "../core/text.js";
import { oneOf, rowsOf } from "../core/traits.js";

// == compute ==================================================================================

const KEYS = 10;
const WIDTHS = Array.from({ length: 11 }, (_, power) => 2 ** power);
const LAST_DRAW = 9999;
const VARIANCE = 21845; // of a component

// A number as one that looks random: the finalizer of MurmurHash3.
function mixed(x) {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

// A random component as an integer: the sum of four random bytes, less its mean. SplitMix mixes
// equal steps from a start.
function component(start, step) {
  const bits = mixed((start + Math.imul(step, 0x9e3779b9)) >>> 0);
  return (bits & 255) + ((bits >>> 8) & 255) + ((bits >>> 16) & 255) + (bits >>> 24) - 510;
}

// The dot products of a random query with random keys; sums of integers, so they are exact.
function scoresOf(draw, width) {
  const [start, most] = [mixed(draw), WIDTHS.at(-1)];
  const vectors = Array.from({ length: 1 + KEYS }, (_, v) =>
    Array.from({ length: width }, (_, c) => component(start, v * most + c + 1)),
  );
  return vectors.slice(1).map((key) => dot(vectors[0], key) / VARIANCE);
}

const divisorsOf = (width) => [1, Math.sqrt(width), width];

// The scores, and the weights for each divisor.
export function drawn(draw, width) {
  const scores = scoresOf(draw, width);
  return { scores, weights: divisorsOf(width).map((divisor) => softmax(scores, divisor)) };
}

// == page =====================================================================================

const ROW = 76; // px of a number line
const CHART = 3 * ROW; // and of the chart beside them
/** @type {[number, string][]} */
const UNIT = [
  [0, "0"],
  [1, "1"],
];
const KEPT = 20; // draws that stay as faint dots
const FARTHEST = 100; // score at the end of a line
const MARKS = [-100, -10, -1, 0, 1, 10, 100];

// From −1 to 1: even near 0, then by powers. So scores of all widths fit, and 1 is seen beside 60.
const along = (score) => Math.asinh(score) / Math.asinh(FARTHEST);

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const means = rowsOf(view.read().means, WIDTHS.length);
  const names = [html`as they are`, html`÷ √${letter("d", "")}`, html`÷ ${letter("d", "")}`];
  const drawnNames = [
    svg`${drawnLetter("q")} · ${drawnLetter("k")}`,
    svg`÷ √${drawnLetter("d", "")}`,
    svg`÷ ${drawnLetter("d", "")}`,
  ];
  const seen = new Map(); // the largest weights of each draw at all widths

  // The largest weight for each divisor, at each width.
  const largestOf = (draw) => {
    if (!seen.has(draw)) {
      const all = WIDTHS.map((width) => drawn(draw, width).weights.map((row) => Math.max(...row)));
      seen.set(
        draw,
        names.map((_, i) => all.map((each) => each[i])),
      );
      if (seen.size > KEPT + 1) seen.delete(seen.keys().next().value);
    }
    return seen.get(draw);
  };

  function lines(width, d, scores, weights, first) {
    const most = width > 360 ? 25 : 20; // px: the radius of a weight of 1
    const divisors = divisorsOf(d);
    const places = divisors.map((divisor) => scores.map((score) => along(score / divisor)));
    const [shownPlaces, shownWeights] = view.glide("dots", [places, weights]);
    const x = (place) => width / 2 + (width / 2 - 26) * Math.max(-1, Math.min(1, place));
    return html`<svg class="lines" width=${width} height=${3 * ROW + 16} viewBox="0 0 ${width} ${3 * ROW + 16}" role="img" data-most=${most}
      aria-label="Three number lines with ten dots at the scores, as they are, divided by the root of the width, and by the width. The area of a dot is its weight.">
      ${divisors.map((divisor, i) => {
        const y = ROW * i + 46;
        return svg`<g><path class="hair" d="M0 ${y}H${width}${MARKS.map((mark) => `M${px(x(along(mark)))} ${y - 4}v8`).join("")}"/>
          <text y=${y - 32}>${drawnNames[i]}${i > 0 ? ` = ${short(divisor)}` : ""}</text>
          ${shownPlaces[i].map((place, j) => svg`<circle class="weight" cx=${px(x(place))} cy=${y} r=${(most * Math.sqrt(shownWeights[i][j])).toFixed(2)}/>`)}
          ${shownPlaces[i].map((place) => svg`<circle class="score" cx=${px(x(place))} cy=${y} r="2"/>`)}
          <text class="strong" text-anchor="end" x=${width} y=${y - 32}>key ${first + 1}: ${weightText(weights[i][first])}</text></g>`;
      })}
      ${MARKS.map((mark) => svg`<text class="dim" text-anchor="middle" x=${px(x(along(mark)))} y=${3 * ROW + 12}>${short(mark)}</text>`)}
    </svg>`;
  }

  function chart(width, d, draw) {
    const here = largestOf(draw);
    const right = width - 44;
    const range = [GUTTER + INSET, right - INSET];
    const x = scaleLinear({ domain: [0, WIDTHS.length - 1], range });
    const [top, high] = [24, CHART - 40];
    const y = scaleLinear({ domain: [0, 1], range: [top + high, top] });
    const power = WIDTHS.indexOf(d);
    const [shown, place] = view.glide("here", [here.map((row) => row[power]), power]);
    const others = [...seen].filter(([other]) => other !== draw);
    const ends = spread(
      means.map((row) => ({ at: y(row.at(-1)), width: 16 })),
      CHART,
    );
    const set = (event) => {
      const next = WIDTHS[Math.round(x.invert(pointer(event)[0]))];
      if (next !== view.read().width) view.set({ width: next });
    };
    const hand = dragging(set, { touch: true });
    return html`<div class="spread" style="width: ${width}px"><svg class="chart" height=${CHART - 12} viewBox="0 0 ${width} ${CHART - 12}" role="img"
      aria-label="The largest of ten weights against the width, on average and for the draws so far."
      @pointerdown=${hand.down} @pointermove=${hand.move} @click=${hand.click}>
      <rect class="ground" width=${right} height=${CHART - 12}/>
      ${axisY(y, UNIT, right)}
      <path class="uniform" d="M${GUTTER} ${px(y(1 / KEYS))}H${right}"/><text class="dim" text-anchor="end" x=${GUTTER - 6} y=${px(y(1 / KEYS) + 4)}>.1</text>
      <text class="dim" x=${GUTTER} y="12">largest weight</text>
      <path class="others" d=${others.flatMap(([, rows]) => rows.flatMap((row, i) => row.map((w, p) => `M${px(x(p) + 4 * (i - 1))} ${px(y(w))}h0`))).join("")}/>
      ${means.map(
        (row, i) => svg`<path class="mean" d=${pathOf(row.map((w, p) => [x(p), y(w)]))}/>
        <path class="mean at" d=${row.map((w, p) => `M${px(x(p))} ${px(y(w))}h0`).join("")}/>
        <text x=${right + 6} y=${px(ends[i].middle + 4)}>${drawnNames[i]}</text>`,
      )}
      <path class="cursor" d="M${px(x(place))} ${top - 4}V${top + high}"/>
      ${shown.map((w) => svg`<circle class="here" r="5.5" cx=${px(x(place))} cy=${px(y(w))}/>`)}
      </svg><div style="margin: 0 44px 0 ${GUTTER}px">${slider(view, {
        key: "width",
        label: html`Width ${letter("d", "")}: components of ${letter("q")}, ${letter("k")}`,
        min: 0,
        max: WIDTHS.length - 1,
        value: power,
        text: String(d),
        say: `width ${d}`,
        onInput: (to) => view.set({ width: WIDTHS[to] }),
      })}</div>
      <svg height="14" viewBox="0 0 ${width} 14" aria-hidden="true">${WIDTHS.map((each, p) =>
        p % 2
          ? nothing
          : svg`<text class="dim" text-anchor="middle" x=${px(x(p))} y="10">${each}</text>`,
      )}</svg></div>`;
  }

  const table = (scores, weights, first, d) => html`<table aria-label="Weights of ten random keys">
    <colgroup><col class="name"><col class="score"><col><col><col></colgroup>
    <thead><tr><th scope="col">key ${letter("k")}</th><th scope="col" class="score">${letter("q")} · ${letter("k")}</th>
      ${names.map((name, i) => html`<th scope="col">${name}${i > 0 ? html` = ${number(divisorsOf(d)[i], short(divisorsOf(d)[i]))}` : ""}</th>`)}</tr></thead>
    <tbody>${scores.map(
      (
        score,
        j,
      ) => html`<tr class=${j === first ? "top-row" : ""}><th scope="row">${j + 1}</th><td class="score">${number(score, fixed(score, 1))}</td>
      ${weights.map((row) => html`<td><div class="part">${weightBar(row[j], KEYS)}${number(row[j], weightText(row[j]))}</div></td>`)}</tr>`,
    )}</tbody></table>`;

  return ({ width: d, draw }) => {
    const { scores, weights } = drawn(draw, d);
    const first = argsortDown(scores)[0];
    const [all, some, few] = weights.map((row) => number(row[first], fixed(row[first])));
    const isWide = view.width > 600;
    const left = isWide ? Math.round(0.52 * view.width) : view.width;
    return {
      headline: html`At width ${letter("d", "")} = ${number(d, String(d))} <b>key ${first + 1} takes ${all}</b>; divided by √${letter("d", "")}, ${some}; by ${letter("d", "")}, ${few}.`,
      picture: html`<div class="two-of">${lines(left, d, scores, weights, first)}${chart(isWide ? view.width - left - 16 : view.width, d, draw)}</div>
        <p class="small">Draw ${draw}. A dot is a key at its score, its area the weight.
          Curves: the mean of 500 draws; <span class="k">●</span> this draw, <span class="k faint">●</span> draws before.</p>`,
      controls: html`<div class="again">${button("New draw", () => view.set({ draw: (view.read().draw % LAST_DRAW) + 1 }))}</div>`,
      numbers: table(scores, weights, first, d),
      folded: "The numbers",
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = { width: oneOf("d", () => WIDTHS) };

export default explorer("width", "Width explorer", build, {
  traits,
});
