// The games: what each leak moves, and the clue after a wrong name.
import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.mjs";

import * as bugs from "../../attnbook/explorers/bug_game/widget.js";
import * as leaks from "../../attnbook/explorers/leak_game/widget.js";

const K = [
  [0, 0, 0],
  [2, 0, 1],
  [1, -1, -2],
  [2, 3, 1],
  [-2, 0, 0],
  [0, 2, 1],
];
const INPUT = bugs.openInput(
  K.map(([a, b, c]) => [b, c, a]),
  K,
  [0, -0.2, 0.3, 0.4, 0, 0.1],
);
const outcome = (layer, p) => bugs.probed(layer, p, INPUT).outcome;
const GIVEN = [1, 2, 0.5, 1.5, 1, 1];
const places = GIVEN.map((_, i) => i);
/** Which outputs move with token t. */
const moved = (name, t) => {
  const row = leaks.evidence(name, GIVEN, GIVEN.with(t, GIVEN[t] + 1))[t];
  return places.filter((i) => row[i]);
};

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
    assert.deepEqual(
      moved("causal mask", t),
      places.filter((i) => i >= t),
    );
    assert.deepEqual(
      moved("one key too many", t),
      places.filter((i) => i >= t - 1),
    );
    assert.deepEqual(
      moved("mask transposed", t),
      places.filter((i) => i <= t),
    );
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
