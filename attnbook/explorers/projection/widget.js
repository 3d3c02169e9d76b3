// ProjectionExplorer: W_q and W_k turn the arrows of the words into queries and keys.

import { dot, softmax } from "../core/compute.js";
import { choice, numberCell, tick } from "../core/controls.js";
import { pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { cellText, countWord, fixed, listed, weightStyle, weightText } from "../core/format.js";
import { covering, cutTo, placeLabels, placesBeside, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { equal, mix } from "../core/motion.js";
import { letter, number } from "../core/text.js";
import { rowsOf } from "../core/traits.js";

// == compute ==================================================================================

const times = (rows, matrix) =>
  rows.map((row) =>
    matrix[0].map((_, j) =>
      dot(
        row,
        matrix.map((line) => line[j]),
      ),
    ),
  );

// Queries, keys and the weights between them.
export function attendFrom(tokens, wQuery, wKey, scaled) {
  const [queries, keys] = [times(tokens, wQuery), times(tokens, wKey)];
  const divisor = scaled ? Math.sqrt(wQuery[0].length) : 1;
  const weights = queries.map((q) =>
    softmax(
      keys.map((k) => dot(q, k) / divisor),
      1,
    ),
  );
  return { queries, keys, weights };
}

// A number where room is short: about three digits.
function briefly(x) {
  const size = Math.abs(x);
  if (size >= 999.5) return x.toExponential(0).replace("e+", "e").replace("-", "−");
  return String(Number(x.toFixed(size < 9.95 ? 1 : 0)) || 0).replace("-", "−");
}

// Where a vector of up to three numbers is seen, right and up; one of three from the side and above.
function seenAt([x, y = 0, z], turn) {
  if (z === undefined) return [x, y];
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return [cos * x + sin * z, Math.cos(TILT) * y - Math.sin(TILT) * (cos * z - sin * x)];
}

// == page =====================================================================================

const TILT = 0.4; // of the view from above
const TURN = -0.8; // of the view to the side, at first; no two words lie on each other
const HEAD = 7; // px of an arrow's head

/**
 * An arrow from the middle; one without a length is a point.
 * @param {number[]} from
 * @param {number[]} to
 */
function arrow([x, y], [toX, toY]) {
  const [right, down, long] = [toX - x, toY - y, Math.hypot(toX - x, toY - y)];
  if (long < 1) return "";
  const [a, b] = [(right / long) * Math.min(HEAD, long), (down / long) * Math.min(HEAD, long)];
  return (
    `M${px(x)} ${px(y)}L${px(toX)} ${px(toY)}M${px(toX - a - b / 2)} ${px(toY - b + a / 2)}L${px(toX)} ${px(toY)}` +
    `L${px(toX - a + b / 2)} ${px(toY - b - a / 2)}`
  );
}

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { words, presets, token_matrix, w_query } = view.read();
  const n = words.length;
  const d = token_matrix.length / n;
  const width = w_query.length / d;
  const widths = words.map((word) => Math.min(84, textWidth(word) * 1.06));
  const shown = words.map((word, i) => cutTo(word, widths[i]));
  let turn = TURN;
  let pulled = null;
  view.onReset(() => {
    turn = TURN;
  });
  // What is turned by hand follows it at once.
  const glide = (key, to) => (pulled === null ? view.glide(key, to) : (view.glide(key, ""), to));

  const W = (role) =>
    html`<span class=${role}>${letter("W", role)}<sub>${letter(role)}</sub></span>`;
  const pick = (token) => ({
    over: view.look({ token }),
    out: view.unlook,
    press: () => view.set({ token }),
  });
  const picked = (i, what) =>
    svg`<g class="pick" @pointerenter=${pick(i).over} @pointerleave=${pick(i).out} @click=${pick(i).press}>${what}</g>`;

  // A view that is pulled sideways turns; it tells nothing new, so that keys need not turn it.
  const pull = {
    down: (event) => {
      if (width < 3 || event.button !== 0 || event.target.closest("text, .hit")) return;
      pulled = event.clientX - 150 * turn;
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    move: (event) => {
      if (pulled === null) return;
      turn = (event.clientX - pulled) / 150;
      view.again();
    },
    up: () => {
      pulled = null;
    },
  };

  // The arrows of one role. The query that asks is also among the keys; before: what was turned.
  function plane(role, { now, ends, before, asks = null, sizes, token, unit, goal, wide, high }) {
    const middle = [wide / 2, high / 2];
    const place = (vector, by = unit) => {
      const [x, y] = seenAt(vector, turn);
      return [middle[0] + by * x, middle[1] - by * y];
    };
    const reach = (0.9 * Math.min(wide, high)) / unit;
    const axes = Array.from({ length: width }, (_, i) =>
      Array.from({ length: width }, (_, j) => (i === j ? reach / 2 : 0)),
    );
    const room = { from: 2, to: wide - 2, top: 8, bottom: high - 8 };
    const rank = [...new Set([token, ...words.keys()])];
    const offs = Array.from({ length: 12 }, (_, i) => 15 * (i + 1));
    const tips = ends.map((vector) => place(vector, goal)); // where they arrive
    const covered = covering(
      [...tips, middle, ...tips.flatMap((tip) => [0.7, 0.8, 0.9].map((t) => mix(middle, tip, t)))],
      3,
    );
    const placed = placeLabels(
      rank.map((i) =>
        placesBeside(tips[i][0], tips[i][1], widths[i], room, { offs, cost: 1, gap: 9, left: 4 }),
      ),
      (box) => 5 * covered(box),
    );
    const beside = glide(
      `${role} labels`,
      words.map((_, i) => {
        const { left, top } = placed[rank.indexOf(i)];
        return [left - tips[i][0], top + 11 - tips[i][1]];
      }),
    );
    const drawn = now.map((vector) => place(vector));
    return svg`<svg class=${width > 2 ? "turns" : ""} height=${high} viewBox="0 0 ${px(wide)} ${high}" role="img"
      aria-label=${role === "q" ? "The queries of the words, as arrows." : "The keys of the words, as arrows, larger for more weight, and the query that asks."}
      @pointerdown=${pull.down} @pointermove=${pull.move} @pointerup=${pull.up} @pointercancel=${pull.up}>
      ${axes.map((axis) => svg`<path class="hair" d=${pathOf([place(axis.map((x) => -x)), place(axis)])}/>`)}
      ${before.map((vector) => svg`<path class="before" d=${arrow(middle, place(vector))}/>`)}
      ${drawn.map(
        (tip, i) => svg`<g class="arrow ${role} ${i === token ? "asks" : ""}">
        <path d=${arrow(middle, tip)} stroke-width=${(1.3 + 4 * sizes[i]).toFixed(2)} opacity=${(0.5 + 0.5 * Math.sqrt(sizes[i])).toFixed(2)}/>
        <circle r=${(3 + 5 * Math.sqrt(sizes[i])).toFixed(2)} cx=${px(tip[0])} cy=${px(tip[1])}/></g>`,
      )}
      ${asks ? svg`<g class="arrow q asks"><path d=${arrow(middle, place(asks))} stroke-width="3"/></g>` : nothing}
      ${drawn.map(([x, y], i) => picked(i, svg`<rect class="hit" x=${px(x - 12)} y=${px(y - 12)} width="24" height="24"/>`))}
      ${drawn.map(([x, y], i) => picked(i, svg`<text class="${role} halo ${i === token ? "strong" : ""}" x=${px(x + beside[i][0])} y=${px(y + beside[i][1])}>${shown[i]}</text>`))}</svg>`;
  }

  function planes({ tokens, queries, keys, weights, token }) {
    const isNarrow = view.width <= 600;
    const [wide, high] = isNarrow ? [view.width, 176] : [(view.width - 32) / 2, 280];
    const before = d === width ? tokens : [];
    const all = [...queries, ...keys, ...before].map((vector) => seenAt(vector, turn));
    const most = (axis) => Math.max(1e-9, ...all.map((point) => Math.abs(point[axis])));
    const goal = Math.min((wide / 2 - 56) / most(0), (high / 2 - 18) / most(1));
    const unit = glide("unit", goal);
    const drawn = view.glide("arrows", [queries, keys]);
    const sizes = view.glide("sizes", [
      words.map((_, i) => (i === token ? 0.5 : 0)),
      weights[token],
    ]);
    const shape = { token, unit, goal, wide, high, before };
    return html`<div class="planes">
      <figure><figcaption>queries ${letter("q")} = ${letter("x", "")} ${W("q")}</figcaption>
        ${plane("q", { ...shape, now: drawn[0], ends: queries, sizes: sizes[0] })}</figure>
      <figure><figcaption>keys ${letter("k")} = ${letter("x", "")} ${W("k")}, and the query of <b class="q">${words[token]}</b></figcaption>
        ${plane("k", { ...shape, now: drawn[1], ends: keys, sizes: sizes[1], asks: view.glide("asks", queries[token]) })}</figure></div>
      <p class="small">Press a word: it asks.${width > 2 ? " Pull sideways to turn." : ""} A dot product is length × length × cosine, so a long arrow counts too.</p>`;
  }

  // A matrix to edit.
  const matrix = (
    trait,
    name,
    role,
    flat,
  ) => html`<table class="matrix" aria-label="${name} matrix">
    <tbody>${rowsOf(flat, width).map(
      (row, r) => html`<tr>${r ? nothing : html`<th scope="rowgroup" rowspan=${d}>${W(role)}</th>`}
      ${row.map((value, c) =>
        numberCell(view, {
          label: `${name} matrix, row ${r + 1}, column ${c + 1}`,
          role,
          step: 0.5,
          value,
          onInput: (x) => view.set({ [trait]: view.read()[trait].with(r * width + c, x) }),
        }),
      )}</tr>`,
    )}</tbody></table>`;

  const cells = (role, numbers) =>
    numbers.map(
      (x, j) => html`<td class="${role} ${j ? "" : "first"}">${number(x, briefly(x))}</td>`,
    );
  const tables = ({ tokens, queries, keys, weights, token }) => html`<div class="tables">
    <table class="vectors" aria-label="The vectors of the tokens"><colgroup><col class="word">${Array.from({ length: d + 2 * width }, () => html`<col>`)}</colgroup>
      <thead><tr><th scope="col">token</th><th colspan=${d}>${letter("x", "")}</th>
        <th colspan=${width} class="q first">${letter("q")}</th><th colspan=${width} class="k first">${letter("k")}</th></tr></thead>
      <tbody>${words.map(
        (
          word,
          i,
        ) => html`<tr class=${i === token ? "asks" : ""}><th scope="row" class="wraps">${word}</th>
        ${cells("", tokens[i])}${cells("q", queries[i])}${cells("k", keys[i])}</tr>`,
      )}</tbody></table>
    <table class="grid" aria-label="Weights: a row asks, a column is asked"><colgroup><col class="word">${words.map(() => html`<col>`)}</colgroup>
      <thead><tr><td></td>${words.map((word) => html`<th scope="col" class="k wraps">${word}</th>`)}</tr></thead>
      <tbody>${words.map(
        (
          word,
          i,
        ) => html`<tr class=${i === token ? "asks" : ""} @click=${pick(i).press} @pointerenter=${pick(i).over} @pointerleave=${pick(i).out}>
        <th scope="row" class="wraps">${word}</th>${weights[i].map(
          (w) => html`<td
          style=${weightStyle(w)}>${number(w, cellText(w))}</td>`,
        )}</tr>`,
      )}</tbody></table></div>`;

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

  return (now) => {
    const { token, scaled } = now;
    const tokens = rowsOf(now.token_matrix, d);
    const found = {
      tokens,
      token,
      ...attendFrom(tokens, rowsOf(now.w_query, width), rowsOf(now.w_key, width), scaled),
    };
    return {
      headline: headline(found.weights, token),
      picture: planes(found),
      controls: html`
        <div class="sides">${matrix("w_query", "query", "q", now.w_query)}${matrix("w_key", "key", "k", now.w_key)}</div>
        ${choice(view, { key: "token", legend: "Who asks", options: words, index: token, onInput: (i) => view.set({ token: i }), previewed: (i) => ({ token: i }) })}
        ${
          presets.length === 0
            ? nothing
            : html`<div class="presets" role="group" aria-label="Set both matrices">${presets.map(
                ({ name, w_query: q, w_key: k }) => html`<button type="button"
          aria-pressed=${equal([q, k], [now.w_query, now.w_key])} @pointerenter=${view.look({ w_query: q, w_key: k })} @pointerleave=${view.unlook}
          @click=${() => view.set({ w_query: q, w_key: k })}>${name}</button>`,
              )}</div>`
        }
        ${tick(`divide the scores by √${width}`, scaled, (to) => view.set({ scaled: to }), `divide the scores by the root of ${width}`)}`,
      numbers: tables(found),
      folded: "The numbers",
      open: view.width > 600,
    };
  };
};

export default explorer("projections", "Projection explorer", build);
