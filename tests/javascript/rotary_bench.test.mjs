import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { along, degrees, ratesOf, shares, sum, turned, unturned } = await load(
  ["handles", "positions", "rotary_bench"],
  ["along", "degrees", "ratesOf", "shares", "sum", "turned", "unturned"]);

const FACTS = { query_vector: [1, 0, 2, 1], key_vector: [2, 1, 0, 1], base: 10000 };

test("a pair is turned against the clock", () => {
  const [x, y] = turned([1, 0], Math.PI / 2);
  assert.ok(Math.abs(x) < 1e-15 && y === 1);
});

test("each pair turns slower than the one before", () => {
  assert.deepEqual(ratesOf(FACTS), [1, 0.01]);
});

test("the score at an offset is the sum over the pairs", () => {
  assert.equal(sum(shares(FACTS, 4)).toFixed(4), "0.3687");
  assert.equal(sum(shares(FACTS, 5)).toFixed(4), "2.4250");
  assert.deepEqual(shares(FACTS, 0), [2, 1]);
});

test("what moves along keeps its distance, and both stay on the board", () => {
  assert.deepEqual(along([3, 7], [10, 7]), [10, 14]);
  assert.deepEqual(along([3, 7], [3, 0]), [0, 4]);
  assert.deepEqual(along([3, 7], [63, 7]), [59, 63]);
});

test("what is dragged is unturned, rounded, and no longer than the radius", () => {
  assert.deepEqual(unturned(turned([1.25, -0.5], 7), 7, 3), [1.25, -0.5]);
  assert.deepEqual(unturned([30, 0], 0, 3), [3, 0]);
  assert.deepEqual(unturned([0, 0], 1, 3), [0, 0]);
});

test("angles are told from -180 to 180 degrees", () => {
  const close = (/** @type {number} */ a, /** @type {number} */ b) => assert.ok(Math.abs(a - b) < 1e-9);
  close(degrees(Math.PI / 2), 90);
  close(degrees((3 * Math.PI) / 2), -90);
  close(degrees(-4 * Math.PI), 0);
  close(degrees(-3.5 * Math.PI), 90);
});
