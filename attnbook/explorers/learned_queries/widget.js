// LearnedQueriesExplorer: slopes over twelve numbers, to be dragged, or to learn while one looks on.

import { softmax, sum } from "../core/compute.js";
import { button, slider } from "../core/controls.js";
import { px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { countWord, fixed, listed } from "../core/format.js";
import { spread, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { moves } from "../core/motion.js";
import { letter, number } from "../core/text.js";
import { floats, listOf } from "../core/traits.js";

// == compute ==================================================================================

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

// The linear map that is best for these slopes, and how far each of its answers is off.
export function bestMap(slopes) {
  const found = SAMPLE.map((numbers) => slopes.map((slope) => ask(numbers, slope).returned));
  const means = (rows) => rows[0].map((_, c) => sum(rows.map((row) => row[c])) / rows.length);
  const [middle, aim] = [means(found), means(WANTED)];
  const x = found.map((row) => row.map((value, c) => value - middle[c]));
  const product = (a, b) => sum(x.map((row, i) => row[a] * (WANTED[i][b] - aim[b])));
  const squares = slopes.map((_, a) =>
    slopes.map(
      (__, b) => sum(x.map((row) => row[a] * row[b])) + (a === b ? RIDGE * SAMPLE.length : 0),
    ),
  );
  const w = solve(
    squares,
    slopes.map((_, a) => aim.map((__, b) => product(a, b))),
  );
  const say = (row) => aim.map((b, c) => b + sum(row.map((r, a) => (r - middle[a]) * w[a][c])));
  const errors = aim.map((_, c) =>
    Math.sqrt(sum(found.map((row, i) => (say(row)[c] - WANTED[i][c]) ** 2)) / SAMPLE.length),
  );
  return { say, errors };
}

// All that is shown of some numbers.
export function read(numbers, slopes) {
  const asked = slopes.map((slope) => ask(numbers, slope));
  const returned = asked.map((each) => each.returned);
  const { say, errors } = bestMap(slopes);
  return { weights: asked.map((each) => each.weights), returned, answers: say(returned), errors };
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

const NAMES = ["smallest", "mean", "largest"];
const [ROW, MIDDLE, FOOT] = [54, 21, 50]; // of a row: its height, its line, what is returned
const [END, LINE, NAME] = [58, 20, 52]; // of the last line: its height, its line, the names
const LARGE = 18; // the radius of a dot that has all the weight

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
  let [frame, before, map] = [0, "", null];

  const mapOf = (slopes) => {
    if (before !== String(slopes)) [before, map] = [String(slopes), bestMap(slopes)];
    return map;
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

  // A row: the line of the scores, the numbers with their weights, what is returned.
  function row(i, slope, width) {
    const { weights, returned } = ask(numbers, slope);
    const x = (value) => LARGE + value * (width - 2 * LARGE);
    const rise = 15 * Math.tanh(slope / 3);
    const says = `Query ${i + 1} returns ${fixed(returned, 2)}.`;
    const text = fixed(returned, 2);
    /** @type {[number, string]} */
    const side = returned > 0.8 ? [-9, "end"] : [9, "start"];
    return html`<div class="query">
      ${slider(view, {
        key: `slope ${i}`,
        label: html`Query ${i + 1}: slope ${letter("q")}${i ? nothing : html` <span class="verb" aria-hidden="true">drag ↔</span>`}`,
        min: -PLACES,
        max: PLACES,
        value: placeOf(slope),
        text: fixed(slope, 1),
        say: `slope ${fixed(slope, 1)}, returns ${text}`,
        onInput: (place) => set(i, slopeAt(place)),
      })}
      <svg width=${width} height=${ROW} viewBox="0 0 ${width} ${ROW}" role="img" aria-label=${says}>
        <path class="hair" d="M0 ${MIDDLE}H${width}"/>
        <path class="score" d="M${px(x(0))} ${px(MIDDLE + rise)}L${px(x(1))} ${px(MIDDLE - rise)}"/>
        ${numbers.map((value, j) => svg`<circle class="weight" cx=${px(x(value))} cy=${MIDDLE} r=${Math.max(1.5, LARGE * Math.sqrt(weights[j])).toFixed(2)}/>`)}
        <path class="returned" d="M${px(x(returned))} ${FOOT - 8}l5 8h-10z"/>
        <text class="o" x=${px(x(returned) + side[0])} y=${FOOT} text-anchor=${side[1]}>${text}</text>
      </svg></div>`;
  }

  // The last line: what is wanted as rings, with what is off on average as bars; what is said as dots.
  function answers(said, errors, width) {
    const x = (value) => LARGE + value * (width - 2 * LARGE);
    const places = spread(
      targets.map((value, c) => ({ at: x(value), width: textWidth(NAMES[c]) + 8 })),
      width,
    );
    const shown = said.map((value) => Math.max(0, Math.min(1, value)));
    const about = NAMES.map(
      (name, c) => `${name} ${fixed(targets[c], 2)}, said ${fixed(said[c], 2)}`,
    ).join("; ");
    return html`<div class="said"><p><b>Hit all three rings.</b> <span class="dim">A bar is how far off on average:</span></p>
      <svg width=${width} height=${END} viewBox="0 0 ${width} ${END}" role="img" aria-label=${about}>
        <path class="hair" d="M0 ${LINE}H${width}"/>
        ${numbers.map((value) => svg`<circle class="speck" r="2" cx=${px(x(value))} cy=${LINE}/>`)}
        ${targets.map(
          (
            value,
            c,
          ) => svg`<path class="off" d="M${px(x(value - errors[c]))} ${LINE}H${px(x(value + errors[c]))}"/>
        <circle class="ring ${errors[c] < DONE ? "filled" : ""}" r="10" cx=${px(x(value))} cy=${LINE}/>`,
        )}
        ${shown.map((value) => svg`<circle class="answer" r="5" cx=${px(x(value))} cy=${LINE}/>`)}
        ${NAMES.map((name, c) => svg`<text class=${errors[c] < DONE ? "filled" : "dim"} text-anchor="middle" x=${px(places[c].middle)} y=${NAME}>${name}</text>`)}
      </svg></div>`;
  }

  const headline = (errors, step) => {
    const done = NAMES.filter((_, c) => errors[c] < DONE);
    const open = NAMES.map((name, c) => [name, errors[c]]).filter(([, e]) => e >= DONE);
    const start = step ? html`Step ${step.toLocaleString("en")}: ` : "";
    const count = html`<b>${done.length} of 3 jobs done</b>${done.length ? `: ${listed(done)}` : ""}.`;
    const off = open.map(
      ([name, e], i) => html`${i ? ", " : " Off on average: "}${name} ${number(e, fixed(e, 2))}`,
    );
    return html`${start}${count}${off}${off.length ? "." : ""}`;
  };

  return ({ queries, slopes: all, step }) => {
    const narrow = view.width <= 600;
    const width = narrow ? view.width : view.width - 216;
    const slopes = all.slice(0, queries);
    const { say, errors } = mapOf(slopes);
    const drawn = view.glide(`slopes ${queries}`, slopes, learning ? 0 : undefined);
    const said = view.glide(
      "said",
      say(slopes.map((slope) => ask(numbers, slope).returned)),
      learning ? 0 : undefined,
    );
    return {
      headline: headline(errors, step),
      picture: html`${drawn.map((slope, i) => row(i, slope, width))}${answers(said, errors, width)}
        <p class="small">The area of a dot is its weight, a triangle what the query returns. The best linear map makes the last line of these. Averages: root mean squares of 450 sets.</p>`,
      controls: html`<div class="buttons">
        ${button("Learn", learn)}
        <span class="count"><button type="button" aria-label="One query less" ?disabled=${queries === 1} @click=${() => take(queries - 1)}>−</button>
        <span>${countWord(queries)} ${queries === 1 ? "query" : "queries"}</span>
        <button type="button" aria-label="One query more" ?disabled=${queries === MOST} @click=${() => take(queries + 1)}>+</button></span></div>`,
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
