// Explorers that go step by step: online softmax, memory, training; and the axes of kernel regression.
import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.mjs";

import {
  axisOver,
  bandwidthAt,
  bandwidthPower,
  enoughDecimals,
  holders,
  kernelPeak,
  nearness,
  powerText,
  regress,
} from "../../attnbook/explorers/kernel_regression/widget.js";
import { ROOMS, rowsThatFit, stepsOf } from "../../attnbook/explorers/memory/widget.js";
import {
  arithmetic,
  chartText,
  differ,
  part,
  readBlocks,
  termText,
} from "../../attnbook/explorers/online_softmax/widget.js";
import { reversal, trainer } from "../../attnbook/explorers/training/trainer.js";
import { countRight, pace, sureness } from "../../attnbook/explorers/training/widget.js";

const near = (got, wanted) =>
  got.forEach((x, i) => assert.ok(Math.abs(x - wanted[i]) <= 1e-12, `${got} is not ${wanted}`));

test("the arithmetic of online softmax is written out with true signs", () => {
  const states = readBlocks([0, 1, -4, 7, 0, 5], [0, -0.2, 0.3, 0.4, 0, 0.1], 1, true);
  assert.deepEqual(arithmetic(states[0], states[1], 0), [
    "max(−∞, 0)",
    "exp(−∞ − 0)",
    "0 × 0 + 1",
    "(0 × 0 × 0 + 0) / 1",
  ]);
  assert.deepEqual(arithmetic(states[3], states[4], 7), [
    "max(1, 7)",
    "exp(1 − 7)",
    "0.0025 × 1.3746 + 1",
    "(0.0025 × 1.3746 × (−0.144) + 0.4) / 1.0034",
  ]);
  const [, before, now] = readBlocks([-5, -4], [1, -2], 1, false);
  assert.deepEqual(arithmetic(before, now, -4), [
    "max(−5, −4)",
    "left out: 1, not exp(−5 − (−4)) = 0.3679",
    "1 × 1 + 1",
    "(1 × 1 × 1 + (−2)) / 2",
  ]);
  // Only a correction that matters is called left out.
  const wrong = readBlocks([0, 7, 7, 5], [1, 2, 3, 4], 1, false);
  assert.deepEqual(
    [0, 7, 7, 5].map((score, i) => arithmetic(wrong[i], wrong[i + 1], score)[1]),
    ["exp(−∞ − 0)", "left out: 1, not exp(0 − 7) = 0.00091", "exp(7 − 7)", "exp(7 − 7)"],
  );
});

test("the drawing of online softmax is told in words, its numbers short", () => {
  const [right, wrong] = [true, false].map((correct) => readBlocks([0, 7], [1, -2], 1, correct));
  assert.equal(
    chartText(right.slice(0, 1), undefined, 1.5),
    "The output after each block, " +
      "from left to right: none yet. Dashed line, the exact output: 1.5000.",
  );
  assert.equal(
    chartText(wrong, right, -1.9973),
    "The output after each block, from left to " +
      "right: 1.0000, −0.5000. Dotted, the corrected output: 1.0000, −1.9973. " +
      "Dashed line, the exact output: −1.9973.",
  );
  assert.deepEqual([0, 1.00341, -0.14397, 0.000911882, 1.67e-5, 123456.5, -Infinity].map(part), [
    "0",
    "1.0034",
    "−0.144",
    "0.00091",
    "0.000017",
    "123456.5",
    "−∞",
  ]);
  assert.deepEqual([1, 0.00248, 0.00005, 1.67e-5, 0].map(termText), [
    "1.0000",
    "0.0025",
    "0.0001",
    "<.0001",
    "0.0000",
  ]);
  assert.deepEqual(
    [differ(0.1 + 0.2, 0.3), differ(0, 0), differ(0.3624, 0.3625), differ(1e-12, 2e-12)],
    [false, false, true, true],
    "rounding alone makes no difference",
  );
});

test("the tiles of a step fit, one row more does not, and each tile of queries meets each of keys once", () => {
  for (const fast of ROOMS) {
    const numbers = (rows) => 4 * 64 * rows + rows * rows + 2 * rows;
    const b = rowsThatFit(fast);
    assert.ok(2 * numbers(b) <= 1024 * fast && 2 * numbers(b + 1) > 1024 * fast);
  }
  const steps = stepsOf(256, 93, true);
  assert.deepEqual(
    steps.map(({ some, keys }) => 3 * some + keys),
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
  );
});

test("training goes on in slices, and of a fork the trunk is told once", async () => {
  const start = { start: 1, positions: true, rate: 0.2, fork: 4, branch: "" };
  const START = { ...start, example: [2, 0, 9, 10, 11, 7, 5, 6, 3, 4] };
  const [freed, alone] = ["W_q and W_k divided by 30", "nothing"];
  /** All that is reported until the last order is done: the losses of each leg, by steps. */
  const until = (orders, atOnce) =>
    new Promise((done) => {
      const legs = {};
      const receive = trainer(
        reversal(),
        ({ id, leg, stages }) => {
          const found = (legs[`${id} ${leg}`] ??= []);
          for (const { step, loss } of stages) found.push([step, loss]);
          const { run, to } = now;
          if (leg !== run.branch || found.at(-1)[0] < to) return;
          if (orders.length === 0) done(legs);
          else receive((now = orders.shift()));
        },
        atOnce,
      );
      let now = orders.shift();
      receive(now);
    });
  const order = (branch, to, id = 0) => ({ id, to, run: { ...START, branch } });
  const straight = (await until([order("", 12)], Infinity))["0 "];
  assert.deepEqual(
    straight.map(([step]) => step),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  );
  assert.deepEqual((await until([order("", 12)], 1))["0 "], straight);
  // A branch, half of another, then the rest of that; the trunk has come to the fork by then.
  const legs = await until([order(freed, 12), order(alone, 6), order(alone, 12)], 5);
  assert.deepEqual(legs["0 "], straight.slice(0, 5));
  for (const branch of [freed, alone]) {
    assert.deepEqual(
      legs[`0 ${branch}`].map(([step]) => step),
      [4, 5, 6, 7, 8, 9, 10, 11, 12],
    );
  }
  assert.deepEqual(legs[`0 ${alone}`][0], straight[4]); // nothing is done to it but the rate
  assert.notDeepEqual(legs[`0 ${freed}`][0], straight[4]);
  // Of another run all is told.
  const again = await until([order(freed, 12), order("", 6, 1)], Infinity);
  assert.deepEqual(again["1 "], straight.slice(0, 7));
});

test("letters are counted and rows measured, and the film is slow where it happens", () => {
  assert.deepEqual([countRight([1, 2, 3], [3, 2, 2]), sureness([0.5, 0.5, 1, 0], 2)], [2, 0.75]);
  assert.deepEqual(
    [0, 19, 20, 79, 80, 299].map((since) => pace(since)[0]),
    [1, 1, 1, 1, 4, 4],
  );
  assert.ok(pace(50)[1] > pace(0)[1]);
});

test("the kernel runs through the tops of the bars", () => {
  const [keys, values] = [
    [0, 1, 3, 1],
    [5, 7, 9, 2],
  ];
  for (const temperature of [0.01, 0.25, 1, 1e300, Infinity]) {
    const { weights } = regress(keys, values, 1.8, temperature);
    const peak = kernelPeak(keys, weights, 1.8, temperature);
    near(
      keys.map((key) => peak * Math.exp(nearness(1.8, key) / temperature)),
      weights,
    );
  }
  // Far from all keys no number is large enough.
  assert.equal(kernelPeak(keys, regress(keys, values, 2.5, 1e-4).weights, 2.5, 1e-4), Infinity);
});

test("it is counted how many points hold 95 % of the weight", () => {
  const all = [
    [0, 1, 0],
    [0.3, 0.06, 0.04, 0.6],
    [0.3, 0.05, 0, 0.65],
    Array(20).fill(1 / 20),
    Array(4).fill(1 / 4),
  ];
  assert.deepEqual(all.map(holders), [1, 3, 2, 19, 4]);
});

test("an axis has round marks around the data, and bandwidths that fit it", () => {
  const axis = axisOver(0.21, 4.9);
  assert.deepEqual([axis.marks, axis.low, axis.high, axis.count], [[0, 1, 2, 3, 4, 5], 0, 5, 250]);
  assert.deepEqual(
    [axis.at(115), axis.share(2.5), axis.text(2), axis.markText(2)],
    [2.3, 0.5, "2.00", "2"],
  );
  for (const [low, high] of [
    [0, 5],
    [-1, 1],
    [-0.003, 0.002],
    [1990, 2024],
    [-1e6, 1e6],
  ]) {
    const { marks, count, at, share, ...ends } = axisOver(low, high);
    assert.ok(ends.low <= low && ends.high >= high, `${ends.low} to ${ends.high}`);
    assert.ok(marks.length >= 3 && marks.length <= 8, `${marks}`);
    assert.ok(count >= 75 && count <= 350, `${count}`);
    near([share(at(0)), share(at(count))], [0, 1]);
  }
  for (const place of [0, 7, -1e6]) near([axisOver(place, place).share(place)], [0.5]);
  assert.deepEqual(
    [5, 100, 0.1].map((high) => bandwidthPower(axisOver(0, high))),
    [0, 1, -2],
  );
  assert.deepEqual(
    [
      [0, 0],
      [50, 0],
      [43, 0],
      [43, 1],
      [25, -2],
      [100, -2],
    ].map(([at, power]) => bandwidthAt(at, power)),
    [0, 1, 0.52, 5.2, 0.001, Infinity],
  );
  assert.deepEqual([-4, -2, -1, 0, 1, 2, 4, 12].map(powerText), [
    "10⁻⁴",
    "0.01",
    "0.1",
    "1",
    "10",
    "100",
    "10⁴",
    "10¹²",
  ]);
  assert.deepEqual(
    [[1, 2], [1, 2.25], [1 / 3]].map((column) => enoughDecimals(column, 3)),
    [0, 2, 3],
  );
});
