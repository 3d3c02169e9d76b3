// @ts-check
// WordOrderExplorer: words to put in another order, and the output of each.

// == compute ==================================================================================

const BASE = 10000; // of the encoding

/** The encoding of a position. @param {number} position @param {number} dim */
const encodingOf = (position, dim) => Array.from({ length: dim }, (_, column) =>
  (column % 2 ? Math.cos : Math.sin)(position * frequency(column, { dim, base: BASE })));

/** A row times a matrix. @param {readonly number[]} row @param {readonly (readonly number[])[]} matrix */
const times = (row, matrix) => matrix[0].map((_, c) => dot(row, matrix.map((line) => line[c])));

/**
 * What a layer of self-attention makes of each word, in the order in which `x` has them.
 * @param {readonly (readonly number[])[]} x a row for each word
 * @param {readonly (readonly (readonly number[])[])[]} projections
 * @param {readonly number[]} order the word at each place
 * @param {{has_positions: boolean, is_causal: boolean}} now
 */
function outputsOf(x, projections, order, { has_positions, is_causal }) {
  const dim = x[0].length;
  const given = order.map((word, place) => {
    const p = has_positions ? encodingOf(place, dim) : null;
    return x[word].map((item, c) => item + (p ? p[c] : 0));
  });
  const [q, k, v] = projections.map((matrix) => given.map((row) => times(row, matrix)));
  const read = q.map((query, i) => {
    const scores = k.map((key) => dot(query, key) / Math.sqrt(dim));
    return times(softmax(scores, 1, is_causal ? k.map((_, j) => j <= i) : undefined), v);
  });
  return x.map((_, word) => read[order.indexOf(word)]);
}

/** The largest difference. @param {readonly number[]} a @param {readonly number[]} b */
const gap = (a, b) => Math.max(...a.map((item, c) => Math.abs(item - b[c])));

/** A word taken out and put in at another place. @param {readonly number[]} order @param {number} word @param {number} place */
const placed = (order, word, place) =>
  order.filter((other) => other !== word).toSpliced(place, 0, word);

// == page =====================================================================================

const LEAST = 5e-4; // a gap that shows in three decimals

/**
 * @type {Codecs<{words: string[], second: number[], x: number[], projections: number[],
 *   order: number[], has_positions: boolean, is_causal: boolean}>}
 */
const TRAITS = {
  words: plain, second: plain, x: floats, projections: floats,
  order: listOf(plain, "of", (x, { words }) => x.length === words.length &&
    words.every((/** @type {string} */ _, /** @type {number} */ i) => x.includes(i))),
  has_positions: flag("p"), is_causal: flag("causal"),
};

const widget = explorer("order", "Words in another order", TRAITS, (read, set) => {
  const facts = read();
  const { words, second } = facts;
  const n = words.length;
  const first = words.map((_, i) => i);
  const dim = facts.x.length / n;
  const x = rowsOf(facts.x, dim);
  const projections = rowsOf(facts.projections, dim * dim).map((flat) => rowsOf(flat, dim));
  const both = [first, second].flatMap((order) => [false, true].flatMap((has_positions) =>
    outputsOf(x, projections, order, { has_positions, is_causal: false })));
  const most = 1.15 * Math.max(1e-9, ...both.flat().map(Math.abs));

  const encoding = choiceControl("Added to each word", ["nothing", "its position"],
    (i) => set({ has_positions: i === 1 }));
  const causal = checkboxControl("causal mask", (checked) => set({ is_causal: checked }));
  const said = (/** @type {number[]} */ order) => order.map((i) => words[i]).join(" ");
  const buttons = [first, second].map((order) => button(said(order), () => set({ order })));

  const places = h("div", { class: "places", ...HIDDEN },
    ...first.map((i) => h("span", {}, String(i))));
  const columns = words.map((word, i) => wordColumn(word, dim, n, (place) => {
    const { order } = read();
    const to = Math.max(0, Math.min(n - 1, place));
    if (order.indexOf(i) !== to) set({ order: placed(order, i, to) });
  }, () => read().order.indexOf(i)));
  const board = h("div", { class: "board" }, ...columns.map(({ root }) => root));

  return {
    style: { n, bars: dim },
    above: [h("div", { class: "ask" }, encoding.root, causal.root),
      h("div", { class: "orders" }, ...buttons)],
    below: [places, board, h("p", { class: "small" }, "Drag a word, or press it and then a column, or use the arrow keys. ",
      "Bars: its output. Lines across them: the output in the first order.")],
    draw(now) {
      const { order, has_positions, is_causal } = now;
      const before = outputsOf(x, projections, first, now);
      const after = outputsOf(x, projections, order, now);
      const gaps = after.map((row, i) => gap(row, before[i]));
      encoding.set(has_positions ? 1 : 0);
      causal.set(is_causal);
      columns.forEach((column, i) =>
        column.set(order.indexOf(i), after[i], before[i], gaps[i], most));
      const moved = first.filter((place) => order[place] !== place).length;
      const changed = gaps.filter((each) => each >= LEAST).length;
      const largest = Math.max(...gaps);
      return [
        h("b", {}, said(order)), ". ",
        ...(moved === 0 ? ["Drag a word to another place. Which outputs will notice?"]
          : changed === 0 ? [`${capital(countWord(moved))} words have moved, and `,
            h("b", { class: "o" }, "no output"), " has changed: largest gap ",
            number(largest, fixed(largest)), "."]
            : [`${capital(countWord(changed))} of ${countWord(n)} `,
              h("b", { class: "o" }, "outputs"),
              ` ${changed === 1 ? "has" : "have"} changed: largest gap `, number(largest, fixed(largest)),
              ` at ${words[gaps.indexOf(largest)]}.`]),
      ];
    },
  };
});

/**
 * A word to take hold of, and its output below it.
 * @param {string} word
 * @param {number} dim
 * @param {number} n
 * @param {(place: number) => void} move
 * @param {() => number} place where it stands
 */
function wordColumn(word, dim, n, move, place) {
  const chip = h("div", { class: "chip", role: "slider", tabindex: 0, "aria-label": `place of ${word}`,
    "aria-valuemin": 0, "aria-valuemax": n - 1 }, h("span", { class: "wraps" }, word));
  const parts = Array.from({ length: dim }, () =>
    ({ fill: h("span", { class: "fill" }), mark: h("span", { class: "mark" }) }));
  const far = h("data", { class: "gap", ...HIDDEN });
  const root = h("div", { class: "column" }, chip,
    h("div", { class: "bars", ...HIDDEN }, ...parts.map(({ fill, mark }) =>
      h("span", { class: "track" }, fill, mark))), far);
  chip.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: place() - 1, ArrowDown: place() - 1, ArrowRight: place() + 1,
      ArrowUp: place() + 1, Home: 0, End: n - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.shiftKey || event.metaKey) return;
    event.preventDefault();
    move(to);
  });
  chip.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    chip.focus({ preventScroll: true });
    chip.setPointerCapture(event.pointerId);
  });
  /** @param {MouseEvent} event */
  const moveTo = ({ clientX }) => {
    const { left, width } = /** @type {Element} */ (root.parentElement).getBoundingClientRect();
    move(Math.floor(((clientX - left) / width) * n));
  };
  chip.addEventListener("pointermove", (event) => {
    if (chip.hasPointerCapture(event.pointerId)) moveTo(event);
  });
  onPressBeside(chip, () => root.parentElement, moveTo);
  return {
    root,
    /**
     * @param {number} at
     * @param {readonly number[]} output
     * @param {readonly number[]} before
     * @param {number} away
     * @param {number} most the end of the scale
     */
    set(at, output, before, away, most) {
      root.style.left = `${(100 * at) / n}%`;
      setAttributes(chip, { "aria-valuenow": at, "aria-valuetext": `place ${at}, its output ${
        away < LEAST ? "as in the first order" : `has moved by ${fixed(away)}`}: ${
        output.map((item) => fixed(item, 2)).join(", ")}` });
      const end = (/** @type {number} */ item) => 50 * Math.max(-1, Math.min(1, item / most));
      parts.forEach(({ fill, mark }, c) => {
        const wide = end(output[c]);
        fill.style.left = `${(50 + Math.min(0, wide)).toFixed(2)}%`;
        fill.style.width = `${Math.abs(wide).toFixed(2)}%`;
        mark.style.left = `${(50 + end(before[c])).toFixed(2)}%`;
      });
      setNumber(far, away, away < LEAST ? "0" : fixed(away, 2));
      far.classList.toggle("changed", away >= LEAST);
    },
  };
}

export default widget;
