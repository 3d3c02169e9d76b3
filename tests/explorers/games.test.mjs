// The games: which laws each mistake breaks, and the clue after a wrong name.
import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const bugs = await load("bug_game", "MISTAKES NAMES openInput probed telling");
const leaks = await load("leak_game", "LAYERS evidence outputsOf telling");

const K = [[0, 0, 0], [2, 0, 1], [1, -1, -2], [2, 3, 1], [-2, 0, 0], [0, 2, 1]];
const INPUT = bugs.openInput(K.map(([a, b, c]) => [b, c, a]), K, [0, -0.2, 0.3, 0.4, 0, 0.1]);
const outcome = (layer, p) => bugs.probed(layer, p, INPUT).outcome;
const GIVEN = [1, 2, 0.5, 1.5, 1, 1];
const places = GIVEN.map((_, i) => i);
/** Which outputs move with token t. */
const moved = (name, t) => {
  const row = leaks.evidence(name, GIVEN, GIVEN.with(t, GIVEN[t] + 1))[t];
  return places.filter((i) => row[i]);
};

test("each mistake breaks the laws that it should, and sound attention breaks none", () => {
  const broken = Object.keys(bugs.MISTAKES).map((layer) =>
    [layer, bugs.NAMES.filter((_, p) => outcome(layer, p) !== "keeps")]);
  assert.deepEqual(Object.fromEntries(broken), {
    "no mistake": [],
    "no keepdims": ["all values 1", "keys shuffled", "one query", "everything twice", "an empty row"],
    "softmax over queries":
      ["all values 1", "keys shifted", "one query", "everything twice", "an empty row"],
    "no maximum subtracted": ["keys shifted"],
    "divided by d": ["twice as wide"],
    "divided by root of n_q": ["one query", "twice as wide"],
    "mask after softmax": ["a hidden key"],
    "hidden scores -1e9": ["an empty row"],
  });
  // What is no number and what raises an error is told apart from a wrong number.
  const at = (probe) => bugs.NAMES.indexOf(probe);
  assert.equal(outcome("no maximum subtracted", at("keys shifted")), "NaN");
  assert.equal(outcome("no keepdims", at("everything twice")), "error");
  assert.equal(outcome("no keepdims", at("all values 1")), "breaks");
});

test("a wrong name of a bug gets a probe that contradicts it", () => {
  for (const layer of Object.keys(bugs.MISTAKES)) {
    for (const guess of Object.keys(bugs.MISTAKES)) {
      const clue = bugs.telling(layer, guess, INPUT);
      assert.equal(clue === null, layer === guess);
      if (!clue) continue;
      assert.equal(outcome(guess, clue.probe), clue.outcome);
      assert.notEqual(outcome(layer, clue.probe) === "keeps", clue.outcome === "keeps");
    }
  }
});

test("each layer of the leak moves the outputs that its name says", () => {
  for (const t of places) {
    assert.deepEqual(moved("causal mask", t), places.filter((i) => i >= t));
    assert.deepEqual(moved("one key too many", t), places.filter((i) => i >= t - 1));
    assert.deepEqual(moved("mask transposed", t), places.filter((i) => i <= t));
    assert.deepEqual(moved("no mask", t), places);
    assert.deepEqual(moved("mask after softmax", t), places);
  }
  assert.deepEqual(leaks.evidence("no mask", GIVEN, GIVEN), places.map(() => null));
  assert.equal(leaks.evidence("no mask", GIVEN, GIVEN.with(2, 9)).filter(Boolean).length, 1);
  // Pulled far, an output runs after the last number, or fades towards 0.
  const far = GIVEN.with(5, 9);
  for (const i of [0, 1, 2, 3, 4]) {
    assert.ok(leaks.outputsOf("no mask", far)[i] > 8);
    const [near, faded] = [GIVEN, far].map((x) => leaks.outputsOf("mask after softmax", x)[i]);
    assert.ok(faded > 0 && faded < near / 4);
  }
});

test("a wrong name of a leak gets a probe that tells the two apart, where there is one", () => {
  const alike = new Set(["no mask", "mask after softmax"]);
  for (const layer of Object.keys(leaks.LAYERS)) {
    for (const guess of Object.keys(leaks.LAYERS)) {
      const clue = leaks.telling(layer, guess, GIVEN);
      assert.equal(clue === null, layer === guess || (alike.has(layer) && alike.has(guess)));
      if (!clue) continue;
      assert.equal(moved(guess, clue.token).includes(clue.output), clue.moves);
      assert.equal(moved(layer, clue.token).includes(clue.output), !clue.moves);
    }
  }
});
