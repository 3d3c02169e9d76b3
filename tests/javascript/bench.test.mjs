import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { attend } = await load("attention_bench", ["attend"]);

const KEYS = [[0, 0, 0], [2, 0, 1], [1, -1, -2], [2, 3, 1], [-2, 0, 0], [0, 2, 1]];
const BENCH = {
  query: 5, q: KEYS[5], keys: KEYS, values: [0, -0.2, 0.3, 0.4, 0, 0.1],
  mask: KEYS.map(() => true), score: "dot", temperature: 1,
};
const outputOf = (/** @type {object} */ change) => attend({ ...BENCH, ...change }).output.toFixed(4);

test("dot scores are compared with no divisor", () => {
  const { raw, logits } = attend(BENCH);
  assert.deepEqual(raw, [0, 1, -4, 7, 0, 5]);
  assert.deepEqual(logits, raw);
});

test("scaled scores are divided by the root of d, Gaussian ones are distances", () => {
  const scaled = attend({ ...BENCH, score: "scaled_dot", temperature: 2 });
  assert.deepEqual(scaled.raw, [0, 1, -4, 7, 0, 5]);
  assert.equal(scaled.logits[3], 7 / Math.sqrt(3) / 2);
  const { raw } = attend({ ...BENCH, score: "gaussian" });
  assert.deepEqual(raw.map((/** @type {number} */ x) => -2 * x), [5, 8, 19, 5, 9, 0]);
});

test("the output of the worked example", () => {
  assert.equal(outputOf({}), "0.3624");
  assert.equal(outputOf({ score: "scaled_dot" }), "0.3078");
  assert.equal(outputOf({ temperature: 0 }), "0.4000");
  assert.equal(outputOf({ temperature: Infinity }), "0.1000");
});

test("hiding Reads, and hiding all", () => {
  assert.equal(outputOf({ mask: [true, true, true, false, true, true] }), "0.0934");
  assert.equal(outputOf({ mask: KEYS.map(() => false) }), "0.0000");
});

test("the output lies between the smallest and the largest value", () => {
  for (const temperature of [0, 0.1, 1, 10, Infinity]) {
    for (const q of KEYS) {
      const { output } = attend({ ...BENCH, q, temperature });
      assert.ok(output >= -0.2 && output <= 0.4, `${output}`);
    }
  }
});
