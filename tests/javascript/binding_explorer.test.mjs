import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { answerWith } = await load("binding_explorer", ["answerWith"]);

// Two colours, two things, width 4: the first colour asks in columns 0 and 1, the second in 2 and 3.
const both = [[9, 0, 0, 0], [0, 9, 0, 0], [0, 0, 9, 0], [0, 0, 0, 9]];
const colours = [[9, 0, 9, 0], [0, 9, 0, 9], [0, 0, 0, 0], [0, 0, 0, 0]];
const things = [[0, 0, 0, 0], [0, 0, 0, 0], [9, 0, 9, 0], [0, 9, 0, 9]];
const MATRICES = [both, colours, things, both];
/** @type {[number, number][]} */
const ITEMS = [[0, 1], [1, 0]]; // the first colour has thing 1, the second thing 0

/** @param {number[]} row */
const top = (row) => row.indexOf(Math.max(...row));

test("the same matrices answer two questions with two heads, and mix them with one", () => {
  const [one, two] = [1, 2].map((heads) => answerWith(MATRICES, heads, ITEMS, [0, 1]));
  assert.deepEqual(one.weights, [[0.5, 0.5]]);
  assert.deepEqual(one.found, [4.5, 4.5, 4.5, 4.5]);
  assert.deepEqual(one.chances, [[0.5, 0.5], [0.5, 0.5]]);
  assert.ok(two.weights[0][0] > 0.99 && two.weights[1][1] > 0.99);
  assert.deepEqual(two.chances.map(top), [1, 0]);
});

test("asked the other way round, the answers change places", () => {
  const [here, there] = [[0, 1], [1, 0]].map((asked) => answerWith(MATRICES, 2, ITEMS, asked));
  assert.deepEqual(here.chances.map(top), there.chances.map(top).reverse());
});
