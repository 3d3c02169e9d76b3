// Positional encodings and their curves, and words that are put elsewhere.
import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.mjs";

import {
  baseAt,
  bias,
  biasColour,
  byOffset,
  fanDepth,
  halving,
  lengthText,
  placeOf,
  shownColumns,
  similarityTo,
  wavelength,
  withColumn,
} from "../../attnbook/explorers/positional_encoding/widget.js";
import { placed } from "../../attnbook/explorers/word_order/widget.js";

const curveAt = (position, encoding = "sinusoidal") => {
  const facts = { encoding, length: 64, dim: 32, base: 10000, head: 2 };
  return byOffset(similarityTo(facts, position), position);
};
const HEADS = [0, 1, 2, 3, 4, 5, 6, 7];

test("similarity falls up to offset 4 and rises again; a bias only falls", () => {
  const rises = (curve) => curve.findIndex((x, k) => curve[k + 1] > x);
  assert.equal(rises(curveAt(20)), 4);
  assert.equal(rises(curveAt(20, "alibi")), -1);
});

test("every halving distance halves the factor, and the line of a head has room", () => {
  for (const head of HEADS) {
    for (const times of [1, 3]) {
      assert.ok(Math.abs(Math.exp(bias(head, times * halving(head))) - 0.5 ** times) < 1e-12);
    }
    for (const length of [2, 64, 128]) {
      const depth = fanDepth(head, length);
      assert.ok(depth === 8 || -bias(head, length - 1) <= depth, "the line of a head has room");
    }
  }
  assert.deepEqual(
    [0, 3, 4, 5, 6, 7].map((head) => fanDepth(head, 64)),
    [8, 8, 2, 2, 0.5, 0.5],
  );
  assert.deepEqual([-2, -8].map(biasColour), [-0.5, -1]);
  assert.ok(biasColour(bias(7, 63)) < -0.15, "small biases have a shade");
});

test("the slider reaches the bases that are taught, and each of its places", () => {
  assert.deepEqual([0, 10, 30, 50].map(baseAt), [10, 100, 10000, 1000000]);
  for (let place = 0; place <= 50; place++) assert.equal(placeOf(baseAt(place)), place);
  assert.deepEqual([1.5, 1e300].map(placeOf), [0, 50]);
});

test("there are as many waves as columns, each with its length", () => {
  const shown = [32, 8, 4, 2].map((dim) => shownColumns([0, 6, 14], dim));
  assert.deepEqual(shown, [
    [0, 6, 14],
    [0, 6, 7],
    [0, 2, 3],
    [0, 1],
  ]);
  assert.deepEqual(shownColumns([31, 31, 0], 32), [31, 31, 0]);
  // One that is pressed takes the place of the nearest.
  assert.deepEqual(
    [5, 30, 0].map((c) => withColumn([0, 6, 14], c)),
    [
      [0, 5, 14],
      [0, 6, 30],
      [0, 6, 14],
    ],
  );
  const texts = [0, 1, 30, 31].map((c) => lengthText(wavelength(c, { dim: 32, base: 10000 })));
  assert.deepEqual(
    [...texts, lengthText(353.3), lengthText(5.06e6)],
    ["6.28", "6.28", "35333", "35333", "353", "5.1e6"],
  );
});

test("a word that is put elsewhere pushes the others along", () => {
  const first = [0, 1, 2, 3];
  assert.deepEqual(
    [placed(first, 0, 2), placed(first, 3, 0), placed(first, 1, 1)],
    [[1, 2, 0, 3], [3, 0, 1, 2], first],
  );
});
