// @ts-check
// BugGame: attention layers in black boxes. Probe them, see which laws they break, name the mistake.

// == compute ==================================================================================

/** @typedef {readonly (readonly number[])[]} Rows */
/** @typedef {readonly (readonly boolean[])[]} Mask */

const LEAST = 1e-6; // an output that is off by less is right
const FAR = 10000; // how far keys are shifted

const MISTAKES = {
  "no mistake": "it keeps all eight laws. Against these seven mistakes four probes would do: keys shifted, "
    + "twice as wide, a hidden key, an empty row",
  "no keepdims": "the totals of rows divide the columns. Where keys outnumber queries, the shapes no longer fit",
  "softmax over queries": "each column shares out a 1, and queries compete for keys",
  "no maximum subtracted": "e to a large score is infinite, and ∞ / ∞ is not a number",
  "divided by d": "as vectors grow wider, the scores fade. It should be the root of d",
  "divided by root of n_q": "q.shape[0] counts the queries, so an answer depends on who else asks",
  "mask after softmax": "the hidden key gets no weight, and yet it was counted in the total",
  "hidden scores -1e9": "where all scores are −1e9 they are all equal, so nobody is hidden",
};
/** @typedef {keyof typeof MISTAKES} Mistake */
const SUSPECTS = /** @type {Mistake[]} */ (Object.keys(MISTAKES));

/** @template T @param {readonly (readonly T[])[]} rows */
const turned = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));

/**
 * The weights of a layer, or null where it raises an error.
 * @param {Mistake} name
 * @param {Rows} q
 * @param {Rows} k
 * @param {Mask} mask
 * @returns {number[][] | null}
 */
function weightsOf(name, q, k, mask) {
  const [d, n] = [q[0].length, q.length];
  const divisor = name === "divided by d" ? d
    : Math.sqrt(name === "divided by root of n_q" ? n : d);
  const scores = q.map((query) => k.map((key) => dot(query, key) / divisor));
  const open = (/** @type {number[]} */ row, /** @type {number} */ i) =>
    row.map((x, j) => (mask[i][j] ? x : -Infinity));
  if (name === "no maximum subtracted") {
    return scores.map((row, i) => {
      const e = open(row, i).map(Math.exp);
      const total = sum(e);
      return e.map((x) => x / (total || (Number.isNaN(total) ? NaN : 1)));
    });
  }
  if (name === "no keepdims") {
    if (n > 1 && n !== k.length) return null;
    const e = scores.map((row, i) => {
      const top = Math.max(...open(row, i));
      return row.map((x, j) => (mask[i][j] ? Math.exp(x - top) : 0));
    });
    const totals = e.map(sum);
    return e.map((row) => row.map((x, j) => x / (totals[n > 1 ? j : 0] || 1)));
  }
  if (name === "softmax over queries") {
    const columns = turned(mask);
    return turned(turned(scores).map((column, j) => softmax(column, 1, columns[j])));
  }
  if (name === "mask after softmax") {
    return scores.map((row, i) => softmax(row, 1).map((w, j) => (mask[i][j] ? w : 0)));
  }
  if (name === "hidden scores -1e9") {
    return scores.map((row, i) => softmax(row.map((x, j) => (mask[i][j] ? x : -1e9)), 1));
  }
  return scores.map((row, i) => softmax(row, 1, mask[i]));
}

/** @typedef {{q: Rows, k: Rows, v: readonly number[], mask: Mask}} Input */

/** @param {Rows} q @param {Rows} k @param {readonly number[]} v @returns {Input} */
const openInput = (q, k, v) => ({ q, k, v, mask: q.map(() => k.map(() => true)) });

/** The outputs of a layer, or null. @param {Mistake} name @param {Input} input */
function outputsOf(name, { q, k, v, mask }) {
  const weights = weightsOf(name, q, k, mask);
  return weights && weights.map((row) => sum(row.map((w, j) => w * v[j])));
}

/** @typedef {(f: (input: Input) => number[] | null, input: Input) => [Input, number[] | null]} Run */
/** @param {(input: Input) => Input} change @returns {Run} the outputs should stay as they were */
const staying = (change) => (f, input) => [change(input), f(input)];
/** @param {Input} input @param {boolean} changed */
function hiding({ q, k, v }, changed) {
  const at = k.length >> 1;
  return {
    q,
    k: k.map((row, j) => (changed && j === at ? row.map((x) => -x) : row)),
    v: v.map((x, j) => (changed && j === at ? 9 : x)),
    mask: q.map(() => k.map((_, j) => j !== at)),
  };
}

/**
 * What each probe does, what a right layer does then (`last` is the word that asks last, `middle`
 * the one that is hidden), and the input with what the outputs should be.
 * @type {Record<string, {does: string, law: string, run: Run}>}
 */
const PROBES = {
  "all values 1": { does: "Every value becomes 1.", law: "A mean of ones is 1.",
    run: (f, { q, k, v }) => [openInput(q, k, v.map(() => 1)), q.map(() => 1)] },
  "keys shifted": { does: "10,000 is added to all numbers of all keys.",
    law: "All scores of a query move alike, so its weights stay.",
    run: staying(({ q, k, v }) => openInput(q, k.map((row) => row.map((x) => x + FAR)), v)) },
  "keys shuffled": { does: "Keys and their values come in the opposite order.",
    law: "A mean knows no order.",
    run: staying(({ q, k, v }) => openInput(q, [...k].reverse(), [...v].reverse())) },
  "one query": { does: "{last} asks alone.", law: "Queries do not feel each other.",
    run: (f, { q, k, v }) => [openInput(q.slice(-1), k, v), f(openInput(q, k, v))?.slice(-1) ?? null] },
  "everything twice": { does: "Each key comes twice, and so does its value.",
    law: "Weights are shares: the two copies get half each.",
    run: staying(({ q, k, v }) => openInput(q, [...k, ...k], [...v, ...v])) },
  "twice as wide": { does: "Each query and key is written twice, all its numbers times 0.84.",
    law: "q · k grows by √2, and so does √d.",
    run: staying(({ q, k, v }) => {
      const [wide, wider] = [q, k].map((rows) => rows.map((row) =>
        [...row, ...row].map((x) => x / 2 ** 0.25)));
      return openInput(wide, wider, v);
    }) },
  "a hidden key": { does: "{middle} is hidden from all. Then its key and its value change.",
    law: "What is hidden has no say.",
    run: (f, input) => [hiding(input, true), f(hiding(input, false))] },
  "an empty row": { does: "{last} may look at nobody.", law: "Its output is 0; the others stay.",
    run: (f, input) => [
      { ...input, mask: input.mask.map((row, i) => row.map(() => i < input.q.length - 1)) },
      f(input)?.with(-1, 0) ?? null] },
};
const NAMES = Object.keys(PROBES);

/** @typedef {"keeps" | "breaks" | "NaN" | "error"} Outcome */

/**
 * What a layer gives under a probe, and what it should.
 * @param {Mistake} name
 * @param {number} probe
 * @param {Input} input
 */
function probed(name, probe, input) {
  const f = (/** @type {Input} */ given) => outputsOf(name, given);
  const [given, wanted] = PROBES[NAMES[probe]].run(f, input);
  const output = f(given);
  const broken = output && wanted ? output.map((o, i) => !(Math.abs(o - wanted[i]) <= LEAST)) : [];
  /** @type {Outcome} */
  const outcome = !output ? "error" : output.some(Number.isNaN) ? "NaN"
    : broken.some(Boolean) ? "breaks" : "keeps";
  return { given, wanted, output, broken, outcome };
}

/**
 * The first probe that tells two layers apart, and how the second one takes it.
 * @param {Mistake} one
 * @param {Mistake} other
 * @param {Input} input
 */
function telling(one, other, input) {
  const [own, its] = [one, other].map((name) => NAMES.map((_, p) => probed(name, p, input).outcome));
  const kept = (/** @type {Outcome} */ outcome) => outcome === "keeps";
  const clear = own.findIndex((outcome, p) => kept(outcome) !== kept(its[p]));
  const probe = clear >= 0 ? clear : own.findIndex((outcome, p) => outcome !== its[p]);
  return probe < 0 ? null : { probe, outcome: its[probe] };
}

// == page =====================================================================================

const LETTERS = "ABCDEFGH";
const SEEN = { keeps: "–", breaks: "●", NaN: "?", error: "!" };
const SAID = { keeps: "keeps the law", breaks: "breaks it", NaN: "not a number", error: "error" };
const WOULD = { keeps: "would be kept", breaks: "would be broken", NaN: "would give NaN",
  error: "would raise an error" };
const BAR = 22; // px for each output
const CELL = 15; // px of a number in the map of the input; more rows than words are less high

/** @param {{layers: string[]}} now */
const boxesOf = ({ layers }) => layers.map((_, i) => LETTERS[i]);
/** @param {(x: number) => boolean} fits */
const forEachBox = (fits) => (/** @type {readonly number[]} */ x, /** @type {any} */ now) =>
  x.length === now.layers.length && x.every((item) => Number.isInteger(item) && fits(item));

/**
 * @type {Codecs<{words: string[], query: number[], key: number[], value: number[],
 *   layers: Mistake[], order: number[], box: number, probe: number, seen: number[],
 *   verdicts: number[]}>}
 */
const TRAITS = {
  words: plain, query: floats, key: floats, value: floats, layers: plain,
  order: listOf(plain, "of", (x, now) => x.length === now.layers.length &&
    x.every((_, i) => x.includes(i))),
  box: placeIn("box", boxesOf),
  probe: placeIn("probe", () => NAMES),
  seen: listOf(plain, "seen", forEachBox((x) => x >= 0 && x < 2 ** NAMES.length)),
  verdicts: listOf(plain, "named", forEachBox((x) => x >= -1 && x < SUSPECTS.length)),
};

const widget = explorer("bugs", "Find the bug", TRAITS, (read, set) => {
  const { words, query, key, value, layers } = read();
  const d = query.length / words.length;
  const input = openInput(rowsOf(query, d), rowsOf(key, d), value);
  const boxes = boxesOf({ layers });
  const told = (/** @type {string} */ text) =>
    text.replace("{last}", words[words.length - 1]).replace("{middle}", words[words.length >> 1]);

  /** What the probe that is left has shown stays on the board. @param {{box?: number, probe?: number}} to */
  const go = (to) => {
    const { box, probe, seen } = read();
    set({ ...to, seen: seen.with(box, seen[box] | (1 << probe)) });
  };
  const [boxName, probeName] = [uniqueId("box"), uniqueId("probe")];
  const radio = (/** @type {string} */ name, /** @type {string} */ text, /** @type {() => void} */ onInput) => {
    const root = h("input", { type: "radio", name });
    root.addEventListener("input", onInput);
    return { root, label: h("label", {}, root, h("span", {}, text)) };
  };
  const heads = boxes.map((letter, b) => radio(boxName, letter, () => go({ box: b })));
  heads.forEach(({ root }, b) => setAttributes(root, { "aria-label": `box ${boxes[b]}` }));
  const sides = NAMES.map((name, p) => radio(probeName, name, () => go({ probe: p })));
  const cells = NAMES.map((_, p) => boxes.map((_, b) => {
    const seen = h("span", HIDDEN);
    const said = h("span", { class: "unseen" });
    const root = h("td", {}, seen, said);
    root.addEventListener("click", () => go({ box: b, probe: p }));
    return { root, seen, said };
  }));
  const board = h("table", { class: "board", "aria-label": "What each box does under each probe" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "dim" }, "probe / box"),
      ...heads.map(({ label }) => h("th", { scope: "col" }, label)))),
    h("tbody", {}, ...NAMES.map((_, p) => h("tr", {},
      h("th", { scope: "row" }, sides[p].label), ...cells[p].map(({ root }) => root)))));

  const map = s("svg", { role: "img" });
  const svg = s("svg", { role: "img" });
  const chart = h("div", { class: "chart" }, svg);
  const bars = drawing(chart, svg, words.length * BAR + 4, {
    /** @param {number} width @param {ReturnType<typeof probed>} result */
    all: (width, result) => svg.replaceChildren(...barsOf(width, words, result)),
  });
  const law = h("p", { class: "law" });

  const guess = selectControl("The mistake", { "": "…", ...Object.fromEntries(SUSPECTS.map((name) =>
    [name, name.replace("-", "−")])) }, () => {});
  const choice = /** @type {HTMLSelectElement} */ (guess.root.querySelector("select"));
  const nameIt = button("Name it", () => {
    const { verdicts, box } = read();
    set({ verdicts: verdicts.with(box, SUSPECTS.indexOf(/** @type {Mistake} */ (choice.value))) });
  });
  const again = button("New game", () => {
    const order = layers.map((_, i) => i);
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    set({ order, box: 0, probe: 0, seen: layers.map(() => 0), verdicts: layers.map(() => -1) });
  });
  const solved = h("p", { class: "small" });
  const verdict = headline();
  verdict.parts[0].className = "verdict";
  let shown = "";

  /** @param {ReturnType<typeof read>} now */
  function draw({ order, box, probe, seen, verdicts }) {
    const held = order.map((at) => layers[at]);
    const result = probed(held[box], probe, input);
    heads.forEach(({ root, label }, b) => {
      root.checked = b === box;
      label.classList.toggle("found", SUSPECTS[verdicts[b]] === held[b]);
    });
    sides.forEach(({ root }, p) => { root.checked = p === probe; });
    cells.forEach((row, p) => row.forEach(({ root, seen: mark, said }, b) => {
      const here = b === box && p === probe;
      const outcome = here || (seen[b] >> p) & 1 ? probed(held[b], p, input).outcome : null;
      root.classList.toggle("here", here);
      setText(mark, outcome ? SEEN[outcome] : "");
      setText(said, outcome ? SAID[outcome] : "not tried");
    }));
    drawMap(map, input, result.given);
    bars.all(result);
    setAttributes(svg, { "aria-label": chartWords(words, result) });
    const { does, law: right } = PROBES[NAMES[probe]];
    setText(law, `${told(does)} ${right}`);

    // What the reader is about to choose stays.
    const facts = JSON.stringify([order, box, verdicts[box]]);
    if (facts !== shown) guess.set(SUSPECTS[verdicts[box]] ?? "");
    shown = facts;
    verdict.set(...judged(held[box], SUSPECTS[verdicts[box]], input, seen[box] | (1 << probe)));
    const found = boxes.filter((_, b) => SUSPECTS[verdicts[b]] === held[b]);
    setText(solved, found.length === boxes.length
      ? `All ${countWord(boxes.length)} are named. Well done.`
      : found.length ? `Named so far: ${listed(found)}.`
        : `${capital(countWord(boxes.length))} boxes, ${countWord(boxes.length)} names.`);
    return [h("b", {}, `Box ${boxes[box]}, ${NAMES[probe]}`), ": ", ...summary(words, result)];
  }

  return {
    below: [
      h("div", { class: "play" }, board, h("div", { class: "outcome" }, law, map, chart)),
      h("p", { class: "small" }, "● breaks the law of the probe, – keeps it, ? not a number, ! an "
        + "error. Bars are outputs; each should end at its mark."),
      h("div", { class: "name" }, guess.root, nameIt, solved, again), ...verdict.parts],
    draw, drawings: [bars], stacked: 640, stop: verdict.stop,
  };
});

/**
 * @param {readonly string[]} words
 * @param {ReturnType<typeof probed>} result
 * @returns {Child[]}
 */
function summary(words, { output, wanted, broken, outcome }) {
  if (!output || !wanted) return ["the layer raises an error. The shapes do not fit."];
  const asked = words.slice(-output.length);
  const off = output.flatMap((_, i) => (broken[i] ? [i] : []));
  if (outcome === "keeps") return ["the law holds."];
  const at = off.reduce((most, i) =>
    (Math.abs(output[i] - wanted[i]) > Math.abs(output[most] - wanted[most]) ? i : most), off[0]);
  return [
    number(off.length, String(off.length)), ` of ${output.length} output${
      output.length > 1 ? "s" : ""} ${off.length > 1 ? "are" : "is"} off. The output of ${asked[at]} is `,
    h("span", { class: "o" }, number(output[at], Number.isNaN(output[at]) ? "NaN" : fixed(output[at]))),
    ", not ", number(wanted[at], fixed(wanted[at])), "."];
}

/**
 * The bars, for who does not see them.
 * @param {readonly string[]} words
 * @param {ReturnType<typeof probed>} result
 */
const chartWords = (words, { output, wanted }) => (output && wanted
  ? `Outputs. ${words.slice(-output.length).map((word, i) => `${word}: ${
    Number.isNaN(output[i]) ? "not a number" : fixed(output[i])}, should be ${fixed(wanted[i])}`).join("; ")}.`
  : "No outputs: an error.");

/**
 * What is said of a name.
 * @param {Mistake} held
 * @param {Mistake | undefined} guess
 * @param {Input} input
 * @param {number} seen
 * @returns {Child[]}
 */
function judged(held, guess, input, seen) {
  if (!guess) return ["Probe the box. When you know what is wrong with it, name it. One box is right."];
  const name = (/** @type {string} */ text) => text.replace("-", "−");
  if (guess === held) return [h("b", {}, "Right"), `, ${name(held)}: ${MISTAKES[held]}.`];
  const clue = telling(held, guess, input);
  return [h("b", {}, "Not yet"), ...(clue ? [`: with “${name(guess)}” the law of “${
    NAMES[clue.probe]}” ${WOULD[clue.outcome]}. ${(seen >> clue.probe) & 1
    ? "Look at the board." : "Try that probe."}`] : ["."])];
}

/**
 * @param {number} width
 * @param {readonly string[]} words
 * @param {ReturnType<typeof probed>} result
 */
function barsOf(width, words, { output, wanted, broken }) {
  if (!output || !wanted) {
    return [s("text", { class: "error", x: 0, y: BAR }, "error: operands could not be broadcast")];
  }
  const asked = words.slice(-output.length);
  const left = wordWidth(words, 40, 88);
  const right = width - 64;
  const finite = [...output, ...wanted].filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...finite), Math.max(0, ...finite)];
  const x = (/** @type {number} */ at) => left + ((at - low) / (high - low || 1)) * (right - left);
  return asked.flatMap((word, i) => {
    const [y, o] = [i * BAR, output[i]];
    return [
      s("text", { x: 0, y: y + 15 }, cutTo(word, left - 8)),
      s("rect", { class: broken[i] ? "bar off" : "bar", x: Number.isFinite(o) ? Math.min(x(0), x(o)) : left,
        y: y + 5, width: Number.isFinite(o) ? Math.abs(x(o) - x(0)) : 0, height: 12 }),
      s("path", { class: "goal", d: `M${x(wanted[i])} ${y + 1}v20` }),
      s("text", { class: broken[i] ? "o strong" : "dim", x: width, y: y + 15, "text-anchor": "end" },
        Number.isNaN(o) ? "NaN" : fixed(o)),
    ];
  });
}

/**
 * The input as a map: filled above 0, an edge below; what the probe has changed has a frame.
 * @param {SVGElement} map
 * @param {Input} before
 * @param {Input} now
 */
function drawMap(map, before, now) {
  const column = (/** @type {readonly number[]} */ v) => v.map((x) => [x]);
  const bits = (/** @type {Mask} */ mask) => mask.map((row) => row.map(Number));
  /** @type {[string, string, Rows, Rows][]} */
  const parts = [["Q", "q", before.q, now.q], ["K", "k", before.k, now.k],
    ["V", "v", column(before.v), column(now.v)], ["mask", "m", bits(before.mask), bits(now.mask)]];
  const n = before.k.length;
  let left = 1;
  const drawn = parts.flatMap(([name, role, old, rows]) => {
    const most = Math.max(1e-9, ...rows.flat().map(Math.abs));
    const changed = rows.length !== old.length || rows[0].length !== old[0].length ||
      rows.some((row, i) => row.some((x, j) => x !== old[i][j]));
    const start = left;
    const size = (CELL * n) / Math.max(n, rows.length, rows[0].length); // px of a number
    const wide = rows[0].length * size;
    left += Math.max(wide, 54) + 10;
    return [
      s("text", { class: changed ? "strong" : "dim", x: start, y: 11 },
        `${name} ${rows.length}×${rows[0].length}`),
      ...rows.flatMap((row, i) => row.map((x, j) => s("rect", {
        class: `entry ${role} ${x < 0 ? "below" : ""}`, x: start + j * size + 1, y: 18 + i * size,
        width: size - 2, height: size - 2, style: `--size: ${(0.12 + 0.88 * Math.abs(x) / most).toFixed(2)}`,
      }))),
      changed && s("rect", { class: "frame", x: start - 1, y: 16, width: wide + 2, height: rows.length * size + 2 }),
    ].filter((part) => part !== false);
  });
  const [width, height] = [Math.max(left, 330), 20 + n * CELL];
  setAttributes(map, {
    viewBox: `0 0 ${width} ${height}`, style: `max-width: ${width}px`,
    "aria-label": `The input. ${parts.map(([name, , , rows]) =>
      `${name}: ${rows.length} by ${rows[0].length}`).join("; ")}.`,
  });
  map.replaceChildren(...drawn);
}

export default widget;
