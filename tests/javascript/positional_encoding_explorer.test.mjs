import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const {
  baseAt, bias, biasColour, byOffset, encodingMatrix, fanDepth, firstRise, halving, lengthText, placeOf,
  shownColumns, similarityTo, slope,
} = await load(["positions", "positional_encoding_explorer"], [
  "baseAt", "bias", "biasColour", "byOffset", "encodingMatrix", "fanDepth", "firstRise", "halving",
  "lengthText", "placeOf", "shownColumns",
  "similarityTo", "slope",
]);

const FACTS = { encoding: "sinusoidal", length: 64, dim: 32, base: 10000, head: 2 };
const curveAt = (/** @type {number} */ position, /** @type {object} */ change = {}) => {
  const facts = { ...FACTS, ...change };
  return similarityTo(encodingMatrix(facts), facts, position);
};

test("a position and itself are as alike as can be", () => {
  for (const encoding of ["sinusoidal", "rotary"]) {
    for (const position of [0, 20, 63]) {
      const curve = curveAt(position, { encoding });
      assert.ok(Math.abs(curve[position] - 1) < 1e-12);
      assert.equal(Math.max(...curve), curve[position]);
    }
  }
});

test("the position slides the curve and does not change it", () => {
  for (const encoding of ["sinusoidal", "rotary", "alibi"]) {
    const first = byOffset(curveAt(0, { encoding }), 0);
    for (const position of [1, 20, 31, 32, 63]) {
      const curve = byOffset(curveAt(position, { encoding }), position);
      assert.equal(curve.length, Math.max(position, 63 - position) + 1);
      curve.forEach((/** @type {number} */ x, /** @type {number} */ k) =>
        assert.ok(Math.abs(x - first[k]) < 1e-12));
    }
  }
});

test("the curve is the same both ways", () => {
  const curve = curveAt(20);
  for (let k = 1; k <= 20; k++) assert.ok(Math.abs(curve[20 + k] - curve[20 - k]) < 1e-12);
});

test("similarity rises again after offset 4, a bias never", () => {
  const curve = byOffset(curveAt(20), 20);
  assert.equal(firstRise(curve), 4);
  assert.deepEqual([0, 4, 5].map((k) => (16 * curve[k]).toFixed(2)), ["16.00", "11.66", "11.78"]);
  assert.equal(firstRise(byOffset(curveAt(20, { encoding: "alibi" }), 20)), -1);
  assert.equal(firstRise([1, 0.5]), -1);
});

test("a rise that shows is told before one that does not", () => {
  assert.equal(firstRise([1, 0.5, 0.5001, 0.4, 0.6]), 3);
  assert.equal(firstRise([1, 0.5, 0.5001, 0.4]), 1);
});

test("the slopes of the heads halve", () => {
  assert.deepEqual([0, 1, 2, 7].map(slope), [1 / 2, 1 / 4, 1 / 8, 1 / 256]);
});

test("every halving distance of a head halves the factor", () => {
  for (let head = 0; head < 8; head++) {
    for (const times of [1, 2, 3]) {
      assert.ok(Math.abs(Math.exp(bias(head, times * halving(head))) - 0.5 ** times) < 1e-12);
    }
  }
});

test("small biases have a shade, and the line of a head has room", () => {
  assert.deepEqual([-2, -8].map(biasColour), [-0.5, -1]);
  assert.ok(Math.abs(biasColour(0)) === 0);
  assert.ok(biasColour(bias(7, 63)) < -0.15);
  assert.deepEqual([0, 3, 4, 5, 6, 7].map((head) => fanDepth(head, 64)), [8, 8, 2, 2, 0.5, 0.5]);
  for (let head = 0; head < 8; head++) {
    for (const length of [2, 64, 128]) {
      const depth = fanDepth(head, length);
      assert.ok(depth === 8 || -bias(head, length - 1) <= depth);
    }
  }
});

test("the slider reaches the bases that are taught, and each of its places", () => {
  assert.deepEqual([0, 10, 30, 50].map(baseAt), [10, 100, 10000, 1000000]);
  for (let place = 0; place <= 50; place++) assert.equal(placeOf(baseAt(place)), place);
  assert.deepEqual([1.5, 1e300].map(placeOf), [0, 50]);
});

test("there are as many waves as columns, and never one twice for want of columns", () => {
  assert.deepEqual(shownColumns([0, 6, 14], 32), [0, 6, 14]);
  assert.deepEqual(shownColumns([0, 6, 14], 8), [0, 6, 7]);
  assert.deepEqual(shownColumns([0, 6, 14], 4), [0, 2, 3]);
  assert.deepEqual(shownColumns([0, 6, 14], 2), [0, 1]);
  assert.deepEqual(shownColumns([31, 31, 0], 32), [31, 31, 0]);
});

test("wavelengths are short to read", () => {
  assert.deepEqual([2 * Math.PI, 35.333, 353.3, 35333.2, 5.06e6].map(lengthText),
    ["6.28", "35.3", "353", "35333", "5.1e6"]);
});
