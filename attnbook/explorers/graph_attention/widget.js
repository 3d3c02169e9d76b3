// GraphAttentionExplorer: a graph, a receiver, and what it hears from each of its senders.

import { argsortDown, softmax, sum } from "../core/compute.js";
import { choice, idOf, temperatureSlider } from "../core/controls.js";
import { barHead, pathOf, px, weightBar } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { cellText, countWord, fixed, listed, weightText } from "../core/format.js";
import { cutTo, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { letter, number, uniqueId } from "../core/text.js";
import { oneOf, rowsOf, whole } from "../core/traits.js";

// == compute ==================================================================================

// The edges that end at a receiver, the best score first, and their weights: a softmax over these
// edges alone.
export function receive(receivers, scores, receiver, temperature) {
  const own = receivers.flatMap((i, e) => (i === receiver ? [e] : []));
  const edges = argsortDown(own.map((e) => scores[e])).map((at) => own[at]);
  const raw = edges.map((e) => scores[e]);
  return { edges, scores: raw, weights: softmax(raw, temperature) };
}

// Receivers that share two senders or more with the chosen one, and the senders that all of these
// share; nothing unless there are 2 to 8 of each. Self loops are left out.
export function sharing(senders, receivers, receiver) {
  const heard = (i) => senders.filter((j, e) => receivers[e] === i && j !== i);
  const own = heard(receiver);
  const columns = [...new Set([...receivers, receiver])]
    .sort((a, b) => a - b)
    .filter((i) => heard(i).filter((j) => own.includes(j)).length > 1);
  const rows = own.filter((j) => columns.every((i) => heard(i).includes(j))).sort((a, b) => a - b);
  const fits = ({ length }) => length >= 2 && length <= 8;
  return fits(columns) && fits(rows) ? { columns, rows } : undefined;
}

// Ranks from 0, the largest on top; ties share the mean of theirs.
export const ranksOf = (scores) =>
  scores.map((own) => {
    const before = scores.filter((score) => score > own).length;
    return before + (scores.filter((score) => score === own).length - 1) / 2;
  });

const [LEAST, MOST] = [24, 84]; // px across a node: what a finger can hit, and what looks large

const spanOf = (positions, axis) => {
  const all = positions.map((point) => point[axis]);
  return [Math.min(...all), Math.max(...all)];
};

// Half a node, and its ring.
const marginOf = (width) => Math.max(LEAST, Math.min(MOST, width / 8));

// How high a drawing of that width is.
export function heightOf(positions, width) {
  const [across, up] = [0, 1]
    .map((axis) => spanOf(positions, axis))
    .map(([low, high]) => high - low);
  const margin = marginOf(width);
  const inside = across > 0 ? ((width - 2 * margin) * up) / across : up > 0 ? Infinity : 0;
  return Math.round(2 * margin + Math.min(380, inside));
}

// Where nodes are drawn, and how large. The drawing keeps its proportions; y points up. Nodes that
// would overlap are moved apart.
export function placeNodes(positions, width, height) {
  const margin = marginOf(width);
  const spans = [0, 1].map((axis) => spanOf(positions, axis));
  const scale = Math.min(
    ...spans.map(([low, high], axis) => ([width, height][axis] - 2 * margin) / (high - low)),
  );
  const zoom = Number.isFinite(scale) ? scale : 0; // all at one place
  const [x, y] = spans.map(([low, high]) => low + (high - low) / 2);
  const points = positions.map((point) => [
    width / 2 + (point[0] - x) * zoom,
    height / 2 - (point[1] - y) * zoom,
  ]);
  const closest = Math.min(
    ...points.flatMap((a, i) =>
      points.slice(0, i).map((b) => Math.hypot(a[0] - b[0], a[1] - b[1])),
    ),
  );
  const size = Math.round(Math.max(LEAST, Math.min(margin * 1.2, MOST, 0.85 * closest)));
  return { size, points: apart(points, size + 4, width, height) };
}

// Pushes points apart until they are `least` from each other, inside the drawing.
function apart(points, least, width, height) {
  const moved = points.map(([x, y]) => ({ x, y }));
  const inside = (x, side) => Math.max(least / 2, Math.min(side - least / 2, x));
  for (let round = 0, isClose = true; isClose && round < 500; round++) {
    isClose = false;
    moved.forEach((a, i) =>
      moved.slice(0, i).forEach((b, j) => {
        const gap = Math.hypot(a.x - b.x, a.y - b.y);
        if (gap > least - 0.5) return;
        isClose = true;
        // Turned a little, now to one side, now to the other, so that a line can become a zigzag.
        const turn =
          gap === 0 ? 2.4 * (i + j) : Math.atan2(a.y - b.y, a.x - b.x) + (i % 2 ? 0.3 : -0.3);
        const push = (least - gap) / 2;
        for (const [point, by] of [
          [a, push],
          [b, -push],
        ]) {
          point.x = inside(point.x + by * Math.cos(turn), width);
          point.y = inside(point.y + by * Math.sin(turn), height);
        }
      }),
    );
  }
  return moved.map(({ x, y }) => [x, y]);
}

// A point of the curve from `a` to `b`, which leaves the straight line by `bend` of its length.
export function along([ax, ay], [bx, by], bend, t) {
  const side = 4 * bend * t * (1 - t);
  return [ax + t * (bx - ax) - side * (by - ay), ay + t * (by - ay) + side * (bx - ax)];
}

const BENDS = [0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3];

// How an edge from node j to node i is bent, to run round the nodes in its way.
export function bendOf(points, size, j, i) {
  const others = points.filter((_, node) => node !== j && node !== i);
  let [best, least] = [0, Infinity];
  for (const bend of BENDS) {
    const way = Array.from({ length: 29 }, (_, step) =>
      along(points[j], points[i], bend, (step + 1) / 30),
    );
    const hits = others.filter(([x, y]) =>
      way.some((p) => Math.hypot(p[0] - x, p[1] - y) < size / 2 + 3),
    ).length;
    if (hits < least) [best, least] = [bend, hits];
    if (least === 0) break;
  }
  return best;
}

// == page =====================================================================================

const HAIR = 0.75; // px, of an edge whose weight is nothing
const GAP = 2; // px between the receiver and its ring, and between the ring and the arrows
const TELLING = 40; // px across a node from which it has room for its weight
const SAYING = 72; // and for a verb before what it knows
const WIDEST = 0.4; // of a node: an edge of weight 1

const [RANKS, SHELF, APART] = [140, 22, 4]; // px: the chart of ranks, its names below, lines that tie

const ABOUT =
  "The edges of the graph. Those that end at the receiver are as wide as their weights; " +
  "the table has the numbers.";

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { names, positions: flat, senders, receivers, mechanisms, wants, knows } = view.read();
  const positions = rowsOf(flat, 2);
  const columns = sum(mechanisms.map(({ heads }) => heads));
  const most = Math.max(...names.map((_, i) => receivers.filter((to) => to === i).length));
  const isRanked = mechanisms.length > 1 && names.some((_, i) => sharing(senders, receivers, i));
  const gradient = uniqueId("edge");
  const isEdge = new Set(senders.map((j, e) => `${j} ${receivers[e]}`));
  const goesBack = senders.map((j, e) => isEdge.has(`${receivers[e]} ${j}`));
  /** @type {any} */
  let layout = {};

  // Where all is, for a width; the bends as they are asked for.
  function laidOut(width) {
    if (layout.width !== width) {
      const height = heightOf(positions, width);
      const { size, points } = placeNodes(positions, width, height);
      const verb = size < SAYING ? "" : "knows ";
      const widest = Math.max(
        ...[...names, ...knows.map((topic) => verb + topic)].map(textWidth),
        ...wants.map(textWidth),
      );
      const letters = Math.max(
        10,
        Math.min(14, (12 * (size - 10)) / widest, knows.length ? 0.23 * size : 14),
      );
      layout = { width, height, size, points, letters, bends: new Map() };
    }
    return layout;
  }
  const bend = ({ points, size, bends }, e) => {
    if (!bends.has(e)) bends.set(e, bendOf(points, size, senders[e], receivers[e]));
    return bends.get(e);
  };

  // The edges that do not end at the receiver: lines, and marks on those that have one direction.
  function faint({ points }, receiver) {
    let [lines, marks] = ["", ""];
    senders.forEach((j, e) => {
      const i = receivers[e];
      if (i === receiver || i === j || (goesBack[e] && (j > i || j === receiver))) return;
      lines += pathOf([points[j], points[i]]);
      if (goesBack[e]) return;
      const [x, y] = along(points[j], points[i], 0, 0.6);
      const turn = Math.atan2(points[i][1] - points[j][1], points[i][0] - points[j][0]);
      const [left, right] = [2.6, -2.6].map((by) => [
        x + 6 * Math.cos(turn + by),
        y + 6 * Math.sin(turn + by),
      ]);
      marks += pathOf([left, [x, y], right]);
    });
    // So many lines that they would become a surface are thinner.
    return svg`<path class="others" stroke-width=${senders.length > 120 ? 0.5 : 1} d=${lines}/><path class="others marks" d=${marks}/>`;
  }

  // An edge with its weight: from the ochre of its key to the blue of its query.
  function edge(place, e, weight, role, rim) {
    const { points, size } = place;
    const [from, to] = [points[senders[e]], points[receivers[e]]];
    const thick = Math.max(HAIR, WIDEST * size * weight);
    if (senders[e] === receivers[e]) {
      return svg`<circle class=${role} stroke="var(--k)" stroke-width=${thick.toFixed(2)} cx=${px(to[0])} cy=${px(to[1])} r=${(size / 2 + GAP + thick / 2).toFixed(2)}/>`;
    }
    const [mx, my] = along(from, to, 2 * bend(place, e), 0.5); // where the ends of the curve point
    const far = Math.hypot(to[0] - mx, to[1] - my) || 1;
    const [ux, uy] = [(to[0] - mx) / far, (to[1] - my) / far];
    const isHidden = role.includes("hidden");
    const [length, half] = [isHidden ? 0 : 5 + thick / 2, 2.5 + 0.65 * thick];
    const tip = [to[0] - ux * (size / 2 + rim + GAP), to[1] - uy * (size / 2 + rim + GAP)];
    const [bx, by] = [tip[0] - ux * length, tip[1] - uy * length];
    const head = [tip, [bx - uy * half, by + ux * half], [bx + uy * half, by - ux * half]];
    const id = `${gradient}-${e}`;
    return svg`<linearGradient id=${id} gradientUnits="userSpaceOnUse" x1=${px(from[0])} y1=${px(from[1])} x2=${px(to[0])} y2=${px(to[1])}>
        <stop offset="0" stop-color="var(--k)"/><stop offset="1" stop-color="var(--q)"/></linearGradient>
      <path class=${role} stroke=${isHidden ? "var(--field)" : `url(#${id})`} stroke-width=${thick.toFixed(2)}
        d="${pathOf([from])}Q${px(mx)} ${px(my)} ${px(bx)} ${px(by)}"/>
      ${isHidden ? nothing : svg`<path class="tip" d=${pathOf(head)}/>`}`;
  }

  // A node is a radio button that stands on the drawing. The receiver shows what it wants, its
  // senders what they know.
  function node({ points, size, letters }, i, receiver, share, weight) {
    const isReceiver = i === receiver;
    const isSender = !isReceiver && share !== undefined;
    const shown = cutTo(names[i], (12 * (size - 6)) / letters);
    const verb = html`<i class=${size < SAYING ? "unseen" : ""}>knows </i>`;
    return html`<label class=${isReceiver ? "receiver" : isSender ? "sender" : ""} title=${shown === names[i] ? nothing : names[i]}
      style="left: ${px(points[i][0])}px; top: ${px(points[i][1])}px; --share: ${(100 * weight).toFixed(1)}%"
      @pointerenter=${view.look({ receiver: i })} @pointerleave=${view.unlook}>
      <input type="radio" name=${idOf(view, "node")} value=${i} data-now=${isReceiver} @input=${() => view.set({ receiver: i })}>
      <span><bdi>${shown}</bdi>${
        knows.length === 0
          ? nothing
          : isReceiver
            ? html`<small>wants</small><small>${wants[i]}</small>`
            : isSender
              ? html`<small>${verb}${knows[i]}</small>`
              : size < TELLING
                ? nothing
                : html`<small class="dim">wants</small><small class="dim">${wants[i]}</small>`
      }${
        share === undefined || size < TELLING || (isReceiver && knows.length)
          ? nothing
          : html`<small aria-hidden="true" class="amount">${Number.isNaN(share) ? "" : cellText(share)}</small>`
      }</span></label>`;
  }

  function graph(receiver, { edges, scores, weights }) {
    const { width } = view;
    const place = laidOut(width);
    const { height, size, letters } = place;
    const own = new Map(edges.map((e, rank) => [e, rank]));
    const drawn = view.glide(
      "weights",
      receivers.map((_, e) => weights[own.get(e)] ?? 0),
    );
    const other = receiver === 0 ? 1 : 0; // one to press
    const ring = senders.findIndex((j, e) => j === receiver && own.has(e));
    const rim = ring < 0 ? 0 : GAP + Math.max(HAIR, WIDEST * size * drawn[ring]);
    const from = new Map(
      edges.map((e, rank) => [senders[e], scores[rank] === -Infinity ? NaN : weights[rank]]),
    );
    const strength = new Map(edges.map((e) => [senders[e], drawn[e]]));
    return html`<fieldset class="nodes"
      style="height: ${height}px; --node: ${size}px; --letters: ${letters.toFixed(1)}px; --rim: ${rim.toFixed(1)}px"><legend class="unseen">Receiving node</legend>
      <svg viewBox="0 0 ${width} ${height}" height=${height} role="img" aria-label=${ABOUT}>${faint(place, receiver)}${senders.map(
        (_, e) =>
          own.has(e)
            ? edge(
                place,
                e,
                drawn[e],
                `edge ${scores[own.get(e)] === -Infinity ? "hidden" : ""}`,
                rim,
              )
            : drawn[e] > 0
              ? edge(place, e, drawn[e], "leaving", 0)
              : nothing,
      )}<text class="verb" x=${px(place.points[other][0])} y=${px(place.points[other][1] - size / 2 - 6)} text-anchor="middle">press</text></svg>
      ${names.map((_, i) => node(place, i, receiver, from.get(i), strength.get(i) ?? 0))}</fieldset>
      <p class="small">An arrow is as wide as its weight.${ring < 0 ? "" : " The ring goes to itself."}</p>`;
  }

  function table(receiver, { edges, scores, weights }, open, hasWinner) {
    const row = most > 12 ? 24 : 30;
    const top = Math.max(...weights);
    return html`<div class="list" style="min-height: ${51 + row * most}px; --row: ${row}px">
      <table aria-label="Senders of the receiver, the best score first">
      <colgroup><col class="name">${knows.length ? html`<col class="topic">` : nothing}<col class="score"><col><col class="weight"></colgroup>
      <thead><tr><th scope="col">sender ${letter("j", "k")}</th>${knows.length ? html`<th scope="col" class="topic">knows</th>` : nothing}
        <th scope="col">score</th><td class="barcell">${barHead(open)}</td><th scope="col">weight</th></tr></thead>
      <tbody>${edges.map((e, rank) => {
        const [w, isHidden, fits] = [
          weights[rank],
          scores[rank] === -Infinity,
          knows[senders[e]] === wants[receiver],
        ];
        return html`<tr class=${hasWinner && w === top ? "top-row" : ""}><th scope="row" title=${names[senders[e]]}>${names[senders[e]]}${
          senders[e] === receiver ? html`<span class="q"> (self)</span>` : nothing
        }</th>
          ${knows.length ? html`<td class="topic ${fits ? "fits" : ""}">${knows[senders[e]]}${fits ? " ✓" : ""}</td>` : nothing}
          <td>${number(scores[rank], fixed(scores[rank], 2))}</td><td class="barcell">${weightBar(w, open, isHidden)}</td>
          <td>${number(w, isHidden ? "hidden" : weightText(w))}</td></tr>`;
      })}</tbody></table>${open > 1 ? html`<p class="small">Dotted: 1/${open}, if all weighed the same.</p>` : nothing}</div>`;
  }

  // The shared senders in the order of each receiver: a line for each sender.
  function ranking(receiver, heardBy) {
    const shared = sharing(senders, receivers, receiver);
    if (!shared) return html`<div class="ranks"></div>`;
    const { columns: across, rows } = shared;
    const heard = across.map((i) => {
      const { edges, scores, weights } = heardBy(i);
      const at = rows.map((j) => edges.findIndex((e) => senders[e] === j));
      return { scores: at.map((rank) => scores[rank]), weights: at.map((rank) => weights[rank]) };
    });
    const ranks = heard.map(({ scores }) => ranksOf(scores));
    const step = (RANKS - SHELF - 24) / (rows.length - 1);
    const heights = ranks.map((column) =>
      column.map((rank, row) => {
        const ties = column.flatMap((other, at) => (other === rank ? [at] : []));
        return 12 + step * rank + APART * (ties.indexOf(row) - (ties.length - 1) / 2);
      }),
    );
    const first = argsortDown(heard[0].scores);
    const labels = rows.map((_, row) => 12 + step * first.indexOf(row));
    const drawn = view.glide(
      `ranks ${across} ${rows}`,
      [...labels, ...heights.flat(), ...heard.flatMap(({ weights }) => weights)],
      400,
    );
    const n = rows.length;
    const gutter = Math.min(90, Math.max(...rows.map((j) => textWidth(names[j]))) + 10);
    const wide = (view.width - gutter) / across.length;
    const x = (at) => gutter + wide * (at + 0.5);
    const y = (at, row) => drawn[n * (at + 1) + row];
    const share = (at, row) => drawn[n * (across.length + 1 + at) + row];
    const isFlat = ranks.every((column) => new Set(column).size === 1);
    const isOne = ranks.every((column) => column.every((rank, row) => rank === ranks[0][row]));
    const many = countWord(across.length);
    const said = isFlat
      ? "All senders count the same"
      : isOne
        ? `One order of senders for ${across.length === 2 ? "both" : `all ${many}`}`
        : new Set(ranks.map(String)).size === across.length
          ? "Each receiver has an order of its own"
          : "Not all receivers have the same order";
    const line = (row) =>
      `${pathOf([[gutter, drawn[row]]])}${across
        .map((_, at) => {
          const [from, was] = at ? [x(at - 1), y(at - 1, row)] : [gutter, drawn[row]];
          const half = (from + x(at)) / 2;
          return `C${px(half)} ${px(was)} ${px(half)} ${px(y(at, row))} ${px(x(at))} ${px(y(at, row))}`;
        })
        .join("")}`;
    return html`<div class="ranks"><p class="small">${said}. <span>The best score is on top; a dot is as large as the weight.</span></p>
      <svg viewBox="0 0 ${view.width} ${RANKS}" height=${RANKS} role="img" aria-label="${said}: ${across
        .map(
          (i, at) =>
            `${names[i]}: ${argsortDown(heard[at].scores)
              .map((row) => names[rows[row]])
              .join(", ")}`,
        )
        .join("; ")}">
      ${across.map(
        (
          i,
          at,
        ) => svg`<g class=${i === receiver ? "column chosen" : "column"} @pointerenter=${view.look({ receiver: i })}
          @pointerleave=${view.unlook} @click=${() => view.set({ receiver: i })}><rect x=${px(gutter + wide * at)} y="0" width=${px(wide)} height=${RANKS}/>
          <line x1=${px(x(at))} x2=${px(x(at))} y1="4" y2=${RANKS - SHELF}/><text x=${px(x(at))} y=${RANKS - 6} text-anchor="middle">${cutTo(names[i], wide - 4)}</text></g>`,
      )}
      ${rows.map(
        (j, row) =>
          svg`<text x="0" y=${px(drawn[row] + 4)}>${cutTo(names[j], gutter - 8)}</text><path d=${line(row)}/>${across.map(
            (_, at) =>
              svg`<circle cx=${px(x(at))} cy=${px(y(at, row))} r=${px(Math.max(1.5, 8 * Math.sqrt(share(at, row))))}/>`,
          )}`,
      )}</svg></div>`;
  }

  // What the headline says of the receiver.
  function inWords({ edges, weights }, open) {
    if (edges.length === 0) return " hears nobody: no edge ends at it.";
    if (open === 0) return " hears nobody: its edges are hidden, all weights are 0.";
    const top = Math.max(...weights);
    const winners = edges
      .filter((_, rank) => weights[rank] === top)
      .map((e) => `${names[senders[e]]}${senders[e] === receivers[e] ? " (self)" : ""}`);
    const share = number(top, weightText(top));
    const named = html`<b class="k">${winners.length > 3 ? `${countWord(winners.length)} senders` : listed(winners)}</b>`;
    return html` hears ${
      open === 1
        ? html`${named} alone, ${share}`
        : open > 2 && winners.length === open
          ? html`all ${countWord(open)} alike, ${share} each`
          : html`${named} most, ${share}${winners.length > 1 ? " each" : ""}`
    }.`;
  }

  return ({ score_table, receiver, temperature: t, mechanism, head: wanted }) => {
    const chosen = mechanisms.findIndex(({ name }) => name === mechanism);
    const { heads, note } = mechanisms[chosen];
    const head = Math.min(wanted, heads - 1); // Python sends a new one a little later
    const column = sum(mechanisms.slice(0, chosen).map((other) => other.heads)) + head;
    const scores = rowsOf(score_table, columns).map((row) => row[column]);
    const heardBy = (i) => receive(receivers, scores, i, t);
    const heard = heardBy(receiver);
    const open = heard.scores.filter((score) => score > -Infinity).length;
    const hasWinner =
      open === 1 ||
      new Set(heard.weights.filter((_, rank) => heard.scores[rank] > -Infinity)).size > 1;
    const scored = (i) => ({
      mechanism: mechanisms[i].name,
      head: Math.min(wanted, mechanisms[i].heads - 1),
    });
    const lines = Math.ceil(
      Math.max(...mechanisms.map((each) => textWidth(each.note))) / view.width,
    );
    return {
      headline: html`<b class="q">${names[receiver]}</b>${knows.length ? ` wants ${wants[receiver]} and` : ""}${inWords(heard, open)}`,
      picture: html`${graph(receiver, heard)}${isRanked ? ranking(receiver, heardBy) : nothing}`,
      controls:
        mechanisms.length > 1 || note
          ? html`<div class="how">${
              mechanisms.length > 1
                ? choice(view, {
                    key: "by",
                    legend: "Score",
                    options: mechanisms.map(({ name }) => name),
                    index: chosen,
                    previewed: scored,
                    onInput: (i) => view.set(scored(i)),
                  })
                : nothing
            }<p class="small" style="min-height: ${lines}lh">${note}</p></div>`
          : undefined,
      more: html`${temperatureSlider(view, t, (to) => view.set({ temperature: to }))}
        ${
          mechanisms.some((each) => each.heads > 1)
            ? html`<div class="heads" style=${heads > 1 ? "" : "visibility: hidden"}>${choice(
                view,
                {
                  key: "head",
                  legend: "Head",
                  options: Array.from({ length: heads }, (_, i) => String(i)),
                  index: head,
                  previewed: (i) => ({ head: i }),
                  onInput: (i) => view.set({ head: i }),
                },
              )}</div>`
            : nothing
        }`,
      numbers: table(receiver, heard, open, hasWinner),
      folded: "The numbers",
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = {
  mechanism: oneOf("by", ({ mechanisms }) => mechanisms.map(({ name }) => name)),
  head: whole(
    "head",
    0,
    ({ mechanisms, mechanism }) => mechanisms.find(({ name }) => name === mechanism).heads - 1,
  ),
};

export default explorer("graph", "Graph attention explorer", build, {
  traits,
});
