// LearnedQueriesExplorer: slopes over twelve numbers, to be dragged, or to learn while one looks on.

import { softmax, sum } from "../core/compute.js";
import { button, slider } from "../core/controls.js";
import { px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed, listed } from "../core/format.js";
import { spread, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { moves } from "../core/motion.js";
import { number } from "../core/text.js";
import { floats, listOf } from "../core/traits.js";

// == compute ==================================================================================

const NAMES = ["smallest", "mean", "largest"];
const [MOST, STEEPEST, RIDGE] = [5, 12, 1e-6];
const DONE = 0.015; // a job is done if its answer is off by less, on average

// What a query of this slope gives to each number, and what it returns.
export function ask(numbers, slope) {
  const weights = softmax(
    numbers.map((x) => slope * 10 * x),
    1,
  );
  return { weights, returned: sum(weights.map((w, j) => w * numbers[j])) };
}

const jobs = (numbers) => [
  Math.min(...numbers),
  sum(numbers) / numbers.length,
  Math.max(...numbers),
];

// 450 sets of 4 to 12 numbers, spread evenly.
const ROOTS = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].map(Math.sqrt);
const SAMPLE = Array.from({ length: 450 }, (_, i) =>
  ROOTS.slice(0, 4 + (i % 9)).map((root) => ((i + 1) * root) % 1),
);
const WANTED = SAMPLE.map(jobs);

// x of A x = B, by elimination; A is positive definite.
function solve(A, B) {
  const rows = A.map((row, i) => [...row, ...B[i]]);
  rows.forEach((row, i) => {
    for (const other of rows.slice(i + 1)) {
      const factor = other[i] / row[i];
      row.forEach((x, c) => {
        other[c] -= factor * x;
      });
    }
  });
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i];
    for (let c = A.length; c < row.length; c++) {
      for (let j = i + 1; j < A.length; j++) row[c] -= row[j] * rows[j][c];
      row[c] /= row[i];
    }
  }
  return rows.map((row) => row.slice(A.length));
}

// How far off the answers of the linear map that is best for these slopes are.
export function errorsOf(slopes) {
  const found = SAMPLE.map((numbers) => slopes.map((slope) => ask(numbers, slope).returned));
  const means = (rows) => rows[0].map((_, c) => sum(rows.map((row) => row[c])) / rows.length);
  const less = (rows, means) => rows.map((row) => row.map((value, c) => value - means[c]));
  const [x, y] = [less(found, means(found)), less(WANTED, means(WANTED))];
  const product = (other, a, c) => sum(x.map((row, i) => row[a] * other[i][c]));
  const squares = slopes.map((_, a) =>
    slopes.map((__, b) => product(x, a, b) + (a === b ? RIDGE * SAMPLE.length : 0)),
  );
  const w = solve(
    squares,
    slopes.map((_, a) => NAMES.map((__, c) => product(y, a, c))),
  );
  const off = (row, i, c) => sum(row.map((value, a) => value * w[a][c])) - y[i][c];
  return NAMES.map((_, c) => Math.sqrt(sum(x.map((row, i) => off(row, i, c) ** 2)) / x.length));
}

// All that is shown of some numbers.
export function read(numbers, slopes) {
  const asked = slopes.map((slope) => ask(numbers, slope));
  return {
    weights: asked.map((each) => each.weights),
    returned: asked.map((each) => each.returned),
    errors: errorsOf(slopes),
  };
}

// -- learning: queries and map by Adam, as train_set_reader does ----------------------------------

const [STEPS, BATCH, TOP] = [1500, 32, 0.05];

// Random numbers below 1, the same for the same seed: SplitMix with the finalizer of MurmurHash3.
function drawing(seed) {
  let state = Math.imul(seed + 1, 0x85ebca6b) >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let x = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
  };
}

const normal = (random) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

export const someSlopes = (seed) => {
  const random = drawing(seed);
  return Array.from({ length: MOST }, () => normal(random));
};

const someSets = (random) =>
  Array.from({ length: BATCH }, () =>
    Array.from({ length: 4 + Math.floor(9 * random()) }, () => random()),
  );

// The mean square error on sets, and its gradients. Parameters are n slopes, the map row by row
// with three numbers each, and three numbers that are added.
export function gradients(all, n, sets) {
  const found = new Float64Array(all.length);
  let loss = 0;
  const share = 1 / (3 * sets.length);
  for (const numbers of sets) {
    const asked = Array.from({ length: n }, (_, i) => ask(numbers, all[i]));
    jobs(numbers).forEach((wanted, c) => {
      const said = sum(asked.map(({ returned }, i) => returned * all[n + 3 * i + c]));
      const off = said + all[4 * n + c] - wanted;
      loss += off * off * share;
      const d = 2 * off * share;
      found[4 * n + c] += d;
      asked.forEach(({ weights, returned }, i) => {
        found[n + 3 * i + c] += d * returned;
        // How what is returned grows with the slope: ten times the variance under the weights.
        const spreads = sum(weights.map((w, j) => w * (numbers[j] - returned) ** 2));
        found[i] += d * all[n + 3 * i + c] * 10 * spreads;
      });
    });
  }
  return { loss, gradients: [...found] };
}

// Learns from these slopes on: `go(steps)` takes some steps and gives the slopes then.
export function learner(start, seed) {
  const n = start.length;
  const random = drawing(1e6 + seed);
  let all = [
    ...start,
    ...Array.from({ length: 3 * n }, () => normal(random) / Math.sqrt(n)),
    ...[0, 0, 0],
  ];
  let [mean, square] = [all.map(() => 0), all.map(() => 0)];
  let t = 0;
  return {
    get step() {
      return t;
    },
    go(steps) {
      const end = Math.min(STEPS, t + steps);
      for (; t < end; t++) {
        const g = gradients(all, n, someSets(random)).gradients;
        const wave = (1 + Math.cos((Math.PI * t) / STEPS)) / 2;
        const rate = TOP * Math.min(1, (t + 1) / 30) * (0.97 * wave + 0.03);
        mean = mean.map((m, i) => 0.9 * m + 0.1 * g[i]);
        square = square.map((u, i) => 0.98 * u + 0.02 * g[i] ** 2);
        const [one, two] = [1 - 0.9 ** (t + 1), 1 - 0.98 ** (t + 1)];
        all = all.map((x, i) => x - (rate * mean[i]) / one / (Math.sqrt(square[i] / two) + 1e-8));
        for (let i = 0; i < n; i++) all[i] = Math.max(-STEEPEST, Math.min(STEEPEST, all[i]));
      }
      return all.slice(0, n).map((x) => Math.round(100 * x) / 100);
    },
  };
}

// == page =====================================================================================

const [NAME, LINE, TIP, FOOT, HEIGHT] = [12, 48, 76, 106, 112]; // px: names, the line, triangles, what is returned, all
const [LARGE, RING, EDGE] = [18, 23, 26]; // a dot that has all the weight, a ring, beside the line

// The places of a slider on either side of 0, finer where slopes are small.
const LADDER = [
  ...Array.from({ length: 11 }, (_, i) => i / 10),
  ...Array.from({ length: 10 }, (_, i) => (6 + i) / 5),
  ...Array.from({ length: 6 }, (_, i) => (7 + i) / 2),
  ...Array.from({ length: 6 }, (_, i) => 7 + i),
];
const PLACES = LADDER.length - 1;
const slopeAt = (place) => (Math.sign(place) || 0) * LADDER[Math.abs(place)];
function placeOf(slope) {
  const off = LADDER.map((each) => Math.abs(each - Math.abs(slope)));
  return (Math.sign(slope) || 0) * off.indexOf(Math.min(...off));
}

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { numbers } = view.read();
  const targets = jobs(numbers);
  let learning = null; // while it learns
  let [frame, before, errors] = [0, "", null];

  const errorsNow = (slopes) => {
    if (before !== String(slopes)) [before, errors] = [String(slopes), errorsOf(slopes)];
    return errors;
  };
  const set = (i, slope) => view.set({ slopes: view.read().slopes.with(i, slope) });

  function stop() {
    cancelAnimationFrame(frame);
    const found = learning?.found;
    learning = null;
    if (found) view.set(found);
  }

  // From random slopes, some steps in each frame: 1,500 in a good second.
  function learn() {
    stop();
    const { queries, seed: last } = view.read();
    const seed = (last + 1) % 10000;
    const start = someSlopes(seed).map((x) => Math.round(100 * x) / 100);
    const own = learner(start.slice(0, queries), seed);
    const next = () => {
      const slopes = [...own.go(moves() ? 20 : STEPS), ...start.slice(queries)];
      learning = { found: { seed, slopes }, step: own.step };
      if (own.step === STEPS) return stop();
      view.preview({ ...learning.found, step: own.step });
      frame = requestAnimationFrame(next);
      return undefined;
    };
    next();
  }
  const take = (queries) => view.set({ queries });
  view.onStop(() => cancelAnimationFrame(frame));
  view.onTouch(stop);
  view.onHidden(stop);
  view.onReset(() => {
    cancelAnimationFrame(frame);
    learning = null;
  });

  // The numbers on a line, as large as their weights; rings on what is wanted; what is returned.
  function line(slopes, errors, width) {
    const x = (value) => EDGE + value * (width - 2 * EDGE);
    const places = (labels, at) =>
      spread(
        labels.map((label, i) => ({ at: at[i], width: textWidth(label) + 14 })),
        width,
      );
    const asked = slopes.map((slope) => ask(numbers, slope));
    const order = asked.map((_, i) => i).sort((a, b) => asked[a].returned - asked[b].returned);
    const returned = order.map((i) => asked[i].returned);
    const texts = order.map((i, place) =>
      slopes.length > 1
        ? `${i + 1}: ${fixed(returned[place], 2)}`
        : `returns ${fixed(returned[place], 2)}`,
    );
    const names = places(NAMES, targets.map(x));
    const feet = places(texts, returned.map(x));
    const isHit = errors.map((error) => error < DONE);
    const says = NAMES.map((name, c) => `${name} ${isHit[c] ? "hit" : "not hit"}`).join(", ");
    return html`<svg height=${HEIGHT} viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label=${`${texts.join(", ")}. ${says}.`}>
      <path class="line" d="M${EDGE} ${LINE}H${width - EDGE}"/>
      ${targets.map(
        (
          value,
          c,
        ) => svg`<circle class="ring ${isHit[c] ? "hit" : ""}" r=${RING} cx=${px(x(value))} cy=${LINE}/>
        <text class=${isHit[c] ? "o strong" : "dim"} text-anchor="middle" x=${px(names[c].middle)} y=${NAME}>${NAMES[c]}</text>`,
      )}
      ${asked.map(({ weights }) => numbers.map((value, j) => svg`<circle class="weight" cx=${px(x(value))} cy=${LINE} r=${Math.max(2, LARGE * Math.sqrt(weights[j])).toFixed(2)}/>`))}
      ${returned.map(
        (value, i) => svg`<path class="returned" d="M${px(x(value))} ${TIP}l8 13h-16z"/>
        <text class="o strong" text-anchor="middle" x=${px(feet[i].middle)} y=${FOOT}>${texts[i]}</text>`,
      )}</svg>`;
  }

  const headline = (queries, errors, step) => {
    const done = NAMES.filter((_, c) => errors[c] < DONE);
    const open = NAMES.map((name, c) => [name, errors[c]]).filter(([, e]) => e >= DONE);
    const start = step ? html`Step ${step.toLocaleString("en")}: ` : "";
    const off =
      queries > 1 && open.length
        ? html` Off on average: ${open.map(([name, e], i) => html`${i ? ", " : ""}${name} ${number(e, fixed(e, 2))}`)}.`
        : "";
    const task = open.length ? "Hit all three rings at once. Now" : "All three rings are hit:";
    return html`${start}${task} <b>${done.length} of 3</b>${done.length && open.length ? `: ${listed(done)}` : ""}.${off}`;
  };

  return ({ queries, slopes: all, step }) => {
    const slopes = all.slice(0, queries);
    const errors = errorsNow(slopes);
    const isOne = queries === 1;
    return {
      headline: headline(queries, errors, step),
      picture: line(
        view.glide(`slopes ${queries}`, slopes, learning ? 0 : undefined),
        errors,
        view.width,
      ),
      controls: html`${slopes.map((slope, i) =>
        slider(view, {
          key: `slope ${i}`,
          label: html`${isOne ? "Slope of the query" : `Query ${i + 1}`}${i ? nothing : html` <span class="verb" aria-hidden="true">drag ↔</span>`}`,
          min: -PLACES,
          max: PLACES,
          value: placeOf(slope),
          text: fixed(slope, 1),
          say: `slope ${fixed(slope, 1)}, returns ${fixed(ask(numbers, slope).returned, 2)}`,
          onInput: (place) => set(i, slopeAt(place)),
        }),
      )}
        <div class="ends towards" aria-hidden="true"><span>← towards small</span><span>towards large →</span></div>
        <div class="buttons">${queries < MOST ? button("Add a query", () => take(queries + 1)) : nothing}
          ${isOne ? nothing : [button("Remove one", () => take(queries - 1)), button("Learn", learn)]}</div>`,
    };
  };
};

export default explorer("queries", "Explorer of learned queries", build, {
  traits: {
    slopes: listOf(
      floats,
      "s",
      (x) => x.length === MOST && x.every((slope) => Math.abs(slope) <= STEEPEST),
    ),
  },
});
