// @ts-check
// CacheExplorer: configure a model, and see what its layers keep of a text.

// == compute ==================================================================================

const BYTES = 2; // of a number
const STATE = 32 * 128 * 128; // numbers in the states of a layer
const LATENT = 512 + 64; // numbers of a word
const powers = (/** @type {number} */ from, /** @type {number} */ to) =>
  Array.from({ length: to - from + 1 }, (_, i) => 2 ** (from + i));
const [WINDOWS, SETS, WIDTHS, LENGTHS] = [powers(6, 13), powers(0, 7), powers(6, 8), powers(10, 20)];

/**
 * @typedef {{layers: number, every: number, states: boolean, window: number, sets: number,
 *   width: number, latent: boolean, words: number}} Model_
 */

/** What a model keeps, in bytes. @param {Model_} model */
function keptBy({ layers, every, states, window, sets, width, latent, words }) {
  const full = Math.floor(layers / every);
  const row = BYTES * (latent ? LATENT : 2 * sets * width);
  const other = states ? BYTES * STATE : row * Math.min(window, words);
  return { full, row, fullBytes: full * row * words, otherBytes: (layers - full) * other,
    allFull: layers * row * words };
}

// == page =====================================================================================

/** @type {Codecs<Model_ & {models: any[][]}>} */
const TRAITS = {
  models: plain, layers: whole("layers", 1, () => 128), every: whole("every", 1, () => 8),
  states: flag("states"), window: oneOf("window", () => WINDOWS), sets: oneOf("sets", () => SETS),
  width: oneOf("width", () => WIDTHS), latent: flag("latent"), words: oneOf("words", () => LENGTHS),
};

/** @param {number} bytes */
function sizeText(bytes) {
  if (bytes === 0) return "0";
  const step = bytes >= 2 ** 30 ? 3 : bytes >= 2 ** 20 ? 2 : 1;
  const size = bytes / 1024 ** step;
  return `${fixed(size, size < 100 ? 2 : 0)} ${["", "KiB", "MiB", "GiB"][step]}`;
}
/** @param {number} x */
const grouped = (x) => String(x).replace(/\B(?=(\d{3})+$)/g, ",");

const widget = explorer("cache", "Cache explorer", TRAITS, (read, set) => {
  const { models } = read();
  const OWN = "one of your own";
  const menu = selectControl("Model", Object.fromEntries([OWN, ...models.map(([name]) => name)]
    .map((name) => [name, name])), (chosen) => {
    const model = models.find(([name]) => name === chosen);
    if (!model) return menu.set(nameOf(read()));
    const [, layers, every, states, window, sets, width, latent] = model;
    set({ layers, every, states: !!states, window, sets, width, latent: !!latent });
  });
  /** @param {Model_} now */
  const nameOf = ({ layers, every, states, window, sets, width, latent }) => {
    const [other, row] = [every > 1 && !states, !latent];
    const found = models.find((m) => m[1] === layers && m[2] === every && (every === 1 || !!m[3] === states)
      && (!other || m[4] === window) && !!m[7] === latent && (!row || (m[5] === sets && m[6] === width)));
    return found ? found[0] : OWN;
  };
  /**
   * @param {Child[]} label @param {number[]} options @param {(value: number) => void} onInput @param {string} unit
   */
  const powerControl = (label, options, onInput, unit) => rangeControl(label, [0, options.length - 1],
    (at) => onInput(options[at]),
    { write: (at) => grouped(options[at]), say: (at) => `${options[at]} ${unit}` });
  const words = powerControl(["Words"], LENGTHS, (x) => set({ words: x }), "words");
  const layers = rangeControl("Layers", [1, 128], (x) => set({ layers: x }), { say: (x) => `${x} layers` });
  const every = rangeControl("One full layer in", [1, 8], (x) => set({ every: x }),
    { say: (x) => (x === 1 ? "all layers full" : `one full layer in ${x}`) });
  const window = powerControl(["Window"], WINDOWS, (x) => set({ window: x }), "words");
  const sets = powerControl(["Sets of ", letter("k"), " and ", letter("v")], SETS, (x) => set({ sets: x }), "sets");
  const width = powerControl(["Width of each"], WIDTHS, (x) => set({ width: x }), "numbers");
  const rest = choiceControl("Other layers keep", ["a window", "states"], (i) => set({ states: i === 1 }));
  const row = choiceControl("Of a word", ["keys and values", "a latent vector"], (i) => set({ latent: i === 1 }));
  const view = strips();
  const meters = ["full layers", "other layers", "if all were full"].map(meter);
  const hide = (/** @type {HTMLElement} */ root, /** @type {boolean} */ isOff) => root.classList.toggle("off", isOff);

  return {
    drawings: [view],
    below: [view.root, h("dl", {}, ...meters.map(({ root }) => root)),
      h("div", { class: "controls" }, menu.root, words.root, layers.root, every.root, rest.root,
        window.root, row.root, sets.root, width.root)],
    draw(now) {
      const kept = keptBy(now);
      const parts = [kept.fullBytes, kept.otherBytes, kept.allFull];
      menu.set(nameOf(now));
      words.set(LENGTHS.indexOf(now.words));
      layers.set(now.layers);
      every.set(now.every);
      window.set(WINDOWS.indexOf(now.window));
      sets.set(SETS.indexOf(now.sets));
      width.set(WIDTHS.indexOf(now.width));
      rest.set(Number(now.states));
      row.set(Number(now.latent));
      hide(window.root, now.states);
      hide(sets.root, now.latent);
      hide(width.root, now.latent);
      view.layers(now);
      meters.forEach((each, i) => each.set(parts[i] / Math.max(...parts), parts[i]));
      const total = kept.fullBytes + kept.otherBytes;
      const more = kept.full * kept.row;
      return [number(kept.full, String(kept.full)), ` of ${now.layers} layers keep all words: `,
        h("b", {}, number(total, sizeText(total))), ", and ", number(more, sizeText(more)), " for each word to come."];
    },
  };
});

/** A size as a bar. @param {string} name */
function meter(name) {
  const fill = h("span", { class: "fill" });
  const size = h("data");
  return {
    root: h("div", {}, h("dt", {}, name), h("dd", { class: "gauge", ...HIDDEN }, fill), h("dd", {}, size)),
    /** @param {number} share of a full bar @param {number} bytes */
    set(share, bytes) {
      fill.style.width = `${100 * share}%`;
      setNumber(size, bytes, sizeText(bytes));
    },
  };
}

const [TOP, DEEP, ASIDE] = [20, 168, 24]; // px: over the layers, all of them, for states

/** A line for each layer, as long as what it keeps of the text. */
function strips() {
  const svg = s("svg", { role: "img", height: TOP + DEEP });
  const root = h("div", { class: "view" }, svg);

  /** @param {number} width @param {Model_} model */
  function draw(width, { layers, every, states, window, words }) {
    const [end, pitch] = [width - ASIDE, DEEP / layers];
    const lines = Array.from({ length: layers }, (_, layer) => {
      const isFull = (layer + 1) % every === 0;
      const share = isFull ? 1 : Math.min(1, window / words);
      const isState = states && !isFull;
      const long = isState ? 8 : Math.max(3, end * share);
      return s("rect", { class: isFull ? "full" : isState ? "state" : "window", width: long,
        x: isState ? end + 8 : end - long, y: TOP + pitch * layer, height: Math.max(1, Math.min(0.75 * pitch, 16)) });
    });
    const full = Math.floor(layers / every);
    const other = states ? "states beside it" : `its last ${Math.min(window, words)} words`;
    setAttributes(svg, { "aria-label": `A text of ${words} words from left to right, and ${layers} layers. ` +
      `${full} of them keep all of it${full < layers ? `, the others ${other}` : ""}.` });
    svg.replaceChildren(s("text", { class: "dim", x: 0, y: 12 }, "first word"),
      s("text", { class: "dim", x: end, y: 12, "text-anchor": "end" }, "last word"), ...lines);
  }

  return drawing(root, svg, TOP + DEEP, { layers: draw });
}

export default widget;
