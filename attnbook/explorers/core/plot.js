// Charts: scales, axes and pointers, with the names that d3 and Observable Plot give them.

import { level } from "./drawing.js";

/**
 * A linear scale: a function from the domain to the range, and `invert` back, inside the domain.
 * @param {{domain: number[], range: number[]}} options
 */
export function scaleLinear({ domain: [from, to], range: [start, end] }) {
  const scale = (x) => start + ((end - start) * (x - from)) / (to - from || 1);
  const invert = (place) => {
    const share = (place - start) / (end - start);
    return from + (to - from) * Math.max(0, Math.min(1, share));
  };
  return Object.assign(scale, { invert });
}

/**
 * Lines across a chart, each with its number at the left.
 * @param {(value: number) => number} scale
 * @param {[number, unknown][]} ticks values with their texts
 * @param {number} right where the lines end
 */
export const axisY = (scale, ticks, right) =>
  ticks.map(([value, text]) => level(scale(value), right, text));

/**
 * Where a pointer is in a drawing, in the drawing's own units: a page may be enlarged.
 * @param {any} event
 * @param {any} [node] the drawing
 * @returns {[number, number]}
 */
export function pointer({ clientX, clientY, currentTarget }, node = currentTarget) {
  const { left, top, width } = node.getBoundingClientRect();
  const unit = (node.viewBox?.baseVal.width || node.offsetWidth) / width;
  return [(clientX - left) * unit, (clientY - top) * unit];
}
