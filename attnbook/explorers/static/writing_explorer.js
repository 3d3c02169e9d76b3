// @ts-check
// WritingExplorer: a language model goes on from what the reader types.

// == compute ==================================================================================

/** @typedef {ArrayLike<number>} Row */

/**
 * The parameters of a model, out of 8-bit integers and their scales: rows of rows, in the order in
 * which attnutils nests them.
 * @param {DataView} view
 * @param {number} start
 * @param {{symbols: number, d: number, ff: number, blocks: number}} sizes
 */
function unpacked(view, start, { symbols, d, ff, blocks }) {
  const vector = [1, d];
  const block = [[d, d], [d, d], [d, d], [d, d], [d, ff], [1, ff], [ff, d], vector,
    vector, vector, vector, vector];
  const shapes = [[symbols, d], ...Array.from({ length: blocks }, () => block).flat(),
    vector, vector, [d, symbols]];
  let [at, scaleAt] = [start, start + sum(shapes.map(([rows, columns]) => rows * columns))];
  const arrays = shapes.map(([rows, columns]) => {
    // A matrix has a scale for each column, a vector one for all.
    const scales = Array.from({ length: rows > 1 ? columns : 1 }, () => {
      scaleAt += 4;
      return view.getFloat32(scaleAt - 4, true);
    });
    return Array.from({ length: rows }, () => Float64Array.from({ length: columns },
      (_, j) => view.getInt8(at++) * scales[rows > 1 ? j : 0]));
  });
  const take = (/** @type {number} */ n) => arrays.splice(0, n);
  const pair = () => take(2).map(([row]) => row);
  const [embedding] = take(1);
  const layers = Array.from({ length: blocks }, () => {
    const [query, key, value, output, wIn, [bIn], wOut, [bOut]] = take(8);
    return { query, key, value, output, wIn, bIn, wOut, bOut, norm1: pair(), norm2: pair() };
  });
  return { embedding, layers, norm: pair(), output: arrays[0], end: scaleAt };
}

/** A row times a matrix. @param {Row} x @param {readonly Row[]} w */
function times(x, w) {
  const y = new Float64Array(w[0].length);
  for (let i = 0; i < w.length; i++) {
    const [factor, row] = [x[i], w[i]];
    if (factor !== 0) for (let j = 0; j < y.length; j++) y[j] += factor * row[j];
  }
  return y;
}

/** @param {Float64Array} a @param {Row} b */
const plus = (a, b) => a.map((x, i) => x + b[i]);

/** A layer norm. @param {Float64Array} x @param {readonly Row[]} gainAndBias */
function normed(x, [gain, bias]) {
  const mean = x.reduce((total, item) => total + item, 0) / x.length;
  const variance = x.reduce((total, item) => total + (item - mean) ** 2, 0) / x.length;
  const spread = Math.sqrt(variance + 1e-5);
  return x.map((item, i) => ((item - mean) / spread) * gain[i] + bias[i]);
}

/** Sines and cosines of a position. @param {number} i @param {number} d */
const encoding = (i, d) => Float64Array.from({ length: d }, (_, j) => {
  const angle = i * 10000 ** (-(j - (j % 2)) / d);
  return j % 2 ? Math.cos(angle) : Math.sin(angle);
});

/**
 * A function that reads text: from symbols to the logits of the next. Keys and values of what it has
 * read already are kept. They serve as long as the text only grows: without a mask, or once the
 * first character is another, every position is computed again.
 * @param {ReturnType<typeof unpacked>} model
 * @param {number} heads in each block
 */
function reader({ embedding, layers, norm, output }, heads) {
  const d = embedding[0].length;
  const width = d / heads;
  /** @type {{key: string, symbols: number[], cache: {keys: Row[], values: Row[]}[],
   *   logits: number[], computed: number}} */
  let last = { key: "", symbols: [], cache: [], logits: [], computed: 0 };

  /**
   * @param {readonly number[]} symbols
   * @param {number} start the place of the first of them in the text
   * @param {readonly number[]} isOn for each head 1 or 0
   * @param {boolean} isCausal
   */
  return (symbols, start, isOn, isCausal) => {
    const key = String([start, isCausal, ...isOn]);
    const grows = last.key === key && last.symbols.every((symbol, i) => symbol === symbols[i]);
    if (grows && last.symbols.length === symbols.length) return last;
    const from = grows && isCausal ? last.symbols.length : 0;
    const cache = from > 0 ? last.cache : layers.map(() => ({ keys: [], values: [] }));
    let xs = symbols.slice(from).map((symbol, i) =>
      plus(encoding(from + i, d), embedding[symbol]));
    layers.forEach((layer, at) => {
      const { keys, values } = cache[at];
      const zs = xs.map((x) => normed(x, layer.norm1));
      for (const z of zs) {
        keys.push(times(z, layer.key));
        values.push(times(z, layer.value));
      }
      // Only the last position makes logits.
      const first = at < layers.length - 1 ? 0 : xs.length - 1;
      xs = xs.slice(first).map((x, row) => {
        const i = first + row;
        const query = times(zs[i], layer.query);
        const seen = isCausal ? from + i + 1 : symbols.length;
        const found = new Float64Array(d); // 0 where a head is off
        for (let head = 0; head < heads; head++) {
          if (isOn[at * heads + head]) attend(query, keys, values, seen, head * width, width, found);
        }
        const middle = plus(x, times(found, layer.output));
        const hidden = plus(times(normed(middle, layer.norm2), layer.wIn), layer.bIn)
          .map((unit) => Math.max(0, unit));
        return plus(plus(middle, times(hidden, layer.wOut)), layer.bOut);
      });
    });
    const logits = [...times(normed(xs[xs.length - 1], norm), output)];
    return (last = { key, symbols: [...symbols], cache, logits, computed: symbols.length - from });
  };
}

/**
 * What one head finds, into its columns.
 * @param {Row} query
 * @param {readonly Row[]} keys
 * @param {readonly Row[]} values
 * @param {number} seen how many of the keys
 * @param {number} start its first column
 * @param {number} width
 * @param {Float64Array} found
 */
function attend(query, keys, values, seen, start, width, found) {
  const scores = keys.slice(0, seen).map((key) => {
    let score = 0;
    for (let j = start; j < start + width; j++) score += query[j] * key[j];
    return score / Math.sqrt(width);
  });
  softmax(scores, 1).forEach((weight, k) => {
    for (let j = start; j < start + width; j++) found[j] += weight * values[k][j];
  });
}

/** A number from 0 to below 1 that looks random. @param {number} seed @param {number} place */
function drawAt(seed, place) {
  let x = Math.imul(seed, 0x9e3779b1) + Math.imul(place, 0x85ebca6b);
  for (const [shift, factor] of [[16, 0x7feb352d], [15, 0x846ca68b]]) {
    x = Math.imul((x >>> 0) ^ (x >>> shift), factor);
  }
  return (((x >>> 0) ^ (x >>> 16)) >>> 0) / 2 ** 32;
}

/** Where a draw falls among shares. @param {readonly number[]} shares @param {number} at from 0 to 1 */
function drawn(shares, at) {
  const here = at * sum(shares);
  let total = 0;
  return shares.findIndex((share) => (total += share) > here);
}

/** The symbols of a text; what has none is read as a blank. @param {string} text @param {string[]} alphabet */
const symbolsOf = (text, alphabet) => {
  const blank = alphabet.indexOf(" ");
  return [...text].map((character) => {
    const at = alphabet.indexOf(character);
    return at < 0 ? blank : at;
  });
};

// == page =====================================================================================

const MOST_TEXT = 600; // characters
const MOST_SEEDS = 1000;
const SHOWN = 10; // characters with a bar
const PACE = 40; // milliseconds a character
const START = "\n"; // what stands before the reader's text

/** @param {number} n with the line break before the text */
const countedCharacters = (n) => (n === 1 ? "1 character" : `${n} characters`);

/** @param {string} character */
const named = (character) => ({ " ": "blank", "\n": "line break" })[character] ?? character;

/**
 * @typedef {{alphabet: string, models: {name: string, d: number, d_ff: number, count: number}[],
 *   n_blocks: number, n_heads: number, longest: number, parameters: DataView}} Facts
 */
/**
 * @type {Codecs<Facts & {model: string, text: string, temperature: number, heads: number[],
 *   mask: boolean, context: number, seed: number}>}
 */
const TRAITS = {
  alphabet: plain, models: plain, n_blocks: plain, n_heads: plain, longest: plain, parameters: plain,
  model: oneOf("model", ({ models }) => models.map((/** @type {{name: string}} */ { name }) => name)),
  text: { ...plain, place: { name: "text", say: String,
    take: (text) => onlyIf(text, [...text].length <= MOST_TEXT) } },
  temperature: heat,
  heads: listOf(plain, "heads", (x, { heads }) =>
    x.length === heads.length && x.every((item) => item === 0 || item === 1)),
  mask: flag("mask"),
  context: whole("context", 1, ({ longest }) => longest),
  seed: whole("seed", 0, () => MOST_SEEDS - 1),
};

const widget = explorer("writing", "A model that writes", TRAITS, (read, set) => {
  const { alphabet: letters, models, n_blocks: blocks, n_heads: heads, longest, parameters, text: given } =
    read();
  const alphabet = [...letters];
  let end = 0;
  const readers = models.map(({ d, d_ff: ff }) => {
    const model = unpacked(parameters, end, { symbols: alphabet.length, d, ff, blocks });
    end = model.end;
    return reader(model, heads);
  });

  /** What the model makes of the text. @param {ReturnType<typeof read>} now */
  function expect({ text, context, heads: isOn, mask, model, temperature }) {
    const all = symbolsOf(START + text, alphabet);
    const start = Math.max(0, all.length - context);
    const at = models.findIndex(({ name }) => name === model);
    const found = readers[at](all.slice(start), start, isOn, mask);
    return { ...found, shares: softmax(found.logits, temperature) };
  }

  // The text, and who writes it.
  const id = uniqueId("text");
  const paper = h("textarea", { id, rows: 3, maxlength: MOST_TEXT, spellcheck: "false" });
  paper.addEventListener("focus", () => halt());
  paper.addEventListener("input", () => {
    halt();
    set({ text: paper.value });
  });
  let timer = 0;
  const isFull = (/** @type {string} */ text) => [...text].length >= MOST_TEXT;
  function write() {
    const now = read();
    if (isFull(now.text)) return halt();
    const { shares } = expect(now);
    const place = [...now.text].length;
    set({ text: now.text + alphabet[drawn(shares, drawAt(now.seed, place))] });
  }
  function halt() {
    clearInterval(timer);
    timer = 0;
    setText(go, "Go on");
  }
  const go = button("Go on", () => {
    if (timer) return halt();
    setText(go, "Stop");
    timer = setInterval(write, PACE);
    write();
  });
  const one = button("One character", () => {
    halt();
    write();
  });
  const back = button("Start again", () => {
    halt();
    set({ text: given });
  });
  const dice = button("Another seed", () => set({ seed: (read().seed + 1) % MOST_SEEDS }));
  const seedNow = h("span", { class: "small" });

  // Bars of the next character; a press writes it.
  const rows = Array.from({ length: Math.min(SHOWN, alphabet.length) }, () => {
    const name = button("", () => {
      halt();
      const { text } = read();
      if (!isFull(text)) set({ text: text + name.value });
    });
    return { name, bar: weightBar(alphabet.length), share: h("data") };
  });
  const table = h("table", { "aria-label": "The likeliest next characters" },
    h("colgroup", {}, h("col", { class: "name" }), h("col"), h("col", { class: "amount" })),
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "first" }, "next"),
      h("td", { class: "barcell" }, barHead(alphabet.length).root),
      h("th", { scope: "col" }, "probability"))),
    h("tbody", {}, ...rows.map(({ name, bar, share }) => h("tr", {},
      h("th", { scope: "row" }, name), h("td", { class: "barcell" }, bar.root), h("td", {}, share)))));

  // Controls.
  const temperature = temperatureControl((t) => set({ temperature: t }));
  const context = rangeControl("Characters it reads", [1, longest], (n) => set({ context: n }));
  const mask = checkboxControl("causal mask", (checked) => set({ mask: checked }));
  const choice = selectControl("Trained", Object.fromEntries(models.map(({ name, count }) =>
    [name, `${name}: ${count.toLocaleString("en")} parameters`])), (name) => set({ model: name }));
  const switches = Array.from({ length: blocks * heads }, (_, i) => {
    const [block, head] = [Math.floor(i / heads), i % heads];
    return checkboxControl(String(head), (checked) =>
      set({ heads: read().heads.with(i, Number(checked)) }),
    { "aria-label": `block ${block}, head ${head}` });
  });
  const banks = Array.from({ length: blocks }, (_, block) => h("div", { class: "bank" },
    h("span", { class: "small", ...HIDDEN }, `heads of block ${block}`),
    ...switches.slice(block * heads, (block + 1) * heads).map(({ root }) => root)));
  const note = h("p", { class: "small note" });

  /** @param {ReturnType<typeof read>} now */
  function draw(now) {
    const { text, model, temperature: t, heads: isOn, mask: isMasked, context: n, seed } = now;
    const { shares, logits, symbols, computed } = expect(now);
    if (paper.value !== text) {
      paper.value = text;
      paper.scrollTop = paper.scrollHeight;
    }
    if (timer && isFull(text)) halt();
    temperature.set(t);
    context.set(n);
    mask.set(isMasked);
    choice.set(model);
    switches.forEach((each, i) => each.set(isOn[i] === 1));
    setText(seedNow, `seed ${seed}`);
    const order = argsortDown(logits).slice(0, rows.length);
    rows.forEach(({ name, bar, share }, i) => {
      const character = alphabet[order[i]];
      name.value = character;
      setText(name, named(character));
      bar.set(shares[order[i]]);
      setNumber(share, shares[order[i]], weightText(shares[order[i]]));
    });
    const unknown = [...new Set(text)].filter((character) => !letters.includes(character));
    setText(note, unknown.length > 0 ? `No character of the book: ${
      unknown.slice(0, 8).join(" ")}. The model reads a blank there.`
      : isFull(text) ? "The paper is full." : "");

    const nats = -Math.log(Math.max(...shares));
    const likeliest = named(alphabet[order[0]]);
    return [
      "Next: ", h("b", {}, likeliest, " ", number(shares[order[0]], weightText(shares[order[0]]))),
      `; it would cost ${fixed(nats, 2)} nats. Read: ${
        countedCharacters(symbols.length)}, `,
      computed === symbols.length ? "all computed now." : `of them ${computed} now, the rest from the cache.`,
    ];
  }

  return {
    draw, stop: halt,
    above: [h("label", { for: id, class: "small" }, "Your text, on a new line. The model goes on from it."), paper,
      h("div", { class: "acts" }, go, one, back, dice, seedNow), note],
    below: [h("div", { class: "two" },
      h("div", { class: "controls" }, context.root, temperature.root, choice.root,
        h("div", { class: "control" }, mask.root, ...banks)),
      h("div", { class: "plot" }, table))],
  };
});

export default widget;
