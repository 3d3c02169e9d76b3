import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const { parseNumbers, judgeNumber } = await load(["numbers", "question"], ["parseNumbers", "judgeNumber"]);

test("plain numbers are read as readers write them", () => {
  for (const [text, value] of [
    ["0.1", 0.1], [" .1 ", 0.1], ["0,1", 0.1], ["−3", -3], ["-3", -3], ["+2", 2], ["5.", 5],
    ["1e-3", 1e-3],
  ]) assert.deepEqual(parseNumbers(text), [value], `${text}`);
});

test("a comma may mark thousands", () => {
  assert.deepEqual(parseNumbers("62,832"), [62.832, 62832]);
  assert.deepEqual(parseNumbers("1,048,576"), [1048576]);
  assert.deepEqual(parseNumbers("1,000.5"), [1000.5]);
  assert.deepEqual(parseNumbers("0,832"), [0.832]);
});

test("what is not a plain number is none", () => {
  for (const text of ["", " ", "2/3", "1,00.5", "10,00,000", "a", "1 2", "0x10", "Infinity", "--1", "."]) {
    assert.deepEqual(parseNumbers(text), [], text);
  }
});

test("an answer is right within its tolerance, and a likely mistake gets its hint", () => {
  const question = {
    answer: 0.1, tolerance: 0.001, right: "Equal scores.", hints: [[0.6, "Do not add up."]],
  };
  assert.deepEqual(judgeNumber([0.101], question), { right: true, feedback: "Equal scores." });
  assert.deepEqual(judgeNumber([60, 0.6], question), { right: false, feedback: "Do not add up." });
  assert.deepEqual(judgeNumber([0.602], question), { right: false, feedback: "Do not add up." });
});

test("of any other number it is told on which side the answer lies", () => {
  const question = {
    answer: -3, tolerance: 0.1, right: "", hints: [[100, "A hundred."], [100.4, "A bit more."]],
  };
  for (const [given, said] of [
    [[-4], "The answer is larger."], [[-2], "The answer is smaller."], [[3], "The answer is smaller."],
    [[99.5], "A hundred."], [[100.1], "A hundred."], [[100.5], "A bit more."],
    [[101], "The answer is smaller."], [[1.024, 1024], "The answer is smaller."],
  ]) assert.deepEqual(judgeNumber(given, question), { right: false, feedback: said }, `${given}`);
});
