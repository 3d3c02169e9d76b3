// The presenter view: what goes on which slide, which sentences are said, what keys do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const script = readFileSync(new URL("../../book/theme/static/present.js", import.meta.url), "utf8");
const { compose, saidOf, pointsBack, endsOf, actOf, firstOf, largest } = await import(
  `data:text/javascript;charset=utf-8,${encodeURIComponent(
    `${script}\nexport { compose, saidOf, pointsBack, endsOf, actOf, firstOf, largest };`,
  )}`
);

/** The slides of blocks such as "text 2, formula 3", a kind and its lines; "+" leads to the next. */
const deck = (text) => {
  const items = text.split(", ").map((each) => {
    const [, kind, lines, leads] = /^([a-z]+) ?(\d*)(\+?)$/.exec(each);
    return { kind, lines: Number(lines || 1), leads: leads === "+" };
  });
  return compose(items)
    .map((slide) => slide.map((i) => items[i].kind).join(" "))
    .join(" | ");
};

test("blocks share a slide under their heading while there is room, with what leads up to them", () => {
  for (const [blocks, slides] of [
    ["heading, text 2, heading, heading, text 2, formula 3", "heading text | heading text formula"],
    ["heading, text 5, formula 5, text 5", "heading text formula text"],
    ["heading, text 5, formula 5, text 6", "heading text formula | heading text"],
    ["heading, table 40, text 1", "heading table | heading text"],
    ["heading, list 10, text 3+, formula 5", "heading list | heading text formula"],
    ["heading, text 9+, formula 9, text 1", "heading text formula | heading text"],
    ["heading, text 1, code 6+, question 8, text 1", "heading text code question | heading text"],
    ["heading, text 4, code 6+, question 8", "heading text | heading code question"],
    ["heading, text 2, explorer 8, text 1", "heading text explorer | heading text"],
    ["heading, text 5, question 8", "heading text | heading question"],
    ["heading, formula 2, explorer 8", "heading formula | heading explorer"],
    ["heading, explorer 8, explorer 8", "heading explorer | heading explorer"],
  ])
    assert.equal(deck(blocks), slides, blocks);
});

const LONG = "And which word saw it now?"; // one letter more than is too short

test("what is bold is said, after a label the next sentence, and what it points back to", () => {
  const said = (asks, ...sentences) =>
    saidOf(
      sentences.map((text) => ({
        letters: text.length,
        isAsking: text.endsWith("?"),
        isBold: /[A-Z]{2}/.test(text),
        isLabel: /^[A-Z]+\.$/.test(text),
        pointsBack: pointsBack(text),
      })),
      asks,
    )
      .map(Number)
      .join("");
  assert.equal(said("all", "First.", "It is the ODDS.", "Last."), "110");
  assert.equal(said("all", "ZERO.", "As it falls.", "And so on.", "It is HARD."), "1111");
  assert.equal(said("all", "First.", "No word is there.", "Such a row is EMPTY."), "011");
  const asked = ["all", "end", "none"].map((asks) => said(asks, LONG, "So it is.", LONG));
  assert.deepEqual(asked, ["101", "001", "000"]);
  assert.equal(
    said("all", LONG.slice(1), "But why?"),
    "00",
    "a short one hangs on what is left out",
  );
});

test("a sentence ends at its point, not at that of a number or of an abbreviation", () => {
  const parts = (text, before) =>
    [0, ...endsOf(text, before)].map((at, i, all) => text.slice(at, all[i + 1])).filter(Boolean);
  assert.deepEqual(parts("One. Two? “Three!” 4 is"), ["One. ", "Two? ", "“Three!” ", "4 is"]);
  assert.deepEqual(parts("It is .5, or 1.5, i.e. less"), ["It is .5, or 1.5, i.e. less"]);
  assert.deepEqual(parts(". Then "), [". ", "Then "], "after a formula");
  assert.deepEqual(
    parts(" As it falls. So", "o."),
    [" ", "As it falls. ", "So"],
    "after a bold label",
  );
});

test("keys of a field stay with it, but for those of a clicker; an address says where to begin", () => {
  const does = (focus) =>
    ["PageDown", "PageUp", "ArrowRight", "ArrowLeft", " ", "Home", "End", "f", "Escape", "x"]
      .map((key) => actOf(key, focus))
      .join(" ");
  assert.equal(does("slide"), "next back next back next first last full leave ");
  assert.equal(does("button"), "next back next back  first last  leave ");
  assert.equal(does("field"), "next back       leave ");
  const asked = [null, "1", "7", "99", "0", "-3", "x", "2.9"];
  assert.deepEqual(
    asked.map((each) => firstOf(each, 4, 20)),
    [0, 0, 6, 19, 0, 0, 0, 1],
  );
  assert.deepEqual([firstOf("", 4, 20), firstOf("", -1, 20)], [4, 0], "where the rest of it leads");
});

test("the largest size that fits is found, and is what was tried last", async () => {
  for (const room of [0, 1, 1.3, 1.77, 2, 5]) {
    let last = 0;
    const size = await largest(1, 2, async (tried) => (last = tried) <= room);
    assert.equal(last, size);
    if (room >= 1)
      assert.ok(size <= room && (size === 2 || size > room - 0.03), `${size} of ${room}`);
    else assert.equal(size, 1);
  }
});
