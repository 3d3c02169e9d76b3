// PlaneExplorer: a query and keys as arrows in a plane, and the output among the values.

import { dot, softmax } from "../core/compute.js";
import { tick } from "../core/controls.js";
import { pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { countWord, fixed, listed, weightText } from "../core/format.js";
import { covering, cutTo, placeLabels, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { HANDLE, handle, pointText, within } from "../core/points.js";
import { drawnLetter, letter, number } from "../core/text.js";
import { rowsOf } from "../core/traits.js";

// == compute ==================================================================================

// Scores by dot product, their softmax, and the mean of the values.
export function attendInPlane(q, keys, values) {
  const scores = keys.map((k) => dot(q, k));
  const weights = softmax(scores, 1);
  const output = [0, 1].map((axis) =>
    dot(
      weights,
      values.map((v) => v[axis]),
    ),
  );
  return { scores, weights, output };
}

// The corners of the smallest polygon around points, in order, as indices. What lies on a side is
// no corner.
export function hull(points) {
  const order = points
    .map((_, i) => i)
    .sort((a, b) => points[a][0] - points[b][0] || points[a][1] - points[b][1])
    .filter((i, place, all) => place === 0 || String(points[i]) !== String(points[all[place - 1]]));
  const turnsLeft = (a, b, c) => {
    const [[ax, ay], [bx, by], [cx, cy]] = [points[a], points[b], points[c]];
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 1e-12;
  };
  const chain = (items) => {
    const corners = [];
    for (const i of items) {
      while (corners.length > 1 && !turnsLeft(corners.at(-2), corners.at(-1), i)) corners.pop();
      corners.push(i);
    }
    return corners.slice(0, -1);
  };
  return [...chain(order), ...chain([...order].reverse())];
}

// How far arrows may be pulled: the room around all points, on both axes.
export const roomFor = (points) =>
  [0, 1].map(
    (axis) => Math.ceil(2.4 * Math.max(0.5, ...points.map((point) => Math.abs(point[axis])))) / 2,
  );

/**
 * Where a label beside the end of an arrow may stand: all around it, best where the arrow points to.
 * @param {number[]} tip
 * @param {number[]} way
 * @param {number} width
 * @param {number} gap
 * @param {number[]} size
 */
export function placesAround([x, y], way, width, gap, [right, bottom]) {
  const ahead = Math.atan2(way[1], way[0]);
  return Array.from({ length: 12 }, (_, i) => {
    const angle = ahead + (i % 2 ? 1 : -1) * Math.ceil(i / 2) * (Math.PI / 6);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const left = x + gap * cos + (cos > 0.4 ? 0 : cos < -0.4 ? -width : -width / 2);
    return { left, top: y + (gap + 5) * sin - 8, width, height: 16, cost: 3 * Math.ceil(i / 2) };
  }).map((box) => ({
    ...box,
    left: Math.max(0, Math.min(right - box.width, box.left)),
    top: Math.max(0, Math.min(bottom - box.height, box.top)),
  }));
}

// == page =====================================================================================

const HEIGHT = 344;

const polygon = (corners) => (corners.length > 1 ? `${pathOf(corners)}Z` : "");

// Points along a line, for labels to keep off.
const dotted = (a, b, n = 12) =>
  Array.from({ length: n + 1 }, (_, i) => a.map((x, axis) => x + ((b[axis] - x) * i) / n));

// And along both edges of an arrow.
function edges([x0, y0], [x1, y1], wide) {
  const turn = Math.atan2(y1 - y0, x1 - x0);
  return [-wide / 2, wide / 2].flatMap((by) => {
    const [dx, dy] = [-by * Math.sin(turn), by * Math.cos(turn)];
    return dotted([x0 + dx, y0 + dy], [x1 + dx, y1 + dy]);
  });
}

// The place of a label that has but one.
const titleBox = (text) => [{ left: 0, top: 0, width: textWidth(text) + 6, height: 16 }];

const textAt = (box) => [px(box.left + 3), px(box.top + 12)];

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { words, axes, query_vector, key_matrix, value_matrix } = view.read();
  const room = roomFor([query_vector, ...rowsOf(key_matrix, 2)]);
  const values = rowsOf(value_matrix, 2);
  let isByHand = false; // what the hand moves is there at once
  const handles = ["query", ...words.map((word) => `key of ${word}`)].map((name, i) =>
    handle(
      name,
      (point) => {
        const [x, y] = within(point, room);
        isByHand = true;
        if (i === 0) view.set({ query_vector: [x, y] });
        else
          view.set({
            key_matrix: view
              .read()
              .key_matrix.with(2 * i - 2, x)
              .with(2 * i - 1, y),
          });
      },
      room,
    ),
  );

  // The query and the keys; each arrow is as thick as its weight.
  function plane(width, q, keys, { scores, weights }, isHull) {
    const points = [q, ...keys];
    const [wide, high] = [0, 1].map((axis) =>
      Math.max(room[axis], ...points.map((point) => Math.abs(point[axis]))),
    );
    const unit = Math.min((width - HANDLE) / 2 / wide, (HEIGHT - HANDLE) / 2 / high);
    const [cx, cy] = [width / 2, HEIGHT / 2];
    const place = ([x, y]) => [cx + unit * x, cy - unit * y];
    const [tips, end] = [keys.map(place), place(q)];
    const way = (/** @type {number[]} */ [x, y]) =>
      Math.hypot(x - cx, y - cy) < 1 ? [-1, 1] : [x - cx, y - cy];
    // Marks at 1, 2, 3, or at 10, 20, 30.
    const mark = unit * 10 ** Math.floor(Math.log10(wide));
    const marks = (half) =>
      Array.from({ length: Math.floor(half / mark) }, (_, i) => [
        -(i + 1) * mark,
        (i + 1) * mark,
      ]).flat();
    const most = Math.max(...weights);
    const isLong = Math.hypot(end[0] - cx, end[1] - cy) >= 6;
    const turn = Math.atan2(end[1] - cy, end[0] - cx);
    // What the query reaches last: a line across it, through the key that scores most.
    const [x, y] = tips[weights.indexOf(most)];
    const far = width + HEIGHT;
    const [dx, dy] = [far * Math.sin(turn), -far * Math.cos(turn)];
    const covered = covering(
      [
        ...tips.flatMap((tip, i) => edges([cx, cy], tip, 1 + 13 * weights[i])),
        ...dotted([cx, cy], end),
        ...(isLong ? dotted([x - dx / 3, y - dy / 3], [x + dx / 3, y + dy / 3], 160) : []),
      ],
      3,
    );
    const size = [width, HEIGHT];
    const shares = weights.map((w) => weightText(w).replace("0.", "."));
    const [, first, ...boxes] = placeLabels(
      [
        titleBox("keys and query"),
        placesAround(end, way(end), textWidth("query q") + 8, 16, size),
        ...words.map((word, i) =>
          placesAround(
            tips[i],
            way(tips[i]),
            textWidth(`${word} ${shares[i]}`) + 6,
            9 + 5.5 * weights[i],
            size,
          ),
        ),
      ],
      (box) => 4 * covered(box),
    );
    return html`<div class="plane" style="width: ${width}px"><svg height=${HEIGHT} viewBox="0 0 ${width} ${HEIGHT}" role="img"
      aria-label="The query and the keys as arrows from one point; an arrow of a key is as thick as its weight.">
      <text class="dim" y="12" aria-hidden="true">keys and query</text>
      <path class="hull k" d=${isHull ? polygon(hull(keys).map((i) => tips[i])) : ""}/>
      <path class="hair" d="M0 ${cy}H${width}M${cx} 0V${HEIGHT}"/>
      <path class="marks" d=${[...marks(cx).map((m) => `M${px(cx + m)} ${cy - 3}v6`), ...marks(cy).map((m) => `M${cx - 3} ${px(cy + m)}h6`)].join("")}/>
      <path class="front" d=${
        isLong
          ? pathOf([
              [x - dx, y - dy],
              [x + dx, y + dy],
            ])
          : ""
      }/>
      ${tips.map((tip, i) => svg`<path class="stem" d=${pathOf([[cx, cy], tip])} stroke-width=${(1 + 13 * weights[i]).toFixed(2)}/>`)}
      ${tips.map((tip, i) => svg`<circle class="tip" cx=${px(tip[0])} cy=${px(tip[1])} r=${(4.5 + 5.5 * weights[i]).toFixed(2)}/>`)}
      <path class="query" d=${pathOf([[cx, cy], end])}/>
      ${isLong ? svg`<path class="head" d="M2 0L-14 6.5V-6.5Z" transform="translate(${px(end[0])} ${px(end[1])}) rotate(${px((turn * 180) / Math.PI)})"/>` : nothing}
      ${boxes.map((box, i) => svg`<text class="k halo ${weights[i] === most ? "strong" : ""}" x=${textAt(box)[0]} y=${textAt(box)[1]}>${words[i]} <tspan class="amount">${shares[i]}</tspan></text>`)}
      <text class="q strong halo" x=${textAt(first)[0]} y=${textAt(first)[1]}>query ${drawnLetter("q")}</text></svg>
      ${handles.map((handleAt, i) =>
        i === 0
          ? handleAt(q, end, unit, pointText(q))
          : handleAt(
              keys[i - 1],
              tips[i - 1],
              unit,
              `${pointText(keys[i - 1])}, score ${fixed(scores[i - 1], 2)}, weight ${weightText(weights[i - 1])}`,
            ),
      )}</div>`;
  }

  // The values, the polygon around them, and the output, to which each value pulls by its weight.
  const around = [[0, 0], ...values];
  const [[left, right], [low, high]] = [0, 1].map((axis) => {
    const all = around.map((point) => point[axis]);
    const [from, to] = [Math.min(...all), Math.max(...all)];
    return to > from ? [from, to] : [from - 1, to + 1];
  });
  const outline = hull(values);
  // Words with one value share a label.
  const names = values.map((value, i) =>
    values.findIndex((other) => String(other) === String(value)) < i
      ? ""
      : words.filter((_, j) => String(values[j]) === String(value)).join(", "),
  );

  function mean(width, { weights, output }) {
    const unit = Math.min((width - 120) / (right - left), (HEIGHT - 88) / (high - low));
    const place = ([x, y]) => [
      width / 2 + unit * (x - (left + right) / 2),
      HEIGHT / 2 - unit * (y - (low + high) / 2),
    ];
    const [tips, end, [x0, y0]] = [values.map(place), place(output), place([0, 0])];
    const size = [width, HEIGHT];
    const sides = outline.flatMap((i, j) =>
      dotted(tips[i], tips[outline[(j + 1) % outline.length]], 24),
    );
    const covered = covering([...tips.flatMap((tip) => dotted(tip, end)), end, ...sides], 3);
    const ends = axes.map((text) => cutTo(text, width - 20));
    const [aside, above] = ends.map((text) => ({ width: textWidth(text) + 6, height: 16 }));
    const [, first, ...boxes] = placeLabels(
      [
        titleBox("values"),
        placesAround(end, [1, 1], textWidth("output o") + 8, 14, size),
        ...names.map((name, i) =>
          placesAround(
            tips[i],
            [tips[i][0] - width / 2, tips[i][1] - HEIGHT / 2],
            textWidth(name) + 6,
            9,
            size,
          ),
        ),
        // An axis is named at its end, on the side that is free.
        [1, -18, 17, -34].flatMap((off, j) =>
          [width - aside.width, 0].map((x, i) => ({
            ...aside,
            left: x,
            top: y0 + off,
            cost: 3 * i + 20 * Number(j > 1),
          })),
        ),
        [0, HEIGHT - 16].flatMap((y) =>
          [x0 + 3, x0 - above.width - 3].map((x) => ({
            ...above,
            top: y,
            left: Math.max(0, Math.min(width - above.width, x)),
          })),
        ),
      ],
      (box) => 4 * covered(box),
    );
    const axisBoxes = boxes.splice(-2);
    return html`<div class="mean" style="width: ${width}px"><svg height=${HEIGHT} viewBox="0 0 ${width} ${HEIGHT}" role="img"
      aria-label="The values as points, and the output inside the polygon around them; a line from each value is as thick as its weight.">
      <text class="dim" y="12" aria-hidden="true">values</text>
      <path class="hull v" d=${polygon(outline.map((i) => tips[i]))}/>
      <path class="hair" d="M0 ${px(y0)}H${width}M${px(x0)} 0V${HEIGHT}"/>
      ${axisBoxes.map((box, i) => svg`<text class="dim halo" x=${textAt(box)[0]} y=${textAt(box)[1]}>${ends[i]}</text>`)}
      ${tips.map((tip, i) => svg`<path class="string" d=${pathOf([tip, end])} stroke-width=${(12 * weights[i]).toFixed(2)}/>`)}
      ${tips.map(([x, y]) => svg`<circle class="value" r="4.5" cx=${px(x)} cy=${px(y)}/>`)}
      ${boxes.map((box, i) => svg`<text class="v halo" x=${textAt(box)[0]} y=${textAt(box)[1]}>${names[i]}</text>`)}
      <circle class="output" r="7" cx=${px(end[0])} cy=${px(end[1])}/>
      <text class="o strong halo" x=${textAt(first)[0]} y=${textAt(first)[1]}>output ${drawnLetter("o")}</text></svg></div>`;
  }

  return ({ query_vector: q, key_matrix: flat, hull: isHull }) => {
    const keys = rowsOf(flat, 2);
    const { weights, output } = attendInPlane(q, keys, values);
    const [drawnQ, drawnKeys] = view.glide("arrows", [q, keys], isByHand ? 1 : 220);
    isByHand = false;
    const drawn = attendInPlane(drawnQ, drawnKeys, values);
    const most = Math.max(...weights);
    const winners = words.filter((_, i) => weights[i] === most);
    const isAll = winners.length > 2 && winners.length === words.length;
    const corners = isHull ? hull(keys) : [];
    const inside = words.filter((_, i) => !corners.includes(i));
    const isWide = view.width > 600;
    const wide = isWide ? Math.round(0.618 * (view.width - 24)) : view.width;
    return {
      headline: html`${letter("q")} = ${pointText(q)}: ${
        isAll
          ? html`all ${countWord(words.length)} words weigh the same, <b>${number(most, weightText(most))}</b>`
          : html`<b>${listed(winners)}</b> ${winners.length > 1 ? "weigh" : "weighs"} most, <b>${number(most, weightText(most))}</b>${winners.length > 1 ? " each" : ""}`
      }; <b class="o">${letter("o")} = (${number(
        output[0],
        fixed(output[0]),
      )}, ${number(output[1], fixed(output[1]))})</b>.`,
      picture: html`<div class="panels">${plane(wide, drawnQ, drawnKeys, drawn, isHull)}${mean(isWide ? view.width - 24 - wide : wide, drawn)}</div>
        <p class="small">Drag the end of an arrow, or press it and then a place, or use the arrow keys.</p>`,
      controls: html`<div class="hulls"><span @pointerenter=${view.look({ hull: !view.read().hull })} @pointerleave=${view.unlook}>${tick(
        "hull of the keys",
        view.read().hull,
        (to) => view.set({ hull: to }),
      )}</span>
        <span class="small">${isHull ? (inside.length > 0 ? `No corner of the hull: ${listed(inside)}.` : "Every key is a corner of the hull.") : ""}</span></div>`,
    };
  };
};

export default explorer("plane", "Plane explorer", build);
