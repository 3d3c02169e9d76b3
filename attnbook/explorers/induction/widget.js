// InductionExplorer: letters that are typed, and where two heads look to guess each next one.

import { argsortDown, dot, softmax, sum } from "../core/compute.js";
import { button, idOf, slider, tick } from "../core/controls.js";
import { dragging, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { capital, listed, weightText } from "../core/format.js";
import { html, nothing, svg } from "../core/lit.js";
import { pointer } from "../core/plot.js";
import { number, uniqueId } from "../core/text.js";
import { onlyIf, plain } from "../core/traits.js";

// == compute ==================================================================================

// A row times a matrix.
function times(row, matrix) {
  const y = matrix[0].map(() => 0);
  row.forEach((x, i) =>
    matrix[i].forEach((w, c) => {
      y[c] += x * w;
    }),
  );
  return y;
}

const plus = (a, b) => a.map((x, c) => x + b[c]);

// The parameters, out of 8-bit integers and a scale for each column of a matrix.
export function modelFrom(view, { symbols, places, d }) {
  const both = [2 * d, d]; // of two layers, one below the other
  const shapes = [[symbols, d], [places, d], both, both, both, both, [d, symbols]];
  let [at, scaleAt] = [0, sum(shapes.map(([rows, columns]) => rows * columns))];
  const [embedding, place, query, key, value, output, last] = shapes.map(([rows, columns]) => {
    const scales = Array.from({ length: columns }, () => view.getFloat32((scaleAt += 4) - 4, true));
    return Array.from({ length: rows }, () => scales.map((scale) => view.getInt8(at++) * scale));
  });
  const layers = [0, d].map((row) =>
    [query, key, value, output].map((matrix) => matrix.slice(row, row + d)),
  );
  return { embedding, place, layers, last };
}

// The weights of both layers, a row for each place, and the chances of each next letter. `heads` has
// 1 for each layer, or 0: what its head finds is not handed on.
export function readLetters({ embedding, place, layers, last }, symbols, heads) {
  let xs = symbols.map((symbol, i) => plus(embedding[symbol], place[i]));
  const weights = layers.map(([ofQuery, ofKey, ofValue, ofOutput], layer) => {
    const [queries, keys, values] = [ofQuery, ofKey, ofValue].map((w) =>
      xs.map((x) => times(x, w)),
    );
    const rows = queries.map((query, i) =>
      softmax(
        keys.map((key, j) => (j > i ? -Infinity : dot(query, key) / Math.sqrt(query.length))),
        1,
      ),
    );
    if (heads[layer]) {
      xs = xs.map((x, i) => plus(x, times(times(rows[i], values), ofOutput)));
    }
    return rows;
  });
  return { weights, chances: xs.map((x) => softmax(times(x, last), 1)) };
}

// Letters in an order of their own that come again and again; `random` gives 0 to below 1.
export function repeating(letters, length, random) {
  const order = argsortDown([...letters].map(random));
  const period = 8 + Math.floor(9 * random()); // as in training
  return Array.from({ length }, (_, i) => letters[order[i % period]]).join("");
}

// == page =====================================================================================

const LEAST = 0.1; // a weight with an arc
const CELL = 24; // px of a letter at least: it can be pressed
const WIDEST = 44; // and at most
const [TALL, DEEP] = [106, 56]; // px of the highest arc above the letters, and of the deepest below them

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { letters, labels, width: d, longest, parameters } = view.read();
  const model = modelFrom(parameters, { symbols: letters.length, places: longest, d });
  const known = `${letters[0]} to ${letters[letters.length - 1]}`;

  // The text. Blanks are passed over; what the model does not know is said, and the text stays.
  const type = ({ target }) => {
    const text = target.value.toLowerCase().replace(/\s/g, "");
    const strange = [...new Set(text)].filter((letter) => !letters.includes(letter));
    view.errors.set(
      "text",
      strange.length > 0
        ? `The model knows the letters ${known}. It has never met ${listed(strange.slice(0, 5))}; above is still the text before.`
        : text
          ? ""
          : `Type a letter, ${known}.`,
    );
    if (text && strange.length === 0) view.set({ text, place: longest - 1 });
  };

  const isAsked = (text, i) => i < text.length - 1 && text.indexOf(text[i]) < i;
  const placeOf = ({ text, place }) => Math.min(place, text.length - 1);
  view.play({
    step: (now) => (placeOf(now) < now.text.length - 1 ? { place: placeOf(now) + 1 } : null),
    ms: (now) => (isAsked(now.text, placeOf(now)) ? 700 : 300), // slow where it knows
    rewind: () => ({ place: 0 }),
  });

  // Which letter is at a place on the screen.
  let grid = { columns: 1, column: 1, high: 1 };
  let looked = -1;
  const id = uniqueId("arc");
  const under = (event) => {
    const [x, y] = pointer(event);
    const column = Math.max(0, Math.min(grid.columns - 1, Math.floor(x / grid.column)));
    return Math.min(
      view.read().text.length - 1,
      Math.max(0, Math.floor(y / grid.high)) * grid.columns + column,
    );
  };
  const press = dragging((event) => {
    const place = under(event);
    if (place !== view.read().place) view.set({ place });
  });
  const hover = (event) => {
    press.move(event);
    const place = under(event);
    if (event.pointerType === "mouse" && event.buttons === 0 && place !== looked)
      view.preview({ place: (looked = place) });
  };
  const leave = (event) => {
    looked = -1;
    view.unlook(event);
  };

  // What the model makes of the text; kept while the arcs move.
  let seen = { key: "" };
  function readNow({ text, heads: isOn }) {
    const key = text + isOn;
    if (seen.key !== key)
      seen = {
        key,
        ...readLetters(
          model,
          [...text].map((letter) => letters.indexOf(letter)),
          isOn,
        ),
      };
    return seen;
  }

  // The letters, the guesses under them, and the arcs; in as many rows as they need.
  function heads(now) {
    const { text, guesses, at: asks, key, heads: isOn, weights } = now;
    const across = view.width;
    // The guess after the last letter has a column of its own.
    const most = Math.min(longest, Math.floor(across / CELL) - 1);
    const rows = Math.ceil(text.length / most);
    const columns = Math.ceil(text.length / rows);
    const column = Math.min(WIDEST, across / (columns + 1));
    const isLine = most === longest;
    // Of a row: above its letters, the arcs above and below, and all.
    const [above, tall, deep, high] = isLine ? [144, TALL, DEEP, 260] : [64, 26, 26, 116];
    const height = rows * high + (isLine ? 0 : 34);
    grid = { columns, column, high };
    const rowOf = (i) => Math.floor(Math.min(i, text.length - 1) / columns);
    const x = (i) => (i - rowOf(i) * columns + 0.5) * column;
    const y = (i) => rowOf(i) * high + above;
    // From a point to a place, above the letters or below the guesses.
    function curve(fx, fy, j, isUp) {
      const [x1, y1, x2, y2] = [fx, fy, x(j), y(j)].map((each, i) =>
        i % 2 ? each + (isUp ? -17 : 38) : each,
      );
      const [way, by] = [isUp ? -1 : 1, Math.abs(x1 - x2)];
      if (y1 === y2 && by < 1) return `M${px(x1 - 5)} ${y1}c-6 ${16 * way} 16 ${16 * way} 10 0`; // at itself
      // A curve rises to three quarters of the height of its handles.
      const rise = (way * 4 * Math.min(isUp ? tall : deep, 10 + by / 2)) / 3;
      const [start, end] = [`M${px(x1)} ${px(y1)}`, `${px(x2)} ${px(y2)}`];
      if (Math.abs(y1 - y2) < high / 2)
        return `${start}C${px(x1)} ${px(y1 + rise)} ${px(x2)} ${px(y2 + rise)} ${end}`;
      if (!isUp)
        return `${start}q0 12 ${px(-x1)} 14M${end}q0 12 ${px(column * (columns + 1) - x2)} 14`; // on with the line
      // To a row above between two letters, and then onto one of them.
      const [side, mid] = [x2 + (x1 < x2 ? -0.5 : 0.5) * column, (y1 + y2) / 2 + 20];
      return `${start}C${px(x1)} ${px(mid)} ${px(side)} ${px(mid)} ${px(side)} ${px(y2 + 14)}C${px(side)} ${px(y2 - 12)} ${px(x2)} ${px(y2 - 12)} ${end}`;
    }
    const arcs = (layer, from, row, kind) =>
      row.map((w, j) =>
        w < LEAST || !isOn[layer]
          ? nothing
          : svg`<path class="arc ${kind}" stroke=${kind === "asks" ? `url(#${id}-${j})` : nothing} d=${curve(...from, j, layer === 1)}
        stroke-width=${(0.5 + 3.5 * w).toFixed(2)} opacity=${(0.25 + 0.75 * w).toFixed(2)}/>`,
      );
    const padded = [...weights[1][asks], ...Array(longest - weights[1][asks].length).fill(0)];
    const [qx, qy, ...shares] = view.glide("asks", [x(asks), y(asks), ...padded]);
    const say = (i, down, letter, role) =>
      svg`<text class="sign ${role}" x=${px(x(i))} y=${px(y(i) + down)} text-anchor="middle">${letter}</text>`;
    const off = (layer) => (isOn[layer] ? "" : ": struck out");
    return html`<svg class="heads" height=${height} viewBox="0 0 ${across} ${height}" aria-hidden="true"
      @pointerdown=${press.down} @pointermove=${hover} @click=${press.click} @pointerleave=${leave}>
      ${shares.map((w, j) =>
        w < LEAST
          ? nothing
          : svg`<linearGradient id="${id}-${j}" gradientUnits="userSpaceOnUse" x1=${px(qx)} y1=${px(qy)} x2=${px(x(j) + 0.1)} y2=${y(j)}>
        <stop stop-color="var(--q)"/><stop offset="1" stop-color="var(--k)"/></linearGradient>`,
      )}
      <rect class="ask" x=${px(qx - column / 2)} y=${px(qy - 17)} width=${px(column)} height="24" rx="3"/>
      ${arcs(0, [x(key), y(key)], weights[0][key], "note")}
      ${arcs(1, [qx, qy], shares, "asks")}
      ${[...text].map((letter, i) => say(i, 0, letter, i === asks ? "q strong" : i === key ? "k strong" : ""))}
      ${guesses.map((letter, i) => say(i + 1, 28, letter, isAsked(text, i) && letter === text[i + 1] ? "o strong" : "dim"))}
      <text class="verb" x=${px(qx)} y=${px(qy + 52)} text-anchor="middle">drag ↔</text>
      <text class="dim" y="12">head of layer 1, from the place that asks${off(1)}</text>
      <text class="dim" y=${height - 6}>head of layer 0, from the place that layer 1 finds${off(0)}</text></svg>`;
  }

  return (now) => {
    const { text, heads: isOn } = now;
    const { weights, chances } = readNow(now);
    const best = chances.map((each) => argsortDown(each)[0]);
    const guesses = best.map((symbol) => letters[symbol]);
    const asks = placeOf(now);
    const key = argsortDown(weights[1][asks])[0];
    const back = argsortDown(weights[0][key])[0];
    const asked = chances.flatMap((_, i) => (isAsked(text, i) ? [i] : []));
    const right = asked.filter((i) => guesses[i] === text[i + 1]).length;
    const chance = chances[asks][best[asks]];
    const [guess, verdict] =
      asks === text.length - 1
        ? ["next", ""]
        : [
            "guess",
            guesses[asks] !== text[asks + 1]
              ? `, not ${text[asks + 1]}`
              : asked.includes(asks)
                ? ", right"
                : ", right by luck",
          ];
    return {
      headline: html`Place ${asks}, <b class="q">${text[asks]}</b>: ${
        isOn[1]
          ? html`layer 1 looks at
        <b class="k">${text[key]} ${number(weights[1][asks][key], weightText(weights[1][asks][key]))}</b> (place ${key})${
          isOn[0] ? html`, layer 0 from there at <b>${text[back]}</b>` : ", layer 0 is struck out"
        }`
          : "layer 1 is struck out"
      }.
        ${capital(guess)}: <b class="o">${guesses[asks]} ${number(chance, weightText(chance))}</b>${verdict}.`,
      picture: html`<p class="small">Below each letter: the model’s guess for it, made at the place before. Bold: right, after a letter that had come before (${right} of ${asked.length}).</p>
        ${heads({ text, guesses, at: asks, key, heads: isOn, weights })}`,
      controls: html`<div class="typed"><label for=${idOf(view, "text")}>Letters, ${known}</label>
          <input type="text" id=${idOf(view, "text")} maxlength=${longest} spellcheck="false" autocomplete="off" autocapitalize="none"
            data-now=${text} aria-invalid=${view.errors.has("text") ? "true" : nothing} aria-describedby=${view.errors.has("text") ? view.errors.id : nothing} @input=${type}>
          ${button("Other letters", () => {
            view.errors.set("text");
            view.set({ text: repeating(letters, Math.max(text.length, 24), Math.random) });
          })}</div>
        ${slider(view, {
          key: "place",
          label: "Place that asks",
          value: asks,
          max: text.length - 1,
          say: `place ${asks}, ${text[asks]}: ${guess} ${guesses[asks]} ${weightText(chance)}${verdict}`,
          onInput: (place) => view.set({ place }),
        })}
        <div class="switches">${labels.map((label, layer) => tick(label, isOn[layer] === 1, (on) => view.set({ heads: isOn.with(layer, Number(on)) })))}</div>`,
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = {
  text: {
    ...plain,
    address: {
      name: "text",
      say: String,
      take: (text, { letters, longest }) =>
        onlyIf(
          text,
          text.length > 0 &&
            text.length <= longest &&
            [...text].every((letter) => letters.includes(letter)),
        ),
    },
  },
};

export default explorer("induction", "Two heads that go on with a text", build, {
  traits,
});
