import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./load.mjs";

const {
  fixed, short, weightText, cellText, listed, temperatureAt, sliderPosition, readNumber, writeNumber,
  readNumbers, writeNumbers, rowsOf, weightColor, placeLabels, weightLabels, placesAlong, temperatureUnder,
} = await load("temperature_explorer", [
  "fixed", "short", "weightText", "cellText", "listed", "temperatureAt", "sliderPosition", "readNumber",
  "writeNumber", "readNumbers", "writeNumbers", "rowsOf", "weightColor", "placeLabels",
  "weightLabels", "placesAlong", "temperatureUnder",
]);

test("numbers have a true minus sign and no minus zero", () => {
  assert.equal(fixed(-0.2), "−0.200");
  assert.equal(fixed(-0.0004), "0.000");
  assert.equal(fixed(1.005, 1), "1.0");
  assert.equal(fixed(-Infinity), "−∞");
  assert.equal(fixed(-2.5e300), "−2.5e300");
  assert.equal(short(-0.25), "−0.25");
  assert.equal(short(3), "3");
  assert.equal(short(Infinity), "∞");
  assert.equal(short(1 / 3), "0.3333");
});

test("weights in cells have two digits, and 0 and 1 are exact", () => {
  assert.deepEqual([0, 1e-9, 0.006, 0.0999, 0.5, 0.994, 0.996, 1].map(cellText),
    ["0", ".00", ".01", ".10", ".50", ".99", "1.00", "1"]);
});

test("a weight that is not 0 does not read as 0", () => {
  assert.equal(weightText(0), "0.000");
  assert.equal(weightText(1.5e-5), "<.001");
  assert.equal(weightText(0.8775), "0.877");
});

test("lists of words", () => {
  assert.equal(listed(["Reads"]), "Reads");
  assert.equal(listed(["Reads", "Book"]), "Reads and Book");
  assert.equal(listed(["The", "A", "Book"]), "The, A and Book");
});

test("the slider runs from 0 over 1 to infinity, in two digits", () => {
  assert.equal(temperatureAt(0), 0);
  assert.equal(temperatureAt(25), 0.1);
  assert.equal(temperatureAt(50), 1);
  assert.equal(temperatureAt(75), 10);
  assert.equal(temperatureAt(100), Infinity);
  for (let position = 1; position <= 100; position++) {
    const t = temperatureAt(position);
    assert.ok(t > temperatureAt(position - 1), `${position}`);
    assert.equal(t === Infinity ? t : Number(t.toPrecision(2)), t);
  }
});

test("a temperature finds its own place on the slider again", () => {
  for (let position = 0; position <= 100; position++) {
    assert.equal(Math.round(sliderPosition(temperatureAt(position))), position);
  }
  for (const tiny of [5e-324, 1e-9]) assert.equal(sliderPosition(tiny), 1);
  for (const large of [1e9, 1e308]) assert.equal(sliderPosition(large), 99);
});

test("infinite numbers and arrays survive their journey", () => {
  for (const x of [0, -2.5, 5e-324, Infinity, -Infinity]) {
    const sent = JSON.parse(JSON.stringify(writeNumber(x)));
    assert.equal(readNumber(sent), x);
  }
  const numbers = [0.1, -2, 1e-300, 3];
  assert.deepEqual(readNumbers(writeNumbers(numbers)), numbers);
  assert.deepEqual(rowsOf(numbers, 2), [[0.1, -2], [1e-300, 3]]);
  // Bytes that start in the middle of a buffer, as they may with a kernel.
  const whole = new Uint8Array(8 + 8);
  whole.set(new Uint8Array(writeNumbers([7]).buffer), 4);
  assert.deepEqual(readNumbers(new DataView(whole.buffer, 4, 8)), [7]);
});

test("a weight is so much ink on the page, and keeps to its ends", () => {
  assert.equal(weightColor(0.25), "color-mix(in srgb, var(--weight) 25%, var(--page))");
  assert.match(weightColor(0), / 0%/);
  assert.equal(weightColor(-1), weightColor(0));
  assert.equal(weightColor(2), weightColor(1));
});

test("labels take the first free place that covers least", () => {
  const size = { width: 50, height: 14 };
  const at = (/** @type {number} */ top, cost = 0) => ({ left: 0, top, ...size, cost });
  assert.deepEqual(placeLabels([[at(0)], [at(5), at(20)]]), [at(0), at(20)]);
  assert.deepEqual(placeLabels([[at(0, 2), at(20, 1)]]), [at(20, 1)]);
  const covered = (/** @type {{top: number}} */ box) => (box.top === 0 ? 9 : 0);
  assert.deepEqual(placeLabels([[at(0), at(40, 5)]], covered), [at(40, 5)]);
});

test("only words that read the same share a label", () => {
  const words = ["The", "Sleepy", "Child", "Reads", "A", "Book"];
  const texts = (/** @type {number[]} */ weights) =>
    weightLabels(words, weights).map(({ names, share }) => `${names} ${share}`);
  assert.deepEqual(texts([0.0008, 0.0022, 0.0001, 0.8775, 0.0008, 0.1188]),
    ["Reads 0.877", "Book 0.119", "Sleepy 0.002", "The, A 0.001", "Child <.001"]);
  assert.deepEqual(texts([0, 0, 0, 0.5, 0, 0.5]), ["Reads, Book 0.500", "The, Sleepy, Child, A 0"]);
  assert.deepEqual(texts([0, 0, 0, 1, 0, 0]), ["Reads 1.000", "The, Sleepy, Child, A 0", "Book 0"]);
  assert.deepEqual(weightLabels(words, words.map(() => 1 / 6)).map(({ count }) => count), [6]);
});

test("a curve is named where no other is as near", () => {
  const flat = (/** @type {number} */ y) => Array.from({ length: 41 }, (_, i) => [5 * i, y]);
  const places = (/** @type {number[][][]} */ ...others) =>
    placesAlong(flat(50), others, 40, { from: 0, to: 200, top: 0 });
  assert.ok(places().every(({ left }) => left >= 0 && left <= 160));
  // One of two that are close is named on its own side alone.
  assert.ok(places(flat(54)).length > 0);
  assert.ok(places(flat(54)).every(({ top }) => top < 50));
  assert.deepEqual(places(flat(51), flat(49)), []);
});

test("temperatures come to infinity without a leap", () => {
  let before = 0;
  for (let position = 1; position < 100; position += 0.1) {
    const t = temperatureUnder(position);
    assert.ok(t > before);
    before = t;
  }
  // A sparse weight is a straight line in 1 / T: in the last two steps it moves by no more than before.
  const gaps = [96, 97, 98, 99].map((at) => 1 / temperatureUnder(at) - 1 / temperatureUnder(at + 1));
  for (const gap of gaps) assert.ok(Math.abs(gap - gaps[0]) < 1e-12);
});
