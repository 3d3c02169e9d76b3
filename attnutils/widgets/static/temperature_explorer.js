// @ts-check
// TemperatureExplorer: weights, entropy and output over the whole range of temperatures.

// == compute ==================================================================================

/** @type {Record<string, (scores: readonly number[], temperature: number) => number[]>} */
const NORMALIZERS = { softmax, sparsemax, hardmax };

/** The scores with the second largest raised to the largest. @param {readonly number[]} scores */
function tied(scores) {
  const [first, second] = argsortDown(scores);
  return scores.map((x, i) => (i === second ? scores[first] : x));
}

/**
 * @param {readonly number[]} scores
 * @param {readonly number[]} values none: no output
 * @param {string} normalizer
 * @param {number} temperature
 */
function atTemperature(scores, values, normalizer, temperature) {
  const weights = NORMALIZERS[normalizer](scores, temperature);
  return {
    weights,
    entropy: entropy(weights),
    output: values.length > 0 ? dot(weights, values) : NaN,
  };
}

/**
 * The labels of the weights, from the largest down. Words within `gap` of each other share one.
 * @param {readonly string[]} words
 * @param {readonly number[]} weights
 * @param {number} gap
 */
function weightLabels(words, weights, gap) {
  /** @type {number[][]} */
  const groups = [];
  let last = Infinity;
  for (const i of argsortDown(weights)) {
    if (last - weights[i] < gap) groups[groups.length - 1].push(i);
    else groups.push([i]);
    last = weights[i];
  }
  return groups.map((group, rank) => {
    const high = weights[group[0]];
    const low = weights[group[group.length - 1]];
    const names = group.map((i) => words[i]).join(", ");
    const many = group.length === words.length ? "all" : group.length > 2 && high < 0.01 ? "others"
      : names.length > 24 ? "words" : "";
    const share = high === 0 ? "0" : weightText(high) === weightText(low) ? weightText(high)
      : high < 0.01 ? "< .01" : `${fixed(low, 2)}–${fixed(high, 2)}`;
    const who = many === "all" ? `all ${countWord(words.length)}`
      : many ? `${group.length} ${many}` : names;
    return { text: `${who} ${share}`, weight: (high + low) / 2, top: rank === 0 };
  });
}

// == page =====================================================================================

const SAMPLES = 200;

/**
 * @type {Codecs<{words: string[], value_matrix: number[], scores: number[], normalizer: string,
 *   tie: boolean, temperature: number}>}
 */
const TRAITS = {
  words: plain, value_matrix: floats, scores: floats, tie: flag("tie"), temperature: heat,
  normalizer: oneOf("by", () => Object.keys(NORMALIZERS)),
};

const widget = explorer("temperature", "Temperature explorer", TRAITS, (read, set) => {
  const { words, value_matrix: values, scores: given } = read();
  const n = words.length;
  const [first, second] = argsortDown(given);
  const bits = Math.log2(n);

  // Controls.
  const normalizer = selectControl("Scores to weights by",
    Object.fromEntries(Object.keys(NORMALIZERS).map((name) => [name, name])),
    (name) => set({ normalizer: name }));
  const tie = checkboxControl(
    `tie: ${words[second]} scores ${short(given[first])}, as ${words[first]} does`,
    (checked) => set({ tie: checked }));
  const temperature = temperatureControl((t) => set({ temperature: t }));

  // The table.
  const scores = words.map(() => h("td"));
  const bars = words.map(() => weightBar(n));
  const weights = words.map(() => h("data"));
  const entropyNow = h("data");
  const outputNow = h("data");
  const rows = words.map((word, i) => h("tr", {}, h("th", { scope: "row" }, word), scores[i],
    h("td", { class: "barcell" }, bars[i].root), h("td", {}, weights[i])));
  const wordColumn = h("col");
  wordColumn.style.width = `${wordWidth(words, 52, 88)}px`;
  const table = h("table", { "aria-label": "Weights of the keys" },
    h("colgroup", {}, wordColumn, h("col", { class: "score" }), h("col"),
      h("col", { class: "weight" })),
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "first" }, "key ", letter("k")),
      h("th", { scope: "col" }, "score"), h("td", { class: "barcell" }, barHead(n).root),
      h("th", { scope: "col" }, "weight ", letter("α", "")))),
    h("tbody", {}, ...rows),
    h("tfoot", {},
      h("tr", {}, h("th", { scope: "row", colspan: 3 }, `entropy, of at most ${fixed(bits)} bits`),
        h("td", {}, entropyNow)),
      values.length > 0 && h("tr", { class: "o" },
        h("th", { scope: "row", colspan: 3 }, "output ", letter("o")), h("td", {}, outputNow))));

  const chart = temperatureChart(words, values.length > 0);
  const drawCurves = whenNew(chart.curves);

  /** @param {ReturnType<typeof read>} now */
  function draw({ scores: raw, tie: isTied, temperature: t, normalizer: kind }) {
    const scored = isTied ? tied(raw) : raw;
    const now = atTemperature(scored, values, kind, t);
    const most = Math.max(...now.weights);

    normalizer.set(kind);
    tie.set(isTied);
    temperature.set(t);
    words.forEach((_, i) => {
      setText(scores[i], short(scored[i]));
      bars[i].set(now.weights[i]);
      setNumber(weights[i], now.weights[i], weightText(now.weights[i]));
      rows[i].classList.toggle("top", now.weights[i] === most);
    });
    setNumber(entropyNow, now.entropy, fixed(now.entropy));
    if (values.length > 0) setNumber(outputNow, now.output, fixed(now.output, 4));

    // The curves change with everything but the temperature.
    drawCurves([scored, kind], (at) => atTemperature(scored, values, kind, at));
    chart.cursor(t, now);

    const winners = words.filter((_, i) => now.weights[i] === most);
    const share = number(most, fixed(most));
    return [
      ...(kind === "hardmax" ? ["hardmax has no temperature: at every ", letter("T", ""), " "]
        : ["At ", letter("T", ""), " = ", number(t, short(t)), ", "]),
      winners.length === 1
        ? h("b", {}, `${winners[0]} takes `, share)
        : h("b", {}, winners.length === n && n > 2 ? `all ${countWord(n)} words` : listed(winners),
            " share: ", share, " each"),
      "; entropy ", number(now.entropy, fixed(now.entropy)), " bits",
      ...(values.length > 0 ? [", output ", h("b", { class: "o" }, letter("o"), " = ",
        number(now.output, fixed(now.output, 4)))] : []),
      ".",
    ];
  }

  return {
    draw, drawings: [chart],
    below: [h("div", { class: "two" },
      h("div", { class: "controls" }, normalizer.root, h("div", { class: "control" }, tie.root)),
      h("div", { class: "plot" }, chart.root, temperature.root), table)],
  };
});

/** @typedef {ReturnType<typeof atTemperature>} Result */

/**
 * Panels over one temperature axis, which is the slider below; one cursor through all of them.
 * @param {readonly string[]} words
 * @param {boolean} withOutput
 */
function temperatureChart(words, withOutput) {
  const n = words.length;
  const weightPanel = chartPanel(24, 184, "weight ", drawnLetter("α", ""));
  const entropyPanel = chartPanel(248, 60, "entropy in bits");
  const outputPanel = chartPanel(348, 60, "output ", drawnLetter("o", ""));
  const panels = [weightPanel, entropyPanel, ...(withOutput ? [outputPanel] : [])];
  const height = panels[panels.length - 1].bottom + 6;

  // One line, one dot and at most one label for each weight, then for entropy and output.
  const roles = [...words.map(() => "weight"), "entropy", ...(withOutput ? ["output"] : [])];
  const lines = roles.map((role) => s("path", { class: `line ${role}` }));
  const dots = roles.map((role) => s("circle", { class: `dot ${role}`, r: 4.5 }));
  const labels = roles.map(() => chartLabel());
  const cursor = s("path", { class: "cursor" });
  const svg = s("svg", {
    height, role: "img",
    "aria-label": `${withOutput ? "Weights, entropy and output" : "Weights and entropy"} over the ` +
      "temperature, from hard at the left to uniform at the right. " +
      "The table has the numbers at the cursor.",
  },
  ...panels.map(({ marks }) => marks), ...lines, cursor, ...panels.map(({ name }) => name),
  ...labels.map(({ root }) => root), ...dots);
  const x = (/** @type {number} */ width, /** @type {number} */ position) =>
    GUTTER + INSET + ((width - GUTTER - 2 * INSET) * position) / 100;
  /** @param {Result} result */
  const heights = ({ weights, entropy, output }) => [
    ...weights.map(weightPanel.y), entropyPanel.y(entropy),
    ...(withOutput ? [outputPanel.y(output)] : []),
  ];
  let covered = covering([]);

  return drawing(h("div", {}, svg), svg, height, {
    /** @param {number} width @param {(t: number) => Result} compute */
    curves(width, compute) {
      const positions = Array.from({ length: SAMPLES + 1 }, (_, i) => (100 * i) / SAMPLES);
      const samples = positions.map((position, i) =>
        compute(i === 0 ? 0 : i === SAMPLES ? Infinity : 10 ** ((position - 50) / 25)));
      weightPanel.setScale(width, [[0, "0"], [1 / n, `1/${n}`], [1, "1"]]);
      entropyPanel.setScale(width, [[0, "0"], [Math.log2(n), fixed(Math.log2(n), 2)]]);
      if (withOutput) {
        const outputs = samples.map(({ output }) => output);
        outputPanel.setScale(width, [Math.min(0, ...outputs), Math.max(0, ...outputs)]
          .map((end) => [end, short(Number(end.toFixed(2)))]));
      }
      const columns = samples.map(heights);
      const curves = roles.map((_, line) =>
        columns.map((column, i) => [x(width, positions[i]), column[line]]));
      curves.forEach((points, line) => setAttributes(lines[line], { d: pathOf(points) }));
      covered = covering(curves.flat());
    },
    /** @param {number} width @param {number} t @param {Result} now */
    cursor(width, t, now) {
      const at = x(width, sliderPosition(t));
      setAttributes(cursor, { d: `M${at} ${weightPanel.top - 8}V${height}` });
      heights(now).forEach((y, i) => setAttributes(dots[i], { cx: at, cy: y }));
      now.weights.forEach((w, i) => setAttributes(dots[i], { fill: viridis(w) }));

      const texts = [
        ...weightLabels(words, now.weights, 9 / (weightPanel.bottom - weightPanel.top))
          .map(({ text, weight, top }) => ({
            text, y: weightPanel.y(weight), home: weightPanel, role: top ? "strong" : "",
          })),
        { text: `${fixed(now.entropy)} bits`, y: entropyPanel.y(now.entropy), home: entropyPanel,
          role: "strong" },
        ...(withOutput ? [{ text: `o = ${fixed(now.output, 4)}`, y: outputPanel.y(now.output),
          home: outputPanel, role: "strong o" }] : []),
      ];
      const boxes = placeLabels(texts.map(({ text, y, home }) =>
        placesBeside(at, y, textWidth(text) + 6,
          { from: GUTTER, to: width, top: home.top - 1, bottom: home.bottom + 13 },
          { offs: [12, 24, 36], cost: 1 / 3, left: 2 })), covered);
      labels.forEach((label, i) => label.set(at, texts[i], boxes[i]));
    },
  });
}

/**
 * A panel of the chart: a title, and hairlines with their numbers in the gutter.
 * @param {number} top
 * @param {number} height
 * @param {Child[]} title
 */
function chartPanel(top, height, ...title) {
  const marks = s("g");
  const name = s("text", { class: "title halo", x: GUTTER, y: top - 10 }, ...title);
  let [low, high] = [0, 1];
  const y = (/** @type {number} */ value) => top + height * (1 - (value - low) / (high - low || 1));
  return {
    marks, name, top, bottom: top + height, y,
    /** @param {number} width @param {[number, string][]} ticks the first and the last are the ends */
    setScale(width, ticks) {
      [low, high] = [ticks[0][0], ticks[ticks.length - 1][0]];
      marks.replaceChildren(...ticks.flatMap(([value, text]) => level(y(value), width, text)));
    },
  };
}

/** A label beside the cursor, on a plate that hides the lines under it. */
function chartLabel() {
  const leader = s("path", { class: "leader" });
  const plate = s("rect", { class: "plate", rx: 2 });
  const text = s("text");
  const root = s("g", {}, leader, plate, text);
  return {
    root,
    /**
     * @param {number} at
     * @param {{text: string, y: number, role: string}} [label] none: the label is not in use
     * @param {Box} [box]
     */
    set(at, label, box) {
      setAttributes(root, { visibility: label && box ? "visible" : "hidden" });
      if (!label || !box) return;
      const isRight = box.left > at;
      const middle = box.top + box.height / 2;
      const far = Math.abs(middle - label.y) > 12;
      setAttributes(leader, {
        d: far ? `M${at} ${label.y}L${isRight ? box.left : box.left + box.width} ${middle}` : "",
      });
      const { left, top, width, height } = box;
      setAttributes(plate, { x: left, y: top, width, height });
      setAttributes(text, {
        class: label.role, x: isRight ? left + 2 : left + width - 2, y: middle + 4,
        "text-anchor": isRight ? "start" : "end",
      });
      setText(text, label.text);
    },
  };
}

export default widget;
