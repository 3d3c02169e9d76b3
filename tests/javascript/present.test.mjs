// The presenter view: what goes on which slide, which sentences are said, what keys do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const script = readFileSync(new URL("../../_theme/static/present.js", import.meta.url), "utf8");
const names = ["compose", "saidOf", "endsOf", "actOf", "firstOf", "largest"];
const { compose, saidOf, endsOf, actOf, firstOf, largest } = await import(
  `data:text/javascript;charset=utf-8,${encodeURIComponent(`${script}\nexport { ${names.join(", ")} };`)}`);

/** Blocks as "text 2, formula 3": a kind and its lines; a "+" says that it leads to the next. */
const blocks = (text) => text.split(", ").map((each) => {
  const [, kind, lines, leads] = /^([a-z]+) ?(\d*)(\+?)$/.exec(each);
  return { kind, lines: Number(lines || 1), leads: leads === "+" };
});
/** The slides of such blocks, each as its kinds. */
const deck = (text) => {
  const items = blocks(text);
  return compose(items).map((slide) => slide.map((i) => items[i].kind).join(" "));
};

test("a slide has the heading that it stands under, and a section without blocks has none", () => {
  const items = blocks("heading, text 2, heading, heading, text 2, formula 3");
  assert.deepEqual(compose(items), [[0, 1], [3, 4, 5]]);
});

test("blocks share a slide while there is room", () => {
  assert.deepEqual(deck("heading, text 5, formula 5, text 5"), ["heading text formula text"]);
  assert.deepEqual(deck("heading, text 5, formula 5, text 6"), ["heading text formula", "heading text"]);
  assert.deepEqual(deck("heading, text 5, heading, text 5"), ["heading text", "heading text"]);
  assert.deepEqual(deck("heading, table 40, text 1"), ["heading table", "heading text"]);
});

test("what leads up to something is on its slide", () => {
  assert.deepEqual(deck("heading, list 10, text 3+, formula 5"), ["heading list", "heading text formula"]);
  assert.deepEqual(deck("heading, text 9+, formula 9, text 1"), ["heading text formula", "heading text"]);
  assert.deepEqual(deck("heading, text 1, code 6+, question 8, text 1"),
    ["heading text code question", "heading text"]);
  assert.deepEqual(deck("heading, text 4, code 6+, question 8"), ["heading text", "heading code question"]);
});

test("explorers and questions have a slide each, with a short text above and nothing below", () => {
  for (const kind of ["explorer", "question"]) {
    assert.deepEqual(deck(`heading, text 2, ${kind} 8, text 1`), [`heading text ${kind}`, "heading text"]);
    assert.deepEqual(deck(`heading, text 5, ${kind} 8`), ["heading text", `heading ${kind}`]);
    assert.deepEqual(deck(`heading, formula 2, ${kind} 8`), ["heading formula", `heading ${kind}`]);
    assert.deepEqual(deck(`heading, ${kind} 8, ${kind} 8`), [`heading ${kind}`, `heading ${kind}`]);
    assert.deepEqual(deck(`heading, text 2, heading, ${kind} 8`), ["heading text", `heading ${kind}`]);
  }
});

test("what is to be tried stands with its explorer, wherever the page has it", () => {
  assert.deepEqual(deck("heading, explorer 9, tries 1, heading, text 2"), ["heading explorer tries", "heading text"]);
  assert.deepEqual(deck("heading, explorer 9, heading, text 2, tries 1"), ["heading explorer tries", "heading text"]);
});

test("what is bold is said, and after a label the next sentence", () => {
  const said = (asks, ...sentences) => saidOf(sentences.map((text) => ({
    letters: 40, isAsking: text.endsWith("?"), isBold: /[A-Z]{2}/.test(text), isLabel: /^[A-Z]+\.$/.test(text),
  })), asks).map(Number).join("");
  assert.equal(said("all", "First.", "It is the ODDS.", "Last."), "010");
  assert.equal(said("all", "ZERO.", "As it falls.", "And so on.", "It is HARD."), "1101");
  assert.equal(said("all", "Why?", "So it is.", "And who?"), "101");
  assert.equal(said("end", "Why?", "So it is.", "And who?"), "001");
  assert.equal(said("none", "Why?", "So it is.", "And who?"), "000");
  assert.deepEqual(saidOf([{ letters: 4, isAsking: true, isBold: false, isLabel: false }], "all"), [false]);
});

test("a sentence ends at its point, not at that of a number or of an abbreviation", () => {
  const parts = (text, before) => [0, ...endsOf(text, before)].map((at, i, all) => text.slice(at, all[i + 1])).filter(Boolean);
  assert.deepEqual(parts("One. Two? “Three!” 4 is"), ["One. ", "Two? ", "“Three!” ", "4 is"]);
  assert.deepEqual(parts("It is .5, or 1.5, i.e. less"), ["It is .5, or 1.5, i.e. less"]);
  assert.deepEqual(parts(". Then "), [". ", "Then "], "after a formula");
  assert.deepEqual(parts("So it is. "), ["So it is. "], "before a formula");
  assert.deepEqual(parts(" As it falls. So", "o."), [" ", "As it falls. ", "So"], "after a bold label");
});

test("keys of a field stay with it, but for those of a clicker", () => {
  const does = (focus) => ["PageDown", "PageUp", "ArrowRight", "ArrowLeft", " ", "Home", "End", "f", "Escape", "x"]
    .map((key) => actOf(key, focus));
  assert.deepEqual(does("slide"), ["next", "back", "next", "back", "next", "first", "last", "full", "leave", ""]);
  assert.deepEqual(does("button"), ["next", "back", "next", "back", "", "first", "last", "", "leave", ""]);
  assert.deepEqual(does("field"), ["next", "back", "", "", "", "", "", "", "leave", ""]);
});

test("an address says where to begin", () => {
  for (const [asked, at] of [[null, 0], ["1", 0], ["7", 6], ["20", 19], ["99", 19], ["0", 0], ["-3", 0], ["x", 0], ["2.9", 1]]) {
    assert.equal(firstOf(asked, 4, 20), at, `${asked}`);
  }
  assert.equal(firstOf("", 4, 20), 4, "where the rest of it leads");
  assert.equal(firstOf("", -1, 20), 0);
});

test("the largest size that fits is found, and is what was tried last", async () => {
  for (const room of [0, 1, 1.3, 1.77, 2, 5]) {
    let last = 0;
    const size = await largest(1, 2, async (tried) => (last = tried) <= room);
    assert.equal(last, size);
    assert.ok(size >= 1 && size <= 2);
    if (room >= 1) assert.ok(size <= room && (size === 2 || size > room - 0.03), `${size} of ${room}`);
    else assert.equal(size, 1);
  }
});
