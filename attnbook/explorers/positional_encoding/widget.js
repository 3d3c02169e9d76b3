// PositionalEncodingExplorer: an encoding over its positions, its clocks and waves, similarity.

import { choice, idOf, slider } from "../core/controls.js";
import { dragging, pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { capital, fixed, listed, short } from "../core/format.js";
import { html, nothing, svg } from "../core/lit.js";
import { pointer } from "../core/plot.js";
import { frequency } from "../core/positions.js";
import { number } from "../core/text.js";
import { whole } from "../core/traits.js";

// == compute ==================================================================================

const ENCODINGS = ["sinusoidal", "rotary", "alibi"];
const HEADS = [0, 1, 2, 3, 4, 5, 6, 7]; // of ALiBi
const DEEPEST = 8; // the scale of ALiBi: a bias of -8 leaves a weight 0.0003 of what it was

// Positions until the wave of a column repeats.
export const wavelength = (column, facts) => (2 * Math.PI) / frequency(column, facts);

// Where the cosine of a column's angle is behind it: a quarter turn if it is a sine. Sine comes
// first; the other way round where (1, 0) is rotated.
const behind = (column, { encoding }) =>
  (column % 2 === 0) === (encoding === "sinusoidal") ? Math.PI / 2 : 0;

// The wave of a column, over positions.
export function wave(column, facts) {
  const omega = frequency(column, facts);
  const read = behind(column, facts) ? Math.sin : Math.cos;
  return (position) => read(position * omega);
}

// Of a head of ALiBi: what each step of distance takes from a score, and the bias.
const slope = (head) => 2 ** -(head + 1);
export const bias = (head, distance) => 0 - slope(head) * Math.abs(distance);

// The distance at which a head of ALiBi halves a weight.
export const halving = (head) => Math.LN2 / slope(head);

// A bias from 0 to the deepest one as a place of the scale of colours, from 0 to -1. By its root, so
// that the small biases of the last heads show beside the large ones of the first.
export const biasColour = (x) => -Math.sqrt(-x / DEEPEST);

// The left end of the lines of all heads: the smallest of a few that holds the whole line of the
// chosen one, if any does.
export const fanDepth = (head, length) =>
  [0.5, 2].find((depth) => slope(head) * (length - 1) <= depth) ?? DEEPEST;

const columnsOf = ({ encoding, length, dim }) => (encoding === "alibi" ? length : dim);

// What the heat map shows, row after row: a row for each position and a column for each dimension,
// or for each key.
export function encodingMatrix(facts) {
  const width = columnsOf(facts);
  const matrix = new Float64Array(facts.length * width);
  for (let column = 0; column < width; column++) {
    const value =
      facts.encoding === "alibi" ? (i) => bias(facts.head, i - column) : wave(column, facts);
    for (let i = 0; i < facts.length; i++) matrix[i * width + column] = value(i);
  }
  return matrix;
}

// How alike two rows are: their dot product, 1 for equal ones; for ALiBi, the bias itself. Each pair
// adds the cosine of the angle between its two hands.
function likeness(offset, facts) {
  if (facts.encoding === "alibi") return bias(facts.head, offset);
  let total = 0;
  for (let c = 0; c < facts.dim; c += 2) total += Math.cos(offset * frequency(c, facts));
  return total / (facts.dim / 2);
}

// The chosen position, or a place between two, compared with every position.
export const similarityTo = (facts, place) =>
  Array.from({ length: facts.length }, (_, i) => likeness(i - place, facts));

// A curve over positions as a list over offsets 0, 1, 2, ... It takes the side that reaches
// further: both hold the same numbers.
export const byOffset = (curve, position) =>
  position < curve.length / 2 ? curve.slice(position) : curve.slice(0, position + 1).reverse();

// The base at a place 0..50 of the slider: ten steps a decade from 10; and the nearest place.
export const baseAt = (place) => Number((10 ** (1 + place / 10)).toPrecision(2));
export const placeOf = (base) => Math.max(0, Math.min(50, Math.round(10 * (Math.log10(base) - 1))));

// Which columns are drawn as waves: those that were asked for, or else the last ones.
export const shownColumns = (wanted, dim) => {
  const count = Math.min(wanted.length, dim);
  return wanted.slice(0, count).map((column, i) => (column < dim ? column : dim - count + i));
};

// A column that is pressed takes the place of the nearest wave.
export function withColumn(shown, column) {
  const far = shown.map((other) => Math.abs(other - column));
  return shown.with(far.indexOf(Math.min(...far)), column).sort((a, b) => a - b);
}

const RED_BLUE = [
  "#053061",
  "#2166ac",
  "#4393c3",
  "#92c5de",
  "#d1e5f0",
  "#f7f7f7",
  "#fddbc7",
  "#f4a582",
  "#d6604d",
  "#b2182b",
  "#67001f",
];
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

// RdBu_r in 256 steps: blue below zero, red above.
const SIGNED = Array.from({ length: 256 }, (_, n) => {
  const i = Math.min(9, Math.floor(n / 25.5));
  const [low, high] = [rgb(RED_BLUE[i]), rgb(RED_BLUE[i + 1])];
  return low.map((x, part) => Math.round(x + (n / 25.5 - i) * (high[part] - x)));
});

// The colour of a signed number from -1 to 1.
export const signedColour = (x) => SIGNED[Math.max(0, Math.min(255, Math.floor((x + 1) * 128)))];

// A wavelength in few characters: 6.28, 353, 35333, 5.1e6.
export const lengthText = (x) =>
  x < 1000 ? x.toPrecision(3) : x < 1e5 ? x.toFixed(0) : x.toExponential(1).replace("e+", "e");

// == page =====================================================================================

const TOP = 42; // above the panels
const GAP = 6; // between two waves
const FAR = 8; // the last offset in the table
const DIALS = 8; // pairs that have a clock
const NAMES = {
  sinusoidal: {
    heat: "encoding P",
    curve: "similarity",
    rows: ["dot product", "similarity"],
    clocks: "Each hand is two columns of the row: the sine to the right, the cosine up.",
    note: "Only the offset matters: the curve slides along with the position and keeps its shape.",
  },
  rotary: {
    heat: "turned vector",
    curve: "score",
    rows: ["score q · k", "score"],
    clocks: "Each hand is two columns of the row: the cosine to the right, the sine up.",
    note: "Query and key are (1, 0, 1, 0, …), turned by their positions. Only the offset matters.",
  },
  alibi: {
    heat: "bias, head ",
    curve: "factor",
    rows: ["bias", "factor exp(bias)"],
    clocks: "Each tile is a head: how much weight it leaves to words far from here.",
    note: "A head takes slope × distance from a score: its weight shrinks by the factor.",
  },
};

const say = (x, y, text, anchor = "start", role = "dim") =>
  svg`<text class=${role} x=${px(x)} y=${px(y)} text-anchor=${anchor}>${text}</text>`;
const line = (d, role = "wave") => svg`<path class=${role} d=${d}></path>`;
const dotAt = (x, y, role = "dot") =>
  svg`<circle class=${role} r="3.5" cx=${px(x)} cy=${px(y)}></circle>`;
const times = (n, make) => Array.from({ length: Math.max(0, n) }, (_, i) => make(i));

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  let wanted = [0, 6, 14]; // the columns that are drawn as waves
  let pinned = null; // the offset that is read off the curve
  let painted = "";
  let lowest = 0;
  const canvas = document.createElement("canvas");
  canvas.ariaHidden = "true";

  view.onReset(() => {
    [wanted, pinned] = [[0, 6, 14], null];
  });
  const player = view.play({
    step: ({ position, length }) => (position < length - 1 ? { position: position + 1 } : null),
    rewind: () => ({ position: 0 }),
    // Slow while the first hand turns twice, then as fast as one sees the slow ones move.
    ms: ({ position, length }) => (position < 13 ? 320 : 6000 / length),
  });

  // A pixel for each number; the page enlarges them. What does not change with the position is
  // computed once.
  function paint(facts) {
    const { encoding, length, dim, base, head } = facts;
    const key = String([encoding, length, dim, base, head]);
    if (key === painted) return;
    painted = key;
    lowest = Math.min(-0.25, ...similarityTo(facts, 0));
    const matrix = encodingMatrix(facts);
    Object.assign(canvas, { width: columnsOf(facts), height: length });
    const image = new ImageData(canvas.width, length);
    matrix.forEach((x, i) =>
      image.data.set(signedColour(encoding === "alibi" ? biasColour(x) : x), 4 * i),
    );
    matrix.forEach((_, i) => {
      image.data[4 * i + 3] = 255;
    });
    canvas.getContext("2d").putImageData(image, 0, 0);
  }

  // Where the three panels stand, in px.
  function panels() {
    const isNarrow = view.width <= 600;
    const [left, right, gap] = isNarrow ? [26, 30, 10] : [32, 36, 22];
    const room = view.width - left - right - 2 * gap;
    const [heat, middle, curve] = (isNarrow ? [0.41, 0.35, 0.24] : [0.5, 0.28, 0.22]).map(
      (part) => part * room,
    );
    return {
      isNarrow,
      height: isNarrow ? 180 : 220,
      heat: { x: left, width: heat },
      middle: { x: left + heat + gap, width: middle },
      curve: { x: view.width - right - curve, width: curve },
    };
  }

  // What is under the pointer: the position, and the column or the offset.
  function under(event) {
    const now = view.read();
    const { height, heat, curve } = panels();
    const [x, y] = pointer(event);
    const cell = (part, count) => Math.max(0, Math.min(count - 1, Math.floor(part * count)));
    const position = cell((y - TOP) / height, now.length);
    if (x > curve.x - 8) return { offset: position - now.position };
    const column = (x - heat.x) / heat.width;
    const isColumn = now.encoding !== "alibi" && column >= 0 && column < 1;
    return {
      position,
      columns: isColumn && withColumn(shownColumns(wanted, now.dim), cell(column, now.dim)),
    };
  }
  const hand = dragging((event) => {
    const { position, columns, offset } = under(event);
    if (columns) wanted = columns;
    if (offset !== undefined) pinned = offset;
    if (position === undefined || position === view.read().position) view.again();
    else view.set({ position });
  });
  const hover = (event) => {
    hand.move(event);
    if (event.pointerType === "mouse" && !event.buttons && !player.isOn) view.preview(under(event));
  };

  // Each pair of columns as the hand of a clock, with what one step turns it by; or each head of
  // ALiBi with what it sees from here.
  function dials(facts, place, columns) {
    if (facts.encoding === "alibi") {
      return html`<div class="dials" role="radiogroup" aria-label="Head">${HEADS.map((head) => {
        const top = (i) =>
          `${px(-20 + (40 * i) / (facts.length - 1))} ${px(16 - 32 * Math.exp(bias(head, i - place)))}`;
        const points = [...times(facts.length, (i) => i), place].sort((a, b) => a - b).map(top);
        return html`<label @pointerenter=${view.look({ head })} @pointerleave=${view.unlook}>
          <input type="radio" name=${idOf(view, "head")} value=${head} aria-label="Head ${head}, slope 1/${1 / slope(head)}"
            data-now=${head === facts.head} @input=${() => view.set({ head })}>
          <svg viewBox="-20 -20 40 40" aria-hidden="true"><path class="tent" d="M-20 16L${points.join("L")}L20 16Z"></path></svg>
          <span>head ${head}</span> <span class="small">1/${1 / slope(head)}</span></label>`;
      })}</div>`;
    }
    const held = view.read().position; // while another one is only looked at
    const count = Math.min(DIALS, facts.dim / 2);
    return html`<div class="dials">${times(count, (r) => {
      const waves = [wave(2 * r, facts), wave(2 * r + 1, facts)];
      const tip = (long, p) => `${px(long * waves[0](p))} ${px(-long * waves[1](p))}`;
      const angle =
        (Math.atan2(waves[0](facts.position), waves[1](facts.position)) * 180) / Math.PI;
      const column = { columns: withColumn(shownColumns(wanted, facts.dim), 2 * r) };
      const positions = wavelength(2 * r, facts);
      return html`<div @pointerenter=${view.look(column)} @pointerleave=${view.unlook} @click=${() => {
        wanted = column.columns;
        view.again();
      }}><svg viewBox="-20 -20 40 40" role="img" aria-label="Hand of pair ${r}: ${fixed((angle + 360) % 360, 0)} degrees from the top">
        <circle class="ring ${columns.some((c) => c >> 1 === r) ? "shown" : ""}" r="18"></circle>
        <path class="turned" d="M0 0L${tip(18, Math.max(0, place - 1))}A18 18 0 0 ${facts.encoding === "rotary" ? 0 : 1} ${tip(18, place)}Z"></path>
        ${facts.position === held ? nothing : svg`<path class="ghost" d="M0 0L${tip(17, held)}"></path>`}
        <path class="arm" d="M0 0L${tip(16, place)}"></path></svg>
        <span>pair ${r}${r === 0 ? ", fast" : r === count - 1 && positions > facts.length ? ", slow" : ""}</span> <span class="small">${number(positions, lengthText(positions))} steps</span></div>`;
    })}</div>`;
  }

  function board(facts, columns, place, offset) {
    const { encoding, length: n, dim, head, position: here } = facts;
    const isBias = encoding === "alibi";
    const { isNarrow, height, heat, middle, curve } = panels();
    const end = TOP + height;
    const y = (i) => TOP + ((i + 0.5) * height) / n;
    const count = columnsOf(facts);
    const names = NAMES[encoding];
    canvas.style.cssText = `left: ${px(heat.x)}px; top: ${TOP}px; width: ${px(heat.width)}px; height: ${height}px`;
    const ticks = [...new Set([0, n >> 2, n >> 1, (3 * n) >> 2, n - 1])].filter(
      (i) => Math.abs(y(i) - y(here)) > 13,
    );
    const marks = view.glide("marks", isBias ? [place] : columns);
    const left = [
      say(heat.x, 12, isBias ? names.heat + head : names.heat, "start", ""),
      say(heat.x, 28, isBias ? "query × key" : isNarrow ? "by position" : "position × column"),
      ...ticks.map((i) => say(heat.x - 6, y(i) + 4, i, "end")),
      say(heat.x - 6, y(here) + 4, here, "end", "here"),
      say(heat.x, end + 16, 0),
      say(heat.x + heat.width, end + 16, count - 1, "end"),
      say(heat.x + heat.width / 2, end + 16, isBias ? "key" : "column", "middle"),
      ...marks.map((c) =>
        line(`M${px(heat.x + ((c + 0.5) * heat.width) / count - 3.5)} ${TOP - 6}h7l-3.5 5z`, "dot"),
      ),
    ];

    // The waves of some columns, or the bias of every head from the chosen query.
    const strip = (middle.width - GAP * (wanted.length - 1)) / wanted.length;
    const forms = view.glide(
      "waves",
      columns.map((c) => [Math.log(frequency(c, facts)), behind(c, facts)]),
    );
    const fine = Math.ceil(360 / n); // points from one position to the next
    const waves = forms.flatMap(([omega, back], i) => {
      const value = (p) => Math.cos(p * Math.exp(omega) - back);
      const x = (p) => middle.x + i * (strip + GAP) + (strip * (value(p) + 1)) / 2;
      const [from, c] = [middle.x + i * (strip + GAP), columns[i]];
      return [
        line(`M${px(from + strip / 2)} ${TOP}V${end}`, "hair"),
        line(pathOf(times((n - 1) * fine + 1, (k) => [x(k / fine), y(k / fine)]))),
        dotAt(x(place), y(place)),
        say(from, isNarrow ? 28 : 12, isNarrow ? c : `column ${c}`, "start", isNarrow ? "dim" : ""),
        isNarrow ? nothing : say(from, 28, `pair ${c >> 1}`),
        say(
          from + strip / 2,
          end + 16,
          fixed(wave(c, facts)(here), 2).replace("0.", "."),
          "middle",
          "",
        ),
      ];
    });
    const [depth] = view.glide("depth", [fanDepth(head, n)]);
    const fan = () => {
      const x = (value) => middle.x + middle.width * (1 + value / depth);
      const tip = (each, room, side) => {
        const far = Math.min(Math.max(0, room), depth / slope(each)); // to the end of the panel
        return [x(bias(each, far)), y(place + side * far)];
      };
      return [
        say(middle.x, 12, isNarrow ? "all heads" : "bias, each head", "start", ""),
        say(middle.x, 28, `thick: ${head}`),
        line(`M${px(x(0))} ${TOP}V${end}M${px(middle.x)} ${TOP}V${end}`, "hair"),
        ...HEADS.map((each) =>
          line(
            pathOf([tip(each, place, -1), [x(0), y(place)], tip(each, n - 1 - place, 1)]),
            each === head ? "wave chosen" : "wave other",
          ),
        ),
        say(middle.x, end + 16, `−${short(fanDepth(head, n))}`),
        say(x(0), end + 16, 0, "end"),
      ];
    };

    // The curve, and offsets beside it: the one that is read, where a factor is a half, others.
    const least = isBias ? 0 : lowest;
    const x = (value) => curve.x + (curve.width * (value - least)) / (1 - least);
    const [glided] = view.glide("head", [head]);
    const level = (k) => (isBias ? Math.exp(bias(glided, k)) : likeness(k, facts));
    const isThere = (k) => k !== null && here + k >= 0 && here + k <= n - 1;
    const halves = isBias ? [halving(head), -halving(head)].filter(isThere) : [];
    const beside = [];
    for (const k of [offset, 0, ...halves, n >> 2, -(n >> 2), n >> 1, -(n >> 1)]) {
      if (isThere(k) && beside.every((other) => Math.abs(k - other) * (height / n) > 13))
        beside.push(k);
    }
    const places = [...times(n, (i) => i), place].sort((a, b) => a - b);
    const shown = isBias ? Math.exp(bias(head, offset)) : likeness(offset, facts);
    const right = [
      say(curve.x, 12, names.curve, "start", ""),
      say(curve.x, 28, isBias ? "of a weight" : "steps away"),
      line(
        [x(0), x(1), ...(isBias ? [x(0.5)] : [])].map((at) => `M${px(at)} ${TOP}V${end}`).join(""),
        "hair",
      ),
      line(pathOf(places.map((i) => [x(level(i - place)), y(i)])), isBias ? "wave chosen" : "wave"),
      ...halves.map((k) => dotAt(x(0.5), y(here + k))),
      ...beside
        .filter((k) => k !== 0)
        .map((k) =>
          say(
            curve.x + curve.width + 6,
            y(here + k) + 4,
            (k > 0 ? "+" : "") + short(Number(k.toPrecision(2))),
            "start",
            k === offset || halves.includes(k) ? "here" : "dim",
          ),
        ),
      isThere(offset) && offset !== 0
        ? [
            line(`M${px(heat.x)} ${px(y(here + offset))}H${px(x(shown))}`, "reads"),
            dotAt(x(shown), y(here + offset), "dot read"),
            say(
              x(shown) - 8,
              y(here + offset) + (offset > 0 ? 14 : -6),
              fixed(shown, 3),
              "end",
              "halo here",
            ),
          ]
        : nothing,
      isBias ? say(x(0.5), end + 16, "½", "middle") : nothing,
      say(x(0), end + 16, 0, isBias ? "start" : "middle"),
      say(x(1), end + 16, 1, "end"),
    ];
    const across = `M${px(heat.x)} ${px(y(place))}H${px(x(1))}`;
    const label = `Heat map of ${n} positions by ${count} ${isBias ? "keys" : "dimensions"}; ${
      isBias
        ? `the bias of each head, of which head ${head} is thick`
        : `the waves of the dimensions ${listed(columns.map(String))}, at position ${here} ${listed(columns.map((c) => fixed(wave(c, facts)(here), 2)))}`
    }; the ${names.curve} of every position with position ${here}${isBias ? `, a half ${short(Number(halving(head).toPrecision(2)))} positions away` : ""}.`;
    return html`<div class="board" style="height: ${end + 20}px">${canvas}
      <svg height=${end + 20} viewBox="0 0 ${view.width} ${end + 20}" role="img" aria-label=${label} @pointerdown=${hand.down}
        @pointermove=${hover} @pointerleave=${view.unlook} @click=${hand.click}>
        <rect class="ground" width=${view.width} height=${end + 20}></rect>
        ${left}${isNarrow && !isBias ? say(middle.x, 12, "columns", "start", "") : nothing}${line(across, "cursor under")}${line(across, "cursor")}${isBias ? fan() : waves}${right}${dotAt(x(1), y(place))}</svg></div>`;
  }

  // Which column is drawn as a wave, for who has no pointer.
  function field(facts, columns, i, name) {
    const [column, most] = [columns[i], facts.dim - 1];
    const take = ({ target: { valueAsNumber: to } }) => {
      const fits = Number.isInteger(to) && to >= 0 && to <= most;
      if (fits) wanted = columns.with(i, to);
      view.errors.set(name, fits ? "" : `A column must be a whole number from 0 to ${most}.`);
      view.again();
    };
    return html`<div class="control"><label for=${idOf(view, name)}>${capital(name)}, column</label>
      <output>${lengthText(wavelength(column, facts))} steps</output><input type="number" id=${idOf(view, name)} min="0" max=${most}
        data-now=${column} aria-invalid=${view.errors.has(name) ? "true" : nothing} @input=${take} @blur=${() => view.errors.set(name, "")}></div>`;
  }

  // Numbers by offset. A phone has no room for some.
  function table(facts, curve) {
    const isBias = facts.encoding === "alibi";
    const half = facts.dim / 2;
    const lists = isBias ? [curve, curve.map(Math.exp)] : [curve.map((x) => x * half), curve];
    const digits = [isBias ? (facts.head < 5 ? 3 : 4) : 2, 3];
    const offsets = times(FAR + 1, (k) => k).filter(
      (k) => view.width > 600 || ![2, 3, 6, 7].includes(k),
    );
    return html`<table aria-label="Numbers by offset"><colgroup><col class="names"></colgroup>
      <thead><tr><th scope="row">offset, either way</th>${offsets.map((k) => html`<th scope="col">${k}</th>`)}</tr></thead>
      <tbody>${NAMES[facts.encoding].rows.map(
        (name, row) => html`<tr>
        <th scope="row">${name}${row === 0 || isBias ? "" : `, ÷\u00a0${half}`}</th>
        ${offsets.map((k) => html`<td>${k in lists[row] ? number(lists[row][k], fixed(lists[row][k], digits[row])) : "–"}</td>`)}</tr>`,
      )}</tbody></table>`;
  }

  function headline(facts, curve) {
    const isBias = facts.encoding === "alibi";
    const last = Math.min(FAR, curve.length - 1);
    const told = (k, x = curve[k], places = isBias && facts.head > 4 ? 4 : 3) =>
      number(x, fixed(x, places));
    const far = last > 1 ? html`, ${told(last)} at ${last}` : nothing;
    return isBias
      ? html`Position ${facts.position}: bias <b>${told(1)}</b> one step away${far} (factor ${told(last, Math.exp(curve[last]), 3)}). ${number(
          halving(facts.head),
          String(Number(halving(facts.head).toPrecision(2))),
        )} steps halve a weight.`
      : html`Position ${facts.position}: ${facts.dim > 2 ? "fast hands tell neighbours apart, slow ones near from far" : "one hand"}. ${capital(
          NAMES[facts.encoding].curve,
        )} <b>${told(1)}</b> one step away${far}.`;
  }

  return (now) => {
    const facts = { ...now, position: Math.min(now.position, now.length - 1) };
    const { encoding, length, dim, base, head, position } = facts;
    const isBias = encoding === "alibi";
    paint(facts);
    const [place] = view.glide("place", [position]).map((p) => Math.min(p, length - 1));
    const columns = isBias ? [] : shownColumns(now.columns || wanted, dim);
    const curve = byOffset(similarityTo(facts, position), position);
    const [low, high] = isBias
      ? [`−${DEEPEST} or less`, `0; in the middle −${DEEPEST / 4}`]
      : ["−1", "1"];
    return {
      headline: headline(facts, curve),
      picture: html`<p class="small lead">${NAMES[encoding].clocks}${isBias ? "" : " It turns once in so many steps; grey is one step."}</p>${dials(facts, place, columns)}${board(facts, columns, place, now.offset ?? pinned)}
        <div class="foot small"><span class="scale" aria-hidden="true">${low}
          <span class="ramp" style="background: linear-gradient(to right, ${RED_BLUE.slice(0, isBias ? 6 : 11)})"></span>${high}</span>
          <span>${NAMES[encoding].note}</span></div>`,
      controls: html`
        ${slider(view, { key: "position", label: "Position", value: position, max: length - 1, wide: "wide", onInput: (i) => view.set({ position: i }) })}
        ${choice(view, {
          key: "encoding",
          legend: "Encoding",
          options: ["sinusoidal", "rotary", "ALiBi"],
          index: ENCODINGS.indexOf(encoding),
          onInput: (i) => view.set({ encoding: ENCODINGS[i] }),
          previewed: (i) => ({ encoding: ENCODINGS[i] }),
        })}`,
      more: html`
        ${slider(view, {
          key: "length",
          label: "Length",
          min: 2,
          max: 128,
          value: length,
          onInput: (n) => view.set({ length: n, position: Math.min(position, n - 1) }),
        })}
        ${
          isBias
            ? nothing
            : html`
          ${slider(view, { key: "dim", label: "Dimension", min: 1, max: 64, value: dim / 2, text: String(dim), onInput: (half) => view.set({ dim: 2 * half }) })}
          ${slider(view, { key: "base", label: "Base", max: 50, value: placeOf(base), text: short(base), onInput: (to) => view.set({ base: baseAt(to) }) })}
          ${columns.map((_, i) => field(facts, columns, i, `wave ${i + 1}`))}`
        }`,
      numbers: table(facts, curve),
      folded: "The numbers",
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = { position: whole("at", 0, ({ length }) => length - 1) };

export default explorer("positional", "Positional encoding explorer", build, {
  traits,
});
