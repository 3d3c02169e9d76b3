// What scripts share: numbers as text and as bytes, the slider of temperatures, labels.
import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.mjs";

import {
  sliderPosition,
  temperatureAt,
  temperatureUnder,
} from "../../attnbook/explorers/core/compute.js";
import { fixed, short } from "../../attnbook/explorers/core/format.js";
import { placeLabels } from "../../attnbook/explorers/core/labels.js";
import {
  nameText,
  placeNamed,
  readNumber,
  readNumbers,
  rowsOf,
  writeNumber,
  writeNumbers,
} from "../../attnbook/explorers/core/traits.js";

test("numbers have a true minus sign and no minus zero", () => {
  assert.deepEqual(
    [-0.2, -0.0004, -Infinity, -2.5e300].map((x) => fixed(x)),
    ["−0.200", "0.000", "−∞", "−2.5e300"],
  );
  assert.deepEqual(
    [-0.25, 3, Infinity, 1 / 3].map((x) => short(x)),
    ["−0.25", "3", "∞", "0.3333"],
  );
});

test("the slider runs from 0 over 1 to infinity, in two digits, and finds each place again", () => {
  assert.deepEqual([0, 25, 50, 75, 100].map(temperatureAt), [0, 0.1, 1, 10, Infinity]);
  for (let position = 1; position <= 100; position++) {
    const t = temperatureAt(position);
    assert.ok(t > temperatureAt(position - 1), `${position}`);
    assert.equal(t === Infinity ? t : Number(t.toPrecision(2)), t);
    assert.equal(Math.round(sliderPosition(t)), position);
  }
  assert.deepEqual([5e-324, 1e-9, 1e9, 1e308].map(sliderPosition), [1, 1, 99, 99]);
  // A sparse weight is a straight line in 1 / T: towards infinity it moves by no more than before.
  const gaps = [96, 97, 98, 99].map(
    (at) => 1 / temperatureUnder(at) - 1 / temperatureUnder(at + 1),
  );
  for (const gap of gaps) assert.ok(Math.abs(gap - gaps[0]) < 1e-12);
});

test("in an address each of some names is found again, alike or made to look so", () => {
  const names = ["it", "it", "it@0", "sat", "sat@9"];
  const texts = names.map((_, at) => nameText(names, at));
  assert.deepEqual(texts, ["it@0", "it@1", "it@0@2", "sat", "sat@9@4"]);
  assert.deepEqual(
    texts.map((text) => placeNamed(names, text)),
    [0, 1, 2, 3, 4],
  );
});

test("infinite numbers and arrays survive their journey", () => {
  for (const x of [0, -2.5, 5e-324, Infinity, -Infinity]) {
    assert.equal(readNumber(JSON.parse(JSON.stringify(writeNumber(x)))), x);
  }
  const numbers = [0.1, -2, 1e-300, 3];
  assert.deepEqual(readNumbers(writeNumbers(numbers)), numbers);
  assert.deepEqual(rowsOf(numbers, 2), [
    [0.1, -2],
    [1e-300, 3],
  ]);
  // Bytes that start in the middle of a buffer, as they may with a kernel.
  const whole = new Uint8Array(8 + 8);
  whole.set(new Uint8Array(writeNumbers([7]).buffer), 4);
  assert.deepEqual(readNumbers(new DataView(whole.buffer, 4, 8)), [7]);
});

test("labels take the first free place that covers least", () => {
  const at = (top, cost = 0) => ({ left: 0, top, width: 50, height: 14, cost });
  assert.deepEqual(placeLabels([[at(0)], [at(5), at(20)]]), [at(0), at(20)]);
  assert.deepEqual(placeLabels([[at(0, 2), at(20, 1)]]), [at(20, 1)]);
  assert.deepEqual(
    placeLabels([[at(0), at(40, 5)]], (box) => (box.top === 0 ? 9 : 0)),
    [at(40, 5)],
  );
});
