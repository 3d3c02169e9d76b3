// @ts-check
// BendExplorer: the senders of a receiver, sliding along LeakyReLU(r + t).

// == compute ==================================================================================

const FARTHEST = 10;
const SLOPES = [-0.5, 1];

/** LeakyReLU with any slope below 0. @param {number} x @param {number} slope */
const leaky = (x, slope) => (x > 0 ? x : slope * x);

/**
 * Sums, scores and weights, and the senders from the largest sum down and from the largest score
 * down; equal scores keep the order of the sums.
 * @param {readonly number[]} parts of the senders
 * @param {number} r of the receiver
 * @param {number} slope
 */
function slid(parts, r, slope) {
  const sums = parts.map((t) => r + t);
  const scores = sums.map((x) => leaky(x, slope));
  const bySum = argsortDown(parts);
  const byScore = [...bySum].sort((a, b) => scores[b] - scores[a]);
  return { sums, scores, weights: softmax(scores, 1), bySum, byScore };
}

/** Whether a sender with a larger sum has a smaller score. @param {ReturnType<typeof slid>} now */
const swaps = ({ bySum, scores }) =>
  bySum.some((j, at) => at > 0 && scores[j] > scores[bySum[at - 1]]);

// == page =====================================================================================

const [HEIGHT, TOP, BOTTOM] = [264, 44, 22]; // of the drawing, and above and below its axes
const LINE = 18; // between two names at the right

/**
 * @type {Codecs<{names: string[], sender_parts: number[], receiver_part: number, slope: number}>}
 */
const TRAITS = {
  names: plain, sender_parts: floats,
  receiver_part: real("r", (x) => Math.abs(x) <= FARTHEST),
  slope: real("slope", (x) => x >= SLOPES[0] && x <= SLOPES[1]),
};

const widget = explorer("bend", "LeakyReLU explorer", TRAITS, (read, set) => {
  const { names, sender_parts } = read();
  const order = argsortDown(sender_parts);
  const receiver = rangeControl(["Number of the receiver ", letter("r", "q")],
    [-2 * FARTHEST, 2 * FARTHEST], (half) => set({ receiver_part: half / 2 }), {
      write: (half) => fixed(half / 2, 1), say: (half) => `r ${fixed(half / 2, 1)}`,
    });
  const below = rangeControl("Slope below 0", [10 * SLOPES[0], 10 * SLOPES[1]],
    (tenth) => set({ slope: tenth / 10 }), {
      write: (tenth) => fixed(tenth / 10, 1), say: (tenth) => `slope ${fixed(tenth / 10, 1)}`,
    });
  const curve = curveDrawing(names, sender_parts);
  const rows = order.map((j) => {
    const [added, score, weight] = [h("data"), h("data"), h("data")];
    const bar = weightBar(names.length);
    const root = h("tr", {}, h("th", { scope: "row" }, names[j]),
      h("td", {}, number(sender_parts[j], short(sender_parts[j]))), h("td", {}, added),
      h("td", {}, score), h("td", { class: "barcell" }, bar.root), h("td", {}, weight));
    return { root, added, score, bar, weight };
  });
  const uniform = barHead(names.length);
  const table = h("table", { "aria-label": "Senders, the largest sum first" },
    h("colgroup", {}, h("col", { class: "name" }), h("col", { class: "part" }), h("col"), h("col"),
      h("col", { class: "bars" }), h("col", { class: "weight" })),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "sender ", letter("j", "k")),
      h("th", { scope: "col" }, letter("t", "k")),
      h("th", { scope: "col" }, letter("r", "q"), " + ", letter("t", "k")),
      h("th", { scope: "col" }, "score"), h("td", { class: "barcell" }, uniform.root),
      h("th", { scope: "col" }, "weight"))),
    h("tbody", {}, ...rows.map(({ root }) => root)));

  return {
    drawings: [curve],
    below: [curve.root, h("div", { class: "controls" }, receiver.root, below.root), table],
    draw({ receiver_part: r, slope }) {
      const now = slid(sender_parts, r, slope);
      const { sums, scores, weights, byScore } = now;
      const most = Math.max(...weights);
      receiver.set(Math.round(2 * r));
      below.set(Math.round(10 * slope));
      curve.points(r, slope, now);
      rows.forEach(({ root, added, score, bar, weight }, at) => {
        const j = order[at];
        setNumber(added, sums[j], fixed(sums[j], 1));
        setNumber(score, scores[j], fixed(scores[j], 2));
        bar.set(weights[j]);
        setNumber(weight, weights[j], weightText(weights[j]));
        root.classList.toggle("top", weights[j] === most);
      });
      const ranked = byScore.map((j, at) =>
        (at === 0 ? "" : scores[j] === scores[byScore[at - 1]] ? " = " : ", ") + names[j]).join("");
      return ["With ", letter("r", "q"), ` = ${short(r)}: `, h("b", { class: "k" }, ranked),
        swaps(now) ? ". Not the order of " : ". The order of ", letter("t", "k"),
        swaps(now) ? ": the curve falls somewhere." : ".", " Most weight: ",
        number(most, weightText(most)), "."];
    },
  };
});

/**
 * The curve; above it the names where their sums are, at its right where their scores are.
 * @param {readonly string[]} names
 * @param {readonly number[]} parts
 */
function curveDrawing(names, parts) {
  const widths = names.map((name) => Math.min(96, textWidth(name)));
  const shown = names.map((name, j) => cutTo(name, widths[j]));
  const column = Math.max(...widths) + 56; // at the right: a name and its weight
  const [low, high] = [Math.min(...parts) - FARTHEST, Math.max(...parts) + FARTHEST];
  const axes = s("path", { class: "hair" });
  const line = s("path", { class: "curve" });
  const corner = s("circle", { class: "corner", r: 2.5 });
  const [ups, overs] = [0, 1].map(() => names.map(() => s("path", { class: "leader" })));
  const dots = names.map(() => s("circle", { class: "dot" }));
  const above = shown.map((name) => s("text", { class: "k", "text-anchor": "middle" }, name));
  const shares = names.map(() => s("tspan", { class: "amount" }));
  const beside = shown.map((name, j) => s("text", { class: "k" }, `${name} `, shares[j]));
  const marks = [s("text", { class: "dim", y: 12 }, "order of r + t"),
    s("text", { class: "dim", "text-anchor": "end", y: 12 }, "order of the scores"),
    s("text", { class: "dim", "text-anchor": "end" }, "r + t")];
  const svg = s("svg", { height: HEIGHT, role: "img", "aria-label":
    "A curve that is bent at 0. The senders are points on it; a line leads up from each point to " +
    "its name in the order of the sums, and right to its name in the order of the scores." },
  axes, ...ups, ...overs, line, corner, ...marks, ...dots, ...above, ...beside);
  const root = h("div", { class: "bent" }, svg);

  /**
   * @param {number} width
   * @param {number} r
   * @param {number} slope
   * @param {ReturnType<typeof slid>} now
   */
  function draw(width, r, slope, { sums, scores, weights, bySum, byScore }) {
    const right = width - column;
    const least = Math.min(-3, leaky(low, slope));
    const top = Math.max(high, leaky(low, slope));
    const x = (/** @type {number} */ at) => ((at - low) / (high - low)) * right;
    const y = (/** @type {number} */ at) =>
      HEIGHT - BOTTOM - ((at - least) / (top - least)) * (HEIGHT - BOTTOM - TOP);
    const end = right + 16;
    setAttributes(axes, { d: `M0 ${y(0).toFixed(1)}H${right}M${x(0).toFixed(1)} ${TOP}V${HEIGHT - BOTTOM}` });
    setAttributes(line, { d: pathOf([low, 0, high].map((at) => [x(at), y(leaky(at, slope))])) });
    setAttributes(corner, { cx: x(0).toFixed(1), cy: y(0).toFixed(1) });
    setAttributes(marks[1], { x: width });
    setAttributes(marks[2], { x: right, y: (y(0) + 14).toFixed(1) });

    const row = spread([...bySum].reverse().map((j) => ({ at: x(sums[j]), width: widths[j] + 8 })), right);
    [...bySum].reverse().forEach((j, at) => {
      const { middle } = row[at];
      setAttributes(above[j], { x: middle.toFixed(1), y: 30 });
      setAttributes(ups[j], { d: pathOf([[middle, 34], [x(sums[j]), TOP], [x(sums[j]), y(scores[j])]]) });
    });
    const rank = spread(byScore.map((j) => ({ at: y(scores[j]), width: LINE })), HEIGHT);
    byScore.forEach((j, at) => {
      const { middle } = rank[at];
      setAttributes(beside[j], { x: end + 6, y: (middle + 4).toFixed(1) });
      setText(shares[j], weightText(weights[j]).replace("0.", "."));
      setAttributes(overs[j], { d: pathOf([[x(sums[j]), y(scores[j])], [right - 4, y(scores[j])], [end, middle]]) });
      setAttributes(dots[j], { cx: x(sums[j]).toFixed(1), cy: y(scores[j]).toFixed(1),
        r: (4 + 4 * weights[j]).toFixed(2) });
    });
  }

  return drawing(root, svg, HEIGHT, { points: draw });
}

export default widget;
