// The drawing of a graph: nodes, and edges around them.
import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.mjs";

import {
  along,
  bendOf,
  heightOf,
  placeNodes,
  ranksOf,
  sharing,
} from "../../attnbook/explorers/graph_attention/widget.js";

const nodes = (n, at) => Array.from({ length: n }, (_, i) => at(i));
const GRAPHS = {
  circle: nodes(24, (i) => [Math.sin((i * Math.PI) / 12), Math.cos((i * Math.PI) / 12)]),
  nine: nodes(9, (i) => [Math.sin((i * Math.PI) / 4.5), Math.cos((i * Math.PI) / 4.5)]),
  grid: nodes(9, (i) => [i % 3, Math.floor(i / 3)]),
  line: nodes(24, (i) => [i, 0]),
  "one place": nodes(24, () => [7, 7]),
  spiral: nodes(24, (i) => [i * Math.sin(i), i * Math.cos(i)]),
  pair: [
    [0, 0],
    [0, 1e6],
  ],
  tiny: [
    [0, 0],
    [1e-300, 0],
    [0, 1e-300],
  ],
};
const [WIDE, PHONE, LOW] = [
  [520, 480],
  [302, 302],
  [302, 160],
];
const far = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);

test("a drawing keeps its proportions, and points up", () => {
  const {
    points: [a, b, c],
  } = placeNodes(
    [
      [0, 0],
      [30, 0],
      [0, 20],
    ],
    ...PHONE,
  );
  assert.deepEqual([a[1], a[0]], [b[1], c[0]]);
  assert.ok(c[1] < a[1] && b[0] > a[0]);
  assert.ok(Math.abs((b[0] - a[0]) / (a[1] - c[1]) - 1.5) < 1e-9);
});

test("nodes can be hit with a finger, do not overlap, stay inside, and are not moved where there is room", () => {
  for (const [name, positions] of Object.entries(GRAPHS)) {
    for (const [width, height] of [WIDE, PHONE, LOW]) {
      const { size, points } = placeNodes(positions, width, height);
      assert.ok(size >= 24 && size <= 84);
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
  const bends = [1, 2, 3, 4, 5].map((j) => bendOf(points, size, j, 0));
  assert.deepEqual(
    bends.map((bend) => bend !== 0),
    [false, true, false, false, false],
  );
  for (let t = 0.05; t < 1; t += 0.05) {
    assert.ok(far(along(points[2], points[0], bends[1], t), points[1]) > size / 2);
  }
});

test("a drawing is as high as it needs", () => {
  assert.deepEqual(
    ["line", "pair", "one place"].map((name) => heightOf(GRAPHS[name], 520)),
    [130, 510, 130],
  );
  assert.equal(
    heightOf(
      [
        [0, 0],
        [4, 2],
      ],
      520,
    ),
    130 + (520 - 130) / 2,
  );
});

test("receivers are compared by the senders that they share, without self loops", () => {
  const pairs = [0, 1].flatMap((i) => [2, 3, 4, i].map((j) => [j, i]));
  const [senders, receivers] = [0, 1].map((end) => [...pairs, [4, 3]].map((pair) => pair[end]));
  assert.deepEqual(sharing(senders, receivers, 1), { columns: [0, 1], rows: [2, 3, 4] });
  assert.equal(sharing(senders, receivers, 3), undefined);
  assert.deepEqual(ranksOf([1, 5, -Infinity, 1]), [1.5, 0, 3, 1.5]);
});
