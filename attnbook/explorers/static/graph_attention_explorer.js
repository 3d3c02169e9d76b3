// @ts-check
// GraphAttentionExplorer: a graph, a receiver, and what it hears from each of its senders.

// == compute ==================================================================================

/**
 * The edges that end at a receiver, the best score first, and their weights: a softmax over these
 * edges alone.
 * @param {readonly number[]} receivers of each edge
 * @param {readonly number[]} scores of each edge
 * @param {number} receiver
 * @param {number} temperature
 */
function receive(receivers, scores, receiver, temperature) {
  const own = receivers.flatMap((i, e) => (i === receiver ? [e] : []));
  const edges = argsortDown(own.map((e) => scores[e])).map((at) => own[at]);
  const raw = edges.map((e) => scores[e]);
  return { edges, scores: raw, weights: softmax(raw, temperature) };
}

/** @typedef {readonly [number, number]} Point */

const [LEAST, MOST] = [24, 40]; // px across a node: what a finger can hit, and what looks large
const WITH_TOPICS = 52; // px across a node that holds a second word

/**
 * Where nodes are drawn, and how large. The drawing keeps its proportions; nodes that would
 * overlap are moved apart.
 * @param {readonly Point[]} positions y points up
 * @param {number} width
 * @param {number} height
 * @param {number} [most] px across a node
 */
function placeNodes(positions, width, height, most = MOST) {
  const margin = Math.max(LEAST, Math.min(most, (width * most) / (11 * MOST)));
  const low = [0, 1].map((axis) => Math.min(...positions.map((point) => point[axis])));
  const high = [0, 1].map((axis) => Math.max(...positions.map((point) => point[axis])));
  const room = [width, height].map((side) => side - 2 * margin);
  const scale = Math.min(...room.map((side, axis) => side / (high[axis] - low[axis])));
  const zoom = Number.isFinite(scale) ? scale : 0; // all at one place
  const middle = [0, 1].map((axis) => low[axis] + (high[axis] - low[axis]) / 2);
  const points = positions.map(([x, y]) =>
    [width / 2 + (x - middle[0]) * zoom, height / 2 - (y - middle[1]) * zoom]);
  const closest = Math.min(...points.flatMap((a, i) =>
    points.slice(0, i).map((b) => Math.hypot(a[0] - b[0], a[1] - b[1]))));
  const size = Math.round(Math.max(LEAST, Math.min(margin, 0.7 * closest)));
  return { size, points: apart(points, size + 4, width, height) };
}

/**
 * Pushes points apart until they are `least` from each other, inside the drawing.
 * @param {readonly (readonly number[])[]} points
 * @param {number} least
 * @param {number} width
 * @param {number} height
 * @returns {Point[]}
 */
function apart(points, least, width, height) {
  const moved = points.map(([x, y]) => ({ x, y }));
  const inside = (/** @type {number} */ x, /** @type {number} */ side) =>
    Math.max(least / 2, Math.min(side - least / 2, x));
  for (let round = 0, isClose = true; isClose && round < 500; round++) {
    isClose = false;
    moved.forEach((a, i) => moved.slice(0, i).forEach((b, j) => {
      const gap = Math.hypot(a.x - b.x, a.y - b.y);
      if (gap > least - 0.5) return;
      isClose = true;
      // Turned a little, now to one side, now to the other, so that a line can become a zigzag.
      const aside = i % 2 ? 0.3 : -0.3;
      const turn = gap === 0 ? 2.4 * (i + j) : Math.atan2(a.y - b.y, a.x - b.x) + aside;
      const push = (least - gap) / 2;
      for (const [point, by] of /** @type {const} */ ([[a, push], [b, -push]])) {
        point.x = inside(point.x + by * Math.cos(turn), width);
        point.y = inside(point.y + by * Math.sin(turn), height);
      }
    }));
  }
  return moved.map(({ x, y }) => [x, y]);
}

/**
 * A point of the curve from `a` to `b`, which leaves the straight line by `bend` of its length.
 * @param {Point} a
 * @param {Point} b
 * @param {number} bend
 * @param {number} t from 0 to 1
 * @returns {Point}
 */
function along([ax, ay], [bx, by], bend, t) {
  const side = 4 * bend * t * (1 - t);
  return [ax + t * (bx - ax) - side * (by - ay), ay + t * (by - ay) + side * (bx - ax)];
}

const BENDS = [0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3];
const STEPS = Array.from({ length: 29 }, (_, i) => (i + 1) / 30);

/**
 * Where the number of edge `e` is, which way it goes as the edge grows, and how far from the edge
 * its room has its middle.
 * @typedef {{e: number, x: number, y: number, nx: number, ny: number, near: number}} Anchor
 * @typedef {Box & Anchor & {isFree?: boolean}} Place
 */

const [TEXT_WIDTH, TEXT_HEIGHT] = [24, 13]; // room of a number, in px
/** Where along its edge a number may stand, the best first. */
const PLACES = [
  0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.46, 0.54, 0.38, 0.62, 0.3, 0.7, 0.16,
];
// A number stands above or below its edge, on it, or farther away: how far, and what that costs.
/** @type {[number, number, number][]} */
const SIDES = [[1, 2, 0], [-1, 2, 0.5], [0, 0, 12], [1, 14, 20], [-1, 14, 20]];

/** The widest edge, in px: that of weight 1. @param {number} size of a node */
const widest = (size) => 0.4 * size;

/**
 * How each edge to a receiver runs, round the nodes in its way, and where its number stands. This
 * does not depend on the weights, so that nothing jumps when they change: room is kept for the
 * widest edge and the thickest ring.
 * @param {readonly Point[]} points
 * @param {number} size of a node
 * @param {readonly number[]} senders of the edges
 * @param {number} receiver
 * @param {number} width
 * @param {number} height
 */
function route(points, size, senders, receiver, width, height) {
  const end = points[receiver];
  const far = (/** @type {Point} */ p, /** @type {Point} */ q) =>
    Math.hypot(p[0] - q[0], p[1] - q[1]);
  /** Whether any of the points lies in a circle. The innermost loop: no roots, an early end. */
  const meets = (
    /** @type {readonly Point[]} */ way, /** @type {number} */ x, /** @type {number} */ y,
    /** @type {number} */ radius,
  ) => {
    for (const p of way) {
      if ((p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y) < radius * radius) return true;
    }
    return false;
  };
  const bends = senders.map((j) => {
    const others = points.filter((_, i) => i !== j && i !== receiver);
    let [best, least] = [0, Infinity];
    for (const bend of BENDS) {
      const way = STEPS.map((t) => along(points[j], end, bend, t));
      const hits = others.filter(([x, y]) => meets(way, x, y, size / 2 + 3)).length;
      if (hits < least) [best, least] = [bend, hits];
      if (least === 0) break;
    }
    return best;
  });
  const ways = senders.map((j, e) =>
    (j === receiver ? [] : STEPS.map((t) => along(points[j], end, bends[e], t))));

  const frames = ways.map((way) => {
    const [xs, ys] = [0, 1].map((axis) => way.map((p) => p[axis]));
    const [left, top] = [Math.min(...xs) - 1, Math.min(...ys) - 1];
    return { left, top, width: Math.max(...xs) + 1 - left, height: Math.max(...ys) + 1 - top };
  });

  /** The room of a number from where its edge is a hairline to where it is the widest. */
  const place = (
    /** @type {number} */ e, /** @type {Point} */ [x, y], /** @type {Point} */ [nx, ny],
    /** @type {number} */ apart, /** @type {number} */ grows, /** @type {number} */ cost,
  ) => {
    const gap = (Math.abs(nx) * TEXT_WIDTH + Math.abs(ny) * TEXT_HEIGHT) / 2 + apart;
    const [cx, cy] = [x + nx * gap, y + ny * gap];
    return {
      e, x: cx, y: cy, nx, ny, cost, near: Math.hypot(nx, ny) * (gap + grows / 2),
      left: Math.min(cx, cx + nx * grows) - TEXT_WIDTH / 2,
      top: Math.min(cy, cy + ny * grows) - TEXT_HEIGHT / 2,
      width: TEXT_WIDTH + Math.abs(nx * grows), height: TEXT_HEIGHT + Math.abs(ny * grows),
    };
  };

  const besideEdge = (/** @type {number} */ e) => PLACES.flatMap((t, i) => {
    const [behind, at, ahead] = [-0.05, 0, 0.05].map((by) =>
      along(points[senders[e]], end, bends[e], t + by));
    const length = far(ahead, behind) || 1;
    const [nx, ny] = [(behind[1] - ahead[1]) / length, (ahead[0] - behind[0]) / length];
    const up = ny > 0 ? -1 : 1;
    return SIDES.map(([side, apart, cost]) =>
      place(e, at, [nx * up * side, ny * up * side], apart, widest(size) / 2, i + cost));
  });

  /** Outside the ring, where it is farthest from the edges. */
  const besideRing = (/** @type {number} */ e) => Array.from({ length: 24 }, (_, i) => {
    const turn = (i * Math.PI) / 12;
    const [nx, ny] = [Math.cos(turn), Math.sin(turn)];
    const nearest = Math.max(-1, ...ways.filter((way) => way.length).map((way) => {
      const [x, y] = way[STEPS.length - 8];
      return (nx * (x - end[0]) + ny * (y - end[1])) / far([x, y], end);
    }));
    const radius = size / 2 + 3;
    const at = /** @type {const} */ ([end[0] + nx * radius, end[1] + ny * radius]);
    return place(e, at, [nx, ny], 2, widest(size), 20 * nearest);
  });

  const covered = (/** @type {Box} */ box) => {
    const { e: own, left, top, near } = /** @type {Place} */ (box);
    const [right, bottom] = [left + box.width, top + box.height];
    const [middleX, middleY] = [left + box.width / 2, top + box.height / 2];
    const isRing = ways[own].length === 0;
    let cost = left < 0 || top < 0 || right > width || bottom > height ? 500 : 0;
    // Without destructuring, which takes half of the time here.
    for (const p of points) {
      const dx = Math.max(left - p[0], 0, p[0] - right);
      const dy = Math.max(top - p[1], 0, p[1] - bottom);
      if (dx * dx + dy * dy < (size / 2 + 1) ** 2) cost += 200;
    }
    const isInside = (/** @type {Point} */ p) =>
      p[0] > left - 1 && p[0] < right + 1 && p[1] > top - 1 && p[1] < bottom + 1;
    let isNearest = true;
    ways.forEach((way, e) => {
      if (e === own) return;
      if (overlap(box, frames[e]) && way.some(isInside)) cost += 15;
      isNearest &&= isRing || !meets(way, middleX, middleY, near + 6);
    });
    // Nearer to another edge, a number would be read as that one's.
    return isNearest ? cost : cost + 25;
  };

  // The ring has its number first: it cannot go far.
  const order = senders.map((_, e) => e)
    .sort((d, e) => Number(senders[e] === receiver) - Number(senders[d] === receiver) || d - e);
  const placed = placeLabels(order.map((e) =>
    (senders[e] === receiver ? besideRing(e) : besideEdge(e))), covered);
  /** @type {Place[]} */
  const numbers = [];
  order.forEach((e, i) => {
    // In a crowd a number may find no place; the table has it.
    const box = /** @type {Place} */ (placed[i]);
    const isFree = covered(box) < 200 && !placed.slice(0, i).some((other) => overlap(box, other));
    numbers[e] = { ...box, isFree };
  });
  return { bends, numbers };
}

// == page =====================================================================================

const HAIR = 0.75; // px, of an edge whose weight is nothing
const GAP = 2; // px between the receiver and its ring, and between the ring and the arrows
const SELF = " (self)"; // after the name of a receiver among its senders

/** About how wide a name is in the list, in px. @param {string} name */
const listWidth = (name) => (textWidth(name) * 14) / 12;

/** @typedef {{name: string, heads: number, note: string}} Mechanism */
/**
 * @type {Codecs<{names: string[], positions: Point[], senders: number[], receivers: number[],
 *   mechanisms: Mechanism[], sizes: Record<string, number>, wants: string[], knows: string[],
 *   score_table: number[], mechanism: string, receiver: number, head: number,
 *   temperature: number}>}
 */
const TRAITS = {
  names: plain, positions: plain, senders: plain, receivers: plain, mechanisms: plain,
  sizes: plain, wants: plain, knows: plain, score_table: floats, receiver: placeIn("node", ({ names }) => names),
  mechanism: oneOf("by", (/** @type {{mechanisms: Mechanism[]}} */ { mechanisms }) =>
    mechanisms.map(({ name }) => name)),
  head: whole("head", 0, (now) =>
    now.mechanisms.find((/** @type {Mechanism} */ { name }) => name === now.mechanism).heads - 1),
  temperature: heat,
};

const widget = explorer("graph", "Graph attention explorer", TRAITS, (read, set) => {
  const { names, positions, senders, receivers, mechanisms, sizes, wants, knows } = read();
  const hasTopics = knows.length > 0;
  const columns = sum(mechanisms.map(({ heads }) => heads));
  /** The sender of an edge. */
  const nameOf = (/** @type {number} */ e) =>
    names[senders[e]] + (senders[e] === receivers[e] ? SELF : "");

  const mechanism = selectControl("Mechanism",
    Object.fromEntries(mechanisms.map(({ name }, i) => [i, name])), (i) => {
      const { name, heads } = mechanisms[Number(i)];
      set({ mechanism: name, head: Math.min(read().head, heads - 1) });
    });
  const most = Math.max(...mechanisms.map(({ heads }) => heads));
  const head = choiceControl("Head", Array.from({ length: most }, (_, i) => String(i)),
    (i) => set({ head: i }));
  const headLabels = [...head.root.querySelectorAll("label")];
  const temperature = temperatureControl((t) => set({ temperature: t }));

  const graph = graphDrawing(names, positions, senders, receivers, wants, knows,
    (receiver) => set({ receiver }));
  const rows = Array.from({ length: sizes.most }, () => {
    const name = h("th", { scope: "row" });
    const [score, weight] = [h("data"), h("data")];
    const topic = h("td", { class: "topic" });
    const bar = weightBar(1);
    const root = h("tr", {}, name, hasTopics && topic, h("td", {}, score),
      h("td", { class: "barcell" }, bar.root), h("td", {}, weight));
    return { root, name, topic, score, bar, weight };
  });
  const body = h("tbody");
  const bits = h("data");
  const uniform = barHead(0);
  const [nameColumn, scoreColumn, topicColumn] = [h("col"), h("col"), h("col")];
  topicColumn.style.width = `${wordWidth(knows.map((topic) => `${topic} ✓`), 56, 96)}px`;
  const widestName = Math.max(...names.map((name) => listWidth(name + SELF)));
  const nameWidth = Math.max(56, Math.min(96, 6 + 1.2 * widestName));
  nameColumn.style.width = `${nameWidth.toFixed(1)}px`;
  const table = h("table", { "aria-label": "Senders of the receiver, the best score first" },
    h("colgroup", {}, nameColumn, hasTopics && topicColumn, scoreColumn, h("col"),
      h("col", { class: "weight" })),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "sender ", letter("j", "k")),
      hasTopics && h("th", { scope: "col", class: "topic" }, "knows"),
      h("th", { scope: "col" }, "score"), h("td", { class: "barcell" }, uniform.root), h("th", { scope: "col" }, "weight"))),
    body, h("tfoot", {}, h("tr", {},
      h("th", { scope: "row", colspan: hasTopics ? 4 : 3 }, "entropy, bits"), h("td", {}, bits))));
  const formula = h("p", { class: "small formula" });
  const help = h("p", { class: "small help" },
    "Click a node to make it the receiver ", letter("i", "q"),
    "; arrow keys step through the nodes in order. Edges are as wide as their weights, the ring " +
    "is its edge to itself. Faint: all other edges. Dotted: the uniform weight.",
    hasTopics && " The receiver shows what it wants, all others what they know; ✓ who knows what it wants.");

  /** @type {number[]} */
  let scores = [];
  /** @type {number[][]} */
  let scoreTable = [];

  /** @param {ReturnType<typeof read>} now */
  function draw({ score_table, receiver, temperature: t, mechanism: name, head: wanted }) {
    if (score_table !== scores) {
      scores = score_table;
      scoreTable = rowsOf(scores, columns);
      const longest = scores.map((score) => fixed(score, 2))
        .reduce((a, b) => (b.length > a.length ? b : a));
      scoreColumn.style.width = `${wordWidth([longest], 46, 80)}px`;
    }
    const at = mechanisms.findIndex((each) => each.name === name);
    const { heads, note } = mechanisms[at];
    const chosen = Math.min(wanted, heads - 1); // Python sends a new one a little later
    const column = sum(mechanisms.slice(0, at).map((other) => other.heads)) + chosen;
    const heard = receive(receivers, scoreTable.map((row) => row[column]), receiver, t);
    const open = heard.scores.filter((score) => score > -Infinity).length;
    const most = Math.max(...heard.weights);
    // Where all tie, none stands out.
    const hasWinner = open === 1 || heard.scores.some((score, place) =>
      score > -Infinity && heard.weights[place] < most);

    mechanism.set(String(at));
    head.set(chosen);
    headLabels.forEach((label, i) => label.classList.toggle("away", i >= heads));
    head.root.classList.toggle("away", heads === 1);
    temperature.set(t);
    uniform.set(open);
    heard.edges.forEach((e, place) => {
      const { root: row, name, topic, score, bar, weight } = rows[place];
      const isHidden = heard.scores[place] === -Infinity;
      const w = heard.weights[place];
      const text = nameOf(e);
      if (name.textContent !== text) {
        setText(name, names[senders[e]]);
        if (senders[e] === receiver) name.append(h("span", { class: "q" }, SELF));
        name.title = listWidth(text) > nameWidth ? text : ""; // cut
      }
      if (hasTopics) {
        const fits = knows[senders[e]] === wants[receiver];
        setText(topic, knows[senders[e]] + (fits ? " ✓" : ""));
        topic.classList.toggle("fits", fits);
      }
      setNumber(score, heard.scores[place], fixed(heard.scores[place], 2));
      bar.set(w, isHidden, open);
      setNumber(weight, w, isHidden ? "hidden" : weightText(w));
      row.classList.toggle("top", hasWinner && w === most);
    });
    arrange(body, ...rows.slice(0, heard.edges.length).map((row) => row.root));
    setNumber(bits, entropy(heard.weights), fixed(entropy(heard.weights), 2));
    setText(formula, note);
    graph.draw(receiver, heard);
    return ["Receiver ", letter("i", "q"), " ", h("b", { class: "q" }, names[receiver]),
      ...inWords(heard, open, t), "."];
  }

  /**
   * What the headline says of the receiver.
   * @param {ReturnType<typeof receive>} heard
   * @param {number} open how many edges are not hidden
   * @param {number} t
   * @returns {Child[]}
   */
  function inWords({ edges, weights }, open, t) {
    if (edges.length === 0) return [" has no edge that ends at it: it attends to nothing"];
    if (open === 0) return [" attends to nothing: its edges are hidden, all its weights are 0"];
    const most = Math.max(...weights);
    const winners = edges.filter((_, place) => weights[place] === most).map(nameOf);
    const share = number(most, weightText(most));
    const named = h("span", { class: "k" },
      winners.length > 3 ? `${countWord(winners.length)} senders` : listed(winners));
    const limit = t === 0 ? " at T = 0, hard" : t === Infinity ? " at T = ∞, uniform" : "";
    return [
      ...(open === 1 ? [" attends to ", h("b", {}, named), " alone, ", h("b", {}, share)]
        : open > 2 && winners.length === open
          ? [` attends to all ${countWord(open)} senders alike, `, h("b", {}, share)]
          : [" attends most to ", h("b", {}, named, " ", share), winners.length > 1 && " each"]),
      limit, "; entropy ", number(entropy(weights), fixed(entropy(weights), 2)), " of ",
      number(Math.log2(open), fixed(Math.log2(open), 2)), " bits",
    ];
  }

  return {
    above: [h("div", { class: "controls" }, mechanisms.length > 1 && mechanism.root,
      most > 1 && head.root, temperature.root)],
    below: [h("div", { class: "view" }, graph.root,
      h("div", { class: "list" }, table, formula)), help],
    draw, drawings: [graph], style: sizes,
  };
});

/**
 * The graph: nodes are radio buttons that stand on the drawing of the edges.
 * @param {readonly string[]} names
 * @param {readonly Point[]} positions
 * @param {readonly number[]} senders
 * @param {readonly number[]} receivers
 * @param {readonly string[]} wants
 * @param {readonly string[]} knows
 * @param {(receiver: number) => void} onPick
 */
function graphDrawing(names, positions, senders, receivers, wants, knows, onPick) {
  const radios = choiceControl("Receiving node", names, onPick);
  const nodes = [...radios.root.querySelectorAll("label")];
  const spans = [...radios.root.querySelectorAll("span")];
  const topics = knows.map(() => h("small"));
  topics.forEach((topic, i) => spans[i].append(topic));
  const widestName = Math.max(...[...names, ...wants, ...knows].map(textWidth));
  const [others, marks] = ["others", "others marks"].map((name) => s("path", { class: name }));
  const tips = s("path", { class: "tips" });
  const edges = s("g");
  const texts = s("g");
  const svg = s("svg", {
    role: "img",
    "aria-label": "The edges of the graph. Those that end at the receiver are as wide as their " +
      "weights; the table has the numbers.",
  }, others, marks, edges, tips, texts);
  const isEdge = new Set(senders.map((j, e) => `${j} ${receivers[e]}`));
  const goesBack = senders.map((j, e) => isEdge.has(`${receivers[e]} ${j}`));
  // So many lines that they would become a surface are thinner.
  setAttributes(others, { "stroke-width": senders.length > 120 ? 0.5 : 1 });
  radios.root.classList.add("nodes");
  radios.root.querySelector("legend")?.after(svg); // a legend names its fieldset if it is first

  let [width, height, size] = [0, 0, MOST];
  /** @type {Point[]} */
  let points = [];
  /** @type {string[][]} */
  let pieces = [];
  /** @type {{receiver: number, heard: ReturnType<typeof receive>} | undefined} */
  let shown;
  /** @type {ReturnType<typeof reroute> | undefined} */
  let routed;

  /** An edge to another node than the receiver: its line, and its mark if it is one-way. */
  function faint(/** @type {number} */ j, /** @type {number} */ e) {
    const i = receivers[e];
    if (i === j || (goesBack[e] && j > i)) return ["", ""]; // one line for both directions
    const [from, to] = [points[j], points[i]];
    const line = pathOf([from, to]);
    if (goesBack[e]) return [line, ""];
    const [x, y] = along(from, to, 0, 0.6);
    const turn = Math.atan2(to[1] - from[1], to[0] - from[0]);
    const [left, right] = [2.6, -2.6].map((by) =>
      [x + 6 * Math.cos(turn + by), y + 6 * Math.sin(turn + by)]);
    return [line, pathOf([left, [x, y], right])];
  }

  /** The edges that do not end at the receiver. */
  function drawOthers(/** @type {number} */ receiver) {
    const shown = pieces.filter((_, e) =>
      receivers[e] !== receiver && !(goesBack[e] && senders[e] === receiver));
    [others, marks].forEach((path, part) =>
      setAttributes(path, { d: shown.map((piece) => piece[part]).join("") }));
  }

  /** What changes with the receiver and the width, but not with the weights. */
  function reroute(/** @type {number} */ receiver) {
    const ends = receivers.flatMap((i, e) => (i === receiver ? [e] : []));
    const lines = ends.map((e) =>
      s(senders[e] === receiver ? "circle" : "path", { class: "edge" }));
    const labels = ends.map(() => s("text", { class: "halo", "text-anchor": "middle" }));
    edges.replaceChildren(...lines);
    texts.replaceChildren(...labels);
    drawOthers(receiver);
    const from = ends.map((e) => senders[e]);
    nodes.forEach((node, i) => {
      node.classList.toggle("sender", from.includes(i));
      node.style.removeProperty("--rim");
    });
    return { receiver, ends, lines, labels, ...route(points, size, from, receiver, width, height) };
  }

  function paint() {
    if (width === 0 || !shown) return;
    const { receiver, heard } = shown;
    if (routed?.receiver !== receiver) routed = reroute(receiver);
    const { ends, lines, labels, bends, numbers } = routed;
    const [x, y] = points[receiver];
    const places = ends.map((e) => heard.edges.indexOf(e));
    const widths = places.map((place) => Math.max(HAIR, widest(size) * heard.weights[place]));
    const self = ends.findIndex((e) => senders[e] === receiver);
    const thick = self < 0 ? 0 : widths[self];
    const rim = self < 0 ? 0 : GAP + thick;
    const reach = size / 2 + rim + GAP;
    nodes[receiver].style.setProperty("--rim", `${rim.toFixed(2)}px`);
    let arrows = "";
    ends.forEach((e, at) => {
      const isHidden = heard.scores[places[at]] === -Infinity;
      const w = heard.weights[places[at]];
      const { x: left, y: top, nx, ny, isFree } = numbers[at];
      const grown = at === self ? thick : widths[at] / 2;
      setText(labels[at], isFree && !isHidden ? cellText(w) : "");
      setAttributes(labels[at], {
        x: (left + nx * grown).toFixed(1), y: (top + ny * grown + 4).toFixed(1),
      });
      lines[at].classList.toggle("hidden", isHidden);
      setAttributes(lines[at], { "stroke-width": widths[at].toFixed(2) });
      if (at === self) {
        setAttributes(lines[at], { cx: x, cy: y, r: size / 2 + GAP + thick / 2 });
        return;
      }
      const from = points[senders[e]];
      const [mx, my] = along(from, [x, y], bends[at] * 2, 0.5); // where the ends of the curve point
      const far = Math.hypot(x - mx, y - my) || 1;
      const [ux, uy] = [(x - mx) / far, (y - my) / far];
      const length = isHidden ? 0 : 5 + widths[at] * 0.5;
      const half = 2.5 + widths[at] * 0.65;
      const [tx, ty] = [x - ux * reach, y - uy * reach];
      const [bx, by] = [tx - ux * length, ty - uy * length];
      setAttributes(lines[at], {
        d: `${pathOf([from])}Q${mx.toFixed(1)} ${my.toFixed(1)} ${bx.toFixed(1)} ${by.toFixed(1)}`,
      });
      if (!isHidden) {
        const [left, right] = [half, -half].map((off) => [bx - uy * off, by + ux * off]);
        arrows += pathOf([[tx, ty], left, right]);
      }
    });
    setAttributes(tips, { d: arrows });
  }

  return {
    root: radios.root,
    /** @param {number} receiver @param {ReturnType<typeof receive>} heard */
    draw(receiver, heard) {
      shown = { receiver, heard };
      radios.set(receiver);
      if (routed?.receiver !== receiver) {
        topics.forEach((topic, i) => topic.replaceChildren(
          h("i", { class: "unseen" }, i === receiver ? " wants " : " knows "),
          i === receiver ? `${wants[i]}?` : knows[i]));
      }
      paint();
    },
    /** @param {number} newWidth */
    resize(newWidth) {
      [width, height] = [newWidth, radios.root.clientHeight];
      const most = knows.length ? WITH_TOPICS : MOST;
      ({ size, points } = placeNodes(positions, width, height, most));
      pieces = senders.map(faint);
      setAttributes(svg, { viewBox: `0 0 ${width} ${height}` });
      radios.root.style.setProperty("--node", `${size}px`);
      radios.root.style.setProperty("--letters",
        `${Math.max(knows.length ? 11 : 10, Math.min(14, (11 * (size - 8)) / widestName))}px`);
      nodes.forEach((node, i) => {
        [node.style.left, node.style.top] = points[i].map((at) => `${at.toFixed(1)}px`);
      });
      const cut = spans.map((span) => span.scrollWidth > span.clientWidth);
      spans.forEach((span, i) => (span.title = cut[i] ? names[i] : ""));
      routed = undefined;
      paint();
    },
  };
}

export default widget;
