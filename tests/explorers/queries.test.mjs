// Learned queries: what Learn comes to.
import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.mjs";

import { errorsOf, learner, someSlopes } from "../../attnbook/explorers/learned_queries/widget.js";

// The errors after 1,500 steps, by job.
const learned = (n, seed) =>
  errorsOf(learner(someSlopes(seed).slice(0, n), seed).go(1500)).map((e) => e < 0.015);

test("one query does one job at most, and five do all three", () => {
  for (const seed of [0, 1, 2, 3]) {
    assert.ok(learned(1, seed).filter(Boolean).length <= 1);
    assert.deepEqual(learned(5, seed), [true, true, true]);
  }
});

test("three queries do all three jobs in some runs and not in others", () => {
  const all = [0, 1, 2, 3].map((seed) => learned(3, seed).every(Boolean));
  assert.deepEqual(new Set(all), new Set([true, false]));
});
