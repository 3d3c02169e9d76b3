// ProjectionExplorer: W_q and W_k make a query and a key of each word, two points in a plane.

import { dot, softmax } from "../core/compute.js";
import { choice, idOf } from "../core/controls.js";
import { pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { cellText, countWord, fixed, listed, short, weightText } from "../core/format.js";
import { covering, cutTo, placeLabels, placesBeside, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { equal, mix } from "../core/motion.js";
import { pointer } from "../core/plot.js";
import { HANDLE, handle, pointText, within } from "../core/points.js";
import { letter, number } from "../core/text.js";
import { rowsOf } from "../core/traits.js";

// == compute ==================================================================================

const times = (rows, [first, second]) =>
  rows.map(([x, y]) => first.map((_, j) => x * first[j] + y * second[j]));

// Queries, keys and the weights between them.
export function attendFrom(tokens, wQuery, wKey) {
  const [queries, keys] = [times(tokens, wQuery), times(tokens, wKey)];
  const weights = queries.map((q) =>
    softmax(
      keys.map((k) => dot(q, k)),
      Math.SQRT2,
    ),
  );
  return { queries, keys, weights };
}

// == page =====================================================================================

const [HEIGHT, LOW] = [340, 250]; // px of the plane, and of that on a phone
const SQUARE = 148; // px
const LEAST = [3.6, 3]; // how far the plane is seen, at least
const STARTS = ["(1, 0)", "(0, 1)"]; // where the arrows of a square come from

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { words, presets, token_matrix: flat, w_query, w_key } = view.read();
  const n = words.length;
  const tokens = rowsOf(flat, 2);
  const names = words.map((word) => cutTo(word, 84));
  const side = Math.max(2, ...[...w_query, ...w_key].map(Math.abs));
  let isByHand = false; // what the hand moves is there at once
  const preset = (i) => ({ w_query: presets[i].w_query, w_key: presets[i].w_key });
  const handles = ["w_query", "w_key"].map((trait) =>
    STARTS.map((start, r) =>
      handle(
        `${trait === "w_query" ? "query" : "key"} matrix, where ${start} goes`,
        (point) => {
          isByHand = true;
          view.set({
            [trait]: view.read()[trait].toSpliced(2 * r, 2, ...within(point, [side, side])),
          });
        },
        [side, side],
      ),
    ),
  );

  // Lines at each whole number, or at each 10, 100, ... of them; the middle is 0.
  const grid = (wide, high, unit) => {
    const step = unit * 10 ** Math.max(0, Math.ceil(Math.log10(10 / unit)));
    const marks = (length) =>
      Array.from({ length: 2 * Math.floor(length / 2 / step) + 1 }, (_, i) =>
        px(((length / 2) % step) + i * step),
      );
    return [
      ...marks(wide).map((x) => `M${x} 0V${high}`),
      ...marks(high).map((y) => `M0 ${y}H${wide}`),
    ].join("");
  };

  const entry = (x) =>
    Math.abs(x) < 100 ? short(x) : x.toExponential(0).replace("e+", "e").replace("-", "−");
  const turnOf = (/** @type {number[]} */ [x, y]) => (180 * Math.atan2(y, x)) / Math.PI;

  // An arrow from a place, by so many px.
  const arrow = ([x, y], way) => {
    const long = Math.hypot(...way);
    return svg`<g class="arrow" transform="translate(${px(x)} ${px(y)}) rotate(${px(turnOf(way))})">
      <path d="M0 0H${px(long)}"/><path class="head" d=${long < 4 ? "" : `M${px(long + 2)} 0l-12 5v-10Z`}/></g>`;
  };

  // A matrix: where the unit square goes, an arrow for each row.
  function square(role, which, matrix) {
    const size = Math.min(SQUARE, Math.floor((view.width - 16) / 2));
    const half = size / 2;
    const unit = (half - HANDLE / 2) / Math.max(side, ...matrix.flat().map(Math.abs));
    const place = ([x, y]) => [half + unit * x, half - unit * y];
    const [first, second] = matrix;
    const tips = matrix.map(place);
    const [[x, y]] = tips;
    return html`<figure class=${role}><b>makes ${which ? "keys" : "queries"}</b>
      <div class="square" style="width: ${size}px"><svg height=${size} viewBox="0 0 ${size} ${size}" aria-hidden="true">
        <path class="hair" d=${grid(size, size, unit)}/>
        <path class="area" d="${pathOf([[0, 0], first, [first[0] + second[0], first[1] + second[1]], second].map(place))}Z"/>
        ${tips.map(([x, y], r) => svg`<path class="spoke" d="M${half} ${half}L${px(x)} ${px(y)}"/><circle r="9" cx=${px(x)} cy=${px(y)}/>${r && Math.hypot(x - tips[0][0], y - tips[0][1]) < 14 ? nothing : svg`<text class="which" text-anchor="middle" x=${px(x)} y=${px(y + 4)}>${r + 1}</text>`}`)}
        ${role === "q" ? svg`<text class="verb" text-anchor=${x < half ? "end" : "start"} x=${px(x < half ? x - 14 : x + 14)} y=${px(y + 4)}>drag</text>` : nothing}</svg>
        ${tips.map((tip, r) => handles[which][r](matrix[r], tip, unit, pointText(matrix[r])))}</div>
      <table class="matrix" aria-label="${which ? "key" : "query"} matrix"><tbody>${matrix.map(
        (row, r) =>
          html`<tr>${r ? nothing : html`<th scope="rowgroup" rowspan="2">${letter("W", role)}<sub>${letter(role)}</sub></th>`}${row.map((x) => html`<td>${number(x, entry(x))}</td>`)}</tr>`,
      )}</tbody></table></figure>`;
  }

  // All queries and keys; a key is as large as its weight, and a thread joins both of a word.
  function plane({ queries, keys, weights }, token) {
    const isNarrow = view.width <= 600;
    const [wide, high] = isNarrow ? [view.width, LOW] : [view.width - SQUARE - 144, HEIGHT];
    const [cx, cy] = [wide / 2, high / 2];
    const seen = LEAST.map((least, axis) =>
      Math.max(least, ...[...queries, ...keys].map((point) => Math.abs(point[axis]))),
    );
    const unit = Math.min((cx - 16) / seen[0], (cy - 16) / seen[1]);
    const place = ([x, y]) => [cx + unit * x, cy - unit * y];
    const [asking, asked] = [queries.map(place), keys.map(place)];
    // The word that is nearest to the pointer, by its query or its key.
    const nearest = (event) => {
      const [x, y] = pointer(event);
      const far = [...asking, ...asked].map((at) => Math.hypot(at[0] - x, at[1] - y));
      return { token: far.indexOf(Math.min(...far)) % n };
    };
    const [row, end] = [weights[token], asking[token]];
    const most = Math.max(...row);
    const way = [end[0] - cx, end[1] - cy];
    const isLong = Math.hypot(...way) >= 4;
    // Where each key falls on the line of the query: the farther along the arrow, the larger its score.
    const feet = asked.map(([x, y]) => {
      const along = dot([x - cx, y - cy], way) / dot(way, way);
      return [cx + along * way[0], cy + along * way[1]];
    });
    const line = (a, b, steps) => Array.from({ length: steps + 1 }, (_, i) => mix(a, b, i / steps));
    const texts = names.map((name, i) => (row[i] < 0.005 ? name : `${name} ${cellText(row[i])}`));
    const room = { from: 2, to: wide - 2, top: 2, bottom: high - 2 };
    const beside = ([left, top], text, gap) =>
      placesBeside(left, top, textWidth(text) + 8, room, {
        height: 16,
        offs: [9, 15, 22, 30, 40, 52, 66],
        cost: 0.5,
        gap,
        left: 2,
      });
    // The words stay where they are, whoever asks.
    const threads = asking.flatMap((q, i) => line(q, asked[i], 24));
    const covered = covering([...threads, ...asked], 3);
    const boxes = placeLabels(
      asked.map((key, i) => beside(key, `${names[i]} .99`, 13)),
      (box) => 5 * covered(box),
    );
    const drawn = covering([...threads, ...line([cx, cy], end, 24)], 3);
    const first = placeLabels(
      [...boxes.map((box) => [box]), beside(end, `query of ${names[token]}`, 12)],
      (box) => 5 * drawn(box),
    )[n];
    const isBest = (i) => row[i] === most;
    return html`<div class="board"><svg class="plane" style="width: ${wide}px" height=${high} viewBox="0 0 ${wide} ${high}" role="img"
      aria-label="The query and the key of each word, joined by a thread; the more weight, the larger the key. An arrow leads to the query that asks, and each key falls on its line."
      @pointermove=${(event) => view.look(nearest(event))(event)} @pointerleave=${view.unlook} @click=${(event) => view.set(nearest(event))}>
      <path class="hair" d=${grid(wide, high, unit)}/>
      <path class="axes" d="M0 ${cy}H${wide}M${cx} 0V${high}"/>
      ${asked.map((key, i) => svg`<path class="thread ${i === token ? "asks" : ""}" d=${pathOf([asking[i], key])}/>`)}
      ${
        isLong
          ? svg`<path class="reach" d="M${-wide} 0H${wide}" transform="translate(${cx} ${cy}) rotate(${px(turnOf(way))})"/>
            ${asked.map((key, i) => svg`<path class="fall ${isBest(i) ? "best" : ""}" d=${pathOf([key, feet[i]])}/>`)}`
          : nothing
      }
      ${asked.map(([x, y], i) => svg`<circle class="k" cx=${px(x)} cy=${px(y)} r=${(4.5 + 6 * Math.sqrt(row[i])).toFixed(2)}/>`)}
      ${arrow([cx, cy], way)}
      ${asking.map(([x, y], i) => svg`<circle class="q ${i === token ? "asks" : ""}" cx=${px(x)} cy=${px(y)} r="3.5"/>`)}
      <text class="q strong halo" x=${px(first.left + 4)} y=${px(first.top + 12)}>query of ${names[token]}</text>
      <text class="verb halo" x="8" y=${high - 8}>press a word</text></svg>
      <fieldset class="choice" aria-label="Who asks">${words.map((word, i) => {
        const { left, top, width } = boxes[i];
        return html`<label class=${isBest(i) ? "best" : ""} style="translate: ${px(left)}px ${px(top - 4)}px; width: ${px(width)}px; text-align: ${left < asked[i][0] ? "right" : "left"}"
          @pointerenter=${view.look({ token: i })} @pointerleave=${view.unlook}>
          <input type="radio" name=${idOf(view, "token")} value=${i} aria-label=${word} data-now=${i === token} @input=${() => view.set({ token: i })}><span>${texts[i]}</span></label>`;
      })}</fieldset></div>`;
  }

  const table = (
    { queries, keys, weights },
    token,
  ) => html`<table aria-label="The vectors of the words, and the weights of ${words[token]}">
    <thead><tr><th scope="col">word</th><th scope="col">${letter("x", "")}</th><th scope="col" class="q">${letter("q")}</th>
      <th scope="col" class="k">${letter("k")}</th><th scope="col">weight</th></tr></thead>
    <tbody>${words.map(
      (
        word,
        i,
      ) => html`<tr class=${i === token ? "asks" : ""}><th scope="row" class="wraps">${word}</th>
      ${[tokens, queries, keys].map((all, j) => html`<td class=${["", "q", "k"][j]}>${pointText(all[i], 1)}</td>`)}
      <td>${number(weights[token][i], weightText(weights[token][i]))}</td></tr>`,
    )}</tbody></table>`;

  // To whom the token attends, and what comes back.
  function headline(weights, token) {
    const row = weights[token];
    const most = Math.max(...row);
    const winners = words.map((_, j) => j).filter((j) => row[j] === most);
    const [to] = winners;
    const share = number(most, fixed(most));
    const who = html`<b class="q">${words[token]}</b>`;
    if (winners.length === n)
      return html`${who} attends to all ${countWord(n)} tokens alike, <b>${share}</b>.`;
    const names = listed(winners.map((j) => (j === token ? "itself" : words[j])));
    const back = weights[to][token];
    return html`${who} attends most to <b><span class="k">${names}</span> ${share}</b>${
      winners.length > 1
        ? " each"
        : to === token
          ? ""
          : html`; ${words[to]} gives ${words[token]} <b>${number(back, weightText(back))}</b> in return`
    }.`;
  }

  return ({ w_query, w_key, token }) => {
    const found = attendFrom(tokens, rowsOf(w_query, 2), rowsOf(w_key, 2));
    const drawn = view
      .glide("matrices", [w_query, w_key], isByHand ? 1 : 220)
      .map((matrix) => rowsOf(matrix, 2));
    isByHand = false;
    return {
      headline: headline(found.weights, token),
      picture: html`<div class="panels">${plane(attendFrom(tokens, drawn[0], drawn[1]), token)}
        <div class="squares">${square("q", 0, drawn[0])}${square("k", 1, drawn[1])}</div></div>
        <p class="small">Each key falls on the line of the query: the one that lands farthest along the arrow gets most. Grey lines join the query and the key of a word.</p>`,
      controls: html`
        ${
          presets.length === 0
            ? nothing
            : choice(view, {
                key: "presets",
                legend: "Matrices",
                options: presets.map(({ name }) => name),
                index: presets.findIndex((each) =>
                  equal([each.w_query, each.w_key], [w_query, w_key]),
                ),
                onInput: (i) => view.set(preset(i)),
                previewed: preset,
              })
        }`,
      numbers: table(found, token),
      folded: "The numbers",
    };
  };
};

export default explorer("projections", "Projection explorer", build);
