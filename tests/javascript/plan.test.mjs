// Which earlier cells run before one, as readers edit and run cells in any order.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Held, needed } from "../../_python/page/plan.js";

/** @param {string} id @param {string} defines @param {string} takes @param {object} [more] */
const cell = (id, defines, takes, more = {}) => ({
  id, text: `${id}: ${defines} = f(${takes})`,
  defines: defines.split(" ").filter(Boolean), takes: takes.split(" ").filter(Boolean), ...more,
});

const PAGE = [
  cell("data", "keys values", ""),
  cell("scores", "s i", "keys"),
  cell("aside", "i", ""),
  cell("weights", "w", "s"),
  cell("scale", "w", "w"),
  cell("end", "", "w values"),
];
const END = PAGE.length - 1;

/** Runs a cell after what it needs, as the page does; returns what ran. */
function run(held, cells, id) {
  const at = cells.findIndex((each) => each.id === id);
  const todo = [...held.missing(cells, at), at];
  for (const i of todo) held.note(cells, i, true);
  return todo.map((i) => cells[i].id);
}

const edited = (id, more) => PAGE.map((each) => (each.id === id ? { ...each, text: "mine", ...more } : each));

test("a cell needs those that define what it takes, and what these take", () => {
  assert.deepEqual(needed(PAGE, END), [0, 1, 3, 4]);
  assert.deepEqual(needed(PAGE, 2), []);
});

test("a cell that says so needs all before it, also through another", () => {
  const cells = [cell("a", "a", ""), cell("draw", "r", "", { all: true }), cell("end", "", "r")];
  assert.deepEqual(needed(cells, 1), [0]);
  assert.deepEqual(needed(cells, 2), [0, 1]);
  assert.deepEqual(new Held().missing(cells, 2), [0, 1]);
});

test("what Python holds is not run again", () => {
  const held = new Held();
  assert.deepEqual(run(held, PAGE, "end"), ["data", "scores", "weights", "scale", "end"]);
  assert.deepEqual(run(held, PAGE, "end"), ["end"]);
  assert.deepEqual(run(held, PAGE, "weights"), ["weights"]);
});

test("a name that another cell has taken since is made again, and no more", () => {
  const held = new Held();
  run(held, PAGE, "end");
  run(held, PAGE, "weights"); // w is now what it was before it was scaled
  assert.deepEqual(run(held, PAGE, "end"), ["scale", "end"]);
});

test("a name that nobody asks for may be anyone's", () => {
  const held = new Held();
  run(held, PAGE, "weights");
  run(held, PAGE, "aside"); // i
  assert.deepEqual(run(held, PAGE, "end"), ["scale", "end"]);
});

test("a cell that changes what it takes starts from before the change", () => {
  const held = new Held();
  run(held, PAGE, "scale");
  assert.deepEqual(run(held, PAGE, "scale"), ["weights", "scale"]);
});

test("what a reader wrote and ran stands in, and what follows from it is made again", () => {
  const held = new Held();
  run(held, PAGE, "end");
  const mine = edited("scores");
  run(held, mine, "scores");
  assert.deepEqual(run(held, mine, "end"), ["weights", "scale", "end"]);
  // The book's text again.
  assert.deepEqual(run(held, PAGE, "end"), ["scores", "weights", "scale", "end"]);
});

test("a reader's cell may define and take other names than the book's", () => {
  const mine = edited("aside", { defines: ["s"], takes: ["values"] });
  assert.deepEqual(needed(mine, END), [0, 1, 2, 3, 4]);
});

test("a cell that failed half-way is not held, nor is any name that it may have defined", () => {
  const held = new Held();
  run(held, PAGE, "end");
  held.note(PAGE, 1, false);
  assert.deepEqual(run(held, PAGE, "weights"), ["scores", "weights"]);
});

test("after a stop nothing is held", () => {
  const held = new Held();
  run(held, PAGE, "end");
  held.forget();
  assert.deepEqual(held.missing(PAGE, END), [0, 1, 3, 4]);
});

test("in whatever order cells were run, a cell finds what it would find from top to bottom", () => {
  // A world in which each name holds the text of how it came to be.
  const value = (names, takes, at) => `${at}(${takes.map((name) => names[name] ?? "-")})`;
  const exec = (cells, at, names) => {
    const made = value(names, cells[at].takes, cells[at].text);
    for (const name of cells[at].defines) names[name] = made;
    return made;
  };
  let seed = 1;
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const pick = () => ["a", "b", "c", "d"].filter(() => random(3) === 0).join(" ");
  for (let round = 0; round < 300; round++) {
    const cells = [cell("first", "a b c d", "")];
    for (let i = 0; i < 6; i++) cells.push(cell(`c${i}`, pick(), pick()));
    const held = new Held();
    const names = {};
    for (let step = 0; step < 8; step++) {
      const at = random(7);
      if (random(4) === 0) cells[at] = { ...cells[at], text: `edited ${round}.${step}` };
      for (const i of held.missing(cells, at)) {
        exec(cells, i, names);
        held.note(cells, i, true);
      }
      const fresh = {};
      for (const i of needed(cells, at)) exec(cells, i, fresh);
      const expected = exec(cells, at, fresh);
      assert.equal(exec(cells, at, names), expected, JSON.stringify(cells));
      held.note(cells, at, true);
    }
  }
});
