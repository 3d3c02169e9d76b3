// Positions as angles, and as hands of a clock: for the explorers of encodings.

// What a column turns by from one position to the next.
export const frequency = (column, { dim, base }) => base ** (-(column - (column % 2)) / dim);

// A pair of numbers turned by an angle, against the clock.
export function turned([x, y], angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [x * cos - y * sin, x * sin + y * cos];
}
