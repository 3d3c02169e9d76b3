// Positional encodings and their curves, and words that are put elsewhere.
import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.mjs";

import {
  baseAt,
  lengthText,
  pairsWithClock,
  placeOf,
  shade,
  similarityTo,
} from "../../attnbook/explorers/positional_encoding/widget.js";
import { placed } from "../../attnbook/explorers/word_order/widget.js";

test("similarity falls up to offset 4 and rises again", () => {
  const curve = similarityTo({ length: 64, dim: 32, base: 10000 }, 0);
  assert.equal(
    curve.findIndex((x, k) => curve[k + 1] > x),
    4,
  );
});

test("the slider reaches the bases that are taught, and each of its places", () => {
  assert.deepEqual([0, 10, 30, 50].map(baseAt), [10, 100, 10000, 1000000]);
  for (let place = 0; place <= 50; place++) assert.equal(placeOf(baseAt(place)), place);
  assert.deepEqual([1.5, 1e300].map(placeOf), [0, 50]);
});

test("as many pairs have a clock as there is room for", () => {
  const shown = [
    [16, 640],
    [16, 200],
    [1, 200],
    [64, 200],
  ].map((given) => pairsWithClock(...given));
  assert.deepEqual(
    shown.map((pairs) => [pairs.length, ...pairs.slice(0, 2)]),
    [
      [16, 0, 1],
      [8, 0, 2],
      [1, 0],
      [8, 0, 8],
    ],
  );
});

test("a number has a colour by its sign, and as much of it as it is large", () => {
  const [minus, none, plus] = [-1, 0, 0.5].map(shade);
  assert.deepEqual([minus[3], none[3], plus[3]], [255, 0, 127.5]);
  assert.ok(minus[2] > minus[0] && plus[0] > plus[2]);
  assert.deepEqual([2 * Math.PI, 353.3, 35333, 5.06e6].map(lengthText), [
    "6.28",
    "353",
    "35,333",
    "5.1e6",
  ]);
});

test("a word that is put elsewhere pushes the others along", () => {
  const first = [0, 1, 2, 3];
  assert.deepEqual(
    [placed(first, 0, 2), placed(first, 3, 0), placed(first, 1, 1)],
    [[1, 2, 0, 3], [3, 0, 1, 2], first],
  );
});
