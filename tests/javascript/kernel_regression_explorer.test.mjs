import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const {
  axisOver, bandwidthAt, bandwidthPower, enoughDecimals, holders, kernelPeak, nearness, powerText, regress,
  sum,
} = await load("kernel_regression_explorer", [
  "axisOver", "bandwidthAt", "bandwidthPower", "enoughDecimals", "holders", "kernelPeak", "nearness",
  "powerText", "regress", "sum",
]);

const KEYS = [0, 1, 3, 1];
const VALUES = [5, 7, 9, 2];
const TEMPERATURES = [0, 5e-324, 0.01, 0.25, 1, 100, 1e300, Infinity];

/** @param {number[]} got @param {number[]} wanted */
function near(got, wanted, tolerance = 1e-12) {
  assert.equal(got.length, wanted.length);
  got.forEach((x, i) => assert.ok(Math.abs(x - wanted[i]) <= tolerance, `${got} is not ${wanted}`));
}

test("weights sum to 1, and the estimate is a mean of the values", () => {
  for (const temperature of TEMPERATURES) {
    for (const query of [-100, 0, 1.3, 2, 1e6]) {
      const { weights, output } = regress(KEYS, VALUES, query, temperature);
      near([sum(weights)], [1]);
      assert.ok(weights.every((w) => w >= 0));
      assert.ok(output >= 2 && output <= 9);
    }
  }
});

test("the exponent is half the squared distance over the temperature", () => {
  // Scores -1/2 and -2 at T = 1/4 are -2 and -8: odds of e^6.
  const { weights, output } = regress([1, 4], [10, 20], 2, 0.25);
  near(weights, [1 / (1 + Math.exp(-6)), 1 / (1 + Math.exp(6))]);
  near([output], [10 + 10 / (1 + Math.exp(6))]);
});

test("temperature 0 is the nearest point, and the nearest ones share", () => {
  near(regress(KEYS, VALUES, 2, 0).weights, [0, 1 / 3, 1 / 3, 1 / 3]);
  assert.deepEqual(regress(KEYS, VALUES, 2.5, 0), { weights: [0, 0, 1, 0], output: 9 });
  assert.deepEqual(regress(KEYS, VALUES, -9, 0), { weights: [1, 0, 0, 0], output: 5 });
});

test("infinite temperature is the mean of all values", () => {
  assert.deepEqual(regress(KEYS, VALUES, 2, Infinity),
    { weights: [0.25, 0.25, 0.25, 0.25], output: 5.75 });
});

test("the kernel runs through the tops of the bars", () => {
  for (const temperature of [0.01, 0.25, 1, 1e300, Infinity]) {
    const { weights } = regress(KEYS, VALUES, 1.8, temperature);
    const peak = kernelPeak(KEYS, weights, 1.8, temperature);
    near(KEYS.map((key) => peak * Math.exp(nearness(1.8, key) / temperature)), weights);
  }
  // Far from all keys no number is large enough.
  assert.equal(kernelPeak(KEYS, regress(KEYS, VALUES, 2.5, 1e-4).weights, 2.5, 1e-4), Infinity);
});

test("it is counted how many points hold 95 % of the weight", () => {
  assert.equal(holders([0, 1, 0]), 1);
  assert.equal(holders([0.3, 0.06, 0.04, 0.6]), 3);
  assert.equal(holders([0.3, 0.05, 0, 0.65]), 2);
  assert.equal(holders(Array(20).fill(1 / 20)), 19);
  assert.equal(holders(Array(4).fill(1 / 4)), 4);
});

test("an axis has round marks around the data, and a grid in between", () => {
  const axis = axisOver(0.21, 4.9);
  assert.deepEqual(axis.marks, [0, 1, 2, 3, 4, 5]);
  assert.deepEqual([axis.low, axis.high, axis.count], [0, 5, 250]);
  assert.equal(axis.at(115), 2.3);
  assert.equal(axis.share(2.5), 0.5);
  assert.equal(axis.text(2), "2.00");
  assert.equal(axis.markText(2), "2");
  for (const [low, high] of [[0, 5], [-1, 1], [-0.003, 0.002], [1990, 2024], [-1e6, 1e6]]) {
    const { marks, count, at, share, ...ends } = axisOver(low, high);
    assert.ok(ends.low <= low && ends.high >= high, `${ends.low} to ${ends.high}`);
    assert.ok(marks.length >= 3 && marks.length <= 8, `${marks}`);
    assert.ok(count >= 75 && count <= 350, `${count}`);
    near([share(at(0)), share(at(count))], [0, 1]);
  }
});

test("an axis over a single place has that place in its middle", () => {
  for (const place of [0, 7, -1e6]) {
    const axis = axisOver(place, place);
    near([axis.share(place)], [0.5]);
  }
});

test("bandwidths have two digits, and their scale fits the axis", () => {
  assert.equal(bandwidthPower(axisOver(0, 5)), 0);
  assert.equal(bandwidthPower(axisOver(0, 100)), 1);
  assert.equal(bandwidthPower(axisOver(0, 0.1)), -2);
  assert.equal(bandwidthAt(0, 0), 0);
  assert.equal(bandwidthAt(50, 0), 1);
  assert.equal(bandwidthAt(43, 0), 0.52);
  assert.equal(bandwidthAt(43, 1), 5.2);
  assert.equal(bandwidthAt(25, -2), 0.001);
  assert.equal(bandwidthAt(100, -2), Infinity);
});

test("powers of ten are short", () => {
  assert.deepEqual([-4, -2, -1, 0, 1, 2, 4, 12].map(powerText),
    ["10⁻⁴", "0.01", "0.1", "1", "10", "100", "10⁴", "10¹²"]);
});

test("a column of numbers has the decimals that it needs", () => {
  assert.equal(enoughDecimals([1, 2], 3), 0);
  assert.equal(enoughDecimals([1, 2.25], 3), 2);
  assert.equal(enoughDecimals([1 / 3], 3), 3);
});
