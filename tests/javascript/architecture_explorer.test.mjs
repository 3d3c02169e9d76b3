import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { digitsFor, matricesOf } = await load("architecture_explorer", ["digitsFor", "matricesOf"]);

test("arrays are cut from one list, by head where they have heads", () => {
  const flat = Array.from({ length: 14 }, (_, i) => i);
  assert.deepEqual(matricesOf(flat, [[2, 1], [2, 2, 3]]), [
    [[[0], [1]]],
    [[[2, 3, 4], [5, 6, 7]], [[8, 9, 10], [11, 12, 13]]],
  ].map((each) => each));
});

test("large numbers and many columns leave no room for digits", () => {
  assert.equal(digitsFor(3.2, 8), 1);
  assert.equal(digitsFor(12, 8), 0);
  assert.equal(digitsFor(3.2, 16), 0);
});
