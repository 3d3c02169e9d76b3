// Positions as angles, and as hands of a clock: for the explorers of encodings.

// What a column turns by from one position to the next.
export const frequency = (column, { dim, base }) => base ** (-(column - (column % 2)) / dim);

/**
 * Where one came from: what was there when something was last pressed that then changed it, or what
 * is there while something else is only looked at.
 * @param {import("./explorer.js").View} view
 * @param {(now: any) => number[]} where
 * @param {string} own a part that calls `leave` itself, before it changes anything
 */
export function wayBack(view, where, own) {
  let [pressed, from] = [null, null];
  const leave = () => {
    pressed = where(view.read());
  };
  const forget = () => {
    [pressed, from] = [null, null];
  };
  const isNot = (place, other) => place !== null && String(place) !== String(other);
  view.onTouch((target) => target.closest(own) || leave());
  view.onReset(forget);
  return {
    leave,
    forget,
    /** @param {any} now */
    to(now) {
      const [here, held] = [where(now), where(view.read())];
      if (isNot(pressed, held)) from = pressed;
      const place = isNot(held, here) ? held : from;
      return isNot(place, here) ? place : null;
    },
  };
}

// A pair of numbers turned by an angle, against the clock.
export function turned([x, y], angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [x * cos - y * sin, x * sin + y * cos];
}
