// InductionExplorer: letters that are typed, and where two heads look to guess each next one.

import { argsortDown, dot, softmax, sum } from "../core/compute.js";
import { button, idOf, slider, tick } from "../core/controls.js";
import { following, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { capital, listed, weightText } from "../core/format.js";
import { html, nothing, svg } from "../core/lit.js";
import { pointer } from "../core/plot.js";
import { number } from "../core/text.js";
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
const WIDEST = 64; // and at most

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
  const hand = following(view, (event) => {
    const [x, y] = pointer(event);
    const column = Math.max(0, Math.min(grid.columns - 1, Math.floor(x / grid.column)));
    const place = Math.max(0, Math.floor(y / grid.high)) * grid.columns + column;
    return { place: Math.min(view.read().text.length - 1, place) };
  });

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

  // The letters, in as many rows as they need, ticks, arcs, and the next guess in a box.
  function heads(now) {
    const { text, guesses, at: asks, key, heads: isOn, weights, verdict } = now;
    const across = view.width;
    const rows = Math.ceil(text.length / Math.floor(across / CELL));
    const columns = Math.ceil(text.length / rows);
    const column = Math.min(WIDEST, across / columns);
    // Of a row: above its letters, the highest arc, and all.
    const [above, tall, high] = rows === 1 ? [142, 94, 228] : [78, 30, 136];
    const height = rows === 1 ? high : rows * high + 20;
    grid = { columns, column, high };
    const x = (i) => ((i % columns) + 0.5) * column;
    const y = (i) => Math.floor(i / columns) * high + above;
    // An arc from a point to a place.
    function curve(fx, fy, j) {
      const [x1, y1, x2, y2] = [fx, fy - 24, x(j), y(j) - 24];
      const by = Math.abs(x1 - x2);
      const start = `M${px(x1)} ${px(y1)}`;
      if (y1 === y2 && by < 1) return `M${px(x1 - 5)} ${y1}c-6 -16 16 -16 10 0`; // at itself
      if (Math.abs(y1 - y2) < high / 2) {
        const rise = (4 * Math.min(tall, 10 + by / 2)) / 3; // to three quarters of its handles
        return `${start}C${px(x1)} ${px(y1 - rise)} ${px(x2)} ${px(y2 - rise)} ${px(x2)} ${px(y2)}`;
      }
      const mid = (y1 + y2) / 2 + 40; // to a row above, from below
      return `${start}C${px(x1)} ${px(mid)} ${px(x2)} ${px(mid)} ${px(x2)} ${px(y2 + 54)}`;
    }
    const arcs = (layer, from, row, kind, most) =>
      row.map((w, j) =>
        w < LEAST || !isOn[layer]
          ? nothing
          : svg`<path class="arc ${kind}" d=${curve(...from, j)} stroke-width=${(0.5 + most * w).toFixed(2)} opacity=${(0.25 + 0.75 * w).toFixed(2)}/>`,
      );
    const name = (layer, mx, my, role, anchor) =>
      isOn[layer]
        ? svg`<text class="halo ${role}" x=${px(mx)} y=${px(my)} text-anchor=${anchor}>layer ${layer}</text>`
        : nothing;
    const padded = [...weights[1][asks], ...Array(longest - weights[1][asks].length).fill(0)];
    const [qx, qy, ...shares] = view.glide("asks", [x(asks), y(asks), ...padded]);
    const isFar = Math.floor(asks / columns) !== Math.floor(key / columns);
    const next = asks + 1 < text.length ? asks + 1 : asks;
    // Beside the box, at its left if there is room.
    const isLeft = x(asks) > 66;
    const verb = isLeft ? x(asks) - (next === asks ? 20 : -6) : x(next) + 20;
    const clamp = (to, by) => Math.max(by, Math.min(across - by, to));
    const tick = (letter, i) => {
      const isRight = guesses[i - 1] === letter;
      const role = isRight && isAsked(text, i - 1) ? "o strong" : "dim";
      return svg`<text class="mark ${role}" x=${px(x(i))} y=${y(i) + 24} text-anchor="middle">${isRight ? "✓" : "×"}</text>`;
    };
    const box = (kind, bx, by, inset = 1) =>
      svg`<rect class=${kind} x=${px(bx - column / 2 + inset)} y=${px(by - 22)} width=${px(column - 2 * inset)} height="30"/>`;
    return html`<svg class="heads" height=${height} viewBox="0 0 ${across} ${height}" aria-hidden="true"
      @pointerdown=${hand.down} @pointermove=${hand.move} @click=${hand.click} @pointerleave=${view.unlook}>
      ${[...text].map((letter, i) => (text.indexOf(letter) < i ? box("seen", x(i), y(i), 0) : nothing))}
      ${box("ask", qx, qy)}${isOn[1] ? box("found", x(key), y(key)) : nothing}
      ${arcs(1, [qx, qy], shares, "asks", 4)}
      ${arcs(0, [x(key), y(key)], weights[0][key], "note", 2)}
      ${isFar ? name(1, Math.min(across - 44, qx + 10), qy - 30, "q", "start") : name(1, clamp((qx + x(key)) / 2, 24), qy - 31 - Math.min(tall, 10 + Math.abs(qx - x(key)) / 2), "q", "middle")}
      ${name(0, Math.max(44, x(key) - 5), y(key) - 42 - Math.min(tall - 6, column / 2), "k", "end")}
      ${[...text].map((letter, i) => svg`<text class="sign ${i === asks ? "q strong" : i === key ? "k strong" : ""}" x=${px(x(i))} y=${y(i)} text-anchor="middle">${letter}</text>${i ? tick(letter, i) : nothing}`)}
      <rect class="guess" x=${px(x(next) - 13)} y=${y(next) + 30} width="26" height="28"/>
      <text class="sign next o strong" x=${px(x(next))} y=${y(next) + 51} text-anchor="middle">${guesses[asks]}</text>
      <text class="o" x=${px(clamp(x(next), 28))} y=${y(next) + 74} text-anchor="middle">${next === asks ? "next" : verdict.startsWith(", right") ? "guess ✓" : "guess ×"}</text>
      <text class="verb" x=${px(verb)} y=${px(y(asks) + 48)} text-anchor=${isLeft ? "end" : "start"}>drag ↔</text></svg>`;
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
      headline: html`<b class="q">${text[asks]}</b> asks. ${
        isOn[1]
          ? html`Layer 1 finds
        <b class="k">${text[key]} ${number(weights[1][asks][key], weightText(weights[1][asks][key]))}</b>${
          isOn[0] ? html`, where layer 0 had noted <b>${text[back]}</b>` : "; layer 0 is struck out"
        }`
          : "Layer 1 is struck out"
      }.
        ${capital(guess)}: <b class="o">${guesses[asks]} ${number(chance, weightText(chance))}</b>${verdict}.`,
      picture: html`${heads({ text, guesses, at: asks, key, heads: isOn, weights, verdict })}
        <p class="small"><span class="seen">seen before</span> ✓ × under a letter: had the model guessed it? Of letters that can be known: ${right} of ${asked.length}.</p>`,
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
