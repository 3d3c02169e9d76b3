// OnlineSoftmaxExplorer: softmax in one pass, with a maximum, a sum and an output kept up to date.

import { dot, softmax, sum } from "../core/compute.js";
import { choice, slider, tick } from "../core/controls.js";
import { INSET, following, pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed, short, weightColor } from "../core/format.js";
import { cutTo, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { pointer, scaleLinear } from "../core/plot.js";
import { drawnLetter, letter, number } from "../core/text.js";
import { whole } from "../core/traits.js";

// == compute ==================================================================================

// The state before any block, and after each. `terms` are the parts of `total`, one for each key
// read; `added` and `addedValue` are what the last block brought. Without `correct` the old terms
// stay as they are when the maximum rises.
export function readBlocks(scores, values, block, correct) {
  const states = [
    { maximum: -Infinity, correction: 1, terms: [], added: 0, addedValue: 0, total: 0, output: 0 },
  ];
  for (let start = 0; start < scores.length; start += block) {
    const before = states[states.length - 1];
    const read = scores.slice(start, start + block);
    const maximum = Math.max(before.maximum, ...read);
    // The first block has nothing before it that could be left uncorrected.
    const isCorrected = correct || before.total === 0;
    const correction = isCorrected ? Math.exp(before.maximum - maximum) : 1;
    const terms = read.map((score) => Math.exp(score - maximum));
    const added = sum(terms);
    const addedValue = dot(terms, values.slice(start, start + block));
    const kept = correction * before.total;
    const total = kept + added;
    states.push({
      maximum,
      correction,
      terms: [...before.terms.map((x) => correction * x), ...terms],
      added,
      addedValue,
      total,
      output: (kept * before.output + addedValue) / total,
    });
  }
  return states;
}

// How many blocks of a size hold no key that has not been read; all of them once all are read.
export const stepAt = (n, read, block) =>
  read >= n ? Math.ceil(n / block) : Math.floor(read / block);

// Whether two outputs differ by more than rounding.
export const differ = (a, b) => Math.abs(a - b) > 1e-9 * Math.max(Math.abs(a), Math.abs(b));

// A number to compute with: four decimals at most, two digits at least.
export const part = (x) =>
  Math.abs(x) < 0.001
    ? short(Number(x.toPrecision(2)))
    : Number.isFinite(x)
      ? String(Number(x.toFixed(4))).replace("-", "−")
      : fixed(x);

// The same behind another sign: a negative one in brackets.
const operand = (x) => (x < 0 ? `(${part(x)})` : part(x));

const factorText = (from, to) => `exp(${part(from)} − ${operand(to)})`;

// A term with four decimals; one that would read as nothing is "<.0001".
export const termText = (x) => (x > 0 && x < 0.00005 ? "<.0001" : fixed(x, 4));

// The arithmetic of a step: what gives the maximum, the correction, the sum, the output.
export function arithmetic(before, now, largest) {
  const factor = factorText(before.maximum, now.maximum);
  const rightly = Math.exp(before.maximum - now.maximum);
  const kept = `${part(now.correction)} × ${part(before.total)}`;
  return [
    `max(${part(before.maximum)}, ${part(largest)})`,
    now.correction === rightly ? factor : `left out: 1, not ${factor} = ${part(rightly)}`,
    `${kept} + ${part(now.added)}`,
    `(${kept} × ${operand(before.output)} + ${operand(now.addedValue)}) / ${part(now.total)}`,
  ];
}

const outputsText = (states) =>
  states
    .slice(1)
    .map(({ output }) => fixed(output, 4))
    .join(", ") || "none yet";

// What the drawing of the outputs shows, in words; `right` is the same with the correction, if that
// is drawn too.
export const chartText = (states, right, exact) =>
  `The output after each block, from left to right: ${outputsText(states)}. ` +
  (right ? `Dotted, the corrected output: ${outputsText(right)}. ` : "") +
  `Dashed line, the exact output: ${fixed(exact, 4)}.`;

// == page =====================================================================================

const [TOP, FOOT] = [54, 18]; // px above and below the chart
const HIGHEST = 16; // px: the radius of a term of 1
const SHRINK = 800; // milliseconds in which old terms shrink

const RULES = [
  "the larger of before and the block",
  "exp(before − now) of the maximum",
  "c × sum before + terms of the block",
  "(c × sum × output before + terms × values) / sum",
];

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { names } = view.read();
  const n = names.length;

  // What the kernel sends comes one trait at a time: a step may be too large for a new block size.
  const last = (block) => Math.ceil(n / block);
  const stepOf = ({ step, block }) => Math.min(last(block), step);

  view.play({
    step: (now) => (stepOf(now) < last(now.block) ? { step: stepOf(now) + 1 } : null),
    ms(now) {
      // slow where the maximum rises
      const states = readBlocks(now.scores, now.values, now.block, true);
      const step = stepOf(now);
      return step > 1 && states[step].maximum > states[step - 1].maximum ? 2200 : 1100;
    },
    rewind: () => ({ step: 0 }),
  });

  // A column for each key: its value as a dot, as large as its term; the running output is a dot
  // that jumps as keys are read, over the slider, which is the axis.
  function chart({ scores, values }, exact, states, right, size, [start, end], drawn, tip) {
    const { width } = view;
    const bottom = TOP + (width > 600 ? 190 : 150);
    const column = (width - 2 * INSET) / n;
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const x = (read) => INSET + column * Math.min(n, read);
    const y = scaleLinear({
      domain: high > low ? [low, high] : [low - 1, low + 1],
      range: [bottom - HIGHEST, TOP + HIGHEST],
    });
    const way = (those) => those.slice(1).map(({ output }, i) => [x((i + 1) * size), y(output)]);
    const [points, now] = [way(states), [x(tip[1]), y(tip[0])]];
    const line = points.length > 1 ? pathOf([...points.slice(0, -1), now]) : "";
    const largest = Math.min(width > 600 ? HIGHEST : 12, column / 2 - 1);
    const scored = scores.map((score) => short(score));
    const hasScores = scored.every((text) => textWidth(`s = ${text}`) < column);
    // The number of the output stands over its dot, or under it; the exact one at the far side.
    const told = fixed(states.at(-1).output, 4);
    const half = textWidth(told) / 2 + 2;
    const isLeft = now[0] < width / 2;
    // A key is read where the mouse is at it, but for its very beginning.
    const hand = following(view, (event) => {
      const read = (pointer(event)[0] - INSET) / column - 0.15;
      return { step: Math.max(0, Math.min(last(size), Math.ceil(read / size))) };
    });
    return html`<svg class="chart" height=${bottom + FOOT} viewBox="0 0 ${width} ${bottom + FOOT}" role="img" aria-label=${chartText(states, right, exact)}
        @pointerdown=${hand.down} @pointermove=${hand.move} @click=${hand.click} @pointerleave=${view.unlook}>
      <rect class="ground" width=${width} height=${bottom + FOOT}/>
      <rect class="block" x=${px(x(start))} width=${px(x(end) - x(start))} height=${bottom}/>
      ${[TOP, bottom].map((level) => svg`<path class="hair" d="M0 ${level}H${width}"/>`)}
      ${names.map((name, i) => {
        const kind = `${i >= end ? "dim" : ""} ${i >= start && i < end ? "strong" : ""}`;
        const middle = px(x(i + 0.5));
        return svg`<text class="name ${kind}" x=${middle} y="18" text-anchor="middle">${cutTo(name, column - 4)}</text>
        ${hasScores ? svg`<text class="dim" x=${middle} y="36" text-anchor="middle">${drawnLetter("s", "")} = ${scored[i]}</text>` : nothing}
        <circle class=${i < end ? "value" : "value coming"} cx=${middle} cy=${px(y(values[i]))} r=${i < end ? px(Math.max(1.5, largest * Math.sqrt(drawn[i]))) : 3.5}/>`;
      })}
      <path class="exact" d="M0 ${px(y(exact))}H${width}"/>
      <text class="o halo" x=${isLeft ? width : 0} y=${px(y(exact) + (y(exact) > TOP + 30 ? -6 : 15))} text-anchor=${isLeft ? "end" : "start"}>exact ${fixed(exact, 4)}</text>
      ${right ? svg`<path class="right" d=${pathOf(way(right))}/>` : nothing}
      <path class="cursor" d="M${px(now[0])} ${TOP - 8}V${bottom + FOOT}"/>
      <path class="path" d=${line}/>
      ${points.map((point, i) => {
        const isLast = i === points.length - 1;
        const [cx, cy] = isLast ? now : point;
        return svg`<circle class="output" cx=${px(cx)} cy=${px(cy)} r=${isLast ? 9 : 4}/>`;
      })}
      ${points.length > 0 ? svg`<text class="o halo strong told" x=${px(Math.max(half, Math.min(width - half, now[0])))} y=${px(now[1] + (now[1] > TOP + 34 ? -15 : 26))} text-anchor="middle">${told}</text>` : nothing}
      <text class="verb" x=${px(now[0] + (isLeft ? 8 : -8))} y=${bottom + 14} text-anchor=${isLeft ? "start" : "end"}>drag ↔</text>
    </svg>`;
  }

  const table = ({ scores, values }, { terms }, end) => html`<table>
    <caption class="unseen">The keys, in the order in which they are read</caption>
    <thead><tr><th scope="col">key ${letter("k")}</th><th scope="col">score ${letter("s", "")}</th>
      <th scope="col">value ${letter("v")}</th><th scope="col" colspan="2">term of ${letter("ℓ", "")}</th></tr></thead>
    <tbody>${names.map(
      (
        name,
        i,
      ) => html`<tr><th scope="row">${name}</th><td>${short(scores[i])}</td><td class="v">${short(values[i])}</td>
      <td class="barcell">${i < end ? html`<span class="bar" aria-hidden="true"><span class="fill" style="width: ${100 * terms[i]}%; background: ${weightColor(terms[i])}"></span></span>` : nothing}</td>
      <td>${i < end ? number(terms[i], termText(terms[i])) : "to come"}</td></tr>`,
    )}</tbody></table>`;

  return (traits) => {
    const { scores, values, block: size, correct } = traits;
    const exact = dot(softmax(scores, 1), values);
    const step = stepOf(traits);
    const states = readBlocks(scores, values, size, correct);
    const right = correct ? states : readBlocks(scores, values, size, true);
    const [now, before] = [states[step], states[Math.max(0, step - 1)]];
    const [start, end] = [Math.max(0, step - 1) * size, Math.min(n, step * size)];
    const isWrong = differ(now.output, right[step].output);
    const isAll = end === n;
    const drawn = view.glide(
      "terms",
      names.map((_, i) => now.terms[i] ?? 0),
      SHRINK,
    );
    const tip = view.glide("end", [now.output, end], SHRINK);
    const factor = html`<b>×&nbsp;${factorText(before.maximum, now.maximum)} = ${part(Math.exp(before.maximum - now.maximum))}</b>`;
    const rise = `The maximum rises from ${part(before.maximum)} to ${part(now.maximum)}:`;
    const note =
      step === 0
        ? "No key has been read: there is no term yet."
        : step === 1
          ? "The first block: there are no old terms to correct."
          : now.maximum > before.maximum
            ? correct
              ? html`${rise} old terms shrink, ${factor}.`
              : html`${rise} old terms should shrink, ${factor}, but stay.`
            : `The maximum stays ${part(now.maximum)}: ${
                differ(now.total, right[step].total)
                  ? "terms from before it rose are still too large."
                  : "old terms stay as they are."
              }`;
    const how =
      step === 0
        ? Array(4).fill("before any key")
        : arithmetic(before, now, Math.max(...scores.slice(start, end)));
    const kept = [
      ["maximum", "m", "", now.maximum, part(now.maximum)],
      ["correction", "c", "", step ? now.correction : NaN, step ? part(now.correction) : "–"],
      ["sum", "ℓ", "", now.total, fixed(now.total, 4)],
      ["output", "o", "o", now.output, fixed(now.output, 4)],
    ];
    const ofSize = (to) => ({ block: to, step: stepAt(n, end, to) });
    return {
      headline: html`<b>${end} of ${n} keys read</b>: output <b class="o">${letter("o")} = ${number(now.output, fixed(now.output, 4))}</b>${
        isWrong
          ? html`<b> is wrong</b>${isAll ? "" : html` (right so far: ${number(right[step].output, fixed(right[step].output, 4))})`}`
          : ""
      }${
        isAll && !isWrong
          ? ", the exact one."
          : html`, the exact one is ${number(exact, fixed(exact, 4))}.`
      }`,
      picture: html`${chart(
        traits,
        exact,
        states.slice(0, step + 1),
        !correct && step > 1 ? right.slice(0, step + 1) : undefined, // a line needs two points
        size,
        [start, end],
        drawn,
        tip,
      )}
        ${slider(view, {
          key: "step",
          label: "Keys read",
          max: n,
          value: end,
          text: `${end} of ${n}`,
          say: `${end} of ${n} keys read`,
          // to the border of a block, onward or back
          onInput: (to) => view.set({ step: (to > end ? Math.ceil : Math.floor)(to / size) }),
        })}
        <p class="note">${note}${!correct && step > 1 ? " Dotted: corrected." : ""}</p>
        <p class="small">Green: values ${letter("v")}, as large as their terms. Purple: the running output ${letter("o")}.</p>`,
      controls: html`
        ${choice(view, {
          key: "block",
          legend: "Keys at a time",
          options: names.map((_, i) => i + 1),
          index: size - 1,
          onInput: (i) => view.set(ofSize(i + 1)),
          previewed: (i) => ofSize(i + 1),
        })}
        ${tick("correct old terms", correct, (to) => view.set({ correct: to }))}`,
      folded: "The arithmetic of this step",
      numbers: html`${table(traits, now, end)}<dl class="how">${kept.map(
        (
          [name, symbol, role, value, text],
          i,
        ) => html`<div class=${role}><dt>${name} ${letter(symbol, role)}</dt>
          <dd class="now">${number(value, text)}</dd><dd><span class="small">${RULES[i]}</span>${how[i]}</dd></div>`,
      )}</dl>`,
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = {
  block: whole("block", 1, ({ names }) => names.length),
  step: whole("step", 0, ({ names, block }) => Math.ceil(names.length / block)),
};

export default explorer("online", "Online softmax explorer", build, {
  traits,
});
