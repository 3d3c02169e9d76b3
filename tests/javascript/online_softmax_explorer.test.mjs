import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const {
  arithmetic, chartText, differ, dot, part, readBlocks, softmax, stepAt, sum, termText,
} = await load("online_softmax_explorer", ["arithmetic", "chartText", "differ", "dot", "part",
  "readBlocks", "softmax", "stepAt", "sum", "termText"]);

const SCORES = [0, 1, -4, 7, 0, 5];
const VALUES = [0, -0.2, 0.3, 0.4, 0, 0.1];
const CASES = [
  [SCORES, VALUES],
  [[-1000, 1000, 999], [5, 7, -9]],
  [[3, 3, 3, 3], [1, 2, 3, 4]],
  [[5, 4, 3, 2, 1], [1, -1, 1, -1, 1]],
  [[1, 2, 3, 4, 5], [1, -1, 1, -1, 1]],
];

/** @param {number} got @param {number} wanted */
const near = (got, wanted, tolerance = 1e-14) =>
  assert.ok(Math.abs(got - wanted) <= tolerance, `${got} is not ${wanted}`);

test("before any block there is nothing", () => {
  const [{ maximum, terms, total, output }] = readBlocks(SCORES, VALUES, 2, true);
  assert.deepEqual([maximum, terms, total, output], [-Infinity, [], 0, 0]);
});

test("each block size ends at softmax of all scores", () => {
  for (const [scores, values] of CASES) {
    const exact = dot(softmax(scores, 1), values);
    for (let block = 1; block <= scores.length; block++) {
      const states = readBlocks(scores, values, block, true);
      assert.equal(states.length, Math.ceil(scores.length / block) + 1);
      const last = states[states.length - 1];
      near(last.output, exact);
      near(last.total, sum(scores.map((score) => Math.exp(score - Math.max(...scores)))));
    }
  }
});

test("the terms add up to the sum, corrected or not", () => {
  for (const correct of [true, false]) {
    for (const state of readBlocks(SCORES, VALUES, 2, correct)) near(sum(state.terms), state.total);
  }
});

test("a larger score shrinks the old terms", () => {
  const [, before, now] = readBlocks([1, 3], [10, 20], 1, true);
  assert.deepEqual([before.maximum, before.total, before.output], [1, 1, 10]);
  near(now.correction, Math.exp(-2));
  near(now.terms[0], Math.exp(-2));
  near(now.output, (10 * Math.exp(-2) + 20) / (Math.exp(-2) + 1));
});

test("without the correction the old terms stay", () => {
  const [, , now] = readBlocks([1, 3], [10, 20], 1, false);
  assert.deepEqual([now.correction, now.terms, now.total, now.output], [1, [1, 1], 2, 15]);
  const falling = [true, false].map((correct) => readBlocks([3, 2, 1], [1, 2, 3], 1, correct).at(-1));
  assert.equal(falling[0]?.output, falling[1]?.output);
});

test("a new block size keeps what is read, down to the border of a block", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6].map((read) => stepAt(6, read, 2)), [0, 0, 1, 1, 2, 2, 3]);
  assert.deepEqual([0, 3, 4, 5, 6].map((read) => stepAt(6, read, 4)), [0, 0, 1, 1, 2]);
  assert.deepEqual([5, 6].map((read) => stepAt(6, read, 6)), [0, 1]);
});

test("the arithmetic is written out with true signs", () => {
  const states = readBlocks(SCORES, VALUES, 1, true);
  assert.deepEqual(arithmetic(states[0], states[1], 0),
    ["max(−∞, 0)", "exp(−∞ − 0)", "0 × 0 + 1", "(0 × 0 × 0 + 0) / 1"]);
  assert.deepEqual(arithmetic(states[3], states[4], 7), [
    "max(1, 7)", "exp(1 − 7)", "0.0025 × 1.3746 + 1",
    "(0.0025 × 1.3746 × (−0.144) + 0.4) / 1.0034",
  ]);
  const [, before, now] = readBlocks([-5, -4], [1, -2], 1, false);
  assert.deepEqual(arithmetic(before, now, -4), [
    "max(−5, −4)", "left out: 1, not exp(−5 − (−4)) = 0.3679", "1 × 1 + 1", "(1 × 1 × 1 + (−2)) / 2",
  ]);
});

test("only a correction that matters is called left out", () => {
  const states = readBlocks([0, 7, 7, 5], [1, 2, 3, 4], 1, false);
  const said = [0, 7, 7, 5].map((score, i) => arithmetic(states[i], states[i + 1], score)[1]);
  assert.deepEqual(said, ["exp(−∞ − 0)", "left out: 1, not exp(0 − 7) = 0.00091", "exp(7 − 7)",
    "exp(7 − 7)"]);
  assert.deepEqual(states.map(({ correction }) => correction), [1, 0, 1, 1, 1]);
  assert.deepEqual(arithmetic(states[0], states[1], 0),
    arithmetic(...readBlocks([0, 7], [1, 2], 1, true).slice(0, 2), 0));
});

test("the drawing is told in words", () => {
  const [right, wrong] = [true, false].map((correct) => readBlocks([0, 7], [1, -2], 1, correct));
  assert.equal(chartText(right.slice(0, 1), undefined, 1.5), "The output after each block, " +
    "from top to bottom: none yet. Vertical line, the exact output: 1.5000.");
  assert.equal(chartText(wrong, right, -1.9973), "The output after each block, from top to " +
    "bottom: 1.0000, −0.5000. Dotted, the corrected output: 1.0000, −1.9973. " +
    "Vertical line, the exact output: −1.9973.");
});

test("small and large numbers are written short", () => {
  assert.deepEqual([0, 1.00341, -0.14397, 0.000911882, 1.67e-5, 123456.5, -Infinity].map(part),
    ["0", "1.0034", "−0.144", "0.00091", "0.000017", "123456.5", "−∞"]);
  assert.deepEqual([1, 0.00248, 0.00005, 1.67e-5, 0].map(termText),
    ["1.0000", "0.0025", "0.0001", "<.0001", "0.0000"]);
});

test("rounding alone makes no difference", () => {
  assert.ok(!differ(0.1 + 0.2, 0.3));
  assert.ok(!differ(0, 0));
  assert.ok(differ(0.3624, 0.3625));
  assert.ok(differ(1e-12, 2e-12));
});
