import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { encodingOf, gap, outputsOf, placed } = await load(
  ["positions", "word_order_explorer"], ["encodingOf", "gap", "outputsOf", "placed"]);

const X = [[0, 0], [2, 1], [1, -1], [-2, 3]];
const ONE = [[1, 0], [0, 1]];
const FIRST = [0, 1, 2, 3];
const read = (/** @type {number[]} */ order, has_positions = false, is_causal = false) =>
  outputsOf(X, [ONE, ONE, ONE], order, { has_positions, is_causal });

test("a word that is put elsewhere pushes the others along", () => {
  assert.deepEqual(placed(FIRST, 0, 2), [1, 2, 0, 3]);
  assert.deepEqual(placed(FIRST, 3, 0), [3, 0, 1, 2]);
  assert.deepEqual(placed(FIRST, 1, 1), FIRST);
});

test("position 0 is a row of zeros and ones", () => {
  assert.deepEqual(encodingOf(0, 4), [0, 1, 0, 1]);
  assert.ok(Math.abs(encodingOf(5, 4)[2] - Math.sin(0.05)) < 1e-15);
});

test("without positions and mask no order changes an output", () => {
  const first = read(FIRST);
  for (const order of [[3, 2, 1, 0], [1, 0, 3, 2]]) {
    read(order).forEach((row, i) => assert.ok(gap(row, first[i]) < 1e-12));
  }
});

test("with positions every output changes, with a mask that of the last word stays", () => {
  const [first, moved] = [FIRST, [3, 2, 1, 0]].map((order) => read(order, true));
  first.forEach((row, i) => assert.ok(gap(row, moved[i]) > 0.01));
  const [masked, later] = [FIRST, [2, 0, 1, 3]].map((order) => read(order, false, true));
  assert.ok(gap(masked[3], later[3]) < 1e-12);
  assert.ok(gap(masked[0], later[0]) > 0.01);
});
