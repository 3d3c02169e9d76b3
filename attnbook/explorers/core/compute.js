// Numbers, words, colours and labels: pure functions for all scripts, equal to attnutils to rounding.

const sum = (x) => x.reduce((total, item) => total + item, 0);

const dot = (a, b) => sum(a.map((item, i) => item * b[i]));

// Softmax of `scores` at a temperature. 0 is the limit: the largest scores share equally. Infinity
// is uniform. Where nothing may be attended to, every weight is 0.
function softmax(scores, temperature, mask) {
  const open = scores.map((score, i) => score > -Infinity && (!mask || mask[i]));
  const top = Math.max(...scores.filter((_, i) => open[i]));
  const raised = scores.map((score, i) => {
    if (!open[i]) return 0;
    if (score === top || temperature === Infinity) return 1;
    return Math.exp((score - top) / temperature);
  });
  const total = sum(raised);
  return raised.map((x) => (total === 0 ? 0 : x / total));
}

// Entropy in bits; a weight of 0 adds nothing.
const entropy = (weights) => sum(weights.map((w) => (w > 0 ? -w * Math.log2(w) : 0)));

const EVEN_FROM = 90; // the place of the slider from which 1 / T falls evenly
const HOT = 10 ** ((EVEN_FROM - 50) / 25); // the temperature there, 40

// The temperature at a position 0..100 of the slider: 0 and infinity at the ends, 1 in the middle,
// 25 positions a decade. The last tenth reaches infinity without a leap: there 1 / T falls evenly.
function temperatureUnder(position) {
  if (position <= 0) return 0;
  if (position <= EVEN_FROM) return 10 ** ((position - 50) / 25);
  return (HOT * (100 - EVEN_FROM)) / (100 - position);
}

// The same with two digits, so that what is shown is what is computed.
const temperatureAt = (position) => Number(temperatureUnder(position).toPrecision(2));

// The position of a temperature, inside the ends unless it is 0 or infinite.
function sliderPosition(t) {
  if (t === 0) return 0;
  if (t === Infinity) return 100;
  const position = t <= HOT ? 50 + 25 * Math.log10(t) : 100 - ((100 - EVEN_FROM) * HOT) / t;
  return Math.min(99, Math.max(1, position));
}

// Indices from the largest item to the smallest; equal items keep their order.
const argsortDown = (x) => x.map((_, i) => i).sort((a, b) => x[b] - x[a] || a - b);

// A number with fixed decimals, a true minus sign and no minus zero.
function fixed(x, digits = 3) {
  const size = Math.abs(x);
  const sign = x < 0 && size >= 0.5 / 10 ** digits ? "−" : "";
  if (size === Infinity) return `${sign}∞`;
  return sign + (size < 1e6 ? size.toFixed(digits) : size.toExponential(1).replace("e+", "e"));
}

// A number as short as four digits allow: 7, 0.25, −0.2.
function short(x) {
  if (Math.abs(x) === Infinity) return fixed(x);
  return String(Number(x.toPrecision(4)))
    .replace("-", "−")
    .replace("e+", "e");
}

// A weight with three decimals; one that would read as nothing is "<.001".
const weightText = (w) => (w > 0 && w < 0.0005 ? "<.001" : fixed(w));

// A weight where room is short: two digits, no zero in front; "0" and "1" are exact.
const cellText = (w) => (w === 0 || w === 1 ? String(w) : w.toFixed(2).replace(/^0/, ""));

function temperatureWords(t) {
  if (t === 0) return "temperature 0, hard: the largest score takes all";
  if (t === Infinity) return "temperature infinite, uniform: all weigh the same";
  return `temperature ${short(t)}`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// "a, b and c".
const listed = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

const countWord = (n) =>
  "no one two three four five six seven eight nine ten eleven twelve".split(" ")[n] ?? String(n);

// -- colour and labels ------------------------------------------------------------------------

// The colour of a weight from 0 to 1: so much of one ink on the page.
const weightColor = (w) =>
  `color-mix(in srgb, var(--weight) ${+(100 * Math.max(0, Math.min(1, w))).toFixed(2)}%, ` +
  "var(--page))";

const FULL = 0.54; // from this weight on its colour is nearer to the ink than to the page

// The colour of text on the colour of a weight.
const inkOn = (w, isDark) => (w < FULL === isDark ? "#fff" : "#000");

// The style of a cell with the number of a weight: bold on the greys that are far from the page.
const weightStyle = (w) =>
  `background: ${weightColor(w)}; color: light-dark(${inkOn(w, false)}, ${inkOn(
    w,
    true,
  )})${w < 0.35 ? "" : "; font-weight: 600"}`;

const overlap = (a, b) =>
  a.left < b.left + b.width &&
  b.left < a.left + a.width &&
  a.top < b.top + b.height &&
  b.top < a.top + a.height;

// Gives each label, in turn, the cheapest of the places that it could take: one that touches no
// label before it, covers little of the drawing, and costs little by itself. Of equals, the first.
function placeLabels(labels, covered = () => 0) {
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

// Where a label beside a point may stand: right or left of it, level with it or somewhat off,
// inside the room. Each px off costs something, and so does the left side.
function placesBeside(
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
function spread(labels, room) {
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
function covering(points, margin = 0) {
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
const textWidth = (text) =>
  sum(
    [...text].map((character) => {
      if (/[\s.,:ijl'|’]/.test(character)) return 3.4;
      if (/[A-Z0-9mw=<−–]/.test(character)) return 7.2;
      return /[\u0530-\u{10ffff}]/u.test(character) ? 12 : 6.4; // 12: Chinese characters, emoji
    }),
  );

// Text that is about so wide at most, cut if need be.
function cutTo(text, width) {
  let cut = text;
  while (textWidth(cut) > width && cut.length > 1) cut = `${[...cut].slice(0, -2).join("")}…`;
  return cut;
}
