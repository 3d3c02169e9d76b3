// WritingExplorer: a language model goes on from a text; behind the letters, where it looks.

import { argsortDown, softmax, sum } from "../core/compute.js";
import { button, idOf, selectBox, slider, temperatureSlider, tick } from "../core/controls.js";
import { dragging, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { weightText } from "../core/format.js";
import { html, nothing, svg } from "../core/lit.js";
import { number } from "../core/text.js";
import { oneOf, onlyIf, plain, whole } from "../core/traits.js";

// == compute ==================================================================================

// The parameters of a model, out of 8-bit integers and their scales: rows of rows, in the order in
// which attnutils nests them.
export function unpacked(view, start, { symbols, d, ff, blocks }) {
  const vector = [1, d];
  const block = [
    [d, d],
    [d, d],
    [d, d],
    [d, d],
    [d, ff],
    [1, ff],
    [ff, d],
    vector,
    vector,
    vector,
    vector,
    vector,
  ];
  const shapes = [
    [symbols, d],
    ...Array.from({ length: blocks }, () => block).flat(),
    vector,
    vector,
    [d, symbols],
  ];
  let [at, scaleAt] = [start, start + sum(shapes.map(([rows, columns]) => rows * columns))];
  const arrays = shapes.map(([rows, columns]) => {
    // A matrix has a scale for each column, a vector one for all.
    const scales = Array.from({ length: rows > 1 ? columns : 1 }, () => {
      scaleAt += 4;
      return view.getFloat32(scaleAt - 4, true);
    });
    return Array.from({ length: rows }, () =>
      Float64Array.from(
        { length: columns },
        (_, j) => view.getInt8(at++) * scales[rows > 1 ? j : 0],
      ),
    );
  });
  const pair = () => arrays.splice(0, 2).map(([row]) => row);
  const [embedding] = arrays.splice(0, 1);
  const layers = Array.from({ length: blocks }, () => {
    const [query, key, value, output, wIn, [bIn], wOut, [bOut]] = arrays.splice(0, 8);
    return { query, key, value, output, wIn, bIn, wOut, bOut, norm1: pair(), norm2: pair() };
  });
  return { embedding, layers, norm: pair(), output: arrays[0], end: scaleAt };
}

// A row times a matrix.
function times(x, w) {
  const y = new Float64Array(w[0].length);
  for (let i = 0; i < w.length; i++) {
    const [factor, row] = [x[i], w[i]];
    if (factor !== 0) for (let j = 0; j < y.length; j++) y[j] += factor * row[j];
  }
  return y;
}

const plus = (a, b) => a.map((x, i) => x + b[i]);

// A layer norm.
function normed(x, [gain, bias]) {
  const mean = x.reduce((total, item) => total + item, 0) / x.length;
  const variance = x.reduce((total, item) => total + (item - mean) ** 2, 0) / x.length;
  const spread = Math.sqrt(variance + 1e-5);
  return x.map((item, i) => ((item - mean) / spread) * gain[i] + bias[i]);
}

// Sines and cosines of a position.
const encoding = (i, d) =>
  Float64Array.from({ length: d }, (_, j) => {
    const angle = i * 10000 ** (-(j - (j % 2)) / d);
    return j % 2 ? Math.cos(angle) : Math.sin(angle);
  });

// A function that reads text: from symbols to the logits of the next, and the weights of each head
// over them. Keys and values of what it has read already are kept. They serve as long as the text
// only grows: without a mask, or once the first character is another, all is computed again.
export function reader({ embedding, layers, norm, output }, heads) {
  const d = embedding[0].length;
  const width = d / heads;
  let last = { key: "", symbols: [], cache: [], logits: [], weights: [], computed: 0 };
  // `start` is the place of the first symbol in the text; `isOn` has 1 or 0 for each head.
  return (symbols, start, isOn, isCausal) => {
    const key = String([start, isCausal, ...isOn]);
    const grows = last.key === key && last.symbols.every((symbol, i) => symbol === symbols[i]);
    if (grows && last.symbols.length === symbols.length) return last;
    const from = grows && isCausal ? last.symbols.length : 0;
    const cache = from > 0 ? last.cache : layers.map(() => ({ keys: [], values: [] }));
    const weights = []; // of the last position
    let xs = symbols.slice(from).map((symbol, i) => plus(encoding(from + i, d), embedding[symbol]));
    layers.forEach((layer, at) => {
      const { keys, values } = cache[at];
      const zs = xs.map((x) => normed(x, layer.norm1));
      for (const z of zs) {
        keys.push(times(z, layer.key));
        values.push(times(z, layer.value));
      }
      // Only the last position makes logits.
      const first = at < layers.length - 1 ? 0 : xs.length - 1;
      xs = xs.slice(first).map((x, row) => {
        const i = first + row;
        const query = times(zs[i], layer.query);
        const seen = isCausal ? from + i + 1 : symbols.length;
        const found = new Float64Array(d); // 0 where a head is off
        for (let head = 0; head < heads; head++) {
          const place = at * heads + head;
          if (!isOn[place] && i < zs.length - 1) continue;
          weights[place] = attend(query, keys, seen, head * width, width);
          if (isOn[place]) {
            weights[place].forEach((weight, k) => {
              for (let j = head * width; j < (head + 1) * width; j++)
                found[j] += weight * values[k][j];
            });
          }
        }
        const middle = plus(x, times(found, layer.output));
        const hidden = plus(times(normed(middle, layer.norm2), layer.wIn), layer.bIn).map((unit) =>
          Math.max(0, unit),
        );
        return plus(plus(middle, times(hidden, layer.wOut)), layer.bOut);
      });
    });
    const logits = [...times(normed(xs[xs.length - 1], norm), output)];
    return (last = {
      key,
      symbols: [...symbols],
      cache,
      logits,
      weights,
      computed: symbols.length - from,
    });
  };
}

// The weights of one head, which has the columns from `start`, over so many keys.
const attend = (query, keys, seen, start, width) =>
  softmax(
    keys.slice(0, seen).map((key) => {
      let score = 0;
      for (let j = start; j < start + width; j++) score += query[j] * key[j];
      return score / Math.sqrt(width);
    }),
    1,
  );

// The mean over the heads that are on.
export function meanOf(weights, isOn) {
  const own = weights.filter((_, head) => isOn[head]);
  return weights[0].map((_, k) => sum(own.map((row) => row[k])) / Math.max(1, own.length));
}

// A number from 0 to below 1 that looks random.
export function drawAt(seed, place) {
  let x = Math.imul(seed, 0x9e3779b1) + Math.imul(place, 0x85ebca6b);
  for (const [shift, factor] of [
    [16, 0x7feb352d],
    [15, 0x846ca68b],
  ]) {
    x = Math.imul((x >>> 0) ^ (x >>> shift), factor);
  }
  return (((x >>> 0) ^ (x >>> 16)) >>> 0) / 2 ** 32;
}

// Where a draw from 0 to 1 falls among shares.
export function drawn(shares, at) {
  const here = at * sum(shares);
  let total = 0;
  return shares.findIndex((share) => (total += share) > here);
}

// The symbols of a text; what has none is read as a blank.
export const symbolsOf = (text, alphabet) => {
  const blank = alphabet.indexOf(" ");
  return [...text].map((character) => {
    const at = alphabet.indexOf(character);
    return at < 0 ? blank : at;
  });
};

// The row and the column of each character, and of the caret behind the last. Words that fit in a
// row are kept whole; a blank may stand behind its end. The first character is no line break here.
function laidOut(characters, columns) {
  const isGap = (character) => character === " " || character === "\n" || character === undefined;
  let [row, column] = [0, 0];
  const next = () => {
    [row, column] = [row + 1, 0];
  };
  const places = characters.map((character, i) => {
    if (!isGap(character)) {
      let end = i;
      if (i === 0 || isGap(characters[i - 1])) while (!isGap(characters[end])) end++;
      if (column >= columns || (end - i <= columns && column + end - i > columns)) next();
    }
    const place = [row, column];
    column = Math.min(column + 1, columns + 1);
    if (character === "\n" && i > 0) next();
    return place;
  });
  return [...places, [row, column]];
}

// == page =====================================================================================

const MOST_TEXT = 600; // characters
const MOST_SEEDS = 1000;
const SHOWN = 10; // characters to go on with
const PACE = 125; // milliseconds a character
const ROWS = 3; // of text
const [EDGE, ROOM] = [10, 46]; // px left and right of them, and below for the lines of the fan
const START = "\n"; // what stands before the reader's text

const named = (character) => ({ " ": "blank", "\n": "line break" })[character] ?? character;
const quoted = (character) =>
  named(character) === character ? `“${character}”` : named(character);
const glyph = (character) => ({ " ": "␣", "\n": "↵" })[character] ?? character;
const root = (weight) => +Math.sqrt(weight).toFixed(4);

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const {
    alphabet: letters,
    models,
    labels,
    n_heads: heads,
    longest,
    parameters,
    text: given,
  } = view.read();
  const alphabet = [...letters];
  const blocks = labels.length / heads;
  let end = 0;
  // Two of each: who goes back in the text loses nothing of the cache at its end.
  const [readers, earlier] = [[], []];
  for (const { d, d_ff: ff } of models) {
    const model = unpacked(parameters, end, { symbols: alphabet.length, d, ff, blocks });
    end = model.end;
    readers.push(reader(model, heads));
    earlier.push(reader(model, heads));
  }

  // What the model makes of the text up to the caret.
  function expect({ text, place, context, heads: isOn, mask, model, temperature }) {
    const characters = [...text];
    const before = characters.slice(0, place);
    const all = symbolsOf(START + before.join(""), alphabet);
    const start = Math.max(0, all.length - context);
    const isEnd = before.length === characters.length;
    const which = models.findIndex(({ name }) => name === model);
    const found = (isEnd ? readers : earlier)[which](all.slice(start), start, isOn, mask);
    return {
      ...found,
      characters,
      before,
      start,
      isEnd,
      shares: softmax(found.logits, temperature),
    };
  }

  const write = (character) => {
    const { text, place } = view.read();
    const before = [...text].slice(0, place);
    return before.length < MOST_TEXT
      ? { text: before.join("") + character, place: MOST_TEXT }
      : null;
  };
  const draw = (now) => {
    const { shares, before } = expect(now);
    return write(alphabet[drawn(shares, drawAt(now.seed, before.length))]);
  };
  view.play({
    step: draw,
    ms: () => PACE,
    rewind: () => ({ text: given, place: MOST_TEXT }),
  });
  const goTo = (place) => {
    const { text, place: before } = view.read();
    const to = place >= [...text].length ? MOST_TEXT : place;
    if (to !== before) view.set({ place: to });
  };

  // What is pointed at: a head shows its own wash, a candidate stands in the line already.
  let [looked, ghost] = [-1, -1];
  const look = (head) => {
    looked = head;
    view.again();
  };
  const lean = (rank) => {
    ghost = rank;
    view.again();
  };

  // Where text is typed, behind the caret.
  const type = () => {
    /** @type {HTMLDetailsElement} */
    const fold = view.root.querySelector(".more");
    const { text, place } = view.read();
    fold.open = true;
    const field = fold.querySelector("textarea");
    field.focus();
    field.selectionEnd = field.selectionStart = [...text].slice(0, place).join("").length;
  };
  const typed = ({ key, ctrlKey, altKey, metaKey }) =>
    [...key].length === 1 && !(ctrlKey || altKey || metaKey) && type();

  let cells = { places: [], cell: 1, line: 1, top: 0, across: 1 }; // as drawn last
  let candidates = [];
  const { move, down, click } = dragging(
    ({ type: kind, clientX, clientY, currentTarget: paper }) => {
      const { places, cell, line, top, across } = cells;
      const { left, top: above, width } = paper.getBoundingClientRect();
      const [x, y] = [clientX - left, clientY - above].map((px) => (px * across) / width);
      const row = Math.min(ROWS - 1, Math.floor(y / line)) + top;
      // Behind the letter that is pressed; a row has its letters up to the next one's first.
      const own = places
        .slice(0, -1)
        .map((_, i) => i)
        .filter((i) => places[i][0] === row);
      if (kind === "click" && (own.length === 0 || x > EDGE + (places[own.at(-1)][1] + 3) * cell))
        return void type();
      if (own.length === 0) return;
      goTo(own.findLast((i) => EDGE + places[i][1] * cell <= x) ?? own[0]);
      paper.querySelector("input").focus({ preventScroll: true });
    },
  );

  // The last rows of the text with the washes, the caret, and lines from it to the candidates.
  function paper({ characters, before, start, isEnd }, wash, order, shares, across) {
    const [size, cell, line] = view.width > 600 ? [24, 14.5, 38] : [19, 11.5, 31];
    const all = [START, ...characters];
    const caret = before.length + 1; // of all, what comes before it
    const columns = Math.floor((across - 2 * EDGE) / cell) - 1;
    const places = laidOut(all, columns);
    const [row, column] = laidOut(all.slice(0, caret), columns)[caret];
    const lowest = places.at(-1)[0] - ROWS + 1; // the top row, at the end of the text
    const top = Math.min(lowest, Math.max(row - 1, Math.min(0, lowest)));
    const x = (i) => EDGE + places[i][1] * cell;
    const y = (i) => (places[i][0] - top) * line;
    const [cx, cy] = [EDGE + column * cell, (row - top) * line];
    const height = ROWS * line + ROOM;
    const slot = (k) => ((k + 0.5) * across) / SHOWN;
    // The letter that was just written comes from its place in the fan.
    const rank =
      isEnd && cells.before === characters.slice(0, -1).join("")
        ? candidates.indexOf(characters.at(-1))
        : -1;
    cells = { places, cell, line, top, across, before: characters.join("") };
    candidates = order.map((symbol) => alphabet[symbol]);
    return html`<div class="paper" @pointerdown=${down} @pointermove=${move} @click=${click}>
      <svg height=${height} viewBox="0 0 ${across} ${height}" role="img" aria-label="The text up to the caret: ${before.join("")}">
        <rect class="sheet" width=${across} height=${ROWS * line} rx="6"/>
        ${wash.map((w, k) => svg`<rect class="wash" x=${px(x(start + k))} y=${px(y(start + k) + 2)} width=${cell} height=${line - 4} fill-opacity=${root(w)}/>`)}
        ${order.map(
          (
            symbol,
            k,
          ) => svg`<path class="ray" stroke-width=${(0.5 + 5 * root(shares[symbol])).toFixed(2)}
          d="M${px(cx)} ${px(cy + line - 5)}C${px(cx)} ${height} ${px(slot(k))} ${px(height - ROOM)} ${px(slot(k))} ${height}"/>`,
        )}
        ${all.map((character, i) =>
          places[i][0] < top || places[i][0] >= top + ROWS || character === " "
            ? nothing
            : svg`<text style="font-size: ${size}px; --x: ${px(slot(rank) - x(i))}px; --y: ${px(height - y(i))}px"
            class="${i >= caret ? "later" : i === caret - 1 ? "asks" : ""} ${character === "\n" ? "end" : ""} ${rank >= 0 && i === all.length - 1 ? "new" : ""}"
            x=${px(x(i) + cell / 2)} y=${px(y(i) + line * 0.68)} text-anchor="middle">${glyph(character)}</text>`,
        )}
        ${ghost >= 0 && isEnd ? svg`<text class="ghost" style="font-size: ${size}px" x=${px(cx + cell / 2)} y=${px(cy + line * 0.68)} text-anchor="middle">${glyph(candidates[ghost])}</text>` : nothing}
        ${places[0][0] > top ? svg`<text class="verb" x=${EDGE} y="20">press the paper to type</text>` : nothing}
        <path class="caret" d="M${px(cx + 0.5)} ${px(cy + 5)}v${line - 10}"/>
      </svg>
      <input class="caret" type="range" aria-label="Caret" min="0" max=${characters.length} data-now=${before.length}
        aria-valuetext="after ${before.length} characters" @keydown=${typed} @input=${(event) => goTo(event.target.valueAsNumber)}></div>`;
  }

  const fan = (
    order,
    shares,
    isFull,
  ) => html`<div class="fan" role="group" aria-label="The likeliest next characters">
    ${order.map(
      (symbol, rank) => html`<button type="button" ?disabled=${isFull} @click=${() => {
        ghost = -1;
        view.set(write(alphabet[symbol]) ?? {});
      }}
      @pointerenter=${(event) => event.pointerType === "mouse" && lean(rank)} @pointerleave=${() => lean(-1)}>
      <span class="sign" aria-hidden="true" style="font-size: ${(15 + 29 * root(shares[symbol])).toFixed(1)}px">${glyph(alphabet[symbol])}</span>
      <span class="unseen">${named(alphabet[symbol])}</span> ${number(shares[symbol], weightText(shares[symbol]).replace(/^0/, ""))}</button>`,
    )}</div>`;

  // Each head as thin bars, one a character read, the last one at the right.
  const tile = (weights, head, isOn) => html`<label class="head ${isOn[head] ? "" : "off"}"
    @pointerenter=${() => look(head)} @pointerleave=${() => look(-1)}>
    <input type="checkbox" aria-label=${labels[head]} data-now=${isOn[head] === 1} @input=${(event) => view.set({ heads: isOn.with(head, Number(event.target.checked)) })}
      @focus=${(event) => event.target.matches(":focus-visible") && look(head)} @blur=${() => look(-1)}>
    <svg height="100%" viewBox="0 0 ${longest} 1" preserveAspectRatio="none" aria-hidden="true"><path class="bars"
      d=${weights[head].map((w, k) => `M${longest - weights[head].length + k + 0.5} 1v${-root(w)}`).join("")}/>
      ${isOn[head] ? nothing : svg`<path class="strike" d="M0 1L${longest} 0"/>`}</svg></label>`;
  const tiles = (
    weights,
    isOn,
  ) => html`<div class="tiles" role="group" aria-label="Heads; a press strikes one out">
    <p class="small">Eight heads: press to strike one out.</p>
    ${Array.from(
      { length: blocks },
      (
        _,
        block,
      ) => html`<div class="bank"><span class="small" aria-hidden="true">block ${block}</span>
      ${labels.slice(0, heads).map((_, head) => tile(weights, block * heads + head, isOn))}</div>`,
    )}</div>`;

  return (now) => {
    const { text, model, temperature: t, heads: isOn, mask, context, seed } = now;
    const found = expect(now);
    const { shares, logits, weights, symbols, before, start, computed } = found;
    const order = argsortDown(logits).slice(0, SHOWN);
    const [best] = order;
    const mean = meanOf(weights, isOn);
    const most = mean.indexOf(Math.max(...mean));
    const isFull = before.length >= MOST_TEXT;
    const across = view.width > 600 ? view.width - 24 - 232 : view.width;
    const unknown = [...new Set(text)].filter((character) => !letters.includes(character));
    const n = symbols.length === 1 ? "1 character" : `${symbols.length} characters`;
    return {
      headline: html`${isFull ? "The paper is full. Next" : "Next"}: <b class="o">${quoted(alphabet[best])} ${number(shares[best], weightText(shares[best]))}</b>. ${
        isOn.includes(1)
          ? html`The heads look most at
        <b class="k">${quoted([START, ...before][start + most])} ${number(mean[most], weightText(mean[most]))}</b>`
          : "All heads are struck out"
      }.`,
      picture: html`<div class="desk"><div>${paper(found, looked < 0 ? mean : weights[looked], order, shares, across)}${fan(order, shares, isFull)}</div>${tiles(weights, isOn)}</div>
        <p class="small">Shade: how much it looks at each letter before the caret. Press a large letter to write it.</p>`,
      controls: temperatureSlider(view, t, (temperature) => view.set({ temperature })),
      more: html`<div class="control typed"><label for=${idOf(view, "text")}>Your text, on a new line. The model goes on from it.</label>
          <textarea id=${idOf(view, "text")} rows="3" maxlength=${MOST_TEXT} spellcheck="false" data-now=${text}
            @input=${(event) => view.set({ text: event.target.value, place: MOST_TEXT })}></textarea>
          <p class="small note">${unknown.length > 0 ? `No character of the book: ${unknown.slice(0, 8).join(" ")}. The model reads a blank there.` : ""}</p></div>
        ${slider(view, { key: "context", label: "Characters it reads", min: 1, max: longest, value: context, onInput: (to) => view.set({ context: to }) })}
        ${selectBox(view, {
          key: "model",
          label: "Trained",
          value: model,
          options: Object.fromEntries(
            models.map(({ name, count }) => [
              name,
              `${name}: ${count.toLocaleString("en")} parameters`,
            ]),
          ),
          onInput: (to) => view.set({ model: to }),
        })}
        ${slider(view, { key: "seed", label: "Seed of the draws", max: MOST_SEEDS - 1, value: seed, onInput: (to) => view.set({ seed: to }) })}
        <div class="acts"><p class="small">Read now: ${n}. Computed anew: ${computed === symbols.length ? "all" : computed}.</p>${tick("causal mask", mask, (to) => view.set({ mask: to }))}
          ${button("Next", () => view.set(draw(view.read()) ?? {}))}</div>`,
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = {
  model: oneOf("model", ({ models }) => models.map(({ name }) => name)),
  text: {
    ...plain,
    address: {
      name: "text",
      say: String,
      take: (text) => onlyIf(text, [...text].length <= MOST_TEXT),
    },
  },
  context: whole("context", 1, ({ longest }) => longest),
};

export default explorer("writing", "A model that writes", build, {
  traits,
});
