// @ts-check
// TemperatureExplorer: weights, mean score, entropy and output over the whole range of temperatures.

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
    mean: dot(weights, scores),
    entropy: entropy(weights),
    output: values.length > 0 ? dot(weights, values) : NaN,
  };
}

/**
 * The scores that the mean score passes as the temperature rises, each with the words that have it,
 * from the largest down: those between the mean of all scores and the largest.
 * @param {readonly string[]} words
 * @param {readonly number[]} scores
 */
function passed(words, scores) {
  const [low, high] = [sum(scores) / scores.length, Math.max(...scores)];
  /** @type {Map<number, string[]>} */
  const found = new Map();
  for (const i of argsortDown(scores)) {
    const score = scores[i];
    if (score > low && score < high) found.set(score, [...(found.get(score) ?? []), words[i]]);
  }
  return { low, high, between: [...found].map(([score, names]) => ({ score, names })) };
}

/** A weight; one that is exactly 0 shows it. @param {number} w */
const shareText = (w) => (w === 0 ? "0" : weightText(w));

const LONGEST = 24; // characters of names in one label

/**
 * The labels of the weights, from the largest down. Only words that read the same share one.
 * @param {readonly string[]} words
 * @param {readonly number[]} weights
 */
function weightLabels(words, weights) {
  /** @type {{names: string, share: string, weight: number, count: number}[]} */
  const labels = [];
  const shares = weights.map(shareText);
  const longest = new Set(shares).size === 1 ? Infinity : LONGEST;
  for (const i of argsortDown(weights)) {
    const last = labels[labels.length - 1];
    const names = `${last?.names}, ${words[i]}`;
    if (last?.share === shares[i] && names.length <= longest) {
      last.names = names;
      last.count++;
    } else labels.push({ names: words[i], share: shares[i], weight: weights[i], count: 1 });
  }
  return labels;
}

/**
 * Where a curve may be named: above or below a point of it, and no other curve is as near.
 * @param {readonly (readonly number[])[]} curve its points
 * @param {readonly (readonly (readonly number[])[])[]} others the points of the others, at the same x
 * @param {number} width of the name
 * @param {{from: number, to: number, top: number}} room
 * @returns {Box[]}
 */
function placesAlong(curve, others, width, { from, to, top }) {
  return curve.flatMap(([x, y], at) => {
    const left = x - width / 2;
    if (at % 4 > 0 || left < from || left + width > to) return [];
    return [y - 8, y + 9].flatMap((middle) => {
      const own = Math.abs(middle - y);
      const clear = Math.min(...others.map((other) => Math.abs(other[at][1] - middle))) - own;
      return clear < 2 || middle - 6 < top ? []
        : [{ left, top: middle - 6, width, height: 12, cost: 40 - Math.min(40, clear) }];
    });
  });
}

// == page =====================================================================================

const SAMPLES = 200;

/**
 * @type {Codecs<{words: string[], value_matrix: number[], simple: boolean, scores: number[],
 *   normalizer: string, tie: boolean, temperature: number}>}
 */
const TRAITS = {
  words: plain, value_matrix: floats, simple: plain, scores: floats, tie: flag("tie"), temperature: heat,
  normalizer: oneOf("by", () => Object.keys(NORMALIZERS)),
};

const widget = explorer("temperature", "Temperature explorer", TRAITS, (read, set) => {
  const { words, value_matrix: values, scores: given, simple } = read();
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
  const controls = h("div", { class: "controls" }, normalizer.root,
    h("div", { class: "control" }, tie.root));

  // The table.
  const scores = words.map(() => h("td"));
  const bars = words.map(() => weightBar(n));
  const weights = words.map(() => h("data"));
  const meanNow = h("data");
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
      h("tr", {}, h("th", { scope: "row", colspan: 3 }, "mean score"), h("td", {}, meanNow)),
      !simple && h("tr", {},
        h("th", { scope: "row", colspan: 3 }, `entropy, of at most ${fixed(bits)} bits`),
        h("td", {}, entropyNow)),
      values.length > 0 && h("tr", { class: "o" },
        h("th", { scope: "row", colspan: 3 }, "output ", letter("o")), h("td", {}, outputNow))));

  const chart = temperatureChart(words, !simple, values.length > 0);
  const drawCurves = whenNew(chart.curves);

  /** @param {ReturnType<typeof read>} now */
  function draw({ scores: raw, tie: isTied, temperature: t, normalizer: kind }) {
    const scored = isTied ? tied(raw) : raw;
    const now = atTemperature(scored, values, kind, t);
    const most = Math.max(...now.weights);

    normalizer.set(kind);
    tie.set(isTied);
    // An address may ask for more than a simple one offers: then its controls are there.
    controls.hidden = simple && kind === "softmax" && !isTied;
    temperature.set(t);
    words.forEach((_, i) => {
      setText(scores[i], short(scored[i]));
      bars[i].set(now.weights[i]);
      setNumber(weights[i], now.weights[i], shareText(now.weights[i]));
      rows[i].classList.toggle("top", now.weights[i] === most);
    });
    setNumber(meanNow, now.mean, fixed(now.mean));
    setNumber(entropyNow, now.entropy, fixed(now.entropy));
    if (values.length > 0) setNumber(outputNow, now.output, fixed(now.output, 4));

    // The curves change with everything but the temperature.
    // Where a word turns is a law of softmax.
    const range = passed(words, scored);
    drawCurves([scored, kind], kind === "softmax" ? range : { ...range, between: [] },
      (at) => atTemperature(scored, values, kind, at));
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
      ...(simple ? [] : ["; entropy ", number(now.entropy, fixed(now.entropy)), " bits"]),
      ...(values.length > 0 ? [", output ", h("b", { class: "o" }, letter("o"), " = ",
        number(now.output, fixed(now.output, 4)))] : []),
      ".",
    ];
  }

  return {
    draw, drawings: [chart],
    below: [h("div", { class: "two" },
      controls, h("div", { class: "plot" }, chart.root, temperature.root), table)],
  };
});

/** @typedef {ReturnType<typeof atTemperature>} Result */

/**
 * Panels over one temperature axis, which is the slider below; one cursor through all of them.
 * @param {readonly string[]} words
 * @param {boolean} withEntropy without it the weights have its room
 * @param {boolean} withOutput
 */
function temperatureChart(words, withEntropy, withOutput) {
  const n = words.length;
  const more = withEntropy ? 0 : 74;
  const weightPanel = chartPanel(24, 180 + more, "weight ", drawnLetter("α", ""));
  const meanPanel = chartPanel(240 + more, 58, "mean score");
  const entropyPanel = chartPanel(332, 40, "entropy in bits");
  const outputPanel = chartPanel(406, 40, "output ", drawnLetter("o", ""));
  const panels = [weightPanel, meanPanel, ...(withEntropy ? [entropyPanel] : []),
    ...(withOutput ? [outputPanel] : [])];
  const height = panels[panels.length - 1].bottom + 6;

  // One line, one dot and at most one label for each weight, then for what follows from them.
  const roles = [...words.map(() => "weight"), "mean", ...(withEntropy ? ["entropy"] : []),
    ...(withOutput ? ["output"] : [])];
  const lines = roles.map((role) => s("path", { class: `line ${role}` }));
  const dots = roles.map((role) => s("circle", { class: `dot ${role}`, r: 4.5 }));
  const labels = roles.map(() => chartLabel());
  const names = words.map(() => s("text", { class: "dim halo", "text-anchor": "middle" }));
  const between = s("g");
  /** @type {{text: Element, box: Box}[]} the names of the scores in it */
  let scoreNames = [];
  const cursor = s("path", { class: "cursor" });
  const svg = s("svg", {
    height, role: "img",
    "aria-label": `${listed(["Weights", "mean score", ...(withEntropy ? ["entropy"] : []),
      ...(withOutput ? ["output"] : [])])} over ` +
      "the temperature, from hard at the left to uniform at the right. " +
      "The table has the numbers at the cursor.",
  },
  ...panels.map(({ marks }) => marks), between, ...lines, ...names, cursor, ...panels.map(({ name }) => name),
  ...labels.map(({ root }) => root), ...dots);
  const x = (/** @type {number} */ width, /** @type {number} */ position) =>
    GUTTER + INSET + ((width - GUTTER - 2 * INSET) * position) / 100;
  /** @param {Result} result */
  const heights = ({ weights, mean, entropy, output }) => [
    ...weights.map(weightPanel.y), meanPanel.y(mean),
    ...(withEntropy ? [entropyPanel.y(entropy)] : []), ...(withOutput ? [outputPanel.y(output)] : []),
  ];
  let covered = covering([]);
  /** @type {Box[]} */
  let named = [];

  /**
   * The places of the labels of the weights: a column beside the cursor, in order, on the side where
   * it covers less.
   * @param {number} at
   * @param {readonly {text: string, y: number}[]} texts from the top down
   * @param {number} width
   * @returns {Box[]}
   */
  function column(at, texts, width) {
    const top = weightPanel.top - 6;
    const middles = spread(texts.map(({ y }) => ({ at: y - top, width: 13 })),
      weightPanel.bottom + 13 - top);
    const sides = [true, false].map((isRight) => texts.map(({ text }, i) => {
      const size = { width: textWidth(text) + 6, height: 13 };
      return { left: isRight ? at + 12 : at - 12 - size.width, top: top + middles[i].middle - 6.5, ...size };
    }));
    const [right, left] = sides.map((boxes) => sum(boxes.map((box) =>
      (box.left < GUTTER || box.left + box.width > width ? 1000 : covered(box)))));
    return sides[left + 20 < right ? 1 : 0];
  }

  /**
   * Marks the scores that the mean score passes, where there is room.
   * @param {number} width
   * @param {ReturnType<typeof passed>["between"]} scores
   */
  function setPassed(width, scores) {
    let last = meanPanel.top;
    scoreNames = [];
    between.replaceChildren(...scores.flatMap(({ score, names }) => {
      const y = meanPanel.y(score);
      if (y < last + 12 || y > meanPanel.bottom - 8) return [];
      last = y;
      const whose = names.length > 1 ? `${countWord(names.length)} words` : names[0];
      const label = `score of ${whose}, ${short(score)}`;
      const text = s("text", { class: "turning", x: width, y: y - 3, "text-anchor": "end" }, label);
      const size = { width: textWidth(label), height: 12 };
      scoreNames.push({ text, box: { left: width - size.width, top: y - 14, ...size } });
      return [s("path", { class: "passed", d: `M${GUTTER} ${y}H${width}` }), text];
    }));
    const turning = new Set(scores.flatMap(({ names }) => names));
    words.forEach((word, i) => lines[i].classList.toggle("turning", turning.has(word)));
  }

  /**
   * Names each curve of weights where it is farthest from the others, if there is such a place.
   * @param {readonly number[][][]} curves
   * @param {number} width
   */
  function nameCurves(curves, width) {
    // Words with the same scores share a curve.
    const paths = words.map((_, i) => lines[i].getAttribute("d"));
    const groups = [...new Set(paths)].map((path) =>
      paths.flatMap((other, i) => (other === path ? [i] : [])));
    const texts = groups.map((group) => {
      const all = group.map((i) => words[i]).join(", ");
      return all.length > LONGEST ? `${group.length} words` : all;
    });
    const places = groups.map(([i], at) =>
      placesAlong(curves[i], groups.flatMap(([j]) => (i === j ? [] : [curves[j]])),
        textWidth(texts[at]) + 4, { from: GUTTER, to: width, top: weightPanel.top }));
    const free = texts.filter((_, at) => places[at].length > 0);
    named = placeLabels(places.filter(({ length }) => length > 0), covered);
    names.forEach((name, k) => {
      const box = named[k];
      setText(name, box ? free[k] : "");
      if (box) setAttributes(name, { x: box.left + box.width / 2, y: box.top + 10 });
    });
  }

  return drawing(h("div", {}, svg), svg, height, {
    /**
     * @param {number} width
     * @param {ReturnType<typeof passed>} range of the mean score
     * @param {(t: number) => Result} compute
     */
    curves(width, { low, high, between }, compute) {
      const positions = Array.from({ length: SAMPLES + 1 }, (_, i) => (100 * i) / SAMPLES);
      const samples = positions.map((position) => compute(temperatureUnder(position)));
      weightPanel.setScale(width, [[0, "0"], [1 / n, `1/${n}`], [1, "1"]]);
      meanPanel.setScale(width, [[low, short(Number(low.toFixed(2)))], [high, short(high)]]);
      setPassed(width, between);
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
      nameCurves(curves.slice(0, n), width);
    },
    /** @param {number} width @param {number} t @param {Result} now */
    cursor(width, t, now) {
      const at = x(width, sliderPosition(t));
      setAttributes(cursor, { d: `M${at} ${weightPanel.top - 8}V${height}` });
      heights(now).forEach((y, i) => setAttributes(dots[i], { cx: at, cy: y }));
      now.weights.forEach((w, i) => setAttributes(dots[i], { fill: weightColor(w) }));

      const texts = [
        ...weightLabels(words, now.weights).map(({ names, count, share, weight }, rank) => ({
          text: `${count === n && n > 2 ? `all ${countWord(n)}` : names} ${share}`,
          y: weightPanel.y(weight), home: weightPanel, role: rank === 0 ? "strong" : "",
        })),
        { text: `mean ${fixed(now.mean)}`, y: meanPanel.y(now.mean), home: meanPanel, role: "strong" },
        ...(withEntropy ? [{ text: `${fixed(now.entropy)} bits`, y: entropyPanel.y(now.entropy),
          home: entropyPanel, role: "strong" }] : []),
        ...(withOutput ? [{ text: `o = ${fixed(now.output, 4)}`, y: outputPanel.y(now.output),
          home: outputPanel, role: "strong o" }] : []),
      ];
      const weightBoxes = column(at, texts.slice(0, -roles.length + n), width);
      const boxes = [...weightBoxes, ...placeLabels(texts.slice(weightBoxes.length)
        .map(({ text, y, home }) => placesBeside(at, y, textWidth(text) + 6,
          { from: GUTTER, to: width, top: home.top - 1, bottom: home.bottom + 13 },
          { offs: [12, 24, 36], cost: 1 / 3, left: 2 })), covered)];
      // The name of a curve gives way to the labels at the cursor.
      named.forEach((name, i) => setAttributes(names[i], {
        visibility: weightBoxes.some((box) => overlap(box, name)) ? "hidden" : "visible",
      }));
      scoreNames.forEach(({ text, box }) => setAttributes(text, {
        visibility: boxes.some((label) => overlap(label, box)) ? "hidden" : "visible",
      }));
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
  const name = s("text", { class: "heading halo", x: GUTTER, y: top - 10 }, ...title);
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
      const far = Math.abs(middle - label.y) > 3;
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
