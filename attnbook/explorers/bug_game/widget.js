// BugGame: attention layers in black boxes. Probe them, see which laws they break, name the mistake.

import { dot, softmax, sum } from "../core/compute.js";
import { button, idOf, moveOnly } from "../core/controls.js";
import { px, wordWidth } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { capital, countWord, fixed } from "../core/format.js";
import { boxesOf, keepsNotes, namesOf, signed, standing } from "../core/game.js";
import { cutTo } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { alike, equal } from "../core/motion.js";
import { number } from "../core/text.js";
import { placeIn, rowsOf } from "../core/traits.js";

// == compute ==================================================================================

const LEAST = 1e-6; // an output that is off by less is right
const FAR = 10000; // how far keys are shifted

export const MISTAKES = {
  "no mistake":
    "it keeps all laws. Four probes would do here: keys shifted, twice as wide, a hidden key, " +
    "an empty row",
  "no keepdims":
    "the totals of rows divide the columns. Where keys outnumber queries, the shapes no longer fit",
  "softmax over queries": "each column shares out a 1, and queries compete for keys",
  "no maximum subtracted": "e to a large score is infinite, and ∞ / ∞ is not a number",
  "divided by d": "as vectors grow wider, the scores fade. Here it should be the root of d",
  "divided by root of n_q": "q.shape[0] counts the queries, so an answer depends on who else asks",
  "mask after softmax": "the hidden key gets no weight, and yet it was counted in the total",
  "hidden scores -1e9": "where all scores are −1e9 they are all equal, so nobody is hidden",
};
export const SUSPECTS = Object.keys(MISTAKES);

const turned = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));

// The weights of a layer, or null where it raises an error.
function weightsOf(name, q, k, mask) {
  const [d, n] = [q[0].length, q.length];
  const divisor =
    name === "divided by d" ? d : Math.sqrt(name === "divided by root of n_q" ? n : d);
  const scores = q.map((query) => k.map((key) => dot(query, key) / divisor));
  const open = (row, i) => row.map((x, j) => (mask[i][j] ? x : -Infinity));
  if (name === "no maximum subtracted") {
    return scores.map((row, i) => {
      const e = open(row, i).map(Math.exp);
      const total = sum(e);
      return e.map((x) => x / (total || (Number.isNaN(total) ? NaN : 1)));
    });
  }
  if (name === "no keepdims") {
    if (n > 1 && n !== k.length) return null;
    const e = scores.map((row, i) => {
      const top = Math.max(...open(row, i));
      return row.map((x, j) => (mask[i][j] ? Math.exp(x - top) : 0));
    });
    const totals = e.map(sum);
    return e.map((row) => row.map((x, j) => x / (totals[n > 1 ? j : 0] || 1)));
  }
  if (name === "softmax over queries") {
    const columns = turned(mask);
    return turned(turned(scores).map((column, j) => softmax(column, 1, columns[j])));
  }
  if (name === "mask after softmax") {
    return scores.map((row, i) => softmax(row, 1).map((w, j) => (mask[i][j] ? w : 0)));
  }
  if (name === "hidden scores -1e9") {
    return scores.map((row, i) =>
      softmax(
        row.map((x, j) => (mask[i][j] ? x : -1e9)),
        1,
      ),
    );
  }
  return scores.map((row, i) => softmax(row, 1, mask[i]));
}

export const openInput = (q, k, v) => ({ q, k, v, mask: q.map(() => k.map(() => true)) });

// The outputs of a layer, or null.
function outputsOf(name, { q, k, v, mask }) {
  const weights = weightsOf(name, q, k, mask);
  return weights && weights.map((row) => sum(row.map((w, j) => w * v[j])));
}

// The outputs should stay as they were.
const staying = (change) => (f, input) => [change(input), f(input)];

// The middle word is hidden; with `changed`, its key and its value are others.
function hiding({ q, k, v }, changed) {
  const at = k.length >> 1;
  return {
    q,
    k: k.map((row, j) => (changed && j === at ? row.map((x) => -x) : row)),
    v: v.map((x, j) => (changed && j === at ? 9 : x)),
    mask: q.map(() => k.map((_, j) => j !== at)),
  };
}

// What each probe does, the law for it (`last` is the word that asks last, `middle` the one that
// is hidden), and the input with what the outputs should be.
const STAY = "so the bars should stay at their marks.";
const PROBES = {
  "all values 1": {
    does: "every value becomes 1.",
    law: "a mean of ones is 1, so each bar should end at its mark, 1.",
    run: (f, { q, k, v }) => [
      openInput(
        q,
        k,
        v.map(() => 1),
      ),
      q.map(() => 1),
    ],
  },
  "keys shifted": {
    does: "10,000 is added to all numbers of all keys.",
    law: `all scores of a query move alike, ${STAY}`,
    run: staying(({ q, k, v }) =>
      openInput(
        q,
        k.map((row) => row.map((x) => x + FAR)),
        v,
      ),
    ),
  },
  "keys shuffled": {
    does: "keys and values come in the opposite order.",
    law: `a mean knows no order, ${STAY}`,
    run: staying(({ q, k, v }) => openInput(q, [...k].reverse(), [...v].reverse())),
  },
  "one query": {
    does: "{last} asks alone.",
    law: "queries do not feel each other, so the one bar should stay at its mark.",
    run: (f, { q, k, v }) => [
      openInput(q.slice(-1), k, v),
      f(openInput(q, k, v))?.slice(-1) ?? null,
    ],
  },
  "everything twice": {
    does: "each key comes twice, and so does its value.",
    law: `two copies share one weight, ${STAY}`,
    run: staying(({ q, k, v }) => openInput(q, [...k, ...k], [...v, ...v])),
  },
  "twice as wide": {
    does: "queries and keys are written twice, times 0.84.",
    law: `both q · k and √d grow by √2, ${STAY}`,
    run: staying(({ q, k, v }) => {
      const [wide, wider] = [q, k].map((rows) =>
        rows.map((row) => [...row, ...row].map((x) => x / 2 ** 0.25)),
      );
      return openInput(wide, wider, v);
    }),
  },
  "a hidden key": {
    does: "{middle} is hidden; its key and its value change.",
    law: `what is hidden has no say, ${STAY}`,
    run: (f, input) => [hiding(input, true), f(hiding(input, false))],
  },
  "an empty row": {
    does: "{last} may look at nobody.",
    law: "with no key an output is 0, so its bar should be at 0, the others at their marks.",
    run: (f, input) => [
      { ...input, mask: input.mask.map((row, i) => row.map(() => i < input.q.length - 1)) },
      f(input)?.with(-1, 0) ?? null,
    ],
  },
};
export const NAMES = Object.keys(PROBES);

// What a layer gives under a probe, and what it should.
export function probed(name, probe, input) {
  const f = (given) => outputsOf(name, given);
  const [given, wanted] = PROBES[NAMES[probe]].run(f, input);
  const output = f(given);
  const broken = output && wanted ? output.map((o, i) => !(Math.abs(o - wanted[i]) <= LEAST)) : [];
  const outcome = !output
    ? "error"
    : output.some(Number.isNaN)
      ? "NaN"
      : broken.some(Boolean)
        ? "breaks"
        : "keeps";
  return { given, wanted, output, broken, outcome };
}

// The first probe that tells two layers apart, and how the second one takes it.
export function telling(one, other, input) {
  const [own, its] = [one, other].map((name) =>
    NAMES.map((_, p) => probed(name, p, input).outcome),
  );
  const kept = (outcome) => outcome === "keeps";
  const clear = own.findIndex((outcome, p) => kept(outcome) !== kept(its[p]));
  const probe = clear >= 0 ? clear : own.findIndex((outcome, p) => outcome !== its[p]);
  return probe < 0 ? null : { probe, outcome: its[probe] };
}

// == page =====================================================================================

const SEEN = { keeps: "–", breaks: "●", NaN: "?", error: "!" };
const SAID = { keeps: "keeps the law", breaks: "breaks it", NaN: "not a number", error: "error" };
const WOULD = {
  keeps: "would be kept",
  breaks: "would be broken",
  NaN: "would give NaN",
  error: "would raise an error",
};
const BAR = 22; // px for each output
const CELL = 15; // px of a number in the map of the input, at most; more rows than words are less high
const [NAME, BETWEEN] = [48, 8]; // px: the name of a part of it, and between two parts
const [BOARD, GAP] = [400, 32]; // px, where there is room

// What the outputs say.
function summary(words, { output, wanted, broken, outcome }) {
  if (!output || !wanted) return "the layer raises an error. The shapes do not fit.";
  if (outcome === "keeps") return "the law holds.";
  const asked = words.slice(-output.length);
  const off = output.flatMap((_, i) => (broken[i] ? [i] : []));
  const far = (i) => Math.abs(output[i] - wanted[i]);
  const most = off.reduce((before, i) => (far(i) > far(before) ? i : before), off[0]);
  return html`${number(off.length, String(off.length))} of ${output.length} output${output.length > 1 ? "s" : ""} ${
    off.length > 1 ? "are" : "is"
  } off. That of ${asked[most]} is <span class="o">${number(
    output[most],
    Number.isNaN(output[most]) ? "NaN" : fixed(output[most]),
  )}</span>, not ${number(wanted[most], fixed(wanted[most]))}.`;
}

// What is said of a name.
function judged(held, guess, input, seen) {
  if (!guess) return "Probe the box until only one name fits. Then press that name.";
  if (guess === held) return html`<b>Right</b>, ${signed(held)}: ${MISTAKES[held]}.`;
  const clue = telling(held, guess, input);
  return html`<b>Not yet</b>: with “${signed(guess)}” the law of “${NAMES[clue.probe]}” ${
    WOULD[clue.outcome]
  }. ${(seen >> clue.probe) & 1 ? "Look at the board." : "Try that probe."}`;
}

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { words, query, key, value, layers } = view.read();
  const n = words.length;
  const input = openInput(rowsOf(query, query.length / n), rowsOf(key, key.length / n), value);
  const boxes = boxesOf({ layers });
  const told = (text) => text.replace("{last}", words.at(-1)).replace("{middle}", words[n >> 1]);
  const mistaken = layers.filter((layer) => layer !== "no mistake").length;
  const task = html`<b>${capital(countWord(boxes.length))} boxes, ${boxes[0]} to ${boxes.at(-1)}, compute attention. ${
    mistaken < boxes.length ? capital(countWord(mistaken)) : "All"
  } ${mistaken > 1 ? "have" : "has"} a mistake.</b>
    Press cells to test them, then name each mistake.`;

  // What the probe that is left has shown stays on the board.
  const go = (to) => () => {
    const { box, probe, seen } = view.read();
    view.set({ ...to, seen: seen.with(box, seen[box] | (1 << probe)) });
  };
  const newGame = () => {
    const order = [...layers.keys()];
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    view.set({
      order,
      box: 0,
      probe: 0,
      wrong: 0,
      seen: layers.map(() => 0),
      verdicts: layers.map(() => -1),
    });
  };

  // The laws by the boxes. The mouse over a place and the focus show what its probe does; what was
  // pressed keeps its frame and its rules.
  const board = (now, { real, held, tried, lit }) => {
    const over = (to) => ({ enter: view.look(to), leave: view.unlook });
    // Who comes back to a box finds a probe that was made there: it costs nothing.
    const back = (b) => ({
      box: b,
      probe: tried(b, real.probe) || !real.seen[b] ? real.probe : 31 - Math.clz32(real.seen[b]),
    });
    const radio = (of, text, isOn, to, said) => {
      const { enter, leave } = over(to);
      return html`<label @pointerenter=${enter} @pointerleave=${leave}><input type="radio" name=${idOf(view, of)}
        aria-label=${said} data-now=${isOn} @input=${go(to)}
        @focus=${({ target }) => target.matches(":focus-visible") && view.preview(to)} @blur=${() => view.preview(null)}><span aria-hidden="true">${text}</span></label>`;
    };
    const cell = (b, p) => {
      const outcome = lit[b] || tried(b, p) ? probed(held[b], p, input).outcome : null;
      const { enter, leave } = over({ box: b, probe: p });
      const isAt = (one) => b === one.box && p === one.probe;
      return html`<td class="${isAt(real) ? "here" : isAt(now) ? "look" : ""} ${lit[b] ? "lit" : ""}" style="--row: ${p}"
        @click=${go({ box: b, probe: p })} @pointerenter=${enter} @pointerleave=${leave}><span aria-hidden="true">${
          outcome ? SEEN[outcome] : b === 1 && p === 0 ? html`<span class="verb">press</span>` : ""
        }</span><span class="unseen">${outcome ? SAID[outcome] : "not tried"}</span></td>`;
    };
    return html`<table class="board" aria-label="What each box does under each probe" @keydown=${moveOnly}>
      <thead><tr><th scope="col" class="dim">probe ↓ box →</th>${boxes.map(
        (letter, b) =>
          html`<th scope="col" class=${lit[b] ? "lit" : ""}>${radio(
            "box",
            letter,
            b === real.box,
            back(b),
            `box ${letter}${lit[b] ? `: ${signed(held[b])}` : ""}`,
          )}</th>`,
      )}</tr></thead>
      <tbody>${NAMES.map(
        (name, p) =>
          html`<tr><th scope="row">${radio("probe", name, p === real.probe, { probe: p }, name)}</th>${boxes.map(
            (_, b) => cell(b, p),
          )}</tr>`,
      )}</tbody></table>`;
  };

  // The input as a map: filled above 0, an edge below; what the probe has changed has a frame.
  function map(width, { q, k, v, mask }) {
    const column = (x) => x.map((item) => [item]);
    const bits = (rows) => rows.map((row) => row.map(Number));
    const parts = [
      ["Q", "q", input.q, q],
      ["K", "k", input.k, k],
      ["V", "v", column(input.v), column(v)],
      ["mask", "m", bits(input.mask), bits(mask)],
    ];
    const sizes = (cell) =>
      parts.map(([, , , rows]) => (cell * n) / Math.max(n, rows.length, rows[0].length));
    const wides = (cell) =>
      sizes(cell).map((size, i) => Math.max(NAME, parts[i][3][0].length * size) + BETWEEN);
    let cell = CELL;
    while (cell > 2 && sum(wides(cell)) > width) cell -= 0.25;
    let end = 1;
    const drawn = parts.map(([name, role, old, rows], part) => {
      const [left, size] = [end, sizes(cell)[part]];
      const isSame = alike(rows, old) && equal(rows, old);
      const most = Math.max(1e-9, ...rows.flat().map(Math.abs));
      const share = view.glide(
        `map ${name}`,
        rows.map((row) => row.map((x) => x / most)),
      );
      const wide = rows[0].length * size;
      end += wides(cell)[part];
      return svg`<text class=${isSame ? "dim" : "strong"} x=${left} y="11">${name} ${rows.length}×${rows[0].length}</text>
        ${share.flatMap((row, i) =>
          row.map(
            (
              x,
              j,
            ) => svg`<rect class="entry ${role} ${x < 0 ? "below" : ""}" x=${px(left + j * size + 1)}
          y=${px(18 + i * size)} width=${px(size - 2)} height=${px(size - 2)} style="--size: ${(0.12 + 0.88 * Math.abs(x)).toFixed(2)}"/>`,
          ),
        )}
        ${isSame ? nothing : svg`<rect class="frame" x=${px(left - 1)} y="16" width=${px(wide + 2)} height=${px(rows.length * size + 2)}/>`}`;
    });
    const height = 20 + n * CELL;
    return html`<svg height=${height} viewBox="0 0 ${width} ${height}" role="img"
      aria-label="The input. ${parts.map(([name, , , rows]) => `${name}: ${rows.length} by ${rows[0].length}`).join("; ")}.">${drawn}</svg>`;
  }

  // The outputs as bars, and a mark where each should end. Before the probe is made there are marks alone.
  function bars(width, { output, wanted, broken }, isKnown) {
    const height = n * BAR + 4;
    if (isKnown && !(output && wanted)) {
      return html`<svg height=${height} role="img" aria-label="No outputs: an error."><text class="error" y=${BAR}>error: operands could not be broadcast</text></svg>`;
    }
    const goals = wanted ?? [];
    const found = isKnown ? output : goals.map(() => 0);
    const first = n - goals.length;
    const left = wordWidth(words, 40, 88);
    const right = width - 64;
    const finite = [...found, ...goals].filter(Number.isFinite);
    const whole = (x) => words.map((_, i) => x[i - first] ?? 0);
    const [[low, high], drawn, marks] = view.glide("bars", [
      [Math.min(0, ...finite), Math.max(0, ...finite)],
      whole(found),
      whole(goals),
    ]);
    const x = (number) => left + ((number - low) / (high - low || 1)) * (right - left);
    const said = words
      .slice(first)
      .map(
        (word, i) =>
          `${word}: ${
            !isKnown ? "not known" : Number.isNaN(found[i]) ? "not a number" : fixed(found[i])
          }, should be ${fixed(goals[i])}`,
      )
      .join("; ");
    return html`<svg height=${height} viewBox="0 0 ${width} ${height}" role="img" aria-label="Outputs. ${said}.">
      ${goals.map((_, place) => {
        const [i, isOff] = [first + place, isKnown && broken[place]];
        const [y, o] = [i * BAR, drawn[i]];
        const isThere = Number.isFinite(o);
        return svg`<text y=${y + 15}>${cutTo(words[i], left - 8)}</text>
          <rect class="bar ${isOff ? "off" : ""}" x=${px(isThere ? Math.min(x(0), x(o)) : left)} y=${y + 5}
            width=${px(isThere ? Math.abs(x(o) - x(0)) : 0)} height="12"/>
          <path class="goal" d="M${px(x(marks[i]))} ${y + 1}v20"/>
          <text class=${isOff ? "o strong" : "dim"} x=${width} y=${y + 15} text-anchor="end">${
            !isKnown ? "" : Number.isNaN(found[place]) ? "NaN" : fixed(found[place])
          }</text>`;
      })}</svg>`;
  }

  return (now) => {
    const real = view.read(); // the mouse may be over another place
    const { box, probe } = now;
    const held = real.order.map((place) => layers[place]);
    const tried = (b, p) => (b === real.box && p === real.probe) || ((real.seen[b] >> p) & 1) === 1;
    // The probe of the start is a gift.
    const probes = sum(
      boxes.map((_, b) => NAMES.filter((_, p) => b + p > 0 && tried(b, p)).length),
    );
    const { lit, isOver, told: stands } = standing(real, held, SUSPECTS, probes);
    const isKnown = lit[box] || tried(box, probe);
    const result = probed(held[box], probe, input);
    const { does, law } = PROBES[NAMES[probe]];
    const points = Math.max(0, 100 - probes - 5 * real.wrong);
    const score = html`Score ${number(points, String(points))}`;
    const right = lit.filter(Boolean).length;
    const isNew =
      isKnown &&
      probes + real.wrong + sum(real.seen) === 0 &&
      real.verdicts.every((place) => place < 0);
    const width = view.root.classList.contains("narrow") ? view.width : view.width - BOARD - GAP;
    return {
      headline:
        isOver && box === real.box && probe === real.probe
          ? html`<b>${stands}. ${score}.</b>`
          : isNew
            ? task
            : html`<b>Box ${boxes[box]}, ${NAMES[probe]}</b>: ${isKnown ? summary(words, result) : "press to see what it does."}`,
      picture: html`<p class="score small">Named ${number(right, String(right))} of ${boxes.length}. ${score}: a probe costs 1, a wrong name 5.</p>
        <div class="desk"><div>${board(now, { real, held, tried, lit })}
          <p class="small">● law broken, – kept, ? not a number, ! error</p></div>
        <div><p class="probe"><b>Probe</b>: ${told(does)}</p>${map(width, result.given)}
          <p class="law"><b>Law</b>: ${told(law)}</p>${bars(width, result, isKnown)}</div></div>`,
      controls: html`${namesOf(view, real, held, SUSPECTS)}<div class="verdict"><p role="status">${judged(
        held[real.box],
        SUSPECTS[real.verdicts[real.box]],
        input,
        real.seen[real.box] | (1 << real.probe),
      )}</p>${button("New game", newGame)}</div>`,
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = { box: placeIn("box", boxesOf), probe: placeIn("probe", () => NAMES) };

export default explorer("bugs", "Find the bug", build, {
  traits,
  sets: keepsNotes,
});
