// The explorers of attention: shuffles, the bench, arcs and the wall, letters.
import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.mjs";

import { isOwn, ownOrder, placesOf, shuffled } from "../../attnbook/explorers/attention/widget.js";
import { attend, changesSince, queryFor } from "../../attnbook/explorers/attention_bench/widget.js";
import { arcPath } from "../../attnbook/explorers/core/arcs.js";
import { spread } from "../../attnbook/explorers/core/labels.js";
import { headNames, rowsAsked } from "../../attnbook/explorers/head_wall/widget.js";
import { repeating } from "../../attnbook/explorers/induction/widget.js";

test("a shuffle is another order each time, and takes every token everywhere", () => {
  for (const n of [2, 3, 6, 32]) {
    let order = ownOrder(Array(n));
    for (let press = 1; press <= 100; press++) {
      const next = shuffled(order);
      assert.deepEqual(
        [...next].sort((a, b) => a - b),
        ownOrder(next),
      );
      assert.notDeepEqual(next, order);
      assert.ok(n === 2 || !isOwn(next));
      order = next;
    }
  }
  const seen = new Set();
  for (let press = 1; press <= 1000; press++) {
    shuffled([0, 1, 2, 3, 4, 5]).forEach((token, place) => seen.add(`${token} at ${place}`));
  }
  assert.equal(seen.size, 36);
  assert.deepEqual(placesOf([2, 0, 1]), [1, 2, 0]);
});

test("what was changed is told by its number, or as a vector", () => {
  const words = ["The", "Sleepy", "Child", "Reads", "A", "Book"];
  const keys = [
    [0, 0, 0],
    [2, 0, 1],
    [1, -1, -2],
    [2, 3, 1],
    [-2, 0, 0],
    [0, 2, 1],
  ];
  const bench = {
    query: 5,
    q: keys[5],
    keys,
    values: [0, -0.2, 0.3, 0.4, 0, 0.1],
    mask: keys.map(() => true),
    score: "dot",
    temperature: 1,
  };
  const told = (change) => changesSince(words, bench, { ...bench, ...change });
  assert.deepEqual(told({ q: [0, 2, -6] }), ["the third component of the query from 1 to −6"]);
  assert.deepEqual(told({ q: [0, -2, -1] }), ["the query from (0, 2, 1) to (0, −2, −1)"]);
  assert.deepEqual(told({ mask: keys.map((_, i) => i !== 3), score: "gaussian" }), [
    "the mask at Reads",
    "the score to Gaussian −½|q − k|²",
  ]);
  // The query follows its word's key, which is what was changed.
  const others = keys.with(5, [0, -2, 1]);
  assert.deepEqual(told({ keys: others, q: others[5] }), [
    "the second component of the key of Book from 2 to −2",
  ]);
  assert.deepEqual(told({ query: 2, q: keys[2] }), ["the query word to Child"]);
});

test("a score that is pulled moves the query along the key, and no farther than it must", () => {
  const bench = {
    q: [0, 2, 1],
    keys: [
      [2, 3, 1],
      [0, 0, 0],
    ],
    values: [1, 2],
    mask: [true, true],
    temperature: 1,
  };
  for (const [score, target] of [
    ["dot", 0],
    ["dot", 21],
    ["scaled_dot", -3],
    ["gaussian", -8],
    ["gaussian", -0.5],
  ]) {
    const q = queryFor({ ...bench, score }, 0, target);
    assert.ok(
      Math.abs(attend({ ...bench, score, q }).scores[0] - target) < 0.05,
      `${score} ${target}`,
    );
    const way = score === "gaussian" ? [2, 1, 0] : [2, 3, 1]; // from the query to the key; the key
    const moved = q.map((x, i) => x - bench.q[i]);
    for (const [i, j] of [
      [0, 1],
      [1, 2],
      [0, 2],
    ])
      assert.ok(Math.abs(moved[i] * way[j] - moved[j] * way[i]) < 0.05);
  }
  assert.deepEqual(queryFor({ ...bench, score: "dot" }, 1, 5), bench.q, "a key of zeros");
  assert.deepEqual(
    queryFor({ ...bench, score: "gaussian", q: [2, 3, 1] }, 0, -2),
    [4, 3, 1],
    "from the key itself",
  );
});

test("labels in a row stay at their places, or move apart no more than they must", () => {
  const row = (labels, room) =>
    spread(
      labels.map(([at, width]) => ({ at, width })),
      room,
    ).map(({ middle }) => middle);
  assert.deepEqual(
    row(
      [
        [50, 10],
        [50, 30],
      ],
      100,
    ),
    [40, 60],
  );
  assert.deepEqual(
    row(
      [
        [0, 20],
        [99, 20],
      ],
      100,
    ),
    [10, 90],
  );
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let trial = 0; trial < 300; trial++) {
    const labels = Array.from({ length: 1 + (trial % 12) }, () => ({
      at: 300 * random(),
      width: 5 + 20 * random(),
    })).sort((a, b) => a.at - b.at);
    let end = -1e-9;
    spread(labels, 300).forEach(({ middle }, i) => {
      assert.ok(middle - labels[i].width / 2 >= end - 1e-9, "no two touch, and none is outside");
      end = middle + labels[i].width / 2;
    });
    assert.ok(end <= 300 + 1e-9);
  }
});

test("an arc stands on its two places, within its room, along a line or down it", () => {
  const numbers = (path) => (path.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
  const [across, down] = [(x, y) => [x, 100 - y], (y, x) => [x, y]];
  for (const [to, room] of [
    [120, 90],
    [920, 90],
    [920, 30],
  ]) {
    const [x, start, , handle, , , ...end] = numbers(arcPath(20, to, room, across));
    assert.deepEqual([x, start, ...end], [20, 100, to, 100]);
    const rise = ((start - handle) * 3) / 4;
    assert.ok(rise > 10 && rise <= room + 0.1, `${rise} in ${room}`);
  }
  assert.deepEqual(numbers(arcPath(20, 920, 30, down)), [0, 20, 40, 20, 40, 920, 0, 920]);
  assert.deepEqual(
    numbers(arcPath(20, 20, 30, across)),
    [15, 100, 2, 68, 38, 68, 25, 100],
    "a loop",
  );
});

test("the wall reads the row of the word that asks out of the bytes of all sentences", () => {
  const sentences = [
    { name: "a", tokens: ["x", "y"], askers: [0, 1] },
    { name: "b", tokens: ["x", "y", "z"], askers: [2] },
  ];
  const table = Uint8Array.from([...Array(4 * 4 + 4 * 3).keys()]);
  const rows = (sentence, asks) =>
    rowsAsked({ sentences, sentence, asks, shape: [2, 2], table }).map((row) =>
      row.map((w) => Math.round(100 * w)),
    );
  assert.deepEqual(rows("a", 1), [
    [2, 3],
    [6, 7],
    [10, 11],
    [14, 15],
  ]);
  assert.deepEqual(rows("b", 0), [
    [16, 17, 18],
    [19, 20, 21],
    [22, 23, 24],
    [25, 26, 27],
  ]);
  assert.deepEqual(headNames([2, 3]), ["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"]);
});

test("letters repeat after 8 at least and 16 at most", () => {
  const period = (text) => new Set(text).size;
  const steps =
    (last, i = 0) =>
    () =>
      i++ < 20 ? i / 21 : last;
  assert.equal(period(repeating("abcdefghijklmnopqrst", 30, steps(0))), 8);
  assert.equal(period(repeating("abcdefghijklmnopqrst", 30, steps(0.999))), 16);
  assert.equal(repeating("abcdefghijklmnopqrst", 9, steps(0)), "tsrqponmt");
});
