// The drawing of a graph: nodes, edges around them, a number at each edge; and the bend of scores.
import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { along, overlap, placeNodes, receive, route, } = await load(
  "graph_attention_explorer", "along overlap placeNodes receive route");
const { slid, swaps } = await load("bend_explorer", "slid swaps");

const nodes = (n, at) => Array.from({ length: n }, (_, i) => at(i));
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
const far = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);

test("the senders are ranked by their scores; equal ones keep the order of their edges", () => {
  const { edges, scores } = receive([0, 0, 0, 1, 0, 0], [1, -Infinity, 3, 9, 3, -Infinity], 0, Infinity);
  assert.deepEqual(edges, [2, 4, 0, 1, 5]);
  assert.deepEqual(scores, [3, 3, 1, -Infinity, -Infinity]);
});

test("a drawing keeps its proportions, and points up", () => {
  const { points: [a, b, c] } = placeNodes([[0, 0], [30, 0], [0, 20]], ...PHONE);
  assert.deepEqual([a[1], a[0]], [b[1], c[0]]);
  assert.ok(c[1] < a[1] && b[0] > a[0]);
  assert.ok(Math.abs((b[0] - a[0]) / (a[1] - c[1]) - 1.5) < 1e-9);
});

test("nodes can be hit with a finger, do not overlap, stay inside, and are not moved where there is room", () => {
  for (const [name, positions] of Object.entries(GRAPHS)) {
    for (const [width, height] of [WIDE, PHONE, LOW]) {
      const { size, points } = placeNodes(positions, width, height);
      assert.ok(size >= 24 && size <= 40);
      points.forEach((p, i) => {
        assert.ok(p[0] >= size / 2 && p[0] <= width - size / 2, `${name}: ${p}`);
        assert.ok(p[1] >= size / 2 && p[1] <= height - size / 2, `${name}: ${p}`);
        for (const q of points.slice(0, i)) assert.ok(far(p, q) >= size, `${name}, ${width}`);
      });
    }
  }
  const { points } = placeNodes(GRAPHS.grid, ...WIDE);
  const gaps = [1, 3, 5, 7].map((i) => far(points[4], points[i]));
  assert.ok(Math.max(...gaps) - Math.min(...gaps) < 1e-9);
});

test("edges run round the nodes in their way, and only those", () => {
  assert.deepEqual(along([0, 0], [10, 0], 0.2, 0.5), [5, 2]);
  assert.deepEqual(along([0, 0], [10, 0], -0.2, 1), [10, 0]);
  const { size, points } = placeNodes(GRAPHS.grid, ...WIDE);
  const { bends } = route(points, size, [1, 2, 3, 4, 5], 0, ...WIDE);
  assert.deepEqual(bends.map((bend) => bend !== 0), [false, true, false, false, false]);
  for (let t = 0.05; t < 1; t += 0.05) {
    assert.ok(far(along(points[2], points[0], bends[1], t), points[1]) > size / 2);
  }
});

for (const [name, lost] of Object.entries({ nine: [0, 0], grid: [0, 0], circle: [1, 3] })) {
  test(`numbers on a complete graph (${name}) touch no number and no node`, () => {
    [WIDE, PHONE].forEach(([width, height], screen) => {
      const { size, points } = placeNodes(GRAPHS[name], width, height);
      const all = [...points.keys()];
      for (const receiver of all) {
        const { numbers } = route(points, size, all, receiver, width, height);
        const free = all.filter((e) => numbers[e].isFree);
        assert.ok(free.length >= all.length - lost[screen], `${receiver}: ${free}`);
        // The room of each number at the least weight and at the largest.
        const rooms = free.map((e) => [0, 0.4 * size * (e === receiver ? 1 : 0.5)].map((by) => {
          const { x, y, nx, ny } = numbers[e];
          return { left: x + nx * by - 11, top: y + ny * by - 6, width: 22, height: 12 };
        }));
        for (const box of rooms.flat()) {
          const gaps = points.map(([x, y]) => Math.hypot(
            Math.max(box.left - x, 0, x - box.left - 22), Math.max(box.top - y, 0, y - box.top - 12)));
          assert.ok(Math.min(...gaps) >= size / 2, `${receiver}: on a node`);
          assert.ok(box.left >= 0 && box.left + 22 <= width, `${receiver}: outside`);
          assert.ok(box.top >= 0 && box.top + 12 <= height, `${receiver}: outside`);
        }
        rooms.forEach((mine, i) => assert.ok(!mine.some((box) =>
          rooms.slice(0, i).flat().some((other) => overlap(box, other))), `${receiver}: numbers overlap`));
      }
    });
  });
}

test("each number is nearest to its own edge at any weights, on each screen", () => {
  // The nine people of the page: four talk to four others, and two of these to the ninth.
  const positions = [...nodes(4, (i) => [i, 2]), ...nodes(4, (i) => [i, 0]), [4, 1]];
  const talks = [...nodes(16, (e) => [Math.floor(e / 4), 4 + (e % 4)]), [3, 8], [7, 8]];
  for (const [width, height] of [[440, 260], [358, 219], [288, 184]]) {
    const { size, points } = placeNodes(positions, width, height);
    const half = 0.2 * size; // of the widest edge
    for (const receiver of positions.keys()) {
      const senders = talks.filter((talk) => talk.includes(receiver)).map(([i, j]) => (i === receiver ? j : i));
      const { bends, numbers } = route(points, size, senders, receiver, width, height);
      senders.forEach((_, e) => {
        assert.ok(numbers[e].isFree, `${senders[e]} to ${receiver}: not shown`);
        for (const weight of [0, 0.5, 1]) {
          const at = [numbers[e].x + numbers[e].nx * half * weight, numbers[e].y + numbers[e].ny * half * weight];
          // From the rims of the edges, another one having all the rest of the weight.
          const gaps = senders.map((j, other) => Math.min(...nodes(200, (i) =>
            far(at, along(points[j], points[receiver], bends[other], i / 200)))) -
            half * (other === e ? weight : 1 - weight));
          assert.ok(gaps.every((gap, other) => other === e || gap > gaps[e]), `${senders[e]} to ${receiver}: ${gaps}`);
        }
      });
    }
  }
});

test("while the curve rises, or is flat, no receiver swaps two senders; where it falls they swap", () => {
  const parts = [1, 4, 3, 2];
  for (const slope of [0, 0.1, 1]) {
    for (let r = -10; r <= 10; r += 0.5) {
      const now = slid(parts, r, slope);
      assert.deepEqual([now.byScore, swaps(now)], [now.bySum, false], `r ${r}, slope ${slope}`);
    }
  }
  const fallen = slid(parts, -10, -0.4);
  assert.deepEqual([fallen.byScore, swaps(fallen)], [fallen.bySum.toReversed(), true]);
  assert.equal(swaps(slid(parts, 5, -0.4)), false, "all of them are above 0");
});
