// WinnerExplorer: each point of the plane is a query, coloured by the keys that win there.

import { dot, softmax, sum } from "../core/compute.js";
import { button, choice, temperatureSlider } from "../core/controls.js";
import { dragging, pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { countWord, fixed, listed, weightText } from "../core/format.js";
import { covering, cutTo, overlap, placeLabels, placesBeside, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { HANDLE, handle, pointText, within } from "../core/points.js";
import { drawnLetter, letter, number } from "../core/text.js";
import { rowsOf } from "../core/traits.js";

// == compute ==================================================================================

// Without its length; zeros stay.
const unitOf = (x) => x.map((item) => item / (Math.hypot(...x) || 1));

// A score of a query and a key. `line` is a key's as it compares with those of other keys: it wins
// where normal . q - offset is largest, and that differs from its score by what all share. For the
// cosine it is still to be divided by the length of q.
const KINDS = {
  dot: { score: dot, line: (k) => ({ normal: k, offset: 0 }) },
  cosine: {
    score: (q, k) => dot(unitOf(q), unitOf(k)),
    line: (k) => ({ normal: unitOf(k), offset: 0 }),
  },
  Gaussian: {
    score: (q, k) => -((q[0] - k[0]) ** 2 + (q[1] - k[1]) ** 2) / 2,
    line: (k) => ({ normal: k, offset: dot(k, k) / 2 }),
  },
};

// Scores of the keys, and their softmax.
export function attendBy(kind, q, keys, temperature = 1) {
  const scores = keys.map((k) => KINDS[kind].score(q, k));
  return { scores, weights: softmax(scores, temperature) };
}

// The part of a polygon on which normal . q is at least `least`.
function halfOf(polygon, normal, least) {
  const heights = polygon.map((point) => dot(normal, point) - least);
  return polygon.flatMap((point, i) => {
    const next = (i + 1) % polygon.length;
    const [a, b] = [heights[i], heights[next]];
    const kept = a >= 0 ? [point] : [];
    if (a >= 0 === b >= 0) return kept;
    const share = a / (a - b);
    return [...kept, point.map((x, axis) => x + share * (polygon[next][axis] - x))];
  });
}

export const areaOf = (polygon) =>
  Math.abs(
    sum(
      polygon.map(([x, y], i) => {
        const [nextX, nextY] = polygon[(i + 1) % polygon.length];
        return x * nextY - y * nextX;
      }),
    ),
  ) / 2;

// For each key the polygon of the queries at which no other key scores more, inside a rectangle of
// half the width and half the height; empty where that is a line or a point.
export function regions(kind, keys, [wide, high]) {
  const lines = keys.map(KINDS[kind].line);
  const corners = [
    [-wide, -high],
    [wide, -high],
    [wide, high],
    [-wide, high],
  ];
  return lines.map((own) => {
    const region = lines.reduce(
      (polygon, other) =>
        halfOf(
          polygon,
          own.normal.map((x, axis) => x - other.normal[axis]),
          own.offset - other.offset,
        ),
      corners,
    );
    return areaOf(region) > 1e-9 * wide * high ? region : [];
  });
}

// The colours of a grid of queries, a row after the other: the hues of the keys that have more than an
// even share, mixed by how much more, and the stronger the larger the largest weight is. `xs` and
// `ys` are where the columns and rows are.
export function shades(kind, keys, temperature, hues, xs, ys) {
  const n = keys.length;
  const lines = Float64Array.from(
    keys.flatMap((k) => {
      const { normal, offset } = KINDS[kind].line(k);
      return [...normal, offset];
    }),
  );
  const colours = Float64Array.from(hues.flat());
  const parts = new Float64Array(n);
  const pixels = new Uint8ClampedArray(4 * xs.length * ys.length);
  let at = 0;
  for (const y of ys) {
    // without closures and lists: the innermost runs 100,000 times a frame
    for (const x of xs) {
      const divisor = temperature * (kind === "cosine" ? Math.hypot(x, y) || 1 : 1);
      let top = -Infinity;
      for (let j = 0; j < n; j++) {
        parts[j] = lines[3 * j] * x + lines[3 * j + 1] * y - lines[3 * j + 2];
        if (parts[j] > top) top = parts[j];
      }
      let total = 0;
      for (let j = 0; j < n; j++) {
        parts[j] = parts[j] === top ? 1 : Math.exp((parts[j] - top) / divisor);
        total += parts[j];
      }
      let [more, red, green, blue] = [0, 0, 0, 0];
      for (let j = 0; j < n; j++) {
        const w = parts[j] - total / n;
        if (w <= 0) continue;
        more += w;
        red += w * colours[3 * j];
        green += w * colours[3 * j + 1];
        blue += w * colours[3 * j + 2];
      }
      pixels[at] = red / (more || 1);
      pixels[at + 1] = green / (more || 1);
      pixels[at + 2] = blue / (more || 1);
      pixels[at + 3] = 255 * (0.06 + 0.34 * strength(1 / total, n));
      at += 4;
    }
  }
  return pixels;
}

// How strong the colour of a largest weight among n is: 0 at an even share, 1 where it has all.
export const strength = (weight, n) => Math.sqrt(Math.max(0, (n * weight - 1) / (n - 1)));

// The colour of a key, as in the style: hsl(137.5deg * i, 70 %, 50 %).
export const hueOf = (i) =>
  [0, 8, 4].map((n) => {
    const k = (n + (137.5 * i) / 30) % 12;
    return 255 * (0.5 - 0.35 * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  });

// The polygon around the keys, by which of them can win: they stand around their mean.
export function hull(keys, polygons) {
  const corners = keys.filter((_, i) => polygons[i].length > 0);
  const [x, y] = [0, 1].map((axis) => sum(corners.map((k) => k[axis])) / corners.length);
  const turn = (k) => Math.atan2(k[1] - y, k[0] - x);
  return corners.sort((a, b) => turn(a) - turn(b));
}

// How far all may be dragged: the room around these points, on either axis.
export const roomFor = (points) =>
  Math.ceil(2.4 * Math.max(0.5, ...points.flat().map(Math.abs))) / 2;

// Whether a point is in a polygon without dents.
function isIn(polygon, [x, y]) {
  const turns = polygon.map(([fromX, fromY], i) => {
    const [toX, toY] = polygon[(i + 1) % polygon.length];
    return (toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX);
  });
  return turns.every((turn) => turn >= 0) || turns.every((turn) => turn <= 0);
}

// Where a label may stand so that all of it is inside a polygon: around its middle.
export function insideOf(polygon, width) {
  const middle = [0, 1].map((axis) => sum(polygon.map((point) => point[axis])) / polygon.length);
  const ways = polygon.flatMap((corner, i) => {
    const next = polygon[(i + 1) % polygon.length];
    return [corner, corner.map((x, axis) => (x + next[axis]) / 2)];
  });
  return [0, 0.25, 0.5, 0.75]
    .flatMap((share) =>
      ways.map((way) => {
        const [x, y] = middle.map((from, axis) => from + share * (way[axis] - from));
        return { left: x - width / 2, top: y - 8, width, height: 16, cost: 40 * share };
      }),
    )
    .filter(({ left, top, height }) =>
      [left, left + width].every((x) => [top, top + height].every((y) => isIn(polygon, [x, y]))),
    );
}

// == page =====================================================================================

const HEIGHT = 380;
const MOST_ZOOM = 6;
const FLIGHT = 900; // milliseconds to see 64 times as much
const [CELL, COARSE] = [4, 8]; // px of the map of colours, and while it flies
const HEAP = 24; // keys that are less than this apart, in px
const ON_AXIS = 30; // what it costs a label to stand on an axis

const ABOUT =
  "The plane of all queries, in as many colours as keys win; the keys and the query in it.";

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { words, query_vector: first, key_matrix: flat, dot_only: isDotOnly } = view.read();
  const side = roomFor([first, ...rowsOf(flat, 2)]);
  const wider = (zoom) => [side * 2 ** zoom, side * 2 ** zoom];
  // How far the query goes: to the edge of what is seen.
  const roomAt = (zoom) => {
    const unit = Math.min(view.width - HANDLE, HEIGHT - HANDLE) / 2 / wider(zoom)[0];
    return [view.width, HEIGHT].map((length) => (length - HANDLE) / 2 / unit);
  };
  const hues = words.map((_, i) => hueOf(i));
  const names = words.map((word) => cutTo(word, 90));
  const canvas = document.createElement("canvas");
  let painted = "";
  /** @type {(event: PointerEvent) => number[]} from a pointer */
  let toPoint = () => first;
  let [keysBefore, pointer] = [flat, "mouse"]; // when something was pressed, and with what

  const queryHandle = handle(
    "query",
    (point) => view.set({ query_vector: within(point, roomAt(view.read().zoom)) }),
    wider(MOST_ZOOM),
  );
  const keyHandles = words.map((word, i) =>
    handle(
      `key of ${word}`,
      (point) => {
        const [x, y] = within(point, wider(0));
        view.set({
          key_matrix: view
            .read()
            .key_matrix.with(2 * i, x)
            .with(2 * i + 1, y),
        });
      },
      wider(0),
    ),
  );

  // The plane is pressed or dragged over to ask from there, and under a mouse it answers before. While a
  // key has the focus, a press moves that key.
  const ask = (event) => view.set({ query_vector: toPoint(event) });
  const drag = dragging(ask, { touch: true });
  const onKey = (event) => event.target.closest(".handle:not(:first-of-type)");
  const focused = () =>
    /** @type {Document | ShadowRoot} */ (view.root.getRootNode()).activeElement?.closest?.(
      ".attn-winners .handle",
    );
  const isKeyFocused = () => focused()?.matches(":not(:first-of-type)");
  const down = (event) => {
    [keysBefore, pointer] = [view.read().key_matrix, event.pointerType];
    if (onKey(event) || isKeyFocused()) return;
    if (event.target.closest(".handle"))
      event.pointerType === "mouse" && event.button === 0 && ask(event);
    else drag.down(event);
  };
  const move = (event) => {
    drag.move(event);
    if (event.pointerType !== "mouse" || event.buttons) return;
    view.preview(onKey(event) || isKeyFocused() ? null : { query_vector: toPoint(event) });
  };
  const up = (event) => {
    // a key that was dragged is let go, so that the mouse is the query again
    if (event.pointerType === "mouse" && view.read().key_matrix !== keysBefore)
      onKey(event)?.blur();
  };
  const tap = (event) => {
    if (pointer !== "mouse" && !event.target.closest(".handle") && !focused()) ask(event);
  };

  // The map of colours, if it is not as it was.
  function paint(kind, t, keys, unit, cell) {
    const [cols, rows] = [Math.ceil(view.width / cell), Math.ceil(HEIGHT / cell)];
    const text = JSON.stringify([kind, t, keys, unit, cols]);
    if (painted === text) return;
    painted = text;
    Object.assign(canvas, { width: cols, height: rows });
    const xs = Array.from({ length: cols }, (_, i) => ((i + 0.5) * cell - view.width / 2) / unit);
    const ys = Array.from({ length: rows }, (_, i) => (HEIGHT / 2 - (i + 0.5) * cell) / unit);
    canvas
      .getContext("2d")
      .putImageData(new ImageData(shades(kind, keys, t, hues, xs, ys), cols, rows), 0, 0);
  }

  // A label in its box; where there is none, it is not seen.
  const stand = (box, role, text) =>
    box
      ? svg`<text class=${role} x=${px(box.left + 3)} y=${px(box.top + 12)}>${text}</text>`
      : nothing;

  function plane(kind, t, q, keys, { scores, weights }, polygons, zoom) {
    const { width } = view;
    const flown = view.glide("zoom", zoom, FLIGHT);
    const extent = wider(flown).map((far, axis) =>
      Math.max(far, ...[q, ...keys].map((point) => Math.abs(point[axis]))),
    );
    const unit = Math.min((width - HANDLE) / 2 / extent[0], (HEIGHT - HANDLE) / 2 / extent[1]);
    const [cx, cy] = [width / 2, HEIGHT / 2];
    const place = ([x, y]) => [cx + unit * x, cy - unit * y];
    toPoint = ({ clientX, clientY }) => {
      const box = canvas.getBoundingClientRect();
      const scale = unit * (box.width / width); // a page may be enlarged
      return within(
        [
          (clientX - box.left - box.width / 2) / scale,
          (box.top + box.height / 2 - clientY) / scale,
        ],
        roomAt(zoom),
      );
    };
    paint(kind, t, keys, unit, flown === zoom ? CELL : COARSE);
    const [end, tips] = [place(q), keys.map(place)];
    const most = Math.max(...weights);
    // What of each region is seen, in px.
    const sides = [
      [1, 0, 0],
      [-1, 0, -width],
      [0, 1, 0],
      [0, -1, -HEIGHT],
    ];
    const seen = polygons.map((polygon) =>
      sides.reduce((part, [x, y, least]) => halfOf(part, [x, y], least), polygon.map(place)),
    );
    const amounts = weights.map((w) => weightText(w).replace("0.", "."));
    const drags = (i) => (weights[i] === most && zoom === 0 ? "drag" : "");

    const room = { from: 0, to: width, top: 8, bottom: HEIGHT - 8 };
    const beside = (tip, text, gap) =>
      placesBeside(tip[0], tip[1], textWidth(text) + 12, room, {
        height: 16,
        offs: [12, 20, 34, 48],
        cost: 1 / 4,
        gap,
      });
    const rim = kind === "dot" ? hull(keys, polygons).map(place) : [];
    const covered = covering(
      [...tips, end].flatMap((tip) => [tip, tip, tip]),
      6,
    );
    const isAcross = (from, length, axis) =>
      from < axis + 2 && from + length > axis - 2 ? ON_AXIS : 0;
    const cost = (box) =>
      4 * covered(box) + isAcross(box.left, box.width, cx) + isAcross(box.top, box.height, cy);
    // Of keys in a heap the heaviest has its name and says what else is there: a label between two
    // marks is of neither.
    const all = words.map((_, i) => i);
    const heaps = all.map((i) =>
      all.filter((j) => Math.hypot(tips[j][0] - tips[i][0], tips[j][1] - tips[i][1]) <= HEAP),
    );
    const shown = all.filter((i) =>
      heaps[i].every((j) => weights[j] < weights[i] || (weights[j] === weights[i] && j >= i)),
    );
    const others = heaps.map((heap, i) => {
      const rest = heap.filter((j) => j !== i).map((j) => names[j]);
      return rest.length > 1
        ? ` and ${countWord(rest.length)} others`
        : rest.length
          ? ` and ${rest}`
          : "";
    });
    // A small region, all of it under its key, has that key's name and no other.
    const inside = seen.map((region, i) =>
      insideOf(region, textWidth(`${names[i]} wins`) + 6).filter((box) => !covered(box)),
    );
    const named = all.filter((i) => inside[i].length > 0);
    const [first_, ...boxes] = placeLabels(
      [
        beside(end, "query q move", 12),
        ...shown.map((i) =>
          beside(tips[i], `${names[i]} ${amounts[i]}${others[i]} ${drags(i)}`, 8 + 4 * weights[i]),
        ),
        ...named.map((i) => inside[i]),
      ],
      cost,
    );
    const free = (box) =>
      [first_, ...boxes.slice(0, shown.length)].some((other) => other && box && overlap(box, other))
        ? null
        : box;
    return html`<div class="plane" style="height: ${HEIGHT}px" @pointerdown=${down} @pointermove=${move} @pointerup=${up} @click=${tap} @pointerleave=${view.unlook}>
      ${canvas}<svg height=${HEIGHT} viewBox="0 0 ${width} ${HEIGHT}" role="group" aria-label=${ABOUT}>
        ${seen.map((region, i) => svg`<path class="region ${t === 0 ? "hard" : ""}" style="--i: ${i}" d=${region.length ? `${pathOf(region)}Z` : ""}/>`)}
        <path class="hair" d="M0 ${cy}H${width}M${cx} 0V${HEIGHT}"/>
        ${rim.length ? svg`<path class="hull" d="${pathOf(rim)}Z"/>` : nothing}
        ${named.map((i, rank) => stand(free(boxes[shown.length + rank]), "wins halo", `${names[i]} wins`))}
        ${tips.map(([x, y], i) => svg`<circle class="key ${polygons[i].length ? "" : "nowhere"}" style="--i: ${i}" cx=${px(x)} cy=${px(y)} r=${(4.5 + 5.5 * weights[i]).toFixed(2)}/>`)}
        <path class="query" d="M${px(end[0])} ${px(end[1] - 9)}v18m-9 -9h18"/>
        ${shown.map((i, rank) => stand(boxes[rank], `k halo ${weights[i] === most ? "strong" : ""}`, svg`${names[i]} <tspan class="amount">${amounts[i]}${others[i]}</tspan> <tspan class="verb">${drags(i)}</tspan>`))}
        ${stand(first_, "q strong halo", svg`query ${drawnLetter("q")} <tspan class="verb">move</tspan>`)}
      </svg>${queryHandle(q, end, unit, pointText(q))}${keyHandles.map((handleAt, i) =>
        handleAt(
          keys[i],
          tips[i],
          unit,
          `${pointText(keys[i])}, score ${fixed(scores[i], 2)}, weight ${weightText(weights[i])}`,
        ),
      )}</div>`;
  }

  return ({ query_vector: q, key_matrix, score: kind, temperature: t, zoom }) => {
    const keys = rowsOf(key_matrix, 2);
    const now = attendBy(kind, q, keys, t);
    const far = 8 * Math.max(side * 2 ** MOST_ZOOM, ...[q, ...keys].flat().map(Math.abs)); // wider than any screen shows
    const polygons = regions(kind, keys, [far, far]);
    const most = Math.max(...now.weights);
    const winners = words.filter((_, i) => now.weights[i] === most);
    const nowhere = words.filter((_, i) => polygons[i].length === 0);
    const go = (to) => view.set({ zoom: to, query_vector: within(q, roomAt(to)) });
    return {
      headline: html`At ${letter("q")} = ${pointText(q)} <b class="k">${winners.length === words.length ? "all words" : listed(winners)}</b> ${
        winners.length > 1 ? "tie" : "wins"
      }, <b>${number(most, weightText(most))}</b>${winners.length > 1 ? " each" : ""}. ${
        nowhere.length > 0
          ? html`<span class="k">${listed(nowhere)}</span> win${nowhere.length > 1 ? "" : "s"} nowhere.`
          : "Every key wins somewhere."
      }`,
      picture: html`${plane(kind, t, q, keys, now, polygons, zoom)}<div class="below"><p class="small">Each place is a query. A hollow key wins nowhere.${kind === "dot" ? " The line joins the keys that can win: their hull." : ""}</p>${
        isDotOnly
          ? nothing
          : zoom < MOST_ZOOM
            ? button(`${2 ** MOST_ZOOM} times as wide`, () => go(MOST_ZOOM))
            : button("Back to the keys", () => go(0))
      }</div>`,
      controls: isDotOnly
        ? nothing
        : html`${temperatureSlider(view, t, (to) => view.set({ temperature: to }))}
        ${choice(view, {
          key: "by",
          legend: "Score",
          options: Object.keys(KINDS),
          index: Object.keys(KINDS).indexOf(kind),
          previewed: (i) => ({ score: Object.keys(KINDS)[i] }),
          onInput: (i) => view.set({ score: Object.keys(KINDS)[i] }),
        })}`,
    };
  };
};

export default explorer("winners", "Winner explorer", build);
