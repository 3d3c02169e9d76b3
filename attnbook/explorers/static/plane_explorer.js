// @ts-check
// PlaneExplorer: a query and keys as arrows in a plane, and the output among the values.

// == compute ==================================================================================

/** @typedef {readonly number[]} Point two numbers */

/**
 * Scores by dot product, their softmax, and the mean of the values.
 * @param {Point} q
 * @param {readonly Point[]} keys
 * @param {readonly Point[]} values
 */
function attendInPlane(q, keys, values) {
  const scores = keys.map((k) => dot(q, k));
  const weights = softmax(scores, 1);
  const output = [0, 1].map((axis) => dot(weights, values.map((v) => v[axis])));
  return { scores, weights, output };
}

/**
 * The corners of the smallest polygon around points, in order. What lies on a side is no corner.
 * @param {readonly Point[]} points
 * @returns {number[]} their indices
 */
function hull(points) {
  const order = points.map((_, i) => i)
    .sort((a, b) => points[a][0] - points[b][0] || points[a][1] - points[b][1])
    .filter((i, at, all) => at === 0 || String(points[i]) !== String(points[all[at - 1]]));
  /** Whether a, b, c turn left. @param {number} a @param {number} b @param {number} c */
  const turns = (a, b, c) => {
    const [[ax, ay], [bx, by], [cx, cy]] = [points[a], points[b], points[c]];
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 1e-12;
  };
  const chain = (/** @type {number[]} */ items) => {
    /** @type {number[]} */
    const corners = [];
    for (const i of items) {
      while (corners.length > 1 && !turns(corners[corners.length - 2], corners[corners.length - 1], i)) {
        corners.pop();
      }
      corners.push(i);
    }
    return corners.slice(0, -1);
  };
  return [...chain(order), ...chain([...order].reverse())];
}

/** How far arrows may be pulled: the room around all points, on both axes. @param {readonly Point[]} points */
const roomFor = (points) => [0, 1].map((axis) =>
  Math.ceil(2.4 * Math.max(0.5, ...points.map((point) => Math.abs(point[axis])))) / 2);

// == page =====================================================================================

const HEIGHT = 336;

/** @param {string} name */
const coordinates = (name) => listOf(floats, name, (x, now) =>
  x.length === now[name === "q" ? "query_vector" : "key_matrix"].length &&
  x.every((item) => Math.abs(item) <= LARGEST));

/**
 * @type {Codecs<{words: string[], axes: string[], query_vector: number[], key_matrix: number[],
 *   value_matrix: number[], hull: boolean}>}
 */
const TRAITS = {
  words: plain, axes: plain, query_vector: coordinates("q"), key_matrix: coordinates("k"),
  value_matrix: floats, hull: flag("hull"),
};

const widget = explorer("plane", "Plane explorer", TRAITS, (read, set) => {
  const { words, axes, query_vector, key_matrix, value_matrix, hull: shown } = read();
  const start = { query_vector, key_matrix, hull: shown };
  const room = roomFor([query_vector, ...rowsOf(key_matrix, 2)]);

  const names = ["query", ...words.map((word) => `key of ${word}`)];
  const plane = planeDrawing(words, room, names.map((name, i) => handle(name,
    () => (i === 0 ? read().query_vector : rowsOf(read().key_matrix, 2)[i - 1]),
    (point) => {
      const [x, y] = within(point, room);
      if (i === 0) return set({ query_vector: [x, y] });
      set({ key_matrix: read().key_matrix.with(2 * i - 2, x).with(2 * i - 1, y) });
    }, room)));
  const mean = valueDrawing(words, axes);
  const corners = checkboxControl("hull of the keys", (checked) => set({ hull: checked }));

  return {
    drawings: [plane, mean],
    below: [
      h("div", { class: "panels" }, plane.root, mean.root),
      h("div", { class: "foot" }, corners.root, button("Reset", () => set(start)),
        h("span", { class: "small" }, "Drag the end of an arrow, or press it and then a place, or use the arrow keys.")),
    ],
    draw({ query_vector: q, key_matrix, value_matrix, hull: isShown }) {
      const keys = rowsOf(key_matrix, 2);
      const values = rowsOf(value_matrix, 2);
      const now = attendInPlane(q, keys, values);
      const outline = isShown ? hull(keys) : [];
      corners.set(isShown);
      plane.arrows(q, keys, now, outline);
      mean.values(values, now);
      const most = Math.max(...now.weights);
      const inside = words.filter((_, i) => !outline.includes(i));
      const winners = words.filter((_, i) => now.weights[i] === most);
      return [
        "With the query ", letter("q"), ` = ${pointText(q)}`,
        ...(winners.length > 2 && winners.length === words.length
          ? [`, all ${countWord(words.length)} words weigh the same, `]
          : [", most weight goes to "]),
        h("b", {}, winners.length > 2 && winners.length === words.length ? ""
          : `${listed(winners)} `, number(most, weightText(most))),
        winners.length > 1 && winners.length < words.length && " each",
        "; output ", h("b", { class: "o" }, letter("o"), " = (",
          number(now.output[0], fixed(now.output[0])), ", ",
          number(now.output[1], fixed(now.output[1])), ")"), ".",
        isShown && (inside.length > 0 ? ` No corner of the hull: ${listed(inside)}.`
          : " Every key is a corner of the hull."),
      ];
    },
  };
});

/** @typedef {ReturnType<typeof attendInPlane>} Result */

/**
 * Where a label beside the end of an arrow may stand: all around it, best where the arrow points to.
 * @param {Point} tip in px
 * @param {Point} way in px, where the arrow points to
 * @param {number} width
 * @param {number} gap
 * @param {Point} size of the drawing
 * @returns {Box[]}
 */
function placesAround([x, y], way, width, gap, [right, bottom]) {
  const ahead = Math.atan2(way[1], way[0]);
  return Array.from({ length: 12 }, (_, i) => {
    const angle = ahead + (i % 2 ? 1 : -1) * Math.ceil(i / 2) * (Math.PI / 6);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const left = x + gap * cos + (cos > 0.4 ? 0 : cos < -0.4 ? -width : -width / 2);
    return { left, top: y + (gap + 5) * sin - 8, width, height: 16, cost: 3 * Math.ceil(i / 2) };
  }).map((box) => ({
    ...box,
    left: Math.max(0, Math.min(right - box.width, box.left)),
    top: Math.max(0, Math.min(bottom - box.height, box.top)),
  }));
}

/** @param {readonly Point[]} corners */
const polygon = (corners) => (corners.length > 1 ? `${pathOf(corners)}Z` : "");

/** What a drawing is of. @param {string} text */
const corner = (text) => s("text", { class: "dim", x: 0, y: 12, ...HIDDEN }, text);

/** Points along a line, for labels to keep off. @param {Point} a @param {Point} b */
const along = (a, b, n = 12) => Array.from({ length: n + 1 }, (_, i) =>
  a.map((x, axis) => x + ((b[axis] - x) * i) / n));

/**
 * The query and the keys; each arrow is as thick as its weight.
 * @param {readonly string[]} words
 * @param {Point} room
 * @param {ReturnType<typeof handle>[]} handles of the query, then of the keys
 */
function planeDrawing(words, room, handles) {
  const cross = s("path", { class: "hair" });
  const area = s("path", { class: "hull k" });
  const front = s("path", { class: "front" });
  const marks = s("path", { class: "marks" });
  const stems = words.map(() => s("path", { class: "stem" }));
  const dots = words.map(() => s("circle", { class: "tip" }));
  const shares = words.map(() => s("tspan", { class: "amount" }));
  const texts = words.map((word, i) => s("text", { class: "k halo" }, `${word} `, shares[i]));
  const arrow = s("path", { class: "query" });
  const head = s("path", { class: "head", d: "M2 0L-14 6.5V-6.5Z" });
  const queryText = s("text", { class: "q strong halo" }, "query ", drawnLetter("q"));
  const svg = s("svg", { height: HEIGHT, role: "group", "aria-label":
    "The query and the keys as arrows from one point; an arrow of a key is as thick as its weight." },
  corner("keys and query"), area, cross, marks, front, ...stems, ...dots, arrow, head, ...texts, queryText);
  const root = h("div", { class: "plane" }, svg, ...handles.map((item) => item.root));

  /**
   * @param {number} width
   * @param {Point} q
   * @param {readonly Point[]} keys
   * @param {Result} now
   * @param {readonly number[]} outline
   */
  function draw(width, q, keys, { scores, weights }, outline) {
    const points = [q, ...keys];
    const [wide, high] = [0, 1].map((axis) =>
      Math.max(room[axis], ...points.map((point) => Math.abs(point[axis]))));
    const unit = Math.min((width - HANDLE) / 2 / wide, (HEIGHT - HANDLE) / 2 / high);
    const [cx, cy] = [width / 2, HEIGHT / 2];
    const at = (/** @type {Point} */ [x, y]) => [cx + unit * x, cy - unit * y];
    const tips = keys.map(at);
    const end = at(q);
    const way = (/** @type {Point} */ tip) => {
      const [x, y] = [tip[0] - cx, tip[1] - cy];
      return Math.hypot(x, y) < 1 ? [-1, 1] : [x, y];
    };

    setAttributes(cross, { d: `M0 ${cy}H${width}M${cx} 0V${HEIGHT}` });
    // Marks at 1, 2, 3, or at 10, 20, 30.
    const mark = unit * 10 ** Math.floor(Math.log10(wide));
    const places = (/** @type {number} */ half) =>
      Array.from({ length: Math.floor(half / mark) }, (_, i) => [-(i + 1) * mark, (i + 1) * mark]).flat();
    setAttributes(marks, { d: places(cx).map((x) => `M${(cx + x).toFixed(1)} ${cy - 3}v6`)
      .concat(places(cy).map((y) => `M${cx - 3} ${(cy + y).toFixed(1)}h6`)).join("") });
    setAttributes(area, { d: polygon(outline.map((i) => tips[i])) });
    const most = Math.max(...weights);
    words.forEach((_, i) => {
      setAttributes(stems[i], { d: pathOf([[cx, cy], tips[i]]),
        "stroke-width": (1 + 13 * weights[i]).toFixed(2) });
      setAttributes(dots[i], { cx: tips[i][0].toFixed(1), cy: tips[i][1].toFixed(1),
        r: (4.5 + 5.5 * weights[i]).toFixed(2) });
      setText(shares[i], weightText(weights[i]).replace("0.", "."));
      texts[i].classList.toggle("strong", weights[i] === most);
      handles[i + 1].set(keys[i], tips[i], unit,
        `${pointText(keys[i])}, score ${fixed(scores[i], 2)}, weight ${weightText(weights[i])}`);
    });
    const long = Math.hypot(end[0] - cx, end[1] - cy);
    const turn = Math.atan2(end[1] - cy, end[0] - cx);
    setAttributes(arrow, { d: pathOf([[cx, cy], end]) });
    setAttributes(head, { visibility: long < 6 ? "hidden" : "visible",
      transform: `translate(${end[0].toFixed(1)} ${end[1].toFixed(1)}) rotate(${((turn * 180) / Math.PI).toFixed(1)})` });
    handles[0].set(q, end, unit, pointText(q));

    // What the query reaches last: a line across it, through the key that scores most.
    const [x, y] = tips[weights.indexOf(most)];
    const far = width + HEIGHT;
    const [dx, dy] = [far * Math.sin(turn), -far * Math.cos(turn)];
    setAttributes(front, { d: long < 6 ? "" : pathOf([[x - dx, y - dy], [x + dx, y + dy]]) });

    const covered = covering([
      ...[...tips, end].flatMap((tip) => along([cx, cy], tip)),
      ...along([x - dx / 3, y - dy / 3], [x + dx / 3, y + dy / 3], 48),
    ], 3);
    const size = [width, HEIGHT];
    const labels = [
      placesAround(end, way(end), textWidth("query q") + 8, 16, size),
      ...words.map((_, i) => placesAround(tips[i], way(tips[i]),
        textWidth(texts[i].textContent ?? "") + 6, 9 + 5.5 * weights[i], size)),
    ];
    placeLabels(labels, (box) => 4 * covered(box)).forEach((box, i) => {
      setAttributes(i === 0 ? queryText : texts[i - 1],
        { x: (box.left + 3).toFixed(1), y: (box.top + 12).toFixed(1) });
    });
  }

  return drawing(root, svg, HEIGHT, { arrows: draw });
}

/**
 * The values, the polygon around them, and the output, to which each value pulls by its weight.
 * @param {readonly string[]} words
 * @param {readonly string[]} axes what the components are
 */
function valueDrawing(words, axes) {
  const cross = s("path", { class: "hair" });
  const area = s("path", { class: "hull v" });
  const strings = words.map(() => s("path", { class: "string" }));
  const dots = words.map(() => s("circle", { class: "value", r: 4.5 }));
  const texts = words.map(() => s("text", { class: "v halo" }));
  const output = s("circle", { class: "output", r: 7 });
  const outputText = s("text", { class: "o strong halo" }, "output ", drawnLetter("o"));
  const ends = axes.map((text, i) => s("text", { class: "dim", "text-anchor": i ? "start" : "end" }, text));
  const svg = s("svg", { height: HEIGHT, role: "img", "aria-label":
    "The values as points, and the output inside the polygon around them; " +
    "a line from each value is as thick as its weight." },
  corner("values"), area, cross, ...ends, ...strings, ...dots, ...texts, output, outputText);
  const root = h("div", { class: "mean" }, svg);

  /** @param {number} width @param {readonly Point[]} values @param {Result} now */
  function draw(width, values, { weights, output: o }) {
    const around = [[0, 0], ...values];
    const [[left, right], [low, high]] = [0, 1].map((axis) => {
      const all = around.map((point) => point[axis]);
      const [from, to] = [Math.min(...all), Math.max(...all)];
      return to > from ? [from, to] : [from - 1, to + 1];
    });
    const unit = Math.min((width - 120) / (right - left), (HEIGHT - 88) / (high - low));
    const at = (/** @type {Point} */ [x, y]) => [
      width / 2 + unit * (x - (left + right) / 2), HEIGHT / 2 - unit * (y - (low + high) / 2),
    ];
    const [tips, end, [x0, y0]] = [values.map(at), at(o), at([0, 0])];
    const middle = at([(left + right) / 2, (low + high) / 2]);

    setAttributes(cross, { d: `M0 ${y0}H${width}M${x0} 0V${HEIGHT}` });
    setAttributes(ends[0], { x: width, y: y0 + 15 });
    setAttributes(ends[1], { x: x0 + 5, y: 11 });
    setAttributes(area, { d: polygon(hull(values).map((i) => tips[i])) });
    setAttributes(output, { cx: end[0].toFixed(1), cy: end[1].toFixed(1) });
    // Words with one value share a label.
    const first = values.map((value) =>
      values.findIndex((other) => other.every((x, axis) => x === value[axis])));
    words.forEach((_, i) => {
      setAttributes(strings[i], { d: pathOf([tips[i], end]), "stroke-width": (12 * weights[i]).toFixed(2) });
      setAttributes(dots[i], { cx: tips[i][0].toFixed(1), cy: tips[i][1].toFixed(1) });
      setText(texts[i], first[i] === i ? words.filter((_, j) => first[j] === i).join(", ") : "");
    });
    const covered = covering([...tips.flatMap((tip) => along(tip, end)), end], 3);
    const size = [width, HEIGHT];
    const apart = (/** @type {Point} */ tip) => [tip[0] - middle[0], tip[1] - middle[1]];
    placeLabels([
      placesAround(end, [1, 1], textWidth("output o") + 8, 14, size),
      ...words.map((_, i) => placesAround(tips[i], apart(tips[i]),
        textWidth(texts[i].textContent ?? "") + 6, 9, size)),
    ], (box) => 4 * covered(box)).forEach((box, i) => {
      setAttributes(i === 0 ? outputText : texts[i - 1],
        { x: (box.left + 3).toFixed(1), y: (box.top + 12).toFixed(1) });
    });
  }

  return drawing(root, svg, HEIGHT, { values: draw });
}

export default widget;
