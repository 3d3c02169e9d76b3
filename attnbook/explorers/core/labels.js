// Labels: how wide they are, and how they make room for each other.

import { sum } from "./compute.js";

export const overlap = (a, b) =>
  a.left < b.left + b.width &&
  b.left < a.left + a.width &&
  a.top < b.top + b.height &&
  b.top < a.top + a.height;

/**
 * Gives each label, in turn, the cheapest of the places that it could take: one that touches no
 * label before it, covers little of the drawing, and costs little by itself. Of equals, the first.
 * @typedef {{left: number, top: number, width: number, height: number, cost?: number}} Box
 * @param {Box[][]} labels for each the places
 * @param {(box: Box) => number} [covered] of the drawing, by a box
 * @returns {Box[]}
 */
export function placeLabels(labels, covered = () => 0) {
  const placed = [];
  for (const places of labels) {
    let best = places[0];
    let least = Infinity;
    for (const box of places) {
      const touched = placed.filter((other) => overlap(box, other)).length;
      const alone = 1000 * touched + (box.cost ?? 0);
      if (alone >= least) continue; // the drawing is dearer to look at
      const cost = alone + covered(box);
      if (cost < least) [best, least] = [box, cost];
    }
    placed.push(best);
  }
  return placed;
}

/**
 * Where a label beside a point may stand: right or left of it, level with it or somewhat off,
 * inside the room. Each px off costs something, and so does the left side.
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {{from: number, to: number, top?: number, bottom?: number}} room
 * @param {{height?: number, gap?: number, offs: number[], cost: number, left?: number}} how
 * @returns {Box[]}
 */
export function placesBeside(
  x,
  y,
  width,
  { from, to, top = -Infinity, bottom = Infinity },
  { height = 14, gap = 10, offs, cost, left: aside = 0 },
) {
  const [right, left] = [x + gap, x - gap - width];
  const sides = [right, left].filter((side) => side >= from && side + width <= to);
  if (sides.length === 0) sides.push(Math.max(from, Math.min(right, to - width)));
  y = Math.max(top + 1, Math.min(bottom - 1, y)); // there is always one
  return [0, ...offs.flatMap((off) => [-off, off])]
    .filter((off) => y + off > top && y + off < bottom)
    .flatMap((off) =>
      sides.map((side) => ({
        left: side,
        top: y + off - height / 2,
        width,
        height,
        cost: Math.abs(off) * cost + (side === left ? aside : 0),
      })),
    );
}

// Where the middles of labels stand in a row, or in a column: each as near to its place as the
// others allow. Labels that would touch move apart together, around the mean of their places, and
// stay inside.
export function spread(labels, room) {
  const groups = [];
  for (const label of labels) {
    let group = { items: [label], width: label.width, left: 0 };
    for (;;) {
      // The mean of where each item wants the left end of its group.
      let before = 0;
      const lefts = group.items.map(({ at, width }) => {
        before += width;
        return at + width / 2 - before;
      });
      const mean = sum(lefts) / lefts.length;
      group.left = Math.max(0, Math.min(room - group.width, mean));
      const last = groups[groups.length - 1];
      if (!last || last.left + last.width <= group.left) break;
      groups.pop();
      group = {
        items: [...last.items, ...group.items],
        width: last.width + group.width,
        left: 0,
      };
    }
    groups.push(group);
  }
  return groups.flatMap(({ items, left }, group) =>
    items.map(({ width }) => {
      left += width;
      return { middle: left - width / 2, group };
    }),
  );
}

// How many of the points a box covers, with a margin around it.
export function covering(points, margin = 0) {
  const sorted = [...points].sort((a, b) => a[0] - b[0]);
  const [xs, ys] = [0, 1].map((axis) => sorted.map((point) => point[axis]));
  return ({ left, top, width, height }) => {
    let [i, end] = [0, xs.length]; // to the first point that is not left of the box
    while (i < end) {
      const middle = (i + end) >> 1;
      if (xs[middle] > left - margin) end = middle;
      else i = middle + 1;
    }
    let covered = 0;
    for (; i < xs.length && xs[i] < left + width + margin; i++) {
      if (ys[i] > top - margin && ys[i] < top + height + margin) covered++;
    }
    return covered;
  };
}

// About how wide a label of 12 px type is.
export const textWidth = (text) =>
  sum(
    [...text].map((character) => {
      if (/[\s.,:ijl'|’]/.test(character)) return 3.4;
      if (/[A-Z0-9mw=<−–]/.test(character)) return 7.2;
      return /[\u0530-\u{10ffff}]/u.test(character) ? 12 : 6.4; // 12: Chinese characters, emoji
    }),
  );

// Text that is about so wide at most, cut if need be.
export function cutTo(text, width) {
  let cut = text;
  while (textWidth(cut) > width && cut.length > 1) cut = `${[...cut].slice(0, -2).join("")}…`;
  return cut;
}
