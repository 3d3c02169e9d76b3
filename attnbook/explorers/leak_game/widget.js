// LeakGame: attention layers in black boxes. Change a token's number, see which outputs move.

import { softmax, sum } from "../core/compute.js";
import { button, choice, numberCell } from "../core/controls.js";
import { px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed, listed, short } from "../core/format.js";
import { boxesOf, countBits, keepsNotes, namesOf, standing } from "../core/game.js";
import { html, svg } from "../core/lit.js";
import { moves } from "../core/motion.js";
import { number } from "../core/text.js";
import { placeIn } from "../core/traits.js";

// == compute ==================================================================================

const LEAST = 1e-9; // an output that moves by less stands still

// Whether output i may see token j, in each layer; `after` hides the weights, not the scores.
export const LAYERS = {
  "causal mask": {
    sees: (i, j) => j <= i,
    after: false,
    told: "each output moves with its own token and the earlier ones, with no other. It does not leak",
  },
  "no mask": {
    sees: () => true,
    after: false,
    told: "nothing is hidden, and every output takes in every token",
  },
  "one key too many": {
    sees: (i, j) => j <= i + 1,
    after: false,
    told: "each output also sees the token after its own: j ≤ i + 1 stands where j ≤ i should",
  },
  "mask transposed": {
    sees: (i, j) => j >= i,
    after: false,
    told: "the triangle stands on its head. Outputs see their own token and the later ones",
  },
  "mask after softmax": {
    sees: (i, j) => j <= i,
    after: true,
    told:
      "the weights of the future are 0, but softmax had divided by a total that counts the " +
      "future. The later token is not seen, and yet it is felt",
  },
};
export const SUSPECTS = Object.keys(LAYERS);

// The outputs of a layer: each token's number is its query, its key and its value.
export function outputsOf(name, x) {
  const { sees, after } = LAYERS[name];
  return x.map((q, i) => {
    const open = x.map((_, j) => sees(i, j));
    const weights = softmax(
      x.map((k) => q * k),
      1,
      after ? undefined : open,
    );
    return sum(weights.map((w, j) => (open[j] ? w * x[j] : 0)));
  });
}

// Which outputs differ.
const movedFrom = (before, after) => after.map((y, i) => !(Math.abs(y - before[i]) <= LEAST));

// What each token does to the outputs when its number alone is changed: a row for each token, null
// where it never was. `seen` has a bit for each token that was; one that is back is taken one higher.
export const evidence = (name, given, now, seen = 0) =>
  now.map((x, t) => {
    const isBack = x === given[t];
    if (isBack && !((seen >> t) & 1)) return null;
    return movedFrom(outputsOf(name, given), outputsOf(name, given.with(t, isBack ? x + 1 : x)));
  });

// A token and an output that tell two layers apart, if there are such.
export function telling(a, b, given) {
  const changed = given.map((x) => x + 1);
  const [one, other] = [a, b].map((name) => evidence(name, given, changed));
  for (let t = given.length - 1; t >= 0; t--) {
    const i = one[t].findIndex((moved, at) => moved !== other[t][at]);
    if (i >= 0) return { token: t, output: i, moves: other[t][i] };
  }
  return null;
}

// == page =====================================================================================

const [IN, DEEP, OUT, HIGH] = [12, 162, 190, 80]; // px: the box begins, ends; outputs; their scale
const [NOTES, ASIDE] = [120, 152]; // px: the notebook, and its column
const [FAST, SLOW] = [450, 1400]; // ms of a pulse, and of one that leaks

// A light that runs down each wire; one that leaks is slow.
function run(root, wires) {
  const group = root.querySelector(".pulses");
  for (const { d, isLeak } of wires) {
    const pulse = document.createElementNS(group.namespaceURI, "path");
    pulse.setAttribute("d", d);
    pulse.setAttribute("pathLength", "1");
    pulse.setAttribute("class", isLeak ? "pulse leaks" : "pulse");
    group.append(pulse);
    pulse
      .animate([{ strokeDashoffset: 0.12 }, { strokeDashoffset: -1 }], isLeak ? SLOW : FAST)
      .finished.then(
        () => pulse.remove(),
        () => {},
      );
  }
}

// What is said of a name.
function judged(words, given, name, guess) {
  if (!guess) return "What does this box do? Probe it, then name it.";
  if (guess === name) return html`<b>Right</b>, ${name}: ${LAYERS[name].told}.`;
  const clue = telling(name, guess, given);
  return html`<b>Not yet</b>${
    clue
      ? `: with “${guess}”, a new number for ${words[clue.token]} would ${
          clue.moves ? "move" : "not move"
        } the output of ${words[clue.output]}. Look at it here.`
      : `. Both move the same outputs, so look at how far. Drag the number of ${words.at(
          -1,
        )} up to 9: do earlier outputs run after it, or fade towards 0?`
  }`;
}

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { words, given, layers } = view.read();
  const boxes = boxesOf({ layers });
  const n = words.length;
  const places = [...words.keys()];
  // What was drawn last, the token that was changed last, the one under the pointer, the last pulse.
  let [before, last, over, pulsed] = [null, -1, -1, 0];

  // The evidence, computed once while things move.
  let memo = {};
  const known = (name, numbers, bits) => {
    const key = String([name, numbers, bits]);
    if (memo.key !== key) memo = { key, found: evidence(name, given, numbers, bits) };
    return memo.found;
  };

  const change = (t) => (x) => {
    const { numbers, seen, box } = view.read();
    const bit = x === given[t] ? 0 : 1 << t;
    view.set({ numbers: numbers.with(t, x), seen: seen.with(box, seen[box] | bit) });
  };
  const hover = (t) => (event) => {
    if (event.pointerType !== "mouse") return;
    over = t;
    view.again();
  };

  // A box that is named right has its name.
  const boxChoice = (box, lit) =>
    choice(view, {
      key: "box",
      legend: html`<span class="unseen">Black box</span>`,
      options: boxes.map(
        (letter, b) => html`box ${letter}${lit[b] ? html` <b>✓ ${layers[b]}</b>` : ""}`,
      ),
      index: box,
      onInput: (b) => view.set({ box: b, numbers: given }),
    });

  // Wires from numbers to outputs through the box, and the outputs as dots; rings are the start.
  function scene(width, { numbers, box }, { found, changed, live, early }) {
    const [first, output] = [given, numbers].map((x) => outputsOf(layers[box], x));
    const across = (i) => ((i + 0.5) * width) / n;
    const wire = (t, i) =>
      `M${px(across(t))} 0V${IN}C${px(across(t))} ${IN + 80} ${px(across(i))} ${
        DEEP - 80
      } ${px(across(i))} ${DEEP}V${OUT}`;
    const wires = (which) =>
      places.map((t) => places.map((i) => (which(t, i) ? wire(t, i) : "")).join("")).join("");
    const isOne = before?.box === box && changed.length === 1;
    if (isOne) [last] = changed;
    else if (before?.box !== box || changed.length > 1) last = -1;
    const stirred = isOne ? movedFrom(outputsOf(layers[box], before.numbers), output) : [];
    const now = performance.now();
    if (isOne && moves() && now - pulsed > 150) {
      pulsed = now;
      requestAnimationFrame(
        () =>
          view.root.isConnected &&
          run(
            view.root,
            places.filter((i) => stirred[i]).map((i) => ({ d: wire(last, i), isLeak: i < last })),
          ),
      );
    }

    const shown = over >= 0 ? over : last;
    const [low, high] = view.glide("scale", [
      Math.min(0, ...first, ...output),
      Math.max(1, ...first, ...output),
    ]);
    const y = (x) => OUT + HIGH - ((x - low) / (high - low)) * HIGH;
    const dots = output.map((x, i) => view.glide(`dot ${i}`, [x], i < last ? SLOW : FAST)[0]);
    const lit = live.flatMap((t) => places.filter((i) => found[t][i]).map((i) => [t, i]));
    return svg`<rect class="box" x="1" y=${IN} width=${width - 2} height=${DEEP - IN} rx="10"/>
      <text class="letter-of-box" x=${width / 2} y=${(IN + DEEP) / 2 + 26} text-anchor="middle" aria-hidden="true">${boxes[box]}</text>
      <path class="wire" d=${wires((t, i) => t <= i)}/><path class="wire back" d=${wires((t, i) => t > i)}/>
      <path class="wire here" d=${wires((t) => t === over)}/>
      ${lit.map(([t, i]) => svg`<path class="on ${t > i ? "leaks" : ""} ${shown >= 0 && t !== shown ? "aside" : ""}" pathLength="1" d=${wire(t, i)}/>`)}
      <path class="hair" d="M0 ${px(y(0))}H${width}"/>
      ${places.map(
        (i) => svg`<path class="hair" d="M${px(across(i))} ${OUT}V${OUT + HIGH}"/>
        <circle class="ring" cx=${px(across(i))} cy=${px(y(first[i]))} r="6"/>
        <circle class="dot ${early.includes(i) ? "leaks" : ""}" cx=${px(across(i))} cy=${px(y(dots[i]))} r="6"/>`,
      )}`;
  }

  // A column for each token whose number was changed: which outputs moved. Grey is the future.
  function notebook(found) {
    const cell = NOTES / n;
    const told = places
      .flatMap((t) =>
        found[t]
          ? [`${words[t]} moves ${listed(words.filter((_, i) => found[t][i])) || "nothing"}`]
          : [],
      )
      .join("; ");
    return html`<svg class="notes" style="width: ${NOTES}px" height=${NOTES} viewBox="0 0 ${NOTES} ${NOTES}" role="img"
      aria-label="Notebook. ${told || "Nothing yet"}.">
      <path class="later" d=${places.map((t) => `M${px(t * cell)} 0h${px(cell)}v${px(t * cell)}h${px(-cell)}z`).join("")}/>
      <path class="hair" d=${[...places, n].map((i) => `M0 ${px(i * cell)}H${NOTES}M${px(i * cell)} 0V${NOTES}`).join("")}/>
      <rect class="here" x=${px(over * cell)} width=${over < 0 ? 0 : px(cell)} height=${NOTES}/>
      ${places
        .filter((t) => found[t])
        .flatMap((t) =>
          places.map((i) =>
            found[t][i]
              ? svg`<circle class="mark ${t > i ? "leaks" : ""}" cx=${px((t + 0.5) * cell)} cy=${px((i + 0.5) * cell)} r=${px(0.34 * cell)}/>`
              : svg`<path class="mark" d="M${px((t + 0.34) * cell)} ${px((i + 0.5) * cell)}h${px(0.32 * cell)}"/>`,
          ),
        )}
    </svg>`;
  }

  return (now) => {
    const { numbers, box, seen, verdicts } = now;
    const live = places.filter((t) => numbers[t] !== given[t]);
    const isNarrow = view.root.classList.contains("narrow");
    const width = isNarrow ? view.width : view.width - ASIDE - 24;
    const found = known(layers[box], numbers, seen[box]);
    const output = outputsOf(layers[box], numbers);
    const changed = before ? places.filter((t) => numbers[t] !== before.numbers[t]) : [];
    const differs = movedFrom(outputsOf(layers[box], given), output);
    const moved = places.filter((i) => differs[i]);
    const early = moved.filter((i) => i < Math.min(...live));
    const drawn = scene(width, now, { found, changed, live, early });
    before = { box, numbers };

    const probes = sum(seen.map((bits) => countBits(bits, n)));
    const { lit, isOver, told: score } = standing(now, layers, SUSPECTS, probes);
    const told = live.map(
      (t, i) =>
        html`${i === 0 ? "" : i === live.length - 1 ? " and " : ", "}“${words[t]}” at ${number(
          numbers[t],
          short(numbers[t]),
        )}`,
    );
    return {
      headline: html`<b>Box ${boxes[box]}</b>: ${
        live.length === 0
          ? isOver
            ? "solved."
            : "drag a number sideways. Which outputs move?"
          : html`${told} move${live.length === 1 ? "s" : ""} ${number(moved.length, String(moved.length))} output${
              moved.length === 1 ? "" : "s"
            }${
              early.length === 0
                ? live.length > 1
                  ? "; try one alone."
                  : ", none at an earlier position."
                : html`, <span class="leak">${number(early.length, String(early.length))} at ${
                    early.length === 1 ? "an earlier position" : "earlier positions"
                  }: a leak.</span>`
            }`
      }${isOver ? html` <b>${score}.</b>` : ""}`,
      picture: html`${boxChoice(box, lit)}<div class="stand"><table aria-label="Numbers of the tokens, and outputs">
          <thead><tr>${words.map(
            (word, t) => html`<th scope="col" class="wraps"
            @pointerenter=${hover(t)} @pointerleave=${hover(-1)}>${word}</th>`,
          )}</tr></thead>
          <tbody><tr>${words.map((word, t) =>
            numberCell(view, {
              label: `number of ${word}`,
              role: "k",
              step: 0.5,
              value: numbers[t],
              onInput: change(t),
            }),
          )}</tr>
          <tr><td class="wires" colspan=${n}><svg height=${OUT + HIGH + 12} viewBox="0 0 ${width} ${OUT + HIGH + 12}" role="img"
            aria-label="A wire from each number to each output, through the box; dotted where it leads to an earlier output. Outputs are dots, with a ring where each was at the start.">
            ${drawn}<g class="pulses"></g></svg></td></tr>
          <tr>${output.map((y) => html`<td class="o"><span class="unseen">output</span> ${number(y, fixed(y, isNarrow ? 2 : 3))}</td>`)}</tr></tbody></table>
        <div class="aside"><p class="small">Notebook of box ${boxes[box]}</p>${notebook(found)}
          <p class="small">A column for each number changed, a row for each output. Dot: it moved. On grey it must not.</p>
          <p>${button("Numbers back", () => view.set({ numbers: given }))}</p></div></div>`,
      controls: html`${namesOf(view, now, layers, SUSPECTS)}
        <div class="verdict"><p class="small">${isOver ? "" : html`${score}.`}</p>
          <p role="status">${judged(words, given, layers[box], SUSPECTS[verdicts[box]])}</p></div>`,
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = { box: placeIn("box", boxesOf) };

export default explorer("leak", "Find the leak", build, {
  traits,
  sets: keepsNotes,
});
