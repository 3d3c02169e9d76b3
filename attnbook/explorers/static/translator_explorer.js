// @ts-check
// TranslatorExplorer: a translation, word by word. Weights over the source, then the next word.

// == compute ==================================================================================

/**
 * What a step comes to: weights over the source words, none without attention, and the chances of
 * each word that can be written.
 * @param {readonly number[]} scores
 * @param {readonly number[]} logits
 */
const lookBack = (scores, logits) => ({
  weights: softmax(scores, 1), chances: softmax(logits, 1),
});

// == page =====================================================================================

const FRENCH = { lang: "fr" };
const OFFERED = 4; // words, as the next one
const NAMED = 0.12; // a share of the context that is as large has room for its word

/**
 * @type {Codecs<{sources: string[][], right: string[][], names: string[], attends: boolean[],
 *   written: string[][][], vocabulary: string[], scores: number[], logits: number[],
 *   translator: number, sentence: number, step: number}>}
 */
const TRAITS = {
  sources: plain, right: plain, names: plain, attends: plain, written: plain, vocabulary: plain,
  scores: floats, logits: floats,
  translator: placeIn("translator", ({ names }) => names),
  sentence: whole("sentence", 0, ({ sources }) => sources.length - 1),
  step: whole("step", 0, ({ written }) => longest(written.flat()) - 1),
};

/** @param {readonly {length: number}[]} lists */
const longest = (lists) => Math.max(...lists.map(({ length }) => length));

const widget = explorer("translator", "A translation, word by word", TRAITS, (read, set) => {
  const { sources, right, names, attends, written, vocabulary, scores, logits } = read();
  const nKeys = longest(sources);
  const nSteps = longest(written.flat());
  /** The numbers of a step. @param {number[]} flat @param {number} width */
  const rowOf = (flat, width) => {
    const { translator: model, sentence } = read();
    const place = (model * sources.length + sentence) * nSteps + at();
    return flat.slice(place * width, (place + 1) * width);
  };
  const wordsNow = () => {
    const { translator: model, sentence } = read();
    return written[model][sentence];
  };
  const at = () => Math.min(read().step, wordsNow().length - 1);
  const sentences = Object.fromEntries(sources.map((words, i) => [i, words.join(" ")]));
  const menu = selectControl("Sentence", sentences, (i) => set({ sentence: Number(i), step: 0 }));
  const by = choiceControl("Translator", names, (translator) => set({ translator }));
  const slider = rangeControl(["Step ", letter("t′", "")], [0, 1], (step) => set({ step }));
  const back = button("Back", () => set({ step: Math.max(0, at() - 1) }));
  const next = button("Next word", () => set({ step: (at() + 1) % wordsNow().length }));

  const keys = Array.from({ length: nKeys }, () => {
    const [word, bar, data] = [h("span", { class: "k" }), h("i"), h("data")];
    return { word, bar, data, root: h("li", {}, h("span", { class: "track", ...HIDDEN }, bar), word, data) };
  });
  const shares = Array.from({ length: nKeys }, () => h("span"));
  const mixture = h("div", { class: "mixture", ...HIDDEN }, ...shares);
  const alone = h("div", { class: "alone" }, "the last state, at every step");
  const lines = Array.from({ length: OFFERED }, () => {
    const [name, data, bar] = [h("th", { scope: "row", ...FRENCH }), h("data"), weightBar(vocabulary.length)];
    return { name, data, bar, root: h("tr", {}, name, h("td", {}, bar.root), h("td", {}, data)) };
  });
  const slots = Array.from({ length: nSteps }, () => h("li", FRENCH));
  const part = (/** @type {Child[]} */ label, /** @type {Child[]} */ ...children) =>
    h("div", { class: "part" }, h("p", { class: "about" }, ...label), ...children);

  /** @param {ReturnType<typeof read>} now */
  function draw({ translator: model, sentence }) {
    const [source, words, wanted] = [sources[sentence], written[model][sentence], right[sentence]];
    const step = at();
    const { weights, chances } =
      lookBack(rowOf(scores, nKeys).slice(0, source.length), rowOf(logits, vocabulary.length));
    const order = argsortDown(chances).slice(0, OFFERED);
    const heaviest = argsortDown(weights)[0];
    const word = words[step];
    menu.set(String(sentence));
    by.set(model);
    slider.set(step, words.length - 1);
    back.disabled = step === 0;
    setText(next, step === words.length - 1 ? "Start again" : "Next word");
    keys.forEach(({ word: name, bar, data, root }, j) => {
      root.hidden = j >= source.length;
      if (root.hidden) return;
      setText(name, source[j]);
      root.classList.toggle("most", attends[model] && j === heaviest);
      bar.style.height = `${100 * weights[j]}%`;
      bar.style.background = weightColor(weights[j]);
      if (attends[model]) setNumber(data, weights[j], weights[j] < 0.005 ? "" : cellText(weights[j]));
      else setNumber(data, NaN, "");
    });
    mixture.hidden = !attends[model];
    alone.hidden = attends[model];
    shares.forEach((share, j) => {
      const weight = j < source.length ? weights[j] : 0;
      share.style.flexGrow = String(weight);
      setText(share, weight >= NAMED ? source[j] : "");
    });
    lines.forEach(({ name, data, bar, root }, place) => {
      const p = chances[order[place]];
      setText(name, vocabulary[order[place]]);
      bar.set(p);
      setNumber(data, p, weightText(p));
      root.classList.toggle("chosen", place === 0);
    });
    slots.forEach((slot, i) => {
      slot.hidden = i >= words.length;
      setText(slot, i <= step ? words[i] : "·");
      slot.className = i > step ? "open" : words[i] === wanted[i] ? "" : "wrong";
      slot.classList.toggle("now", i === step);
    });
    const wrong = word !== wanted[step];
    return [
      `Step ${step}: `,
      attends[model] ? ["most weight on ", h("b", { class: "k" }, source[heaviest], " ",
        number(weights[heaviest], weightText(weights[heaviest])))] : "no weights",
      "; next word ", h("b", {}, h("span", FRENCH, word), " ", number(chances[order[0]], weightText(chances[order[0]]))),
      wrong && (wanted[step] ? [", wrong (it is ", h("span", FRENCH, wanted[step]), ")"] : ", wrong (it is over)"), ".",
    ].flat();
  }

  return {
    above: [h("div", { class: "controls" }, menu.root, names.length > 1 && by.root, slider.root,
      h("div", { class: "acts" }, back, next))],
    below: [
      part(["The source, read in both directions"], h("ol", { class: "keys", "aria-label": "source words, with their weights" }, ...keys.map(({ root }) => root))),
      part(["The ", h("span", { class: "o" }, "context"), ": so much of each state"], mixture, alone),
      h("div", { class: "ends-in" },
        part(["The next word"], h("table", { "aria-label": "the next word" }, h("colgroup", {}, h("col", { class: "word" }), h("col"),
          h("col", { class: "amount" })), h("tbody", {}, ...lines.map(({ root }) => root)))),
        part(["Written so far"], h("ol", { class: "written", "aria-label": "words written" }, ...slots))),
    ],
    draw,
  };
});

export default widget;
