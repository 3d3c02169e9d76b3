import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { arcBetween } = await load("head_teaser", ["arcBetween"]);

/** The numbers of a path. @param {string} path */
const numbers = (path) => (path.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
/** @param {number} left @param {number} top */
const word = (left, top) => ({ left, top, width: 40, height: 20 });

test("an arc stands on the middles of two words of a line, within its room", () => {
  const [a, b, far] = [word(0, 100), word(100, 100), word(900, 100)];
  assert.deepEqual(numbers(arcBetween(a, b, 90)).slice(0, 2), [20, 100]);
  assert.deepEqual(numbers(arcBetween(a, b, 90)).slice(-2), [120, 100]);
  for (const [to, room] of [[b, 90], [far, 90], [far, 30]]) {
    const [, start, , handle] = numbers(arcBetween(a, to, room));
    const rise = (start - handle) * 3 / 4;
    assert.ok(rise > 10 && rise <= room, `${rise} in ${room}`);
  }
  // Farther away is higher, so that arcs do not lie on each other.
  assert.ok(numbers(arcBetween(a, far, 900))[3] < numbers(arcBetween(a, b, 900))[3]);
});

test("between two lines an arc crosses no word of them", () => {
  const [upper, lower] = [word(200, 0), word(0, 50)];
  assert.deepEqual(numbers(arcBetween(upper, lower, 30)), [220, 20, 220, 35, 20, 35, 20, 50]);
  assert.deepEqual(numbers(arcBetween(lower, upper, 30)), [20, 50, 20, 35, 220, 35, 220, 20]);
});

test("words of one line may differ in height", () => {
  const [, start, , handle] = numbers(arcBetween(word(0, 100), { ...word(100, 96), height: 28 }, 30));
  assert.equal(start, 100);
  assert.ok(handle < 96);
});

test("a word that looks at itself has a loop above it", () => {
  const own = word(0, 100);
  assert.match(arcBetween(own, own, 30), /^M15 100c-11 -26/);
});
