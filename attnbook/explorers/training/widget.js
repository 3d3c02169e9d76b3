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
  ["nothing", html`rate ${AFTER} alone`],
  ["W_q and W_k divided by 3", html`${both} ÷ 3`],
  ["W_q alone divided by 30", html`${matrix("q")} ÷ 30`],
  ["all but W_q and W_k drawn anew", "redraw the others"],
  ["W_q and W_k divided by 30", html`${both} ÷ 30`],
  ["W_q and W_k drawn anew", html`redraw ${both}`],
];
const wayOf = (branch) => WAYS.findIndex(([name]) => name === branch);

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
const [NAMES, LEAD] = [116, 20]; // px for the names of branches, and between curves and names
const [LEFT, TOP, SAID, CELL] = [24, 40, 92, 24]; // px of the map: around it, and of a row
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
    const its = String([start, positions, rate, example]);
    if (its !== trunk) {
      [trunk, id] = [its, id + 1];
      legs = { "": [model.look(run, model.drawn(start), 0).stage] };
    }
    const stages = branch
      ? [...legs[""].slice(0, fork), ...(legs[branch] ?? []).slice(fork)]
      : legs[""];
    return { run, stages };
  }

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

  // The loss at each step, with a cursor, to sweep along; at the right the names of the branches.
  function chart(width, now, stages, present, cursor) {
    const [x0, y0] = cursor;
    const { start, fork, branch, other } = now;
    const height = view.width > 600 ? 240 : fork ? 200 : 160;
    const right = width - (fork ? NAMES + LEAD : 0);
    const end = Math.max(fork + ROUND, now.step);
    const room = right - GUTTER - 2 * INSET;
    const x = (step) => GUTTER + INSET + (room * step) / end;
    const y = (loss) => 20 + (height - 28) * (1 - Math.min(HIGH, loss) / HIGH);
    const row = (height - 28) / WAYS.length;
    const root = legs[""][fork];
    const beside = other && root ? [root, ...(legs[other] ?? []).slice(fork)] : [];
    const drawn = [...stages, ...beside];
    const line = (some, kind = "") =>
      some.length &&
      svg`<path class="line ${kind}" d=${pathOf(some.map(({ step, loss }) => [x(step), y(loss)]))}/>`;
    // From a stage of the run to the name of a branch.
    const lead = ({ step, loss }, name, kind) => {
      const [from, to] = [`${px(x(step))} ${px(y(loss))}`, px(20 + row * (wayOf(name) + 0.5))];
      const middle = px((x(step) + right + LEAD) / 2);
      return svg`<path class="lead ${kind}" d="M${from}C${middle} ${px(y(loss))} ${middle} ${to} ${right + LEAD} ${to}"/>`;
    };
    const arrived = (some, name) =>
      name && some.at(-1)?.step >= fork + ROUND && lead(some.at(-1), name, "");
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
      <text class="dim" y="12">${drawn.some(({ loss }) => loss > HIGH) ? `loss; above ${HIGH} it is cut` : "loss"}</text>
      ${fork ? "" : svg`<text class="dim" x=${width} y="12" text-anchor="end">start ${start}</text>`}
      ${fork && root && !branch ? WAYS.map(([name]) => lead(root, name, "fan")) : ""}
      ${arrived(beside, other)}${arrived(stages, branch)}${line(beside, "beside")}
      ${line(stages.slice(present), "ahead")}${line(stages.slice(0, present + 1))}
      <path class="cursor" d="M${px(x(x0))} 20V${height - 8}"/><circle r="4.5" cx=${px(x(x0))} cy=${px(y(y0))}/>
      <text class="verb" x=${fork ? right - 8 : px(x(x0) + 8)} y=${height - 14} text-anchor=${fork ? "end" : "start"}>${fork ? "press a name →" : "drag ↔"}</text>
      <rect class="area" x=${GUTTER + INSET} y="20" width=${room} height=${height - 28}
        @pointerdown=${down} @pointermove=${sweep} @click=${click} @pointerleave=${view.unlook}/></svg>
      ${
        fork
          ? html`<div class="names" @keydown=${moveOnly} style="width: ${NAMES}px; line-height: ${row}px">${choice(
              view,
              {
                key: "branch",
                legend: html`<span class="unseen">From step ${fork} on</span>`,
                options: WAYS.map(([name, text]) => (name === other ? html`<b>${text}</b>` : text)),
                index: wayOf(view.read().branch),
                onInput: (i) => press(WAYS[i][0]),
              },
            )}</div>`
          : ""
      }
      <div class="steps" style="margin-right: ${width - right}px">${slider(view, { key: "step", label: "Step", max: end, value: now.step, say: `step ${now.step}`, onInput: go })}</div>`;
  }

  // A branch grows; the one that was seen before stays.
  function press(name) {
    const { fork, branch, other } = view.read();
    view.set({ branch: name, other: branch === name ? other : branch, step: fork + ROUND });
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
      <text class="dim" x=${LEFT} y="12">Task: write the letters backwards. Each looks at:</text>
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
      legend: html`<span class="unseen">The map at step</span>`,
      options: FRAMES.map(
        (step) =>
          html`<svg class=${stages[step] ? "there" : ""} viewBox="0 0 ${n} ${n}" aria-hidden="true">${stages[step] ? cells(stages[step].answers[10 - n].weights, n, 1, 1) : ""}</svg>${step}`,
      ),
      index: FRAMES.indexOf(chosen),
      onInput: (i) => view.set({ step: FRAMES[i] }),
      previewed: (i) => (stages[FRAMES[i]] ? { step: FRAMES[i] } : {}),
    })}</div>`;

  return (given) => {
    const now = given.fork ? given : { ...given, branch: "", other: "" };
    const { run, stages } = stagesOf(now);
    const { step: wanted, length: n, fork, branch, other, rate } = now;
    const present = Math.min(wanted, stages.length - 1);
    const isThere = present === wanted;
    const far = fork + ROUND;
    if (!isThere) beside.ask({ id, run, to: wanted });
    else if (other && !legs[other]?.[far])
      beside.ask({ id, run: { ...run, branch: other }, to: far });
    const { loss, answers } = stages[present];
    const tokens = now.example_tokens.slice(0, n);
    const { weights, said } = answers[10 - n];
    const [right, sure] = [countRight(tokens, said), sureness(weights, n)];
    const isGrowing = player.isOn || !isThere;
    if (isGrowing && right === n && !wasAll) view.celebrate();
    wasAll = right === n;
    const isNarrow = view.width <= 600;
    const left = isNarrow ? view.width : Math.round((view.width - 40) * (fork ? 0.58 : 0.54));
    const cursor = view.glide("cursor", [present, loss], isGrowing ? 60 : 220);
    const drawn = view.glide("weights", weights, isGrowing ? 100 : 220);
    // Numbers for tools are those of the step that is asked for.
    const told = isThere ? number : (_, text) => text;
    const chosen = view.read(); // a preview chooses nothing yet
    return {
      headline: html`<b>Step ${told(present, String(present))}</b>${isThere ? "" : html` on the way to ${number(wanted, String(wanted))}`}, rate ${branch && present >= fork ? AFTER : rate}: loss ${told(
        loss,
        fixed(loss),
      )}; <b>${told(right, String(right))} of ${n}</b> letters right; mean largest weight ${told(sure, fixed(sure))}.`,
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
