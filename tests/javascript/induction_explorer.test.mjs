import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { modelFrom, readLetters, repeating } =
  await load("induction_explorer", ["modelFrom", "readLetters", "repeating"]);

test("parameters are integers times the scale of their column", () => {
  // two symbols, one place, width 1: 2 + 1 + 4 * 2 + 2 integers, then 1 + 1 + 4 + 2 scales
  const view = new DataView(new ArrayBuffer(13 + 4 * 8));
  for (let i = 0; i < 13; i++) view.setInt8(i, i - 6);
  for (let i = 0; i < 8; i++) view.setFloat32(13 + 4 * i, i + 1, true);
  const model = modelFrom(view, { symbols: 2, places: 1, d: 1 });
  assert.deepEqual(model, {
    embedding: [[-6], [-5]],
    place: [[-8]],
    layers: [[[[-9]], [[-4]], [[5]], [[18]]], [[[-6]], [[0]], [[10]], [[24]]]],
    last: [[35, 48]],
  });
});

test("two heads made by hand: the second reads what the first has written", () => {
  // letters x and y in columns 0 and 1, places in 2 to 5, notes in 6 and 7
  const unit = (/** @type {number} */ at, size = 1) =>
    Array.from({ length: 8 }, (_, i) => (i === at ? size : 0));
  const none = unit(-1);
  const place = [2, 3, 4, 5].map((at) => unit(at));
  const back = [none, none, none, unit(2, 90), unit(3, 90), unit(4, 90), none, none];
  const places = [none, none, ...place, none, none];
  const letters = [unit(0), unit(1), none, none, none, none, none, none];
  const notes = [none, none, none, none, none, none, unit(0), unit(1)];
  const toNotes = [unit(6), unit(7), none, none, none, none, none, none];
  const asks = letters.map((row) => row.map((x) => 90 * x));
  const model = {
    embedding: [unit(0), unit(1)], place,
    layers: [[back, places, letters, toNotes], [asks, notes, letters, letters]],
    last: place.concat(place).map((_, i) => [Number(i === 0), Number(i === 1)]),
  };
  const text = [1, 0, 1, 0]; // y x y x
  const both = readLetters(model, text, [1, 1]);
  assert.ok(both.weights[0][3][2] > 0.99);
  assert.ok(both.weights[1][3][2] > 0.99, "y came after the first x");
  assert.deepEqual(both.weights[1][0], [1, 0, 0, 0], "nothing later is seen");
  const blind = readLetters(model, text, [0, 1]);
  assert.deepEqual(blind.weights[0], both.weights[0]);
  assert.ok(blind.weights[1][3][2] < 0.5);
});

test("letters repeat after 8 at least and 16 at most", () => {
  const period = (/** @type {string} */ text) => new Set(text).size;
  const steps = (/** @type {number} */ last) => {
    let i = 0;
    return () => (i++ < 20 ? i / 21 : last);
  };
  assert.equal(period(repeating("abcdefghijklmnopqrst", 30, steps(0))), 8);
  assert.equal(period(repeating("abcdefghijklmnopqrst", 30, steps(0.999))), 16);
  assert.equal(repeating("abcdefghijklmnopqrst", 9, steps(0)), "tsrqponmt");
});
