import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { lookBack } = await load("translator_explorer", ["lookBack"]);

test("weights and chances are shares, the largest where the score is", () => {
  const { weights, chances } = lookBack([0, Math.log(3)], [Math.log(2), 0, 0]);
  assert.deepEqual(weights.map((w) => w.toFixed(3)), ["0.250", "0.750"]);
  assert.deepEqual(chances.map((p) => p.toFixed(3)), ["0.500", "0.250", "0.250"]);
});

test("without scores there are no weights", () => {
  assert.deepEqual(lookBack([-Infinity, -Infinity], [0]).weights, [0, 0]);
});
