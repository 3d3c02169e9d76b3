// @ts-check
// WidthExplorer: random scores at any width, divided by 1, by the root of the width, by the width.

// == compute ==================================================================================

const KEYS = 10;
const WIDTHS = Array.from({ length: 11 }, (_, power) => 2 ** power);
const LAST_DRAW = 9999;
const VARIANCE = 21845; // of a component

/** A number as one that looks random: the finalizer of MurmurHash3. @param {number} x */
function mixed(x) {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/**
 * A random component as an integer: the sum of four random bytes, less its mean. SplitMix mixes
 * equal steps from a start.
 * @param {number} start
 * @param {number} step
 */
function component(start, step) {
  const bits = mixed((start + Math.imul(step, 0x9e3779b9)) >>> 0);
  return (bits & 255) + ((bits >>> 8) & 255) + ((bits >>> 16) & 255) + (bits >>> 24) - 510;
}

/**
 * The dot products of a random query with random keys; sums of integers, so they are exact.
 * @param {number} draw
 * @param {number} width
 */
function scoresOf(draw, width) {
  const [start, most] = [mixed(draw), WIDTHS[WIDTHS.length - 1]];
  const vectors = Array.from({ length: 1 + KEYS }, (_, v) =>
    Array.from({ length: width }, (_, c) => component(start, v * most + c + 1)));
  return vectors.slice(1).map((key) => dot(vectors[0], key) / VARIANCE);
}

/** @param {number} width */
const divisorsOf = (width) => [1, Math.sqrt(width), width];

/**
 * The scores, and the weights for each divisor.
 * @param {number} draw
 * @param {number} width
 */
function drawn(draw, width) {
  const scores = scoresOf(draw, width);
  return { scores, weights: divisorsOf(width).map((divisor) => softmax(scores, divisor)) };
}

// == page =====================================================================================

/** @type {Codecs<{width: number, draw: number}>} */
const TRAITS = {
  width: oneOf("d", () => WIDTHS), draw: whole("draw", 1, () => LAST_DRAW),
};

const widget = explorer("width", "Width explorer", TRAITS, (read, set) => {
  /** The divisors as they are named. */
  const names = [["nothing"], ["√", letter("d", "")], [letter("d", "")]];
  const width = rangeControl(["Width ", letter("d", "")], [0, WIDTHS.length - 1],
    (power) => set({ width: WIDTHS[power] }), {
      write: (power) => String(WIDTHS[power]), say: (power) => `width ${WIDTHS[power]}`,
    });
  const again = button("New draw", () => set({ draw: (read().draw % LAST_DRAW) + 1 }));
  const which = h("span", { class: "small" });

  const temperatures = names.map(() => h("data"));
  const rows = Array.from({ length: KEYS }, (_, j) => {
    const score = h("data");
    const cells = names.map(() => ({ bar: weightBar(KEYS), weight: h("data") }));
    const root = h("tr", {}, h("th", { scope: "row" }, String(j + 1)),
      h("td", { class: "score" }, score),
      ...cells.map(({ bar, weight }) =>
        h("td", {}, h("div", { class: "part" }, bar.root, weight))));
    return { root, score, cells };
  });
  const table = h("table", { "aria-label": "Weights of ten random keys" },
    h("colgroup", {}, h("col", { class: "name" }), h("col", { class: "score" }),
      ...names.map(() => h("col"))),
    h("thead", {},
      h("tr", {}, h("th", { scope: "col", rowspan: 2 }, "key ", letter("k")),
        h("th", { scope: "col", rowspan: 2, class: "score" }, letter("q"), " · ", letter("k")),
        ...names.map((name) => h("th", { scope: "col" }, "divided by ", ...name))),
      h("tr", {}, ...temperatures.map((t) => h("td", {}, letter("T", ""), " = ", t)))),
    h("tbody", {}, ...rows.map(({ root }) => root)));

  /** @param {ReturnType<typeof read>} now */
  function draw({ width: d, draw: seed }) {
    const { scores, weights } = drawn(seed, d);
    const divisors = divisorsOf(d);
    const first = argsortDown(scores)[0];
    width.set(WIDTHS.indexOf(d));
    setText(which, `draw ${seed}`);
    divisors.forEach((t, i) => setNumber(temperatures[i], t, short(t)));
    rows.forEach(({ root, score, cells }, j) => {
      setNumber(score, scores[j], fixed(scores[j], 1));
      cells.forEach(({ bar, weight }, i) => {
        bar.set(weights[i][j]);
        setNumber(weight, weights[i][j], weightText(weights[i][j]));
      });
      root.classList.toggle("top", j === first);
    });
    const [all, some, few] = weights.map((row) => number(row[first], fixed(row[first])));
    return ["Random numbers of width ", letter("d", ""), " = ", number(d, String(d)), ": ",
      h("b", {}, `key ${first + 1} takes `, all), "; divided by √", letter("d", ""), " = ",
      number(divisors[1], short(divisors[1])), ", ", some, "; by ", letter("d", ""), ", ", few, "."];
  }

  return {
    draw,
    below: [table, h("div", { class: "controls" }, width.root, h("div", { class: "again" }, again, which))],
  };
});

export default widget;
