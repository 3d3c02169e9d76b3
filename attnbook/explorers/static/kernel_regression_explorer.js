// @ts-check
// KernelRegressionExplorer: regression by a Gaussian kernel, as attention over the points.

// == compute ==================================================================================

/** @param {number} query @param {number} key */
const nearness = (query, key) => -((query - key) * (query - key)) / 2;

/**
 * The weights of the points for a query, and the mean of the values that they give.
 * @param {readonly number[]} keys
 * @param {readonly number[]} values
 * @param {number} query
 * @param {number} temperature the squared bandwidth
 */
function regress(keys, values, query, temperature) {
  const weights = softmax(keys.map((key) => nearness(query, key)), temperature);
  return { weights, output: dot(weights, values) };
}

/**
 * The weight that a point would have if it stood at the query: how high the kernel is, scaled as
 * the weights are. Infinite where no number is large enough.
 * @param {readonly number[]} keys
 * @param {readonly number[]} weights
 * @param {number} query
 * @param {number} temperature above 0
 */
function kernelPeak(keys, weights, query, temperature) {
  const nearest = argsortDown(weights)[0];
  return weights[nearest] * Math.exp(-nearness(query, keys[nearest]) / temperature);
}

/** How many of the heaviest points hold 95 % of the weight. @param {readonly number[]} weights */
function holders(weights) {
  let held = 0;
  return 1 + argsortDown(weights).findIndex((i) => (held += weights[i]) >= 0.95 - 1e-9);
}

/**
 * An axis over a range: round marks, and a finer grid for the places of a slider.
 * @param {number} low
 * @param {number} high
 */
function axisOver(low, high) {
  if (high - low < 1e-9 * Math.max(1, Math.abs(low))) [low, high] = [low - 1, high + 1];
  const raw = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const [lead, fine] = [[1, 0.02], [2, 0.05], [5, 0.1]].find(([x]) => x * power >= raw * 0.999)
    ?? [10, 0.2];
  const [mark, step] = [lead * power, fine * power];
  const first = Math.floor(low / mark + 1e-9);
  const last = Math.ceil(high / mark - 1e-9);
  const count = Math.round(((last - first) * mark) / step);
  /** The decimals of a step, and some more. @param {number} x */
  const decimalsOf = (x, more = 0) =>
    Math.min(12, Math.max(0, more - Math.floor(Math.log10(x) + 1e-9)));
  const at = (/** @type {number} */ place) =>
    Number((first * mark + place * step).toPrecision(12));
  const [start, end] = [at(0), at(count)];
  return {
    low: start, high: end, count, at, decimals: decimalsOf(step),
    marks: Array.from({ length: last - first + 1 }, (_, i) => (first + i) * mark),
    /** @param {number} x */
    share: (x) => (x - start) / (end - start),
    /** @param {number} x */
    text: (x) => fixed(x, decimalsOf(step)),
    /** With more digits, for what is computed. @param {number} x */
    fineText: (x) => fixed(x, Math.min(6, decimalsOf(step, 2))),
    /** @param {number} x */
    markText: (x) => fixed(x, decimalsOf(mark)),
  };
}

/** Which power of ten stands in the middle of the slider of bandwidths. @param {Axis} axis */
const bandwidthPower = (axis) => Math.round(Math.log10((axis.high - axis.low) / 5));

/**
 * How many decimals show all the numbers exactly, if no more than `most` do.
 * @param {readonly number[]} numbers
 * @param {number} most
 */
const enoughDecimals = (numbers, most) => Array.from({ length: most }, (_, digits) => digits)
  .find((digits) => numbers.every((x) => Number(x.toFixed(digits)) === x)) ?? most;

/** 10 to a whole power: 0.1, 1, 10, 10³. @param {number} power */
const powerText = (power) => Math.abs(power) <= 2 ? short(10 ** power)
  : `10${[...String(power)].map((x) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(x)]).join("")}`;

/**
 * The bandwidth at a position 0..100 of the slider, with two digits.
 * @param {number} position
 * @param {number} power of ten in the middle
 */
const bandwidthAt = (position, power) =>
  Number((temperatureAt(position) * 10 ** power).toPrecision(2));

/** @typedef {ReturnType<typeof axisOver>} Axis */
/** @typedef {ReturnType<typeof regress>} Result */

// == page =====================================================================================

const ROWS = 6; // of the table of the heaviest points
const WEIGHT_TOPS = [0.02, 0.05, 0.1, 0.2, 0.5, 1];

/**
 * @param {number} q
 * @param {{x: number[], query: number}} now with the query from before
 */
function isOnAxis(q, { x, query }) {
  const { low, high } = axisOver(Math.min(...x, query), Math.max(...x, query));
  return q >= low && q <= high;
}

/** @type {Codecs<{x: number[], y: number[], query: number, bandwidth: number}>} */
const TRAITS = {
  x: floats, y: floats, query: real("q", isOnAxis), bandwidth: real("sigma", (x) => x >= 0),
};

const widget = explorer("regression", "Kernel regression explorer", TRAITS, (read, set) => {
  const n = read().x.length;
  /** @type {Axis} */
  let axis;

  const bandwidth = bandwidthControl((position) =>
    set({ bandwidth: bandwidthAt(position, bandwidthPower(axis)) }));
  const queryText = () => axis.text(read().query);
  const query = rangeControl(["Query ", letter("q")], [0, 0],
    (place) => set({ query: axis.at(place) }),
    { write: queryText, say: () => `query ${queryText()}` });
  const chart = regressionChart(n, (share) => {
    const q = axis.at(Math.round(share * axis.count));
    if (q !== read().query) set({ query: q });
  });

  // The table of the heaviest points, and the folded one of all.
  const heaviest = Array.from({ length: Math.min(n, ROWS) }, () => pointRow());
  const others = pointRow(n - ROWS === 1 ? "1 other" : `${n - ROWS} others`);
  const total = pointRow("sum");
  const all = Array.from({ length: n }, () => pointRow());
  const table = h("table", {}, ...pointHead("The heaviest points"),
    h("tbody", {}, ...heaviest.map(({ root }) => root)),
    h("tfoot", {}, n > ROWS && others.root, total.root));
  const folded = h("details", {}, h("summary", {}, `All ${n} points, in their order`),
    h("table", {}, ...pointHead("All points"), h("tbody", {}, ...all.map(({ root }) => root))));
  total.root.classList.add("total");

  let data = "";
  const drawFit = whenNew((/** @type {() => void} */ act) => act());
  /** @param {ReturnType<typeof read>} now */
  function draw({ x: keys, y: values, query: q, bandwidth: sigma }) {
    const t = sigma * sigma;
    const now = regress(keys, values, q, t);
    const { weights, output } = now;

    // The axis changes with the points; it grows where Python sets a query outside of it.
    const newData = JSON.stringify([keys, values]);
    if (newData !== data) axis = axisOver(Math.min(...keys, q), Math.max(...keys, q));
    else if (q < axis.low || q > axis.high) {
      axis = axisOver(Math.min(axis.low, q), Math.max(axis.high, q));
    }
    const scale = axisOver(Math.min(...values), Math.max(...values));
    data = newData;
    drawFit([newData, axis.low, axis.high, sigma], () => {
      const results = Array.from({ length: axis.count + 1 },
        (_, place) => regress(keys, values, axis.at(place), t));
      chart.fit(keys, values, axis, scale, results);
      bandwidth.set(sigma, bandwidthPower(axis));
    });
    chart.query(q, now, t);
    query.set(Math.round(axis.share(q) * axis.count), axis.count);

    const order = argsortDown(weights);
    const keyDecimals = enoughDecimals(keys, axis.decimals + 1);
    const valueDecimals = enoughDecimals(values, scale.decimals + 1);
    /** @param {number} i @param {ReturnType<typeof pointRow>} row */
    const fill = (i, row) => {
      setNumber(row.key, keys[i], fixed(keys[i], keyDecimals));
      setNumber(row.value, values[i], fixed(values[i], valueDecimals));
      row.set(weights[i], weights[i] * values[i], scale.fineText);
    };
    heaviest.forEach((row, rank) => fill(order[rank], row));
    const rest = order.slice(ROWS);
    others.set(sum(rest.map((i) => weights[i])), sum(rest.map((i) => weights[i] * values[i])),
      scale.fineText);
    total.set(sum(weights), output, scale.fineText);
    all.forEach((row, i) => fill(i, row));

    const estimate = h("b", { class: "o" }, letter("o"), " = ",
      number(output, scale.fineText(output)));
    const sharing = weights.filter((w) => w > 0).length;
    const held = holders(weights);
    return ["At ", letter("q"), " = ", number(q, axis.text(q)),
      " with ", letter("σ", ""), " = ", number(sigma, short(sigma)),
      ", ", letter("T", ""), " = ", letter("σ", ""), "² = ", number(t, short(t)), ": ",
      ...(t === Infinity ? [`all ${n} points weigh the same, `, estimate, " is the mean."]
        : t === 0 && sharing > 1
          ? [`the ${countWord(sharing)} nearest points share, `, estimate, "."]
        : t === 0 ? ["the nearest point gives ", estimate, "."]
        : [estimate, `; ${held} of ${n} points hold${held === 1 ? "s" : ""} 95 % of the weight.`])];
  }

  return {
    draw, drawings: [chart],
    below: [h("div", { class: "two" }, h("div", { class: "controls" }, bandwidth.root),
      h("div", { class: "plot" }, chart.root, query.root), h("div", {}, table, folded))],
  };
});

/**
 * A row of a table: a point or, with a name, what several points come to.
 * @param {string} [name]
 */
function pointRow(name) {
  const [key, value, weight, product] = [h("data"), h("data"), h("data"), h("data")];
  return {
    root: h("tr", {}, ...(name ? [h("th", { scope: "row", colspan: 2 }, name)]
      : [h("th", { scope: "row" }, key), h("td", {}, value)]),
    h("td", {}, weight), h("td", {}, product)),
    key, value,
    /** @param {number} share @param {number} part @param {Axis["text"]} text */
    set(share, part, text) {
      setNumber(weight, share, weightText(share));
      setNumber(product, part, text(part));
    },
  };
}

/** @param {string} name */
const pointHead = (name) => [
  h("caption", { class: "unseen" }, name),
  h("thead", {}, h("tr", {},
    h("th", { scope: "col" }, "key ", letter("k")),
    h("th", { scope: "col" }, "value ", letter("v")),
    h("th", { scope: "col" }, "weight ", letter("α", "")),
    h("th", { scope: "col" }, letter("α", ""), " × ", letter("v")))),
];

/**
 * One slider with two scales: bandwidths above, their squares, which are temperatures, below.
 * @param {(position: number) => void} onInput
 */
function bandwidthControl(onInput) {
  const id = uniqueId("bandwidth");
  const input = h("input", { type: "range", id, min: 0, max: 100, step: 1 });
  const [sigmaNow, temperatureNow] = [0, 1].map(() => h("output", { for: id, ...HIDDEN }));
  const [sigmaMarks, temperatureMarks] = [0, 1].map(() =>
    Array.from({ length: 3 }, () => h("span")));
  input.addEventListener("input", () => onInput(input.valueAsNumber));
  return {
    root: h("div", { class: "control" },
      h("label", { for: id }, "Bandwidth ", letter("σ", "")), sigmaNow,
      h("div", { class: "ends", ...HIDDEN },
        h("span", {}, "0 nearest"), ...sigmaMarks, h("span", {}, "mean ∞")),
      input,
      h("div", { class: "ends", ...HIDDEN },
        h("span", {}, "0 hard"), ...temperatureMarks, h("span", {}, "uniform ∞")),
      h("span", { class: "name", ...HIDDEN }, "Temperature ", letter("T", ""), " = ", letter("σ", ""), "²"),
      temperatureNow),
    /** @param {number} sigma @param {number} power of ten in the middle */
    set(sigma, power) {
      // The slider has 101 places; a bandwidth set from Python may lie between two of them.
      if (bandwidthAt(input.valueAsNumber, power) !== sigma) {
        input.value = String(Math.round(sliderPosition(sigma / 10 ** power)));
      }
      [power - 1, power, power + 1].forEach((mark, i) => {
        setText(sigmaMarks[i], powerText(mark));
        setText(temperatureMarks[i], powerText(2 * mark));
      });
      const t = sigma * sigma;
      setText(sigmaNow, short(sigma));
      setText(temperatureNow, short(t));
      setAttributes(input, { "aria-valuetext":
        t === 0 ? "bandwidth 0: the nearest point takes all"
          : t === Infinity ? "bandwidth infinite: the mean of all points"
            : `bandwidth ${short(sigma)}, temperature ${short(t)}` });
    },
  };
}

/**
 * The points with the fit, and under them the weights, over one axis, which is the slider below.
 * @param {number} n
 * @param {(share: number) => void} onPoint the pointer asks for a query at this share of the axis
 */
function regressionChart(n, onPoint) {
  const [fitTop, fitBottom, barTop, barBottom, height] = [40, 230, 266, 350, 376];

  const marks = s("g");
  const cursor = s("path", { class: "cursor" });
  const points = Array.from({ length: n }, () => s("circle", { class: "point", r: 4 }));
  const curve = s("path", { class: "curve" });
  const estimate = s("circle", { class: "estimate", r: 5.5 });
  const bars = Array.from({ length: n }, () => s("rect", { class: "weight" }));
  const feet = s("path", { class: "feet" });
  const kernel = s("path", { class: "kernel" });
  const [queryNow, outputNow, kernelText] = [s("tspan"), s("tspan"), s("tspan")];
  const queryLabel = s("text", { class: "q strong halo", y: 14, "text-anchor": "middle" },
    drawnLetter("q"), queryNow);
  const outputLabel = s("text", { class: "o strong halo" }, drawnLetter("o"), outputNow);
  const titles = [fitTop, barTop].map((top) => s("text", { class: "dim halo", y: top - 10 }));
  titles[0].append("value ", drawnLetter("v"), ", estimate ", drawnLetter("o"));
  titles[1].append("weight ", drawnLetter("α", ""), " of each key ", drawnLetter("k"),
    kernelText, drawnLetter("q"));
  const svg = s("svg", { height, role: "img",
    "aria-label": `${n} points and the curve fitted to them, with the query as a vertical line. ` +
      "Under them, on the same axis, the weight of each point as a bar. " +
      "The table has the numbers." },
  marks, cursor, ...points, curve, ...bars, feet, kernel, ...titles, queryLabel, estimate,
  outputLabel);
  const root = h("div", { class: "chart" }, svg);

  let gutter = GUTTER; // wider for long numbers
  let top = 1; // of the scale of the weights
  /** @type {[number[], Axis, Axis]} the keys, their axis, the scale of the values */
  let fitted;
  /** @type {number[]} how many points before this one have the same key: their bars are stacked */
  let below = [];
  let covered = covering([]); // what a label had better not cover
  let span = 0; // of the axis, in px

  const left = () => gutter + INSET;
  const barY = (/** @type {number} */ w) => barBottom - ((barBottom - barTop) * w) / top;
  const px = (/** @type {number} */ x) => x.toFixed(1);

  /**
   * @param {number} width
   * @param {number[]} keys
   * @param {number[]} values
   * @param {Axis} axis of the keys
   * @param {Axis} scale of the values
   * @param {Result[]} results at each place of the axis
   */
  function drawFit(width, keys, values, axis, scale, results) {
    fitted = [keys, axis, scale];
    const numbers = scale.marks.map(scale.markText);
    gutter = Math.max(GUTTER, ...numbers.map((text) => 8 + Math.ceil(textWidth(text))));
    root.parentElement?.style.setProperty("--gutter", `${gutter}px`);
    span = width - gutter - 2 * INSET;
    const x = (/** @type {number} */ key) => left() + span * axis.share(key);
    const y = (/** @type {number} */ v) => fitBottom - (fitBottom - fitTop) * scale.share(v);

    below = keys.map((key, i) => keys.slice(0, i).filter((other) => other === key).length);
    const most = Math.max(3 / n, ...results.map(({ weights }) =>
      weights.reduce((highest, w, i) => Math.max(highest, w * (1 + below[i])), 0)));
    top = WEIGHT_TOPS.find((level) => level >= most - 1e-9) ?? 1;

    const line = (/** @type {number} */ at, /** @type {string} */ text, role = "hair") =>
      level(at, width, text, { gutter, role });
    // Long numbers under the axis: every second one, say.
    const widest = 8 + Math.max(...axis.marks.map((key) => textWidth(axis.markText(key))));
    const stride = Math.ceil((widest * (axis.marks.length - 1)) / span);
    const uniform = barY(1 / n);
    const hasRoom = Math.min(barBottom - uniform, uniform - barTop) > 11;
    marks.replaceChildren(
      ...scale.marks.flatMap((v, i) => line(y(v), numbers[i])),
      ...line(barTop, short(top)), ...line(barBottom, "0"),
      ...line(uniform, hasRoom ? `1/${n}` : "", "uniform"),
      s("text", { class: "k", x: 0, y: height - 8 }, "key ", drawnLetter("k")),
      ...axis.marks.filter((_, i) => i % stride === 0).map((key) => {
        const text = axis.markText(key);
        const half = textWidth(text) / 2;
        return s("text", { class: "dim", x: px(Math.max(GUTTER + half, Math.min(width - half, x(key)))),
          y: height - 8, "text-anchor": "middle" }, text);
      }));

    const thickness = Math.max(3, Math.min(9, (0.6 * span) / n));
    keys.forEach((key, i) => {
      setAttributes(points[i], { cx: px(x(key)), cy: px(y(values[i])) });
      setAttributes(bars[i], { x: px(x(key) - thickness / 2), width: px(thickness) });
    });
    setAttributes(feet, { d: keys.map((key) => `M${px(x(key))} ${barBottom + 1}v6`).join("") });
    const path = results.map(({ output }, place) =>
      /** @type {[number, number]} */ ([x(axis.at(place)), y(output)]));
    setAttributes(curve, { d: pathOf(path) });
    covered = covering([...path, ...keys.flatMap((key, i) =>
      Array(16).fill(/** @type {[number, number]} */ ([x(key), y(values[i])])))], 4);
  }

  /** @param {number} width @param {number} q @param {Result} now @param {number} t */
  function drawQuery(width, q, { weights, output }, t) {
    const [keys, axis, scale] = fitted;
    const at = left() + span * axis.share(q);
    const y = fitBottom - (fitBottom - fitTop) * scale.share(output);

    weights.forEach((w, i) => {
      setAttributes(points[i], { "fill-opacity": Math.min(1, Math.sqrt(w / top)).toFixed(2) });
      setAttributes(bars[i], { y: px(barY(w * (1 + below[i]))),
        height: px(barBottom - barY(w)), fill: weightColor(w) });
    });
    const peak = t === 0 ? 0 : kernelPeak(keys, weights, q, t);
    setText(kernelText, peak > top ? ", a lowered kernel around " : ", from a kernel around ");
    // The line has a gap where it would run through a title.
    const [first, second] = titles.map((title) => at < textWidth(title.textContent ?? "") + 4);
    setAttributes(cursor, { d: `M${px(at)} ${first ? fitTop - 4 : 20}` +
      `${second ? `V${barTop - 24}M${px(at)} ${barTop - 4}` : ""}V${barBottom + 8}` });
    setAttributes(estimate, { cx: px(at), cy: px(y) });
    setAttributes(kernel, { d: kernelPath(axis, q, t, Math.min(top, peak)) });

    setText(queryNow, ` = ${axis.text(q)}`);
    const half = textWidth(queryLabel.textContent ?? "") / 2;
    setAttributes(queryLabel, { x: px(Math.max(gutter + half, Math.min(width - half, at))) });

    setText(outputNow, ` = ${scale.fineText(output)}`);
    const labelWidth = textWidth(outputLabel.textContent ?? "") + 8;
    const places = placesBeside(at, y, labelWidth,
      { from: gutter, to: width, top: fitTop, bottom: fitBottom },
      { height: 16, offs: [14, 28, 42, 56, 70], cost: 1 / 8 });
    const [box] = placeLabels([places], covered);
    setAttributes(outputLabel, { x: px(box.left + 4), y: px(box.top + 12) });
  }

  /**
   * The kernel, through the tops of the bars. Where the query is so far from all keys that it would
   * leave the panel, it is lowered as a whole: it stays a bell.
   * @param {Axis} axis
   * @param {number} q
   * @param {number} t
   * @param {number} peak
   */
  function kernelPath(axis, q, t, peak) {
    if (t === 0) return "";
    const from = Math.max(axis.low, q - 5 * Math.sqrt(t));
    const step = (Math.min(axis.high, q + 5 * Math.sqrt(t)) - from) / 120;
    return pathOf(Array.from({ length: 121 }, (_, i) => {
      const key = from + i * step;
      return [left() + span * axis.share(key), barY(peak * Math.exp(nearness(q, key) / t))];
    }));
  }

  onDrag(svg, (event) => {
    const share = (event.clientX - svg.getBoundingClientRect().left - left()) / span;
    onPoint(Math.max(0, Math.min(1, share)));
  }, { touch: true });

  return drawing(root, svg, height, { fit: drawFit, query: drawQuery });
}

export default widget;
