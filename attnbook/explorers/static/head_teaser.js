// @ts-check
// Where do heads of a model look from one word? Guess, then see.

// == page =====================================================================================

/** @typedef {{name: string | null, tokens: string[]}} Sentence */
/** @typedef {{sentences: Sentence[], sentence: string | null}} Named */
/** @param {Named} now */
const tokensOf = ({ sentences, sentence }) =>
  sentences.find(({ name }) => name === (sentence ?? null))?.tokens ?? [];
const guessed = placeIn("guess", tokensOf);

/**
 * @type {Codecs<Named & {asks: number, heads: string[], score_table: number[], guess: number}>}
 */
const TRAITS = {
  sentences: plain, asks: plain, heads: plain, score_table: floats,
  sentence: oneOf("sentence", ({ sentences }) => sentences.map((/** @type {Sentence} */ { name }) => name)),
  guess: { ...guessed, place: guessed.place && { ...guessed.place, least: -1 } },
};

const widget = explorer("teaser", "Where heads look", TRAITS, (read, set) => {
  const { sentences, asks, heads, score_table: scores } = read();
  const n = sentences[0].tokens.length;
  const names = sentences.map(({ name }) => name ?? "");
  const versions = choiceControl("Sentence", names, (i) => set({ sentence: sentences[i].name, guess: -1 }));
  const lines = heads.map((head, i) => lineOfWords(i === 0 ? "Your guess" : head, i === 0 ? (j) => set({ guess: j }) : undefined));

  return {
    above: lines.flatMap(({ root }, i) =>
      [heads.length > 1 && h("p", { class: "small" }, heads[i]), root]),
    below: [sentences.length > 1 && versions.root],
    stop: () => lines.forEach((line) => line.stop()),
    draw(now) {
      const { sentence, guess } = now;
      const tokens = tokensOf(now);
      const at = sentences.findIndex(({ name }) => name === (sentence ?? null));
      const rows = rowsOf(scores, n).slice(at * heads.length, (at + 1) * heads.length)
        .map((row) => softmax(row, 1));
      versions.set(at);
      lines.forEach((line, i) => line.show(tokens, asks, guess < 0 ? [] : rows[i],
        { pressed: guess, ms: 200, isMark: (j) => /^\[(CLS|SEP)\]$/.test(tokens[j]) }));

      const it = h("b", { class: "q" }, tokens[asks]);
      const [most] = rows.map((row) => argsortDown(row)[0]);
      const told = (/** @type {number} */ i, /** @type {number} */ j) => number(rows[i][j], weightText(rows[i][j]));
      if (heads.length > 1) {
        if (guess < 0) return [`Where do ${countWord(heads.length)} heads look from `, it, "? Press a word."];
        const tops = rows.map((row) => argsortDown(row)[0]);
        const right = heads.filter((_, i) => tops[i] === guess);
        return [it, " looks most at: ", ...heads.flatMap((name, i) =>
          [i > 0 && "; ", h("b", {}, tokens[tops[i]]), " ", told(i, tops[i]), ` (${name})`]),
        `. Your guess, ${tokens[guess]}, is right for ${right.length ? listed(right) : "none of them"}.`];
      }
      if (guess < 0) return ["Where does ", it, ` look in ${heads[0]}? Press a word.`];
      return [it, " looks most at ", h("b", {}, tokens[most]), ": weight ", told(0, most),
        ...(guess === most ? [", as you guessed."]
          : [`. Your guess, ${tokens[guess]}, gets `, told(0, guess), "."])];
    },
  };
});

export default widget;
