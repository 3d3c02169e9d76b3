// BendExplorer: the senders of a receiver, sliding along LeakyReLU(r + t).

import { argsortDown, softmax } from "../core/compute.js";
import { slider } from "../core/controls.js";
import { barHead, mayScroll, pathOf, putDown, px, weightBar } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed, short, weightText } from "../core/format.js";
import { cutTo, spread, textWidth } from "../core/labels.js";
import { html, svg } from "../core/lit.js";
import { letter, number } from "../core/text.js";

// == compute ==================================================================================

const leaky = (x, slope) => (x > 0 ? x : slope * x);

// Sums, scores and weights, and the senders from the largest sum down and from the largest score
// down; equal scores keep the order of the sums.
export function slid(parts, r, slope) {
  const sums = parts.map((t) => r + t);
  const scores = sums.map((x) => leaky(x, slope));
  const bySum = argsortDown(parts);
  const byScore = [...bySum].sort((a, b) => scores[b] - scores[a]);
  return { sums, scores, weights: softmax(scores, 1), bySum, byScore };
}

// Whether a sender with a larger sum has a smaller score.
const swaps = ({ bySum, scores }) =>
  bySum.some((j, at) => at > 0 && scores[j] > scores[bySum[at - 1]]);

// == page =====================================================================================

const [HEIGHT, TOP, BOTTOM] = [264, 44, 22]; // of the drawing, and above and below its axes
const FARTHEST = 10; // of the receiver's number from 0
const LINE = 18; // between two names at the right

const ABOUT =
  "A curve that is bent at 0. The senders are points on it; a line leads up from each " +
  "point to its name in the order of the sums, and right to its name in the order of the scores.";

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { names, sender_parts: parts } = view.read();
  const widths = names.map((name) => Math.min(96, textWidth(name)));
  const shown = names.map((name, j) => cutTo(name, widths[j]));
  const column = Math.max(...widths) + 56; // at the right: a name and its weight
  const [low, high] = [Math.min(...parts) - FARTHEST, Math.max(...parts) + FARTHEST];

  // The drops are pulled along the curve, all together: that is what the receiver does.
  let [pulled, unit] = [null, 1];
  const down = (event) => {
    if (event.button !== 0) return;
    putDown(event);
    event.currentTarget.setPointerCapture(event.pointerId);
    const { width } = event.currentTarget.ownerSVGElement.getBoundingClientRect();
    pulled = { r: view.read().receiver_part, from: event.clientX, zoom: width / view.width };
  };
  const move = (event) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || mayScroll(event)) return;
    const by = (event.clientX - pulled.from) / pulled.zoom / unit;
    const r = Math.max(-FARTHEST, Math.min(FARTHEST, Math.round(2 * (pulled.r + by)) / 2));
    if (r !== view.read().receiver_part) view.set({ receiver_part: r });
  };

  // The curve; above it the names where their sums are, at its right where their scores are.
  function curve(slope, { sums, scores, weights, bySum, byScore }) {
    const { width } = view;
    const right = width - column;
    unit = right / (high - low);
    const [least, top] = [Math.min(-3, leaky(low, slope)), Math.max(high, leaky(low, slope))];
    const x = (sum) => ((sum - low) / (high - low)) * right;
    const y = (score) =>
      HEIGHT - BOTTOM - ((score - least) / (top - least)) * (HEIGHT - BOTTOM - TOP);
    const dots = names.map((_, j) => [x(sums[j]), y(scores[j])]);
    const upward = [...bySum].reverse();
    const row = spread(
      upward.map((j) => ({ at: dots[j][0], width: widths[j] + 8 })),
      right,
    );
    const rank = spread(
      byScore.map((j) => ({ at: dots[j][1], width: LINE })),
      HEIGHT,
    );
    return html`<svg height=${HEIGHT} viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label=${ABOUT}>
      <path class="hair" d="M0 ${px(y(0))}H${right}M${px(x(0))} ${TOP}V${HEIGHT - BOTTOM}"/>
      ${upward.map((j, i) => svg`<path class="leader" d=${pathOf([[row[i].middle, 34], [dots[j][0], TOP], dots[j]])}/>`)}
      ${byScore.map((j, i) => svg`<path class="leader" d=${pathOf([dots[j], [right - 4, dots[j][1]], [right + 16, rank[i].middle]])}/>`)}
      <path class="curve" d=${pathOf([low, 0, high].map((sum) => [x(sum), y(leaky(sum, slope))]))}/>
      <circle class="corner" r="2.5" cx=${px(x(0))} cy=${px(y(0))}/>
      <text class="dim" y="12">order of r + t</text>
      <text class="dim" text-anchor="end" y="12" x=${width}>order of the scores</text>
      <text class="dim halo" y=${px(y(0) + (slope < 0 ? 14 : -6))}>r + t</text>
      ${dots.map(([cx, cy], j) => svg`<circle class="dot" cx=${px(cx)} cy=${px(cy)} r=${(5 + 6 * weights[j]).toFixed(2)}/>`)}
      ${upward.map((j, i) => svg`<text class="k" text-anchor="middle" x=${px(row[i].middle)} y="30">${shown[j]}</text>`)}
      ${byScore.map((j, i) => svg`<text class="k" x=${right + 22} y=${px(rank[i].middle + 4)}>${shown[j]} <tspan class="amount">${weightText(weights[j]).replace("0.", ".")}</tspan></text>`)}
      ${dots.map(([cx, cy]) => svg`<circle class="hit" r="14" cx=${px(cx)} cy=${px(cy)} @pointerdown=${down} @pointermove=${move}/>`)}
    </svg><p class="small">Pull a point: all slide together.</p>`;
  }

  const table = ({
    sums,
    scores,
    weights,
    bySum,
  }) => html`<table aria-label="Senders, the largest sum first">
    <colgroup><col class="name"><col class="part"><col><col><col class="bars"><col class="weight"></colgroup>
    <thead><tr><th scope="col">sender ${letter("j", "k")}</th><th scope="col">${letter("t", "k")}</th>
      <th scope="col">${letter("r", "q")} + ${letter("t", "k")}</th><th scope="col">score</th>
      <td class="barcell">${barHead(names.length)}</td><th scope="col">weight</th></tr></thead>
    <tbody>${bySum.map(
      (
        j,
      ) => html`<tr class=${weights[j] === Math.max(...weights) ? "top-row" : ""}><th scope="row">${names[j]}</th>
      <td>${number(parts[j], short(parts[j]))}</td><td>${number(sums[j], fixed(sums[j], 1))}</td>
      <td>${number(scores[j], fixed(scores[j], 2))}</td><td class="barcell">${weightBar(weights[j], names.length)}</td>
      <td>${number(weights[j], weightText(weights[j]))}</td></tr>`,
    )}</tbody></table>`;

  return ({ receiver_part: r, slope }) => {
    const now = slid(parts, r, slope);
    const { scores, weights, byScore } = now;
    const [drawnR, drawnSlope] = view.glide("curve", [r, slope]);
    const most = Math.max(...weights);
    const ranked = byScore
      .map(
        (j, i) => (i === 0 ? "" : scores[j] === scores[byScore[i - 1]] ? " = " : ", ") + names[j],
      )
      .join("");
    return {
      headline: html`With ${letter("r", "q")} = ${short(r)}: <b class="k">${ranked}</b>${
        swaps(now) ? ". Not the order of " : ". The order of "
      }${letter("t", "k")}${
        swaps(now) ? ": the curve falls." : "."
      } Most weight: ${number(most, weightText(most))}.`,
      picture: curve(drawnSlope, slid(parts, drawnR, drawnSlope)),
      controls: html`
        ${slider(view, {
          key: "r",
          label: html`Number of the receiver ${letter("r", "q")}`,
          min: -20,
          max: 20,
          value: 2 * r,
          wide: "wide",
          text: fixed(r, 1),
          say: `r ${fixed(r, 1)}`,
          onInput: (half) => view.set({ receiver_part: half / 2 }),
        })}
        ${slider(view, {
          key: "slope",
          label: "Slope below 0",
          min: -5,
          max: 10,
          value: Math.round(10 * slope),
          text: fixed(slope, 1),
          say: `slope ${fixed(slope, 1)}`,
          onInput: (tenth) => view.set({ slope: tenth / 10 }),
        })}`,
      numbers: table(now),
    };
  };
};

export default explorer("bend", "LeakyReLU explorer", build, {
  nudge: ({ receiver_part: r }) => ({ receiver_part: r > 0 ? r - 3 : r + 3 }),
});
