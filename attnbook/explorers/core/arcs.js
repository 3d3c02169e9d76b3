// Words under arcs from the one that asks: in front of the widgets that show a sentence.

import { argsortDown, sum } from "./compute.js";
import { px } from "./drawing.js";
import { html, svg } from "./lit.js";
import { uniqueId } from "./text.js";

// == compute ==================================================================================

const LEAST = 0.015; // a weight below is not drawn
export const TOLD = 0.1; // and one from which it stands at its word
const SMALLEST = 14; // px of type: words that would be smaller in one line stand upright
const UPRIGHT = [17, 24]; // px of type and of a line there
const SHARE = 26; // px of a weight beside its word

// Hundredths, so that what is less than half of one is no 0.
export const shareText = (w) => w.toFixed(2).replace(/^0/, "");

// The path of an arc between two places on a line; one that ends where it begins is a loop. A place
// and a height above the line are a point: to the right and up, or down and to the right. An arc
// rises by `rise` for each px that it is longer.
export function arcPath(from, to, room, point, rise = 0.42) {
  const at = (...place) =>
    point(...place)
      .map((x) => x.toFixed(1))
      .join(" ");
  if (from === to)
    return `M${at(from - 5, 0)}C${at(from - 18, 32)} ${at(from + 18, 32)} ${at(from + 5, 0)}`;
  // A curve rises to three quarters of the height of its handles.
  const handle = (Math.min(room, 28 + rise * Math.abs(to - from)) * 4) / 3;
  return `M${at(from, 0)}C${at(from, handle)} ${at(to, handle)} ${at(to, 0)}`;
}

// Where words stand under arcs of a height: in one line as wide as `width`, or, where they would be
// too small, upright, with the arcs to their right. `wide` are their widths in type of 1 px; those
// that are 0 are dots. `foot` is the room for numbers below the line.
function lineUp(wide, { width, largest, height, foot = 16 }) {
  const [words, dots] = [sum(wide), 8 * wide.filter((w) => w === 0).length];
  const size = Math.min(largest, (width - dots) / (words + 0.4 * (wide.length - 1)));
  if (size >= SMALLEST) {
    const widths = wide.map((w) => size * w || 8);
    const gap = wide.length > 1 ? (width - sum(widths)) / (wide.length - 1) : 0;
    let left = -gap;
    const places = widths.map((w) => (left += w + gap) - w / 2);
    const thick = Math.max(10, width / 62);
    return {
      upright: false,
      size,
      places,
      thick,
      rise: 0.42,
      height,
      room: height - thick / 2 - 3,
      full: height + 1.25 * (width > 600 ? largest : Math.max(size, 20)) + foot,
      point: (x, y) => [x, height - 3 - y],
    };
  }
  const [upright, line] = UPRIGHT;
  const column = Math.min(0.7 * width, upright * Math.max(...wide) + SHARE + 12);
  const thick = Math.max(14, width / 62);
  const full = line * wide.length;
  return {
    upright: true,
    size: upright,
    places: wide.map((_, i) => line * (i + 0.5)),
    thick,
    rise: 0.9,
    height: full,
    room: width - column - thick / 2 - 3,
    full,
    column,
    point: (y, x) => [column + x, y],
  };
}

// == page =====================================================================================

let pen;
// The widths of texts in type of 1 px, in the letters of an element.
export function textWidths(element, texts) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = `100px ${getComputedStyle(element).fontFamily}`;
  return texts.map((text) => pen.measureText(text).width / 100);
}

/**
 * Arcs from one place to n, from the blue of the query to the ochre of the key, as thick as the
 * weights.
 * @param {string} id
 * @param {{places: number[], room: number, thick: number, point: (x: number, y: number) => number[],
 *   rise?: number}} ground
 * @param {number[]} row
 * @param {number} from
 * @param {string} [tint]
 */
export const fan = (id, { places, room, thick, point, rise }, row, from, tint = "var(--k)") =>
  places.map((to, i) => {
    const [w, [x1, y1], [x2, y2]] = [row[i], point(from, 0), point(to, 0)];
    return svg`<linearGradient id="${id}-${i}" gradientUnits="userSpaceOnUse" x1=${px(x1)} y1=${px(y1)}
      x2=${px(x1 === x2 && y1 === y2 ? x2 + 1 : x2)} y2=${px(y2)}><stop stop-color="var(--q)"/><stop offset="1" stop-color=${tint}/></linearGradient>
    <path fill="none" stroke="url(#${id}-${i})" stroke-linecap="round" d=${arcPath(from, to, room, point, rise)}
      stroke-width=${w < LEAST ? 0 : +(thick * w).toFixed(2)} stroke-opacity=${Math.min(1, 0.55 + w).toFixed(2)}/>`;
  });

// The arrow keys move the focus among the buttons of a group, `across` of them in a row; they press
// none. One button is a stop of Tab.
export const roving = (across) => {
  const buttons = (group) => [...group.querySelectorAll("button:enabled")];
  return {
    focus: ({ currentTarget, target }) => {
      for (const each of buttons(currentTarget)) each.tabIndex = each === target ? 0 : -1;
    },
    key: (event) => {
      const way = {
        ArrowLeft: -1,
        ArrowRight: 1,
        ArrowUp: -across,
        ArrowDown: across,
        Home: -1e9,
        End: 1e9,
      }[event.key];
      if (!way || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const all = buttons(event.currentTarget);
      const to = all.indexOf(event.target) + way;
      if (all[to] || Math.abs(way) > across) all[Math.max(0, Math.min(all.length - 1, to))].focus();
    },
  };
};

/**
 * A sentence under arcs. Make it once for a view; what it returns draws it.
 * @param {import("./explorer.js").View} view
 * @param {string} label
 */
export const sentenceLine = (view, label) => {
  const keys = roving(1);
  const id = uniqueId("line");
  let [key, ground] = ["", null];
  /**
   * @param {object} line
   * @param {string[]} line.tokens the words
   * @param {number} line.asks which of them asks
   * @param {number[][]} line.rows for each head its weights (none: not yet)
   * @param {string[]} [line.tints] the colours of the ends of its arcs
   * @param {number} [line.pressed] the word that is chosen
   * @param {number[]} [line.open] those that can be pressed, if not all
   * @param {(i: number) => void} [line.onPress] words are buttons
   * @param {(i: number) => boolean} [line.isMark] a mark of start or end: grey, a dot on a phone
   * @param {number} line.largest px of type
   * @param {number} line.height px of the room for arcs
   * @param {number} [line.foot] px of the room for numbers
   * @param {(i: number) => unknown} [line.told] what stands at a word, in place of its weight in the
   *   first row
   */
  return ({
    tokens,
    asks,
    rows,
    tints = [],
    pressed = -1,
    open,
    onPress,
    isMark = () => false,
    largest,
    height,
    foot,
    told,
  }) => {
    const isDot = (i) => isMark(i) && view.width <= 600;
    if (key !== (key = JSON.stringify([view.width, tokens, height]))) {
      const wide = textWidths(view.root, tokens).map((w, i) => w * (isMark(i) ? 0.62 : 1));
      ground = lineUp(
        wide.map((w, i) => (isDot(i) ? 0 : w)),
        { width: view.width, largest, height, foot },
      );
      if (ground.upright) ground = lineUp(wide, { width: view.width, largest, height, foot });
    }
    const { upright, size, places, thick, height: high, full, column } = ground;
    const top = rows.length === 1 ? argsortDown(rows[0])[0] : -1;
    const shown =
      rows.length > 0 ? rows : (tints.length > 0 ? tints : [0]).map(() => tokens.map(() => 0));
    const share = (i) => {
      const w = rows[0]?.[i] ?? NaN;
      return html`<data value=${Number.isNaN(w) ? "" : w}>${w >= TOLD ? shareText(w) : ""}</data>`;
    };
    const word = (text, i) => html`<bdi>${text}</bdi> ${(told ?? share)(i)}`;
    const style = (i) =>
      upright
        ? `top: ${px(places[i])}px; max-width: ${px(column - 12)}px`
        : `left: ${px(places[i])}px`;
    const kind = (i) =>
      `word ${isMark(i) ? "mark" : ""} ${isDot(i) && !upright ? "dot" : ""} ${i === asks ? "asks" : i === top ? "most" : ""}`;
    // Arcs of several heads end beside each other.
    const drawn = (row, i, all) => {
      const [from, ...weights] = view.glide(`${id}-${i}`, [places[asks], ...row]);
      const aside = (i - (all.length - 1) / 2) * (upright ? 5 : 8);
      const beside = {
        ...ground,
        places: places.map((place, j) => place + (j === asks ? 0 : aside)),
      };
      return fan(`${id}-${i}`, beside, weights, from, tints[i]);
    };
    return html`<div class="line ${upright ? "upright" : ""}" style="height: ${px(full)}px; font-size: ${size.toFixed(2)}px">
      <svg class="arcs" height=${px(high)} viewBox="0 0 ${view.width} ${px(high)}" data-thick=${thick} aria-hidden="true">
        ${shown.map(drawn)}</svg>
      <div class="words" role="group" aria-label=${label} style="top: ${upright ? 0 : px(high)}px" @focusin=${keys.focus} @keydown=${keys.key}>
        ${tokens.map((text, i) =>
          onPress
            ? html`<button type="button" class=${kind(i)} style=${style(i)} aria-pressed=${i === pressed}
            tabindex=${i === Math.max(0, pressed) ? 0 : -1} ?disabled=${open && !open.includes(i)} @click=${() => onPress(i)}>${word(text, i)}</button>`
            : html`<span class=${kind(i)} style=${style(i)}>${word(text, i)}</span>`,
        )}</div></div>`;
  };
};
