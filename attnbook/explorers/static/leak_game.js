// @ts-check
// LeakGame: attention layers in black boxes. Change a token's number, see which outputs move.

// == compute ==================================================================================

const LEAST = 1e-9; // an output that moves by less stands still

/** Whether output i may see token j, in each layer; `after` hides the weights, not the scores. */
const LAYERS = {
  "causal mask": { sees: (/** @type {number} */ i, /** @type {number} */ j) => j <= i, after: false,
    told: "each output moves with its own token and the earlier ones, with no other. It does not leak" },
  "no mask": { sees: () => true, after: false,
    told: "nothing is hidden, and every output takes in every token" },
  "one key too many": { sees: (/** @type {number} */ i, /** @type {number} */ j) => j <= i + 1,
    after: false, told: "each output sees one token too far, as j ≤ i + 1 lets it" },
  "mask transposed": { sees: (/** @type {number} */ i, /** @type {number} */ j) => j >= i,
    after: false, told: "the triangle stands on its head. Outputs see their own token and the later ones" },
  "mask after softmax": { sees: (/** @type {number} */ i, /** @type {number} */ j) => j <= i,
    after: true, told: "the weights of the future are 0, but softmax had divided by a total that " +
      "counts the future. The later token is not seen, and yet it is felt" },
};
/** @typedef {keyof typeof LAYERS} LayerName */
const SUSPECTS = /** @type {LayerName[]} */ (Object.keys(LAYERS));

/**
 * The outputs of a layer: each token's number is its query, its key and its value.
 * @param {LayerName} name
 * @param {readonly number[]} x
 */
function outputsOf(name, x) {
  const { sees, after } = LAYERS[name];
  return x.map((q, i) => {
    const open = x.map((_, j) => sees(i, j));
    const weights = softmax(x.map((k) => q * k), 1, after ? undefined : open);
    return sum(weights.map((w, j) => (open[j] ? w * x[j] : 0)));
  });
}

/** Which outputs differ. @param {readonly number[]} before @param {readonly number[]} after */
const movedFrom = (before, after) => after.map((y, i) => !(Math.abs(y - before[i]) <= LEAST));

/**
 * What each token does to the outputs when its number alone is changed: a row for each token, none
 * where it was not.
 * @param {LayerName} name
 * @param {readonly number[]} given
 * @param {readonly number[]} now
 */
const evidence = (name, given, now) => now.map((x, t) =>
  (x === given[t] ? null
    : movedFrom(outputsOf(name, given), outputsOf(name, given.with(t, x)))));

/**
 * A token and an output that tell two layers apart, if there are such.
 * @param {LayerName} a
 * @param {LayerName} b
 * @param {readonly number[]} given
 */
function telling(a, b, given) {
  const changed = given.map((x) => x + 1);
  const [one, other] = [a, b].map((name) => evidence(name, given, changed));
  for (let t = given.length - 1; t >= 0; t--) {
    const i = one[t]?.findIndex((moved, at) => moved !== other[t]?.[at]) ?? -1;
    if (i >= 0) return { token: t, output: i, moves: other[t]?.[i] };
  }
  return null;
}

// == page =====================================================================================

const LETTERS = "ABCDEFGH";

/** @param {{layers: string[]}} now */
const boxesOf = ({ layers }) => layers.map((_, i) => LETTERS[i]);

/**
 * @type {Codecs<{words: string[], given: number[], layers: LayerName[], numbers: number[],
 *   box: number, verdicts: number[]}>}
 */
const TRAITS = {
  words: plain, given: plain, layers: plain,
  numbers: listOf(floats, "x", fitCells((now) => now.words)),
  box: placeIn("box", boxesOf),
  verdicts: listOf(plain, "named", (x, { layers }) => x.length === layers.length &&
    x.every((item) => Number.isInteger(item) && item >= -1 && item < SUSPECTS.length)),
};

const widget = explorer("leak", "Find the leak", TRAITS, (read, set) => {
  const { words, given, layers } = read();
  const boxes = boxesOf({ layers });
  const errors = errorBox();
  const box = choiceControl("Black box", boxes, (at) => set({ box: at }));
  const guess = selectControl("It has", { "": "…", ...Object.fromEntries(SUSPECTS.map((name) =>
    [name, name])) }, () => {});
  const choice = /** @type {HTMLSelectElement} */ (guess.root.querySelector("select"));
  const nameIt = button("Name it", () => {
    const now = read();
    set({ verdicts: now.verdicts.with(now.box, SUSPECTS.indexOf(/** @type {LayerName} */ (choice.value))) });
  });
  const verdict = headline();
  verdict.parts[0].className = "verdict";
  const inputs = words.map((word, i) => numberCell(`number of ${word}`, "k", 0.5, errors,
    (x) => set({ numbers: read().numbers.with(i, x) })));
  const reset = button("Numbers back", () => {
    for (const cell of inputs) cell.show();
    set({ numbers: given });
  });

  const marks = words.map(() => words.map(() =>
    ({ seen: h("span", { class: "mark", ...HIDDEN }), said: h("span", { class: "unseen" }) })));
  const outputs = words.map(() => h("data"));
  const outputCells = outputs.map((data) => h("td", { class: "o" }, data));
  const table = h("table", { "aria-label": "Which outputs move with which token" },
    h("colgroup", {}, h("col", { class: "word" }), ...words.map(() => h("col")),
      h("col", { class: "output" })),
    h("thead", {},
      h("tr", {}, h("td"), ...words.map((word) => h("th", { scope: "col", class: "wraps" }, word)),
        h("td")),
      h("tr", {}, h("th", { scope: "row", class: "small wraps" }, "number"),
        ...inputs.map((cell) => cell.root), h("th", { scope: "col", class: "o wraps" }, "output"))),
    h("tbody", {}, ...words.map((word, i) => h("tr", {}, h("th", { scope: "row", class: "wraps" }, word),
      ...marks[i].map(({ seen, said }, t) => h("td", { class: t > i && "later" }, seen, said)),
      outputCells[i]))));
  const solved = h("p", { class: "small" });
  /** @type {number[]} */
  let before = [];
  let at = -1;
  let named = NaN;

  /** @param {ReturnType<typeof read>} now */
  function draw({ numbers, box: chosen, verdicts }) {
    const name = layers[chosen];
    const result = outputsOf(name, numbers);
    const found = evidence(name, given, numbers);
    box.set(chosen);
    numbers.forEach((x, i) => inputs[i].set(x));
    // What the reader is about to choose stays.
    if (chosen !== at || verdicts[chosen] !== named) guess.set(SUSPECTS[verdicts[chosen]] ?? "");
    const flashes = chosen === at ? movedFrom(before, result) : [];
    [before, at, named] = [result, chosen, verdicts[chosen]];
    words.forEach((_, i) => {
      setNumber(outputs[i], result[i], fixed(result[i]));
      outputCells[i].classList.remove("moved");
      if (flashes[i]) {
        void outputCells[i].offsetWidth; // so that it flashes again
        outputCells[i].classList.add("moved");
      }
      found.forEach((moved, t) => {
        setText(marks[i][t].seen, moved ? (moved[i] ? "●" : "–") : "");
        setText(marks[i][t].said, moved ? (moved[i] ? "moves" : "stays") : "");
      });
    });

    const right = layers.filter((layer, i) => SUSPECTS[verdicts[i]] === layer);
    verdict.set(...judged(words, given, name, SUSPECTS[verdicts[chosen]]));
    setText(solved, right.length === layers.length
      ? `All ${countWord(layers.length)} are named. Well done.`
      : right.length > 0 ? `Named so far: ${listed(boxes.filter((_, i) =>
        SUSPECTS[verdicts[i]] === layers[i]))}.` : `${capital(countWord(layers.length))} boxes, ${
        countWord(layers.length)} layers.`);

    const changed = found.flatMap((moved, t) => (moved ? [t] : []));
    const told = changed.flatMap((t, at) => [
      at === 0 ? "" : at === changed.length - 1 ? " and " : ", ", `${words[t]} at `,
      number(numbers[t], short(numbers[t]))]);
    const differ = movedFrom(outputsOf(name, given), result);
    const moved = words.filter((_, i) => differ[i]);
    const count = number(moved.length, String(moved.length));
    return [h("b", {}, `Box ${boxes[chosen]}`), ": ",
      ...(changed.length === 0
        ? [count, " outputs have moved. Change the number of one token. Which do?"]
        : [...told, changed.length > 1 ? " move " : " moves ", count,
          ` output${moved.length === 1 ? "" : "s"}`, moved.length > 0 && ": ",
          h("span", { class: "o" }, listed(moved)), "."])];
  }

  return {
    above: [h("div", { class: "ask" }, box.root, reset)],
    below: [table, errors.root,
      h("p", { class: "small" }, "● moves, – stays. Hatched: the token comes after the output. " +
        "A number in a box can be changed: drag it sideways, or type."),
      h("div", { class: "name" }, guess.root, nameIt, solved), ...verdict.parts],
    draw, stacked: 600, stop: verdict.stop,
    style: { word: `${wordWidth(words, 48, 88)}px` },
  };
});

/**
 * What is said of a guess.
 * @param {readonly string[]} words
 * @param {readonly number[]} given
 * @param {LayerName} name
 * @param {LayerName | undefined} guess
 * @returns {Child[]}
 */
function judged(words, given, name, guess) {
  if (!guess) return ["What does this box do? Probe it, then name it."];
  if (guess === name) return [h("b", {}, "Right"), `, ${name}: ${LAYERS[name].told}.`];
  const clue = telling(name, guess, given);
  const last = words[words.length - 1];
  return [h("b", {}, "Not yet"), ...(clue
    ? [`: with “${guess}”, a new number for ${words[clue.token]} would ${
      clue.moves ? "move" : "not move"} the output of ${words[clue.output]}. Look at it here.`]
    : [". Both move the same outputs, so look at how far. Pull the number of "
      + `${last} up to 9: do earlier outputs run after it, or fade towards 0?`])];
}

export default widget;
