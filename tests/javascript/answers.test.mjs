import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const script = ["attnutils/widgets/static/numbers.js", "_ext/static/answers.js"]
  .map((name) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8"))
  .join("\n");
const { readField, readArray, judgeFields } = await import(
  `data:text/javascript;charset=utf-8,${encodeURIComponent(
    `${script}\nexport { readField, readArray, judgeFields };`)}`);

test("a field takes what a reader writes for a number", () => {
  for (const [text, value] of [
    [".5", 0.5], ["0,5", 0.5], ["−3", -3], ["1e-3", 1e-3], ["1e−3", 1e-3], ["-0", -0], ["1/6", 1 / 6],
    ["-1 / 4", -0.25], ["NaN", NaN], ["inf", Infinity], ["−inf", -Infinity], ["1/0", Infinity],
  ]) assert.deepEqual(readField(text), [value], text);
  assert.deepEqual(readField("1,024"), [1.024, 1024]);
});

test("a field takes nothing else", () => {
  for (const text of ["", " ", "a", "1/2/3", "1/", "/2", "1 2", "[1]", "0x1", "e", "infs"]) {
    assert.deepEqual(readField(text), [], text);
  }
});

test("what Python prints can be pasted", () => {
  const six = { values: [0.1, -2, 0, 3, 1e-3, 5], shape: [6] };
  for (const text of [
    "[0.1, -2, 0, 3, 1e-3, 5]", "(0.1, -2, 0, 3, 1e-3, 5)", "[ .1   -2.  0. 3.\n 1e-03 5.]",
    "0.1 -2 0 3 .001 5", "array([ 0.1, -2. ,  0. ,  3. ,  0.001,  5. ])", "0.1, −2, 0, 3, 1e-3, 5,",
    "[np.float64(0.1), -2, 0, 3, 1e-3, 5]", "array([0.1, -2, 0, 3, 1e-3, 5], dtype=float32)",
  ]) assert.deepEqual(readArray(text.replace(/,$/, "")), six, text);
  assert.deepEqual(readArray("[[1 2]\n [3 4]]"), { values: [1, 2, 3, 4], shape: [2, 2] });
  assert.deepEqual(readArray("[(8, 6), (10, 6)]"), { values: [8, 6, 10, 6], shape: [2, 2] });
  assert.deepEqual(readArray("0.5"), { values: [0.5], shape: [1] });
});

test("what is no array of numbers cannot", () => {
  for (const text of ["a", "[1, [2]]", "[[1, 2], [3]]", "[null]", "[1, nan]", "[1", "1]", "{}"]) {
    assert.equal(readArray(text), null, text);
  }
});

test("a comma is read as the reader must have meant it", () => {
  const form = {
    shapes: [[2]], right: [1024, 0.5], atol: 0.001, decimals: [null, 1], hint: "no", note: "yes",
    wrong: [[[1.024, 0.5], "thousands"], [[2048, 0.5], "twice"]],
  };
  const say = (...texts) => judgeFields(form, texts.map(readField)).text;
  assert.equal(say("1,024", "0,5"), "yes");
  assert.equal(say("1.024", "0,5"), "thousands");
  assert.equal(say("2,048", "0,5"), "twice");
  assert.equal(say("2", "0,5"), "no");
});
