// AttentionExplorer: a wall of heads, arcs from the token that asks, and the map of all weights.

import { argsortDown, dot, entropy, softmax, sum } from "../core/compute.js";
import { button, choice, idOf, selectBox, temperatureSlider, tick } from "../core/controls.js";
import { barHead, px, weightBar, wordWidth } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import {
  capital,
  cellText,
  countWord,
  fixed,
  listed,
  weightStyle,
  weightText,
} from "../core/format.js";
import { cutTo, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { equal } from "../core/motion.js";
import { letter, number, uniqueId } from "../core/text.js";
import {
  listOf,
  nameText,
  oneOf,
  onlyIf,
  placeIn,
  placeNamed,
  plain,
  rowsOf,
} from "../core/traits.js";

// == compute ==================================================================================

// Whether query i may attend to key j. The causal mask goes by place, padding with its tokens.
const MASKS = {
  none: () => true,
  causal: (i, j, real, places) => places[j] <= places[i],
  padding: (i, j, real) => j < real,
};

// What query i may attend to, and its weights; with lengths, shares of weight times length.
function attendFrom(row, i, temperature, mask, real, places, lengths) {
  const open = row.map((score, j) => score > -Infinity && MASKS[mask](i, j, real, places));
  const weights = softmax(row, temperature, open);
  return { open, weights: lengths ? sharesOf(weights.map((w, j) => w * lengths[j])) : weights };
}

export const attendAll = (scores, ...how) => scores.map((row, i) => attendFrom(row, i, ...how));

// Parts of their sum.
function sharesOf(parts) {
  const total = sum(parts) || 1;
  return parts.map((part) => part / total);
}

// Another order of the tokens, and not their own where there is a third.
export function shuffled(order) {
  for (;;) {
    const next = argsortDown(order.map(() => Math.random()));
    if (!equal(next, order) && (next.length < 3 || !isOwn(next))) return next;
  }
}

// The order that tokens come in.
export const ownOrder = ({ length }) => Array.from({ length }, (_, i) => i);

export const isOwn = (order) => order.every((item, i) => item === i);

// The place of each token.
export const placesOf = (order) => order.map((_, token) => order.indexOf(token));

// The slices of one sentence, out of the flat scores of all: each slice a list of rows.
function slicesOf(table, shapes, count, at) {
  const lengths = shapes.map(([queries, keys]) => count * queries * keys);
  const start = sum(lengths.slice(0, at));
  const [queries, keys] = shapes[at];
  return rowsOf(table.slice(start, start + lengths[at]), queries * keys).map((slice) =>
    rowsOf(slice, keys),
  );
}

const tokensOf = ({ sentences, sentence }) =>
  (sentences.find(({ name }) => name === sentence) ?? sentences[0]).tokens;

// An index over several axes, by the labels at it, with commas between them.
const placesIn = (name, axes) => {
  const labels = (now) =>
    axes(now).map((axis) => axis.labels.map((label) => String(label).replaceAll(",", ";")));
  return {
    ...plain,
    address: {
      name,
      say: (index, now) =>
        labels(now)
          .map((list, i) => nameText(list, index[i]))
          .join(),
      take(text, now) {
        const [parts, all] = [text ? text.split(",") : [], labels(now)];
        const index = all.map((list, i) => placeNamed(list, parts[i]));
        return onlyIf(index, parts.length === all.length && !index.includes(-1));
      },
    },
  };
};

// == page =====================================================================================

const TRAVEL = 400; // ms in which tokens go to other places: first the rows, then the columns
const LEAST = 0.015; // a weight below has no arc
const MOST_ALIVE = 14; // larger maps jump
const MOST_NUMBERS = 12; // columns of a map with numbers in its cells
const ABREAST = 12; // tiles of one axis in a line

const ORDERED = html`A row asks (${letter("q")}), a column is asked (${letter("k")}).`;
const TILES = "In a tile, bars are what the tokens get";
const SHUFFLED = "Rows and columns moved with their tokens; each weight stays with its pair.";
const BY_PLACE = "The tokens moved, the causal mask did not: each sees what stands before it.";

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const {
    sentences,
    key_tokens: others,
    axes,
    masks,
    n_real: real,
    norm_table,
    elsewhere,
  } = view.read();
  const isCross = others.length > 0;
  const keysOf = (s) => (isCross ? others : sentences[s].tokens);
  const shapes = sentences.map(({ tokens }, s) => [tokens.length, keysOf(s).length]);
  const sizes = axes.map(({ labels }) => labels.length);
  const count = sizes.reduce((product, size) => product * size, 1);
  const isWall = count > 1 && !(axes.length === 1 && axes[0].choose);
  const indexOf = (slice) =>
    axes.length === 2 ? [Math.floor(slice / sizes[1]), slice % sizes[1]] : [slice];
  const nameOf = (index) =>
    axes
      .map(({ name, labels, choose }, axis) =>
        choose ? `${name} “${labels[index[axis]]}”` : `${name} ${labels[index[axis]]}`,
      )
      .join(", ");
  const fan = uniqueId("fan");
  let isSorted = false; // the wall, by where its slices look
  let lit = -1; // the key under the pointer
  let landing = []; // where the columns go once the rows are there
  let loaded = {};

  // The slices of the sentence now, and the lengths of its keys.
  function load({ sentence, score_table }) {
    const s = Math.max(
      0,
      sentences.findIndex(({ name }) => name === sentence),
    );
    if (loaded.s !== s || loaded.score_table !== score_table) {
      const flat = shapes.map(([, n]) => [1, n]);
      loaded = {
        s,
        score_table,
        slices: slicesOf(score_table, shapes, count, s),
        norms: norm_table.length ? slicesOf(norm_table, flat, count, s).map(([row]) => row) : [],
      };
    }
    return loaded;
  }

  // -- the wall: a tile for each slice, with the row of the token that asks as bars

  // The slices in the order of their tiles: as they are, or by the key that has most of the weight.
  function tilesOf(rows) {
    const tops = rows.map((row) => argsortDown(row)[0]);
    return isSorted
      ? ownOrder(rows).sort((a, b) => tops[a] - tops[b] || rows[b][tops[b]] - rows[a][tops[a]])
      : ownOrder(rows);
  }

  function wall(rows, asker, chosen, tiles) {
    const isNarrow = view.width <= 600;
    const most = axes.length === 2 ? sizes[1] : Math.min(ABREAST, count);
    const side = Math.min(40, 4 + Math.ceil(Math.max(...axes[0].labels.map(textWidth))));
    const [left, high, gap] = isNarrow ? [side, 26, 2] : [56, 24, 3];
    const top = axes.length === 2 ? 16 : 0;
    const columns = most > 1 && view.width - left < 24 * most ? Math.ceil(most / 2) : most; // tiles can be pressed
    const lines = Math.ceil(count / columns);
    const wide = (view.width - left) / columns;
    const places = placesOf(tiles);
    // Sorted tiles are no table: the chosen one alone keeps its labels.
    const [line, column] = [Math.floor(places[chosen] / columns), places[chosen] % columns];
    const labels = (axis, length, room, own, others) =>
      Array.from({ length }, (_, i) => {
        const text = !isSorted
          ? others(i)
          : i === own
            ? axes[axis].labels[indexOf(chosen)[axis]]
            : "";
        return cutTo(
          text && !isNarrow && (isSorted || i === 0) ? `${axes[axis].name} ${text}` : text,
          room,
        );
      });
    const sides = labels(0, lines, left - 4, line, (i) => axes[0].labels[indexOf(i * columns)[0]]);
    const tops =
      !top || most % columns
        ? []
        : labels(1, columns, wide, column, (i) =>
            axes[1].labels.filter((_, j) => j % columns === i).join(", "),
          );
    const seats = view.glide(
      "seats",
      places.map((place) => [place % columns, Math.floor(place / columns)]),
      TRAVEL,
    );
    const n = rows[0].length;
    const drawn = count * n > 1000 ? rows : view.glide("wall", rows);
    const paths = { tile: "", k: "", q: "" };
    drawn.forEach((row, i) => {
      const [x, y] = [
        left + seats[i][0] * wide + gap / 2,
        px(top + (seats[i][1] + 1) * high - gap / 2),
      ];
      const [tile, bar] = [wide - gap, (wide - gap - 4) / n];
      paths.tile += `M${px(x)} ${y}h${px(tile)}v${gap - high}h${px(-tile)}z`;
      row.forEach((w, j) => {
        const [up, thick] = [
          Math.max(0.6, w * (high - gap - 3)),
          Math.max(0.4, bar - (bar > 3 ? 1 : 0)),
        ];
        paths[j === asker ? "q" : "k"] +=
          `M${px(x + 2 + j * bar)} ${y}h${px(thick)}v${px(-up)}h${px(-thick)}z`;
      });
    });
    const step = (event) => {
      // up and down by a line; the browser itself goes sideways
      const by = { ArrowUp: -columns, ArrowDown: columns }[event.key];
      if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const to = places[chosen] + by;
      if (to < 0 || to >= count) return;
      view.set({ index: indexOf(tiles[to]) });
      /** @type {NodeListOf<HTMLElement>} */ (view.root.querySelectorAll(".tiles input"))[
        to
      ].focus();
    };
    return html`<div class="wall" style="--left: ${left}px; --top: ${top}px; --high: ${high}px; --across: ${columns}">
      <svg height=${top + lines * high} viewBox="0 0 ${view.width} ${top + lines * high}" aria-hidden="true">
        ${tops.map((text, i) => svg`<text class="dim" text-anchor="middle" x=${px(left + (i + 0.5) * wide)} y="11">${text}</text>`)}
        ${top && !isNarrow ? svg`<text class="verb" y="11">press ↓</text>` : nothing}
        ${sides.map((text, i) => svg`<text class="dim" text-anchor="end" x=${left - 4} y=${top + (i + 0.5) * high + 4}>${text}</text>`)}
        <path class="tile" d=${paths.tile}/><path class="k" d=${paths.k}/><path class="q" d=${paths.q}/></svg>
      <fieldset class="tiles" @keydown=${step}><legend class="unseen">${capital(axes.map(({ name }) => name).join(" and "))}</legend>
        ${tiles.map(
          (
            i,
          ) => html`<label @pointerenter=${view.look({ index: indexOf(i) })} @pointerleave=${view.unlook}>
          <input type="radio" name=${idOf(view, "tiles")} aria-label=${nameOf(indexOf(i))} data-now=${i === chosen}
            @input=${() => view.set({ index: indexOf(i) })}><span></span></label>`,
        )}</fieldset></div>`;
  }

  // -- arcs, names and cells

  // Arcs stand on the columns, links to other keys come from above; as thick as the weight.
  function arcs(row, foot, ends, names, high) {
    const [base, thick, width] = [high - 3, view.width > 600 ? 16 : 11, ends.width];
    const start = isCross ? 20 : base;
    const path = (to) => {
      if (isCross)
        return `M${px(foot)} ${start}C${px(foot)} ${px(high / 2 + 10)} ${px(to)} ${px(high / 2)} ${px(to)} ${base}`;
      if (Math.abs(to - foot) < 1) return `M${px(foot - 8)} ${base}c-28 -60 44 -60 16 0`;
      const handle = (Math.min(high - 14, 24 + 0.3 * Math.abs(to - foot)) * 4) / 3;
      return `M${px(foot)} ${base}C${px(foot)} ${px(base - handle)} ${px(to)} ${px(base - handle)} ${px(to)} ${base}`;
    };
    const loop = (j) => (Math.abs(ends.x(j) - foot) < 1 ? 14 : 0);
    return html`<svg class="arcs" style="width: ${px(width)}px" height=${high} viewBox="0 0 ${px(width)} ${high}" role="img"
      aria-label="${isCross ? "Links" : "Arcs"} from the token that asks to the others: the thicker, the more weight."
      data-thick=${thick}>
      <defs>${row.map(
        (
          _,
          j,
        ) => svg`<linearGradient id="${fan}-${j}" gradientUnits="userSpaceOnUse" y1=${start} y2=${base}
        x1=${px(foot - loop(j))} x2=${px(ends.x(j) + loop(j))}><stop offset="0" stop-color="var(--q)"/>
        <stop offset="1" stop-color="var(--k)"/></linearGradient>`,
      )}</defs>
      ${row.map(
        (
          w,
          j,
        ) => svg`<path class=${lit >= 0 && lit !== j ? "aside" : ""} d=${path(ends.x(j))} stroke="url(#${fan}-${j})"
        stroke-width=${w < LEAST ? 0 : (thick * w).toFixed(2)} stroke-opacity=${Math.min(1, 0.5 + w).toFixed(2)}/>`,
      )}
      <circle class="q" r="4" cx=${px(foot)} cy=${start}/>
      ${
        isCross
          ? svg`<text class="q strong" text-anchor=${foot < 40 ? "start" : foot > width - 40 ? "end" : "middle"}
        x=${px(foot)} y="12">${cutTo(names, 120)}</text>`
          : nothing
      }</svg>`;
  }

  function map(now, rows, s, order, token, winners) {
    const [tokens, keys] = [sentences[s].tokens, keysOf(s)];
    const isNarrow = view.width <= 600;
    const names = wordWidth(
      sentences.flatMap((each) => each.tokens),
      44,
      isNarrow ? 76 : 96,
    );
    const wide = Math.min(128, (view.width - names) / keys.length);
    const room = isWall ? 180 : isNarrow ? 230 : 300;
    const high = Math.max(24, Math.min(isNarrow ? 32 : 40, room / tokens.length));

    // Rows travel first, then columns.
    const places = placesOf(order);
    const down = view.glide("down", places, TRAVEL);
    if (isCross) landing = ownOrder(keys);
    else if (equal(down, places) || landing.length !== places.length) landing = places;
    const across = view.glide("across", landing, TRAVEL);
    const asks = view.glide(
      "asks",
      tokens.map((_, i) => (i === token ? 1 : 0)),
    );
    const matrix = rows.map(({ weights }) => weights);
    const drawn = tokens.length <= MOST_ALIVE ? view.glide("cells", matrix) : matrix;
    const row = view.glide("row", matrix[token]);
    const vars = [
      ...down.map((y, i) => `--r${i}: ${y.toFixed(3)}`),
      ...across.map((x, j) => `--c${j}: ${x.toFixed(3)}`),
    ];
    const foot = isCross
      ? (dot(asks, ownOrder(tokens)) + 0.5) * ((wide * keys.length) / tokens.length)
      : (dot(asks, across) + 0.5) * wide;

    // Names of columns lie in the largest type that fits, or stand upright; what has no room gives way.
    const longest = Math.max(...keys.map(textWidth)) / 12;
    const size = [17, 15, 13, 12].find((each) => each * longest + 8 <= wide);
    const tall = size ? 30 : Math.min(84, 14 + 12 * longest);
    const every = Math.ceil(13 / wide);
    const hasNumbers = keys.length <= MOST_NUMBERS && wide >= 24;

    const under = (event) => event.target.closest?.("[data-at]")?.dataset.at.split(",").map(Number);
    const over = (event) => {
      const [found, before] = [under(event), lit];
      if (!found) return;
      lit = found[1];
      if (!view.look(found[0] < 0 ? null : { token: found[0] })(event)) lit = before;
    };
    const leave = (event) => {
      lit = -1;
      view.unlook(event);
    };
    const press = (event) => {
      const [i] = under(event) ?? [-1];
      if (i < 0 || event.target.closest("label")) return; // a label presses its own input
      view.set({ token: i });
      /** @type {HTMLElement | null} */
      const chosen = view.root.querySelector(".names input:checked");
      chosen?.focus({ preventScroll: true });
    };
    return html`<div class="map" @pointerover=${over} @pointerleave=${leave} @click=${press}
      style="--names: ${names}px; --all: ${px(wide * keys.length)}px; --wide: ${wide.toFixed(2)}px; --high: ${high.toFixed(2)}px; ${vars.join("; ")}">
      ${arcs(row, foot, { x: (j) => (across[j] + 0.5) * wide, width: wide * keys.length }, tokens[token], isWall ? 72 : isNarrow ? 84 : 116)}
      <span class="verb" aria-hidden="true"></span>
      <div class="columns ${size ? "" : "upright"}" aria-hidden="true" style="height: ${tall.toFixed(0)}px; font-size: ${size ?? 12}px">
        ${keys.map(
          (key, j) => html`<span data-at="${isCross ? -1 : j},${j}" style="--x: var(--c${j})"
          class="${isCross || j !== token ? "" : "asks"} ${winners.includes(j) ? "top" : ""} ${Math.round(landing[j]) % every ? "away" : ""}"
          ><span>${key}</span></span>`,
        )}</div>
      <fieldset class="names"><legend class="unseen">Query token</legend>${order.map(
        (
          i,
        ) => html`<label data-at="${i},-1" class=${i === token ? "asks" : ""} style="--y: var(--r${i})">
        <input type="radio" name=${idOf(view, "names")} value=${i} data-now=${i === token} @input=${() => view.set({ token: i })}><span>${tokens[i]}</span></label>`,
      )}</fieldset>
      <div class="cells" role="img" style="height: ${px(high * tokens.length)}px"
        aria-label="Map of the weights: a row for each query, a column for each key. The numbers of the chosen row are in the table.">
        ${rows.map(({ open, weights }, i) =>
          weights.map(
            (w, j) => html`<i data-at="${i},${j}" class=${open[j] ? "" : "masked"}
          style="--x: var(--c${j}); --y: var(--r${i}); ${open[j] ? weightStyle(drawn[i][j]) : ""}">${open[j] && hasNumbers ? number(w, cellText(w)) : nothing}</i>`,
          ),
        )}
        <b class="here" style="--y: ${dot(asks, down).toFixed(3)}"></b>
        ${lit >= 0 && lit < keys.length ? html`<b class="lit" style="--x: var(--c${lit})"></b>` : nothing}</div>
      <p class="small note" role="status">${!isOwn(order) ? (now.mask === "causal" ? BY_PLACE : SHUFFLED) : html`${ORDERED} ${isWall ? `${TILES}${isCross ? "" : "; blue is the one that asks"}.` : ""}`}</p></div>`;
  }

  // -- words

  function headline(token, index, keys, winners, { open, weights }, isLong) {
    const place = nameOf(index);
    const who = html`${place && `${capital(place)}: `}<b class="q">${token}</b>`;
    const n = open.filter(Boolean).length;
    if (n === 0) return html`${who} may attend to nothing: all its weights are 0.`;
    const most = weights[winners[0]];
    const names =
      winners.length > 3
        ? `${countWord(winners.length)} tokens`
        : listed(winners.map((j) => keys[j]));
    return html`${who}${
      n > 2 && winners.length === n
        ? html` attends to all ${countWord(n)} tokens alike, <b>${number(most, weightText(most))}</b>`
        : html`${isLong ? " gets most of its length from " : " attends most to "}<b><span class="k">${names}</span> ${number(most, weightText(most))}</b>${
            winners.length > 1 ? " each" : ""
          }`
    }.`;
  }

  const table = (
    caption,
    keys,
    order,
    { open, weights },
    winners,
  ) => html`<table><caption>${caption}</caption>
    <colgroup><col class="key"><col><col class="weight"></colgroup>
    <thead><tr><th scope="col">key ${letter("k")}</th><td>${barHead(open.filter(Boolean).length)}</td><th scope="col">weight</th></tr></thead>
    <tbody>${order.map(
      (
        j,
      ) => html`<tr class=${winners.includes(j) ? "most" : ""}><th scope="row" class="wraps">${keys[j]}</th>
      <td>${weightBar(weights[j], open.filter(Boolean).length, !open[j])}</td>
      <td>${open[j] ? number(weights[j], weightText(weights[j])) : "masked"}</td></tr>`,
    )}</tbody></table>`;

  return (now) => {
    const { s, slices, norms } = load(now);
    const { index, temperature: t, mask } = now;
    const [{ tokens }, keys] = [sentences[s], keysOf(s)];
    // A sentence that Python chooses comes before its order and its token do.
    const order = now.order.length === tokens.length ? now.order : ownOrder(tokens);
    const token = now.token < tokens.length ? now.token : 0;
    const slice = index.reduce((place, i, axis) => place * sizes[axis] + i, 0);
    const isLong = now.by_length && norms.length > 0;
    const how = (i) => [t, mask, real, placesOf(order), isLong && norms[i]];
    const rows = attendAll(slices[slice], ...how(slice));
    const looks = (i) => slices.map((each, h) => attendFrom(each[i], i, ...how(h)).weights);
    const asked = view.read().token; // what is only looked at moves no tile
    const { open, weights } = rows[token];
    const [most, bits] = [Math.max(...weights), entropy(weights)];
    const winners = ownOrder(keys).filter((j) => open[j] && weights[j] === most);
    const choose = (to) => {
      const { tokens: those } = sentences[to];
      view.set({
        sentence: sentences[to].name,
        order: ownOrder(those),
        token: token < those.length ? token : 0,
      });
    };
    const place = elsewhere && document.getElementById(elsewhere[1].slice(1));
    // Where no Python can run, the page hides its form.
    const link =
      place && !place.closest("[hidden]")
        ? html`<a class="elsewhere" href=${elsewhere[1]} @click=${() =>
            requestAnimationFrame(() =>
              place.scrollIntoView({ block: "center" }),
            )}>${elsewhere[0]}</a>`
        : nothing;
    const heat = temperatureSlider(view, t, (temperature) => view.set({ temperature }));
    const aside = html`
      ${
        masks.length > 1
          ? choice(view, {
              key: "mask",
              legend: "Mask",
              options: masks,
              index: masks.indexOf(mask),
              onInput: (i) => view.set({ mask: masks[i] }),
              previewed: (i) => ({ mask: masks[i] }),
            })
          : nothing
      }
      ${isWall ? nothing : heat}
      ${isCross ? nothing : button("Shuffle", () => view.set({ order: shuffled(order) }))}
      ${norms.length ? tick("weight × length", isLong, (by_length) => view.set({ by_length })) : nothing}`;
    const sentence =
      sentences.length > 1
        ? html`<div class="sentence">${selectBox(view, {
            key: "sentence",
            label: "Sentence",
            value: s,
            onInput: (to) => choose(Number(to)),
            options: { ...sentences.map(({ name }) => name) },
          })}${link}</div>`
        : nothing;
    const sort = () => {
      isSorted = !isSorted;
      view.again();
    };
    return {
      headline: headline(tokens[token], index, keys, winners, rows[token], isLong),
      picture: html`${isWall ? wall(looks(token), isCross ? -1 : token, slice, tilesOf(looks(asked < tokens.length ? asked : 0))) : nothing}
        ${map(now, rows, s, order, token, winners)}`,
      controls: html`
        ${sentence}
        ${
          count > 1 && !isWall
            ? choice(view, {
                key: "axis",
                legend: capital(axes[0].name),
                options: axes[0].labels,
                index: index[0],
                onInput: (i) => view.set({ index: [i] }),
                previewed: (i) => ({ index: [i] }),
              })
            : nothing
        }
        ${isWall ? heat : aside}`,
      more: isWall
        ? html`${button(isSorted ? "Unsort" : "Sort the tiles by top token", sort)}${aside}`
        : undefined,
      numbers: table(
        html`Row of <b class="q">${tokens[token]}</b>: ${isLong ? "shares of weight × length" : html`entropy ${number(bits, fixed(bits, 2))} bits`}`,
        keys,
        isCross ? ownOrder(keys) : order,
        rows[token],
        winners,
      ),
      folded: "The numbers",
    };
  };
};

// What fits in these depends on other traits.
const traits = {
  sentence: oneOf("sentence", ({ sentences }) => sentences.map(({ name }) => name)),
  index: placesIn("at", ({ axes }) => axes),
  token: placeIn("token", tokensOf),
  mask: oneOf("mask", ({ masks }) => masks),
  order: listOf(
    plain,
    "order",
    (x, now) =>
      equal(
        [...x].sort((a, b) => a - b),
        ownOrder(tokensOf(now)),
      ),
    (now) => ownOrder(tokensOf(now)),
  ),
};

export default explorer("explorer", "Attention explorer", build, {
  traits,
});
