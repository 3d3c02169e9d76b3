// @ts-check
// ArchitectureExplorer: the transformer as a drawing. Press a box or an arrow: what is there?

// == compute ==================================================================================

/**
 * The array of each place, as matrices: one for each head, or one.
 * @param {readonly number[]} flat all of them, one after the other
 * @param {readonly (readonly number[])[]} shapes
 */
function matricesOf(flat, shapes) {
  let start = 0;
  return shapes.map((shape) => {
    const [n, width] = shape.slice(-2);
    const size = shape.reduce((a, b) => a * b, 1);
    const own = flat.slice(start, (start += size));
    return rowsOf(own, n * width).map((matrix) => rowsOf(matrix, width));
  });
}

/** A weight in a narrow cell: nothing where it is nearly 0. @param {number} w */
const narrowText = (w) => (w < 0.005 ? "" : w >= 0.995 ? "1.0" : cellText(w));

/** How many digits after the point leave room in a cell. @param {number} most @param {number} columns */
const digitsFor = (most, columns) => (most >= 9.95 || columns > 12 ? 0 : 1);

// == page =====================================================================================

/** @typedef {{name: string, letters: string, code: string, note: string, x: number, y: number,
 *   text: string, shape: number[]}} Station */
/** @typedef {{stations: Station[]}} Drawn */

/**
 * @type {Codecs<Drawn & {source: string[], given: string[], vocabulary: string[],
 *   lines: [number, number][][], numbers: number[], at: number}>}
 */
const TRAITS = {
  source: plain, given: plain, vocabulary: plain, stations: plain, lines: plain, numbers: floats,
  at: whole("at", 0, (/** @type {Drawn} */ { stations }) => stations.length - 1),
};

const [WIDTH, HEIGHT] = [312, 490];

/** An arrow through points. @param {readonly (readonly [number, number])[]} points */
function arrow(points) {
  const [[x0, y0], [x, y]] = points.slice(-2);
  const [dx, dy] = [Math.sign(x - x0), Math.sign(y - y0)];
  const side = (/** @type {number} */ by) => `${x - 6 * dx + by * dy} ${y - 6 * dy + by * dx}`;
  return [s("path", { class: "line", d: pathOf(points) }),
    s("path", { class: "tip", d: `M${x} ${y}L${side(3)}L${side(-3)}Z` })];
}

const widget = explorer("architecture", "The transformer, part by part", TRAITS, (read, set) => {
  const { source, given, vocabulary, stations, lines, numbers } = read();
  const matrices = matricesOf(numbers, stations.map(({ shape }) => shape));

  const write = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text, style = "") =>
    s("text", { x, y, class: style, "text-anchor": "middle" }, text);
  const frame = (/** @type {number} */ x, /** @type {number} */ height) =>
    s("rect", { class: "frame", x, y: 104, width: 150, height, rx: 8 });
  const drawn = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, ...HIDDEN },
    frame(3, 200), frame(159, 296), ...lines.flatMap(arrow),
    write(78, 14, "Encoder", "heading"), write(234, 14, "Decoder", "heading"),
    write(78, 32, "source words"), write(234, 32, "target, moved by one"),
    write(117, 332, "memory", "dim"), write(139, 116, "× N", "dim"), write(173, 116, "× N", "dim"),
    write(234, 487, "the next words"));
  const places = choiceControl("Place in the drawing", stations.map(({ name }) => name),
    (at) => set({ at }));
  places.root.querySelectorAll("label").forEach((label, i) => {
    const { x, y, text } = stations[i];
    const [width, height] = text === "" ? [36, 24] : [112, text.includes("\n") ? 34 : 24];
    label.className = text === "" ? "arrow" : text === "add, norm" ? "norm" : "box";
    const percent = (/** @type {number} */ a, /** @type {number} */ b) => `${((100 * a) / b).toFixed(2)}%`;
    label.style.cssText = `left:${percent(x, WIDTH)};top:${percent(y, HEIGHT)};` +
      `width:${percent(width, WIDTH)};height:${percent(height, HEIGHT)}`;
    const [first, second] = text.split("\n");
    const span = /** @type {HTMLElement} */ (label.querySelector("span"));
    span.replaceChildren(h("span", { class: "unseen" }, stations[i].name),
      h("span", { ...HIDDEN }, first), second ? h("small", { ...HIDDEN }, second) : "");
  });
  places.root.append(drawn);

  const step = (/** @type {number} */ by) =>
    set({ at: (read().at + by + stations.length) % stations.length });
  const [back, next] = [button("Back", () => step(-1)), button("Next", () => step(1))];
  const code = h("code");
  const note = h("p", { class: "small" });
  const tables = h("div", { class: "arrays" });

  /** @param {Station} station @param {number} at */
  function show({ name, shape }, at) {
    const isWeight = name.endsWith("weights") || name === "Softmax";
    const rows = name.startsWith("Encoder") ? source : given;
    const columns = name.endsWith("weights")
      ? (name.startsWith("Decoder, self") ? given : source)
      : shape[1] === vocabulary.length && /^(Linear|Softmax)$/.test(name) ? vocabulary : null;
    const all = matrices[at].flat(2);
    const most = Math.max(1e-9, ...all.map(Math.abs));
    const digits = digitsFor(most, shape[shape.length - 1]);
    tables.replaceChildren(...matrices[at].map((matrix, head) => h("table", {
      class: columns && "named", "aria-label": shape.length === 3 ? `head ${head}` : name },
      shape.length === 3 && h("caption", {}, `head ${head}`),
      h("thead", {}, h("tr", {}, h("td"), ...matrix[0].map((_, c) =>
        h("th", { scope: "col" }, h("span", {}, columns ? columns[c] : String(c)))))),
      h("tbody", {}, ...matrix.map((row, i) => h("tr", {}, h("th", { scope: "row" }, rows[i]),
        ...row.map((x) => {
          const isMasked = isWeight && x === 0;
          const cell = h("td", { class: isMasked && "masked" },
            number(x, isWeight ? narrowText(x) : fixed(x, digits)));
          if (isWeight && !isMasked) {
            cell.style.background = weightColor(x);
            cell.style.color = `light-dark(${inkOn(x, false)}, ${inkOn(x, true)})`;
          } else if (!isWeight) {
            cell.style.background = `color-mix(in srgb, var(${x < 0 ? "--minus" : "--plus"}) ${
              ((50 * Math.abs(x)) / most).toFixed(0)}%, var(--page))`;
          }
          return cell;
        })))))));
  }
  const shown = whenNew(show);

  return {
    below: [h("div", { class: "sides" }, places.root, h("div", { class: "panel" },
      h("div", { class: "steps" }, back, next), h("p", { class: "code" }, code), tables, note))],
    draw({ at }) {
      const station = stations[at];
      places.set(at);
      setText(code, station.code);
      setText(note, station.note);
      shown(at, station, at);
      return [h("b", {}, station.name), `: ${station.letters} = (${station.shape.join(", ")}).`];
    },
    stacked: 620,
  };
});

export default widget;
