// The ends of arrows, to be taken by the hand: for the explorers in a plane.

import { mayScroll, putDown, px } from "./drawing.js";
import { fixed } from "./format.js";
import { html } from "./lit.js";

const STEP = 0.1; // of an arrow key
export const HANDLE = 28; // px

const ARROWS = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
};

// With two decimals, inside the room.
export const within = (point, room) =>
  point.map((x, axis) => Math.round(100 * Math.max(-room[axis], Math.min(room[axis], x))) / 100);

/**
 * A point as it is read.
 * @param {number[]} point
 * @param {number} [digits]
 */
export const pointText = (point, digits = 2) =>
  `(${point.map((x) => fixed(x, digits)).join(", ")})`;

// What the hand takes at the end of an arrow: a slider in two directions. Make it once; its view
// takes the point, its place in px, px a unit, and the text. Who cannot drag presses it, and then
// the place in the drawing around it.
export function handle(name, move, room) {
  let now = [0, 0];
  let unit = 1;
  let pull = null; // where the pointer would have to be for the arrow to end at 0
  const shown = (root) => unit * (root.currentCSSZoom ?? 1); // a page may be enlarged
  const key = (event) => {
    const step = ARROWS[event.key];
    const end = { Home: -room[0], End: room[0] }[event.key];
    if (!(step || end) || event.ctrlKey || event.altKey || event.shiftKey || event.metaKey) return;
    event.preventDefault();
    move(end ? [end, now[1]] : [now[0] + step[0], now[1] + step[1]]);
  };
  const down = (event) => {
    putDown(event);
    if (event.button !== 0) return;
    event.preventDefault(); // of selecting text; the focus comes by hand
    const root = event.currentTarget;
    root.focus({ preventScroll: true });
    pull = [event.clientX - shown(root) * now[0], event.clientY + shown(root) * now[1]];
    root.setPointerCapture(event.pointerId);
  };
  const drag = (event) => {
    const { clientX, clientY, currentTarget: root } = event;
    if (pull && !mayScroll(event))
      move([(clientX - pull[0]) / shown(root), (pull[1] - clientY) / shown(root)]);
  };
  const drop = () => {
    pull = null;
  };
  let root = null;
  const press = (event) => {
    const isOnAnother = event.target.closest?.("[tabindex]");
    if (event.button !== 0 || isOnAnother) return;
    event.preventDefault();
    const { left, top, width, height } = root.getBoundingClientRect();
    move([
      now[0] + (event.clientX - left - width / 2) / shown(root),
      now[1] - (event.clientY - top - height / 2) / shown(root),
    ]);
  };
  const focus = (event) => {
    root = event.currentTarget;
    root.parentElement.addEventListener("mousedown", press);
  };
  const blur = () => root?.parentElement?.removeEventListener("mousedown", press);
  /**
   * @param {number[]} point
   * @param {number[]} place
   * @param {number} newUnit
   * @param {string} text
   */
  return (point, [x, y], newUnit, text) => {
    [now, unit] = [point, newUnit];
    return html`<div class="handle" role="slider" tabindex="0" aria-label=${name}
      aria-valuemin=${-room[0]} aria-valuemax=${room[0]} aria-valuenow=${fixed(point[0], 2).replace("−", "-")}
      aria-valuetext=${text} style="translate: ${px(x - HANDLE / 2)}px ${px(y - HANDLE / 2)}px"
      @keydown=${key} @pointerdown=${down} @pointermove=${drag} @pointerup=${drop} @pointercancel=${drop}
      @focus=${focus} @blur=${blur}></div>`;
  };
}
