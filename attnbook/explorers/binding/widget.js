// BindingExplorer: items have a colour and a thing; a question names two colours. H heads answer.

import { argsortDown, dot, softmax, sum } from "../core/compute.js";
import { idOf } from "../core/controls.js";
import { px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { capital, cellText, countWord, fixed, weightStyle, weightText } from "../core/format.js";
import { html, nothing, svg } from "../core/lit.js";
import { letter, number, uniqueId } from "../core/text.js";
import { listOf, oneOf, placeIn, plain, rowsOf } from "../core/traits.js";

// == compute ==================================================================================

// What each head looks at, what all hand on side by side, and the chances of each thing. Matrices
// are W_q, W_k, W_v and W_O, with 2n rows of width d; items are pairs of colour and thing.
export function answerWith(matrices, nHeads, items, asked) {
  const [wQuery, wKey, wValue, wOutput] = matrices;
  const n = wQuery.length / 2;
  // One-hot: a product chooses a row for the first half and one for the second, and adds them.
  const chosen =
    (matrix) =>
    (/** @type {number[]} */ [a, b]) =>
      matrix[a].map((x, c) => x + matrix[n + b][c]);
  const [query, keys, values] = [
    chosen(wQuery)(asked),
    items.map(chosen(wKey)),
    items.map(chosen(wValue)),
  ];
  const width = query.length / nHeads;
  const heads = Array.from({ length: nHeads }, (_, h) => {
    const part = (x) => x.slice(h * width, (h + 1) * width);
    const q = part(query);
    const weights = softmax(
      keys.map((key) => dot(q, part(key)) / Math.sqrt(width)),
      1,
    );
    const found = q.map((_, c) => sum(weights.map((w, j) => w * values[j][h * width + c])));
    return { weights, found };
  });
  const found = heads.flatMap((head) => head.found);
  const logits = wOutput.map((row) => dot(row, found));
  return {
    weights: heads.map((head) => head.weights),
    found,
    chances: [logits.slice(0, n), logits.slice(n)].map((x) => softmax(x, 1)),
  };
}

// A share in percent; what is not quite all does not read so.
function percent(share) {
  const p = 100 * share;
  return `${p > 99 && p < 100 ? Math.min(99.9, p).toFixed(1) : p.toFixed(0)} %`;
}

// == page =====================================================================================

// Things in a square of 24; one that has no drawing is a tile.
const DRAWN = {
  cup: "M4 6h12v10a3 3 0 0 1-3 3H7a3 3 0 0 1-3-3zM16 8h2a3 3 0 0 1 0 7h-2v-2h2a1 1 0 0 0 0-3h-2z",
  hat: "M7 16V8q5-5 10 0v8h5v3H2v-3zM7 14h10",
  key: "M8 7a5 5 0 1 0 4.6 7H15v3h3v-3h3v-3h-8.4A5 5 0 0 0 8 7zm0 3.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3z",
  pen: "M3 21l1.5-5.5L16 4l4 4L8.5 19.5zM13.5 6.5l4 4",
  bag: "M8 9V7a4 4 0 0 1 8 0v2h3l1 12H4L5 9zm2 0h4V7a2 2 0 0 0-4 0z",
  egg: "M12 3c4 0 7 6 7 10a7 7 0 0 1-14 0c0-4 3-10 7-10z",
  map: "M3 6l6-2 6 2 6-2v14l-6 2-6-2-6 2zM9 4v14M15 6v14",
  box: "M3 8l9-4 9 4v9l-9 4-9-4zM3 8l9 4 9-4M12 12v9",
  fan: "M12 20L2 9a13 13 0 0 1 20 0zM12 20L8 6M12 20V5M12 20L16 6",
  pin: "M9 3h6l-1 7 4 4h-5v7h-2v-7H6l4-4z",
  toy: "M2 17v-4l3-1 2-5h9l3 5 3 1v4zM7 15a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM17 15a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  jar: "M7 3h10v3H7zM6 8q0-2 2-2h8q2 0 2 2v11q0 2-2 2H8q-2 0-2-2z",
};
const PAINTS = {
  red: "#d64541",
  blue: "#3a78c9",
  green: "#3f9d55",
  pink: "#f08fb5",
  grey: "#8f979f",
  gold: "#dba617",
  black: "#2b2f36",
  white: "#f7f7f5",
  brown: "#8a5a3c",
  lime: "#9acd32",
  teal: "#2a9d9b",
  plum: "#b57fb5",
};
const THICK = 30; // px of a beam of weight 1
const RADIUS = 13; // of a head

const askedOf = ({ colours, item_colours }) => item_colours.map((c) => colours[c]);

const headWord = (count) => `${count} head${count === 1 ? "" : "s"}`;

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { colours, things, counts, shares, item_colours, tables } = view.read();
  const n = colours.length;
  const d = tables.length / (counts.length * 8 * n);
  const byCount = rowsOf(tables, 8 * n * d).map((flat) =>
    rowsOf(flat, 2 * n * d).map((m) => rowsOf(m, d)),
  );
  const names = askedOf({ colours, item_colours });
  const paints = item_colours.map(
    (c) => PAINTS[colours[c]] ?? `hsl(${Math.round((360 * c) / n)} 55% 55%)`,
  );
  const options = Object.fromEntries(things.map((thing, t) => [t, thing]));
  const most = Math.max(...counts);
  const gradient = uniqueId("beams");

  // A question names two colours: to choose the other one swaps them.
  const asking = (which, i) => {
    const { first, second } = view.read();
    const [own, other] = which === "first" ? [first, second] : [second, first];
    const rest = which === "first" ? "second" : "first";
    return { [which]: i, [rest]: i === other ? own : other };
  };
  const swap = () => {
    const { first, second } = view.read();
    const arrived = view.travel();
    view.set({ first: second, second: first });
    arrived();
  };

  // Where all stands: chips left, heads, items, and answers right of them or, on a phone, below.
  function ground() {
    const isNarrow = view.width <= 600;
    const chip = {
      width: isNarrow ? 98 : 136,
      height: 60 + 28 * Math.max(2, Math.ceil(names.length / (isNarrow ? 3 : 4))),
    };
    const height = Math.max((isNarrow ? 56 : 62) * names.length, 2 * chip.height + 48);
    const x = view.width - (isNarrow ? 108 : 400);
    const tops = [0, 1].map((i) => (height - 2 * chip.height - 48) / 2 + i * (chip.height + 48));
    return {
      isNarrow,
      chip,
      height,
      x,
      tops,
      icon: isNarrow ? 40 : 54,
      head: chip.width + 0.4 * (x - chip.width),
      item: (j) => (height * (j + 0.5)) / names.length,
    };
  }

  const icon = (
    thing,
    paint,
    x,
    y,
    size,
  ) => svg`<path class="thing" fill-rule="evenodd" d=${DRAWN[things[thing]] ?? "M5 5h14v14H5z"}
    style="fill: ${paint}" transform="translate(${px(x)} ${px(y)}) scale(${(size / 24).toFixed(3)})"/>`;

  // From both chips through each head a beam to each item.
  function beams(
    { chip, head, tops, x, item, height, icon: size },
    rows,
    { item_things, first, second },
  ) {
    const middle = (top) => top + chip.height / 2;
    const bend = (x1, y1, x2, y2) =>
      `M${px(x1)} ${px(y1)}C${px((x1 + x2) / 2)} ${px(y1)} ${px((x1 + x2) / 2)} ${px(y2)} ${px(x2)} ${px(y2)}`;
    return svg`<linearGradient id=${gradient} gradientUnits="userSpaceOnUse" x1=${px(head)} y1="0" x2=${px(x)} y2="0">
        <stop stop-color="var(--q)"/><stop offset="1" stop-color="var(--k)"/></linearGradient>
      ${rows.map(([y, shown, ...weights], h) =>
        shown < 0.02
          ? nothing
          : svg`<g class="one" opacity=${shown.toFixed(2)} role="img" aria-label="head ${h}" tabindex=${rows[1][1] > 0.02 ? 0 : nothing}>
        ${tops.map((top) => svg`<path class="asks" d=${bend(chip.width, middle(top), head, y)}/>`)}
        ${weights.map(
          (
            w,
            j,
          ) => svg`<path class="beam" stroke="url(#${gradient})" d=${bend(head, y, x - 6, item(j))}
          stroke-width=${w < 0.05 ? 0 : +(THICK * w).toFixed(2)} stroke-opacity=${(0.45 + 0.4 * w).toFixed(2)}/>
          <text class="told halo" text-anchor="end" x=${px(x - 12)} y=${px(item(j) + 4 + (y < item(j) ? 1 : -1) * (10 + (THICK * w) / 2))}>${w >= 0.05 ? weightText(w).replace("0.", ".") : ""}</text>`,
        )}
        <circle class="near" cx=${px(head)} cy=${px(y)} r="22"/><circle class="head" cx=${px(head)} cy=${px(y)} r=${RADIUS}/><text text-anchor="middle" x=${px(head)} y=${px(y + 4)}>${h}</text></g>`,
      )}
      ${names.map((_, j) => icon(item_things[j], paints[j], x, item(j) - size / 2, size))}
      ${[first, second].map(
        (
          j,
          i,
        ) => svg`<g class="badge"><circle cx=${px(x + 4 + 20 * i)} cy=${px(item(j) - size / 2 + 6)} r="9"/><text
        text-anchor="middle" x=${px(x + 4 + 20 * i)} y=${px(item(j) - size / 2 + 10)}>${i + 1}</text></g>`,
      )}`;
  }

  const chip = (
    which,
    i,
    { tops, chip: { width, height } },
    now,
  ) => html`<fieldset class="chip" data-travel=${names[now[which]]}
    style="top: ${px(tops[i])}px; width: ${width}px; height: ${height}px; --paint: ${paints[now[which]]}">
    <legend class="unseen">${capital(which)} colour</legend><span class="small" aria-hidden="true"><i>${i + 1}</i> ${which}</span><b class="q">${names[now[which]]}</b>
    <span class="dots">${names.map(
      (
        name,
        j,
      ) => html`<label title=${name} style="--paint: ${paints[j]}" @pointerenter=${(event) => view.look(asking(which, j))(event)}
      @pointerleave=${view.unlook}><input type="radio" name=${idOf(view, which)} aria-label=${name} data-now=${j === now[which]} @input=${() => view.set(asking(which, j))}></label>`,
    )}</span></fieldset>`;

  const item = (
    j,
    { x, item: y, icon: size },
    now,
  ) => html`<div class="item" style="left: ${px(x + size + 6)}px; top: ${px(y(j))}px">
    <b class="k">${names[j]}</b><select aria-label="the ${names[j]} thing" data-now=${now.item_things[j]}
      @input=${(event) => view.set({ item_things: view.read().item_things.with(j, Number(event.target.value)) })}>
      ${Object.entries(options).map(([t, text]) => html`<option value=${t}>${text}</option>`)}</select></div>`;

  function answer(chances, i, { tops, isNarrow }, now) {
    const right = now.item_things[[now.first, now.second][i]];
    const [said, ...others] = argsortDown(chances).slice(0, 3);
    return html`<div class="answer ${said === right ? "right" : "wrong"}" style=${isNarrow ? "" : `top: ${px(tops[i])}px`}>
      <span class="small">${i === 0 ? "first" : "second"}, <b class="q">${names[[now.first, now.second][i]]}</b></span>
      <span class="said"><svg viewBox="0 0 24 24" aria-hidden="true">${icon(said, paints[now.item_things.indexOf(said)] ?? "var(--o)", 0, 0, 24)}</svg>
        <b class="o">${things[said]}</b> ${number(chances[said], weightText(chances[said]))} <span class="mark">${said === right ? "✓" : "✗"}</span></span>
      <span class="small">${said === right ? "right" : html`it is <b>${things[right]}</b>`}</span>
      <span class="small then">then ${others.map((t, k) => html`${k > 0 ? ", " : ""}${things[t]} ${number(chances[t], weightText(chances[t]))}`)}</span></div>`;
  }

  // The number of heads slides; above each place of the slider stands how often such a layer is right.
  const chart = (now) => {
    const id = idOf(view, "heads");
    const legend = html`Heads ${letter("H", "")}${shares.length > 0 ? ", and how often both answers are right" : ""}`;
    return html`<div class="counts"><label for=${id}>${legend}</label><div class="rail" style="--n: ${counts.length}">
      ${counts.map(
        (count, i) => html`<span class="count ${count === now.n_heads ? "now" : ""}"
        @pointerenter=${view.look({ n_heads: count })} @pointerleave=${view.unlook} @click=${() => view.set({ n_heads: count })}>
        ${shares.length > 0 ? html`<span class="column" aria-hidden="true"><span style="height: ${100 * shares[i]}%"></span></span>` : nothing}
        <b>${count}</b> ${shares.length > 0 ? number(shares[i], percent(shares[i])) : nothing}</span>`,
      )}
      <input id=${id} type="range" min="0" max=${counts.length - 1} data-now=${counts.indexOf(now.n_heads)}
        aria-valuetext=${headWord(now.n_heads)} @input=${(event) => view.set({ n_heads: counts[event.target.valueAsNumber] })}><span class="verb" aria-hidden="true">drag ↔</span></div></div>`;
  };

  const table = (
    { weights, found },
    { n_heads },
  ) => html`<table class="weights" aria-label="Weights of each head">
    <thead><tr><th scope="row">weights</th>${names.map((name) => html`<th scope="col" class="k wraps">${name}</th>`)}</tr></thead>
    <tbody>${weights.map((row, h) => html`<tr><th scope="row">head ${h}</th>${row.map((w) => html`<td style=${weightStyle(w)}>${number(w, cellText(w))}</td>`)}</tr>`)}</tbody></table>
    <p class="small">Each head finds ${d / n_heads} number${d === n_heads ? "" : "s"}. Side by side, times ${letter("W", "")}<sub>${letter("O", "")}</sub>, they are the scores of both answers.</p>
    <table class="found" aria-label="What each head finds"><tbody>${rowsOf(found, d / n_heads).map(
      (part, h) => html`<tr><th scope="row">head ${h}</th>
      <td>${part.map((x) => html`${number(x, fixed(x, 2))} `)}</td></tr>`,
    )}</tbody></table>`;

  return (now) => {
    const { n_heads, item_things, first, second } = now;
    const place = ground();
    const items = item_colours.map((c, i) => [c, item_things[i]]);
    const result = answerWith(byCount[counts.indexOf(n_heads)], n_heads, items, [
      item_colours[first],
      item_colours[second],
    ]);
    const { weights, chances } = result;
    // Heads that there are not wait in the middle, so that one becomes several.
    const rows = view.glide(
      "beams",
      Array.from({ length: most }, (_, h) =>
        h < n_heads
          ? [(place.height * (h + 0.5)) / n_heads, 1, ...weights[h]]
          : [place.height / 2, 0, ...names.map(() => 0)],
      ),
    );
    const told = chances.map((row, i) => {
      const [said] = argsortDown(row);
      const right = item_things[[first, second][i]];
      return html`${i > 0 ? "; " : ""}<b class="q">${names[[first, second][i]]}</b>: <b class="o">${things[said]}</b> ${number(row[said], weightText(row[said]))}${
        said === right ? ", right" : `, wrong (it is ${things[right]})`
      }`;
    });
    return {
      headline: html`${capital(countWord(n_heads))} head${n_heads === 1 ? "" : "s"}. ${told}.`,
      picture: html`${chart(now)}<div class="desk ${n_heads === 1 ? "alone" : ""}" style="height: ${px(place.height)}px">
          <svg height=${place.height} viewBox="0 0 ${view.width} ${place.height}" role="group" aria-label="Heads">${beams(place, rows, now)}</svg>
          ${chip("first", 0, place, now)}
          <button type="button" class="swap" style="top: ${px(place.height / 2 - 14)}px; width: ${place.chip.width}px" @click=${swap}>Swap</button>
          ${chip("second", 1, place, now)}
          ${names.map((_, j) => item(j, place, now))}
          ${place.isNarrow ? nothing : chances.map((row, i) => answer(row, i, place, now))}</div>
        ${place.isNarrow ? html`<div class="below">${chances.map((row, i) => answer(row, i, place, now))}</div>` : nothing}`,
      controls: html`${
        counts.includes(d)
          ? html`<p class="small reason" style=${view.read().n_heads === d ? "" : "visibility: hidden"}>Each
        key is one number here, so the colours stand on a line: a head can favour an end of it, no colour in between.</p>`
          : nothing
      }`,
      folded: "The numbers",
      numbers: table(result, now),
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = {
  n_heads: oneOf("H", ({ counts }) => counts),
  item_things: listOf(
    plain,
    "things",
    (x, { item_colours, things }) =>
      x.length === item_colours.length &&
      x.every((t) => Number.isInteger(t) && t >= 0 && t < things.length),
  ),
  first: placeIn("first", askedOf),
  second: placeIn("second", askedOf),
};

export default explorer("binding", "Two things asked for at once", build, {
  traits,
});
