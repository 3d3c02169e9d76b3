import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { MISTAKES, NAMES, openInput, probed, telling } = await load(
  "bug_game", ["MISTAKES", "NAMES", "openInput", "probed", "telling"]);

const K = [[0, 0, 0], [2, 0, 1], [1, -1, -2], [2, 3, 1], [-2, 0, 0], [0, 2, 1]];
const Q = K.map(([a, b, c]) => [b, c, a]);
const INPUT = openInput(Q, K, [0, -0.2, 0.3, 0.4, 0, 0.1]);
const LAYERS = Object.keys(MISTAKES);

/** The probes whose law a layer does not keep. @param {string} layer */
const broken = (layer) => NAMES.filter((_, p) => probed(layer, p, INPUT).outcome !== "keeps");

test("each mistake breaks the laws that it should, and sound attention breaks none", () => {
  assert.deepEqual(Object.fromEntries(LAYERS.map((layer) => [layer, broken(layer)])), {
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
});

test("what is no number and what raises an error is told apart from a wrong number", () => {
  const at = (/** @type {string} */ probe) => NAMES.indexOf(probe);
  assert.equal(probed("no maximum subtracted", at("keys shifted"), INPUT).outcome, "NaN");
  assert.equal(probed("no keepdims", at("everything twice"), INPUT).outcome, "error");
  assert.equal(probed("no keepdims", at("all values 1"), INPUT).outcome, "breaks");
});

test("a wrong name gets a probe that contradicts it", () => {
  for (const layer of LAYERS) {
    for (const guess of LAYERS) {
      const clue = telling(layer, guess, INPUT);
      assert.equal(clue === null, layer === guess);
      if (!clue) continue;
      const [own, its] = [layer, guess].map((name) => probed(name, clue.probe, INPUT).outcome);
      assert.equal(its, clue.outcome);
      assert.notEqual(own === "keeps", its === "keeps");
    }
  }
});
