// @ts-check
// RotaryBench: a query and a key as hands of clocks, turned by their positions.

// == compute ==================================================================================

const POSITIONS = 64;

/** @typedef {{query_vector: number[], key_vector: number[], base: number}} Facts */

/** Angle by which each pair turns from one position to the next. @param {Facts} facts */
const ratesOf = ({ query_vector: { length: dim }, base }) =>
  Array.from({ length: dim / 2 }, (_, r) => frequency(2 * r, { dim, base }));

/** Each pair of a vector, turned by its position. @param {readonly number[]} x @param {number} position @param {readonly number[]} rates */
const turnedPairs = (x, position, rates) =>
  rowsOf(x, 2).map((pair, r) => turned(pair, position * rates[r]));

/**
 * What each pair adds to the score at an offset of the key from the query.
 * @param {Facts} facts
 * @param {number} offset
 */
function shares(facts, offset) {
  const rates = ratesOf(facts);
  const keys = turnedPairs(facts.key_vector, offset, rates);
  return rowsOf(facts.query_vector, 2).map((pair, r) => dot(pair, keys[r]));
}

/**
 * Where both positions are when one of them has been moved and the other goes along.
 * @param {[number, number]} before
 * @param {[number, number]} after in which one has been moved
 * @returns {[number, number]}
 */
function along([i, j], [newI, newJ]) {
  const step = newI - i + newJ - j;
  const least = -Math.min(i, j);
  const most = POSITIONS - 1 - Math.max(i, j);
  const both = Math.max(least, Math.min(most, step));
  return [i + both, j + both];
}

/**
 * What was dragged to a point on a clock, before turning: two decimals, no longer than the radius.
 * @param {readonly number[]} point
 * @param {number} angle
 * @param {number} radius
 */
function unturned(point, angle, radius) {
  const scale = Math.min(1, radius / Math.max(1e-12, Math.hypot(...point)));
  return turned(point, -angle).map((x) => Math.round(100 * scale * x) / 100 + 0);
}

// == page =====================================================================================

const HEIGHT = 232;

/** @param {string} name @returns {Codec<number[]>} */
const vector = (name) => listOf(floats, name, fitCells((now) =>
  now[name === "q" ? "query_vector" : "key_vector"]));

/**
 * @type {Codecs<{base: number, query_vector: number[], key_vector: number[],
 *   query_position: number, key_position: number, together: boolean}>}
 */
const TRAITS = {
  base: plain, query_vector: vector("q"), key_vector: vector("k"),
  query_position: whole("i", 0, () => POSITIONS - 1), key_position: whole("j", 0, () => POSITIONS - 1),
  together: flag("both"),
};

const widget = explorer("rotary", "Rotary bench", TRAITS, (read, set) => {
  const { base, ...start } = read();
  const rates = ratesOf({ base, ...start });
  const most = Math.max(...[start.query_vector, start.key_vector].flatMap((x) =>
    rowsOf(x, 2).map((pair) => Math.hypot(...pair))));
  const radius = Math.ceil(2.5 * Math.max(most, 0.5)) / 2;

  const move = (/** @type {number} */ i, /** @type {number} */ j) => {
    const { query_position, key_position, together } = read();
    const [query, key] = together ? along([query_position, key_position], [i, j]) : [i, j];
    set({ query_position: query, key_position: key });
  };
  const query = rangeControl(["Position ", letter("i", "q"), " of the query"], [0, POSITIONS - 1],
    (i) => move(i, read().key_position));
  const key = rangeControl(["Position ", letter("j", "k"), " of the key"], [0, POSITIONS - 1],
    (j) => move(read().query_position, j));
  const both = checkboxControl("move both", (checked) => set({ together: checked }));

  /** @typedef {"query" | "key"} Whose */
  const hand = (/** @type {Whose} */ whose, /** @type {number} */ r) => {
    const name = /** @type {const} */ (`${whose}_vector`);
    const angle = () => read()[`${whose}_position`] * rates[r];
    return handle(`${whose}, pair ${r}`,
      () => turned(rowsOf(read()[name], 2)[r], angle()),
      (point) => {
        const [x, y] = unturned(point, angle(), radius);
        set({ [name]: read()[name].with(2 * r, x).with(2 * r + 1, y) });
      }, [radius, radius]);
  };
  const clocks = rates.map((rate, r) => clock(r, rate, radius, [hand("query", r), hand("key", r)]));
  const curve = offsetDrawing();

  return {
    drawings: [...clocks, curve],
    style: { clocks: rates.length },
    above: [h("div", { class: "controls" }, query.root, key.root,
      h("div", { class: "locks" }, both.root, button("Reset", () => set(start))))],
    below: [h("div", { class: "panels" }, ...clocks.map(({ face }) => face), curve.root),
      h("p", { class: "small" }, "Drag the end of a hand, or press it and then a place, or use the arrow keys. ",
        "Dashed: before turning.")],
    draw(now) {
      const { query_vector, key_vector, query_position: i, key_position: j, together } = now;
      const offset = j - i;
      const parts = shares(now, offset);
      const score = sum(parts);
      query.set(i);
      key.set(j);
      both.set(together);
      const [q, k] = [query_vector, key_vector].map((x) => rowsOf(x, 2));
      clocks.forEach((each, r) => each.hands(q[r], k[r], i * rates[r], j * rates[r], parts[r]));
      curve.curve(now, offset, score);
      return [
        "Offset ", letter("j", "k"), " − ", letter("i", "q"), ` = ${short(offset)}: the score is `,
        h("b", {}, number(score, fixed(score, 4))),
        parts.length > 1 && `; ${listed(parts.map((part, r) => `pair ${r} adds ${fixed(part, 2)}`))}`,
        ".",
      ];
    },
  };
});

/** Degrees, from −180 to 180. @param {number} angle in radians */
const degrees = (angle) => {
  const turns = (angle / (2 * Math.PI)) % 1;
  return 360 * (turns > 0.5 ? turns - 1 : turns < -0.5 ? turns + 1 : turns);
};

/**
 * One pair: two hands on a face, and the angle between them.
 * @param {number} r
 * @param {number} rate
 * @param {number} radius
 * @param {ReturnType<typeof handle>[]} handles of the query and of the key
 */
function clock(r, rate, radius, handles) {
  const ring = s("circle", { class: "ring" });
  const cross = s("path", { class: "hair" });
  const ghosts = ["q", "k"].map((role) => s("path", { class: `ghost ${role}` }));
  const hands = ["q", "k"].map((role) => s("path", { class: `hand ${role}` }));
  const ends = ["q", "k"].map((role) => s("circle", { class: `end ${role}`, r: 5 }));
  const names = ["q", "k"].map((role) =>
    s("text", { class: `${role} strong halo`, "text-anchor": "middle" }, drawnLetter(role)));
  const arc = s("path", { class: "arc" });
  const between = s("text", { class: "halo", x: 2, y: HEIGHT - 4 });
  const svg = s("svg", { height: HEIGHT, role: "group", "aria-label":
    `Pair ${r}: the query and the key as hands, turned by their positions.` },
  cross, ring, ...ghosts, arc, ...hands, ...ends, ...names, between);
  const root = h("div", { class: "clock" }, svg, ...handles.map((item) => item.root));
  const adds = h("b");
  const each = degrees(rate);
  const face = h("div", {}, h("p", { class: "about" }, `pair ${r}: `,
    h("span", { class: "small" }, `${Number(each.toPrecision(3))}° a position, adds `), adds), root);

  /**
   * @param {number} width
   * @param {readonly number[]} q
   * @param {readonly number[]} k
   * @param {number} byQ the angle that the query has turned
   * @param {number} byK
   * @param {number} share
   */
  function draw(width, q, k, byQ, byK, share) {
    const raw = [q, k];
    const tips = [turned(q, byQ), turned(k, byK)];
    const far = Math.max(radius, ...raw.map((pair) => Math.hypot(...pair)));
    const unit = (Math.min(width, HEIGHT) - 36) / 2 / far;
    const [cx, cy] = [width / 2, HEIGHT / 2];
    const at = (/** @type {readonly number[]} */ [x, y]) => [cx + unit * x, cy - unit * y];
    setAttributes(ring, { cx, cy, r: (unit * radius).toFixed(1) });
    setAttributes(cross, { d: `M${cx - unit * radius} ${cy}H${cx + unit * radius}` +
      `M${cx} ${cy - unit * radius}V${cy + unit * radius}` });
    tips.forEach((tip, i) => {
      const end = at(tip);
      setAttributes(ghosts[i], { d: pathOf([[cx, cy], at(raw[i])]) });
      setAttributes(hands[i], { d: pathOf([[cx, cy], end]) });
      setAttributes(ends[i], { cx: end[0].toFixed(1), cy: end[1].toFixed(1) });
      const long = Math.hypot(...tip) || 1;
      const [x, y] = at(tip.map((item) => item + (16 / unit) * (item / long)));
      setAttributes(names[i], { x: x.toFixed(1), y: (y + 4).toFixed(1) });
      handles[i].set(tip, end, unit, `${pointText(raw[i])}, turned to ${pointText(tip)}`);
    });
    const [from, to] = tips.map(([x, y]) => Math.atan2(y, x));
    const angle = (degrees(to - from) * Math.PI) / 180;
    const reach = Math.min(26, 0.4 * unit * radius);
    const on = (/** @type {number} */ turn) => [cx + reach * Math.cos(turn), cy - reach * Math.sin(turn)];
    const [[x0, y0], [x1, y1]] = [on(from), on(from + angle)];
    const flat = raw.some((pair) => Math.hypot(...pair) === 0);
    setAttributes(arc, { d: flat ? "" : `M${x0.toFixed(1)} ${y0.toFixed(1)}A${reach} ${reach} 0 0 ${
      angle > 0 ? 0 : 1} ${x1.toFixed(1)} ${y1.toFixed(1)}` });
    setText(between, flat ? "" : `${fixed((angle * 180) / Math.PI, 0)}° from q to k`);
    setText(adds, fixed(share, 2));
  }
  return { ...drawing(root, svg, HEIGHT, { hands: draw }), face };
}

/** The score at every offset, and where it is now. */
function offsetDrawing() {
  const frame = s("path", { class: "hair" });
  const line = s("path", { class: "line" });
  const dot = s("circle", { class: "here", r: 5 });
  const text = s("text", { class: "strong halo" });
  const labels = [[1 - POSITIONS, "start"], [0, "middle"], [POSITIONS - 1, "end"]].map(([x, anchor]) =>
    s("text", { class: "dim", "text-anchor": anchor, y: HEIGHT - 4 },
      x === 0 ? "offset 0" : `${Number(x) > 0 ? "+" : "−"}${Math.abs(Number(x))}`));
  const top = s("text", { class: "dim halo" });
  const svg = s("svg", { height: HEIGHT, role: "img", "aria-label":
    "The score against the offset of the key from the query, with a dot at the offset now." },
  frame, line, ...labels, top, dot, text);
  const root = h("div", { class: "curve" }, svg);
  const wrap = h("div", {}, h("p", { class: "about" }, "score by offset"), root);

  /** @param {number} width @param {Facts} facts @param {number} offset @param {number} score */
  function draw(width, facts, offset, score) {
    const [q, k] = [facts.query_vector, facts.key_vector].map((x) => rowsOf(x, 2));
    const most = Math.max(1e-9, sum(q.map((pair, r) => Math.hypot(...pair) * Math.hypot(...k[r]))));
    const x = (/** @type {number} */ at) => 6 + ((at + POSITIONS - 1) / (2 * POSITIONS - 2)) * (width - 12);
    const y = (/** @type {number} */ at) => (HEIGHT - 24) / 2 - (at / most) * (HEIGHT / 2 - 28);
    const fine = 3;
    const places = Array.from({ length: (2 * POSITIONS - 2) * fine + 1 }, (_, n) => n / fine - POSITIONS + 1);
    setAttributes(frame, { d: `M0 ${y(0)}H${width}M${x(0)} 4V${HEIGHT - 20}` });
    setAttributes(line, { d: pathOf(places.map((at) => [x(at), y(sum(shares(facts, at)))])) });
    [1 - POSITIONS, 0, POSITIONS - 1].forEach((at, n) => setAttributes(labels[n], { x: x(at).toFixed(1) }));
    setAttributes(dot, { cx: x(offset).toFixed(1), cy: y(score).toFixed(1) });
    setAttributes(top, { x: x(0) + 5, y: y(most) - 2 });
    setText(top, short(Number(most.toPrecision(2))));
    setAttributes(text, { x: x(offset).toFixed(1), y: (y(score) + (score > 0 ? -12 : 22)).toFixed(1),
      "text-anchor": offset > 40 ? "end" : offset < -40 ? "start" : "middle" });
    setText(text, fixed(score, 2));
  }
  return { ...drawing(root, svg, HEIGHT, { curve: draw }), root: wrap };
}

export default widget;
