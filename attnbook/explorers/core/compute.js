// Numbers: pure functions for all scripts, equal to attnutils to rounding.

export const sum = (x) => x.reduce((total, item) => total + item, 0);

export const dot = (a, b) => sum(a.map((item, i) => item * b[i]));

// Softmax of `scores` at a temperature. 0 is the limit: the largest scores share equally. Infinity
// is uniform. Where nothing may be attended to, every weight is 0.
export function softmax(scores, temperature, mask) {
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
export const entropy = (weights) => sum(weights.map((w) => (w > 0 ? -w * Math.log2(w) : 0)));

const EVEN_FROM = 90; // the place of the slider from which 1 / T falls evenly

const HOT = 10 ** ((EVEN_FROM - 50) / 25); // the temperature there, 40

// The temperature at a position 0..100 of the slider: 0 and infinity at the ends, 1 in the middle,
// 25 positions a decade. The last tenth reaches infinity without a leap: there 1 / T falls evenly.
export function temperatureUnder(position) {
  if (position <= 0) return 0;
  if (position <= EVEN_FROM) return 10 ** ((position - 50) / 25);
  return (HOT * (100 - EVEN_FROM)) / (100 - position);
}

// The same with two digits, so that what is shown is what is computed.
export const temperatureAt = (position) => Number(temperatureUnder(position).toPrecision(2));

// The position of a temperature, inside the ends unless it is 0 or infinite.
export function sliderPosition(t) {
  if (t === 0) return 0;
  if (t === Infinity) return 100;
  const position = t <= HOT ? 50 + 25 * Math.log10(t) : 100 - ((100 - EVEN_FROM) * HOT) / t;
  return Math.min(99, Math.max(1, position));
}

// Indices from the largest item to the smallest; equal items keep their order.
export const argsortDown = (x) => x.map((_, i) => i).sort((a, b) => x[b] - x[a] || a - b);
