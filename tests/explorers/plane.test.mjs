// Explorers with points that are dragged: the hull of keys, the regions where they win, clocks.
import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.mjs";

import { within } from "../../attnbook/explorers/core/points.js";
import {
  areaOf,
  attendBy,
  hueOf,
  hull,
  insideOf,
  regions,
  roomFor,
  shades,
  strength,
} from "../../attnbook/explorers/winner/widget.js";
import { turned } from "../../attnbook/explorers/core/positions.js";
import * as rotary from "../../attnbook/explorers/rotary_bench/widget.js";

const KEYS = [
  [0, 0],
  [2, 0],
  [1, -1],
  [2, 3],
  [-2, 0],
  [0, 2],
];
const close = (a, b, tolerance = 1e-9) => assert.ok(Math.abs(a - b) < tolerance, `${a} ${b}`);

test("the hull goes around the keys that can win, in order, and the others lie inside", () => {
  const rim = hull(KEYS, regions("dot", KEYS, [8, 5]));
  assert.deepEqual(rim, [
    [-2, 0],
    [1, -1],
    [2, 0],
    [2, 3],
    [0, 2],
  ]);
  rim.forEach(([ax, ay], i) => {
    const [bx, by] = rim[(i + 1) % rim.length];
    for (const [x, y] of KEYS) assert.ok((bx - ax) * (y - ay) >= (by - ay) * (x - ax));
  });
});

test("what is dragged and labels stay in the room, which is larger than what it starts with", () => {
  assert.deepEqual(within([1.234, -0.001], [4, 2.5]), [1.23, -0]);
  assert.deepEqual(within([99, -99], [4, 2.5]), [4, -2.5]);
  assert.deepEqual([roomFor(KEYS), roomFor([[0, 0]])], [4, 1]);
  const [first] = insideOf(
    [
      [0, 0],
      [100, 0],
      [100, 60],
      [0, 60],
    ],
    40,
  );
  assert.deepEqual([first.left, first.top], [30, 22]);
});

test("regions fill the rectangle, and in each its own key wins", () => {
  // A point is in a polygon if it is on one side of all borders.
  const has = (polygon, [x, y]) =>
    polygon.length > 0 &&
    polygon.every(([ax, ay], i) => {
      const [bx, by] = polygon[(i + 1) % polygon.length];
      return (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0;
    });
  for (const kind of ["dot", "cosine", "Gaussian"]) {
    const areas = regions(kind, KEYS, [8, 5]);
    close(
      areas.map(areaOf).reduce((a, b) => a + b),
      160,
    );
    for (let i = 0; i < 200; i++) {
      const query = [8 * Math.sin(i), 5 * Math.cos(2.7 * i)];
      const { scores } = attendBy(kind, query, KEYS);
      const winners = [...KEYS.keys()].filter((key) => has(areas[key], query));
      assert.deepEqual(winners, [scores.indexOf(Math.max(...scores))], `${kind} ${query}`);
    }
  }
});

test("the colour of a query is that of the keys that have more than an even share", () => {
  assert.deepEqual(
    [hueOf(0), hueOf(1)].map((hue) => hue.map(Math.round)),
    [
      [217, 38, 38],
      [38, 217, 90],
    ],
  );
  const hues = KEYS.map((_, i) => hueOf(i));
  for (const [kind, t] of [
    ["dot", 1],
    ["cosine", 0.1],
    ["Gaussian", 7],
    ["Gaussian", 0],
    ["dot", Infinity],
  ]) {
    const pixels = shades(kind, KEYS, t, hues, [-1, 0.3, 2], [1.5, -0.4]);
    [1.5, -0.4].forEach((y, row) =>
      [-1, 0.3, 2].forEach((x, column) => {
        const { weights } = attendBy(kind, [x, y], KEYS, t);
        const at = 4 * (3 * row + column);
        const more = weights.map((w) => Math.max(0, w - 1 / KEYS.length));
        const all = more.reduce((a, b) => a + b);
        for (const part of [0, 1, 2]) {
          const mixed = more.reduce((sum, w, i) => sum + w * hues[i][part], 0);
          close(pixels[at + part], all ? mixed / all : 0, 0.51);
        }
        const most = strength(Math.max(...weights), KEYS.length);
        close(pixels[at + 3], 255 * (0.06 + 0.34 * most), 0.51);
      }),
    );
  }
  assert.deepEqual(
    [1 / 6, 1].map((w) => Number(strength(w, 6).toFixed(9))),
    [0, 1],
  );
});

test("what moves along a rotary bench keeps its distance, and what is dragged is unturned", () => {
  const { along, atOffset, degrees, unturned } = rotary;
  assert.deepEqual(
    [along([3, 7], [10, 7]), along([3, 7], [3, 0]), along([3, 7], [63, 7])],
    [
      [10, 14],
      [0, 4],
      [59, 63],
    ],
  );
  assert.deepEqual(
    [
      [3, 4],
      [3, -5],
      [60, 9],
      [0, 63],
    ].map((each) => atOffset(...each)),
    [
      [3, 7],
      [5, 0],
      [54, 63],
      [0, 63],
    ],
  );
  assert.deepEqual(unturned(turned([1.25, -0.5], 7), 7, 3), [1.25, -0.5]);
  assert.deepEqual(
    [unturned([30, 0], 0, 3), unturned([0, 0], 1, 3)],
    [
      [3, 0],
      [0, 0],
    ],
  );
  const told = [
    [1, 90],
    [3, -90],
    [-8, 0],
    [-7, 90],
  ];
  for (const [quarters, angle] of told) close(degrees((quarters * Math.PI) / 2), angle);
});
