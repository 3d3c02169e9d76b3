import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { component, drawn, mixed, scoresOf, sum, VARIANCE, WIDTHS } = await load("width_explorer", [
  "component", "drawn", "mixed", "scoresOf", "sum", "VARIANCE", "WIDTHS",
]);

/** @param {readonly number[]} x */
const mean = (x) => sum(x) / x.length;

test("the numbers are those of MurmurHash3 and of SplitMix", () => {
  // Published values of the finalizer: fmix32 of 0, 1 and of the step of SplitMix.
  assert.deepEqual([0, 1, 0x9e3779b9].map(mixed), [0, 0x514e28b7, 0x92ca2f0e]);
  assert.equal(component(0, 1), 0x92 + 0xca + 0x2f + 0x0e - 510);
});

test("components have mean 0 and variance 1 and are independent", () => {
  const start = mixed(1);
  const x = Array.from({ length: 100_000 }, (_, i) => component(start, i + 1) / Math.sqrt(VARIANCE));
  assert.ok(Math.abs(mean(x)) < 0.02);
  assert.ok(Math.abs(mean(x.map((a) => a * a)) - 1) < 0.02);
  for (const lag of [1, 2, 7, 1024]) {
    assert.ok(Math.abs(mean(x.slice(lag).map((a, i) => a * x[i]))) < 0.02, `lag ${lag}`);
  }
});

test("scores are exact: whole multiples of 1 / VARIANCE", () => {
  for (const width of WIDTHS) {
    for (const score of scoresOf(7, width)) {
      assert.equal(Math.round(score * VARIANCE) / VARIANCE, score);
    }
  }
});

test("a wider draw begins with the components of a narrower one", () => {
  const [one] = scoresOf(3, 1);
  const start = mixed(3);
  assert.equal(one, (component(start, 1) * component(start, 1025)) / VARIANCE);
  const [two] = scoresOf(3, 2);
  assert.equal(two, (component(start, 1) * component(start, 1025)
    + component(start, 2) * component(start, 1026)) / VARIANCE);
});

test("draws differ", () => {
  const first = new Set(Array.from({ length: 500 }, (_, i) => String(scoresOf(i + 1, 16))));
  assert.equal(first.size, 500);
});

test("over many draws: certain, steady, uniform", () => {
  /** @param {number} width */
  const largest = (width) => {
    const draws = Array.from({ length: 300 }, (_, i) => drawn(i + 1, width).weights);
    return [0, 1, 2].map((at) => mean(draws.map((weights) => Math.max(...weights[at]))));
  };
  const [narrow, wide] = [largest(4), largest(256)];
  assert.ok(narrow[0] < 0.6 && wide[0] > 0.9);
  assert.ok([narrow[1], wide[1]].every((w) => w > 0.28 && w < 0.36));
  assert.ok(wide[2] < 0.12);
});
