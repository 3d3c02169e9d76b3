// Questions of earlier pages come back: when, in which order, and whatever the store and clock say.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const script = readFileSync(new URL("../../book/theme/static/due.js", import.meta.url), "utf8");
const { afterAnswer, dueOf, isDue, mostMixed, readAsked } = await import(
  `data:text/javascript;charset=utf-8,${encodeURIComponent(
    `${script}\nexport { afterAnswer, dueOf, isDue, mostMixed, readAsked };`,
  )}`
);
const DAY = 86_400_000;
const plain = { at: 0, level: 0, erred: false, open: false };

test("a question comes back after a day, three, a week, three weeks, and then every three", () => {
  let [now, asked] = [0, afterAnswer(null, true, 0)];
  const gaps = [];
  for (let i = 0; i < 6; i++) {
    let days = 0;
    while (!isDue(asked, now + days * DAY)) days++;
    gaps.push(days);
    now += days * DAY;
    asked = afterAnswer(asked, true, now);
  }
  assert.deepEqual(gaps, [1, 3, 7, 21, 21, 21]);
});

test("a wrong first answer brings it back tomorrow, also when it was right in the end", () => {
  let asked = { at: 0, level: 3, erred: false, open: false };
  asked = afterAnswer(asked, false, 30 * DAY);
  asked = afterAnswer(asked, false, 30 * DAY + 5);
  asked = afterAnswer(asked, true, 30 * DAY + 9);
  assert.deepEqual(asked, { at: 30 * DAY + 9, level: 0, erred: true, open: false });
  assert.equal(isDue(asked, 31 * DAY), false);
  assert.equal(isDue(asked, 31 * DAY + 9), true);
  assert.equal(afterAnswer(asked, true, 32 * DAY).erred, false);
});

test("to answer it again before it is due changes nothing", () => {
  const asked = { at: 5, level: 1, erred: true, open: false };
  assert.deepEqual(afterAnswer(asked, true, 2 * DAY), asked);
});

test("those that were answered wrong come first, then the oldest", () => {
  const asked = (at, erred) => ({ at, level: 0, erred, open: false });
  const kept = new Map([
    ["new", asked(9.5 * DAY, true)],
    ["old", asked(1 * DAY, false)],
    ["older", asked(0, false)],
    ["wrong", asked(8 * DAY, true)],
    ["wrong before", asked(7 * DAY, true)],
  ]);
  assert.deepEqual(dueOf(kept, 10 * DAY), ["wrong before", "wrong", "older", "old"]);
});

test("a clock that was ahead does not keep a question away", () => {
  const ahead = JSON.stringify({ at: 1000 * DAY, level: 0, erred: false, open: false });
  const asked = readAsked(ahead, 10 * DAY);
  assert.equal(asked.at, 10 * DAY);
  assert.equal(isDue(asked, 11 * DAY), true);
  const kept = readAsked(JSON.stringify(asked), 11 * DAY);
  assert.equal(isDue(kept, 11 * DAY), true);
  assert.deepEqual(afterAnswer(kept, true, 11 * DAY), { ...plain, at: 11 * DAY, level: 1 });
});

test("a clock that is set back for a while, and once more, makes no question come early", () => {
  let asked = { ...plain, at: 100 * DAY, level: 2 };
  for (const now of [40, 20, 24]) {
    asked = readAsked(JSON.stringify(asked), now * DAY);
    assert.equal(isDue(asked, now * DAY), false);
  }
  asked = readAsked(JSON.stringify(asked), 101 * DAY);
  assert.deepEqual(asked, { ...plain, at: 100 * DAY, level: 2 });
});

test("what was mixed up most often is by as many answers, three at least, and there may be two", () => {
  assert.deepEqual(mostMixed([]), [[], 3]);
  assert.deepEqual(mostMixed([["a"], ["a", "a", "a"], ["b"]]), [[], 3]);
  assert.deepEqual(mostMixed([["a"], ["a", "b"], ["b"], ["a"]]), [["a"], 3]);
  const four = [["a", "b"], ["b", "a"], ["b", "a", "c"], ["a", "b"], ["c"], ["c"]];
  assert.deepEqual(mostMixed(four), [["a", "b"], 4]);
});

test("what others have written into the store is nothing", () => {
  for (const text of [null, undefined, "", "{", "7", "null", "[]", '{"at":"x","level":0}']) {
    assert.equal(readAsked(text, 0), null, text);
  }
  for (const level of [-1, 4, 0.5, "at", null]) {
    assert.equal(readAsked(JSON.stringify({ at: 0, level }), 0), null, `${level}`);
  }
});
