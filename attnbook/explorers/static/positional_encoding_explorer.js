// @ts-check
// PositionalEncodingExplorer: an encoding over its positions, its waves, similarity by offset.

// == compute ==================================================================================

const ENCODINGS = ["sinusoidal", "rotary", "alibi"];
const HEADS = 8; // of ALiBi
const DEEPEST = 8; // the scale of ALiBi: a bias of -8 leaves a weight 0.0003 of what it was

/** @typedef {{encoding: string, length: number, dim: number, base: number, head: number}} Facts */

/** Positions until the wave of a column repeats. @param {number} column @param {Facts} facts */
const wavelength = (column, facts) => (2 * Math.PI) / frequency(column, facts);

/**
 * The wave of a column: sine and cosine in turn; the other way round where (1, 0) is rotated.
 * @param {number} column
 * @param {Facts} facts
 * @returns {(position: number) => number}
 */
function wave(column, facts) {
  const omega = frequency(column, facts);
  const isSine = (column % 2 === 0) === (facts.encoding === "sinusoidal");
  return (position) => (isSine ? Math.sin(position * omega) : Math.cos(position * omega));
}

/** Of a head of ALiBi: what each step of distance takes from a score. @param {number} head */
const slope = (head) => 2 ** -(head + 1);

/** @param {number} head @param {number} distance */
const bias = (head, distance) => 0 - slope(head) * Math.abs(distance);

/** The distance at which a head of ALiBi halves a weight. @param {number} head */
const halving = (head) => Math.LN2 / slope(head);

/**
 * A bias from 0 to the deepest one as a place of the scale of colours, from 0 to -1. By its root, so
 * that the small biases of the last heads show beside the large ones of the first.
 * @param {number} x
 */
const biasColour = (x) => -Math.sqrt(-x / DEEPEST);

/**
 * The left end of the lines of all heads: the smallest of a few that holds the whole line of the
 * chosen one, if any does.
 * @param {number} head
 * @param {number} length
 */
const fanDepth = (head, length) =>
  [0.5, 2].find((depth) => slope(head) * (length - 1) <= depth) ?? DEEPEST;

/** @param {Facts} facts */
const columnsOf = ({ encoding, length, dim }) => (encoding === "alibi" ? length : dim);

/**
 * What the heatmap shows, row after row: a row for each position and a column for each dimension,
 * or for each key.
 * @param {Facts} facts
 */
function encodingMatrix(facts) {
  const width = columnsOf(facts);
  const matrix = new Float64Array(facts.length * width);
  for (let column = 0; column < width; column++) {
    const value = facts.encoding === "alibi"
      ? (/** @type {number} */ position) => bias(facts.head, position - column)
      : wave(column, facts);
    for (let i = 0; i < facts.length; i++) matrix[i * width + column] = value(i);
  }
  return matrix;
}

/**
 * The chosen position compared with every position: dot products of rows, 1 for equal ones; for
 * ALiBi, the bias itself.
 * @param {Float64Array} matrix
 * @param {Facts} facts
 * @param {number} position
 */
function similarityTo(matrix, facts, position) {
  const width = columnsOf(facts);
  const row = matrix.subarray(position * width, (position + 1) * width);
  if (facts.encoding === "alibi") return [...row];
  return Array.from({ length: facts.length }, (_, i) => {
    let total = 0;
    for (let c = 0; c < width; c++) total += row[c] * matrix[i * width + c];
    return total / (width / 2);
  });
}

/**
 * A curve over positions as a list over offsets 0, 1, 2, ... It takes the side that reaches
 * further: both hold the same numbers.
 * @param {readonly number[]} curve
 * @param {number} position
 */
const byOffset = (curve, position) =>
  position < curve.length / 2 ? curve.slice(position) : curve.slice(0, position + 1).reverse();

/**
 * The first offset after which the curve rises, so that it shows in three decimals if it can; -1
 * if the curve only falls.
 * @param {readonly number[]} curve
 */
function firstRise(curve) {
  const after = (/** @type {number} */ least) =>
    curve.findIndex((x, k) => curve[k + 1] > x + least);
  const visible = after(0.001);
  return visible < 0 ? after(1e-9) : visible;
}

/** The base at a place 0..50 of the slider: ten steps a decade from 10. @param {number} place */
const baseAt = (place) => Number((10 ** (1 + place / 10)).toPrecision(2));

/** The place of a base, the nearest one if it lies between two. @param {number} base */
const placeOf = (base) => Math.max(0, Math.min(50, Math.round(10 * (Math.log10(base) - 1))));

/**
 * Which columns are drawn as waves: those that were asked for, or else the last ones.
 * @param {readonly number[]} wanted
 * @param {number} dim
 */
const shownColumns = (wanted, dim) => {
  const count = Math.min(wanted.length, dim);
  return wanted.slice(0, count).map((column, i) => (column < dim ? column : dim - count + i));
};

const RED_BLUE = [
  "#053061", "#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f7f7f7",
  "#fddbc7", "#f4a582", "#d6604d", "#b2182b", "#67001f",
];

/** RdBu_r in 256 steps: blue below zero, red above. */
const SIGNED = Array.from({ length: 256 }, (_, n) => {
  const i = Math.min(9, Math.floor(n / 25.5));
  const [low, high] = [rgb(RED_BLUE[i]), rgb(RED_BLUE[i + 1])];
  return low.map((x, part) => Math.round(x + (n / 25.5 - i) * (high[part] - x)));
});

/** The colour of a signed number from -1 to 1. @param {number} x */
const signedColour = (x) => SIGNED[Math.max(0, Math.min(255, Math.floor((x + 1) * 128)))];

/** A wavelength in few characters: 6.28, 353, 35333, 5.1e6. @param {number} x */
const lengthText = (x) =>
  x < 1000 ? x.toPrecision(3) : x < 1e5 ? x.toFixed(0) : x.toExponential(1).replace("e+", "e");

// == page =====================================================================================

const HEIGHT = 300; // of the panels
const BELOW = HEIGHT + 16; // the baseline of the numbers under a panel
const GAP = 6; // between two waves
const FAR = 8; // the last offset in the table
const DIALS = 8; // pairs that have a hand

/**
 * What the page calls things, in each encoding: the heatmap, the curve, the rows of numbers.
 * @type {Record<string, {heat: string, curve: string, rows: [string, string], note: string}>}
 */
const WORDS = {
  sinusoidal: {
    heat: "encoding P", curve: "similarity", rows: ["dot product", "similarity"],
    note: "Move the line and the curve slides along, its shape unchanged: the position itself does "
      + "not matter, only the offset, and not its direction.",
  },
  rotary: {
    heat: "turned vector", curve: "score", rows: ["score q · k", "score"],
    note: "A query and a key, both (1, 0, 1, 0, …), are turned by their positions. The position "
      + "itself does not matter to their score, only the offset. Equal vectors score the same "
      + "before and after; others need not.",
  },
  alibi: {
    heat: "bias, head ", curve: "factor", rows: ["bias", "factor exp(bias)"],
    note: "Each head takes slope × distance from a score before the softmax, so its weight shrinks "
      + "by the factor before all are made to sum to 1. The position itself does not matter, nor "
      + "the direction; a causal mask then hides the later keys.",
  },
};

/** @type {Codecs<Facts & {position: number}>} */
const TRAITS = {
  encoding: oneOf("encoding", () => ENCODINGS), length: whole("length", 2, () => 128),
  dim: whole("dim", 2, () => 128, 2), base: real("base", (x) => x > 1 && x < Infinity),
  head: whole("head", 0, () => HEADS - 1), position: whole("at", 0, ({ length }) => length - 1),
};

const widget = explorer("positional", "Positional encoding explorer", TRAITS, (read, set) => {
  let facts = read();
  const wanted = [0, 6, 14]; // the columns that are drawn as waves

  // Controls.
  const encoding = choiceControl("Encoding", ["sinusoidal", "rotary", "ALiBi"],
    (i) => set({ encoding: ENCODINGS[i] }));
  const length = rangeControl("Length", [2, 128],
    (n) => set({ length: n, position: Math.min(facts.position, n - 1) }));
  const dim = rangeControl("Dimension", [1, 64], (half) => set({ dim: 2 * half }),
    { write: (half) => String(2 * half) });
  const base = rangeControl("Base", [0, 50], (place) => set({ base: baseAt(place) }),
    { write: () => short(facts.base) });
  const head = rangeControl("Head", [0, HEADS - 1], (i) => set({ head: i }),
    { write: (i) => `${i}, slope 1/${1 / slope(i)}` });
  const position = rangeControl("Position", [0, 127], (i) => set({ position: i }));
  const nothing = h("p", { class: "small" }, "No dimension and no base: ALiBi adds no vector.");
  const error = errorBox();

  // The three panels.
  const canvas = h("canvas", HIDDEN);
  const [heat, middle, curve] = [panel("heat", canvas), panel("middle"), panel("curve")];
  const [heatHead, fanHead, curveHead] = ["heat", "middle", "curve"].map(panelHead);
  const waves = ["first", "second", "third"].map(waveChoice);
  const waveHead = h("div", { class: "head middle waves" });
  const values = wanted.map(() => h("data"));
  const valueRow = h("div", { class: "middle waves values", ...HIDDEN });
  const cursor = h("div", { class: "cursor", ...HIDDEN });
  const [low, high] = [h("span"), h("span")];
  const ramp = h("span", { class: "ramp", ...HIDDEN });
  const note = h("p", { class: "small note" });
  const dials = Array.from({ length: DIALS }, (_, r) => dial(r));
  const hands = h("div", { class: "hands" });
  const none = h("p", { class: "small" }, "No hands: ALiBi turns nothing.");

  // The numbers. A phone has no room for some offsets.
  const offsets = Array.from({ length: FAR + 1 }, (_, k) =>
    ({ k, class: [3, 6, 7].includes(k) ? "wide" : k === 2 && "middling" }));
  const rows = [0, 1].map(() =>
    ({ name: h("th", { scope: "row" }), cells: offsets.map(() => h("data")) }));
  const table = h("table", { "aria-label": "Numbers by offset" }, h("colgroup", {}, h("col", { class: "names" })),
    h("thead", {}, h("tr", {},
      h("th", { scope: "row" }, "offset", h("span", { class: "wide" }, ", either way")),
      ...offsets.map(({ k, ...room }) => h("th", { scope: "col", ...room }, String(k))))),
    h("tbody", {}, ...rows.map(({ name, cells }) => h("tr", {}, name,
      ...offsets.map(({ k, ...room }) => h("td", room, cells[k]))))));

  const controls = h("div", { class: "controls" });
  const board = h("div", { class: "panels" });
  waves.forEach(({ input }, i) => {
    input.addEventListener("input", () => {
      const asked = input.value === "" ? NaN : Number(input.value);
      const fits = Number.isInteger(asked) && asked >= 0 && asked < facts.dim;
      error.set(input, fits ? "" : `A dim must be a whole number from 0 to ${facts.dim - 1}.`);
      if (fits) wanted[i] = asked;
      redraw();
    });
    input.addEventListener("change", () => { // the field is left: it shows what is drawn
      error.set(input);
      redraw();
    });
  });
  const panels = [heat, middle, curve];
  for (const { root: area } of panels) {
    onDrag(area, (event) => {
      const { top, height } = area.getBoundingClientRect();
      const at = Math.floor(((event.clientY - top) / height) * facts.length);
      const chosen = Math.max(0, Math.min(facts.length - 1, at));
      if (chosen !== facts.position) set({ position: chosen });
    });
  }

  let matrix = new Float64Array(0);
  let lowest = 0;
  /** @type {number[]} */
  let similar = [];
  /** @type {number[]} */
  let columns = [];
  const compute = whenNew((/** @type {boolean} */ isBias) => {
    matrix = encodingMatrix(facts);
    lowest = Math.min(-0.25, ...similarityTo(matrix, facts, 0));
    paint(canvas, isBias ? matrix.map(biasColour) : matrix, facts.length);
  });
  const redraw = () => set({}); // with other waves
  /** @param {ReturnType<typeof read>} now */
  function draw(now) {
    facts = { ...now, position: Math.min(now.position, now.length - 1) };
    const isBias = facts.encoding === "alibi";

    // What does not change with the position is computed once.
    compute({ ...facts, position: 0 }, isBias);
    similar = similarityTo(matrix, facts, facts.position);
    columns = isBias ? [] : shownColumns(wanted, facts.dim);

    encoding.set(ENCODINGS.indexOf(facts.encoding));
    length.set(facts.length);
    dim.set(facts.dim / 2);
    base.set(placeOf(facts.base));
    head.set(facts.head);
    position.set(facts.position, facts.length - 1);
    arrange(controls, length.root, ...(isBias ? [head.root, nothing] : [dim.root, base.root]),
      position.root);
    arrange(board, heatHead.root, isBias ? fanHead.root : waveHead, curveHead.root, heat.root,
      middle.root, curve.root, cursor, ...(isBias ? [] : [valueRow]));
    arrange(waveHead, ...columns.map((_, i) => waves[i].root));
    arrange(valueRow, ...columns.map((_, i) => values[i]));
    columns.forEach((column, i) => {
      waves[i].set(column, facts);
      const value = matrix[facts.position * facts.dim + column];
      setNumber(values[i], value, fixed(value, 2));
    });
    // Sine to the right and cosine up: the hand of a clock. What is rotated starts at (1, 0).
    const turns = isBias ? [] : dials.slice(0, facts.dim / 2);
    arrange(hands, ...(isBias ? [none] : turns.map(({ root }) => root)));
    turns.forEach((each, r) => each.set(
      matrix.subarray(facts.position * facts.dim + 2 * r, facts.position * facts.dim + 2 * r + 2)));
    drawPanels();
    return write(byOffset(similar, facts.position), isBias);
  }

  function drawPanels() {
    if (matrix.length === 0 || !panels.every(({ width }) => width)) return;
    const isBias = facts.encoding === "alibi";
    cursor.style.translate = `0 ${Math.round(y(facts.position))}px`;
    drawHeat(isBias ? [facts.position] : columns);
    if (isBias) drawFan();
    else drawWaves(columns);
    drawCurve(isBias ? similar.map(Math.exp) : similar, isBias ? 0 : lowest);
  }

  /** Everything that is read, and the headline. @param {readonly number[]} curve by offset @param {boolean} isBias */
  function write(curve, isBias) {
    const words = WORDS[facts.encoding];
    const half = facts.dim / 2;
    heatHead.set(`${words.heat}${isBias ? facts.head : ""}`,
      isBias ? "query × key" : "position × dim");
    fanHead.set("bias, each head", `thick: ${facts.head}`);
    curveHead.set(words.curve, isBias ? "of a weight" : "by offset");
    setText(low, isBias ? `−${DEEPEST} or less` : "−1");
    setText(high, isBias ? `0; in the middle −${DEEPEST / 4}` : "1");
    ramp.style.background = `linear-gradient(to right, ${RED_BLUE.slice(0, isBias ? 6 : 11)})`;
    setText(note, words.note);

    const lists = isBias ? [curve, curve.map(Math.exp)] : [curve.map((x) => x * half), curve];
    const digits = [isBias ? (facts.head < 5 ? 3 : 4) : 2, 3];
    rows.forEach(({ name, cells }, row) => {
      setText(name, words.rows[row] + (row === 0 || isBias ? "" : `, ÷\u00a0${half}`));
      cells.forEach((cell, k) => {
        const x = lists[row][k] ?? NaN; // no two positions are that far apart
        setNumber(cell, x, Number.isNaN(x) ? "–" : fixed(x, digits[row]));
      });
    });

    const last = Math.min(FAR, curve.length - 1);
    const rise = firstRise(curve);
    const at = (/** @type {number} */ k, list = curve, places = isBias ? digits[0] : 3) =>
      number(list[k], fixed(list[k], places));
    return [`Position ${facts.position}: ${isBias ? "bias" : words.curve} `,
      h("b", {}, at(1), " at offset 1"), ...(last > 1 ? [", ", at(last), ` at ${last}`] : []),
      ...(isBias
        ? [" (a factor of ", at(last, lists[1], 3), "). It falls steadily: every ",
          number(halving(facts.head), String(Number(halving(facts.head).toPrecision(2)))),
          " positions halve a weight."]
        : rise < 0 ? [`. It falls up to the last offset here, ${curve.length - 1}.`]
          : [". It does not fall steadily: ", at(rise), ` at ${rise}, `, at(rise + 1),
            ` at ${rise + 1}.`])];
  }

  /** How far down the middle of a position lies. @param {number} i */
  const y = (i) => ((i + 0.5) * HEIGHT) / facts.length;

  /** @param {readonly number[]} columns the marked ones */
  function drawHeat(columns) {
    const { width } = heat;
    const count = columnsOf(facts);
    const keys = facts.encoding === "alibi";
    const ticks = new Set([0, 1 / 4, 1 / 2, 3 / 4].map((part) => Math.floor(part * facts.length)))
      .add(facts.length - 1);
    const beside = [...ticks].filter((i) => Math.abs(y(i) - y(facts.position)) > 13);
    heat.set(`Heatmap of ${facts.length} positions by ${count} ${keys ? "keys" : "dimensions"}.`,
      ...beside.map((i) => say(-6, y(i) + 4, i, "end")),
      say(-6, y(facts.position) + 4, facts.position, "end", "here"),
      say(0, BELOW, 0), say(width, BELOW, count - 1, "end"),
      say(width / 2, BELOW, keys ? "key" : width < 130 ? "dim" : "dimension", "middle"),
      ...columns.map((c) => line(`M${((c + 0.5) * width) / count - 3.5} -6h7l-3.5 5z`, "dot")));
  }

  /** @param {readonly number[]} columns */
  function drawWaves(columns) {
    const strip = (middle.width - GAP * (wanted.length - 1)) / wanted.length;
    const fine = Math.ceil(400 / facts.length); // points from one position to the next
    const places = Array.from({ length: (facts.length - 1) * fine + 1 }, (_, k) => k / fine);
    const marked = columns.map((_, i) => values[i].textContent ?? "");
    middle.set(`Waves of the dimensions ${listed(columns.map(String))}, down the positions. ` +
      `At position ${facts.position}: ${listed(marked)}.`,
      ...columns.flatMap((column, i) => {
        const at = wave(column, facts);
        const x = (/** @type {number} */ value) => i * (strip + GAP) + (strip * (value + 1)) / 2;
        return [line(`M${x(0)} 0V${HEIGHT}`, "hair"),
          line(pathOf(places.map((place) => [x(at(place)), y(place)]))),
          dotAt(x(at(facts.position)), y(facts.position))];
      }));
  }

  /** The bias of every head, from the chosen query. */
  function drawFan() {
    const here = facts.position;
    const depth = fanDepth(facts.head, facts.length);
    const x = (/** @type {number} */ value) => middle.width * (1 + value / depth);
    /** Where a line ends: at the last position, or where the panel does. @param {number} i */
    const end = (i, /** @type {number} */ room, /** @type {number} */ side) => {
      const reach = Math.min(Math.abs(room), depth / slope(i));
      return [x(bias(i, reach)), y(here + side * reach)];
    };
    const last = facts.length - 1;
    const heads = Array.from({ length: HEADS }, (_, i) => i);
    const lines = heads.map((i) => [end(i, here, -1), [x(0), y(here)], end(i, last - here, 1)]);
    // The heads are named at the longer ends of their lines, as far as there is room.
    const isUp = here > last / 2;
    /** @type {number[][]} */
    const named = [];
    const names = [facts.head, ...heads].flatMap((i) => {
      const [left, top] = lines[i][isUp ? 0 : 2];
      if (named.some(([x, y]) => Math.hypot(left - x, top - y) < 16)) return [];
      named.push([left, top]);
      const role = i === facts.head ? "here halo" : "dim halo";
      // Beside the end, on the side to which the line does not lead; at the edge there is none.
      const isInside = left > 14;
      return [say(left + (isInside ? -4 : 3), top + (isUp ? 12 : -3), i, isInside ? "end" : "start", role)];
    });
    middle.set(`Bias of each head, from position ${here}; head ${facts.head} is thick.`,
      line(`M${x(0)} 0V${HEIGHT}M0 0V${HEIGHT}`, "hair"),
      ...heads.map((i) => line(pathOf(lines[i]), i === facts.head ? "wave chosen" : "wave other")),
      ...names, say(0, BELOW, `−${depth}`), say(x(0), BELOW, 0, "end"));
  }

  /** @param {readonly number[]} shown @param {number} least the left end, at every position */
  function drawCurve(shown, least) {
    const { position: here, length: n } = facts;
    const x = (/** @type {number} */ value) => (curve.width * (value - least)) / (1 - least);
    const isBias = least === 0;
    const half = halving(facts.head);
    // Offsets are told beside the panel; where the factor is a half, its own offset is.
    const halves = isBias ? [-half, half].filter((k) => here + k >= 0 && here + k <= n - 1) : [];
    const marks = [n >> 2, n >> 1].filter((k) => k * (HEIGHT / n) > 20).flatMap((k) => [-k, k])
      .filter((k) => here + k >= 0 && here + k < n)
      .filter((k) => halves.every((other) => Math.abs(k - other) * (HEIGHT / n) > 13));
    const name = WORDS[facts.encoding].curve;
    const offset = (/** @type {number} */ k, role = "dim") => say(curve.width + 6, y(here + k) + 4,
      (k > 0 ? "+" : "") + short(Number(k.toPrecision(2))), "start", role);
    curve.set(`Curve of the ${name} of every position with position ${here}.` +
      (isBias ? ` It is a half ${half.toPrecision(2)} positions away.` : ""),
      line(`M${x(0)} 0V${HEIGHT}M${x(1)} 0V${HEIGHT}${isBias ? `M${x(0.5)} 0V${HEIGHT}` : ""}`, "hair"),
      line(pathOf(shown.map((value, i) => [x(value), y(i)])), isBias ? "wave chosen" : "wave"),
      dotAt(x(1), y(here)), ...halves.map((k) => dotAt(x(0.5), y(here + k))),
      ...marks.map((k) => offset(k)),
      ...halves.slice(2 * half * (HEIGHT / n) < 13 ? -1 : 0).map((k) => offset(k, "here")),
      isBias && say(x(0.5), BELOW, "½", "middle"),
      say(x(0), BELOW, 0, isBias ? "start" : "middle"), say(x(1), BELOW, 1, "end"));
  }

  return {
    above: [encoding.root, controls],
    below: [board, h("div", { class: "foot small" },
      h("span", { class: "scale", ...HIDDEN }, low, ramp, high), error.root), hands, table, note],
    draw,
    drawings: panels.map((area) => ({
      root: area.root,
      resize(width) {
        area.width = width;
        drawPanels();
      },
    })),
  };
});

/**
 * Text in a drawing.
 * @param {number} x
 * @param {number} y
 * @param {string | number} text
 * @param {string} [anchor]
 * @param {string} [role]
 */
const say = (x, y, text, anchor = "start", role = "dim") =>
  s("text", { class: role, x, y, "text-anchor": anchor }, String(text));

/** @param {string} d @param {string} [role] */
const line = (d, role = "wave") => s("path", { class: role, d });

/** @param {number} cx @param {number} cy */
const dotAt = (cx, cy) => s("circle", { class: "dot", r: 3.5, cx, cy });

/** One of the three drawings. @param {string} name @param {Child[]} under what lies below it */
function panel(name, ...under) {
  const svg = s("svg", { role: "img" });
  return {
    root: h("div", { class: `panel ${name}` }, ...under, svg),
    width: 0,
    /** @param {string} label @param {Child[]} parts */
    set(label, ...parts) {
      setAttributes(svg, { viewBox: `0 0 ${this.width} ${HEIGHT}`, "aria-label": label });
      svg.replaceChildren();
      furnish(svg, {}, parts);
    },
  };
}

/** A pair of columns as the hand of a clock. @param {number} r which pair */
function dial(r) {
  const arm = s("path", { class: "arm" });
  const svg = s("svg", { viewBox: "-20 -20 40 40", role: "img" },
    s("circle", { class: "ring", r: 18 }), arm);
  return {
    root: h("div", {}, svg, h("span", { class: "small", ...HIDDEN }, `pair ${r}`)),
    /** @param {Float64Array} pair where the hand points: to the right, and up */
    set([x, y]) {
      setAttributes(arm, { d: `M0 0L${(16 * x).toFixed(1)} ${(-16 * y).toFixed(1)}` });
      const angle = (Math.atan2(x, y) * 180) / Math.PI;
      setAttributes(svg, { "aria-label":
        `Hand of pair ${r}: ${fixed((angle + 360) % 360, 0)} degrees from the top` });
    },
  };
}

/** What a panel shows, and over what. @param {string} name */
function panelHead(name) {
  const parts = [h("span"), h("span", { class: "small" })];
  return {
    root: h("div", { class: `head ${name}` }, ...parts),
    /** @param {string[]} texts */
    set: (...texts) => parts.forEach((part, i) => setText(part, texts[i])),
  };
}

/** The choice of a dimension, with its wavelength. @param {string} rank */
function waveChoice(rank) {
  const input = h("input", { type: "number", min: 0, step: 1, inputmode: "numeric" });
  const period = h("data");
  const more = h("span", { class: "unseen" }, ` of the ${rank} wave`);
  const root = h("div", {}, h("label", {}, "dim", more, input), period);
  return {
    root, input,
    /** @param {number} column @param {Facts} facts */
    set(column, facts) {
      setAttributes(input, { max: facts.dim - 1 });
      const isWrong = input.hasAttribute("aria-invalid"); // being typed
      if (!isWrong && input.valueAsNumber !== column) input.value = String(column);
      const positions = wavelength(column, facts);
      setNumber(period, positions, `λ ${lengthText(positions)}`);
    },
  };
}

/**
 * Draws a pixel for each number; the page enlarges them.
 * @param {HTMLCanvasElement} canvas
 * @param {Float64Array} matrix
 * @param {number} height
 */
function paint(canvas, matrix, height) {
  const width = matrix.length / height;
  Object.assign(canvas, { width, height });
  const image = new ImageData(width, height);
  matrix.forEach((x, i) => image.data.set([...signedColour(x), 255], 4 * i));
  contextOf(canvas).putImageData(image, 0, 0);
}

export default widget;
