// Numbers and words as text, and the colour of a weight.

// A number with fixed decimals, a true minus sign and no minus zero.
export function fixed(x, digits = 3) {
  const size = Math.abs(x);
  const sign = x < 0 && size >= 0.5 / 10 ** digits ? "−" : "";
  if (size === Infinity) return `${sign}∞`;
  return sign + (size < 1e6 ? size.toFixed(digits) : size.toExponential(1).replace("e+", "e"));
}

// A number as short as four digits allow: 7, 0.25, −0.2.
export function short(x) {
  if (Math.abs(x) === Infinity) return fixed(x);
  return String(Number(x.toPrecision(4)))
    .replace("-", "−")
    .replace("e+", "e");
}

// A weight with three decimals; one that would read as nothing is "<.001".
export const weightText = (w) => (w > 0 && w < 0.0005 ? "<.001" : fixed(w));

// A weight where room is short: two digits, no zero in front; "0" and "1" are exact.
export const cellText = (w) => (w === 0 || w === 1 ? String(w) : w.toFixed(2).replace(/^0/, ""));

export function temperatureWords(t) {
  if (t === 0) return "temperature 0, hard: the largest score takes all";
  if (t === Infinity) return "temperature infinite, uniform: all weigh the same";
  return `temperature ${short(t)}`;
}

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

// "a, b and c".
export const listed = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

export const countWord = (n) =>
  "no one two three four five six seven eight nine ten eleven twelve".split(" ")[n] ?? String(n);

// A sentence in a list of sentences: of a long one both ends.
export const brief = (text) =>
  text.length > 38 ? text.replace(/^(\S+ \S+) .* (\S+ \S+ \S+)$/, "$1 … $2") : text;

// The colour of a weight from 0 to 1: so much of one ink on the page.
export const weightColor = (w) =>
  `color-mix(in srgb, var(--weight) ${+(100 * Math.max(0, Math.min(1, w))).toFixed(2)}%, ` +
  "var(--page))";

const FULL = 0.54; // from this weight on its colour is nearer to the ink than to the page

// The colour of text on the colour of a weight.
export const inkOn = (w, isDark) => (w < FULL === isDark ? "#fff" : "#000");

// The style of a cell with the number of a weight: bold on the greys that are far from the page.
export const weightStyle = (w) =>
  `background: ${weightColor(w)}; color: light-dark(${inkOn(w, false)}, ${inkOn(
    w,
    true,
  )})${w < 0.35 ? "" : "; font-weight: 600"}`;
