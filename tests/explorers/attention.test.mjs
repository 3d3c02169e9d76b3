// The explorers of attention: shuffles, the bench, the teaser, letters.
import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { shuffled, ownOrder, isOwn, placesOf } = await load("attention_explorer", "shuffled ownOrder isOwn placesOf");
const { changesSince, spread } = await load("attention_bench", "changesSince spread");
const { arcBetween } = await load("head_teaser", "arcBetween");
const { repeating } = await load("induction_explorer", "repeating");

test("a shuffle is another order each time, the same for the same seed, and takes every token everywhere", () => {
  for (const n of [2, 3, 6, 32]) {
    let order = ownOrder(Array(n));
    for (let seed = 1; seed <= 100; seed++) {
      const next = shuffled(order, seed);
      assert.deepEqual([...next].sort((a, b) => a - b), ownOrder(next));
      assert.notDeepEqual(next, order);
      assert.ok(n === 2 || !isOwn(next));
      assert.deepEqual(shuffled(order, seed), next);
      order = next;
    }
  }
  const seen = new Set();
  for (let seed = 1; seed <= 500; seed++) {
    shuffled([0, 1, 2, 3, 4, 5], seed).forEach((token, place) => seen.add(`${token} at ${place}`));
  }
  assert.equal(seen.size, 36);
  assert.deepEqual(placesOf([2, 0, 1]), [1, 2, 0]);
});

test("what was changed is told by its number, or as a vector", () => {
  const words = ["The", "Sleepy", "Child", "Reads", "A", "Book"];
  const keys = [[0, 0, 0], [2, 0, 1], [1, -1, -2], [2, 3, 1], [-2, 0, 0], [0, 2, 1]];
  const bench = { query: 5, q: keys[5], keys, values: [0, -0.2, 0.3, 0.4, 0, 0.1],
    mask: keys.map(() => true), score: "dot", temperature: 1 };
  const told = (change) => changesSince(words, bench, { ...bench, ...change });
  assert.deepEqual(told({ q: [0, 2, -6] }), ["the third component of the query from 1 to −6"]);
  assert.deepEqual(told({ q: [0, -2, -1] }), ["the query from (0, 2, 1) to (0, −2, −1)"]);
  assert.deepEqual(told({ mask: keys.map((_, i) => i !== 3), score: "gaussian" }),
    ["the mask at Reads", "the score to Gaussian −½|q − k|²"]);
  // The query follows its word's key, which is what was changed.
  const others = keys.with(5, [0, -2, 1]);
  assert.deepEqual(told({ keys: others, q: others[5] }), ["the second component of the key of Book from 2 to −2"]);
  assert.deepEqual(told({ query: 2, q: keys[2] }), ["the query word to Child"]);
});

test("labels in a row stay at their places, or move apart no more than they must", () => {
  const row = (labels, room) => spread(labels.map(([at, width]) => ({ at, width })), room).map(({ middle }) => middle);
  assert.deepEqual(row([[50, 10], [50, 30]], 100), [40, 60]);
  assert.deepEqual(row([[0, 20], [99, 20]], 100), [10, 90]);
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let trial = 0; trial < 300; trial++) {
    const labels = Array.from({ length: 1 + (trial % 12) }, () => ({ at: 300 * random(), width: 5 + 20 * random() }))
      .sort((a, b) => a.at - b.at);
    let end = -1e-9;
    spread(labels, 300).forEach(({ middle }, i) => {
      assert.ok(middle - labels[i].width / 2 >= end - 1e-9, "no two touch, and none is outside");
      end = middle + labels[i].width / 2;
    });
    assert.ok(end <= 300 + 1e-9);
  }
});

test("an arc stands on the middles of two words, within its room, and crosses no word between two lines", () => {
  const numbers = (path) => (path.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
  const word = (left, top) => ({ left, top, width: 40, height: 20 });
  const [a, b, far] = [word(0, 100), word(100, 100), word(900, 100)];
  assert.deepEqual(numbers(arcBetween(a, b, 90)).slice(0, 2), [20, 100]);
  assert.deepEqual(numbers(arcBetween(a, b, 90)).slice(-2), [120, 100]);
  for (const [to, room] of [[b, 90], [far, 90], [far, 30]]) {
    const [, start, , handle] = numbers(arcBetween(a, to, room));
    const rise = (start - handle) * 3 / 4;
    assert.ok(rise > 10 && rise <= room, `${rise} in ${room}`);
  }
  const [upper, lower] = [word(200, 0), word(0, 50)];
  assert.deepEqual(numbers(arcBetween(upper, lower, 30)), [220, 20, 220, 35, 20, 35, 20, 50]);
  assert.deepEqual(numbers(arcBetween(lower, upper, 30)), [20, 50, 20, 35, 220, 35, 220, 20]);
  assert.match(arcBetween(a, a, 30), /^M15 100c-11 -26/, "a loop");
});

test("letters repeat after 8 at least and 16 at most", () => {
  const period = (text) => new Set(text).size;
  const steps = (last, i = 0) => () => (i++ < 20 ? i / 21 : last);
  assert.equal(period(repeating("abcdefghijklmnopqrst", 30, steps(0))), 8);
  assert.equal(period(repeating("abcdefghijklmnopqrst", 30, steps(0.999))), 16);
  assert.equal(repeating("abcdefghijklmnopqrst", 9, steps(0)), "tsrqponmt");
});
