import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { attend, attendsMost, changesSince, spread } = await load(
  "attention_bench", ["attend", "attendsMost", "changesSince", "spread"]);

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

test("the challenge is met where the word alone weighs most, for that query", () => {
  const met = (/** @type {object} */ change) => {
    const bench = { ...BENCH, ...change };
    return attendsMost(bench, attend(bench), 5, 2);
  };
  assert.ok(!met({}));
  assert.ok(met({ q: [0, -2, -1] }));
  assert.ok(!met({ q: [0, -2, -1], query: 3 }));
  assert.ok(!met({ q: [0, -2, -1], temperature: Infinity }), "all weigh the same");
  assert.ok(met({ mask: [false, false, true, false, false, false] }));
  assert.ok(!met({ mask: KEYS.map(() => false) }));
});

test("what was changed is told by its number, or as a vector", () => {
  const words = ["The", "Sleepy", "Child", "Reads", "A", "Book"];
  const told = (/** @type {object} */ change) => changesSince(words, BENCH, { ...BENCH, ...change });
  assert.deepEqual(told({ temperature: 3, values: [1, 2, 3, 4, 5, 6] }), []);
  assert.deepEqual(told({ q: [0, 2, -6] }), ["the third component of the query from 1 to −6"]);
  assert.deepEqual(told({ q: [0, -2, -1] }), ["the query from (0, 2, 1) to (0, −2, −1)"]);
  assert.deepEqual(told({ mask: KEYS.map((_, i) => i !== 3), score: "gaussian" }),
    ["the mask at Reads", "the score to Gaussian −½|q − k|²"]);
  // The query follows its word's key, which is what was changed.
  const keys = KEYS.with(5, [0, -2, 1]);
  assert.deepEqual(told({ keys, q: keys[5] }),
    ["the second component of the key of Book from 2 to −2"]);
  assert.deepEqual(told({ query: 2, q: KEYS[2] }), ["the query word to Child"]);
});

test("labels in a row stay at their places, or move apart no more than they must", () => {
  const row = (/** @type {number[][]} */ labels, /** @type {number} */ room) =>
    spread(labels.map(([at, width]) => ({ at, width })), room);
  assert.deepEqual(row([[20, 10], [50, 10]], 100).map(({ middle }) => middle), [20, 50]);
  assert.deepEqual(row([[50, 10], [50, 30]], 100).map(({ middle }) => middle), [40, 60]);
  assert.deepEqual(row([[0, 20], [99, 20]], 100).map(({ middle }) => middle), [10, 90]);
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let n = 1; n <= 12; n++) {
    for (let trial = 0; trial < 50; trial++) {
      const labels = Array.from({ length: n }, () => ({ at: 300 * random(), width: 5 + 20 * random() }))
        .sort((a, b) => a.at - b.at);
      const places = spread(labels, 300);
      let end = -1e-9;
      places.forEach(({ middle }, i) => {
        assert.ok(middle - labels[i].width / 2 >= end - 1e-9, "no two touch, and none is outside");
        end = middle + labels[i].width / 2;
      });
      assert.ok(end <= 300 + 1e-9);
      const moved = places.filter(({ middle }, i) => Math.abs(middle - labels[i].at) > 1e-9);
      for (const { group } of moved) {
        const mates = places.flatMap((place, i) => (place.group === group ? [i] : []));
        const atEdge = [0, n - 1].some((i) => mates.includes(i));
        assert.ok(mates.length > 1 || atEdge, "a label that has room stays");
      }
    }
  }
});
