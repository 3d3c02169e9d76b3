// @ts-check
// Three small pictures from pages of the book, each with a slider and a link.

// == page =====================================================================================

const WIDE = 340;
const HIGH = 168;
/** @typedef {{parts: SVGElement[], label: string, ends: [number, number], begin: number, draw: (at: number) => string}} Picture */

/** @param {number} x @param {number} y @param {string} says @param {Attributes} [more] */
const written = (x, y, says, more = {}) => s("text", { x, y, "text-anchor": "middle", ...more }, says);

/** Values on a beam, as heavy as their weights; it balances at the mean. @returns {Picture} */
function beam(/** @type {{words: string[], scores: number[], values: number[]}} */ { words, scores, values }) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const place = (/** @type {number} */ value) => 28 + (284 * (value - least)) / (most - least);
  // Words of one value stand beside each other.
  const xs = values.map((value, i) => {
    const alike = values.flatMap((other, j) => (other === value ? [j] : []));
    return place(value) + 27 * (alike.indexOf(i) - (alike.length - 1) / 2);
  });
  const blocks = xs.map((x) => s("rect", { x: x - 11, width: 22, fill: "var(--k)" }));
  const fulcrum = s("path", { fill: "var(--o)" });
  return {
    parts: [...blocks, s("path", { d: `M8 124H332`, stroke: "var(--v)", "stroke-width": 3 }), fulcrum,
      ...words.map((word, i) => written(xs[i], 158, word))],
    label: "Temperature", ends: [10, 90], begin: 60,
    draw(at) {
      const weights = softmax(scores, temperatureAt(at));
      const mean = dot(weights, values);
      weights.forEach((w, i) => setAttributes(blocks[i],
        { y: 122 - 116 * w, height: 116 * w, opacity: (0.25 + 0.75 * w).toFixed(2) }));
      setAttributes(fulcrum, { d: `M${place(mean)} 126l9 16h-18z` });
      return `mean ${fixed(mean, 2)}`;
    },
  };
}

/** The weights of a layer while it learns to reverse. @returns {Picture} */
function map(/** @type {{steps: number[], letters: string, said: string[]}} */ { steps, letters, said }, /** @type {Uint8Array} */ maps) {
  const n = letters.length;
  const cells = Array.from({ length: n * n }, (_, i) => s("rect", {
    x: 96 + 15 * (i % n), y: 16 + 15 * Math.floor(i / n), width: 14, height: 14, fill: "var(--weight)",
    stroke: "var(--rule)", "stroke-width": 0.5,
  }));
  const answers = [...letters].map((_, i) => written(266, 27 + 15 * i, ""));
  return {
    parts: [...[...letters].map((letter, i) => written(103 + 15 * i, 11, letter)), ...cells, ...answers],
    label: "Step", ends: [0, steps.length - 1], begin: steps.length - 1,
    draw(at) {
      cells.forEach((cell, i) => setAttributes(cell, { "fill-opacity": maps[at * n * n + i] / 100 }));
      const right = answers.filter((answer, i) => {
        const isRight = said[at][i] === letters[n - 1 - i];
        setText(answer, said[at][i]);
        setAttributes(answer, { class: isRight ? "v strong" : "dim" });
        return isRight;
      });
      return `${steps[at]}, ${right.length} of ${n} right`;
    },
  };
}

/** A text, and where its last letter looks. @returns {Picture} */
function text(/** @type {{text: string, next: [string, number][][]}} */ { text: all, next }, /** @type {Uint8Array} */ looks) {
  const n = all.length;
  const places = Array.from(all, (_, i) => 12 + (316 * i) / (n - 1));
  const letters = [...all].map((letter, i) => written(places[i], 128, letter, { class: "letter-of-text" }));
  const arcs = fan(n);
  const guess = written(WIDE / 2, 158, "", { class: "dim" });
  return {
    parts: [...arcs.parts, ...letters, guess],
    label: "Letter", ends: [1, n - 1], begin: n - 8,
    draw(at) {
      letters.forEach((letter, i) => setAttributes(letter, { opacity: i > at ? 0 : 1, class: i === at ? "letter-of-text q strong" : "letter-of-text" }));
      const row = Array.from({ length: n }, (_, j) => looks[at * n + j] / 100);
      arcs.draw({ places, room: 100, thick: 14, point: (x, y) => [x, 112 - y] }, row, places[at]);
      setText(guess, `next: ${next[at].map(([letter, p]) => `${letter.trim() || "space"} ${fixed(p, 2).replace(/^0/, "")}`).join(", ")}`);
      return String(at + 1);
    },
  };
}

/** @param {{model: Model, el: HTMLElement}} view */
function render({ model, el }) {
  const bytes = (/** @type {string} */ name) => {
    const { buffer, byteOffset, byteLength } = model.get(name);
    return new Uint8Array(buffer, byteOffset, byteLength);
  };
  const pictures = [beam(model.get("mean")), map(model.get("training"), bytes("maps")), text(model.get("writing"), bytes("looks"))];
  const suffix = el.closest(".widget-slot") ? ".html" : ".ipynb";
  /** @type {(() => void)[]} */
  const ends = [];
  const cards = pictures.map(({ parts, label, ends: [least, most], begin, draw }, i) => {
    const { page, title, says } = model.get("cards")[i];
    let stop = () => {};
    const show = (/** @type {number} */ at) => {
      said = draw(at);
      range.set(at);
    };
    let said = "";
    const range = rangeControl(label, [least, most], (at) => {
      stop();
      show(at);
    }, { write: () => said });
    show(begin);
    const card = h("div", { class: "live-card" }, h("a", { href: page + suffix }, title), h("p", {}, says),
      s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, ...HIDDEN }, ...parts), range.root);
    // Once, when it comes into sight, it shows how it moves.
    const watch = new IntersectionObserver(([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      watch.disconnect();
      const from = i === 0 ? most : least;
      stop = tween(2400, (part) => show(Math.round(from + part * (begin - from))));
    }, { threshold: 0.8 });
    watch.observe(card);
    ends.push(() => {
      stop();
      watch.disconnect();
    });
    return card;
  });
  const root = widgetRoot("cards", "What you can do here", ...cards);
  el.append(root);
  return ending(root, ...ends);
}

export default { render };
