import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { along, overlap, placeNodes, receive, route, sum, textWidth } = await load(
  "graph_attention_explorer",
  ["along", "overlap", "placeNodes", "receive", "route", "sum", "textWidth"]);

/** @typedef {[number, number]} Point */

/** @param {number} n @param {(i: number) => Point} at @returns {Point[]} */
const nodes = (n, at) => Array.from({ length: n }, (_, i) => at(i));
/** @type {Record<string, Point[]>} */
const GRAPHS = {
  circle: nodes(24, (i) => [Math.sin(i * Math.PI / 12), Math.cos(i * Math.PI / 12)]),
  nine: nodes(9, (i) => [Math.sin(i * Math.PI / 4.5), Math.cos(i * Math.PI / 4.5)]),
  grid: nodes(9, (i) => [i % 3, Math.floor(i / 3)]),
  line: nodes(24, (i) => [i, 0]),
  "one place": nodes(24, () => [7, 7]),
  spiral: nodes(24, (i) => [i * Math.sin(i), i * Math.cos(i)]),
  pair: [[0, 0], [0, 1e6]],
  tiny: [[0, 0], [1e-300, 0], [0, 1e-300]],
};
const [WIDE, PHONE, LOW] = [[440, 400], [288, 288], [288, 160]];

/** @param {readonly number[]} p @param {readonly number[]} q */
const far = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);

test("the weights of each receiver sum to 1, whatever the others hear", () => {
  const receivers = [0, 1, 0, 1, 1, 3];
  const scores = [5, -2, 5.5, 700, 701, -Infinity];
  for (const temperature of [0, 0.1, 1, 10, Infinity]) {
    for (const [receiver, total] of [[0, 1], [1, 1], [2, 0], [3, 0]]) {
      const { weights } = receive(receivers, scores, receiver, temperature);
      assert.ok(Math.abs(sum(weights) - total) < 1e-12, `${receiver} at ${temperature}`);
    }
  }
});

test("the senders are ranked by their scores; equal ones keep the order of their edges", () => {
  const scores = [1, -Infinity, 3, 9, 3, -Infinity];
  const { edges, scores: ranked } = receive([0, 0, 0, 1, 0, 0], scores, 0, Infinity);
  assert.deepEqual(edges, [2, 4, 0, 1, 5]);
  assert.deepEqual(ranked, [3, 3, 1, -Infinity, -Infinity]);
});

test("a drawing keeps its proportions, points up, and fits", () => {
  for (const [width, height] of [WIDE, PHONE]) {
    const { points: [a, b, c] } = placeNodes([[0, 0], [30, 0], [0, 20]], width, height);
    assert.equal(a[1], b[1]);
    assert.equal(a[0], c[0]);
    assert.ok(c[1] < a[1] && b[0] > a[0]);
    assert.ok(Math.abs((b[0] - a[0]) / (a[1] - c[1]) - 1.5) < 1e-9);
    const all = [a, b, c];
    const [left, right] = [Math.min, Math.max].map((end) => end(...all.map((p) => p[0])));
    assert.ok(Math.abs(left + right - width) < 1e-9 && left > 12);
  }
});

test("nodes can be hit with a finger, do not overlap, and stay inside", () => {
  for (const [name, positions] of Object.entries(GRAPHS)) {
    for (const [width, height] of [WIDE, PHONE, LOW]) {
      const { size, points } = placeNodes(positions, width, height);
      assert.ok(size >= 24 && size <= 40);
      points.forEach((/** @type {Point} */ p, /** @type {number} */ i) => {
        assert.ok(p[0] >= size / 2 && p[0] <= width - size / 2, `${name}: ${p}`);
        assert.ok(p[1] >= size / 2 && p[1] <= height - size / 2, `${name}: ${p}`);
        for (const q of points.slice(0, i)) {
          assert.ok(far(p, q) >= size, `${name}, ${width}: ${far(p, q)} from ${size}`);
        }
      });
    }
  }
});

test("nodes that have room are not moved", () => {
  const { points } = placeNodes(GRAPHS.grid, ...WIDE);
  const gaps = [1, 3, 4, 5, 7].map((i) => far(points[4], points[i]));
  assert.ok(Math.max(...gaps) - gaps[0] < 1e-9);
});

test("a bend leaves the straight line by its share, and its ends stay", () => {
  assert.deepEqual(along([0, 0], [10, 0], 0.2, 0.5), [5, 2]);
  assert.deepEqual(along([0, 0], [10, 0], -0.2, 1), [10, 0]);
  assert.deepEqual(along([4, 8], [8, 4], 0, 0.25), [5, 7]);
});

test("edges run round the nodes in their way, and only those", () => {
  const { size, points } = placeNodes(GRAPHS.grid, ...WIDE);
  const { bends } = route(points, size, [1, 2, 3, 4, 5], 0, ...WIDE);
  assert.deepEqual(bends.map((/** @type {number} */ bend) => bend !== 0),
    [false, true, false, false, false]);
  for (let t = 0.05; t < 1; t += 0.05) {
    assert.ok(far(along(points[2], points[0], bends[1], t), points[1]) > size / 2);
  }
});

/**
 * The room of a number at one width of its edge.
 * @param {any} place
 * @param {number} by how much the edge has grown
 */
const grown = ({ x, y, nx, ny }, by) =>
  ({ left: x + nx * by - 11, top: y + ny * by - 6, width: 22, height: 12 });

for (const [name, lost] of Object.entries({ nine: [0, 0], grid: [0, 0], circle: [1, 3] })) {
  test(`numbers on a complete graph (${name}) touch no number and no node`, () => {
    [WIDE, PHONE].forEach(([width, height], screen) => {
      const { size, points } = placeNodes(GRAPHS[name], width, height);
      const all = points.map((/** @type {Point} */ _, /** @type {number} */ i) => i);
      for (const receiver of all) {
        const { numbers } = route(points, size, all, receiver, width, height);
        const free = all.filter((/** @type {number} */ e) => numbers[e].isFree);
        assert.ok(free.length >= all.length - lost[screen], `${receiver}: ${free}`);
        // From the least weight to the largest.
        const rooms = free.map((/** @type {number} */ e) =>
          [0, 0.4 * size * (e === receiver ? 1 : 0.5)].map((by) => grown(numbers[e], by)));
        rooms.flat().forEach((/** @type {any} */ box) => {
          const far = points.map((/** @type {Point} */ [x, y]) => Math.hypot(
            Math.max(box.left - x, 0, x - box.left - 22),
            Math.max(box.top - y, 0, y - box.top - 12)));
          assert.ok(Math.min(...far) >= size / 2, `${receiver}: on a node`);
          assert.ok(box.left >= 0 && box.left + 22 <= width, `${receiver}: outside`);
          assert.ok(box.top >= 0 && box.top + 12 <= height, `${receiver}: outside`);
        });
        rooms.forEach((/** @type {any[]} */ mine, /** @type {number} */ i) => {
          const before = rooms.slice(0, i).flat();
          assert.ok(!mine.some((box) => before.some((/** @type {any} */ other) =>
            overlap(box, other))), `${receiver}: numbers overlap`);
        });
      }
    });
  });
}

/** The nine people of the page: four talk to four others, and two of these to the ninth. */
const WALK = {
  /** @type {Point[]} */
  positions: [...nodes(4, (i) => [i, 2]), ...nodes(4, (i) => [i, 0]), [4, 1]],
  talks: [...nodes(16, (e) => [Math.floor(e / 4), 4 + (e % 4)]), [3, 8], [7, 8]],
};

const SCREENS = { 1280: [440, 260], 390: [358, 219], 320: [288, 184] };
for (const [screen, [width, height]] of Object.entries(SCREENS)) {
  test(`each number is nearest to its own edge at any weights on a screen of ${screen} px`, () => {
    const { size, points } = placeNodes(WALK.positions, width, height);
    const half = 0.2 * size; // of the widest edge
    for (const receiver of WALK.positions.keys()) {
      const senders = WALK.talks.filter((talk) => talk.includes(receiver))
        .map(([i, j]) => (i === receiver ? j : i));
      const { bends, numbers } = route(points, size, senders, receiver, width, height);
      senders.forEach((_, e) => {
        assert.ok(numbers[e].isFree, `${senders[e]} to ${receiver}: not shown`);
        for (const weight of [0, 0.25, 0.5, 0.75, 1]) {
          const grown = [numbers[e].x + numbers[e].nx * half * weight,
            numbers[e].y + numbers[e].ny * half * weight];
          // From the rims of the edges, another one having all the rest of the weight.
          const gaps = senders.map((j, other) => Math.min(...nodes(200, (i) => [i, 0]).map(([i]) =>
            far(grown, along(points[j], points[receiver], bends[other], i / 200)))) -
            half * (other === e ? weight : 1 - weight));
          assert.ok(gaps.every((gap, other) => other === e || gap > gaps[e]),
            `${senders[e]} to ${receiver} at ${weight}: ${gaps}`);
        }
      });
    }
  });
}

test("the number of the ring is where it is farthest from the edges", () => {
  // All senders stand to the left of the receiver.
  const points = [[300, 200], [100, 100], [100, 200], [100, 300]];
  const { numbers } = route(points, 40, [1, 2, 3, 0], 0, 464, 400);
  assert.ok(numbers[3].x > 300 && Math.abs(numbers[3].y - 200) < 1);
});

test("Chinese characters and emoji are as wide as they are high", () => {
  assert.equal(textWidth("生成"), 24);
  assert.equal(textWidth("🙂"), 12);
  assert.equal(textWidth("д"), textWidth("a"));
});
