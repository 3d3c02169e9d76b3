// @ts-check
// AttentionBench: one query against n keys, from scores to weights to the output.

// == compute ==================================================================================

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth"];

/**
 * The scores to choose from: what is compared, by what the result is divided in d dimensions, and
 * how both are written.
 */
const SCORES = {
  dot: {
    text: "dot q·k",
    formula: () => [letter("q"), " · ", letter("k")],
    raw: dot,
    divisor: (/** @type {number} */ d) => 1,
  },
  scaled_dot: {
    text: "scaled dot q·k / √d",
    formula: () => [letter("q"), " · ", letter("k")],
    raw: dot,
    divisor: Math.sqrt,
  },
  gaussian: {
    text: "Gaussian −½|q − k|²",
    formula: () => ["−½|", letter("q"), "−", letter("k"), "|²"],
    raw: (/** @type {readonly number[]} */ q, /** @type {readonly number[]} */ k) =>
      -sum(q.map((x, i) => (x - k[i]) ** 2)) / 2,
    divisor: (/** @type {number} */ d) => 1,
  },
};
/** @typedef {keyof typeof SCORES} ScoreName */

/**
 * @typedef {object} Bench
 * @property {number} query the index of the query word
 * @property {number[]} q
 * @property {number[][]} keys
 * @property {number[]} values
 * @property {boolean[]} mask
 * @property {ScoreName} score
 * @property {number} temperature
 */

/** Every number that the bench shows. @param {Bench} bench */
function attend({ q, keys, values, mask, score, temperature }) {
  const raw = keys.map((k) => SCORES[score].raw(q, k));
  const scores = raw.map((x) => x / SCORES[score].divisor(q.length));
  const weights = softmax(scores, temperature, mask);
  const products = weights.map((w, i) => w * values[i]);
  return {
    raw,
    logits: scores.map((x) => x / temperature),
    weights,
    products,
    output: sum(products),
  };
}

/** @typedef {ReturnType<typeof attend>} Result */

/**
 * Whether a query word attends most to a word, and to no other as much.
 * @param {Bench} bench
 * @param {Result} result
 * @param {number} asks
 * @param {number} wanted
 */
const attendsMost = ({ query }, { weights }, asks, wanted) =>
  query === asks && weights.every((w, i) => i === wanted || w < weights[wanted]);

/**
 * What was changed of all that decides which word weighs most, in words.
 * @param {readonly string[]} words
 * @param {Bench} start
 * @param {Bench} now
 * @returns {string[]}
 */
function changesSince(words, start, now) {
  /** @param {string} name @param {readonly number[]} before @param {readonly number[]} after */
  const vector = (name, before, after) => {
    const moved = after.flatMap((x, j) => (x === before[j] ? [] : [j]));
    const [j] = moved;
    if (moved.length === 0) return [];
    if (moved.length === 1) {
      return [`the ${ORDINALS[j]} component of ${name} from ${short(before[j])} to ${short(after[j])}`];
    }
    const text = (/** @type {readonly number[]} */ x) => `(${x.map(short).join(", ")})`;
    return [`${name} from ${text(before)} to ${text(after)}`];
  };
  const turned = words.filter((_, i) => now.mask[i] !== start.mask[i]);
  const isOther = now.query !== start.query;
  return [
    isOther && `the query word to ${words[now.query]}`,
    ...(isEdited(now) ? vector("the query", isOther ? start.keys[now.query] : start.q, now.q) : []),
    ...words.flatMap((word, i) => vector(`the key of ${word}`, start.keys[i], now.keys[i])),
    turned.length > 0 && `the mask at ${listed(turned)}`,
    now.score !== start.score && `the score to ${SCORES[now.score].text}`,
  ].filter((x) => x !== false);
}

/** The query was changed by hand: it is no longer the key of its word. @param {Bench} bench */
const isEdited = ({ q, keys, query }) => q.some((x, j) => x !== keys[query][j]);

// == page =====================================================================================

/**
 * @type {Codecs<{words: string[], scores: ScoreName[], query: number, query_vector: number[],
 *   key_matrix: number[], value_matrix: number[], mask: boolean[], score: ScoreName,
 *   temperature: number, challenge: string[]}>}
 */
const TRAITS = {
  words: plain, scores: plain, query: placeIn("query", ({ words }) => words),
  key_matrix: listOf(floats, "k", fitCells((now) => now.key_matrix)),
  query_vector: listOf(floats, "q", fitCells((now) => now.query_vector),
    ({ query, query_vector: { length: d }, key_matrix }) => rowsOf(key_matrix, d)[query]),
  value_matrix: listOf(floats, "v", fitCells((now) => now.words)),
  mask: {
    ...plain,
    place: {
      name: "mask", // 1 may be attended to
      say: (mask) => mask.map(Number).join(""),
      take: (text, { words: { length } }) =>
        onlyIf([...text].map((bit) => bit === "1"), /^[01]+$/.test(text) && text.length === length),
    },
  },
  score: oneOf("score", ({ scores }) => scores), temperature: heat, challenge: plain,
};

/** @typedef {ReturnType<typeof numberCell>} Cell */

const widget = explorer("bench", "Attention bench", TRAITS, (read, set) => {
  const { words, scores: offered, challenge, ...start } = read();
  const d = start.query_vector.length;
  const columns = Array.from({ length: d }, (_, j) => j);
  /** What the traits say now. @returns {Bench} */
  const bench = ({ query, query_vector: q, key_matrix, value_matrix: values, mask, score,
    temperature } = read()) =>
    ({ query, q, keys: rowsOf(key_matrix, d), values, mask, score, temperature });

  const query = choiceControl("Query word", words,
    (i) => set({ query: i, query_vector: bench().keys[i] }));
  const reset = button("Reset", () => {
    cells.forEach((cell) => cell.show()); // also those that hold no number now
    set(start);
  });
  const score = selectControl(
    "Score",
    Object.fromEntries(offered.map((name) => [name, SCORES[name].text])),
    (name) => set({ score: /** @type {ScoreName} */ (name) }),
  );
  const temperature = temperatureControl((t) => set({ temperature: t }));

  const errors = errorBox();
  const qCells = columns.map((j) =>
    numberCell(`query, ${ORDINALS[j]} component`, "q", 0.5, errors, (x) => {
      set({ query_vector: read().query_vector.with(j, x) });
    }));
  const kCells = words.map((word, i) => columns.map((j) =>
    numberCell(`key of ${word}, ${ORDINALS[j]} component`, "k", 0.5, errors, (x) => {
      const { keys, q, query } = bench();
      const changed = keys.with(i, keys[i].with(j, x));
      // The query follows its word's key until it is edited itself.
      const follows = i === query && q.every((item, c) => item === keys[i][c]);
      set({ key_matrix: changed.flat(), query_vector: follows ? changed[i] : q });
    })));
  const vCells = words.map((word, i) =>
    numberCell(`value of ${word}`, "v", 0.1, errors, (x) => {
      set({ value_matrix: read().value_matrix.with(i, x) });
    }));
  const cells = [...qCells, ...kCells.flat(), ...vCells];
  const masks = words.map((word, i) =>
    checkboxControl(word, (open) => set({ mask: read().mask.with(i, open) }),
      { "aria-label": `may attend to ${word}` }));

  const [asks, wanted] = challenge.map((word) => words.indexOf(word));
  const first = bench();
  const task = headline();
  task.parts[0].className = "challenge";

  const tables = benchTables(words, d, { qCells, kCells, vCells, masks });
  const beam = balanceBeam(words);

  return {
    below: [
      ...(challenge.length > 0 ? task.parts : []),
      h("div", { class: "ask" }, query.root,
        h("div", { class: "controls" }, offered.length > 1 && score.root, temperature.root), reset),
      tables.root, errors.root, beam.root,
    ],
    drawings: [beam],
    stop: task.stop,
    // More columns of keys need more room before the three tables can stand side by side.
    stacked: 600 + 58 * Math.max(0, d - 3),
    draw(traits) {
      const now = bench(traits);
      const result = attend(now);
      query.set(now.query);
      score.set(now.score);
      temperature.set(now.temperature);
      qCells.forEach((cell, j) => cell.set(now.q[j]));
      kCells.forEach((row, i) => row.forEach((cell, j) => cell.set(now.keys[i][j])));
      vCells.forEach((cell, i) => cell.set(now.values[i]));
      masks.forEach((mask, i) => mask.set(now.mask[i]));
      if (challenge.length > 0) {
        const isMet = attendsMost(now, result, asks, wanted);
        const changes = changesSince(words, first, now);
        task.parts[0].classList.toggle("met", isMet);
        task.set(...(isMet
          ? [h("b", {}, "Well done"), `: ${words[asks]} attends most to ${words[wanted]}.`,
            changes.length > 0 && ` You changed ${listed(changes)}.`]
          : [`Challenge: make ${words[asks]} attend most to ${words[wanted]}.`]));
      }
      tables.draw(now, result);
      beam.weights(now, result);
      return inWords(words, now, result);
    },
  };
});

/**
 * The headline.
 * @param {readonly string[]} words
 * @param {Bench} bench
 * @param {Result} result
 * @returns {Child[]}
 */
function inWords(words, bench, { weights, output }) {
  const open = bench.mask.filter(Boolean).length;
  if (open === 0) {
    return ["Nothing to attend to: all weights are 0, and so is the output ",
      h("b", { class: "o" }, letter("o"), " = ", number(0, "0")), "."];
  }
  const most = Math.max(...weights);
  const winners = words.filter((_, i) => bench.mask[i] && weights[i] === most);
  const share = number(most, weightText(most));
  return [
    ...(isEdited(bench) ? ["With an edited query ", letter("q")]
      : ["With the query ", letter("q"), " ", h("b", { class: "q" }, words[bench.query])]),
    ...(winners.length > 2 && winners.length === open
      ? [`, all ${countWord(open)} words weigh the same, `, h("b", {}, share)]
      : [", most weight goes to ", h("b", {}, `${listed(winners)} `, share),
        winners.length > 1 && " each"]),
    "; output ", h("b", { class: "o" }, letter("o"), " = ", number(output, fixed(output, 4))), ".",
  ];
}

/**
 * Three tables whose rows line up: scores, weights, weighted sum. Where it is narrow they stand
 * below each other, and each repeats the words.
 * @param {readonly string[]} words
 * @param {number} d
 * @param {object} inputs
 * @param {Cell[]} inputs.qCells
 * @param {Cell[][]} inputs.kCells
 * @param {Cell[]} inputs.vCells
 * @param {ReturnType<typeof checkboxControl>[]} inputs.masks
 */
function benchTables(words, d, { qCells, kCells, vCells, masks }) {
  const numbers = () => words.map(() => h("data"));
  const [raws, logits, weights, products] = [numbers(), numbers(), numbers(), numbers()];
  const repeated = words.map(() => h("td", { class: "narrow dim" }));
  const bars = words.map(() => weightBar(words.length));
  const uniform = barHead(words.length);
  const asks = h("span", { class: "q" });
  const compared = th("col");
  const scaled = th("col");
  const normalizing = h("span");
  const total = h("data");
  const output = h("data", { class: "o" });

  /** @param {string} scope @param {Child[]} children */
  function th(scope, ...children) {
    return h("th", { scope }, ...children);
  }
  /** @param {Child[]} children */
  const td = (...children) => h("td", {}, ...children);
  /** @type {HTMLTableRowElement[][]} the rows of each word, one in each table */
  const rows = words.map(() => []);
  /**
   * @param {number} step
   * @param {Child} title
   * @param {string[]} columns the class of each
   * @param {Child[]} head
   * @param {(i: number) => Child[]} row
   * @param {Child[]} foot
   */
  const table = (step, title, columns, head, row, foot) =>
    h("table", { class: step > 1 && "later" },
      h("caption", {}, h("span", { class: "dim" }, String(step)), " ", title),
      h("colgroup", {}, ...columns.map((name) => h("col", { class: name }))),
      h("thead", {}, h("tr", {}, ...head)),
      h("tbody", {}, ...words.map((_, i) => {
        const element = h("tr", {}, ...row(i));
        rows[i].push(element);
        return element;
      })),
      h("tfoot", {}, h("tr", {}, ...foot)));
  const name = (/** @type {number} */ i) => th("row", h("span", { class: "name" }, words[i]));
  const alpha = () => letter("α", "");

  const arrows = [0, 1].map(() => h("div", { class: "arrow", ...HIDDEN }));
  const root = h("div", { class: "flow" },
    table(1, "Compare the query with each key",
      ["word", ...qCells.map(() => ""), "result"],
      [th("row", letter("q"), " ", asks), ...qCells.map((cell) => cell.root), compared],
      (i) => [h("th", { scope: "row", "aria-label": words[i] }, masks[i].root), ...kCells[i].map((cell) => cell.root), td(raws[i])],
      [h("th", { scope: "row", class: "small foot" }, "may attend"),
        h("td", { colspan: d, class: "k keys" }, letter("k"), " keys"), td()]),
    arrows[0],
    table(2, normalizing,
      ["word", "result", "", "result"],
      [td(), scaled, h("td", { class: "barcell" }, uniform.root),
        th("col", "weight ", alpha())],
      (i) => [name(i), td(logits[i]), h("td", { class: "barcell" }, bars[i].root), td(weights[i])],
      [td(), td(), h("th", { scope: "row", class: "small sum" }, "sum"), td(total)]),
    arrows[1],
    table(3, "Weighted sum",
      ["word", "narrow", "", ""],
      [td(), h("th", { scope: "col", class: "narrow" }, "weight ", alpha()),
        h("th", { scope: "col", class: "v" }, "value ", letter("v")),
        th("col", alpha(), " ", letter("v"))],
      (i) => [name(i), repeated[i], vCells[i].root, td(products[i])],
      [td(), h("td", { class: "narrow" }),
        h("th", { scope: "row", class: "o" }, "output ", letter("o")), td(output)]));
  root.style.setProperty("--columns", String(d));
  root.style.setProperty("--word", `${wordWidth(words, 48, 100)}px`);

  return {
    root,
    /** @param {Bench} bench @param {Result} result */
    draw(bench, result) {
      const { score, temperature, mask } = bench;
      const hard = temperature === 0;
      const divisor = [
        score === "scaled_dot" ? `√${d}` : "",
        temperature === 1 ? "" : short(temperature),
      ].filter(Boolean).join(" · ");
      setText(asks, isEdited(bench) ? "edited" : words[bench.query]);
      if (compared.dataset.score !== score) {
        compared.dataset.score = score;
        compared.replaceChildren(...SCORES[score].formula());
      }
      setText(scaled, hard ? "T = 0" : divisor ? `÷ ${divisor}` : "score");
      setText(normalizing, divisor ? "Scale, then softmax" : "Softmax");

      const most = Math.max(...result.weights);
      const among = mask.filter(Boolean).length;
      uniform.set(among);
      const digits = result.raw.every(Number.isInteger) ? 0 : 2;
      const rawTexts = result.raw.map((x) => fixed(x, digits));
      const weightTexts = result.weights.map(weightText);
      words.forEach((_, i) => {
        const top = mask[i] && result.weights[i] === most;
        for (const row of rows[i]) {
          row.classList.toggle("off", !mask[i]);
          row.classList.toggle("top", top);
        }
        setNumber(raws[i], result.raw[i], rawTexts[i]);
        if (!mask[i]) setNumber(logits[i], NaN, "hidden");
        else if (hard) setNumber(logits[i], NaN, top ? "largest" : "–");
        else setNumber(logits[i], result.logits[i], fixed(result.logits[i], divisor ? 2 : digits));
        bars[i].set(result.weights[i], !mask[i], among);
        setNumber(weights[i], result.weights[i], weightTexts[i]);
        setText(repeated[i], weightTexts[i]);
        setNumber(products[i], result.products[i], fixed(result.products[i]));
      });
      setNumber(total, sum(result.weights), fixed(sum(result.weights)));
      setNumber(output, result.output, fixed(result.output, 4));
      // Where the tables are stacked, the arrows carry the numbers down.
      setText(arrows[0], ["scores", ...rawTexts].join("  "));
      setText(arrows[1], ["weights", ...weightTexts.map((w) => w.replace("0.", "."))].join("  "));
    },
  };
}

/**
 * The weights stand on a beam, each at its value; the beam balances at the output. What stands on
 * the beam is named above it, and the output alone below.
 * @param {readonly string[]} words
 */
function balanceBeam(words) {
  const rows = words.length > 6 ? 2 : 1; // of labels, where they are too many for one
  const [tallest, line, gap] = [96, 15, 8];
  const floor = tallest + 12 + 2 * line * rows;
  const middle = { "text-anchor": "middle" };
  // For each word a block; and what the first word of a stack carries for all in it.
  const blocks = words.map(() => s("rect", { class: "block" }));
  const names = words.map(() => s("tspan"));
  const numbers = words.map(() => s("tspan", { class: "v", dy: line }));
  const texts = words.map((_, i) => s("text", { class: "halo", ...middle }, names[i], numbers[i]));
  const leaders = words.map(() => s("path", { class: "leader" }));
  const ticks = words.map(() => s("path", { class: "valuetick" }));
  const beam = s("path", { class: "line" });
  const fulcrum = s("path", { class: "fulcrum", d: "M0 1 13 23H-13Z" });
  const output = s("tspan");
  const outputText = s("text", { class: "o", y: floor + 42, ...middle },
    drawnLetter("o", ""), output);
  const svg = s("svg", { height: floor + 50, role: "img" },
    beam, ...blocks, ...ticks, fulcrum, ...leaders, ...texts, outputText);
  const root = h("figure", {}, h("figcaption", { class: "small" },
    "A number in a box can be changed: drag it sideways, or type. Below, each weight stands at its " +
    "value; the line balances at the output."), svg);
  /** @param {number} width @param {Bench} bench @param {Result} result */
  function draw(width, { values, mask }, { weights, output: o }) {
    const balanced = mask.includes(true);
    const low = Math.min(0, ...values);
    const high = Math.max(0, ...values);
    const margin = 40;
    const x = (/** @type {number} */ value) =>
      margin + ((width - 2 * margin) * (value - low)) / (high - low || 1);

    // Words with one value stand on each other.
    /** @type {Map<number, number[]>} */
    const stacks = new Map();
    words.forEach((_, i) => {
      if (mask[i]) stacks.set(values[i], [...(stacks.get(values[i]) ?? []), i]);
    });
    words.forEach((_, i) => {
      setAttributes(blocks[i], { visibility: mask[i] ? "visible" : "hidden" });
      const first = mask[i] && stacks.get(values[i])?.[0] === i;
      for (const part of [texts[i], leaders[i], ticks[i]]) {
        setAttributes(part, { visibility: first ? "visible" : "hidden" });
      }
    });
    const sorted = [...stacks].sort((a, b) => a[0] - b[0]);
    // Blocks that crowd are narrower.
    const nearest = Math.min(...sorted.map(([value], at) =>
      (at > 0 ? x(value) - x(sorted[at - 1][0]) : Infinity)));
    const thick = Math.max(8, Math.min(32, nearest - 2));
    const most = (width * rows) / sorted.length - gap;
    const placed = sorted.map(([value, members]) => {
      let top = floor;
      for (const i of members) {
        const height = weights[i] * tallest;
        top -= height;
        setAttributes(blocks[i], { x: x(value) - thick / 2, y: top, width: thick, height,
          fill: weightColor(weights[i]) });
      }
      const all = members.map((i) => words[i]).join(", ");
      const isShort = members.length === 1 || textWidth(all) <= most;
      const text = cutTo(isShort ? all : `${members.length} words`, most);
      const wide = Math.max(thick, textWidth(text), textWidth(short(value)));
      return { at: x(value), width: wide + gap, i: members[0], value, text, top };
    });
    const isTwo = rows > 1 && sum(placed.map((label) => label.width)) > width;
    for (const row of isTwo ? [0, 1] : [0]) {
      const labels = placed.filter((_, at) => !isTwo || at % 2 === row);
      spread(labels, width).forEach(({ middle, group }, at, places) => {
        const { i, value, text, top, at: foot } = labels[at];
        // Labels that moved apart stand level, above all that is under them.
        const under = isTwo ? placed : labels.filter((_, other) => places[other].group === group);
        const over = Math.min(...under.map((label) => label.top)) - 2 * line * row;
        setText(names[i], text);
        setText(numbers[i], short(value));
        setAttributes(names[i], { x: middle });
        setAttributes(numbers[i], { x: middle });
        setAttributes(texts[i], { y: over - line - 8 });
        const away = Math.abs(middle - foot) > 3 || top - over > 3;
        setAttributes(leaders[i], { d: away ? `M${middle} ${over - 4}L${foot} ${top - 1}` : "" });
        setAttributes(ticks[i], { d: `M${foot} ${floor}v6` });
      });
    }

    setAttributes(beam, { d: `M0 ${floor}H${width}` });
    setAttributes(fulcrum, {
      transform: `translate(${x(o)} ${floor})`, visibility: balanced ? "visible" : "hidden",
    });
    setText(output, ` = ${fixed(o, 4)}`);
    setAttributes(outputText, { x: Math.max(46, Math.min(width - 46, x(o))) });
    setAttributes(svg, {
      "aria-label": balanced
        ? `A line from ${short(low)} to ${short(high)}, in balance at ${fixed(o, 4)}.`
        : "An empty line: nothing may be attended to.",
    });
  }

  return drawing(root, svg, floor + 50, { weights: draw });
}

export default widget;
