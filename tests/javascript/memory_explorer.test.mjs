import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { countsAt, LENGTHS, mostOf, ROOMS, rowsThatFit, stepsOf } = await load("memory_explorer", [
  "countsAt", "LENGTHS", "mostOf", "ROOMS", "rowsThatFit", "stepsOf",
]);

test("the tiles of a step fit, and one row more does not", () => {
  for (const fast of ROOMS) {
    const b = rowsThatFit(fast);
    const numbers = (/** @type {number} */ rows) => 4 * 64 * rows + rows * rows + 2 * rows;
    assert.ok(2 * numbers(b) <= 1024 * fast && 2 * numbers(b + 1) > 1024 * fast);
  }
});

test("written out, four squares move more; in tiles, corrections are added", () => {
  for (const n of LENGTHS) {
    for (const fast of ROOMS) {
      const b = rowsThatFit(fast);
      const tiles = Math.ceil(n / b);
      const [out, tiled] = [false, true].map((each) => countsAt(stepsOf(n, b, each), 100));
      assert.equal(tiled.bytes, 2 * (2 * n * 64 + 2 * tiles * n * 64));
      assert.equal(out.bytes - tiled.bytes, 2 * 4 * n * n);
      assert.equal(out.work, 2 * n * n * 64);
      assert.equal(tiled.work - out.work, tiles * n * 65);
    }
  }
});

test("a bar is full for the way that takes more in the smallest memory", () => {
  for (const n of LENGTHS) {
    const [out, tiled] = [false, true].map((each) =>
      countsAt(stepsOf(n, rowsThatFit(ROOMS[0]), each), 100));
    assert.deepEqual(mostOf(n), { bytes: out.bytes, work: tiled.work });
  }
});

test("each tile of queries meets each tile of keys once", () => {
  const steps = stepsOf(256, 93, true);
  assert.deepEqual(steps.map(({ some, keys }) => [some, keys]),
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1], [2, 2]]);
  assert.deepEqual(countsAt(steps, 0), { bytes: 0, work: 0 });
  assert.equal(countsAt(steps, 34), steps[2]);
});
