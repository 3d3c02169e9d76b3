// @ts-check
// BindingExplorer: items have a colour and a thing; a question names two colours. H heads answer.

// == compute ==================================================================================

/**
 * What each head looks at, what all hand on side by side, and the chances of each thing.
 * @param {readonly (readonly number[])[][]} matrices W_q, W_k, W_v and W_O, with 2n rows of width d
 * @param {number} nHeads
 * @param {readonly (readonly [number, number])[]} items colour and thing of each
 * @param {readonly [number, number]} asked colours
 */
function answerWith([wQuery, wKey, wValue, wOutput], nHeads, items, asked) {
  const n = wQuery.length / 2;
  // One-hot: a product chooses a row for the first half and one for the second, and adds them.
  const chosen = (/** @type {readonly (readonly number[])[]} */ matrix) =>
    (/** @type {readonly [number, number]} */ [a, b]) =>
      matrix[a].map((x, c) => x + matrix[n + b][c]);
  const [query, keys, values] = [chosen(wQuery)(asked), items.map(chosen(wKey)), items.map(chosen(wValue))];
  const width = query.length / nHeads;
  const heads = Array.from({ length: nHeads }, (_, h) => {
    const part = (/** @type {readonly number[]} */ x) => x.slice(h * width, (h + 1) * width);
    const q = part(query);
    const weights = softmax(keys.map((key) => dot(q, part(key)) / Math.sqrt(width)), 1);
    const found = q.map((_, c) => sum(weights.map((w, j) => w * values[j][h * width + c])));
    return { weights, found };
  });
  const found = heads.flatMap((head) => head.found);
  const logits = wOutput.map((row) => dot(row, found));
  return {
    weights: heads.map((head) => head.weights), found,
    chances: [logits.slice(0, n), logits.slice(n)].map((x) => softmax(x, 1)),
  };
}

// == page =====================================================================================

const MOST = 3; // things that an answer lists

/** @typedef {{colours: string[], item_colours: number[]}} Items */
/** @param {Items} now */
const askedOf = ({ colours, item_colours }) => item_colours.map((c) => colours[c]);

/**
 * @type {Codecs<{colours: string[], things: string[], counts: number[], shares: number[],
 *   item_colours: number[], tables: number[], n_heads: number, item_things: number[],
 *   first: number, second: number}>}
 */
const TRAITS = {
  colours: plain, things: plain, counts: plain, shares: plain, item_colours: plain, tables: floats,
  n_heads: oneOf("H", ({ counts }) => counts),
  item_things: listOf(plain, "things", (x, { item_colours, things }) =>
    x.length === item_colours.length && x.every((t) => Number.isInteger(t) && t >= 0 && t < things.length)),
  first: placeIn("first", askedOf), second: placeIn("second", askedOf),
};

const widget = explorer("binding", "Two things asked for at once", TRAITS, (read, set) => {
  const { colours, things, counts, shares, item_colours, tables } = read();
  const n = colours.length;
  const d = tables.length / (counts.length * 8 * n);
  const byCount = rowsOf(tables, 8 * n * d).map((flat) => rowsOf(flat, 2 * n * d).map((m) => rowsOf(m, d)));
  const names = askedOf({ colours, item_colours });
  const headWord = (/** @type {number} */ count) => `${count} head${count === 1 ? "" : "s"}`;

  const heads = rangeControl(["Heads ", letter("H", "")], [0, counts.length - 1],
    (at) => set({ n_heads: counts[at] }),
    { write: (at) => String(counts[at]), say: (at) => headWord(counts[at]) });
  // A question names two colours: to choose the other one swaps them.
  const first = choiceControl("First colour", names, (at) => {
    const now = read();
    set({ first: at, second: at === now.second ? now.first : now.second });
  });
  const second = choiceControl("Second colour", names, (at) => {
    const now = read();
    set({ second: at, first: at === now.first ? now.second : now.first });
  });
  const swap = button("Swap the two", () => {
    const now = read();
    set({ first: now.second, second: now.first });
  });

  const options = Object.fromEntries(things.map((thing, t) => [t, thing]));
  const chosen = names.map((name, i) => {
    const input = h("select", { "aria-label": `the ${name} thing` },
      ...Object.entries(options).map(([value, text]) => h("option", { value }, text)));
    input.addEventListener("input", () =>
      set({ item_things: read().item_things.with(i, Number(input.value)) }));
    return input;
  });

  // A row for each head that there may be: its weights, and what it finds in its own columns.
  const row = (/** @type {Child[]} */ ...label) => {
    const weights = names.map(() => h("data"));
    const parts = Array.from({ length: d }, () => h("td", { class: "x" }, h("data", { class: "unseen" })));
    return {
      weights, parts,
      root: h("tr", {}, h("th", { scope: "row", class: "wraps" }, ...label),
        ...weights.map((data) => h("td", {}, data)), ...parts),
    };
  };
  const rows = Array.from({ length: Math.max(...counts) }, (_, i) => row(`head ${i}`));
  const whole = row("side by side");
  whole.root.className = "whole";
  const tops = names.map((name) => h("th", { scope: "col", class: "k wraps" }, name));
  const table = h("table", { class: "grid", "aria-label": "Weights of each head, and what it finds" },
    h("colgroup", {}, h("col", { class: "name" }), ...names.map(() => h("col")),
      ...whole.parts.map(() => h("col", { class: "x" }))),
    h("thead", {},
      h("tr", {}, h("td"), ...tops,
        h("th", { scope: "col", class: "o wraps", colspan: d }, `finds ${d} numbers`)),
      h("tr", {}, h("th", { scope: "row", class: "wraps" }, "item"),
        ...chosen.map((input) => h("td", {}, input)), h("td", { colspan: d }))),
    h("tbody", {}, ...rows.map(({ root }) => root), whole.root));

  const lists = [0, 1].map(() => {
    const asked = h("b", { class: "q" });
    const lines = Array.from({ length: Math.min(MOST, n) }, () => {
      const [name, data, bar] = [h("th", { scope: "row", class: "wraps" }), h("data"), weightBar(n)];
      return { name, data, bar, root: h("tr", {}, name, h("td", {}, bar.root), h("td", {}, data)) };
    });
    return { asked, lines };
  });
  const answers = lists.map(({ asked, lines }, i) => h("table", {},
    h("caption", {}, i === 0 ? "first, " : "second, ", asked),
    h("colgroup", {}, h("col", { class: "thing" }), h("col"), h("col", { class: "amount" })),
    h("tbody", {}, ...lines.map(({ root }) => root))));
  // The share of one number of heads at a time: the others are for the reader to find.
  const [which, share, bar] = [h("th", { scope: "row", class: "wraps" }), h("data"), weightBar(n * n)];
  const score = shares.length > 0 && h("table", { class: "shares" },
    h("caption", {}, "both right, of all questions"),
    h("colgroup", {}, h("col", { class: "heads" }), h("col"), h("col", { class: "amount" })),
    h("tbody", {}, h("tr", { class: "right" }, which, h("td", {}, bar.root), h("td", {}, share))));

  /** @param {ReturnType<typeof read>} now */
  function draw({ n_heads, item_things, first: one, second: other }) {
    const at = counts.indexOf(n_heads);
    const items = item_colours.map((c, i) => /** @type {[number, number]} */ ([c, item_things[i]]));
    const result = answerWith(byCount[at], n_heads, items, [item_colours[one], item_colours[other]]);
    const width = d / n_heads;
    const most = Math.max(1e-9, ...result.found.map(Math.abs));
    heads.set(at);
    first.set(one);
    second.set(other);
    chosen.forEach((input, i) => {
      if (input.value !== String(item_things[i])) input.value = String(item_things[i]);
      tops[i].classList.toggle("asked", i === one || i === other);
    });
    /** @param {Element} cell @param {number} c @param {boolean} isOwn */
    const paint = (cell, c, isOwn) => {
      const x = result.found[c];
      const data = /** @type {HTMLDataElement} */ (cell.firstChild);
      const text = isOwn ? fixed(x, 2) : "";
      setAttributes(data, { value: isOwn ? x : "" });
      setText(data, text);
      setAttributes(cell, { title: text });
      /** @type {HTMLElement} */ (cell).style.background = !isOwn ? "" :
        `color-mix(in srgb, var(${x < 0 ? "--minus" : "--plus"}) ${
          (10 + (90 * Math.abs(x)) / most).toFixed(0)}%, var(--page))`;
      cell.classList.toggle("edge", isOwn && c % width === 0);
    };
    rows.forEach(({ root, weights, parts }, i) => {
      root.hidden = i >= n_heads;
      if (root.hidden) { // nothing stays of what it was
        [...weights, ...parts.map((cell) => cell.children[0])].forEach((data) => {
          setAttributes(data, { value: "" });
          data.textContent = "";
        });
        return;
      }
      result.weights[i].forEach((w, j) => {
        setNumber(weights[j], w, cellText(w));
        const cell = /** @type {HTMLElement} */ (weights[j].parentElement);
        cell.style.background = weightColor(w);
        cell.style.color = `light-dark(${inkOn(w, false)}, ${inkOn(w, true)})`;
      });
      parts.forEach((cell, c) => paint(cell, c, Math.floor(c / width) === i));
    });
    whole.parts.forEach((cell, c) => paint(cell, c, true));

    const right = [item_things[one], item_things[other]];
    const said = result.chances.map((row) => argsortDown(row)[0]);
    lists.forEach(({ asked, lines }, i) => {
      const order = argsortDown(result.chances[i]);
      setText(asked, names[[one, other][i]]);
      lines.forEach(({ name, data, bar, root }, place) => {
        const [t, p] = [order[place], result.chances[i][order[place]]];
        setText(name, things[t] + (t === right[i] ? " ✓" : ""));
        bar.set(p);
        setNumber(data, p, weightText(p));
        root.classList.toggle("right", t === right[i]);
      });
    });
    if (score) {
      setText(which, headWord(n_heads));
      setNumber(share, shares[at], weightText(shares[at]));
      bar.set(shares[at]);
    }

    const told = said.flatMap((t, i) => [
      i > 0 && "; ", h("b", { class: "q" }, names[[one, other][i]]), ": ",
      h("b", {}, things[t], " ", number(result.chances[i][t], weightText(result.chances[i][t]))),
      t === right[i] ? ", right" : `, wrong (it is ${things[right[i]]})`,
    ]);
    return [`${capital(countWord(n_heads))} head${n_heads === 1 ? "" : "s"}. `, ...told, "."];
  }

  return {
    above: [h("div", { class: "controls" }, heads.root,
      h("div", { class: "asks" }, first.root, second.root, swap))],
    below: [table, h("p", { class: "small" }, "Side by side, times ", letter("W", "o"), h("sub", {}, letter("O", "o")),
      ": the scores of both answers. Red is above zero, blue below."), h("div", { class: "results" }, ...answers, score)],
    draw,
    style: { size: Math.max(...counts) },
  };
});

export default widget;
