// @ts-check
// TrainingExplorer: a layer learns to reverse sequences; a cursor on its loss shows it at each step.

// == compute ==================================================================================

/** @typedef {[number, number, number]} Change a step, the learning rate from there on, a remedy */

const RATES = [0.0001, 0.001, 0.01, 0.05, 0.2];
const REMEDIES = [
  "nothing", "divide W_q and W_k by 30", "divide W_q alone by 30", "divide W_q and W_k by 3",
  "draw W_q and W_k anew", "draw all but W_q and W_k anew",
];
const LAST_STEP = 3000;
const LAST_START = 9999;
const MOST_CHANGES = 24;

/** @param {readonly (readonly number[])[]} plan */
const fitsPlan = (plan) => plan.length >= 1 && plan.length <= MOST_CHANGES &&
  plan[0][0] === 0 && plan[0][2] === 0 &&
  plan.every(([step, rate, remedy], i) => Number.isInteger(step) && step <= LAST_STEP &&
    (i === 0 || step > plan[i - 1][0]) && RATES.includes(rate) && remedy in REMEDIES);

/**
 * What holds at a step: the last change until then.
 * @param {readonly Change[]} plan
 * @param {number} step
 */
const changeAt = (plan, step) => /** @type {Change} */ (plan.findLast(([at]) => at <= step));

/**
 * A plan with a change at a step; what was planned for later is forgotten.
 * @param {readonly Change[]} plan
 * @param {number} step
 * @param {{rate?: number, remedy?: number}} change
 * @returns {Change[]}
 */
function changed(plan, step, { rate, remedy }) {
  const [at, before, done] = changeAt(plan, step);
  const kept = plan.filter(([other]) => other < step);
  const same = at === step ? done : 0;
  /** @type {Change} */
  const entry = [step, rate ?? before, remedy ?? same];
  const isNew = step === 0 || entry[2] > 0 || entry[1] !== changeAt(kept, step)[1];
  const plans = isNew ? [...kept, entry] : kept;
  return fitsPlan(plans) ? plans : [...plan];
}

/** How many letters are said right. @param {readonly number[]} given @param {readonly number[]} said */
const countRight = (given, said) =>
  said.filter((letter, i) => letter === given[given.length - 1 - i]).length;

/** The largest weight of a row, on average. @param {readonly number[]} weights @param {number} n */
const sureness = (weights, n) => sum(rowsOf(weights, n).map((row) => Math.max(...row))) / n;

/** Where the axis of steps ends. @param {number} step */
const endOfAxis = (step) => Math.max(ROUND, Math.ceil(step / ROUND) * ROUND);

// == page =====================================================================================

const ROUND = 300; // steps until playing stops by itself
const PACE = 60; // steps a second, at most
const AHEAD = 40; // steps that are trained before they are shown
const STILL = 50; // steps between two pictures, for who wants no motion
const SLICE = { worker: 30, page: 10 }; // milliseconds of training at a time

const [CHART, MAP] = [236, 312]; // heights
const HIGH = 3.2; // nats: what lies above is drawn at the upper edge
const ALPHABET = "abcdefghijkl";

/** @type {Codec<any>} */
const planCodec = {
  ...plain,
  place: {
    name: "plan",
    say: (plan) => plan.flat().join(),
    take: (text) => {
      const parts = text.split(",").map(numeral);
      const plan = rowsOf(parts, 3);
      return onlyIf(plan, parts.length % 3 === 0 && fitsPlan(plan));
    },
  },
};

/**
 * @type {Codecs<{example_tokens: number[], start: number, positions: boolean, plan: Change[],
 *   length: number, step: number}>}
 */
const TRAITS = {
  example_tokens: plain,
  start: whole("start", 1, () => LAST_START), positions: flag("positions"), plan: planCodec,
  length: oneOf("n", () => [10, 9]), step: whole("step", 0, () => LAST_STEP),
};

const widget = explorer("training", "Training explorer", TRAITS, (read, set, again) => {
  const model = reversal();
  /** @type {Stage[]} by steps, as far as the run was trained */
  const stages = [];
  /** @type {Run | null} */
  let run = null;
  let id = 0;
  /** @type {{step: number, from: number, goal: number, frame: number, due: number} | null} */
  let playing = null;
  let isInSight = true;

  const training = trainingBeside((report) => {
    if (report.id !== id) return; // of a run that is no more
    for (const stage of report.stages) stages[stage.step] = stage;
    if (!playing) again();
  });

  /** @param {number} to */
  const train = (to) => run && training.ask({ id, run, to });

  /** Follows the traits: what is the same in the new run stays. @param {ReturnType<typeof read>} now */
  function follow({ start, positions, plan, example_tokens: example }) {
    const next = { start, positions, plan, example };
    const from = parting(run, next);
    if (from < Infinity) {
      const at = (/** @type {Run | null} */ r) => r?.plan.find(([step]) => step === from)?.[2] ?? 0;
      stages.length = Math.min(stages.length, from + (at(run) === at(next) ? 1 : 0));
      id += 1;
    }
    run = next;
    if (stages.length === 0) stages.push(model.look(run, model.drawn(start), 0).stage);
  }

  /** @param {number} time */
  function tick(time) {
    if (!playing) return;
    playing.frame = requestAnimationFrame(tick);
    const steps = Math.floor(((time - playing.due) / 1000) * PACE);
    if (!isInSight || steps < 1) {
      if (!isInSight) playing.due = time;
      return;
    }
    const { step, goal } = playing;
    const next = Math.min(step + steps, stages.length - 1, goal);
    playing.due = next < step + steps ? time : playing.due + (steps / PACE) * 1000;
    train(Math.min(next + AHEAD, goal));
    if (next === step) return;
    playing.step = next;
    if (next === goal) pause();
    else if (!prefersStill() || next % STILL < next - step) again();
  }

  function play() {
    const { step } = read();
    if (step >= LAST_STEP) return;
    const goal = Math.min(LAST_STEP, endOfAxis(step + 1));
    playing = { step, from: step, goal, frame: requestAnimationFrame(tick), due: performance.now() };
    again();
  }

  function pause() {
    if (!playing) return;
    const { step, frame } = playing;
    cancelAnimationFrame(frame);
    playing = null;
    set({ step });
  }

  /** The step that is looked at. */
  const present = () => playing?.step ?? read().step;
  /** @param {{rate?: number, remedy?: number}} change */
  const change = (change) => {
    const step = Math.min(present(), stages.length - 1);
    set({ plan: changed(read().plan, step, change), ...(playing ? {} : { step }) });
  };

  const player = button("Play", () => (playing ? pause() : play()));
  const one = button("One step", () => {
    pause();
    set({ step: Math.min(LAST_STEP, read().step + 1) });
  });
  const back = button("From step 0", () => {
    pause();
    set({ plan: [[0, read().plan[0][1], 0]], step: 0 });
  });
  const other = button("New start", () => {
    pause();
    set({ start: (read().start % LAST_START) + 1, step: 0 });
  });
  const step = rangeControl("Step", [0, ROUND], (at) => {
    playing && pause();
    set({ step: at });
  });
  const rate = rangeControl("Learning rate", [0, RATES.length - 1],
    (at) => change({ rate: RATES[at] }), { write: (at) => String(RATES[at]) });
  const positions = checkboxControl("positions", (checked) => set({ positions: checked }));
  const length = choiceControl("Ask for", ["10 letters", "9 letters"],
    (at) => set({ length: [10, 9][at] }));
  let remedy = 0;
  const choice = selectControl("At this step", Object.fromEntries(REMEDIES.entries()), (value) => {
    remedy = Number(value);
    again();
  });
  const apply = button("Do it", () => change({ remedy }));

  const chart = lossChart();
  const map = weightMap();
  const panels = h("div", { class: "panels" },
    h("div", { class: "drive" }, player, one, back, other),
    h("div", { class: "look" }, length.root, map.root),
    h("div", { class: "course" }, chart.root, step.root),
    h("div", { class: "ways" }, rate.root, positions.root),
    h("div", { class: "remedy" }, choice.root, apply,
      h("span", { class: "small" }, "Adam starts anew; later steps are dropped.")));
  const seen = new IntersectionObserver(([entry]) => { isInSight = entry.isIntersecting; });
  seen.observe(panels);

  return {
    drawings: [chart, map], stacked: 700,
    above: [panels],
    below: [],
    stop() {
      if (playing) cancelAnimationFrame(playing.frame);
      playing = null;
      seen.disconnect();
      training.stop();
    },
    draw(now) {
      if (playing && now.step !== playing.from) { // someone else has moved it
        cancelAnimationFrame(playing.frame);
        playing = null;
      }
      follow(now);
      const wanted = present();
      const at = Math.min(wanted, stages.length - 1);
      if (at < wanted && !playing) train(wanted);
      const { loss, answers } = stages[at];
      const n = now.length;
      const tokens = now.example_tokens.slice(0, n);
      const { weights, said } = answers[10 - n];
      const [, eta] = changeAt(now.plan, at);
      const end = endOfAxis(Math.max(wanted, stages.length - 1));
      setText(player, playing ? "Pause" : "Play");
      step.set(wanted, end);
      rate.set(RATES.indexOf(eta));
      positions.set(now.positions);
      length.set(10 - n);
      choice.set(String(remedy));
      apply.disabled = remedy === 0;
      chart.course(stages, now, at, end);
      map.answer(tokens, weights, said);
      const [right, sure] = [countRight(tokens, said), sureness(weights, n)];
      // Numbers for tools are those of the step that is asked for.
      const told = at === wanted ? number : (/** @type {number} */ _, /** @type {string} */ text) => text;
      return [
        h("b", {}, "Step ", told(at, String(at))),
        ...(at < wanted ? [" on the way to ", number(wanted, String(wanted))] : []),
        `, rate ${eta}: loss `, told(loss, fixed(loss)), "; ",
        h("b", {}, told(right, String(right)), ` of ${n}`), " letters right; mean largest weight ",
        told(sure, fixed(sure)), ".",
      ];
    },
  };
});

const prefersStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Trains in a worker. Its script is the text of a few functions, so it needs no file of its own.
 * Where a front end forbids workers, the page trains, a little at a time.
 * @param {(report: {id: number, stages: Stage[]}) => void} take
 */
function trainingBeside(take) {
  /** @type {Worker | null} */
  let worker = null;
  /** @type {ReturnType<typeof trainer> | null} */
  let here = null;
  let url = "";
  /** @type {Order | null} */
  let last = null;
  const giveUp = () => {
    worker?.terminate();
    worker = null;
    here ??= trainer(reversal(), take, SLICE.page);
    if (last) here(last);
  };
  const begin = () => {
    const text = `${[planned, parting, reversal, trainer].join("\n")}
const receive = trainer(reversal(), (report) => postMessage(report), ${SLICE.worker});
onmessage = ({ data }) => receive(data);`;
    url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    worker = new Worker(url);
    worker.onmessage = ({ data }) => take(data);
    worker.onerror = giveUp;
  };
  return {
    /** @param {Order} message */
    ask(message) {
      const isOld = last && last.id === message.id && last.to >= message.to;
      if (isOld) return;
      last = message;
      if (here) return here(message);
      try {
        if (!worker) begin();
      } catch {
        return giveUp();
      }
      worker?.postMessage(message);
    },
    stop() {
      worker?.terminate();
      if (here && last) here({ ...last, to: -1 });
      if (url) URL.revokeObjectURL(url);
    },
  };
}

/** The loss at each step, with a cursor. */
function lossChart() {
  const axes = s("g");
  const changes = s("g");
  const name = s("text", { class: "dim" });
  const line = s("path", { class: "line" });
  const cursor = s("path", { class: "cursor" });
  const dot = s("circle", { r: 4 });
  const svg = s("svg", { height: CHART, ...HIDDEN }, axes, changes, line, cursor, dot);
  const root = h("div", { class: "chart" }, svg);
  const y = (/** @type {number} */ loss) => 8 + (CHART - 16) * (1 - Math.min(HIGH, loss) / HIGH);
  return drawing(root, svg, CHART, {
    /**
     * @param {number} width
     * @param {readonly Stage[]} stages
     * @param {{start: number, plan: readonly Change[]}} now
     * @param {number} at
     * @param {number} end
     */
    course(width, stages, { start, plan }, at, end) {
      const x = (/** @type {number} */ step) =>
        GUTTER + INSET + ((width - GUTTER - 2 * INSET) * step) / end;
      if (axes.dataset.width !== String(width)) {
        axes.dataset.width = String(width);
        axes.replaceChildren(...[0, 1, 2, 3].flatMap((loss) => level(y(loss), width, String(loss))),
          s("path", { class: "guess", d: `M${GUTTER} ${y(Math.log(12))}H${width}` }),
          s("text", { class: "dim halo", x: width, y: y(Math.log(12)) - 5, "text-anchor": "end" },
            "ln 12: all letters alike"),
          s("text", { class: "dim", x: 0, y: 4 }, "loss"), name);
      }
      setText(name, `start ${start}`);
      setAttributes(name, { x: width, y: 4, "text-anchor": "end" });
      line.setAttribute("d", pathOf(stages.map(({ step, loss }) => [x(step), y(loss)])));
      changes.replaceChildren(...plan.filter(([step]) => step > 0).flatMap(([step, rate, remedy], i) => [
        s("path", { class: "change", d: `M${x(step)} 8V${CHART - 8}` }),
        s("text", { class: "dim halo", x: x(step) + 4, y: y(1.6) + 15 * (i % 4) },
          `${remedy ? REMEDIES[remedy].replace(" and ", ", ") : "rate"}${remedy ? "" : ` ${rate}`}`),
      ]));
      setAttributes(cursor, { d: `M${x(at)} 8V${CHART - 8}` });
      setAttributes(dot, { cx: x(at), cy: y(stages[at].loss) });
    },
  });
}

/** The weights of the example, row by row, with what is said at each place. */
function weightMap() {
  const [LEFT, TOP, SAID] = [24, 40, 92];
  const cells = s("g");
  const texts = s("g");
  const svg = s("svg", { height: MAP, role: "img" }, cells, texts);
  const root = h("div", { class: "map" }, svg);
  const high = (MAP - TOP) / 10;
  return drawing(root, svg, MAP, {
    /**
     * @param {number} width
     * @param {readonly number[]} tokens
     * @param {readonly number[]} weights
     * @param {readonly number[]} said
     */
    answer(width, tokens, weights, said) {
      const n = tokens.length;
      // Of a place that is not yet as wide as it will be, cells have some width, too.
      const wide = Math.min(high * 1.5, Math.max(4, (width - LEFT - SAID) / 10));
      const [middle, end] = [LEFT + n * wide, LEFT + 10 * wide];
      const key = `${width} ${tokens}`;
      if (cells.dataset.key !== key) {
        cells.dataset.key = key;
        cells.replaceChildren(...weights.map((_, at) => s("rect", {
          x: LEFT + (at % n) * wide, y: TOP + Math.floor(at / n) * high, width: wide, height: high,
        })), ...tokens.map((_, i) => s("rect", { class: "right",
          x: LEFT + (n - 1 - i) * wide + 1.5, y: TOP + i * high + 1.5, width: wide - 3, height: high - 3 })),
        s("path", { class: "frame", d: `M${LEFT} ${TOP}H${middle}V${TOP + n * high}H${LEFT}Z` }));
        texts.replaceChildren(
          ...tokens.flatMap((token, i) => [
            s("text", { class: "k", x: LEFT + (i + 0.5) * wide, y: TOP - 8, "text-anchor": "middle" }, ALPHABET[token]),
            s("text", { class: "q", x: LEFT - 10, y: TOP + (i + 0.5) * high + 4, "text-anchor": "middle" }, ALPHABET[token]),
            s("text", { class: "said", x: end + 30, y: TOP + (i + 0.5) * high + 4, "text-anchor": "middle" }),
            s("text", { class: "dim", x: end + 72, y: TOP + (i + 0.5) * high + 4, "text-anchor": "middle" },
              ALPHABET[tokens[n - 1 - i]]),
          ]),
          s("text", { class: "dim", x: LEFT, y: 12 }, "where each letter looks"),
          s("text", { class: "dim", x: end + 30, y: TOP - 8, "text-anchor": "middle" }, "says"),
          s("text", { class: "dim", x: end + 72, y: TOP - 8, "text-anchor": "middle" }, "wanted"));
      }
      weights.forEach((w, at) => setAttributes(cells.children[at], { "fill-opacity": w.toFixed(3) }));
      const words = /** @type {SVGTextElement[]} */ ([...texts.querySelectorAll(".said")]);
      said.forEach((letter, i) => {
        const isRight = letter === tokens[n - 1 - i];
        setText(words[i], `${ALPHABET[letter]} ${isRight ? "✓" : "✗"}`);
        words[i].classList.toggle("wrong", !isRight);
      });
      const spelled = (/** @type {readonly number[]} */ letters) => [...letters].map((t) => ALPHABET[t]).join(" ");
      setAttributes(svg, { "aria-label":
        `Given ${spelled(tokens)}, the model says ${spelled(said)}; wanted is ${spelled([...tokens].reverse())}.` });
    },
  });
}

export default widget;
