import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { changed, countRight, endOfAxis, fitsPlan, parting, planned, reversal, sureness, trainer } =
  await load(["reversal", "training_explorer"], ["changed", "countRight", "endOfAxis", "fitsPlan",
    "parting", "planned", "reversal", "sureness", "trainer"]);

const EXAMPLE = [2, 0, 9, 10, 11, 7, 5, 6, 3, 4];
const START = { start: 1, positions: true, plan: [[0, 0.01, 0]], example: EXAMPLE };

/** All stages that are reported until a step is there. */
function until(step, orders, slice = 5) {
  return new Promise((done) => {
    const stages = [];
    const receive = trainer(reversal(), (report) => {
      for (const stage of report.stages) stages.push({ id: report.id, ...stage });
      if (stages.at(-1).step >= step && orders.length === 0) done(stages);
      else if (orders.length > 0) receive(orders.shift());
    }, slice);
    receive(orders.shift());
  });
}

test("a plan is changed at a step, and what was planned for later is forgotten", () => {
  const plan = [[0, 0.2, 0], [100, 0.01, 1]];
  assert.deepEqual(changed(plan, 0, { rate: 0.05 }), [[0, 0.05, 0]]);
  assert.deepEqual(changed(plan, 50, { rate: 0.05 }), [[0, 0.2, 0], [50, 0.05, 0]]);
  assert.deepEqual(changed(plan, 50, { rate: 0.2 }), [[0, 0.2, 0]]);
  assert.deepEqual(changed(plan, 100, { rate: 0.05 }), [[0, 0.2, 0], [100, 0.05, 1]]);
  assert.deepEqual(changed(plan, 120, { remedy: 3 }), [...plan, [120, 0.01, 3]]);
  assert.deepEqual(changed(plan, 0, { remedy: 1 }), plan, "nothing is done before the first step");
});

test("a plan that is full stays as it is", () => {
  let plan = [[0, 0.01, 0]];
  for (let step = 1; step < 30; step++) plan = changed(plan, step, { remedy: 1 });
  assert.equal(plan.length, 24);
  assert.ok(fitsPlan(plan));
});

test("two runs part where their plans do", () => {
  const other = (plan) => ({ ...START, plan });
  assert.equal(parting(null, START), -1);
  assert.equal(parting(START, { ...START, start: 2 }), -1);
  assert.equal(parting(START, { ...START, positions: false }), -1);
  assert.equal(parting(START, { ...START }), Infinity);
  assert.equal(parting(START, other([[0, 0.2, 0]])), 0);
  assert.equal(parting(START, other([[0, 0.01, 0], [40, 0.01, 1]])), 40);
  assert.equal(parting(other([[0, 0.01, 0], [40, 0.2, 0]]), other([[0, 0.01, 0], [60, 0.2, 0]])), 40);
  assert.deepEqual(planned(other([[0, 0.01, 0], [40, 0.2, 0]]), 39), [[0, 0.01, 0]]);
});

test("training goes on in slices, and again from where a run was changed", async () => {
  const straight = await until(12, [{ id: 0, run: START, to: 12 }], Infinity);
  assert.deepEqual(straight.map(({ step }) => step), Array.from({ length: 13 }, (_, i) => i));
  const sliced = await until(12, [{ id: 0, run: START, to: 12 }], 0.001);
  assert.deepEqual(sliced, straight);
  // A change at step 4 that is taken back: the same numbers again, and none of before step 0.
  const plan = [[0, 0.01, 0], [4, 0.2, 1]];
  const back = await until(12, [
    { id: 0, run: START, to: 12 }, { id: 1, run: { ...START, plan }, to: 12 }, { id: 2, run: START, to: 12 },
  ], Infinity);
  const last = back.filter(({ id }) => id === 2);
  assert.deepEqual(last.map(({ loss }) => loss), straight.slice(-last.length).map(({ loss }) => loss));
  const middle = new Map(back.filter(({ id }) => id === 1).map(({ step, loss }) => [step, loss]));
  assert.notEqual(middle.get(5), straight[5].loss);
  assert.equal(middle.get(3) ?? straight[3].loss, straight[3].loss);
});

test("letters are counted, rows measured, and the axis ends at a round of steps", () => {
  assert.equal(countRight([1, 2, 3], [3, 2, 2]), 2);
  assert.equal(sureness([0.5, 0.5, 1, 0], 2), 0.75);
  assert.deepEqual([0, 1, 300, 301, 3000].map(endOfAxis), [300, 300, 300, 600, 3000]);
});
