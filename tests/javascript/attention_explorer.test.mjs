import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { attendAll, shuffled, ownOrder, isOwn, placesOf, slicesOf } = await load(
  "attention_explorer", ["attendAll", "shuffled", "ownOrder", "isOwn", "placesOf", "slicesOf"]);

const SCORES = [[1, 2, 3], [3, 2, 1], [0, 0, -Infinity]];
const opened = (/** @type {string} */ mask, real = 3, places = [0, 1, 2]) =>
  attendAll(SCORES, 1, mask, real, places).map((/** @type {{open: boolean[]}} */ row) => row.open.map(Number));

test("what may be attended to", () => {
  assert.deepEqual(opened("none"), [[1, 1, 1], [1, 1, 1], [1, 1, 0]]);
  assert.deepEqual(opened("causal"), [[1, 0, 0], [1, 1, 0], [1, 1, 0]]);
  assert.deepEqual(opened("padding", 2), [[1, 1, 0], [1, 1, 0], [1, 1, 0]]);
});

test("after a shuffle the causal mask goes by place, padding and -inf with their tokens", () => {
  // The tokens stand as 2, 0, 1: the first in place 1, the second in place 2, the third in place 0.
  const places = [1, 2, 0];
  assert.deepEqual(opened("causal", 3, places), [[1, 0, 1], [1, 1, 1], [0, 0, 0]]);
  assert.deepEqual(opened("padding", 2, places), opened("padding", 2));
});

test("each row of weights sums to 1, or to 0 where all is hidden", () => {
  for (const [real, total] of [[3, 1], [1, 1], [0, 0]]) {
    for (const temperature of [0, 0.1, 1, 10, Infinity]) {
      for (const { weights } of attendAll(SCORES, temperature, "padding", real, [0, 1, 2])) {
        const sum = weights.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b);
        assert.ok(Math.abs(sum - total) < 1e-12, `${real} ${temperature}: ${sum}`);
      }
    }
  }
});

test("with lengths, each row has the shares of weight times length", () => {
  const weights = attendAll(SCORES, 1, "causal", 3, [0, 1, 2]);
  const shares = attendAll(SCORES, 1, "causal", 3, [0, 1, 2], [2, 0, 5]);
  assert.deepEqual(shares[0].weights, [1, 0, 0]);
  assert.deepEqual(shares[1].weights, [1, 0, 0]);
  const [a, , c] = attendAll(SCORES, 1, "none", 3, [0, 1, 2])[0].weights;
  const [x, y, z] = attendAll(SCORES, 1, "none", 3, [0, 1, 2], [2, 0, 5])[0].weights;
  assert.ok(Math.abs(x - (2 * a) / (2 * a + 5 * c)) < 1e-12);
  assert.equal(y, 0);
  assert.ok(Math.abs(x + z - 1) < 1e-12);
  assert.deepEqual(shares.map((/** @type {{open: boolean[]}} */ row) => row.open),
    weights.map((/** @type {{open: boolean[]}} */ row) => row.open));
  const [none] = attendAll([[1, 2]], 1, "none", 2, [0, 1], [0, 0]);
  assert.deepEqual(none.weights, [0, 0]);
});

test("a shuffle is another order each time, and the same for the same seed", () => {
  for (const n of [3, 6, 32]) {
    let order = Array.from({ length: n }, (_, i) => i);
    for (let seed = 1; seed <= 200; seed++) {
      const next = shuffled(order, seed);
      assert.deepEqual([...next].sort((a, b) => a - b), [...order].sort((a, b) => a - b));
      assert.notDeepEqual(next, order);
      assert.ok(!isOwn(next));
      assert.deepEqual(shuffled(order, seed), next);
      order = next;
    }
  }
});

test("two tokens change places at each press", () => {
  assert.deepEqual(shuffled([0, 1], 1), [1, 0]);
  assert.deepEqual(shuffled([1, 0], 2), [0, 1]);
});

test("every token can come to every place", () => {
  const seen = new Set();
  for (let seed = 1; seed <= 500; seed++) {
    shuffled([0, 1, 2, 3, 4, 5], seed).forEach((token, place) => seen.add(`${token} at ${place}`));
  }
  assert.equal(seen.size, 36);
});

test("an order says which token stands at a place, its inverse where a token stands", () => {
  assert.deepEqual(placesOf([2, 0, 1]), [1, 2, 0]);
  assert.deepEqual(ownOrder(["a", "b", "c"]), [0, 1, 2]);
  assert.ok(isOwn(ownOrder("abc")));
  assert.ok(!isOwn([0, 2, 1]));
});

test("each sentence has its part of the scores", () => {
  const table = Array.from({ length: 2 * (1 * 2 + 2 * 2 + 2 * 1) }, (_, i) => i);
  const shapes = [[1, 2], [2, 2], [2, 1]];
  assert.deepEqual(slicesOf(table, shapes, 2, 0), [[[0, 1]], [[2, 3]]]);
  assert.deepEqual(slicesOf(table, shapes, 2, 1), [[[4, 5], [6, 7]], [[8, 9], [10, 11]]]);
  assert.deepEqual(slicesOf(table, shapes, 2, 2), [[[12], [13]], [[14], [15]]]);
});
