// @ts-check
// InductionExplorer: letters that are typed, and where two heads look to guess each next one.

// == compute ==================================================================================

/** A row times a matrix. @param {readonly number[]} row @param {readonly (readonly number[])[]} matrix */
function times(row, matrix) {
  const y = matrix[0].map(() => 0);
  row.forEach((x, i) => matrix[i].forEach((w, c) => { y[c] += x * w; }));
  return y;
}

/** @param {readonly number[]} a @param {readonly number[]} b */
const plus = (a, b) => a.map((x, c) => x + b[c]);

/**
 * The parameters, out of 8-bit integers and a scale for each column of a matrix.
 * @param {DataView} view
 * @param {{symbols: number, places: number, d: number}} sizes
 */
function modelFrom(view, { symbols, places, d }) {
  const both = [2 * d, d]; // of two layers, one below the other
  const shapes = [[symbols, d], [places, d], both, both, both, both, [d, symbols]];
  let [at, scaleAt] = [0, sum(shapes.map(([rows, columns]) => rows * columns))];
  const [embedding, place, query, key, value, output, last] = shapes.map(([rows, columns]) => {
    const scales = Array.from({ length: columns }, () => view.getFloat32((scaleAt += 4) - 4, true));
    return Array.from({ length: rows }, () => scales.map((scale) => view.getInt8(at++) * scale));
  });
  const layers = [0, d].map((row) =>
    [query, key, value, output].map((matrix) => matrix.slice(row, row + d)));
  return { embedding, place, layers, last };
}

/**
 * The weights of both layers, a row for each place, and the chances of each next letter.
 * @param {ReturnType<typeof modelFrom>} model
 * @param {readonly number[]} symbols
 * @param {readonly number[]} heads for each layer 1, or 0: what its head finds is not handed on
 */
function readLetters({ embedding, place, layers, last }, symbols, heads) {
  let xs = symbols.map((symbol, i) => plus(embedding[symbol], place[i]));
  const weights = layers.map(([ofQuery, ofKey, ofValue, ofOutput], layer) => {
    const [queries, keys, values] = [ofQuery, ofKey, ofValue].map((w) => xs.map((x) => times(x, w)));
    const rows = queries.map((query, i) => softmax(keys.map((key, j) =>
      (j > i ? -Infinity : dot(query, key) / Math.sqrt(query.length))), 1));
    if (heads[layer]) {
      xs = xs.map((x, i) => plus(x, times(times(rows[i], values), ofOutput)));
    }
    return rows;
  });
  return { weights, chances: xs.map((x) => softmax(times(x, last), 1)) };
}

/**
 * Letters in an order of their own that come again and again.
 * @param {string} letters
 * @param {number} length of the text
 * @param {() => number} random from 0 to below 1
 */
function repeating(letters, length, random) {
  const order = argsortDown([...letters].map(random));
  const period = 8 + Math.floor(9 * random()); // as in training
  return Array.from({ length }, (_, i) => letters[order[i % period]]).join("");
}

// == page =====================================================================================

const LEAST = 0.1; // a weight with an arc
const HEIGHT = 312;
const [ROW, GUESS, TALL] = [150, 178, 112]; // the two lines of letters, and the highest arc

/**
 * @type {Codecs<{letters: string, width: number, longest: number, parameters: DataView,
 *   text: string, place: number, heads: number[]}>}
 */
const TRAITS = {
  letters: plain, width: plain, longest: plain, parameters: plain,
  text: { ...plain, place: { name: "text", say: String,
    take: (text, { letters, longest }) => onlyIf(text, text.length > 0 && text.length <= longest &&
      [...text].every((letter) => letters.includes(letter))) } },
  place: whole("at", 0, ({ longest }) => longest - 1),
  heads: listOf(plain, "heads", (x) => x.length === 2 && x.every((on) => on === 0 || on === 1)),
};

const widget = explorer("induction", "Two heads that go on with a text", TRAITS, (read, set) => {
  const { letters, width: d, longest, parameters } = read();
  const model = modelFrom(parameters, { symbols: letters.length, places: longest, d });
  const known = `${letters[0]} to ${letters[letters.length - 1]}`;

  // The text. Blanks are passed over; what the model does not know is said, and the text stays.
  const id = uniqueId("text");
  const errors = errorBox();
  const field = h("input", { type: "text", id, maxlength: longest, spellcheck: "false",
    autocomplete: "off", autocapitalize: "none" });
  const typed = () => field.value.toLowerCase().replace(/\s/g, "");
  field.addEventListener("input", () => {
    const text = typed();
    const strange = [...new Set(text)].filter((letter) => !letters.includes(letter));
    errors.set(field, strange.length > 0
      ? `The model knows the letters ${known}. It has never met ${listed(strange.slice(0, 5))}; below is still the text before.`
      : text ? "" : `Type a letter, ${known}.`);
    if (text && strange.length === 0) set({ text, place: longest - 1 });
  });
  const other = button("Other letters", () => {
    const { length } = read().text;
    set({ text: repeating(letters, Math.max(length, 24), Math.random) });
  });
  let shown = "";

  let told = ""; // of the place, for the slider
  const slider = rangeControl("Place that asks", [0, longest - 1], (place) => set({ place }),
    { say: () => told });
  const switches = [0, 1].map((layer) => checkboxControl(`head of layer ${layer}`, (on) =>
    set({ heads: read().heads.with(layer, Number(on)) })));

  const svg = s("svg", { class: "heads", ...HIDDEN });
  onDrag(svg, (event) => {
    const { left, width } = svg.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * (longest + 1));
    set({ place: Math.max(0, Math.min(read().text.length - 1, at)) });
  });

  /** @typedef {{text: string, guesses: string[], asked: number[], at: number, key: number, heads: number[], weights: number[][][]}} Seen */
  const picture = drawing(svg, svg, HEIGHT, {
    /** @param {number} width @param {Seen} seen */
    all(width, { text, guesses, asked, at, key, heads, weights }) {
      const column = width / (longest + 1);
      const x = (/** @type {number} */ i) => (i + 0.5) * column;
      /** Arcs of one place, above the letters or below. @param {number} layer @param {number} i @param {boolean} isFaint */
      const arcs = (layer, i, isFaint) => weights[layer][i].flatMap((w, j) => {
        if (w < LEAST || !heads[layer]) return [];
        const [half, up] = [((i - j) * column) / 2, layer === 1];
        const y = up ? ROW - 17 : GUESS + 10;
        const path = j === i ? `m-3 0a3 5 0 1 ${up ? 1 : 0} 6 0` // at itself
          : `A${half.toFixed(1)} ${Math.min(TALL, 10 + half).toFixed(1)} 0 0 ${up ? 0 : 1} ${x(j).toFixed(1)} ${y}`;
        return s("path", { d: `M${x(i).toFixed(1)} ${y}${path}`,
          "stroke-width": (0.5 + 3.5 * w).toFixed(2), opacity: ((isFaint ? 0.35 : 1) * (0.25 + 0.75 * w)).toFixed(2) });
      });
      const say = (/** @type {number} */ i, /** @type {number} */ y, /** @type {string} */ letter, /** @type {string} */ role) =>
        s("text", { class: role, x: x(i).toFixed(1), y, "text-anchor": "middle" }, letter);
      svg.classList.toggle("narrow", column < 15);
      const off = (/** @type {number} */ layer) => (heads[layer] ? "" : ": off");
      svg.replaceChildren(
        s("rect", { class: "ask", x: (x(at) - column / 2).toFixed(1), y: ROW - 17, width: column.toFixed(1), height: 24, rx: 3 }),
        ...[...text].flatMap((_, i) => (i === key ? [] : arcs(0, i, true))),
        ...arcs(0, key, false), ...arcs(1, at, false),
        ...[...text].map((letter, i) => say(i, ROW, letter, i === at ? "q strong" : i === key ? "k strong" : "")),
        ...guesses.map((letter, i) =>
          say(i + 1, GUESS, letter, asked.includes(i) && letter === text[i + 1] ? "o strong" : "dim")),
        s("text", { class: "dim", x: 0, y: 12 }, `head of layer 1, from the place that asks${off(1)}`),
        s("text", { class: "dim", x: 0, y: HEIGHT - 6 }, `head of layer 0, from every place${off(0)}`));
    },
  });

  /** @param {ReturnType<typeof read>} now */
  function draw({ text, place, heads }) {
    const symbols = [...text].map((letter) => letters.indexOf(letter));
    const { weights, chances } = readLetters(model, symbols, heads);
    const best = chances.map((row) => argsortDown(row)[0]);
    const at = Math.min(place, text.length - 1);
    const key = argsortDown(weights[1][at])[0];
    const back = argsortDown(weights[0][key])[0];
    if (text !== shown) {
      shown = text;
      if (typed() !== text) {
        field.value = text;
        errors.set(field);
      }
    }
    const guesses = best.map((symbol) => letters[symbol]);
    const asked = symbols.flatMap((symbol, i) =>
      (i < text.length - 1 && symbols.indexOf(symbol) < i ? [i] : []));
    const right = asked.filter((i) => guesses[i] === text[i + 1]).length;
    const chance = chances[at][best[at]];
    const [guess, verdict] = at === text.length - 1 ? ["next", ""]
      : ["guess", guesses[at] !== text[at + 1] ? `, wrong (it is ${text[at + 1]})`
        : asked.includes(at) ? ", right" : ", right by luck"];
    const looks = weights[1][at][key];
    told = `place ${at}, ${text[at]}: ${guess} ${guesses[at]} ${weightText(chance)}${verdict}`;
    slider.set(at, text.length - 1);
    switches.forEach((each, layer) => each.set(heads[layer] === 1));
    picture.all({ text, guesses, asked, at, key, heads, weights });
    return [
      `Place ${at}, `, h("b", { class: "q" }, text[at]), ": ",
      ...(heads[1] ? ["layer 1 looks at ", h("b", { class: "k" }, text[key], " ", number(looks, weightText(looks))),
        ` (place ${key})`, ...(heads[0] ? [", where layer 0 looks at ", h("b", {}, text[back])] : [", with layer 0 off"])]
        : ["layer 1 is off"]),
      `. ${capital(guess)}: `, h("b", { class: "o" }, guesses[at], " ", number(chance, weightText(chance))), verdict, ".",
      asked.length > 0 && ` After letters that had come before: ${right} of ${asked.length} right.`,
    ];
  }

  return {
    draw, drawings: [picture],
    above: [h("div", { class: "typed" }, h("label", { for: id, class: "small" }, `Letters, ${known}`), field, other),
      errors.root, svg],
    below: [h("div", { class: "controls" }, slider.root, h("div", { class: "control" }, ...switches.map(({ root }) => root))),
      h("p", { class: "small" }, "Below each letter: the model’s guess for it, made at the place before. Bold: right, after a letter that had come before.")],
  };
});

export default widget;
