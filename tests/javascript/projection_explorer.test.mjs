import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { attendFrom, brief, times } = await load(
  "projection_explorer", ["attendFrom", "brief", "times"]);

const TOKENS = [[0, 0, 0], [2, 0, 1], [1, -1, -2], [2, 3, 1], [-2, 0, 0], [0, 2, 1]];
const I = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const opposite = I.map((row) => row.map((x) => -x));
const [CHILD, READS, BOOK] = [2, 3, 5];

test("rows stand at the left of a matrix", () => {
  assert.deepEqual(times([[1, 2]], [[1, 0, 2], [0, 1, 3]]), [[1, 2, 8]]);
});

test("look for my opposite: Book finds Child, with and without the scale", () => {
  const share = (/** @type {boolean} */ scaled) =>
    attendFrom(TOKENS, opposite, I, scaled).weights[BOOK][CHILD].toFixed(3);
  assert.equal(share(false), "0.958");
  assert.equal(share(true), "0.793");
});

test("who attends to whom is not mutual, and behind projections nor are the scores", () => {
  const { weights } = attendFrom(TOKENS, opposite, I, true);
  assert.ok(Math.abs(weights[BOOK][CHILD] - weights[CHILD][BOOK]) > 0.3);
  const seek = attendFrom(TOKENS, [[2, 0, 2], [-1, 2, -2], [0, 0, -2]],
    [[0, 0, 2], [0, 0, -1], [-1, 2, -2]], true);
  const score = (/** @type {number} */ i, /** @type {number} */ j) =>
    seek.queries[i].reduce((/** @type {number} */ s, /** @type {number} */ q, /** @type {number} */ c) => s + q * seek.keys[j][c], 0);
  assert.deepEqual([score(READS, BOOK), score(BOOK, READS)], [27, 16]);
});

test("the scale is the width of the queries, not of the tokens", () => {
  const narrow = [[1], [1], [1]];
  const [scaled, plain] = [true, false].map((flag) => attendFrom(TOKENS, narrow, narrow, flag));
  assert.deepEqual(scaled.weights, plain.weights);
});

test("numbers stay short", () => {
  const texts = [[0, "0"], [-0.04, "0"], [1, "1"], [-2.5, "−2.5"], [9.96, "10"], [-81, "−81"],
    [123.4, "123"], [-4e6, "−4e6"]];
  for (const [x, text] of texts) assert.equal(brief(x), text);
});
