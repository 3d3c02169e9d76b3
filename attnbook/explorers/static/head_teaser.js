// @ts-check
// Where do heads of a model look from one word? Guess, then see.

// == compute ==================================================================================

const LEAST = 0.01; // a weight below is not drawn

/**
 * The path of an arc from one word to another: above them on the same line, through the room between
 * them if they stand on two. A word that looks at itself has a loop.
 * @param {Box} from
 * @param {Box} to
 * @param {number} room above the line
 */
function arcBetween(from, to, room) {
  const [a, b] = [from, to].map(({ left, width }) => left + width / 2);
  if (from === to) return `M${a - 5} ${from.top}c-11 -26 21 -26 10 0`;
  const [fromEnd, toEnd] = [from, to].map(({ top, height }) => top + height);
  if (to.top >= fromEnd || from.top >= toEnd) {
    const [start, end] = to.top >= fromEnd ? [fromEnd, to.top] : [from.top, toEnd];
    const middle = (start + end) / 2;
    return `M${a} ${start}C${a} ${middle} ${b} ${middle} ${b} ${end}`;
  }
  // A curve rises to three quarters of the height of its handles.
  const handle = from.top - (Math.min(room, 12 + 0.2 * Math.abs(b - a)) * 4) / 3;
  return `M${a} ${from.top}C${a} ${handle} ${b} ${handle} ${b} ${to.top}`;
}

// == page =====================================================================================

const BETWEEN = 30; // px above each line of words but the first, for arcs (row-gap in the style)

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
  const words = choiceControl("Your guess", sentences[0].tokens, (i) => set({ guess: i }));
  words.root.firstElementChild?.classList.add("unseen");
  const lines = heads.map((_, i) => lineOfWords(n, asks, i === 0 ? words.root : h("p")));
  const watch = new ResizeObserver(() => lines.forEach((line) => line.place()));
  for (const { root, spans } of lines) [root, ...spans].forEach((part) => watch.observe(part));

  return {
    above: lines.flatMap(({ root }, i) =>
      [heads.length > 1 && h("p", { class: "small" }, heads[i]), root]),
    below: [sentences.length > 1 && versions.root],
    stop: () => watch.disconnect(),
    draw(now) {
      const { sentence, guess } = now;
      const tokens = tokensOf(now);
      const at = sentences.findIndex(({ name }) => name === (sentence ?? null));
      const rows = rowsOf(scores, n).slice(at * heads.length, (at + 1) * heads.length)
        .map((row) => softmax(row, 1));
      words.set(guess);
      versions.set(at);
      lines.forEach((line, i) => line.show(tokens, guess < 0 ? [] : rows[i]));

      const it = h("b", { class: "q" }, tokens[asks]);
      const [most] = rows.map((row) => argsortDown(row)[0]);
      const told = (/** @type {number} */ i, /** @type {number} */ j) => number(rows[i][j], weightText(rows[i][j]));
      if (heads.length > 1) {
        if (guess < 0) return [`Where do ${countWord(heads.length)} heads look from `, it, "? Press a word."];
        return [it, " looks most at: ", ...heads.flatMap((name, i) => {
          const top = argsortDown(rows[i])[0];
          return [i > 0 && "; ", h("b", {}, tokens[top]), " ", told(i, top), ` (${name})`];
        }), "."];
      }
      if (guess < 0) return ["Where does ", it, ` look in ${heads[0]}? Press a word.`];
      return [it, " looks most at ", h("b", {}, tokens[most]), ": weight ", told(0, most),
        ...(guess === most ? [", as you guessed."]
          : [`. Your guess, ${tokens[guess]}, gets `, told(0, guess), "."])];
    },
  };
});

/**
 * A line of words with arcs from the one that asks; it may break.
 * @param {number} n
 * @param {number} asks
 * @param {HTMLElement} root holds the words as labels, or is empty
 */
function lineOfWords(n, asks, root) {
  const arcs = Array.from({ length: n }, () => s("path"));
  const labels = [...root.querySelectorAll("label")];
  const names = arcs.map(() => h("bdi"));
  const shares = arcs.map(() => h("data"));
  const spans = names.map((name, i) => {
    const span = labels[i]?.querySelector("span") ?? h("span");
    span.replaceChildren(name, " ", shares[i]);
    return span;
  });
  spans[asks].classList.add("asks");
  if (labels.length === 0) root.append(...spans);
  root.classList.add("words");
  root.append(s("svg", { ...HIDDEN }, ...arcs));
  const place = () => {
    const zoom = root.currentCSSZoom ?? 1; // a page may be enlarged
    const own = root.getBoundingClientRect();
    const boxes = spans.map((span) => {
      const { left, top, width, height } = span.getBoundingClientRect();
      return {
        left: (left - own.left) / zoom, top: (top - own.top) / zoom,
        width: width / zoom, height: height / zoom,
      };
    });
    const [{ top }, from] = [boxes[0], boxes[asks]];
    const room = from.top > top ? BETWEEN : top;
    arcs.forEach((arc, j) => setAttributes(arc, { d: arcBetween(from, boxes[j], room) }));
  };
  return {
    root, spans, place,
    /** @param {readonly string[]} tokens @param {readonly number[]} weights none before a guess */
    show(tokens, weights) {
      tokens.forEach((token, j) => setText(names[j], token));
      const most = Math.max(...weights);
      arcs.forEach((arc, j) => {
        const w = weights[j] ?? 0;
        setNumber(shares[j], w, weights.length > 0 ? weightText(w) : "");
        spans[j].classList.toggle("top", w === most);
        // Before a guess all arcs that there may be, as thin as can be.
        const thick = weights.length === 0 ? 0.7 : w < LEAST ? 0 : 1 + 15 * w;
        setAttributes(arc, { "stroke-width": thick.toFixed(1), "stroke-opacity": (0.2 + 0.8 * w).toFixed(2) });
      });
      place();
    },
  };
}

export default widget;
