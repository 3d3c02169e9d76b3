// Parts of drawings.

import { weightColor } from "./format.js";
import { html, svg } from "./lit.js";

export const GUTTER = 36; // left of a chart, for the numbers of its axes

export const INSET = 8; // half the thumb of a slider: where the slider is the axis, marks stand under it

export const px = (x) => x.toFixed(1);

// A path through points.
export const pathOf = (points) => `M${points.map(([x, y]) => `${px(x)} ${px(y)}`).join("L")}`;

// A line across a chart, with its number in the gutter.
export const level = (y, right, text, { gutter = GUTTER, role = "hair" } = {}) => svg`
  <path class=${role} d="M${gutter} ${y}H${right}"/>
  <text class="dim" x=${gutter - 6} y=${y + 4} text-anchor="end">${text}</text>`;

// What a finger drags does not scroll the page: touch-action does nothing on parts of a drawing.
export const noScroll = (event) => event.preventDefault();

const SIDEWAYS = 4; // px that a finger goes farther sideways than up or down before it drags
let finger = null; // where it was put down, while it may be about to scroll the page

/** @param {PointerEvent} event of what is put down */
export function putDown({ pointerType, clientX, clientY }) {
  finger = pointerType === "touch" ? [clientX, clientY] : null;
}

/**
 * Whether a finger may be about to scroll the page: as long as it has not gone sideways.
 * @param {PointerEvent} event of what has moved
 */
export function mayScroll({ clientX, clientY }) {
  if (!finger) return false;
  const [across, along] = [Math.abs(clientX - finger[0]), Math.abs(clientY - finger[1])];
  if (across > along + SIDEWAYS) finger = null;
  return finger !== null;
}

/**
 * Listeners that ask for what is under the pointer where it presses and as it is dragged. A finger
 * asks with a tap, since it may be about to scroll the page; with `touch`, it drags sideways as well.
 * @param {(event: any) => void} ask
 * @param {{touch?: boolean}} [options]
 */
export const dragging = (ask, { touch = false } = {}) => ({
  /** @param {any} event */
  down(event) {
    putDown(event);
    const isFinger = event.pointerType === "touch";
    if (event.button !== 0 || (isFinger && !touch)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    if (!isFinger) ask(event);
  },
  /** @param {any} event */
  move(event) {
    // A browser captures a finger by itself.
    const isWanted = touch || event.pointerType !== "touch";
    if (isWanted && event.currentTarget.hasPointerCapture(event.pointerId) && !mayScroll(event))
      ask(event);
  },
  click: ask,
});

/**
 * Listeners of what has a now-line: it follows a mouse that looks; a press keeps it, and so does a
 * drag. `under` says what would be set where the pointer is, or null.
 * @param {import("./explorer.js").View} view
 * @param {(event: any) => Record<string, any> | null} under
 */
export function following(view, under) {
  const ask = (event) => {
    const [to, now] = [under(event), view.read()];
    if (to && Object.keys(to).some((key) => to[key] !== now[key])) view.set(to);
  };
  const hand = dragging(ask, { touch: true });
  return {
    ...hand,
    /** @param {any} event */
    move(event) {
      if (event.currentTarget.hasPointerCapture(event.pointerId)) hand.move(event);
      else view.look(under(event))(event);
    },
  };
}

// The width of a column of words in px, from `least` to `most`; longer words are cut. There is
// room for readers who set letters wider apart.
export const wordWidth = (words, least, most) =>
  Math.max(least, Math.min(most, 10 + 9.5 * Math.max(...words.map((word) => word.length))));

// A bar that says a weight twice, by length and by colour; a tick marks the uniform weight among
// `among`.
export const weightBar = (
  weight,
  among,
  isHidden = false,
) => html`<span class="bar ${isHidden ? "masked" : ""}" aria-hidden="true">
  <span class="fill" style="width: ${100 * weight}%; background: ${weightColor(weight)}"></span>
  <span class="uniform" style="left: ${100 / Math.max(1, among)}%"></span></span>`;

// The name of that tick, for the head of a column of bars; none has no name.
export const barHead = (among) => html`<span class="barhead" aria-hidden="true">
  <span style="left: ${100 / Math.max(1, among)}%">${among ? `1/${among}` : ""}</span></span>`;
