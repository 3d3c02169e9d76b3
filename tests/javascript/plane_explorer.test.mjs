import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { attendInPlane, hull, placesAround, roomFor, within } = await load(["handles", "plane_explorer"], [
  "attendInPlane", "hull", "placesAround", "roomFor", "within",
]);

const KEYS = [[0, 0], [1, 1], [1, -1], [-1, 0]];

test("scores are dot products, and the output is a mean of the values", () => {
  const { scores, weights, output } = attendInPlane([2, 1], KEYS, KEYS);
  assert.deepEqual(scores, [0, 3, 1, -2]);
  const raised = scores.map(Math.exp);
  const total = raised.reduce((a, b) => a + b);
  weights.forEach((w, i) => assert.ok(Math.abs(w - raised[i] / total) < 1e-12));
  const mean = [weights[1] + weights[2] - weights[3], weights[1] - weights[2]];
  output.forEach((x, i) => assert.ok(Math.abs(x - mean[i]) < 1e-12));
});

test("a query of zeros takes the mean", () => {
  assert.deepEqual(attendInPlane([0, 0], KEYS, [[1, 0], [1, 4], [1, 0], [1, 0]]),
    { scores: [0, 0, 0, 0], weights: Array(4).fill(0.25), output: [1, 1] });
});

test("the hull has the corners alone, in order", () => {
  assert.deepEqual(new Set(hull(KEYS)), new Set([1, 2, 3]));
  // What lies on a side is no corner; of equal points one is.
  assert.deepEqual(new Set(hull([[0, 0], [2, 0], [1, 0], [2, 2], [0, 2]])), new Set([0, 1, 3, 4]));
  assert.equal(hull([[0, 0], [1, 0], [1, 0], [0, 1]]).length, 3);
  assert.deepEqual(new Set(hull([[1, 1], [2, 2], [3, 3]])), new Set([0, 2]));
  assert.ok(hull([[0, 0], [0, 0]]).length <= 1);
});

test("no query makes a key inside the hull win, and one makes each corner win", () => {
  const inside = [...KEYS, [0.2, 0.1], [-0.4, 0.1]];
  const won = new Set();
  for (let turn = 0; turn < 360; turn += 0.5) {
    const q = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
    const { scores } = attendInPlane(q, inside, inside);
    const most = Math.max(...scores);
    const winners = scores.flatMap((s, i) => (s === most ? [i] : []));
    if (winners.length === 1) won.add(winners[0]);
  }
  assert.deepEqual(won, new Set(hull(inside)));
});

test("arrows stay in the room, which is larger than what it starts with, and have two decimals", () => {
  const room = roomFor([[3.13, 2], [-1, -2]]);
  assert.deepEqual(room, [4, 2.5]);
  assert.deepEqual(roomFor([[0, 0]]), [1, 1]);
  assert.deepEqual(within([1.234, -0.001], room), [1.23, -0]);
  assert.deepEqual(within([99, -99], room), [4, -2.5]);
});

test("labels stay in the drawing", () => {
  for (const [x, y] of [[0, 0], [100, 60], [50, 30]]) {
    for (const { left, top, width, height } of placesAround([x, y], [1, 0], 40, 9, [100, 60])) {
      assert.ok(left >= 0 && top >= 0 && left + width <= 100 && top + height <= 60);
    }
  }
});
