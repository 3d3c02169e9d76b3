import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { LAYERS, evidence, outputsOf, telling } = await load(
  "leak_game", ["LAYERS", "evidence", "outputsOf", "telling"]);

const GIVEN = [1, 2, 0.5, 1.5, 1, 1];
const NAMES = Object.keys(LAYERS);
const places = GIVEN.map((_, i) => i);

/** Which outputs move with token t. @param {string} name @param {number} t */
const moved = (name, t) => {
  const row = evidence(name, GIVEN, GIVEN.with(t, GIVEN[t] + 1))[t];
  return places.filter((i) => row[i]);
};

test("each layer moves the outputs that its name says", () => {
  for (const t of places) {
    assert.deepEqual(moved("causal mask", t), places.filter((i) => i >= t));
    assert.deepEqual(moved("one key too many", t), places.filter((i) => i >= t - 1));
    assert.deepEqual(moved("mask transposed", t), places.filter((i) => i <= t));
    assert.deepEqual(moved("no mask", t), places);
    assert.deepEqual(moved("mask after softmax", t), places);
  }
});

test("a token that was not changed says nothing", () => {
  assert.deepEqual(evidence("no mask", GIVEN, GIVEN), places.map(() => null));
  assert.equal(evidence("no mask", GIVEN, GIVEN.with(2, 9)).filter(Boolean).length, 1);
});

test("pulled far, an output runs after the last number, or fades towards 0", () => {
  const far = GIVEN.with(5, 9);
  for (const i of [0, 1, 2, 3, 4]) {
    assert.ok(outputsOf("no mask", far)[i] > 8);
    const [near, faded] = [GIVEN, far].map((x) => outputsOf("mask after softmax", x)[i]);
    assert.ok(faded > 0 && faded < near / 4);
  }
});

test("a wrong name gets a probe that tells the two apart, where there is one", () => {
  for (const layer of NAMES) {
    for (const guess of NAMES) {
      const clue = telling(layer, guess, GIVEN);
      const alike = new Set(["no mask", "mask after softmax"]);
      assert.equal(clue === null, layer === guess || (alike.has(layer) && alike.has(guess)));
      if (!clue) continue;
      assert.equal(moved(guess, clue.token).includes(clue.output), clue.moves);
      assert.equal(moved(layer, clue.token).includes(clue.output), !clue.moves);
    }
  }
});
