import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { slid, sum, swaps } = await load("bend_explorer", ["slid", "sum", "swaps"]);

const PARTS = [1, 4, 3, 2];

test("the scores are those of LeakyReLU, and the weights sum to 1", () => {
  const { sums, scores, weights } = slid(PARTS, -2.5, 0.2);
  assert.deepEqual(sums, [-1.5, 1.5, 0.5, -0.5]);
  assert.deepEqual(scores, [0.2 * -1.5, 1.5, 0.5, 0.2 * -0.5]);
  assert.ok(Math.abs(sum(weights) - 1) < 1e-12);
});

test("while the curve rises, or is flat, no receiver swaps two senders", () => {
  for (const slope of [0, 0.1, 0.2, 1]) {
    for (let r = -10; r <= 10; r += 0.5) {
      const now = slid(PARTS, r, slope);
      assert.deepEqual(now.byScore, now.bySum, `r ${r}, slope ${slope}`);
      assert.equal(swaps(now), false);
    }
  }
});

test("where it falls they swap", () => {
  const now = slid(PARTS, -10, -0.4);
  assert.deepEqual(now.byScore, [...now.bySum].reverse());
  assert.equal(swaps(now), true);
  assert.equal(swaps(slid(PARTS, 5, -0.4)), false); // all of them are above 0
});

test("equal scores keep the order of the sums", () => {
  assert.deepEqual(slid(PARTS, -10, 0).byScore, [1, 2, 3, 0]);
});
