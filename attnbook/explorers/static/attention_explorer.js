// @ts-check
// AttentionExplorer: a slice of scores as a heatmap, a token's row as bars.

// == compute ==================================================================================

/**
 * Whether query i may attend to key j. The causal mask goes by place, padding with its tokens.
 * @type {Record<string, (i: number, j: number, real: number, places: readonly number[]) => boolean>}
 */
const MASKS = {
  none: () => true,
  causal: (i, j, real, places) => places[j] <= places[i],
  padding: (i, j, real) => j < real,
};

/**
 * What each query may attend to, and its weights; with lengths the shares of weight times length.
 * @param {readonly number[][]} scores a row for each query
 * @param {number} temperature
 * @param {string} mask
 * @param {number} real how many keys are not padding
 * @param {readonly number[]} places of the tokens
 * @param {readonly number[] | false} [lengths] of what each key hands on
 */
const attendAll = (scores, temperature, mask, real, places, lengths) => scores.map((row, i) => {
  const open = row.map((score, j) => score > -Infinity && MASKS[mask](i, j, real, places));
  const weights = softmax(row, temperature, open);
  return { open, weights: lengths ? sharesOf(weights.map((w, j) => w * lengths[j])) : weights };
});

/** Parts of their sum. @param {readonly number[]} parts */
function sharesOf(parts) {
  const total = sum(parts) || 1;
  return parts.map((part) => part / total);
}

/** @typedef {ReturnType<typeof attendAll>} Rows */

/**
 * Another order of the tokens, and not their own where there is a third.
 * @param {readonly number[]} order
 * @param {number} seed
 */
function shuffled(order, seed) {
  let state = seed;
  const random = () => { // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  for (;;) {
    const next = order.map((_, i) => i);
    for (let i = next.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [next[i], next[j]] = [next[j], next[i]];
    }
    const isNew = next.some((item, i) => item !== order[i]);
    if (isNew && (next.length < 3 || !isOwn(next))) return next;
  }
}

/** The order that tokens come in. @param {ArrayLike<unknown>} tokens */
const ownOrder = ({ length }) => Array.from({ length }, (_, i) => i);

/** The tokens stand as they came. @param {readonly number[]} order */
const isOwn = (order) => order.every((item, i) => item === i);

/** The place of each token. @param {readonly number[]} order */
const placesOf = (order) => order.map((_, token) => order.indexOf(token));

/**
 * The slices of one sentence, out of the flat scores of all: each slice a list of rows.
 * @param {readonly number[]} table
 * @param {readonly (readonly [number, number])[]} shapes queries and keys of each sentence
 * @param {number} count of the slices of a sentence
 * @param {number} at the sentence
 */
function slicesOf(table, shapes, count, at) {
  const lengths = shapes.map(([queries, keys]) => count * queries * keys);
  const start = sum(lengths.slice(0, at));
  const [queries, keys] = shapes[at];
  return rowsOf(table.slice(start, start + lengths[at]), queries * keys)
    .map((slice) => rowsOf(slice, keys));
}

// == page =====================================================================================

const MOVE = 400; // milliseconds

/**
 * Shows elements where their tokens are on the way to where they belong.
 * @param {readonly HTMLElement[]} elements
 * @param {readonly number[]} places
 * @param {readonly number[]} ends
 * @param {(by: number) => string} translate
 */
const shift = (elements, places, ends, translate) => elements.forEach((element, i) => {
  element.style.translate = places[i] === ends[i] ? "" : translate(places[i] - ends[i]);
});

/**
 * Takes the tokens from place to place; at once for readers who want no motion.
 * @param {readonly number[]} start
 * @param {(places: readonly number[], ends: readonly number[]) => void} show
 */
function movement(start, show) {
  let [from, now, end] = [start, start, start];
  let began = 0;
  let frame = 0;
  /** @param {number} time */
  function step(time) {
    began ||= time;
    const share = Math.min(1, (time - began) / MOVE);
    const eased = share * share * (3 - 2 * share);
    now = end.map((place, i) => (share === 1 ? place : from[i] + (place - from[i]) * eased));
    frame = share < 1 ? requestAnimationFrame(step) : 0;
    show(now, end);
  }
  return {
    /** @param {readonly number[]} places */
    to(places) {
      if (places.some((place, i) => place !== end[i])) {
        cancelAnimationFrame(frame);
        [from, end, began] = [now, [...places], 0];
        if (matchMedia("(prefers-reduced-motion: reduce)").matches) now = end;
        else frame = requestAnimationFrame(step);
      }
      show(now, end);
    },
    stop: () => cancelAnimationFrame(frame),
  };
}

const SHORTEST_ARC = 14;
const ARCS_HEIGHT = 84;
const ARCS_BASE = 80;
const LINK = 56; // how far down a link goes, from the name of a query to those of the keys
const LONGEST_NAME = 80; // px, of a query above its links
const STRONG_FROM = 0.03; // links of the chosen query: thinner ones would look like faint ones
const FAINT_FROM = 0.3; // links of other queries are drawn from this weight on
const MOST_NUMBERS = 12; // columns of a heatmap with numbers in its cells

/** @typedef {{name: string, labels: string[], choose: boolean}} Axis */
/** @typedef {{name: string | null, tokens: string[]}} Sentence */

/** @param {{sentences: Sentence[], sentence: string | null}} now */
const tokensOf = ({ sentences, sentence }) =>
  (sentences.find(({ name }) => name === sentence) ?? sentences[0]).tokens;

/**
 * @type {Codecs<{sentences: Sentence[], key_tokens: string[], axes: Axis[], masks: string[],
 *   n_real: number, sizes: Record<string, number>, score_table: number[], norm_table: number[],
 *   sentence: string | null, index: number[], token: number, temperature: number, mask: string,
 *   order: number[], by_length: boolean}>}
 */
const TRAITS = {
  sentences: plain, key_tokens: plain, axes: plain, masks: plain, n_real: plain, sizes: plain,
  score_table: floats, norm_table: floats, by_length: flag("length"), sentence: oneOf("sentence",
    ({ sentences }) => sentences.map((/** @type {Sentence} */ { name }) => name)),
  index: placesIn("at", ({ axes }) => axes.map((/** @type {Axis} */ { labels }) => labels)),
  token: placeIn("token", tokensOf), temperature: heat, mask: oneOf("mask", ({ masks }) => masks),
  order: listOf(plain, "order", (x, now) =>
    String([...x].sort((a, b) => a - b)) === String(ownOrder(tokensOf(now))),
  (now) => ownOrder(tokensOf(now))),
};

const widget = explorer("explorer", "Attention explorer", TRAITS, (read, set) => {
  const start = read();
  const { sentences, key_tokens: others, axes, masks, n_real: real, sizes, norm_table } = start;
  const isCross = others.length > 0;
  const keyLists = isCross ? [others] : sentences.map((each) => each.tokens);
  const count = axes.reduce((product, { labels }) => product * labels.length, 1);
  const shapes = keyLists.map((list, i) =>
    /** @type {[number, number]} */ ([sentences[i].tokens.length, list.length]));
  let table = start.score_table;
  // Of the sentence that is chosen.
  let at = -1;
  let { tokens } = sentences[0];
  let keys = keyLists[0];
  /** @type {number[][][]} */
  let slices = [];
  /** @type {number[][]} */
  let norms = [];
  let drawn = ""; // the settings of the small maps
  /** @type {ReturnType<typeof stage> | undefined} */
  let staged;

  // Controls.
  const sentence = selectControl("Sentence",
    Object.fromEntries(sentences.map(({ name }, i) => [i, name ?? ""])), (i) => {
      const chosen = sentences[Number(i)];
      const { token } = read();
      set({
        sentence: chosen.name,
        token: token < chosen.tokens.length ? token : 0,
        order: ownOrder(chosen.tokens),
      });
    });
  sentence.root.classList.add("sentence");
  const axisControls = axes.map((axis, at) => axisControl(axis, (i) => {
    set({ index: read().index.with(at, i) });
  }));
  const choices = axisControls.map(({ root }) => root)
    .filter((_, at) => axes[at].labels.length > 1);
  for (const choice of choices) choice.classList.add("axis");
  const temperature = temperatureControl((t) => set({ temperature: t }));
  const mask = selectControl("Mask", Object.fromEntries(masks.map((name) => [name, name])),
    (name) => set({ mask: name }));
  const byLength = checkboxControl("weight × length", (by_length) => set({ by_length }));
  let presses = 0;
  const shuffle = button("Shuffle", () => {
    presses += 1;
    set({ order: shuffled(orderOf(read().order), presses) });
  });
  const restore = button("Restore", () => set({ order: ownOrder(tokens) }));
  const thumbs = thumbnails(axes, count, sizes, isCross, (index) => set({ index }));

  // The picture.
  // A status has its text when it is made, so that only a change is spoken.
  const moved = h("p", { class: "small", role: "status" }, orderText(start.order, start.mask));
  const links = isCross ? "links" : "arcs";
  const canMask = masks.length > 1;
  const hides = canMask || table.includes(-Infinity);
  const note = h("p", { class: "small note" },
    "Rows are queries ", letter("q"), ", columns are keys ", letter("k"),
    ". Click a row, or use the arrow keys. ",
    `Strong ${links}: the chosen query, thicker for more weight; grey: other queries, above .3. `,
    "Dotted line: the uniform weight over keys it may see.",
    hides && " Hatched: masked.",
    masks.includes("causal") && !isCross && " The causal mask stays in place when tokens are shuffled.");
  const view = h("div", { class: "view" });
  const widths = {
    word: `${wordWidth(sentences.flatMap((each) => each.tokens), 48, 80)}px`,
    "key-word": `${wordWidth(keyLists.flat(), 56, 88)}px`,
  };

  /**
   * The order of the tokens. A sentence that Python chooses comes before its order does.
   * @param {number[]} order
   */
  const orderOf = (order) => (order.length === tokens.length ? order : ownOrder(tokens));

  /**
   * Takes the sentence and its scores, if they are others than before.
   * @param {ReturnType<typeof read>} now
   * @param {HTMLElement} root
   */
  function load(now, root) {
    const chosen = Math.max(0, sentences.findIndex(({ name }) => name === now.sentence));
    const isOther = chosen !== at;
    if (!isOther && now.score_table === table) return;
    [at, table, drawn] = [chosen, now.score_table, ""];
    slices = slicesOf(table, shapes, count, at);
    norms = slicesOf(norm_table, shapes.map(([, n]) => [1, n]), count, at).map(([row]) => row);
    if (!isOther) return;
    [tokens, keys] = [sentences[at].tokens, keyLists[at]];
    staged?.stop();
    staged = stage(tokens, keyLists, at, isCross, orderOf(now.order), (token) => set({ token }));
    root.style.setProperty("--missing", String(sizes.queries - tokens.length));
    view.replaceChildren(...staged.parts);
  }

  /** @param {ReturnType<typeof read>} now @param {HTMLElement} root */
  function draw(now, root) {
    const hadFocus = view.querySelector(":focus");
    load(now, root);
    const { index, temperature: t, mask: hidden } = now;
    const isLong = now.by_length && norms.length > 0;
    const order = orderOf(now.order);
    const token = now.token < tokens.length ? now.token : 0;
    const slice = index.reduce((place, i, axis) => place * axes[axis].labels.length + i, 0);
    const places = placesOf(order);
    const rowsAt = (/** @type {number} */ i) =>
      attendAll(slices[i], t, hidden, real, places, isLong && norms[i]);
    const rows = rowsAt(slice);
    const chosen = rows[token];
    const most = Math.max(...chosen.weights);
    const winners = keys.map((_, j) => j)
      .filter((j) => chosen.open[j] && chosen.weights[j] === most);

    sentence.set(String(at));
    axisControls.forEach((control, axis) => control.set(index[axis]));
    temperature.set(t);
    mask.set(hidden);
    byLength.set(isLong);
    const settings = JSON.stringify([t, hidden, order, isLong]);
    if (thumbs && settings !== drawn) {
      drawn = settings;
      thumbs.draw(slices.map((_, i) => rowsAt(i)), order);
    }
    thumbs?.set(index);

    setText(moved, orderText(order, hidden));
    staged?.draw(rows, order, token, winners, isLong);
    if (hadFocus && !hadFocus.isConnected) staged?.focus();
    return [...inWords(tokens[token], index, winners, chosen, isLong), "."];
  }

  /**
   * The headline.
   * @param {string} token
   * @param {readonly number[]} index of the slice
   * @param {readonly number[]} winners
   * @param {Rows[number]} row
   * @param {boolean} isLong
   * @returns {Child[]}
   */
  function inWords(token, index, winners, { open, weights }, isLong) {
    const place = axes.map(({ name, labels, choose }, axis) =>
      choose ? `${name} “${labels[index[axis]]}”` : `${name} ${labels[index[axis]]}`).join(", ");
    const start = [place && `${capital(place)}: `, h("b", { class: "q" }, token)];
    const n = open.filter(Boolean).length;
    if (n === 0) return [...start, " may attend to nothing: all its weights are 0"];
    const most = weights[winners[0]];
    const share = number(most, weightText(most));
    const names = winners.length > 3 ? `${countWord(winners.length)} tokens`
      : listed(winners.map((j) => keys[j]));
    return [
      ...start,
      ...(n > 2 && winners.length === n
        ? [` attends to all ${countWord(n)} tokens alike, `, h("b", {}, share)]
        : [isLong ? " gets most of its length from " : " attends most to ", h("b", {}, h("span", { class: "k" }, names), " ", share),
          winners.length > 1 && " each"]),
      ...(isLong ? [] : [
        "; entropy ", number(entropy(weights), fixed(entropy(weights), 2)), " of ",
        number(Math.log2(n), fixed(Math.log2(n), 2)), " bits"]),
    ];
  }

  return {
    above: [h("div", { class: `pick axes-${sizes.axes}` }, thumbs?.root,
      h("div", { class: "controls" },
        sentences.length > 1 && sentence.root, ...choices, temperature.root, canMask && mask.root,
        norm_table.length > 0 && byLength.root,
        !isCross && h("div", { class: "control", role: "group", "aria-label": "Token order" },
          h("span", { class: "label", ...HIDDEN }, "Token order"),
          h("div", { class: "pair" }, shuffle, restore))))],
    below: [
      !isCross && h("div", { class: "moved" }, moved,
        h("p", { class: "small", ...HIDDEN }, SHUFFLED)),
      view, note,
    ],
    draw, style: { ...sizes, ...widths }, stacked: 600,
    drawings: thumbs ? [{ root: thumbs.frame, resize: thumbs.resize }] : [],
    stop() {
      staged?.stop();
      thumbs?.stop();
    },
  };
});

/**
 * What is drawn of the tokens of one sentence: the heatmap, and the row of a token as bars.
 * @param {readonly string[]} tokens
 * @param {readonly (readonly string[])[]} keyLists of all sentences
 * @param {number} at
 * @param {boolean} isCross
 * @param {readonly number[]} order at the start
 * @param {(token: number) => void} onPick
 */
function stage(tokens, keyLists, at, isCross, order, onPick) {
  const keys = keyLists[at];
  const map = weightMap(tokens, keyLists, at, isCross, onPick);
  const bars = keys.map(() => weightBar(keys.length));
  const weights = keys.map(() => h("data"));
  const bodyRows = keys.map((key, j) => h("tr", {}, h("th", { scope: "row" }, key),
    h("td", {}, bars[j].root), h("td", {}, weights[j])));
  const body = h("tbody", {}, ...bodyRows);
  const asks = h("b", { class: "q" });
  const how = h("span");
  const table = h("table", {}, h("caption", {}, asks, " ", how, " …"),
    h("colgroup", {}, h("col", { class: "key" }), h("col"), h("col", { class: "weight" })), body);
  const motion = movement(placesOf(order), (places, ends) => {
    map.paint(places, ends);
    if (!isCross) shift(bodyRows, places, ends, (by) => `0 calc(${by} * var(--bar-row))`);
  });
  /** @type {(() => void)[]} */
  let unwatch = [];
  return {
    parts: [map.root, table],
    /**
     * @param {Rows} rows
     * @param {number[]} newOrder
     * @param {number} token
     * @param {number[]} winners
     * @param {boolean} isLong
     */
    draw(rows, newOrder, token, winners, isLong) {
      const chosen = rows[token];
      const open = chosen.open.filter(Boolean).length;
      setText(asks, tokens[token]);
      setText(how, isLong ? "gets from" : "attends to");
      keys.forEach((_, j) => {
        bars[j].set(chosen.weights[j], !chosen.open[j], open);
        setNumber(weights[j], chosen.weights[j],
          chosen.open[j] ? weightText(chosen.weights[j]) : "hidden");
        bodyRows[j].classList.toggle("top", winners.includes(j));
      });
      if (!isCross) arrange(body, ...newOrder.map((j) => bodyRows[j]));
      map.draw(rows, newOrder, token, winners);
      motion.to(placesOf(newOrder));
      // Only now do the parts stand on the page: they get their size before they are shown.
      if (!unwatch.length) unwatch = [onWidth(map.cells, map.resize), onInk(map.cells, map.repaint)];
    },
    focus: map.focus,
    stop() {
      for (const end of unwatch) end();
      motion.stop();
    },
  };
}

const IN_ORDER = "The tokens stand in their own order. Shuffle them: what moves, and what stays?";
const SHUFFLED = "Shuffled: every row and column moved with its token; " +
  "each weight stays with its pair of tokens.";
const MASKED_BY_PLACE = "Shuffled: the tokens moved, the causal mask did not; " +
  "each token sees what stands before it now.";

/** @param {readonly number[]} order @param {string} mask */
const orderText = (order, mask) =>
  (isOwn(order) ? IN_ORDER : mask === "causal" ? MASKED_BY_PLACE : SHUFFLED);

/**
 * The control of a leading axis: a list of texts to choose from, or a slider.
 * @param {Axis} axis
 * @param {(i: number) => void} onInput
 */
function axisControl({ name, labels, choose }, onInput) {
  if (!choose) {
    return rangeControl(capital(name), [0, labels.length - 1], onInput,
      { write: (i) => labels[i] });
  }
  const select = selectControl(capital(name), Object.fromEntries(labels.entries()),
    (i) => onInput(Number(i)));
  return { root: select.root, set: (/** @type {number} */ i) => select.set(String(i)) };
}

/**
 * All slices as small maps; a frame marks the one that is shown. One axis is a row of maps, in
 * several lines where there are many; two axes make a grid. The sliders do the same by keyboard.
 * @param {readonly Axis[]} axes
 * @param {number} count
 * @param {Record<string, number>} sizes
 * @param {boolean} isCross
 * @param {(index: number[]) => void} onPick
 */
function thumbnails(axes, count, { lines, columns }, isCross, onPick) {
  if (count === 1) return null;
  const { labels: last, choose } = axes[axes.length - 1];
  const isGrid = axes.length === 2;
  const wraps = !isGrid && lines > 1;
  const across = wraps ? [] : last;
  const down = isGrid ? axes[0].labels : wraps ? last.filter((_, i) => i % columns === 0) : [];

  const tops = across.map((text) => h("span", {}, text));
  const sides = down.map((text) => h("span", {}, text));
  const canvas = h("canvas", {
    role: "img",
    "aria-label": `All ${count} maps, small: ${axes.map(({ name }) => name).join(" by ")}. ` +
      "The controls choose one.",
  });
  const here = h("div", { class: "here" });
  const frame = h("div", { class: "frame" }, canvas, here);
  const root = h("div", { class: "thumbs" },
    h("div", { class: choose ? "tops words" : "tops", ...HIDDEN }, ...tops),
    h("div", { class: "sides", ...HIDDEN }, ...sides), frame);

  canvas.addEventListener("click", (event) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const column = Math.min(columns - 1, Math.floor(((event.clientX - left) / width) * columns));
    const line = Math.min(lines - 1, Math.floor(((event.clientY - top) / height) * lines));
    const at = line * columns + column;
    if (at < count) onPick(isGrid ? [line, column] : [at]);
  });

  const masked = [...rgb(MASKED), 255];
  const tile = h("canvas");
  const tileContext = contextOf(tile);
  let width = 0;
  /** @type {[Rows[], readonly number[]] | undefined} */
  let shown;

  function paint() {
    if (width === 0 || !shown) return;
    const [maps, order] = shown;
    const [nQueries, nKeys] = [maps[0].length, maps[0][0].open.length];
    if (tile.width !== nKeys) [tile.width, tile.height] = [nKeys, nQueries];
    const image = tileContext.createImageData(nKeys, nQueries);
    const context = emptied(canvas, width, (width / columns) * lines);
    const { color } = inkOf(canvas);
    const cell = canvas.width / columns;
    const gap = Math.max(3, Math.round(cell / 16));
    context.imageSmoothingEnabled = cell - gap < Math.max(nQueries, nKeys);
    maps.forEach((rows, at) => {
      let byte = 0;
      for (const i of order) {
        const { open, weights } = rows[i];
        for (let place = 0; place < nKeys; place++) {
          const j = isCross ? place : order[place];
          image.data.set(open[j] ? [...color, Math.round(255 * weights[j])] : masked, byte);
          byte += 4;
        }
      }
      tileContext.putImageData(image, 0, 0);
      const [x, y] = [at % columns, Math.floor(at / columns)].map((i) => Math.round(i * cell));
      context.drawImage(tile, x + gap / 2, y + gap / 2, cell - gap, cell - gap);
    });
  }

  return {
    root, frame, stop: onInk(frame, paint),
    /** @param {Rows[]} maps @param {readonly number[]} order */
    draw(maps, order) {
      shown = [maps, order];
      paint();
    },
    /** @param {readonly number[]} index */
    set(index) {
      const [line, column] = isGrid ? index : [Math.floor(index[0] / columns), index[0] % columns];
      here.style.left = `${(100 * column) / columns}%`;
      here.style.top = `${(100 * line) / lines}%`;
      tops.forEach((label, i) => label.classList.toggle("on", i === column));
      sides.forEach((label, i) => label.classList.toggle("on", i === line));
    },
    /** @param {number} newWidth */
    resize(newWidth) {
      width = newWidth;
      // Numbers that would touch give way to each other; words are broken into lines.
      const room = Math.max(...across.map(textWidth)) + 4;
      const every = choose ? 1 : Math.max(1, Math.ceil((room * columns) / width));
      root.classList.toggle("sparse", every > 1);
      tops.forEach((label, i) => label.classList.toggle("off", i % every > 0));
      paint();
    },
  };
}

/**
 * The heatmap: the names of the keys above its columns, with the arcs that stand on them; the
 * names of the queries beside its rows, which are radio buttons.
 * @param {readonly string[]} tokens
 * @param {readonly (readonly string[])[]} keyLists of all sentences
 * @param {number} at
 * @param {boolean} isCross
 * @param {(token: number) => void} onPick
 */
function weightMap(tokens, keyLists, at, isCross, onPick) {
  const keys = keyLists[at];
  const nQueries = tokens.length;
  const nKeys = keys.length;
  const radios = choiceControl("Query token", tokens, onPick);
  /** @type {NodeListOf<HTMLElement>} */
  const named = radios.root.querySelectorAll("legend, label");
  const [legend, ...rowNames] = named;
  const columnNames = keys.map((key) => h("span", {}, h("span", {}, key)));
  const columnRow = h("div", { class: "columns", ...HIDDEN }, ...columnNames);
  const canvas = h("canvas", {
    role: "img",
    "aria-label": "Heatmap of the weights: a row for each query, a column for each key. " +
      "The numbers of the chosen row are in the table.",
  });
  const here = h("div", { class: "here" });
  const cells = h("div", { class: "cells" }, canvas, here);
  const links = linkDrawing(tokens, keys, isCross);
  const root = h("div", { class: "map" }, links.root, columnRow, radios.root, cells);

  let [width, height] = [0, 0];
  let family = "";
  /** @type {string | CanvasPattern} */
  let hatch = MASKED;
  let places = tokens.map((_, i) => i);
  let token = 0;
  /** @type {number[]} */
  let order = [...places];
  /** @type {Rows} */
  let rows = [];
  const columnPlaces = () => (isCross ? keys.map((_, j) => j) : places);

  cells.addEventListener("click", (event) => {
    const place = Math.floor((event.offsetY / cells.clientHeight) * nQueries);
    const picked = order[Math.max(0, Math.min(nQueries - 1, place))];
    onPick(picked);
    focus();
  });

  /** The radio of the chosen token takes the focus. */
  function focus() {
    rowNames[token].querySelector("input")?.focus({ preventScroll: true });
  }

  /** Shows as many names of columns as have room to stand upright, 12 px each. */
  function thin() {
    const every = Math.ceil((12 * nKeys) / width);
    [...columnRow.children].forEach((name, place) => name.classList.toggle("off", place % every > 0));
  }

  function paint() {
    if (width === 0) return;
    const context = emptied(canvas, width, height);
    const gap = Math.round(devicePixelRatio);
    const x = edges(columnPlaces(), canvas.width / nKeys, gap);
    const y = edges(places, canvas.height / nQueries, gap);
    const hasNumbers = nKeys <= MOST_NUMBERS && width / nKeys >= 20;
    const size = (width / nKeys < 32 ? 11 : 12) * devicePixelRatio;
    context.font = `${size}px ${family}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const { text, isDark } = inkOf(canvas);
    rows.forEach(({ open, weights }, i) => open.forEach((isOpen, j) => {
      context.fillStyle = isOpen ? text : hatch;
      context.globalAlpha = isOpen ? weights[j] : 1;
      context.fillRect(x[j].start, y[i].start, x[j].size, y[i].size);
      context.globalAlpha = 1;
      if (isOpen && hasNumbers) {
        context.fillStyle = inkOn(weights[j], isDark);
        context.fillText(cellText(weights[j]), x[j].start + x[j].size / 2,
          y[i].start + y[i].size / 2 + size / 12);
      }
    }));
    here.style.top = `${(100 * places[token]) / nQueries}%`;
    links.draw(rows, token, places, columnPlaces());
  }

  return {
    root, cells, focus,
    /**
     * @param {Rows} newRows
     * @param {number[]} newOrder
     * @param {number} chosen
     * @param {number[]} winners
     */
    draw(newRows, newOrder, chosen, winners) {
      if (newOrder.some((item, i) => item !== order[i])) {
        arrange(radios.root, legend, ...newOrder.map((i) => rowNames[i]));
        arrange(columnRow, ...newOrder.map((j) => columnNames[j]));
        thin();
      }
      [rows, order, token] = [newRows, newOrder, chosen];
      radios.set(token);
      columnNames.forEach((name, j) => name.classList.toggle("on", winners.includes(j)));
    },
    repaint: paint,
    /**
     * @param {readonly number[]} now where the tokens are, maybe on their way
     * @param {readonly number[]} ends
     */
    paint(now, ends) {
      places = [...now];
      shift(rowNames, places, ends, (by) => `0 calc(${by} * var(--row))`);
      if (!isCross) shift(columnNames, places, ends, (by) => `${(by * width) / nKeys}px`);
      paint();
    },
    /** @param {number} newWidth */
    resize(newWidth) {
      [width, height] = [newWidth, cells.clientHeight];
      family = getComputedStyle(canvas).fontFamily;
      hatch = contextOf(canvas).createPattern(hatching(), "repeat") ?? MASKED;
      // On a phone names always stand upright, so that its style knows their height; letters fit.
      // Where one sentence needs that, all stand so: its header has the same height for each.
      const isStacked = root.closest(".stacked") !== null;
      root.classList.toggle("upright", keyLists.some((list) =>
        Math.max(...list.map(textWidth)) + 6 > (isStacked ? 20 : width / list.length)));
      thin();
      const isUpright = root.classList.contains("upright");
      links.resize(width, columnNames.map(({ clientHeight, firstElementChild: name }) =>
        (isUpright && name ? clientHeight - 6 - name.getBoundingClientRect().height : 0)));
      paint();
    },
  };
}

/**
 * Where cells begin and how large they are, in whole dots, with a gap before the next.
 * @param {readonly number[]} places
 * @param {number} cell
 * @param {number} gap
 */
const edges = (places, cell, gap) => places.map((place) => {
  const start = Math.round(place * cell);
  return { start, size: Math.round((place + 1) * cell) - start - gap };
});

/** What masked cells are filled with. */
function hatching() {
  const side = Math.round(6 * devicePixelRatio);
  const tile = h("canvas", { width: side, height: side });
  const context = contextOf(tile);
  context.strokeStyle = MASKED;
  context.lineWidth = devicePixelRatio;
  for (const at of [-side, 0, side]) {
    context.moveTo(at - 1, side + 1);
    context.lineTo(at + side + 1, -1);
  }
  context.stroke();
  return tile;
}

/**
 * Arcs from token to token, or straight links from the queries above to the keys below.
 * @param {readonly string[]} tokens
 * @param {readonly string[]} keys
 * @param {boolean} isCross
 */
function linkDrawing(tokens, keys, isCross) {
  const faint = s("path", { class: "faint" });
  const strong = keys.map(() => s("path"));
  const start = s("circle", { r: 4 });
  const names = (isCross ? tokens : []).map((name) =>
    s("text", {}, cutTo(name, LONGEST_NAME)));
  const svg = s("svg", {
    height: ARCS_HEIGHT, role: "img",
    "aria-label": `${isCross ? "Links" : "Arcs"} from the chosen query to the keys: ` +
      "the thicker, the more weight. The table has the numbers.",
  }, faint, ...strong, start, ...names);
  const widest = Math.min(LONGEST_NAME, Math.max(...tokens.map(textWidth)));
  let width = 0;
  let isUpright = false; // names of queries that have no room side by side
  let top = ARCS_BASE; // where what is drawn starts
  /** @type {readonly number[]} how far below the drawing the name of each key begins */
  let drops = [];

  /** @param {number} from @param {number} to */
  function arc(from, to) {
    if (from === to) {
      return `M${from - 5} ${ARCS_BASE}c-11 -30 21 -30 10 0`;
    }
    const radius = Math.abs(to - from) / 2;
    const rise = Math.min(72, SHORTEST_ARC + radius * 0.42);
    return `M${from} ${ARCS_BASE}A${radius} ${rise} 0 0 ${to > from ? 1 : 0} ${to} ${ARCS_BASE}`;
  }

  return {
    root: h("div", { class: "arcs" }, svg),
    /** @param {number} newWidth @param {readonly number[]} newDrops */
    resize(newWidth, newDrops) {
      [width, drops] = [newWidth, newDrops];
      isUpright = widest + 6 > width / tokens.length;
      if (isCross) top = (isUpright ? widest : 12) + 12;
      const height = isCross ? top + LINK + 4 : ARCS_HEIGHT;
      setAttributes(svg, { height, viewBox: `0 0 ${width} ${height}` });
    },
    /**
     * @param {Rows} rows
     * @param {number} token
     * @param {readonly number[]} queryPlaces
     * @param {readonly number[]} keyPlaces
     */
    draw(rows, token, queryPlaces, keyPlaces) {
      const [from, to] = [queryPlaces, keyPlaces].map((places) =>
        places.map((place) => Number(((width * (place + 0.5)) / places.length).toFixed(1))));
      const path = (/** @type {number} */ i, /** @type {number} */ j) =>
        isCross ? `M${from[i]} ${top}L${to[j]} ${top + LINK}v${4 + drops[j]}` : arc(from[i], to[j]);
      setAttributes(faint, {
        d: rows.flatMap(({ weights }, i) => weights.map((w, j) =>
          (i === token || w <= FAINT_FROM || (!isCross && i === j) ? "" : path(i, j)))).join(""),
      });
      rows[token].weights.forEach((w, j) => setAttributes(strong[j], {
        d: w < STRONG_FROM ? "" : path(token, j), "stroke-width": (12 * w).toFixed(2),
      }));
      setAttributes(start, { cx: from[token], cy: top });
      // Upright names that have no room side by side either give way to each other.
      const every = Math.ceil((12 * names.length) / width);
      names.forEach((name, i) => setAttributes(name, {
        class: i === token ? "on" : "",
        "text-anchor": isUpright ? "start" : "middle",
        transform: `translate(${from[i]} ${top - 8})${isUpright ? "rotate(-90)translate(0 4)" : ""}`,
        visibility: i === token || i % every === 0 ? "visible" : "hidden",
      }));
    },
  };
}

export default widget;
