// TrainingExplorer: a layer learns to reverse sequences; a film of it, with a strip to press.

import { sum } from "../core/compute.js";
import { button, choice, idOf, selectBox, slider, tick } from "../core/controls.js";
import { GUTTER, INSET, dragging, level, pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed } from "../core/format.js";
import { html, render, svg } from "../core/lit.js";
import { moves, playing } from "../core/motion.js";
import { number } from "../core/text.js";
import { numeral, onlyIf, plain, rowsOf } from "../core/traits.js";
import { parting, reversal, trainer, training } from "./trainer.js";

// == compute ==================================================================================

// -- the plan: what is done when, as [a step, the learning rate from there on, a remedy] ----------

const RATES = [0.0001, 0.001, 0.01, 0.05, 0.2];
const REMEDIES = [
  "nothing yet",
  "W_q and W_k ÷ 30",
  "W_q alone ÷ 30",
  "W_q and W_k ÷ 3",
  "new W_q and W_k",
  "new, but for W_q, W_k",
];
const [LAST_STEP, LAST_START, MOST_CHANGES] = [3000, 9999, 24];

export const fitsPlan = (plan) =>
  plan.length >= 1 &&
  plan.length <= MOST_CHANGES &&
  plan[0][0] === 0 &&
  plan[0][2] === 0 &&
  plan.every(
    ([step, rate, remedy], i) =>
      Number.isInteger(step) &&
      step <= LAST_STEP &&
      (i === 0 || step > plan[i - 1][0]) &&
      RATES.includes(rate) &&
      remedy in REMEDIES,
  );

// What holds at a step: the last change until then.
const changeAt = (plan, step) => plan.findLast(([at]) => at <= step);

// A plan with a change at a step; what was planned for later is forgotten.
export function changed(plan, step, { rate, remedy }) {
  const [at, before, done] = changeAt(plan, step);
  const kept = plan.filter(([other]) => other < step);
  const entry = [step, rate ?? before, remedy ?? (at === step ? done : 0)];
  const isNew = step === 0 || entry[2] > 0 || entry[1] !== changeAt(kept, step)[1];
  const plans = isNew ? [...kept, entry] : kept;
  return fitsPlan(plans) ? plans : [...plan];
}

// How many letters are said right.
export const countRight = (given, said) =>
  said.filter((letter, i) => letter === given[given.length - 1 - i]).length;

// The largest weight of a row, on average.
export const sureness = (weights, n) => sum(rowsOf(weights, n).map((row) => Math.max(...row))) / n;

// -- the film --------------------------------------------------------------------------------------

const ROUND = 300; // steps until playing stops by itself

// Where the axis of steps ends.
export const endOfAxis = (step) => Math.max(ROUND, Math.ceil(step / ROUND) * ROUND);

// How many steps a picture goes on, and how many milliseconds it stands: slow where it happens,
// 20 to 80 steps after a start or a change.
export function pace(plan, step) {
  const since = step - changeAt(plan, step)[0];
  return since < 20 ? [1, 45] : since < 80 ? [1, 66] : [4, 33];
}

// The steps of the strip: the start of the run, and what follows its last change.
const FRAMES = [0, 10, 20, 30, 40, 50, 60, 70, 80, 100, 200, 300];
export function framesOf(plan) {
  const last = plan.at(-1)[0];
  const steps = FRAMES.map((step) => Math.min(LAST_STEP, last + step));
  return [...new Set([0, ...steps])].slice(0, FRAMES.length);
}

// == page =====================================================================================

const AHEAD = 60; // steps that are trained before they are shown
const STILL = 50; // steps between two pictures, for who wants no motion
const SLICE = { worker: 30, page: 10 }; // milliseconds of training at a time
const HIGH = 3.2; // nats: what lies above is drawn at the upper edge
const [LEFT, TOP, SAID, CELL] = [24, 40, 92, 26]; // px of the map: around it, and of a row
const ALPHABET = "abcdefghijkl";
const spelled = (letters) => letters.map((letter) => ALPHABET[letter]).join(" ");

// Trains in a worker, whose script is the text of a function. Where a front end forbids
// workers, the page trains, a little at a time.
function trainingBeside(take) {
  let [worker, here, url, last] = [null, null, "", null];
  const giveUp = () => {
    worker?.terminate();
    worker = null;
    here ??= trainer(reversal(), take, SLICE.page);
    if (last) here(last);
  };
  const begin = () => {
    const text = `const { reversal, trainer } = (${training})();
const receive = trainer(reversal(), (report) => postMessage(report), ${SLICE.worker});
onmessage = ({ data }) => receive(data);`;
    url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    worker = new Worker(url);
    worker.onmessage = ({ data }) => take(data);
    worker.onerror = giveUp;
  };
  return {
    ask(message) {
      if (last && last.id === message.id && last.to >= message.to) return undefined;
      last = message;
      if (here) return here(message);
      try {
        if (!worker) begin();
      } catch {
        return giveUp();
      }
      return worker?.postMessage(message);
    },
    stop() {
      worker?.terminate();
      if (here && last) here({ ...last, to: -1 });
      if (url) URL.revokeObjectURL(url);
    },
  };
}

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const model = reversal();
  const stages = []; // by steps, as far as the run was trained
  let [run, id, goal, remedy, isFound] = [null, 0, ROUND, 0, false];
  let seen = 0; // the last step that was shown: what is trained ahead gives nothing away

  const beside = trainingBeside((report) => {
    if (report.id !== id) return; // of a run that is no more
    for (const stage of report.stages) stages[stage.step] = stage;
    view.again();
  });
  view.onStop(beside.stop);
  const train = (to) => beside.ask({ id, run, to, known: stages.length });

  // Follows the traits: what is the same in the new run stays.
  function follow({ start, positions, plan, example_tokens: example }) {
    const next = { start, positions, plan, example };
    const from = parting(run, next);
    if (from < Infinity) {
      const done = (r) => r?.plan.find(([step]) => step === from)?.[2] ?? 0;
      stages.length = Math.min(stages.length, from + (done(run) === done(next) ? 1 : 0));
      id += 1;
      isFound = false;
    }
    run = next;
    if (stages.length === 0) stages.push(model.look(run, model.drawn(start), 0).stage);
    seen = Math.min(seen, stages.length - 1);
  }

  const player = playing(view, {
    // at the top, where the film is seen
    step({ step, plan }) {
      if (step > goal || step < goal - ROUND) goal = endOfAxis(step);
      if (step >= goal) return null;
      train(Math.min(step + AHEAD, goal));
      const by = moves() ? pace(plan, step)[0] : STILL;
      const to = Math.min(goal, step + by);
      // What is not trained yet is waited for; who wants no motion sees the next picture at once.
      return { step: moves() ? Math.min(to, stages.length - 1) : to < stages.length ? to : step };
    },
    ms: ({ step, plan }) => (moves() ? pace(plan, step)[1] : 700),
    rewind({ step }) {
      goal = Math.min(LAST_STEP, endOfAxis(step + 1));
      return { step };
    },
  });
  const go = (step) => step !== view.read().step && view.set({ step });
  const change = (what) => {
    const step = Math.min(view.read().step, stages.length - 1);
    view.set({ plan: changed(view.read().plan, step, what), step });
  };

  // The loss at each step, with a cursor; the curve is pressed and swept along.
  function chart(width, { start, plan }, now, cursor, end) {
    const [x0, y0] = cursor;
    const height = view.width <= 600 ? 160 : 260;
    const room = width - GUTTER - 2 * INSET;
    const x = (step) => GUTTER + INSET + (room * step) / end;
    const y = (loss) => 20 + (height - 28) * (1 - Math.min(HIGH, loss) / HIGH);
    const line = (some) => pathOf(some.map(({ step, loss }) => [x(step), y(loss)]));
    const under = ({ clientX, currentTarget: area }) => {
      const { left, width: wide } = area.getBoundingClientRect();
      return Math.max(0, Math.min(end, Math.round(((clientX - left) / wide) * end)));
    };
    const { down, move, click } = dragging((event) => go(under(event)));
    const sweep = (event) => {
      if (event.buttons) move(event);
      else if (event.pointerType === "mouse" && !player.isOn) {
        view.preview({ step: Math.min(seen, under(event)) });
      }
    };
    return html`<svg class="chart" height=${height} viewBox="0 0 ${width} ${height}" aria-hidden="true">
      ${[0, 1, 2, 3].map((loss) => level(y(loss), width, String(loss)))}
      <path class="guess" d="M${GUTTER} ${y(Math.log(12))}H${width}"/>
      <text class="dim halo" x=${width} y=${y(Math.log(12)) - 5} text-anchor="end">ln 12: all letters alike</text>
      <text class="dim" y="12">${stages.some(({ loss }) => loss > HIGH) ? `loss; above ${HIGH} it is cut` : "loss"}</text><text class="dim" x=${width} y="12" text-anchor="end">start ${start}</text>
      ${plan.slice(1).map(([step]) => svg`<path class="change" d="M${px(x(step))} 20V${height - 8}"/>`)}
      <path class="line ahead" d=${line(stages.slice(now, seen + 1))}/><path class="line" d=${line(stages.slice(0, now + 1))}/>
      <path class="cursor" d="M${px(x(x0))} 20V${height - 8}"/><circle r="4.5" cx=${px(x(x0))} cy=${px(y(y0))}/>
      ${plan.slice(1).map(([step, rate, done], i) => {
        const isRight = x(step) > width - 170;
        return svg`<text class="dim halo" x=${px(x(step) + (isRight ? -4 : 4))} y=${y(1.6) + 15 * (i % 4)}
            text-anchor=${isRight ? "end" : "start"}>${done ? REMEDIES[done].replace(" and ", ", ") : `rate ${rate}`}</text>`;
      })}
      <rect class="area" x=${GUTTER + INSET} y="20" width=${room} height=${height - 28}
        @pointerdown=${down} @pointermove=${sweep} @click=${click} @pointerleave=${view.unlook}/></svg>`;
  }

  // The weights of the example, row by row, with what is said at each place.
  function map(width, tokens, weights, said) {
    const n = tokens.length;
    const wide = Math.min(1.5 * CELL, Math.max(4, (width - LEFT - SAID) / 10));
    const [end, height] = [LEFT + 10 * wide, TOP + 10 * CELL];
    const x = (j) => px(LEFT + j * wide);
    const middle = (text, x, y, kind) =>
      svg`<text class=${kind} x=${px(x)} y=${y} text-anchor="middle">${text}</text>`;
    return html`<svg class="map" height=${height} viewBox="0 0 ${width} ${height}" role="img"
      aria-label="Given ${spelled(tokens)}, the model says ${spelled(said)}; wanted is ${spelled([...tokens].reverse())}.">
      <text class="dim" x=${LEFT} y="12">Task: write the letters backwards. Each looks at:</text>
      ${middle("says", end + 30, TOP - 8, "dim")}${middle("wanted", end + 72, TOP - 8, "dim")}
      ${tokens.map((token, j) => middle(ALPHABET[token], LEFT + (j + 0.5) * wide, TOP - 8, "k"))}
      ${tokens.map((token, i) => {
        const [y, right] = [TOP + i * CELL, tokens[n - 1 - i]];
        return svg`<g class="asks">${middle(ALPHABET[token], LEFT - 10, y + 17, "q")}
          ${weights.slice(i * n, (i + 1) * n).map((w, j) => svg`<rect x=${x(j)} y=${y} width=${px(wide)} height=${CELL} fill-opacity=${w.toFixed(3)}/>`)}
          <rect class="right" x=${px(LEFT + (n - 1 - i) * wide + 1.5)} y=${y + 1.5} width=${px(wide - 3)} height=${CELL - 3}/>
          ${middle(`${ALPHABET[said[i]]} ${said[i] === right ? "✓" : "✗"}`, end + 30, y + 17, said[i] === right ? "said" : "said wrong")}
          ${middle(ALPHABET[right], end + 72, y + 17, "dim")}</g>`;
      })}
      <path class="frame" d="M${LEFT} ${TOP}H${x(n)}V${TOP + n * CELL}H${LEFT}Z"/></svg>`;
  }

  // A small map of an answer, made once.
  const small = new Map();
  function miniature(answer) {
    if (!small.has(answer)) {
      if (small.size > 100) small.clear();
      const n = answer.said.length;
      const root = document.createElement("span");
      render(
        html`<svg viewBox="0 0 ${n} ${n}" aria-hidden="true">${answer.weights.map(
          (w, i) =>
            svg`<rect x=${i % n} y=${Math.floor(i / n)} width="1.02" height="1.02" fill-opacity=${w.toFixed(2)}/>`,
        )}</svg>`,
        root,
      );
      small.set(answer, root);
    }
    return small.get(answer);
  }

  // The film strip: the map at some steps, as far as the run was seen.
  const strip = ({ plan, length, step: shown }, chosen) => {
    const frames = framesOf(plan);
    const index = frames.indexOf(chosen);
    return html`<fieldset class="strip"><legend class="unseen">The map at these steps</legend>${frames.map(
      (step, i) => {
        const stage = step <= seen ? stages[step] : null;
        return html`<label class="${stage ? "there" : ""} ${step === shown ? "on" : ""}" @pointerenter=${view.look(stage ? { step } : {})} @pointerleave=${view.unlook}>
        <input type="radio" name=${idOf(view, "strip")} value=${step} data-now=${i === index} @input=${() => view.set({ step })}>
        ${stage ? miniature(stage.answers[10 - length]) : html`<span></span>`}<small><span class="unseen">step </span>${step}</small></label>`;
      },
    )}</fieldset>`;
  };

  return (now) => {
    follow(now);
    const { step: wanted, length: n, plan } = now;
    const present = Math.min(wanted, stages.length - 1);
    if (present < wanted) train(wanted);
    seen = Math.max(seen, present);
    const { loss, answers } = stages[present];
    const tokens = now.example_tokens.slice(0, n);
    const { weights, said } = answers[10 - n];
    const [, rate] = changeAt(plan, present);
    const end = endOfAxis(Math.max(wanted, stages.length - 1));
    const [right, sure] = [countRight(tokens, said), sureness(weights, n)];
    if (player.isOn && right === n && !isFound) {
      isFound = true;
      view.celebrate();
    }
    const isNarrow = view.width <= 600;
    const left = isNarrow ? view.width : Math.round((view.width - 40) * 0.54);
    const cursor = view.glide("cursor", [present, loss], player.isOn ? 60 : 220);
    const drawn = view.glide("weights", weights, player.isOn ? 100 : 220);
    // Numbers for tools are those of the step that is asked for.
    const told = present === wanted ? number : (_, text) => text;
    const chosen = view.read(); // a preview chooses nothing yet
    const canMend = present > 0 && plan.length < MOST_CHANGES;
    return {
      headline: html`<b>Step ${told(present, String(present))}</b>${present < wanted ? html` on the way to ${number(wanted, String(wanted))}` : ""}, rate ${rate}: loss ${told(
        loss,
        fixed(loss),
      )}; <b>${told(right, String(right))} of ${n}</b> letters right; mean largest weight ${told(sure, fixed(sure))}.`,
      picture: html`<div class="panels"><div class="drive">${player.button()}
          ${button("One step", () => view.set({ step: Math.min(LAST_STEP, wanted + 1) }))}
          ${button("New start", () => view.set({ start: (now.start % LAST_START) + 1, step: 0 }))}</div>
        ${choice(view, {
          key: "length",
          legend: "Ask for",
          options: ["10 letters", "9 letters"],
          index: 10 - chosen.length,
          onInput: (i) => view.set({ length: 10 - i }),
          previewed: (i) => ({ length: 10 - i }),
        })}
        <div class="course">${chart(left, now, present, cursor, end)}
          ${slider(view, { key: "step", label: "Step", max: end, value: wanted, say: `step ${wanted}`, onInput: go })}</div>
        ${map(isNarrow ? view.width : view.width - 40 - left, tokens, drawn, said)}</div>${strip(now, chosen.step)}`,
      controls: html`
        ${slider(view, {
          key: "rate",
          label: "Learning rate",
          max: RATES.length - 1,
          value: RATES.indexOf(rate),
          text: String(rate),
          say: `rate ${rate}`,
          onInput: (i) => change({ rate: RATES[i] }),
        })}
        <div class="ways">${tick("positions", now.positions, (positions) => view.set({ positions }))}</div>
        <div class="remedy">${selectBox(view, {
          key: "remedy",
          label: "Change the weights here",
          options: Object.fromEntries(REMEDIES.entries()),
          value: String(remedy),
          onInput: (value) => {
            remedy = Number(value);
            view.again();
          },
        })}
          <button type="button" ?disabled=${remedy === 0 || !canMend} @click=${() => change({ remedy })}>Do it</button>
          <p class="small">${
            plan.length === MOST_CHANGES
              ? `There is room for ${MOST_CHANGES} changes.`
              : remedy === 0
                ? ""
                : canMend
                  ? "Adam starts anew; later steps are dropped."
                  : "At step 0 there is nothing to change yet."
          }</p></div>`,
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = {
  plan: {
    ...plain,
    address: {
      name: "plan",
      say: (plan) => plan.flat().join(),
      take: (text) => {
        const parts = text.split(",").map(numeral);
        const plan = rowsOf(parts, 3);
        return onlyIf(plan, parts.length % 3 === 0 && fitsPlan(plan));
      },
    },
  },
};

export default explorer("training", "Training explorer", build, { traits });
