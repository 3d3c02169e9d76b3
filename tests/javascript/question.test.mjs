import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { parseNumber, judgeNumber } = await load("question", ["parseNumber", "judgeNumber"]);

test("plain numbers are read as readers write them", () => {
  for (const [text, value] of [
    ["0.1", 0.1], [" .1 ", 0.1], ["0,1", 0.1], ["−3", -3], ["-3", -3], ["+2", 2], ["5.", 5],
    ["1e-3", 1e-3],
  ]) assert.equal(parseNumber(text), value, `${text}`);
});

test("what is not a plain number is none", () => {
  for (const text of ["", " ", "2/3", "1,000.5", "a", "1 2", "0x10", "Infinity", "--1", "."]) {
    assert.ok(Number.isNaN(parseNumber(text)), text);
  }
});

test("an answer is right within its tolerance, and a likely mistake gets its hint", () => {
  const question = {
    answer: 0.1, tolerance: 0.001, right: "Equal scores.", hints: [[0.6, "Do not add up."]],
  };
  assert.deepEqual(judgeNumber(0.101, question), { right: true, feedback: "Equal scores." });
  assert.deepEqual(judgeNumber(0.6, question), { right: false, feedback: "Do not add up." });
  assert.deepEqual(judgeNumber(0.102, question), { right: false, feedback: "" });
});
