// TemperatureExplorer: how words share all weight at every temperature, and the mean score.

import {
  argsortDown,
  dot,
  entropy,
  sliderPosition,
  softmax,
  sum,
  temperatureAt,
  temperatureUnder,
} from "../core/compute.js";
import { choice, temperatureSlider, tick } from "../core/controls.js";
import {
  GUTTER,
  INSET,
  barHead,
  following,
  level,
  px,
  weightBar,
  wordWidth,
} from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { countWord, fixed, listed, short, weightColor, weightText } from "../core/format.js";
import { cutTo, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { pointer, scaleLinear } from "../core/plot.js";
import { drawnLetter, letter, number } from "../core/text.js";

// == compute ==================================================================================

const hardmax = (scores) => softmax(scores, 0);

// Sparsemax of `scores` at a temperature: the point of the simplex nearest to scores / T.
function sparsemax(scores, temperature) {
  if (temperature === 0 || temperature === Infinity) return softmax(scores, temperature);
  const top = Math.max(...scores);
  const scaled = scores.map((score) => (score === top ? 0 : (score - top) / temperature));
  let [total, threshold] = [0, 0];
  [...scaled]
    .sort((a, b) => b - a)
    .forEach((x, i) => {
      total += x;
      if (1 + (i + 1) * x > total) threshold = (total - 1) / (i + 1);
    });
  return scaled.map((x) => Math.max(0, x - threshold));
}

export const NORMALIZERS = { softmax, sparsemax, hardmax };
const kinds = Object.keys(NORMALIZERS);

// The scores with the second largest raised to the largest.
function tied(scores) {
  const [first, second] = argsortDown(scores);
  return scores.map((x, i) => (i === second ? scores[first] : x));
}

// Without values there is no output.
export function atTemperature(scores, values, normalizer, temperature) {
  const weights = NORMALIZERS[normalizer](scores, temperature);
  return {
    weights,
    mean: dot(weights, scores),
    entropy: entropy(weights),
    output: values.length > 0 ? dot(weights, values) : NaN,
  };
}

// The words that gain weight and then lose it, by their scores: softmax turns where the mean score,
// on its way from the largest to the mean of all, passes them.
function turningWords(scores) {
  const [low, high] = [sum(scores) / scores.length, Math.max(...scores)];
  const turning = new Map();
  for (const i of argsortDown(scores)) {
    const score = scores[i];
    if (score > low && score < high) turning.set(score, [...(turning.get(score) ?? []), i]);
  }
  return turning;
}

// Where shares that lie upon each other begin and end, from 0 to 1.
function edgesOf(weights) {
  let total = 0;
  return [0, ...weights.map((w) => (total += w))];
}

// A weight; one that is exactly 0 shows it.
const shareText = (w) => (w === 0 ? "0" : weightText(w));

// The same where room is short.
const briefShare = (w) => shareText(w).replace("0.", ".");

// == page =====================================================================================

const SAMPLES = 200;
const POSITIONS = Array.from({ length: SAMPLES + 1 }, (_, i) => (100 * i) / SAMPLES);
const TOP = 30; // px above the shares
const MEAN = 54; // px of the mean score
const NUMBER = 38; // px of a number at the right
const COLUMN = 22; // px of the words' shares at the temperature now

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { words, values } = view.read();
  const n = words.length;
  const bits = Math.log2(n);
  let isMore = false; // whether something else than softmax has been chosen
  view.onReset(() => {
    isMore = false;
  });

  // Weights and mean score at all places, of a normalizer of scores; kept as long as they are the same.
  let kept = { key: "" };
  const curvesOf = (scored, kind) => {
    const key = `${kind} ${scored}`;
    if (kept.key !== key) {
      kept = {
        key,
        samples: POSITIONS.map((place) => {
          const { weights, mean } = atTemperature(scored, [], kind, temperatureUnder(place));
          return [...weights, mean];
        }),
      };
    }
    return kept.samples;
  };
  let reached; // the last place of the cursor

  function chart(scored, kind, t, now) {
    const { width } = view;
    const isWide = width > 600;
    const column = NUMBER + 22 + Math.min(isWide ? 100 : 56, Math.max(...words.map(textWidth)));
    const right = width - column;
    const x = scaleLinear({ domain: [0, 100], range: [GUTTER + INSET, right - INSET] });
    const high = Math.max(isWide ? 216 : 168, 18 * n);
    const floor = TOP + high;
    const bottom = floor + 34 + MEAN;
    const [low, most] = [sum(scored) / n, Math.max(...scored)];
    const meanY = scaleLinear({ domain: [low, most], range: [bottom, bottom - MEAN] });
    const samples = view.glide("curves", curvesOf(scored, kind));
    const turning = kind === "softmax" ? turningWords(scored) : new Map();
    const turns = [...turning.values()].flat();

    // A jump is walked, a hand is followed.
    const target = sliderPosition(t);
    const [place] = view.glide("t", [target], Math.abs(target - (reached ?? target)) > 4 ? 220 : 1);
    reached = target;
    const { weights, mean } =
      place === target ? now : atTemperature(scored, values, kind, temperatureUnder(place));
    const cursor = x(place);

    // The words' shares lie upon each other, as the words stand: the edges between them.
    const edges = samples.map((each) => edgesOf(each.slice(0, n)).map((y) => TOP + high * y));
    const side = (i) => edges.map((each, s) => `${px(x(POSITIONS[s]))} ${px(each[i])}`);
    const cut = edgesOf(weights);

    // A word that is largest elsewhere than at the end is named there, too.
    const peaks = words.flatMap((word, i) => {
      const peak = samples.reduce((best, each, s) => (each[i] > samples[best][i] ? s : best), 0);
      const half = textWidth(word) / 2 + 4;
      const middle = Math.max(GUTTER + 20 + half, x(POSITIONS[peak]));
      if (samples[peak][i] <= samples[SAMPLES][i] || samples[peak][i] * high < 24) return [];
      if (Math.abs(middle - cursor) < half + COLUMN / 2) return [];
      return svg`<text class="strong" text-anchor="middle" x=${px(middle)} y=${px((edges[peak][i] + edges[peak][i + 1]) / 2 + 4)}>${cutTo(word, 90)}</text>`;
    });
    let last = -Infinity;
    const levels = [...turning].flatMap(([score, those]) => {
      const y = meanY(score);
      if (y < Math.max(last, bottom - MEAN) + 12 || y > bottom - 4) return [];
      last = y;
      return svg`<path class="passed" d="M${GUTTER} ${px(y)}H${right}"/><text class="turning halo" text-anchor="end" x=${right} y=${px(y - 3)}>${
        those.length > 1
          ? `${countWord(those.length)} words score`
          : `${cutTo(words[those[0]], 90)} scores`
      } ${short(score)}</text>`;
    });

    const hand = following(view, (event) => {
      const [along] = pointer(event);
      return along > right + 8 ? null : { temperature: temperatureAt(Math.round(x.invert(along))) };
    });
    const isLeft = cursor < right - 130;
    return html`<svg class="chart" height=${bottom + 6} viewBox="0 0 ${width} ${bottom + 6}" role="img" data-high=${high}
      aria-label="How the words share all weight, and the mean score, from hard at the left to uniform at the right."
      @pointerdown=${hand.down} @pointermove=${hand.move} @click=${hand.click} @pointerleave=${view.unlook}>
      <rect class="ground" width=${right + 8} height=${bottom + 6}/>
      ${words.map(
        (
          word,
          i,
        ) => svg`<path class="band ${turns.includes(i) ? "turning" : `tone-${i % 3}`}" d="M${side(i).join("L")}L${side(
          i + 1,
        )
          .reverse()
          .join("L")}z"/>
        <text class=${turns.includes(i) ? "turning strong" : "strong"} x=${right} y=${px(TOP + (high * (i + 0.5)) / n + 4)}>${cutTo(word, column - NUMBER - 14)}</text>
        <text text-anchor="end" x=${width} y=${px(TOP + (high * (i + 0.5)) / n + 4)}>${briefShare(now.weights[i])}</text>`,
      )}
      ${peaks}
      <text class="dim" text-anchor="middle" transform="translate(24 ${TOP + high / 2}) rotate(-90)">share of the weight</text>
      <text class="dim" text-anchor="end" x=${width} y=${TOP - 12}>weight</text>
      ${[low, most].map((end) => level(meanY(end), right, short(Number(end.toFixed(2)))))}
      <text class="dim halo" x=${GUTTER} y=${bottom - MEAN - 9}>mean score <tspan class="strong">${fixed(now.mean)}</tspan></text>
      ${levels}
      <path class="mean" d="M${samples.map((each, s) => `${px(x(POSITIONS[s]))} ${px(meanY(each[n]))}`).join("L")}"/>
      <path class="cursor" d="M${px(cursor)} ${TOP - 8}V${bottom + 6}"/>
      ${weights.map((w, i) => svg`<rect class="cut" x=${px(cursor - COLUMN / 2)} width=${COLUMN} y=${px(TOP + high * cut[i])} height=${(high * w).toFixed(2)} fill=${weightColor(w)}/>`)}
      <text class="now" text-anchor=${isLeft ? "start" : "end"} x=${px(isLeft ? cursor - COLUMN / 2 : cursor + COLUMN / 2)} y=${TOP - 12}>${drawnLetter("T", "")} = ${short(t)}<tspan class="verb" dx="10">drag ↔</tspan></text>
      <circle class="dot" r="4.5" cx=${px(cursor)} cy=${px(meanY(mean))}/>
    </svg><div class="axis" style="margin: 0 ${column}px 0 ${GUTTER}px">${temperatureSlider(view, t, (to) => view.set({ temperature: to }))}</div>`;
  }

  const table = (scored, { weights, mean, entropy, output }) => {
    const most = Math.max(...weights);
    const foot = (name, value, text, role = "") =>
      html`<tr class="${role}"><th scope="row" colspan="3">${name}</th><td>${number(value, text)}</td></tr>`;
    return html`<table aria-label="Weights of the keys">
      <colgroup><col style="width: ${wordWidth(words, 52, 120)}px"><col class="score"><col><col class="weight"></colgroup>
      <thead><tr><th scope="col">key ${letter("k")}</th><th scope="col">score</th><td class="barcell">${barHead(n)}</td><th scope="col">weight ${letter("α", "")}</th></tr></thead>
      <tbody>${words.map(
        (
          word,
          i,
        ) => html`<tr class=${weights[i] === most ? "top-row" : ""}><th scope="row">${word}</th><td>${short(scored[i])}</td>
        <td class="barcell">${weightBar(weights[i], n)}</td><td>${number(weights[i], shareText(weights[i]))}</td></tr>`,
      )}</tbody>
      <tfoot>${foot("mean score", mean, fixed(mean))}
        ${foot(`entropy, of at most ${fixed(bits)} bits`, entropy, fixed(entropy))}
        ${values.length > 0 ? foot(html`output ${letter("o")}`, output, fixed(output, 4), "o") : nothing}</tfoot></table>`;
  };

  return ({ scores, tie: isTied, temperature: t, normalizer: kind }) => {
    const scored = isTied ? tied(scores) : scores;
    const now = atTemperature(scored, values, kind, t);
    const [best, next] = argsortDown(now.weights);
    const most = now.weights[best];
    const winners = words.filter((_, i) => now.weights[i] === most);
    const share = (i) => number(now.weights[i], fixed(now.weights[i]));
    const at = html`${letter("T", "")} = ${number(t, short(t))}`;
    const [first, second] = argsortDown(scores);
    isMore ||= kind !== "softmax" || isTied;
    return {
      headline: html`${kind === "softmax" ? html`At ${at}, ` : kind === "sparsemax" ? html`Sparsemax at ${at}: ` : html`Hardmax, at every ${letter("T", "")}: `}${
        winners.length === 1
          ? html`<b>${words[best]} takes ${share(best)}</b>, ${words[next]} ${share(next)}`
          : html`<b>${winners.length === n && n > 2 ? `all ${countWord(n)} words` : listed(winners)} share: ${share(best)} each</b>`
      }.`,
      picture: chart(scored, kind, t, now),
      more: html`<div class="by">${choice(view, {
        key: "by",
        legend: "Weights by",
        options: kinds,
        index: kinds.indexOf(kind),
        onInput: (i) => view.set({ normalizer: kinds[i] }),
        previewed: (i) => ({ normalizer: kinds[i] }),
      })}</div>
        <div class="tied">${tick(`tie: ${words[second]} scores ${short(scores[first])}, as ${words[first]} does`, isTied, (to) => view.set({ tie: to }))}</div>`,
      unfolded: isMore,
      numbers: table(scored, now),
      folded: "The numbers",
    };
  };
};

export default explorer("temperature", "Temperature explorer", build);
