// OnlineSoftmaxExplorer: softmax in one pass, with a maximum, a sum and an output kept up to date.

import { dot, softmax, sum } from "../core/compute.js";
import { button, slider, tick } from "../core/controls.js";
import { INSET, pathOf, px, wordWidth } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed, short, weightColor } from "../core/format.js";
import { covering, cutTo, placeLabels, placesBeside, textWidth } from "../core/labels.js";
import { html, svg } from "../core/lit.js";
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
  `The output after each block, from top to bottom: ${outputsText(states)}. ` +
  (right ? `Dotted, the corrected output: ${outputsText(right)}. ` : "") +
  `Vertical line, the exact output: ${fixed(exact, 4)}.`;

// == page =====================================================================================

const [HEAD, ROW] = [30, 28]; // px: the rows of the table and of the drawing beside it
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

  // The keys, each with its term as a bar; an old term that shrinks leaves its outline behind.
  function table({ scores, values }, now, before, size, [start, end], hasShrunk, drawn) {
    const row = (name, i) => {
      const term = now.terms[i];
      const old = i < start && hasShrunk ? before.terms[i] : 0;
      const kind = `${i >= end ? "coming" : ""} ${i >= start && i < end ? "new" : ""} ${i % size === 0 ? "first" : ""}`;
      return html`<tr class=${kind} @pointerenter=${view.look({ step: Math.floor(i / size) + 1 })} @pointerleave=${view.unlook}
        @click=${() => view.set({ step: Math.floor(i / size) + 1 })}>
        <th scope="row">${name}${i >= start && i < end ? html`<span class="unseen"> (read in this step)</span>` : ""}</th>
        <td>${short(scores[i])}</td><td class="v">${short(values[i])}</td>
        <td class="barcell"><span class="bar" aria-hidden="true">
          ${old ? html`<span class="ghost" style="width: ${100 * old}%"></span>` : ""}
          <span class="fill" ?hidden=${i >= end} style="width: ${100 * drawn[i]}%; background: ${weightColor(drawn[i])}"></span>
          ${old && term <= 0.4 ? html`<span class="shrink" style="left: calc(${100 * term}% + 4px)">× ${part(now.correction)}</span>` : ""}</span></td>
        <td>${i < end ? number(term, termText(term)) : "to come"}</td></tr>`;
    };
    const columns = [
      wordWidth(names, 52, 88),
      ...[scores, values].map((numbers) => wordWidth(numbers.map(short), 56, 76)),
    ];
    return html`<div class="keys"><table><caption class="unseen">The keys, in the order in which they are read</caption>
      <colgroup>${columns.map((width) => html`<col style="width: ${width}px">`)}<col><col class="term"></colgroup>
      <thead><tr><th scope="col">key ${letter("k")}</th><th scope="col">score ${letter("s", "")}</th>
        <th scope="col">value ${letter("v")}</th><th scope="col" colspan="2">term of ${letter("ℓ", "")}</th></tr></thead>
      <tbody>${names.map(row)}</tbody></table>
      <div class="frame" aria-hidden="true" ?hidden=${end === 0} style="top: ${HEAD + ROW * start}px; height: ${ROW * (end - start)}px"></div></div>`;
  }

  // The output after each block, on the rows of the table: each value pulls it to its side.
  function chart(width, values, exact, states, right, size, tip) {
    const [endOutput, endRead] = tip;
    const from = view.width <= 600 ? 76 : 0; // the names, where no table stands beside it
    const left = from + INSET;
    const bottom = HEAD + ROW * n;
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const x = (value) =>
      left + (width - left - INSET) * (high > low ? (value - low) / (high - low) : 0.5);
    const y = (read) => HEAD + ROW * Math.min(n, read);
    const points = states.slice(1).map(({ output }, i) => [x(output), y((i + 1) * size)]);
    const end = [x(endOutput), y(endRead)];
    const line = points.length > 1 ? pathOf([...points.slice(0, -1), end]) : "";
    // Each number stands beside its dot, where it covers little of the line and touches no other.
    const texts = states.slice(1).map(({ output }) => fixed(output, 4));
    const drawn = points
      .slice(1)
      .flatMap(([px, py], i) =>
        Array.from({ length: 25 }, (_, k) => [
          px + (k / 24) * (points[i][0] - px),
          py + (k / 24) * (points[i][1] - py),
        ]),
      );
    const boxes = placeLabels(
      points.map(([px, py], i) =>
        placesBeside(
          px,
          py,
          textWidth(texts[i]) + 4,
          { from, to: width },
          { gap: 8, offs: [9, 14], cost: 1 / 9, left: 1e-6 },
        ),
      ),
      covering(drawn),
    );
    const exactText = `exact ${fixed(exact, 4)}`;
    const half = textWidth(exactText) / 2 + 2;
    return html`<svg class="track" height=${bottom + ROW + 10} viewBox="0 0 ${width} ${bottom + ROW + 10}" role="img" aria-label=${chartText(states, right, exact)}>
      ${names.map(
        (name, i) => svg`<path class="hair" d="M${from} ${y(i + 1)}H${width}"/>
        ${from ? svg`<text class="dim" y=${y(i) + 18}>${cutTo(name, 66)}</text>` : ""}
        <circle r="3.5" cx=${px(x(values[i]))} cy=${y(i + 0.5)} class=${i < (states.length - 1) * size ? "value" : "value coming"}/>`,
      )}
      <path class="exact" d="M${px(x(exact))} ${HEAD - 8}V${bottom + 4}"/>
      <text class="o" x=${px(Math.max(from + half, Math.min(width - half, x(exact))))} y=${HEAD - 13} text-anchor="middle">${exactText}</text>
      <text class="v" x=${from} y=${bottom + 19}>${short(low)}</text>
      <text class="v" x=${width} y=${bottom + 19} text-anchor="end">${short(high)}</text>
      <text class="dim" x=${(from + width) / 2} y=${bottom + 19} text-anchor="middle">value ${drawnLetter("v")}, output ${drawnLetter("o")}</text>
      ${
        right
          ? svg`<text class="dim" x=${(from + width) / 2} y=${bottom + 33} text-anchor="middle">dotted: corrected</text>
        <path class="right" d=${pathOf(right.slice(1).map(({ output }, i) => [x(output), y((i + 1) * size)]))}/>`
          : ""
      }
      <path class="path" d=${line}/>
      ${points.map((point, i) => {
        const isLast = i === points.length - 1;
        const [cx, cy] = isLast ? end : point;
        return svg`<text class=${isLast ? "o halo strong" : "o halo"} x=${px(boxes[i].left + 2)} y=${boxes[i].top + 11}>${texts[i]}</text>
          <circle class="output" cx=${px(cx)} cy=${px(cy)} r=${isLast ? 5.5 : 3.5}/>`;
      })}</svg>`;
  }

  return (traits) => {
    const { scores, values, block: size, correct } = traits;
    const exact = dot(softmax(scores, 1), values);
    const step = stepOf(traits);
    const states = readBlocks(scores, values, size, correct);
    const right = correct ? states : readBlocks(scores, values, size, true);
    const [now, before] = [states[step], states[Math.max(0, step - 1)]];
    const [start, end] = [Math.max(0, step - 1) * size, Math.min(n, step * size)];
    const hasRisen = step > 1 && now.maximum > before.maximum;
    const isWrong = differ(now.output, right[step].output);
    const isAll = end === n;
    const drawn = view.glide(
      "terms",
      names.map((_, i) => now.terms[i] ?? 0),
      SHRINK,
    );
    const tip = view.glide("end", [now.output, end], SHRINK);
    const isNarrow = view.width <= 600;
    const lines = chart(
      isNarrow ? view.width : 300,
      values,
      exact,
      states.slice(0, step + 1),
      !correct && step > 1 ? right.slice(0, step + 1) : undefined,
      size,
      tip,
    ); // a line needs two points
    const factor = html`<b>×&nbsp;${factorText(before.maximum, now.maximum)} = ${part(Math.exp(before.maximum - now.maximum))}</b>`;
    const rise = `The maximum rises from ${part(before.maximum)} to ${part(now.maximum)}:`;
    const note =
      step === 0
        ? "No key has been read: there is no term yet."
        : step === 1
          ? "The first block: there are no old terms to correct."
          : hasRisen
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
    const keys = (count) => `${count} key${count === 1 ? "" : "s"}`;
    const move = (by) => view.set({ step: Math.max(0, Math.min(last(size), step + by)) });
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
      picture: html`<div class="view">${table(traits, now, before, size, [start, end], hasRisen && correct, drawn)}${isNarrow ? "" : lines}</div>
        <p class="note">${note}</p>
        <dl class="kept" aria-label="What is kept">${kept
          .filter(([name]) => name !== "correction")
          .map(
            ([name, symbol, role, value, text]) => html`
          <div class=${role}><dt>${name} ${letter(symbol, role)}</dt><dd>${number(value, text)}</dd></div>`,
          )}</dl>`,
      controls: html`
        ${slider(view, {
          key: "step",
          label: "Keys read",
          max: last(size),
          value: step,
          text: `${end} of ${n}`,
          say: `${end} of ${n} keys read`,
          onInput: (to) => view.set({ step: to }),
        })}
        ${slider(view, {
          key: "block",
          label: "Block size",
          min: 1,
          max: n,
          value: size,
          text: keys(size),
          say: `blocks of ${keys(size)}`,
          onInput: (to) => view.set({ block: to, step: stepAt(n, end, to) }),
        })}
        <div class="buttons">${button("Back", () => move(-1))}${button("Next block", () => move(1))}</div>
        ${tick("correct old terms when the maximum rises", correct, (to) => view.set({ correct: to }))}`,
      numbers: html`${isNarrow ? lines : ""}<details class="numbers"><summary>The arithmetic of this step</summary>
        <dl class="how">${kept.map(
          (
            [name, symbol, role, value, text],
            i,
          ) => html`<div class=${role}><dt>${name} ${letter(symbol, role)}</dt>
          <dd class="now">${number(value, text)}</dd><dd><span class="small">${RULES[i]}</span>${how[i]}</dd></div>`,
        )}</dl></details>`,
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
