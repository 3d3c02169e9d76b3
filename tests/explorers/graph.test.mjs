// The drawing of a graph: nodes, edges around them, a number at each edge.
import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { along, placeNodes, route } = await load("graph_attention_explorer", "along placeNodes route");

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
