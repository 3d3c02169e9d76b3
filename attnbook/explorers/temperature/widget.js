// TemperatureExplorer: weights, mean score, entropy and output over the whole range of temperatures.

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
import { selectBox, temperatureSlider, tick } from "../core/controls.js";
import {
  GUTTER,
  INSET,
  barHead,
  dragging,
  pathOf,
  px,
  weightBar,
  wordWidth,
} from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { countWord, fixed, listed, short, weightColor, weightText } from "../core/format.js";
import { cutTo, overlap, spread, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { axisY, pointer, scaleLinear } from "../core/plot.js";
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

// The words whose scores the mean score passes as the temperature rises, from the largest down by
// score: those between the mean of all scores and the largest.
function passed(words, scores) {
  const [low, high] = [sum(scores) / scores.length, Math.max(...scores)];
  const between = new Map();
  for (const i of argsortDown(scores)) {
    const score = scores[i];
    if (score > low && score < high) between.set(score, [...(between.get(score) ?? []), i]);
  }
  return { low, high, between: [...between] };
}

// A weight; one that is exactly 0 shows it.
const shareText = (w) => (w === 0 ? "0" : weightText(w).replace("0.", "."));

// == page =====================================================================================

const SAMPLES = 200;
const POSITIONS = Array.from({ length: SAMPLES + 1 }, (_, i) => (100 * i) / SAMPLES);
const [LINE, NUMBER] = [15, 44]; // px of a label's height, and of its number

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { words, values, simple } = view.read();
  const n = words.length;
  const bits = Math.log2(n);
  const hasOutput = values.length > 0;
  let [light, pinned] = [-1, -1]; // the word whose label is pointed at, and pressed
  view.onReset(() => {
    pinned = -1;
  });

  // Panels over one axis: where each is, and what it is called.
  let bottom = -8;
  /** @type {[string, number, unknown][]} */
  const rooms = [
    ["weight", Math.max(simple ? 178 : 112, LINE * n - 20), svg`weight ${drawnLetter("α", "")}`],
    ["mean", 54, "mean score (counted by weight)"],
    ["entropy", simple ? 0 : 36, "entropy in bits"],
    ["output", hasOutput ? 36 : 0, svg`output ${drawnLetter("o")}`],
  ];
  const panels = rooms
    .filter(([, height]) => height > 0)
    .map(([role, height, name]) => {
      const top = bottom + 32;
      bottom = top + height;
      return { role, name, top, height };
    });
  const HEIGHT = bottom + 6;
  const roles = [...words.map(() => "weight"), ...panels.slice(1).map(({ role }) => role)];
  const numbersOf = (result) => [
    ...result.weights,
    ...panels.slice(1).map(({ role }) => result[role]),
  ];

  // The curves of a normalizer of scores, kept as long as they are the same.
  let kept = { key: "" };
  const curvesOf = (scored, kind) => {
    const key = `${kind} ${scored}`;
    if (kept.key !== key) {
      kept = {
        key,
        samples: POSITIONS.map((place) =>
          numbersOf(atTemperature(scored, values, kind, temperatureUnder(place))),
        ),
      };
    }
    return kept.samples;
  };
  /** @type {any} */
  let paths = {};
  let reached; // the last place of the cursor

  function chart(scored, kind, t, now) {
    const { width } = view;
    const column =
      NUMBER + 26 + Math.min(width > 600 ? 100 : 56, Math.max(...words.map(textWidth), 36));
    const right = width - column;
    const x = scaleLinear({ domain: [0, 100], range: [GUTTER + INSET, right - INSET] });
    const samples = view.glide("curves", curvesOf(scored, kind));
    const range = passed(words, scored);
    const between = kind === "softmax" ? range.between : []; // where a word turns is a law of softmax
    const outputs = hasOutput ? samples.map((each) => each.at(-1)) : [];
    const ticks = {
      weight: [
        [0, "0"],
        [1 / n, `1/${n}`],
        [1, "1"],
      ],
      mean: [range.low, range.high].map((end) => [end, short(Number(end.toFixed(2)))]),
      entropy: [
        [0, "0"],
        [bits, fixed(bits, 2)],
      ],
      output: [Math.min(0, ...outputs), Math.max(0, ...outputs)].map((end) => [
        end,
        short(Number(end.toFixed(2))),
      ]),
    };
    const scales = Object.fromEntries(
      panels.map(({ role, top, height }) => {
        const domain = [ticks[role][0][0], ticks[role].at(-1)[0]];
        return [role, scaleLinear({ domain, range: [top + height, top] })];
      }),
    );
    const ys = (numbers) => numbers.map((value, i) => scales[roles[i]](value));
    if (paths.samples !== samples || paths.width !== width) {
      const columns = samples.map(ys);
      paths = {
        samples,
        width,
        d: roles.map((_, i) =>
          pathOf(columns.map((each, place) => [x(POSITIONS[place]), each[i]])),
        ),
      };
    }
    // A jump is walked, a hand is followed.
    const target = sliderPosition(t);
    const [place] = view.glide("t", [target], Math.abs(target - (reached ?? target)) > 4 ? 220 : 1);
    reached = target;
    const drawn =
      place === target ? now : atTemperature(scored, values, kind, temperatureUnder(place));
    const dots = ys(numbersOf(drawn));
    const cursor = x(place);

    const turning = new Set(between.flatMap(([, those]) => those));
    let last = -Infinity;
    const levels = between.flatMap(([score, those]) => {
      const y = scales.mean(score);
      if (y < Math.max(last, panels[1].top) + 12 || y > panels[1].top + 50) return [];
      last = y;
      return svg`<path class="passed" d="M${GUTTER} ${px(y)}H${right}"/><text class="turning halo" text-anchor="end" x=${right} y=${px(y - 3)}>${
        those.length > 1
          ? `${countWord(those.length)} words score`
          : `${cutTo(words[those[0]], 90)}${width > 600 ? " scores" : ":"}`
      } ${short(score)}</text>`;
    });
    // A curve that turns is named at its top, where it is not crowded.
    const boxes = [];
    const tops = [...turning].flatMap((i) => {
      const peak = samples.reduce((best, each, s) => (each[i] > samples[best][i] ? s : best), 0);
      const name = cutTo(words[i], 90);
      const wide = textWidth(name);
      const [middle, y] = [
        Math.max(GUTTER + wide / 2, Math.min(right - wide / 2, x(POSITIONS[peak]))),
        scales.weight(samples[peak][i]),
      ];
      const box = { left: middle - wide / 2, top: y - 20, width: wide, height: 14 };
      if (y > panels[0].top + panels[0].height - 12 || boxes.some((other) => overlap(other, box)))
        return [];
      boxes.push(box);
      return svg`<text class="turning halo" text-anchor="middle" x=${px(middle)} y=${px(y - 8)}>${name}</text>`;
    });

    // One column of labels at the right edge, each level with its dot if the others let it.
    const order = argsortDown(drawn.weights);
    const from = panels[0].top - 6;
    const rows = spread(
      order.map((i) => ({ at: dots[i] - from, width: LINE })),
      panels[0].height + 20,
    );
    const isLit = (i) => i === (light < 0 ? pinned : light);
    const label = (y, level, name, text, role, i) => svg`<g @pointerenter=${() => {
      light = i;
      view.again();
    }} @pointerleave=${() => {
      light = -1;
      view.again();
    }}
        @pointerdown=${(event) => {
          event.stopPropagation();
          pinned = pinned === i ? -1 : i;
          view.again();
        }}>
      <path class="leader" d="M${px(cursor)} ${px(y)}H${right}L${right + 10} ${px(level)}"/>
      <text class=${role} x=${right + 14} y=${px(level + 4)}>${name}</text>
      <text class=${role} text-anchor="end" x=${width} y=${px(level + 4)}>${text}</text></g>`;
    const most = Math.max(...now.weights);
    const room = column - NUMBER - 18;
    const texts = {
      mean: ["mean", fixed(now.mean)],
      entropy: ["bits", fixed(now.entropy)],
      output: [drawnLetter("o"), fixed(now.output, 4)],
    };
    const ask = (event) => {
      const [along] = pointer(event);
      return along > right + 8 ? null : temperatureAt(Math.round(x.invert(along)));
    };
    const hand = dragging(
      (event) => {
        const to = ask(event);
        if (to !== null && to !== view.read().temperature) view.set({ temperature: to });
      },
      { touch: true },
    );
    const move = (event) => {
      if (event.currentTarget.hasPointerCapture(event.pointerId)) return hand.move(event);
      const to = event.pointerType === "mouse" ? ask(event) : null;
      return (
        event.pointerType === "mouse" && view.preview(to === null ? null : { temperature: to })
      );
    };
    return html`<svg class="chart" height=${HEIGHT} viewBox="0 0 ${width} ${HEIGHT}" role="img" data-top=${panels[0].top} data-high=${panels[0].height}
      aria-label="${listed(["Weights", ...panels.slice(1).map(({ role }) => (role === "mean" ? "mean score" : role))])} over the temperature, from hard at the left to uniform at the right."
      @pointerdown=${hand.down} @pointermove=${move} @click=${hand.click} @pointerleave=${view.unlook}>
      <rect class="ground" width=${right + 8} height=${HEIGHT}/>
      <path class="cursor" d="M${px(cursor)} ${panels[0].top - 8}V${HEIGHT}"/>
      ${panels.map(
        ({ role, top, name }) => svg`${axisY(scales[role], ticks[role], right)}
        <text class="dim halo" x=${GUTTER} y=${top - 10}>${name}</text>`,
      )}
      ${levels}
      ${roles.map((role, i) => svg`<path class="line ${role} ${i < n && turning.has(i) ? "turning" : ""} ${isLit(i) ? "lit" : ""}" d=${paths.d[i]}/>`)}
      ${tops}
      ${order.map((i, rank) =>
        label(
          dots[i],
          from + rows[rank].middle,
          cutTo(words[i], room),
          shareText(now.weights[i]),
          `${now.weights[i] === most ? "strong" : turning.has(i) ? "turning" : ""} ${isLit(i) ? "lit" : ""}`,
          i,
        ),
      )}
      ${panels.slice(1).map(({ role }, i) => label(dots[n + i], dots[n + i], ...texts[role], role === "output" ? "strong o" : "strong", -1))}
      ${dots.map((y, i) => svg`<circle class="dot ${roles[i]}" r="4.5" cx=${px(cursor)} cy=${px(y)} fill=${i < n ? weightColor(drawn.weights[i]) : ""}/>`)}
    </svg><div class="axis" style="margin: 0 ${column}px 0 ${GUTTER}px">${temperatureSlider(view, t, (to) => view.set({ temperature: to }))}</div>
    <p class="small">Pull along the chart: ${letter("T", "")}. Press a name: its curve.${
      turning.size > 0 ? html` In colour: what gains weight, and then loses it.` : ""
    }</p>`;
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
        <td class="barcell">${weightBar(weights[i], n)}</td><td>${number(weights[i], weights[i] === 0 ? "0" : weightText(weights[i]))}</td></tr>`,
      )}</tbody>
      <tfoot>${foot("mean score", mean, fixed(mean))}
        ${simple ? nothing : foot(`entropy, of at most ${fixed(bits)} bits`, entropy, fixed(entropy))}
        ${hasOutput ? foot(html`output ${letter("o")}`, output, fixed(output, 4), "o") : nothing}</tfoot></table>`;
  };

  return ({ scores, tie: isTied, temperature: t, normalizer: kind }) => {
    const scored = isTied ? tied(scores) : scores;
    const now = atTemperature(scored, values, kind, t);
    const most = Math.max(...now.weights);
    const winners = words.filter((_, i) => now.weights[i] === most);
    const share = number(most, fixed(most));
    const [first, second] = argsortDown(scores);
    return {
      headline: html`${kind === "hardmax" ? html`Hardmax, at every ${letter("T", "")}: ` : html`At ${letter("T", "")} = ${number(t, short(t))}, `}${
        winners.length === 1
          ? html`<b>${winners[0]} takes ${share}</b>`
          : html`<b>${winners.length === n && n > 2 ? `all ${countWord(n)} words` : listed(winners)} share: ${share} each</b>`
      }${
        hasOutput
          ? html`; output <b class="o">${letter("o")} = ${number(now.output, fixed(now.output, 4))}</b>`
          : ""
      }.`,
      picture: chart(scored, kind, t, now),
      // An address may ask for more than a simple one offers: then its controls are there.
      controls:
        simple && kind === "softmax" && !isTied
          ? nothing
          : html`
        ${selectBox(view, {
          key: "by",
          label: "Scores to weights by",
          value: kind,
          options: Object.fromEntries(Object.keys(NORMALIZERS).map((name) => [name, name])),
          onInput: (name) => view.set({ normalizer: name }),
        })}
        <div class="tied">${tick(`tie: ${words[second]} scores ${short(scores[first])}, as ${words[first]} does`, isTied, (to) => view.set({ tie: to }))}</div>`,
      numbers: table(scored, now),
      folded: "The numbers",
    };
  };
};

export default explorer("temperature", "Temperature explorer", build);
