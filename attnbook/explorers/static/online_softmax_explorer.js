// @ts-check
// OnlineSoftmaxExplorer: softmax in one pass, with a maximum, a sum and an output kept up to date.

// == compute ==================================================================================

/**
 * What is kept after some blocks. `terms` are the parts of `total`, one for each key read; `added`
 * and `addedValue` are what the last block brought: its terms, and its terms times its values.
 * @typedef {{maximum: number, correction: number, terms: number[], added: number,
 *   addedValue: number, total: number, output: number}} State
 */

/**
 * The state before any block, and after each.
 * @param {readonly number[]} scores
 * @param {readonly number[]} values
 * @param {number} block how many keys are read at a time
 * @param {boolean} correct false leaves the old terms as they are when the maximum rises
 */
function readBlocks(scores, values, block, correct) {
  /** @type {State[]} */
  const states = [{ maximum: -Infinity, correction: 1, terms: [], added: 0, addedValue: 0,
    total: 0, output: 0 }];
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
      maximum, correction, terms: [...before.terms.map((x) => correction * x), ...terms],
      added, addedValue, total, output: (kept * before.output + addedValue) / total,
    });
  }
  return states;
}

/**
 * How many blocks of a size hold no key that has not been read; all of them once all are read.
 * @param {number} n
 * @param {number} read
 * @param {number} block
 */
const stepAt = (n, read, block) => read >= n ? Math.ceil(n / block) : Math.floor(read / block);

/** Whether two outputs differ by more than rounding. @param {number} a @param {number} b */
const differ = (a, b) => Math.abs(a - b) > 1e-9 * Math.max(Math.abs(a), Math.abs(b));

/** A number to compute with: four decimals at most, two digits at least. @param {number} x */
const part = (x) => Math.abs(x) < 0.001 ? short(Number(x.toPrecision(2)))
  : Number.isFinite(x) ? String(Number(x.toFixed(4))).replace("-", "−") : fixed(x);

/** The same behind another sign: a negative one in brackets. @param {number} x */
const operand = (x) => (x < 0 ? `(${part(x)})` : part(x));

/** @param {number} from @param {number} to */
const factorText = (from, to) => `exp(${part(from)} − ${operand(to)})`;

/** A term with four decimals; one that would read as nothing is "<.0001". @param {number} x */
const termText = (x) => (x > 0 && x < 0.00005 ? "<.0001" : fixed(x, 4));

/**
 * The arithmetic of a step in numbers: what gives the maximum, the correction, the sum, the output.
 * @param {State} before
 * @param {State} now
 * @param {number} largest of the block's scores
 */
function arithmetic(before, now, largest) {
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

/** @param {readonly State[]} states */
const outputsText = (states) =>
  states.slice(1).map(({ output }) => fixed(output, 4)).join(", ") || "none yet";

/**
 * What the drawing of the outputs shows, in words.
 * @param {readonly State[]} states so far
 * @param {readonly State[] | undefined} right the same with the correction, if that is drawn too
 * @param {number} exact
 */
const chartText = (states, right, exact) =>
  `The output after each block, from top to bottom: ${outputsText(states)}. ` +
  (right ? `Dotted, the corrected output: ${outputsText(right)}. ` : "") +
  `Vertical line, the exact output: ${fixed(exact, 4)}.`;

// == page =====================================================================================

const [HEAD, ROW] = [30, 28]; // px: the rows of the table and of the drawing beside it

/**
 * @type {Codecs<{names: string[], scores: number[], values: number[], block: number, step: number,
 *   correct: boolean}>}
 */
const TRAITS = {
  names: plain, scores: floats, values: floats,
  block: whole("block", 1, ({ names }) => names.length),
  step: whole("step", 0, ({ names, block }) => Math.ceil(names.length / block)),
  correct: flag("correct"),
};

const widget = explorer("online", "Online softmax explorer", TRAITS, (read, set) => {
  const { names, scores, values } = read();
  const n = names.length;
  const exact = dot(softmax(scores, 1), values);

  // What the kernel sends comes one trait at a time: a step may be too large for a new block size.
  const blockNow = () => read().block;
  const stepNow = () => Math.min(Math.ceil(n / blockNow()), read().step);
  const readNow = () => Math.min(n, stepNow() * blockNow());

  // Controls.
  const readText = () => `${readNow()} of ${n}`;
  const step = rangeControl("Keys read", [0, n], (value) => set({ step: value }),
    { write: readText, say: () => `${readText()} keys read` });
  const move = (/** @type {number} */ by) => {
    const to = stepNow() + by;
    if (to >= 0 && to <= Math.ceil(n / blockNow())) set({ step: to });
  };
  const back = button("Back", () => move(-1));
  const next = button("Next block", () => move(1));
  const keys = (/** @type {number} */ count) => `${count} key${count === 1 ? "" : "s"}`;
  const block = rangeControl("Block size", [1, n],
    (value) => set({ block: value, step: stepAt(n, readNow(), value) }),
    { write: keys, say: (count) => `blocks of ${keys(count)}` });
  const correct = checkboxControl("Correct old terms when the maximum rises",
    (checked) => set({ correct: checked }));

  // The keys, with the frame around the block of this step.
  const rows = names.map((name, i) => keyRow(name, scores[i], values[i]));
  const sumOfTerms = h("data");
  const frame = h("div", { class: "frame", ...HIDDEN });
  const columns = [wordWidth(names, 52, 88),
    ...[scores, values].map((numbers) => wordWidth(numbers.map(short), 56, 76))];
  const table = h("div", { class: "keys" }, h("table", {},
    h("caption", { class: "unseen" }, "The keys, in the order in which they are read"),
    h("colgroup", {}, ...columns.map((width) => h("col", { width })), h("col"),
      h("col", { class: "term" })),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "key ", letter("k")),
      h("th", { scope: "col" }, "score ", letter("s", "")),
      h("th", { scope: "col" }, "value ", letter("v")),
      h("th", { scope: "col", colspan: 2 }, "term of ", letter("ℓ", "")))),
    h("tbody", {}, ...rows.map(({ root }) => root)),
    h("tfoot", {}, h("tr", {}, h("th", { scope: "row", colspan: 4 }, "sum ", letter("ℓ", "")),
      h("td", {}, sumOfTerms)))), frame);

  const chart = outputChart(names, values, exact);
  const note = h("p", { class: "note" });
  const kept = [
    stateRow("maximum", "m", "", "the larger of before and the block"),
    stateRow("correction", "c", "", "exp(before − now) of the maximum"),
    stateRow("sum", "ℓ", "", "c × sum before + terms of the block"),
    stateRow("output", "o", "o", "(c × sum × output before + terms × values) / sum"),
  ];

  /** @param {ReturnType<typeof read>} now */
  function draw({ block: size, correct: isCorrect }) {
    const at = stepNow();
    const states = readBlocks(scores, values, size, isCorrect);
    const right = isCorrect ? states : readBlocks(scores, values, size, true);
    const now = states[at];
    const before = states[Math.max(0, at - 1)];
    const start = at === 0 ? 0 : (at - 1) * size;
    const end = Math.min(n, at * size);
    const hasRisen = at > 1 && now.maximum > before.maximum;
    const isStale = differ(now.total, right[at].total);

    step.set(at, states.length - 1);
    block.set(size);
    correct.set(isCorrect);
    setAttributes(back, { "aria-disabled": String(at === 0) });
    setAttributes(next, { "aria-disabled": String(at === states.length - 1) });

    rows.forEach((row, i) => row.set(
      i < end ? now.terms[i] : undefined,
      i < start && hasRisen && isCorrect ? before.terms[i] : undefined,
      now.correction, i >= start && i < end, i % size === 0));
    frame.style.top = `${HEAD + ROW * start}px`;
    frame.style.height = `${ROW * (end - start)}px`;
    setNumber(sumOfTerms, now.total, fixed(now.total, 4));
    const hasOther = !isCorrect && at > 1; // a line needs two points
    chart.outputs(states.slice(0, at + 1), hasOther ? right.slice(0, at + 1) : undefined, size);

    const shrink = h("b", {}, `×\u00a0${factorText(before.maximum, now.maximum)} = ` +
      part(Math.exp(before.maximum - now.maximum)));
    note.replaceChildren(...(at === 0 ? ["No key has been read: there is no term yet."]
      : at === 1 ? ["The first block: there are no old terms to correct."]
        : !hasRisen ? [`The maximum stays ${part(now.maximum)}: `,
          isStale ? "the terms from before it rose are still too large."
            : "the old terms stay as they are."]
          : [`The maximum rises from ${part(before.maximum)} to ${part(now.maximum)}: `,
            ...(isCorrect ? ["each old term shrinks, ", shrink, "."]
              : ["each old term should shrink, ", shrink, ", but stays as it is."])]));

    const how = at === 0 ? Array(4).fill("before any key")
      : arithmetic(before, now, Math.max(...scores.slice(start, end)));
    kept[0].set(now.maximum, part(now.maximum), how[0]);
    kept[1].set(at === 0 ? NaN : now.correction, at === 0 ? "–" : part(now.correction), how[1]);
    kept[2].set(now.total, fixed(now.total, 4), how[2]);
    kept[3].set(now.output, fixed(now.output, 4), how[3]);

    const isWrong = differ(now.output, right[at].output);
    const isAll = end === n;
    const output = h("b", { class: "o" }, letter("o"), " = ",
      number(now.output, fixed(now.output, 4)));
    const wanted = number(exact, fixed(exact, 4));
    return [h("b", {}, `${readText()} keys read`), ": output ", output,
      ...(isWrong ? [h("b", {}, " is wrong"),
        ...(isAll ? [] : [" (right so far: ",
          number(right[at].output, fixed(right[at].output, 4)), ")"])] : []),
      ...(isAll && !isWrong ? [", the exact one."] : [", the exact one is ", wanted, "."])];
  }

  return {
    draw, drawings: [chart],
    below: [
      h("div", { class: "controls" }, step.root, h("div", { class: "control buttons" }, back, next),
        block.root, h("div", { class: "control wide" }, correct.root)),
      h("div", { class: "view" }, table, chart.root,
        note, h("dl", {}, ...kept.map(({ root }) => root))),
    ],
  };
});

/**
 * A row of the table: a key, and its part of the sum as a bar.
 * @param {string} name
 * @param {number} score
 * @param {number} value
 */
function keyRow(name, score, value) {
  const state = h("span", { class: "unseen" });
  const [ghost, fill] = [h("span", { class: "ghost" }), h("span", { class: "fill" })];
  const shrink = h("span", { class: "shrink" });
  const bar = h("span", { class: "bar", ...HIDDEN }, ghost, fill, shrink);
  const number = h("data");
  const root = h("tr", {}, h("th", { scope: "row" }, name, state),
    h("td", {}, short(score)), h("td", { class: "v" }, short(value)),
    h("td", { class: "barcell" }, bar), h("td", {}, number));
  return {
    root,
    /**
     * @param {number | undefined} term none: still to come
     * @param {number | undefined} before this step, if the step made it smaller
     * @param {number} correction
     * @param {boolean} isNew read in this step
     * @param {boolean} isFirst of a block
     */
    set(term, before, correction, isNew, isFirst) {
      root.classList.toggle("coming", term === undefined);
      root.classList.toggle("new", isNew);
      root.classList.toggle("first", isFirst);
      setText(state, isNew ? " (read in this step)" : "");
      fill.style.width = `${100 * (term ?? 0)}%`;
      fill.style.background = weightColor(term ?? 0);
      fill.hidden = term === undefined;
      ghost.style.width = `${100 * (before ?? 0)}%`;
      ghost.hidden = before === undefined;
      shrink.hidden = before === undefined || (term ?? 0) > 0.4; // there is no room beside it
      shrink.style.left = `calc(${100 * (term ?? 0)}% + 4px)`;
      setText(shrink, `× ${part(correction)}`);
      setNumber(number, term ?? NaN, term === undefined ? "to come" : termText(term));
    },
  };
}

/**
 * A number that is kept: its name, how this step got it, and how large it is.
 * @param {string} name
 * @param {string} symbol
 * @param {string} role
 * @param {string} rule how every step gets it, in words
 */
function stateRow(name, symbol, role, rule) {
  const [how, now] = [h("span"), h("data")];
  return {
    root: h("div", { class: role }, h("dt", {}, `${name} `, letter(symbol, role)),
      h("dd", { class: "now" }, now),
      h("dd", { class: "how" }, h("span", { class: "small" }, rule), how)),
    /** @param {number} value @param {string} text @param {string} numbers */
    set(value, text, numbers) {
      setText(how, numbers);
      setNumber(now, value, text);
    },
  };
}

/**
 * The output after each block, on the rows of the table: each value pulls it to its side.
 * @param {readonly string[]} names
 * @param {readonly number[]} values
 * @param {number} exact
 */
function outputChart(names, values, exact) {
  const n = names.length;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const bottom = HEAD + ROW * n;
  const height = bottom + ROW;

  const marks = s("g");
  const labels = names.map((name, i) =>
    s("text", { class: "dim name", x: 0, y: HEAD + ROW * i + 18 },
      [...name].length > 9 ? `${[...name].slice(0, 8).join("")}…` : name));
  const places = values.map((_, i) => s("circle", { r: 3.5, cy: HEAD + ROW * (i + 0.5) }));
  const [ghost, path] = [s("path", { class: "right" }), s("path", { class: "path" })];
  const dots = names.map(() => s("circle", { class: "output" }));
  const outputs = names.map(() => s("text", { class: "o halo" }));
  const svg = s("svg", { height, role: "img" }, marks, ...labels, ...places, ghost, path,
    ...outputs, ...dots);
  const root = h("div", { class: "track" }, svg);

  /**
   * @param {number} width
   * @param {State[]} states so far
   * @param {State[] | undefined} right
   * @param {number} block
   */
  function draw(width, states, right, block) {
    const from = Math.max(0, parseFloat(getComputedStyle(root).getPropertyValue("--names")));
    const left = from + INSET;
    const x = (/** @type {number} */ value) =>
      left + (width - left - INSET) * (high > low ? (value - low) / (high - low) : 0.5);
    const y = (/** @type {number} */ step) => HEAD + ROW * Math.min(n, step * block);
    const line = (/** @type {State[]} */ run) => run.length < 2 ? ""
      : pathOf(run.slice(1).map(({ output }, i) => [x(output), y(i + 1)]));
    const exactText = `exact ${fixed(exact, 4)}`;
    const half = textWidth(exactText) / 2 + 2;
    const foot = { class: "dim", x: (from + width) / 2, "text-anchor": "middle" };
    marks.replaceChildren(
      ...names.map((_, i) => HEAD + ROW * (i + 1)).map((at) =>
        s("path", { class: "hair", d: `M${from} ${at}H${width}` })),
      s("path", { class: "exact", d: `M${x(exact)} ${HEAD - 8}V${bottom + 4}` }),
      s("text", { class: "o", x: Math.max(from + half, Math.min(width - half, x(exact))),
        y: HEAD - 13, "text-anchor": "middle" }, exactText),
      s("text", { class: "v", x: from, y: bottom + 19 }, short(low)),
      s("text", { class: "v", x: width, y: bottom + 19, "text-anchor": "end" }, short(high)),
      s("text", { ...foot, y: bottom + 19 },
        "value ", drawnLetter("v"), ", output ", drawnLetter("o")),
      ...(right ? [s("text", { ...foot, y: bottom + 32 }, "dotted: corrected")] : []));
    values.forEach((value, i) => {
      setAttributes(places[i], { cx: x(value).toFixed(1),
        class: i < (states.length - 1) * block ? "value" : "value coming" });
    });
    setAttributes(path, { d: line(states) });
    setAttributes(ghost, { d: right ? line(right) : "" });

    // Each number stands beside its dot, where it covers little of the line and touches no other.
    const points = states.slice(1).map(({ output }, i) => [x(output), y(i + 1)]);
    const texts = states.slice(1).map(({ output }) => fixed(output, 4));
    const drawn = points.slice(1).flatMap(([px, py], i) => Array.from({ length: 25 }, (_, k) =>
      [px + (k / 24) * (points[i][0] - px), py + (k / 24) * (points[i][1] - py)]));
    const boxes = placeLabels(points.map(([px, py], i) =>
      placesBeside(px, py, textWidth(texts[i]) + 4, { from, to: width },
        { gap: 8, offs: [9, 14], cost: 1 / 9, left: 1e-6 })), covering(drawn));
    dots.forEach((dot, i) => {
      const visibility = i < points.length ? "visible" : "hidden";
      setAttributes(dot, { visibility });
      setAttributes(outputs[i], { visibility });
      if (i >= points.length) return;
      const isLast = i === points.length - 1;
      const [px, py] = points[i];
      setAttributes(dot, { cx: px.toFixed(1), cy: py, r: isLast ? 5.5 : 3.5 });
      setAttributes(outputs[i], { x: (boxes[i].left + 2).toFixed(1), y: boxes[i].top + 11,
        class: isLast ? "o halo strong" : "o halo" });
      setText(outputs[i], texts[i]);
    });
    setAttributes(svg, { "aria-label": chartText(states, right, exact) });
  }

  return drawing(root, svg, height, { outputs: draw });
}

export default widget;
