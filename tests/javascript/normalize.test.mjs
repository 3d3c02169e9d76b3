import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { softmax, hardmax, sparsemax, entropy, passed, sum, tied } = await load("temperature_explorer", [
  "softmax", "hardmax", "sparsemax", "entropy", "passed", "sum", "tied",
]);

const SCORES = [0, 1, -4, 7, 0, 5]; // The Sleepy Child Reads A Book
const UNIFORM = SCORES.map(() => 1 / 6);
const TEMPERATURES = [0, 5e-324, 1e-3, 0.25, 1, Math.sqrt(3), 10, 1e6, 1e308, Infinity];

/** @param {number[]} got @param {number[]} wanted */
function near(got, wanted, tolerance = 1e-12) {
  assert.equal(got.length, wanted.length);
  got.forEach((x, i) => assert.ok(Math.abs(x - wanted[i]) <= tolerance, `${got} is not ${wanted}`));
}

test("weights are never negative and sum to 1", () => {
  for (const normalize of [softmax, sparsemax]) {
    for (const temperature of TEMPERATURES) {
      const weights = normalize(SCORES, temperature);
      assert.ok(weights.every((w) => w >= 0), `${weights}`);
      near([sum(weights)], [1]);
    }
  }
});

test("a number added to all scores changes nothing", () => {
  const moved = SCORES.map((x) => x + 1024);
  for (const normalize of [softmax, sparsemax]) {
    for (const temperature of TEMPERATURES) {
      near(normalize(moved, temperature), normalize(SCORES, temperature));
    }
  }
});

test("temperature divides the scores", () => {
  const warmer = SCORES.map((x) => x / 2);
  for (const normalize of [softmax, sparsemax]) {
    near(normalize(SCORES, 2), normalize(warmer, 1));
    assert.ok(normalize(SCORES, 20)[3] < normalize(SCORES, 2)[3]);
  }
});

test("temperature 0 is hardmax, and ties share", () => {
  const tie = [7, 1, 7, 5];
  for (const normalize of [softmax, sparsemax]) {
    assert.deepEqual(normalize(SCORES, 0), [0, 0, 0, 1, 0, 0]);
    assert.deepEqual(normalize(tie, 0), [0.5, 0, 0.5, 0]);
  }
  assert.deepEqual(hardmax(tie), [0.5, 0, 0.5, 0]);
});

test("infinite temperature is uniform", () => {
  for (const normalize of [softmax, sparsemax]) near(normalize(SCORES, Infinity), UNIFORM);
});

test("softmax of the worked example", () => {
  near(softmax(SCORES, 1), [0.0008, 0.0022, 0, 0.8775, 0.0008, 0.1188], 5e-5);
  const odds = softmax(SCORES, 1);
  near([odds[3] / odds[5]], [Math.exp(2)], 1e-9);
});

test("large scores do not overflow", () => {
  near(softmax([710, 709, -1e308], 1), softmax([1, 0, -1e6], 1));
});

test("masked entries get nothing, and an empty mask gives zeros", () => {
  const mask = [true, true, true, false, true, true];
  for (const temperature of TEMPERATURES) {
    const weights = softmax(SCORES, temperature, mask);
    assert.equal(weights[3], 0);
    near([sum(weights)], [1]);
    assert.deepEqual(softmax(SCORES, temperature, mask.map(() => false)), [0, 0, 0, 0, 0, 0]);
  }
  near(softmax(SCORES, Infinity, mask), [0.2, 0.2, 0.2, 0, 0.2, 0.2]);
});

test("a score of minus infinity hides its entry", () => {
  near(softmax([2, -Infinity, 2], 1), [0.5, 0, 0.5]);
  near(softmax([2, -Infinity, 2], Infinity), [0.5, 0, 0.5]);
});

test("sparsemax admits words one after the other", () => {
  const admitted = (/** @type {number} */ t) => sparsemax(SCORES, t).filter((w) => w > 0).length;
  for (const [threshold, before, after] of [[2, 1, 2], [10, 2, 3], [13, 3, 5], [33, 5, 6]]) {
    assert.equal(admitted(threshold - 0.01), before, `below ${threshold}`);
    assert.equal(admitted(threshold + 0.01), after, `above ${threshold}`);
  }
  near(sparsemax(SCORES, 5), [0, 0, 0, 0.7, 0, 0.3]);
});

test("entropy is 0 when one takes all, and log2(n) when all share", () => {
  assert.equal(entropy([0, 1, 0]), 0);
  near([entropy(UNIFORM)], [Math.log2(6)]);
  near([entropy(softmax(SCORES, 1))], [0.5665], 5e-5);
});

test("the tie raises the second largest score to the largest", () => {
  assert.deepEqual(tied(SCORES), [0, 1, -4, 7, 0, 7]);
  assert.deepEqual(tied([3, 3, 1]), [3, 3, 1]);
  assert.deepEqual(SCORES, [0, 1, -4, 7, 0, 5]);
});

test("the mean score passes the scores between the plain mean and the largest", () => {
  const words = ["The", "Sleepy", "Child", "Reads", "A", "Book"];
  const between = [{ score: 5, names: ["Book"] }];
  assert.deepEqual(passed(words, SCORES), { low: 1.5, high: 7, between });
  assert.deepEqual(passed(["a", "b"], [2, 2]), { low: 2, high: 2, between: [] });
  const shared = [{ score: 5, names: ["b", "c"] }, { score: 4, names: ["d"] }];
  assert.deepEqual(passed(["a", "b", "c", "d", "e"], [9, 5, 5, 4, -9]).between, shared);
});
