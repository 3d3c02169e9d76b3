import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { areaOf, attendBy, halfOf, insideOf, regions, roomFor } = await load(
  ["handles", "winner_explorer"],
  ["areaOf", "attendBy", "halfOf", "insideOf", "regions", "roomFor"]);

const KEYS = [[0, 0], [2, 0], [1, -1], [2, 3], [-2, 0], [0, 2]];
const close = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} ${b}`);

test("scores of a query: dot product, cosine, minus half the squared distance", () => {
  assert.deepEqual(attendBy("dot", [0, 2], KEYS).scores, [0, 0, -2, 6, 0, 4]);
  assert.deepEqual(attendBy("Gaussian", [0, 2], KEYS).scores, [-2, -4, -5, -2.5, -4, -0]);
  close(attendBy("cosine", [0, 2], KEYS).scores[2], -Math.SQRT1_2);
  for (const kind of ["dot", "cosine", "Gaussian"]) {
    close(attendBy(kind, [3, -1], KEYS).weights.reduce((a, b) => a + b), 1);
  }
});

test("half of a square", () => {
  const square = [[0, 0], [2, 0], [2, 2], [0, 2]];
  assert.deepEqual(halfOf(square, [1, 0], 1), [[1, 0], [2, 0], [2, 2], [1, 2]]);
  assert.deepEqual(halfOf(square, [1, 0], -1), square);
  assert.deepEqual(halfOf(square, [1, 0], 3), []);
  assert.equal(areaOf(halfOf(square, [1, 1], 2)), 2);
});

test("regions fill the rectangle and do not overlap", () => {
  for (const kind of ["dot", "cosine", "Gaussian"]) {
    const areas = regions(kind, KEYS, [8, 5]).map(areaOf);
    close(areas.reduce((a, b) => a + b), 160);
  }
});

test("a key inside the hull of the others wins nowhere by the dot product, and its cell by distance", () => {
  assert.deepEqual(regions("dot", KEYS, [8, 8])[0], []);
  assert.deepEqual(regions("cosine", KEYS, [8, 8])[0], []);
  const [cell] = regions("Gaussian", KEYS, [8, 8]);
  assert.ok(areaOf(cell) > 1);
  // Closed: seen from farther away it is as large.
  close(areaOf(cell), areaOf(regions("Gaussian", KEYS, [800, 800])[0]));
});

test("from afar the Gaussian cuts the plane as the dot product does", () => {
  const far = 1e5;
  const [one, other] = ["dot", "Gaussian"].map((kind) =>
    regions(kind, KEYS, [far, far]).map((polygon) => areaOf(polygon) / far ** 2));
  one.forEach((share, i) => assert.ok(Math.abs(share - other[i]) < 1e-4));
});

test("a longer key wins more by the dot product", () => {
  const longer = KEYS.with(2, [2, -2]);
  const [before, after] = [KEYS, longer].map((keys) => areaOf(regions("dot", keys, [8, 8])[2]));
  assert.ok(after > before);
  // By the cosine its length is nothing.
  assert.deepEqual(regions("cosine", longer, [8, 8]), regions("cosine", KEYS, [8, 8]));
});

test("there is room around all points, and for labels inside a polygon", () => {
  assert.equal(roomFor(KEYS), 4);
  assert.equal(roomFor([[0, 0]]), 1);
  const [first] = insideOf([[0, 0], [100, 0], [100, 60], [0, 60]], 40);
  assert.deepEqual([first.left, first.top], [30, 22]);
});
