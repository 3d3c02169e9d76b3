// TrainingExplorer: a layer learns to reverse sequences; where it is stuck, its run forks.

import { sum } from "../core/compute.js";
import { button, choice, moveOnly, slider, tick } from "../core/controls.js";
import { GUTTER, INSET, dragging, level, pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed } from "../core/format.js";
import { html, svg } from "../core/lit.js";
import { moves } from "../core/motion.js";
import { letter, number } from "../core/text.js";
import { rowsOf } from "../core/traits.js";
import { AFTER, reversal, trainer, training } from "./trainer.js";

// == compute ==================================================================================

const RATES = [0.0001, 0.001, 0.01, 0.05, 0.2];
const LAST_START = 9999;
const ROUND = 300; // steps of a run, and of a branch
const FRAMES = [0, 10, 20, 30, 40, 50, 60, 70, 80, 100, 200, 300]; // steps of the strip

// What can be done at a fork: as Python calls it, and here.
const matrix = (name) => html`${letter("W", "")}<sub>${name}</sub>`;
const both = html`${matrix("q")}, ${matrix("k")}`;
const WAYS = [
  ["nothing", "smaller steps", html`rate ${AFTER}, as all below`],
  ["W_q and W_k divided by 3", "shrink queries, keys a little", html`${both} ÷ 3`],
  ["W_q alone divided by 30", "shrink queries alone", html`${matrix("q")} ÷ 30`],
  ["all but W_q and W_k drawn anew", "redraw all the rest", html`all but ${both}`],
  ["W_q and W_k divided by 30", "shrink queries, keys a lot", html`${both} ÷ 30`],
  ["W_q and W_k drawn anew", "redraw queries, keys", both],
];

// How many letters are said right.
export const countRight = (given, said) =>
  said.filter((letter, i) => letter === given[given.length - 1 - i]).length;

// The largest weight of a row, on average.
export const sureness = (weights, n) => sum(rowsOf(weights, n).map((row) => Math.max(...row))) / n;

// How many steps a picture goes on, and how many milliseconds it stands: slow where it happens,
// 20 to 80 steps after the start.
export const pace = (since) => (since < 20 ? [1, 45] : since < 80 ? [1, 66] : [4, 33]);

// == page =====================================================================================

const STILL = 50; // steps between two pictures, for who wants no motion
const AT_ONCE = 3; // steps that are trained between two pictures
const HIGH = 3.2; // nats: what lies above is drawn at the upper edge
const [CURES, LEAD] = [220, 20]; // px for the cures, and between curves and cures
const [LEFT, TOP, SAID, CELL] = [24, 56, 92, 24]; // px of the map: around it, and of a row
const ALPHABET = "abcdefghijkl";
const spelled = (letters) => letters.map((letter) => ALPHABET[letter]).join(" ");

// Trains in a worker, whose script is the text of a function. Where a front end forbids
// workers, the page trains, a little at a time.
function trainingBeside(take) {
  let [worker, here, url, last] = [null, null, "", null];
  const giveUp = () => {
    worker?.terminate();
    worker = null;
    here ??= trainer(reversal(), take, AT_ONCE);
    if (last) here(last);
  };
  const begin = () => {
    const text = `const { reversal, trainer } = (${training})();
const receive = trainer(reversal(), (report) => postMessage(report), ${AT_ONCE});
onmessage = ({ data }) => receive(data);`;
    url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    worker = new Worker(url);
    worker.onmessage = ({ data }) => take(data);
    worker.onerror = giveUp;
  };
  return {
    ask(message) {
      const same = ({ id, run, to }) => [id, run.branch, to].join();
      if (last && same(last) === same(message)) return undefined;
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
  let [trunk, id, wasAll] = ["", 0, true];
  let legs = {}; // by steps: the stages of the trunk, "", and of branches

  const beside = trainingBeside((report) => {
    if (report.id !== id) return; // of a run that is no more
    const leg = (legs[report.leg] ??= []);
    for (const stage of report.stages) leg[stage.step] = stage;
    // Who wants no motion sees where it comes to.
    const { branch, step } = view.read();
    if (moves() || !(report.leg === branch && leg.length <= step)) view.again();
  });
  view.onStop(beside.stop);
  view.onReset(() => {
    trunk = "";
  });

  // The stages of a run, as far as it is trained. What is the same in the new run stays.
  function stagesOf({ start, positions, rate, fork, branch, example_tokens: example }) {
    const run = { start, positions, rate, fork, branch, example };
    const its = String([start, positions, rate, fork, example]);
    if (its !== trunk) {
      [trunk, id] = [its, id + 1];
      legs = { "": [model.look(run, model.drawn(start), 0).stage] };
    }
    const stages = branch
      ? [...legs[""].slice(0, fork), ...(legs[branch] ?? []).slice(fork)]
      : legs[""];
    return { run, stages };
  }

  // Whether the run is stuck at its fork: its rows are sure, and wrong.
  const isStuck = ({ fork, length: n, example_tokens: example }) => {
    const { weights, said } = legs[""][fork]?.answers[10 - n] ?? {};
    return (
      fork > 0 &&
      said &&
      sureness(weights, n) > 0.9 &&
      countRight(example.slice(0, n), said) < n / 2
    );
  };

  const last = ({ fork, branch }) => (fork && !branch ? fork : fork + ROUND);
  const ticks = ({ fork, branch, step }) =>
    moves() ? pace(branch ? step - fork : step) : [STILL, 700];
  const player = view.play({
    step(now) {
      if (now.step >= last(now)) return null;
      const to = Math.min(last(now), now.step + ticks(now)[0]);
      const { run, stages } = stagesOf(now);
      beside.ask({ id, run, to });
      return { step: stages.length > to ? to : now.step }; // what is not trained yet is waited for
    },
    ms: (now) => ticks(now)[1],
    rewind: ({ fork, branch }) => ({ step: branch ? fork : 0 }),
  });
  const go = (to) => {
    const now = view.read();
    const step = Math.min(to, last(now));
    if (step !== now.step) view.set({ step });
  };

  // The loss at each step, with a cursor, to sweep along; beside it the cures, with what came of them.
  function chart(width, now, stages, present, cursor) {
    const [x0, y0] = cursor;
    const { start, fork, length: n, example_tokens: example } = now;
    const isWide = view.width > 600;
    const height = isWide ? 256 : 160;
    const right = width - (fork && isWide ? CURES + LEAD : 0);
    const far = fork + ROUND;
    const end = Math.max(far, now.step);
    const room = right - GUTTER - 2 * INSET;
    const x = (step) => GUTTER + INSET + (room * step) / end;
    const y = (loss) => 20 + (height - 28) * (1 - Math.min(HIGH, loss) / HIGH);
    const row = isWide ? (height - 28) / WAYS.length - 4 : 40; // px of a cure
    const root = legs[""][fork];
    const result = (name) => {
      const stage = legs[name]?.[far];
      if (!stage) return legs[name] ? "…" : "";
      return `${countRight(example.slice(0, n), stage.answers[10 - n].said)} of ${n}`;
    };
    const seen = WAYS.map(([name]) =>
      root && legs[name] ? [root, ...legs[name].slice(fork)] : [],
    );
    const line = (some, kind = "") =>
      some.length &&
      svg`<path class="line ${kind}" d=${pathOf(some.map(({ step, loss }) => [x(step), y(loss)]))}/>`;
    // From the end of a branch to what came of it.
    const lead = (some, i) => {
      if (!isWide || some.at(-1)?.step < end) return "";
      const [from, to] = [y(some.at(-1).loss), 20 + (row + 4) * i + row / 2].map(px);
      return svg`<path class="lead" d="M${right - INSET} ${from}C${right} ${from} ${right} ${to} ${right + LEAD} ${to}"/>`;
    };
    const under = ({ clientX, currentTarget: area }) => {
      const { left, width: wide } = area.getBoundingClientRect();
      return Math.max(0, Math.min(end, Math.round(((clientX - left) / wide) * end)));
    };
    const { down, move, click } = dragging((event) => go(under(event)), { touch: true });
    const sweep = (event) => {
      if (event.buttons || event.pointerType !== "mouse") move(event);
      else if (!player.isOn) view.preview({ step: Math.min(stages.length - 1, under(event)) });
    };
    return html`<svg class="chart" height=${height} viewBox="0 0 ${width} ${height}" aria-hidden="true">
      ${[0, 1, 2, 3].map((loss) => level(y(loss), right, String(loss)))}
      <path class="guess" d="M${GUTTER} ${y(Math.log(12))}H${right}"/>
      <text class="dim" x=${GUTTER - 6} y=${y(Math.log(12)) + 4} text-anchor="end">ln 12</text>
      <text class="dim" y="12">${[stages, ...seen].flat().some(({ loss }) => loss > HIGH) ? `loss; above ${HIGH} it is cut` : "loss"}</text>
      ${fork ? "" : svg`<text class="dim" x=${width} y="12" text-anchor="end">start ${start}</text>`}
      ${seen.map((some, i) => (some.length ? [lead(some, i), line(some, "beside")] : ""))}
      ${line(stages.slice(present), "ahead")}${line(stages.slice(0, present + 1))}
      <path class="cursor" d="M${px(x(x0))} 20V${height - 8}"/><circle r="4.5" cx=${px(x(x0))} cy=${px(y(y0))}/>
      ${isStuck(now) ? svg`<text class="strong halo" x=${px(x(fork) + 8)} y=${px(Math.max(34, y(root.loss) - 8))}>stuck here</text>` : ""}
      <text class="verb" x=${px(x(x0) + 8)} y=${height - 14}>${fork ? "press a cure" : "drag ↔"}</text>
      <rect class="area" x=${GUTTER + INSET} y="20" width=${room} height=${height - 28}
        @pointerdown=${down} @pointermove=${sweep} @click=${click} @pointerleave=${view.unlook}/></svg>
      <div class="steps" style="margin-right: ${width - right}px">${slider(view, { key: "step", label: "Step", max: end, value: now.step, say: `step ${now.step}`, onInput: go })}</div>
      ${
        fork
          ? html`<div class="cures" @keydown=${moveOnly} style="--row: ${row}px">${choice(view, {
              key: "branch",
              legend: `right after ${ROUND} more steps`,
              options: WAYS.map(
                ([name, words, formula]) =>
                  html`${words}<b>${result(name)}</b><small>${formula}</small>`,
              ),
              index: WAYS.findIndex(([name]) => name === view.read().branch),
              onInput: (i) => view.set({ branch: WAYS[i][0], step: far }),
            })}</div>`
          : ""
      }`;
  }

  // A map of weights, row by row.
  const cells = (weights, n, wide, high) =>
    weights.map(
      (w, i) =>
        svg`<rect x=${px((i % n) * wide)} y=${Math.floor(i / n) * high} width=${px(wide)} height=${high} fill-opacity=${w.toFixed(3)}/>`,
    );

  // The weights of the example, with what is said at each place.
  function map(width, tokens, weights, said) {
    const n = tokens.length;
    const wide = Math.min(1.5 * CELL, Math.max(4, (width - LEFT - SAID) / 10));
    const [end, height] = [LEFT + 10 * wide, TOP + 10 * CELL];
    const middle = (text, x, y, kind) =>
      svg`<text class=${kind} x=${px(x)} y=${y} text-anchor="middle">${text}</text>`;
    return html`<svg class="map" height=${height} viewBox="0 0 ${width} ${height}" role="img"
      aria-label="Given ${spelled(tokens)}, the model says ${spelled(said)}; wanted is ${spelled([...tokens].reverse())}.">
      <text class="dim" x=${LEFT} y="12">Task: write the letters backwards.</text>
      <text class="dim" x=${LEFT} y="28">Dark: looks here. Dashed: should look here.</text>
      ${middle("says", end + 30, TOP - 8, "dim")}${middle("wanted", end + 72, TOP - 8, "dim")}
      ${tokens.map((token, j) => middle(ALPHABET[token], LEFT + (j + 0.5) * wide, TOP - 8, "k"))}
      ${tokens.map((token, i) => {
        const [y, right] = [TOP + i * CELL, tokens[n - 1 - i]];
        const isRight = said[i] === right;
        return svg`<g class="asks">${middle(ALPHABET[token], LEFT - 10, y + 16, "q")}
          <g transform="translate(${LEFT} ${y})">${cells(weights.slice(i * n, (i + 1) * n), n, wide, CELL)}
          <rect class="right" x=${px((n - 1 - i) * wide + 1.5)} y="1.5" width=${px(wide - 3)} height=${CELL - 3}/></g>
          ${middle(`${ALPHABET[said[i]]} ${isRight ? "✓" : "✗"}`, end + 30, y + 16, isRight ? "said" : "said wrong")}
          ${middle(ALPHABET[right], end + 72, y + 16, "dim")}</g>`;
      })}
      <path class="frame" d="M${LEFT} ${TOP}h${px(n * wide)}v${n * CELL}h${px(-n * wide)}Z"/></svg>`;
  }

  // The map at some steps, as far as the run has come.
  const strip = (stages, n, chosen) =>
    html`<div class="strip">${choice(view, {
      key: "strip",
      legend: "The map at step",
      options: FRAMES.map(
        (step) =>
          html`<svg class=${stages[step] ? "there" : ""} viewBox="0 0 ${n} ${n}" aria-hidden="true">${stages[step] ? cells(stages[step].answers[10 - n].weights, n, 1, 1) : ""}</svg>${step}`,
      ),
      index: FRAMES.indexOf(chosen),
      onInput: (i) => view.set({ step: FRAMES[i] }),
      previewed: (i) => (stages[FRAMES[i]] ? { step: FRAMES[i] } : {}),
    })}</div>`;

  return (given) => {
    const now = given.fork ? given : { ...given, branch: "" };
    const { run, stages } = stagesOf(now);
    const { step: wanted, length: n, fork, branch, rate } = now;
    const present = Math.min(wanted, stages.length - 1);
    const isThere = present === wanted;
    const half = WAYS.find(([name]) => legs[name] && !legs[name][fork + ROUND]);
    if (!isThere) beside.ask({ id, run, to: wanted });
    else if (half) beside.ask({ id, run: { ...run, branch: half[0] }, to: fork + ROUND });
    const { loss, answers } = stages[present];
    const tokens = now.example_tokens.slice(0, n);
    const { weights, said } = answers[10 - n];
    const right = countRight(tokens, said);
    const isGrowing = player.isOn || !isThere;
    if (isGrowing && right === n && !wasAll) view.celebrate();
    wasAll = right === n;
    const isNarrow = view.width <= 600;
    const left = isNarrow ? view.width : Math.round((view.width - 40) * (fork ? 0.62 : 0.54));
    const cursor = view.glide("cursor", [present, loss], isGrowing ? 60 : 220);
    const drawn = view.glide("weights", weights, isGrowing ? 100 : 220);
    // Numbers for tools are those of the step that is asked for.
    const told = isThere ? number : (_, text) => text;
    const score = html`<b>${told(right, String(right))} of ${n}</b> letters right`;
    const chosen = view.read(); // a preview chooses nothing yet
    return {
      headline: html`${
        !branch && present === fork && isStuck(now)
          ? html`Stuck at step ${told(present, String(present))}: ${score}. Which cure frees it?`
          : html`<b>Step ${told(present, String(present))}</b>${isThere ? "" : html` on the way to ${number(wanted, String(wanted))}`}, rate ${branch && present >= fork ? AFTER : rate}: loss ${told(loss, fixed(loss))}; ${score}.`
      }`,
      picture: html`<div class="panels" style="--left: ${left}px"><div class="course">${chart(left, now, stages, present, cursor)}</div>
        ${map(isNarrow ? view.width : view.width - 40 - left, tokens, drawn, said)}</div>${fork ? "" : strip(stages, n, chosen.step)}`,
      controls: fork
        ? ""
        : html`${slider(view, {
            key: "rate",
            label: "Learning rate",
            max: RATES.length - 1,
            value: RATES.indexOf(rate),
            text: String(rate),
            say: `rate ${rate}`,
            onInput: (i) => view.set({ rate: RATES[i] }),
          })}<div class="next">${button("Next", () => go(wanted + 1))}</div>`,
      more: fork
        ? ""
        : html`${choice(view, {
            key: "length",
            legend: "Ask for",
            options: ["10 letters", "9 letters"],
            index: 10 - chosen.length,
            onInput: (i) => view.set({ length: 10 - i }),
            previewed: (i) => ({ length: 10 - i }),
          })}${tick("positions", now.positions, (positions) => view.set({ positions }))}
          ${button("New start", () => view.set({ start: (now.start % LAST_START) + 1, step: 0 }))}`,
    };
  };
};

export default explorer("training", "Training explorer", build);
