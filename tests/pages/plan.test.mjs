// Which earlier cells run before one, as readers edit and run cells in any order.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Held, apart, needed } from "../../book/python/page/plan.js";

const cell = (id, defines, takes, more = {}) => ({
  id,
  text: `${id}: ${defines} = f(${takes})`,
  defines: defines.split(" ").filter(Boolean),
  takes: takes.split(" ").filter(Boolean),
  ...more,
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
function run(held, id, cells = PAGE) {
  const at = cells.findIndex((each) => each.id === id);
  const todo = [...held.missing(cells, at), at];
  for (const i of todo) held.note(cells, i, true);
  return todo.map((i) => cells[i].id).join(" ");
}
const edited = (id, more) =>
  PAGE.map((each) => (each.id === id ? { ...each, text: "mine", ...more } : each));

test("a cell needs those that define what it takes, and what these take", () => {
  assert.deepEqual([needed(PAGE, END), needed(PAGE, 2)], [[0, 1, 3, 4], []]);
  // A reader's cell may define and take other names than the book's.
  assert.deepEqual(
    needed(edited("aside", { defines: ["s"], takes: ["values"] }), END),
    [0, 1, 2, 3, 4],
  );
});

test("of cells that define a name anew the last one is enough", () => {
  const cells = [cell("a", "x", ""), cell("b", "x", "", { sure: ["x"] }), cell("end", "", "x")];
  assert.deepEqual(needed(cells, 2), [1]);
  assert.equal(run(new Held(), "end", cells), "b end");
});

test("a name that is only imported comes by its lines alone, each once", () => {
  const imports = { np: "import numpy as np" };
  const cells = apart([
    cell("train", "np w", "", { sure: ["np", "w"], imports }),
    cell("draw", "np", "w", { sure: ["np"], imports }),
    cell("mine", "np", ""), // np = ...
    cell("again", "np", "", { imports }),
    cell("end", "", "np"),
  ]);
  assert.deepEqual(
    cells.map(({ id }) => id),
    ["train np", "train", "draw", "mine", "again np", "again", "end"],
  );
  assert.equal(run(new Held(), "end", cells), "train np mine again np end");
});

test("what Python holds is not run again; a name that another cell has taken since is made again", () => {
  const held = new Held();
  assert.equal(run(held, "end"), "data scores weights scale end");
  assert.equal(run(held, "end"), "end");
  assert.equal(run(held, "weights"), "weights"); // w is now what it was before it was scaled
  assert.equal(run(held, "aside"), "aside"); // i, for which nobody asks
  assert.equal(run(held, "end"), "scale end");
  assert.equal(
    run(held, "scale"),
    "weights scale",
    "a cell that changes what it takes starts from before the change",
  );
});

test("what a reader wrote and ran stands in, and what follows from it is made again", () => {
  const held = new Held();
  run(held, "end");
  const mine = edited("scores");
  run(held, "scores", mine);
  assert.equal(run(held, "end", mine), "weights scale end");
  assert.equal(run(held, "end"), "scores weights scale end", "the book's text again");
});

test("a cell that failed half-way is not held, nor any name of it; after a stop nothing is", () => {
  const held = new Held();
  run(held, "end");
  held.note(PAGE, 1, false);
  assert.equal(run(held, "weights"), "scores weights");
  held.forget();
  assert.deepEqual(held.missing(PAGE, END), [0, 1, 3, 4]);
});

test("in whatever order cells were run, a cell finds what it would find from top to bottom", () => {
  // A world in which each name holds the text of how it came to be.
  const exec = (cells, at, names) => {
    const made = `${cells[at].text}(${cells[at].takes.map((name) => names[name] ?? "-")})`;
    for (const name of cells[at].defines) names[name] = made;
    return made;
  };
  let seed = 1;
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const pick = () => ["a", "b", "c", "d"].filter(() => random(3) === 0).join(" ");
  for (let round = 0; round < 300; round++) {
    const cells = [cell("first", "a b c d", "", { sure: ["a", "b", "c", "d"] })];
    for (let i = 0; i < 6; i++) {
      const [defines, takes] = [pick(), pick()];
      const sure = defines.split(" ").filter((name) => !takes.includes(name) && random(2));
      cells.push(cell(`c${i}`, defines, takes, { sure }));
    }
    const [held, names] = [new Held(), {}];
    for (let step = 0; step < 8; step++) {
      const at = random(7);
      if (random(4) === 0) cells[at] = { ...cells[at], text: `edited ${round}.${step}` };
      for (const i of held.missing(cells, at)) {
        exec(cells, i, names);
        held.note(cells, i, true);
      }
      const fresh = {};
      for (const i of needed(cells, at)) exec(cells, i, fresh);
      assert.equal(exec(cells, at, names), exec(cells, at, fresh), JSON.stringify(cells));
      held.note(cells, at, true);
    }
  }
});
