// @ts-check
// WinnerExplorer: each point of the plane is a query, coloured by the key that wins there.

// == compute ==================================================================================

/** @typedef {readonly number[]} Point two numbers */

/** Without its length; zeros stay. @param {Point} x */
const unitOf = (x) => x.map((item) => item / (Math.hypot(...x) || 1));

/**
 * A score of a query and a key; `line` is a key's as it compares with those of other keys: it wins
 * where normal . q - offset is largest.
 * @typedef {{score: (q: Point, k: Point) => number, line: (k: Point) => {normal: Point, offset: number}}} Kind
 */
/** @type {Readonly<Record<string, Kind>>} */
const KINDS = {
  dot: { score: dot, line: (k) => ({ normal: k, offset: 0 }) },
  cosine: {
    score: (q, k) => dot(unitOf(q), unitOf(k)),
    line: (k) => ({ normal: unitOf(k), offset: 0 }),
  },
  Gaussian: {
    score: (q, k) => -((q[0] - k[0]) ** 2 + (q[1] - k[1]) ** 2) / 2,
    line: (k) => ({ normal: k, offset: dot(k, k) / 2 }),
  },
};

/**
 * Scores of the keys, and their softmax.
 * @param {string} kind
 * @param {Point} q
 * @param {readonly Point[]} keys
 */
function attendBy(kind, q, keys) {
  const scores = keys.map((k) => KINDS[kind].score(q, k));
  return { scores, weights: softmax(scores, 1) };
}

/**
 * The part of a polygon on which normal . q is at least `least`.
 * @param {readonly Point[]} polygon
 * @param {Point} normal
 * @param {number} least
 * @returns {Point[]}
 */
function halfOf(polygon, normal, least) {
  const heights = polygon.map((point) => dot(normal, point) - least);
  return polygon.flatMap((point, i) => {
    const next = (i + 1) % polygon.length;
    const [a, b] = [heights[i], heights[next]];
    const kept = a >= 0 ? [point] : [];
    if (a >= 0 === b >= 0) return kept;
    const share = a / (a - b);
    return [...kept, point.map((x, axis) => x + share * (polygon[next][axis] - x))];
  });
}

/** @param {readonly Point[]} polygon */
const areaOf = (polygon) => Math.abs(sum(polygon.map(([x, y], i) => {
  const [nextX, nextY] = polygon[(i + 1) % polygon.length];
  return x * nextY - y * nextX;
}))) / 2;

/**
 * For each key the polygon of the queries at which no other key scores more, inside a rectangle;
 * empty where that is a line or a point.
 * @param {string} kind
 * @param {readonly Point[]} keys
 * @param {Point} half half the width and half the height of the rectangle
 * @returns {Point[][]}
 */
function regions(kind, keys, [wide, high]) {
  const lines = keys.map(KINDS[kind].line);
  const corners = [[-wide, -high], [wide, -high], [wide, high], [-wide, high]];
  return lines.map((own) => {
    const region = lines.reduce((polygon, other) => halfOf(polygon,
      own.normal.map((x, axis) => x - other.normal[axis]), own.offset - other.offset),
    /** @type {Point[]} */ (corners));
    return areaOf(region) > 1e-9 * wide * high ? region : [];
  });
}

/** How far all may be pulled: the room around these points, on either axis. @param {readonly Point[]} points */
const roomFor = (points) => Math.ceil(2.4 * Math.max(0.5, ...points.flat().map(Math.abs))) / 2;

// == page =====================================================================================

const HEIGHT = 360;
const MOST_ZOOM = 6;
const HEAP = 24; // keys that are less than this apart, in px

/** @param {string} name @returns {Codec<number[]>} */
const coordinates = (name) => listOf(floats, name, fitCells((now) =>
  now[name === "q" ? "query_vector" : "key_matrix"]));

/**
 * @type {Codecs<{words: string[], query_vector: number[], key_matrix: number[], score: string,
 *   zoom: number}>}
 */
const TRAITS = {
  words: plain, query_vector: coordinates("q"), key_matrix: coordinates("k"),
  score: oneOf("by", () => Object.keys(KINDS)), zoom: whole("zoom", 0, () => MOST_ZOOM),
};

const widget = explorer("winners", "Winner explorer", TRAITS, (read, set) => {
  const { words, ...start } = read();
  const side = roomFor([start.query_vector, ...rowsOf(start.key_matrix, 2)]);
  const wider = (/** @type {number} */ zoom) => [side * 2 ** zoom, side * 2 ** zoom];

  const query = handle("query", () => read().query_vector,
    (point) => set({ query_vector: within(point, wider(read().zoom)) }), wider(MOST_ZOOM));
  const keys = words.map((word, i) => handle(`key of ${word}`,
    () => rowsOf(read().key_matrix, 2)[i],
    (point) => {
      const [x, y] = within(point, wider(0));
      set({ key_matrix: read().key_matrix.with(2 * i, x).with(2 * i + 1, y) });
    }, wider(0)));
  const plane = winnerDrawing(words, [query, ...keys]);
  const kinds = Object.keys(KINDS);
  const score = choiceControl("Score", kinds, (i) => set({ score: kinds[i] }));
  const zoom = rangeControl("Plane shown", [0, MOST_ZOOM], (steps) => set({
    zoom: steps, query_vector: within(read().query_vector, wider(steps)),
  }), { write: (steps) => (steps ? `${2 ** steps} times as wide` : "around the keys") });

  return {
    drawings: [plane],
    above: [h("div", { class: "top" }, score.root, zoom.root,
      button("Reset", () => set(start)))],
    below: [plane.root, h("p", { class: "small" },
      "Drag the query, +, and the keys, or press one and then a place, or use the arrow keys. ",
      "A hollow key wins nowhere.")],
    draw({ query_vector: q, key_matrix, score: kind, zoom: steps }) {
      const points = rowsOf(key_matrix, 2);
      const now = attendBy(kind, q, points);
      const view = wider(steps).map((side, axis) =>
        Math.max(side, ...[q, ...points].map((point) => Math.abs(point[axis]))));
      // Wider than any screen shows.
      const far = 8 * Math.max(...view);
      const areas = regions(kind, points, [far, far]);
      score.set(kinds.indexOf(kind));
      zoom.set(steps);
      plane.plane(view, q, points, now, areas);
      const most = Math.max(...now.weights);
      const winners = words.filter((_, i) => now.weights[i] === most);
      const nowhere = words.filter((_, i) => areas[i].length === 0);
      return [
        "At ", letter("q"), ` = ${pointText(q)} `, h("b", {},
          winners.length === words.length ? "all words" : listed(winners)),
        winners.length > 1 ? " weigh most, " : " weighs most, ",
        h("b", {}, number(most, weightText(most))), winners.length > 1 && " each",
        nowhere.length > 0 ? `. ${listed(nowhere)} win${nowhere.length > 1 ? "" : "s"} nowhere.`
          : ". Every key wins somewhere.",
      ];
    },
  };
});

/**
 * The plane: a polygon for each key, the keys with their weights, and the query.
 * @param {readonly string[]} words
 * @param {ReturnType<typeof handle>[]} handles of the query, then of the keys
 */
function winnerDrawing(words, handles) {
  const areas = words.map((_, i) => s("path", { class: "region", style: `--i: ${i}` }));
  const names = words.map((word) => s("text", { class: "dim" }, `${cutTo(word, 90)} wins`));
  const cross = s("path", { class: "hair" });
  const dots = words.map((_, i) => s("circle", { class: "key", style: `--i: ${i}` }));
  const shares = words.map(() => s("tspan", { class: "amount" }));
  const texts = words.map((word, i) => s("text", { class: "k halo" }, `${cutTo(word, 90)} `, shares[i]));
  const mark = s("path", { class: "query" });
  const queryText = s("text", { class: "q strong halo" }, "query ", drawnLetter("q"));
  const svg = s("svg", { height: HEIGHT, role: "group", "aria-label":
    "The plane of all queries, in as many colours as keys win; the keys and the query in it." },
  ...areas, cross, ...names, ...dots, mark, ...texts, queryText);
  const root = h("div", { class: "plane" }, svg, ...handles.map((item) => item.root));

  /**
   * @param {number} width
   * @param {Point} view half the width and the height to be seen at least
   * @param {Point} q
   * @param {readonly Point[]} keys
   * @param {ReturnType<typeof attendBy>} now
   * @param {readonly Point[][]} polygons
   */
  function draw(width, view, q, keys, { scores, weights }, polygons) {
    const unit = Math.min((width - HANDLE) / 2 / view[0], (HEIGHT - HANDLE) / 2 / view[1]);
    const [cx, cy] = [width / 2, HEIGHT / 2];
    const at = (/** @type {Point} */ [x, y]) => [cx + unit * x, cy - unit * y];
    const [end, tips] = [at(q), keys.map(at)];
    setAttributes(cross, { d: `M0 ${cy}H${width}M${cx} 0V${HEIGHT}` });
    setAttributes(mark, { d: `M${end[0].toFixed(1)} ${(end[1] - 9).toFixed(1)}v18m-9 -9h18` });
    handles[0].set(q, end, unit, pointText(q));

    const most = Math.max(...weights);
    // What of each region is seen, in px.
    const sides = [[1, 0, 0], [-1, 0, -width], [0, 1, 0], [0, -1, -HEIGHT]];
    const seen = polygons.map((polygon) => sides.reduce(
      (part, [x, y, least]) => halfOf(part, [x, y], least),
      /** @type {Point[]} */ (polygon.map(at))));
    words.forEach((_, i) => {
      setAttributes(areas[i], { d: seen[i].length ? `${pathOf(seen[i])}Z` : "" });
      setAttributes(dots[i], { cx: tips[i][0].toFixed(1), cy: tips[i][1].toFixed(1),
        r: (4.5 + 5.5 * weights[i]).toFixed(2) });
      dots[i].classList.toggle("nowhere", polygons[i].length === 0);
      setText(shares[i], weightText(weights[i]).replace("0.", "."));
      texts[i].classList.toggle("strong", weights[i] === most);
      handles[i + 1].set(keys[i], tips[i], unit,
        `${pointText(keys[i])}, score ${fixed(scores[i], 2)}, weight ${weightText(weights[i])}`);
    });

    const room = { from: 0, to: width, top: 8, bottom: HEIGHT - 8 };
    const style = { height: 16, offs: [12, 20, 34, 48], cost: 1 / 4 };
    const beside = (/** @type {Point} */ [x, y], /** @type {SVGElement} */ text, gap = 10) =>
      placesBeside(x, y, textWidth(text.textContent ?? "") + 6, room, { ...style, gap });
    const covered = covering([...tips, end].flatMap((tip) => [tip, tip, tip]), 6);
    // Of keys in a heap only the heaviest has its name: a label between two marks is of neither.
    const shown = texts.map((_, i) => i).filter((i) => tips.every((tip, j) =>
      weights[j] < weights[i] || (weights[j] === weights[i] && j >= i) ||
      Math.hypot(tip[0] - tips[i][0], tip[1] - tips[i][1]) > HEAP));
    // A small region, all of it under its key, has that key's name and no other.
    const inside = seen.map((region, i) =>
      insideOf(region, textWidth(names[i].textContent ?? "") + 6).filter((box) => !covered(box)));
    const named = names.map((_, i) => i).filter((i) => inside[i].length > 0);
    const labels = placeLabels([
      beside(end, queryText, 12),
      ...shown.map((i) => beside(tips[i], texts[i], 8 + 4 * weights[i])),
      ...named.map((i) => inside[i]),
    ], (box) => 4 * covered(box));
    const [first, ...others] = labels;
    stand(queryText, first);
    texts.forEach((text, i) => stand(text, others[shown.indexOf(i)]));
    names.forEach((text, i) =>
      stand(text, named.includes(i) ? others[shown.length + named.indexOf(i)] : undefined));
  }

  return drawing(root, svg, HEIGHT, { plane: draw });
}

/**
 * Puts a label into its box; where there is none, it is not seen.
 * @param {SVGElement} text
 * @param {Box | undefined} box
 */
function stand(text, box) {
  setAttributes(text, box ? { visibility: "visible", x: (box.left + 3).toFixed(1),
    y: (box.top + 12).toFixed(1) } : { visibility: "hidden" });
}

/**
 * Where a label may stand so that all of it is inside a polygon: around its middle.
 * @param {readonly Point[]} polygon
 * @param {number} width
 * @returns {Box[]}
 */
function insideOf(polygon, width) {
  const middle = [0, 1].map((axis) => sum(polygon.map((point) => point[axis])) / polygon.length);
  const ways = polygon.flatMap((corner, i) => {
    const next = polygon[(i + 1) % polygon.length];
    return [corner, corner.map((x, axis) => (x + next[axis]) / 2)];
  });
  return [0, 0.25, 0.5, 0.75].flatMap((share) => ways.map((way) => {
    const [x, y] = middle.map((from, axis) => from + share * (way[axis] - from));
    return { left: x - width / 2, top: y - 8, width, height: 16, cost: 40 * share };
  })).filter(({ left, top, height }) => [left, left + width].every((x) =>
    [top, top + height].every((y) => isIn(polygon, [x, y]))));
}

/** Whether a point is in a polygon without dents. @param {readonly Point[]} polygon @param {Point} at */
function isIn(polygon, [x, y]) {
  const turns = polygon.map(([fromX, fromY], i) => {
    const [toX, toY] = polygon[(i + 1) % polygon.length];
    return (toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX);
  });
  return turns.every((turn) => turn >= 0) || turns.every((turn) => turn <= 0);
}

export default widget;
