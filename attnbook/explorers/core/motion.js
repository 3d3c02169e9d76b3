// Motion: numbers and things on their way, and Play.

import { html } from "./lit.js";

const GLIDE = 220; // milliseconds in which a number goes to its new value

export const moves = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

export const ease = (t) => 1 - (1 - t) ** 3;

// Numbers between two lists, or lists of lists, of one shape; what is infinite jumps.
export const mix = (a, b, t) =>
  Array.isArray(b)
    ? b.map((item, i) => mix(a[i], item, t))
    : Number.isFinite(a) && Number.isFinite(b)
      ? a + (b - a) * t
      : b;

export const alike = (a, b) =>
  Array.isArray(b)
    ? Array.isArray(a) && a.length === b.length && b.every((item, i) => alike(a[i], item))
    : typeof a === typeof b;

export const equal = (a, b) =>
  Array.isArray(b) ? b.every((item, i) => equal(a[i], item)) : Object.is(a, b);

// Numbers on their way: `glide(key, target)` gives them as they are to be drawn now, and has
// `again` called until they have arrived.
export function gliding(again) {
  const all = new Map();
  let frame = 0;
  const next = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      again();
    });
  };
  return {
    glide(key, target, ms = GLIDE) {
      const way = all.get(key);
      if (!way || !moves() || !alike(way.to, target)) {
        all.set(key, { from: target, to: target, value: target, start: -Infinity, ms });
        return target;
      }
      const time = performance.now();
      if (!equal(way.to, target))
        Object.assign(way, { from: way.value, to: target, start: time, ms });
      const t = Math.min(1, (time - way.start) / way.ms);
      way.value = t < 1 ? mix(way.from, way.to, ease(t)) : way.to;
      if (t < 1) next();
      return way.value;
    },
    stop: () => cancelAnimationFrame(frame),
  };
}

// What has a data-travel, as in a row that is shuffled, goes from where it stood to where it stands
// now. Call it before the change; call what it returns after it.
export function travelling(root, ms = 400) {
  if (!moves()) return () => {};
  const places = () =>
    new Map(
      [...root.querySelectorAll("[data-travel]")].map((item) => [
        item.dataset.travel,
        [item, item.getBoundingClientRect()],
      ]),
    );
  const before = places();
  return () => {
    let order = 0;
    for (const [key, [item, to]] of places()) {
      const from = before.get(key)?.[1];
      if (!from || (from.left === to.left && from.top === to.top)) continue;
      const way = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
      item.animate([{ transform: way }, { transform: "none" }], {
        duration: ms,
        delay: 30 * order++,
        fill: "backwards",
        easing: "ease-out",
      });
    }
  };
}

/**
 * @typedef {object} Playing
 * @property {(now: any) => Record<string, any> | null | undefined | false} step what
 *   changes next; nothing at the end
 * @property {(now: any) => number} [ms] until the next step
 * @property {(now: any) => Record<string, any> | null} [rewind] what changes when it
 *   is played again at the end
 *
 * @typedef {{pause: () => void, isOn: boolean, button: () => unknown}} Player
 */

/**
 * Plays, step by step. It pauses when something else is touched, and out of sight.
 * @param {import("./explorer.js").View} view
 * @param {Playing} how
 * @returns {Player}
 */
export function playing(view, { step, ms = () => 700, rewind = () => null }) {
  let timer = 0;
  let isOn = false;
  const pause = () => {
    if (!isOn) return;
    isOn = false;
    clearTimeout(timer);
    view.again();
  };
  const go = () => {
    const change = step(view.read());
    if (!change) return pause();
    view.set(change);
    timer = setTimeout(go, ms(view.read()));
    return undefined;
  };
  const toggle = () => {
    if (isOn) return pause();
    isOn = true;
    view.again();
    if (!step(view.read())) view.set(rewind(view.read()) ?? {});
    timer = setTimeout(go, 150);
    return undefined;
  };
  view.onStop(pause);
  view.onTouch((target) => !target.closest(".play") && pause());
  view.onHidden(pause);
  return {
    pause,
    get isOn() {
      return isOn;
    },
    button: () =>
      html`<button type="button" class="play" @click=${toggle}>${isOn ? "Pause" : "Play"}</button>`,
  };
}
