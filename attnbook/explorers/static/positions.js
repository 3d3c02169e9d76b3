// @ts-check
// Positions as angles, and as hands of a clock: for the explorers of encodings.

/** What a column turns by from one position to the next. @param {number} column @param {{dim: number, base: number}} f */
const frequency = (column, { dim, base }) => base ** (-(column - (column % 2)) / dim);

/**
 * A pair of numbers turned by an angle, against the clock.
 * @param {readonly number[]} pair
 * @param {number} angle
 */
function turned([x, y], angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [x * cos - y * sin, x * sin + y * cos];
}
