// @ts-check
// ProjectionExplorer: W_q and W_k make queries and keys of the tokens; who attends to whom?

// == compute ==================================================================================

/** @typedef {readonly (readonly number[])[]} Matrix */

/** @param {Matrix} rows @param {Matrix} matrix @returns {number[][]} */
const times = (rows, matrix) =>
  rows.map((row) => matrix[0].map((_, j) => dot(row, matrix.map((line) => line[j]))));

/**
 * Queries, keys and the weights between them.
 * @param {Matrix} tokens
 * @param {Matrix} wQuery
 * @param {Matrix} wKey
 * @param {boolean} scaled
 */
function attendFrom(tokens, wQuery, wKey, scaled) {
  const [queries, keys] = [times(tokens, wQuery), times(tokens, wKey)];
  const divisor = scaled ? Math.sqrt(wQuery[0].length) : 1;
  const weights = queries.map((q) => softmax(keys.map((k) => dot(q, k) / divisor), 1));
  return { queries, keys, weights };
}

/** A number where room is short: about three digits. @param {number} x */
function brief(x) {
  const size = Math.abs(x);
  if (size >= 999.5) return x.toExponential(0).replace("e+", "e").replace("-", "−");
  return String(Number(x.toFixed(size < 9.95 ? 1 : 0)) || 0).replace("-", "−");
}

// == page =====================================================================================

/** @typedef {{name: string, w_query: number[], w_key: number[]}} Preset */

/**
 * @type {Codecs<{words: string[], token_matrix: number[], presets: Preset[], w_query: number[],
 *   w_key: number[], scaled: boolean, token: number}>}
 */
const TRAITS = {
  words: plain, token_matrix: floats, presets: plain,
  w_query: listOf(floats, "q", fitCells((now) => now.w_query)),
  w_key: listOf(floats, "k", fitCells((now) => now.w_key)),
  scaled: flag("scaled"), token: placeIn("token", ({ words }) => words),
};

const widget = explorer("projections", "Projection explorer", TRAITS, (read, set) => {
  const { words, token_matrix, presets, ...start } = read();
  const n = words.length;
  const d = token_matrix.length / n;
  const width = start.w_query.length / d;
  const tokens = rowsOf(token_matrix, d);

  const asks = choiceControl("Who asks", words, (token) => set({ token }));
  const scale = checkboxControl(`divide the scores by √${width}`, (scaled) => set({ scaled }),
    { "aria-label": `divide the scores by the root of ${width}` });
  const errors = errorBox();
  /** @param {"w_query" | "w_key"} trait @param {string} name @param {string} role */
  const cellsOf = (trait, name, role) => start[trait].map((_, at) =>
    numberCell(`${name} matrix, row ${Math.floor(at / width) + 1}, column ${(at % width) + 1}`,
      role, 0.5, errors, (x) => set({ [trait]: read()[trait].with(at, x) })));
  const qCells = cellsOf("w_query", "query", "q");
  const kCells = cellsOf("w_key", "key", "k");
  const choose = (/** @type {Partial<ReturnType<typeof read>>} */ change) => {
    for (const cell of [...qCells, ...kCells]) cell.show(); // also those that hold no number now
    set(change);
  };
  const buttons = presets.map((preset) => button(preset.name,
    () => choose({ w_query: preset.w_query, w_key: preset.w_key })));

  // Rows of the two tables stand beside each other.
  const numbers = (/** @type {number} */ count) =>
    words.map(() => Array.from({ length: count }, () => h("data")));
  const [xs, qs, ks, weights] = [numbers(d), numbers(width), numbers(width), numbers(n)];
  tokens.forEach((row, i) => row.forEach((x, j) => setNumber(xs[i][j], x, brief(x))));
  /** @param {string} role @param {HTMLElement[]} data */
  const tds = (role, data) =>
    data.map((item, j) => h("td", { class: role && (j ? role : `${role} first`) }, item));
  const matrixName = (/** @type {string} */ role) =>
    [h("span", { class: role }, letter("W", role), h("sub", {}, letter(role)))];
  const head = (/** @type {string} */ role, /** @type {number} */ span, /** @type {Child[]} */ ...text) =>
    h("th", { colspan: span, class: role && `${role} first` }, ...text);
  const lines = words.map((word, i) => h("tr", {}, h("th", { scope: "row", class: "wraps" }, word),
    ...tds("", xs[i]), ...tds("q", qs[i]), ...tds("k", ks[i])));
  const vectors = h("table", { "aria-label": "Matrices, and the vectors of the tokens" },
    h("colgroup", {}, h("col", { class: "word" }),
      ...[["x", d], ["", width], ["", width]].flatMap(([name, count]) =>
        Array.from({ length: Number(count) }, () => h("col", { class: String(name) })))),
    h("thead", {},
      h("tr", {}, h("td", { rowspan: d + 1, colspan: d + 1 },
        h("div", { class: "presets", role: "group", "aria-label": "Set both matrices" }, ...buttons)),
      head("q", width, ...matrixName("q")), head("k", width, ...matrixName("k"))),
      ...Array.from({ length: d }, (_, r) => h("tr", {},
        ...[qCells, kCells].flatMap((cells) => cells.slice(r * width, (r + 1) * width))
          .map((cell, j) => {
            cell.root.classList.toggle("first", j % width === 0);
            return cell.root;
          }))),
      h("tr", { class: "names" }, h("th", { scope: "col" }, "token"), head("", d, letter("x", "")),
        head("q", width, letter("q"), " = ", letter("x", ""), " ", ...matrixName("q")),
        head("k", width, letter("k"), " = ", letter("x", ""), " ", ...matrixName("k")))),
    h("tbody", {}, ...lines));

  const rows = words.map((word, i) => {
    const row = h("tr", {}, h("th", { scope: "row", class: "wraps" }, word),
      ...weights[i].map((data) => h("td", {}, data)));
    row.addEventListener("click", () => set({ token: i }));
    return row;
  });
  const grid = h("table", { class: "grid", "aria-label": "Weights: a row asks, a column is asked" },
    h("colgroup", {}, h("col", { class: "word" }), ...words.map(() => h("col"))),
    h("thead", {},
      h("tr", {}, h("td", { class: "about", colspan: n + 1 }, scale.root,
        h("p", { class: "small" }, "A row asks (", letter("q"), "), a column is asked (", letter("k"),
          "). Each row sums to 1."))),
      h("tr", { class: "names" }, h("td"),
        ...words.map((word) => h("th", { scope: "col", class: "k wraps" }, word)))),
    h("tbody", {}, ...rows));

  /** @param {ReturnType<typeof read>} now */
  function draw({ w_query, w_key, scaled, token }) {
    const result = attendFrom(tokens, rowsOf(w_query, width), rowsOf(w_key, width), scaled);
    asks.set(token);
    scale.set(scaled);
    w_query.forEach((x, at) => qCells[at].set(x));
    w_key.forEach((x, at) => kCells[at].set(x));
    presets.forEach((preset, i) => setAttributes(buttons[i], {
      "aria-pressed": [...preset.w_query, ...preset.w_key].join() === [...w_query, ...w_key].join(),
    }));
    words.forEach((_, i) => {
      result.queries[i].forEach((x, j) => setNumber(qs[i][j], x, brief(x)));
      result.keys[i].forEach((x, j) => setNumber(ks[i][j], x, brief(x)));
      result.weights[i].forEach((w, j) => {
        setNumber(weights[i][j], w, cellText(w));
        const cell = /** @type {HTMLElement} */ (weights[i][j].parentElement);
        cell.style.background = weightColor(w);
        cell.style.color = `light-dark(${inkOn(w, false)}, ${inkOn(w, true)})`;
      });
      for (const row of [lines[i], rows[i]]) row.classList.toggle("asks", i === token);
    });
    return inWords(words, result.weights, token);
  }

  return {
    below: [h("div", { class: "flow" }, vectors, grid), errors.root,
      h("div", { class: "ask" }, asks.root, button("Reset", () => choose(start)))],
    draw, stacked: 640,
    style: { word: `${wordWidth(words, 44, 88)}px` },
  };
});

/**
 * The headline: to whom the token attends, and what comes back.
 * @param {readonly string[]} words
 * @param {Matrix} weights
 * @param {number} token
 * @returns {Child[]}
 */
function inWords(words, weights, token) {
  const row = weights[token];
  const most = Math.max(...row);
  const winners = words.map((_, j) => j).filter((j) => row[j] === most);
  const [to] = winners;
  const share = number(most, fixed(most));
  const who = h("b", { class: "q" }, words[token]);
  if (winners.length === words.length) {
    return [who, ` attends to all ${countWord(words.length)} tokens alike, `, h("b", {}, share), "."];
  }
  const names = listed(winners.map((j) => (j === token ? "itself" : words[j])));
  const back = weights[to][token];
  return [
    who, " attends most to ", h("b", {}, h("span", { class: "k" }, names), " ", share),
    winners.length > 1 && " each",
    ...(winners.length > 1 || to === token ? []
      : [`; ${words[to]} gives ${words[token]} `, h("b", {}, number(back, weightText(back))),
        " in return"]),
    ".",
  ];
}

export default widget;
