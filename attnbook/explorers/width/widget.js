// WidthExplorer: random scores at any width, divided by 1, by the root of the width, by the width.

import { argsortDown, dot, softmax } from "../core/compute.js";
import { button, slider } from "../core/controls.js";
import { GUTTER, INSET, following, pathOf, px, weightBar } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed, short, weightText } from "../core/format.js";
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

const TOP = 20; // px of the heads
const [ROW, BAR] = [80, 54]; // px of a row of weights, and of the weight 1
const HIGH = TOP + 3 * ROW + 14;
/** @type {[number, string][]} */
const UNIT = [
  [0, "0"],
  [1 / KEYS, ".1"],
  [1, "1"],
];
const KINDS = ["", "strong", ""]; // the scaled scores stand out
const TELL = ["too sure", "steady", "too even"]; // at the right end of the curves

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const means = rowsOf(view.read().means, WIDTHS.length);
  const named = (of) =>
    ["", " ÷ √", " ÷ "].map((by) => [of("q"), " · ", of("k"), by, by && of("d", "")]);
  const names = named(drawnLetter);

  function rows(width, d, scores, weights, first) {
    const left = width > 360 ? 112 : 92;
    const pitch = (width - left) / KEYS;
    const [low, high] = [Math.min(...scores), Math.max(...scores)];
    return html`<svg class="weights" width=${width} height=${HIGH} viewBox="0 0 ${width} ${HIGH}" role="img" data-high=${BAR}
      aria-label="The weights of ten random keys, three times: of scores as they are, divided by the root of the width, by the width.">
      <text class="dim" y="12">scores</text><text class="dim" x=${left} y="12">weights of ten random keys</text>
      ${view.glide("weights", weights).map((row, i) => {
        const floor = TOP + ROW * (i + 1) - 8;
        const [from, to] = [low, high].map((end) =>
          short(Number((end / divisorsOf(d)[i]).toPrecision(2))),
        );
        return svg`<g class=${KINDS[i]}>${KINDS[i] && svg`<rect class="room" x="-8" y=${floor - ROW + 10} width=${width + 8} height=${ROW} rx="4"/>`}
          <text class="strong" y=${floor - 26}>${names[i]}</text>
          <text class="dim" y=${floor - 9}>${from} to ${to}</text>
          ${row.map((w, j) => svg`<rect class="weight ${j === first ? "first" : ""}" x=${px(left + pitch * (j + 0.16))} width=${px(0.68 * pitch)} y=${px(floor - BAR * w)} height=${(BAR * w).toFixed(2)}/>`)}
          <path class="hair" d="M${left} ${floor}H${width}"/>
          <text class="strong" text-anchor="middle" x=${px(left + pitch * (first + 0.5))} y=${px(floor - BAR * row[first] - 4)}>${weightText(weights[i][first]).replace("0.", ".")}</text></g>`;
      })}
      ${scores.map((_, j) => svg`<text class="dim" text-anchor="middle" x=${px(left + pitch * (j + 0.5))} y=${HIGH - 4}>${j}</text>`)}
      <text class="dim" text-anchor="end" x=${left - 4} y=${HIGH - 4}>key</text>
    </svg>`;
  }

  function chart(width, d, weights) {
    const right = width - 70;
    const range = [GUTTER + INSET, right - INSET];
    const x = scaleLinear({ domain: [0, WIDTHS.length - 1], range });
    const [top, high] = [44, 3 * ROW - 56];
    const y = scaleLinear({ domain: [0, 1], range: [top + high, top] });
    const power = WIDTHS.indexOf(d);
    const [shown, place] = view.glide("here", [weights.map((row) => Math.max(...row)), power]);
    const hand = following(view, (event) => ({
      width: WIDTHS[Math.round(x.invert(pointer(event)[0]))],
    }));
    const isLeft = power < 7;
    return html`<div class="spread" style="width: ${width}px"><svg class="chart" height=${top + high + 8} viewBox="0 0 ${width} ${top + high + 8}" role="img"
      aria-label="The largest weight against the width, on average and now."
      @pointerdown=${hand.down} @pointermove=${hand.move} @click=${hand.click} @pointerleave=${view.unlook}>
      <rect class="ground" width=${right} height=${top + high + 8}/>
      ${axisY(y, UNIT, right)}
      <text class="dim" x=${GUTTER} y="12">largest of the ten weights</text>
      ${means.map(
        (
          row,
          i,
        ) => svg`<path class="mean ${KINDS[i]}" d=${pathOf(row.map((w, p) => [x(p), y(w)]))}/>
        <text x=${right + 6} y=${px(y(row.at(-1)) + 4)}>${names[i]}</text>
        <text class=${KINDS[i] || "dim"} x=${right + 6} y=${px(y(row.at(-1)) + 20)}>${TELL[i]}</text>`,
      )}
      <path class="cursor" d="M${px(x(place))} ${top - 6}V${top + high + 8}"/>
      <text class="now" text-anchor=${isLeft ? "start" : "end"} x=${px(x(place) + (isLeft ? -4 : 4))} y=${top - 10}>${drawnLetter("d", "")} = ${d}<tspan class="verb" dx="10">drag ↔</tspan></text>
      ${shown.map((w, i) => svg`<circle class="here ${KINDS[i]}" r="5.5" cx=${px(x(place))} cy=${px(y(w))}/>`)}
      </svg><div style="margin: 0 70px 0 ${GUTTER}px">${slider(view, {
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
      ${named(letter).map((name, i) => html`<th scope="col">${name}${i > 0 ? html` = ${number(divisorsOf(d)[i], short(divisorsOf(d)[i]))}` : ""}</th>`)}</tr></thead>
    <tbody>${scores.map(
      (
        score,
        j,
      ) => html`<tr class=${j === first ? "top-row" : ""}><th scope="row">${j}</th><td class="score">${number(score, fixed(score, 1))}</td>
      ${weights.map((row) => html`<td><div class="part">${weightBar(row[j], KEYS)}${number(row[j], weightText(row[j]))}</div></td>`)}</tr>`,
    )}</tbody></table>`;

  return ({ width: d, draw }) => {
    const { scores, weights } = drawn(draw, d);
    const first = argsortDown(scores)[0];
    const [all, some, few] = weights.map((row) => number(row[first], fixed(row[first])));
    const isWide = view.width > 600;
    const left = isWide ? Math.round(0.52 * view.width) : view.width;
    return {
      headline: html`Key ${first} takes ${all} at width ${letter("d", "")} = ${number(d, String(d))}; <b>÷ √${letter("d", "")} it takes ${some}</b>, ÷ ${letter("d", "")} ${few}.`,
      picture: html`<div class="two-of">${rows(left, d, scores, weights, first)}${chart(isWide ? view.width - left - 16 : view.width, d, weights)}</div>
        <p class="small">Lines: the mean of 500 draws. Dots: draw ${draw}.</p>`,
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
