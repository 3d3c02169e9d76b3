// AttentionBench: one query against n keys, from scores to weights to the output.

import { dot, softmax, sum } from "../core/compute.js";
import { moveOnly, numberCell, selectBox, temperatureSlider, tick } from "../core/controls.js";
import { barHead, noScroll, px, weightBar, wordWidth } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { countWord, fixed, listed, short, weightColor, weightText } from "../core/format.js";
import { cutTo, spread, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { drawnLetter, letter, number, uniqueId } from "../core/text.js";
import { LARGEST, fitCells, floats, listOf, oneOf, onlyIf, plain, rowsOf } from "../core/traits.js";

// == compute ==================================================================================

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth"];

// The scores to choose from: what is compared, by what the result is divided in d dimensions, and
// how both are written.
const SCORES = {
  dot: {
    text: "dot q·k",
    raw: dot,
    divisor: () => 1,
    formula: () => html`${letter("q")} · ${letter("k")}`,
  },
  scaled_dot: {
    text: "scaled dot q·k / √d",
    raw: dot,
    divisor: Math.sqrt,
    formula: () => html`${letter("q")} · ${letter("k")}`,
  },
  gaussian: {
    text: "Gaussian −½|q − k|²",
    divisor: () => 1,
    raw: (q, k) => -sum(q.map((x, i) => (x - k[i]) ** 2)) / 2,
    formula: () => html`−½|${letter("q")}−${letter("k")}|²`,
  },
};

// Every number that the bench shows.
export function attend({ q, keys, values, mask, score, temperature }) {
  const raw = keys.map((k) => SCORES[score].raw(q, k));
  const scores = raw.map((x) => x / SCORES[score].divisor(q.length));
  const weights = softmax(scores, temperature, mask);
  const products = weights.map((w, i) => w * values[i]);
  const logits = scores.map((x) => x / temperature);
  return { raw, scores, logits, weights, products, output: sum(products) };
}

// The query with which word j scores so much, as near to this one as there is (least squares): on
// the line along the key, or through it. In two decimals. A key of zeros scores 0 with any.
export function queryFor({ q, keys, score }, j, target) {
  const k = keys[j];
  const steps = () => {
    if (score !== "gaussian") {
      const length = dot(k, k);
      const step = length && (target * SCORES[score].divisor(q.length) - dot(q, k)) / length;
      return q.map((x, i) => x + step * k[i]);
    }
    const away = Math.sqrt(-2 * SCORES.gaussian.raw(q, k));
    const wanted = Math.sqrt(2 * Math.max(0, -target));
    return k.map((x, i) => x + wanted * (away ? (q[i] - x) / away : Number(i === 0)));
  };
  return steps().map((x) => Math.max(-LARGEST, Math.min(LARGEST, Math.round(100 * x) / 100)));
}

// Whether a query word attends most to a word, and to no other as much.
export const attendsMost = ({ query }, { weights }, asks, wanted) =>
  query === asks && weights.every((w, i) => i === wanted || w < weights[wanted]);

// The query was changed by hand: it is no longer the key of its word.
const isEdited = ({ q, keys, query }) => q.some((x, j) => x !== keys[query][j]);

// What was changed of all that decides which word weighs most, in words.
export function changesSince(words, start, now) {
  const vector = (name, before, after) => {
    const moved = after.flatMap((x, j) => (x === before[j] ? [] : [j]));
    const [j] = moved;
    if (moved.length === 0) return [];
    if (moved.length === 1) {
      return [
        `the ${ORDINALS[j]} component of ${name} from ${short(before[j])} to ${short(after[j])}`,
      ];
    }
    const text = (x) => `(${x.map(short).join(", ")})`;
    return [`${name} from ${text(before)} to ${text(after)}`];
  };
  const turned = words.filter((_, i) => now.mask[i] !== start.mask[i]);
  const isOther = now.query !== start.query;
  return [
    isOther && `the query word to ${words[now.query]}`,
    ...(isEdited(now) ? vector("the query", isOther ? start.keys[now.query] : start.q, now.q) : []),
    ...words.flatMap((word, i) => vector(`the key of ${word}`, start.keys[i], now.keys[i])),
    turned.length > 0 && `the mask at ${listed(turned)}`,
    now.score !== start.score && `the score to ${SCORES[now.score].text}`,
  ].filter((x) => x !== false);
}

// Where the words are, and how large: in one line as wide as the place, or upright, below each
// other, where they would be too small to read.
function placesOfWords(words, width) {
  const wide = words.map(textWidth); // of 12 px
  const most = width > 600 ? 30 : 24;
  const size = Math.min(most, (11.5 * (width - 16 * (words.length - 1))) / sum(wide));
  const isUpright = size < 15 || words.length * 38 > width;
  if (isUpright) {
    const across = Math.min(width - 200, 1.5 * Math.max(...wide));
    return {
      isUpright,
      size: 16,
      places: words.map((_, i) => 15 + 30 * i),
      widths: words.map(() => across),
    };
  }
  const widths = wide.map((w) => Math.max(36, (w * size) / 11.5));
  const gap = (width - sum(widths)) / (words.length - 1);
  const places = widths.map((w, i) => sum(widths.slice(0, i)) + i * gap + w / 2);
  return { isUpright, size, places, widths };
}

// The path of an arc between two places on a line; one that ends where it begins is a loop.
function arcPath(from, to, height, point) {
  const at = (...place) =>
    point(...place)
      .map(px)
      .join(" ");
  if (from === to)
    return `M${at(from - 7, 0)}C${at(from - 34, 54)} ${at(from + 34, 54)} ${at(from + 7, 0)}`;
  const handle = (height * 4) / 3; // a curve rises to three quarters of its handles
  return `M${at(from, 0)}C${at(from, handle)} ${at(to, handle)} ${at(to, 0)}`;
}

// == page =====================================================================================

const PULLED = 8; // px for a step of a score
const HALF = 0.5; // that step
const [TALLEST, LINE] = [64, 15]; // px of a weight of 1 on the beam, and of a line of text

// What an arrow key changes: by so many steps.
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { words, scores: offered, challenge, ...begun } = view.read();
  const d = begun.query_vector.length;
  const benchOf = ({
    query,
    query_vector: q,
    key_matrix,
    value_matrix: values,
    mask,
    score,
    temperature,
  }) => ({ query, q, keys: rowsOf(key_matrix, d), values, mask, score, temperature });
  const first = benchOf(begun);
  const ids = words.map(() => uniqueId("arc"));
  const [asks, wanted] = challenge.map((word) => words.indexOf(word));
  let wasMet = true;
  let isShown = false; // what is there was set up, and the reader is not to be praised for it
  view.root.addEventListener("try", () => (isShown = true));
  const isReached = (bench) =>
    challenge.length > 0 && attendsMost(bench, attend(bench), asks, wanted);
  let pull = null; // what the hand holds: from where, what it changes
  let light = -1; // the word that is pointed at

  // Listeners of what is pulled. `hold()` gives what a way of so many px does.
  const pulled = (j, hold, step) => {
    const zoom = view.root.currentCSSZoom ?? 1;
    const drop = () => {
      pull = null;
      view.again();
    };
    return {
      down(event) {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        pull = { j, x: event.clientX, y: event.clientY, way: [0, 0], ...hold() };
      },
      move(event) {
        if (!pull) return;
        pull.way = [(event.clientX - pull.x) / zoom, (event.clientY - pull.y) / zoom];
        pull.act(...pull.way);
      },
      drop,
      key(event) {
        const by = STEPS[event.key];
        if (!by || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        step(by);
      },
    };
  };
  const lit =
    (j) =>
    ({ pointerType }) => {
      if (pointerType !== "mouse" || pull) return;
      light = j;
      view.again();
    };
  const faint = (j) => (!pull && light >= 0 && light !== j ? "faint" : "");

  // The sentence, arcs over it from the word that asks, a score at the end of each.
  function sentence(bench, { scores, weights }) {
    const { width } = view;
    const { isUpright, size, places, widths } = placesOfWords(words, width);
    const room = isUpright ? Math.min(280, width - widths[0] - 130) : width > 600 ? 116 : 80;
    const thick = width > 600 ? 16 : 10;
    const left = widths[0] + 122; // of upright arcs
    const high = isUpright ? 30 * words.length : room + Math.round(30 + 1.3 * size + 18);
    const point = isUpright
      ? (along, above) => [left + above, along]
      : (along, above) => [along, room - above];
    const [drawn, from] = view.glide("arcs", [weights, places[bench.query]]);
    const rise = (room - thick / 2 - 30) / (places.at(-1) - places[0] || 1);
    const score = (j, to) => view.set({ query_vector: queryFor(benchOf(view.read()), j, to) });
    const hands = words.map((_, j) =>
      pulled(
        j,
        () => {
          const start = benchOf(view.read());
          const { scores: now } = attend(start);
          return {
            what: "score",
            act: (x, y) => {
              const steps = Math.round((isUpright ? x : -y) / PULLED);
              const to = Math.round(now[j] / HALF + steps) * HALF;
              view.set({ query_vector: steps ? queryFor(start, j, to) : start.q });
            },
          };
        },
        (by) => score(j, attend(benchOf(view.read())).scores[j] + by * HALF),
      ),
    );
    const arcs = places.map((to, j) => {
      const held =
        pull?.what === "score" && pull.j === j
          ? pull.way[isUpright ? 0 : 1] * (isUpright ? 1 : -1)
          : 0;
      const [bulge] = view.glide(`pull ${j}`, [Math.max(-16, Math.min(24, held))], held ? 1 : 220);
      const path = arcPath(from, to, 24 + rise * Math.abs(to - from) + bulge, point);
      const [[x1, y1], [x2, y2]] = [point(from, 0), point(to, 0)];
      const { down, move, drop } = hands[j];
      return bench.mask[j]
        ? svg`<linearGradient id=${ids[j]} gradientUnits="userSpaceOnUse" x1=${px(x1)} y1=${px(y1)}
          x2=${px(x2 + Number(from === to))} y2=${px(y2)}><stop stop-color="var(--q)"/><stop offset="1" stop-color="var(--k)"/></linearGradient>
        <g class="pull ${faint(j)}" @pointerdown=${(event) => event.pointerType === "mouse" && down(event)} @pointermove=${move}
          @pointerup=${drop} @pointercancel=${drop} @pointerenter=${lit(j)} @pointerleave=${lit(-1)}>
          <path class="reach" d=${path}/><path class="thread" d=${path} stroke="url(#${ids[j]})"/>
          <path class="arc" d=${path} stroke="url(#${ids[j]})" stroke-width=${(thick * drawn[j]).toFixed(2)}/></g>`
        : nothing;
    });
    const chip = (j) => {
      const [x, y] = isUpright ? [left - 26, places[j]] : [places[j], room + 15];
      const text = fixed(scores[j], Math.abs(scores[j]) < 1000 ? 1 : 0).replace(/\.0$/, "");
      const wide = Math.max(32, textWidth(text) * 1.1 + 12);
      const shape = svg`<rect x=${px(x - wide / 2)} y=${px(y - 13)} width=${px(wide)} height="26" rx="13"/>
        <text class="k" text-anchor="middle" x=${px(x)} y=${px(y + 4.5)}>${text}</text>`;
      const { down, move, drop, key } = hands[j];
      if (bench.score !== "gaussian" && bench.keys[j].every((item) => item === 0)) {
        return svg`<g class="chip still"><title>The key of ${words[j]} is all zeros: its score is 0 for every query.</title>${shape}</g>`;
      }
      return svg`<g class="chip ${faint(j)}" role="slider" tabindex="0" aria-label="score of ${words[j]}"
        aria-valuemin=${-LARGEST} aria-valuemax=${LARGEST} aria-valuenow=${+scores[j].toFixed(1)} aria-valuetext="${text}, weight ${weightText(weights[j])}"
        @touchstart=${noScroll} @pointerdown=${down} @pointermove=${move} @pointerup=${drop} @pointercancel=${drop}
        @pointerenter=${lit(j)} @pointerleave=${lit(-1)} @keydown=${key}>${shape}
        <path class="grip" d="M-3 -8l3 -3 3 3M-3 8l3 3 3 -3" transform="translate(${px(x)} ${px(y)})"/></g>`;
    };
    const most = Math.max(...weights);
    const word = (j) => {
      const change = { query: j, query_vector: bench.keys[j] };
      const [own, below] = isUpright
        ? [
            `left: 0px; top: ${px(places[j] - 11)}px; width: ${px(widths[j])}px; text-align: start`,
            `left: ${px(widths[j] + 4)}px; top: ${px(places[j] - 10)}px; width: 60px`,
          ]
        : [
            `left: ${px(places[j] - widths[j] / 2)}px; top: ${room + 30}px; width: ${px(widths[j])}px`,
            `left: ${px(places[j] - 24)}px; top: ${room + Math.round(30 + 1.3 * size)}px; width: 48px`,
          ];
      const top = weights[j] === most && most > 0;
      return html`<label class="item ${j === bench.query ? "q" : top ? "k" : ""} ${bench.mask[j] ? "" : "dim"}" style=${own}
          @pointerenter=${view.look(change)} @pointerleave=${view.unlook}>
          <input type="radio" name=${ids[0]} value=${j} aria-label=${words[j]} data-now=${j === view.read().query}
            @input=${() => view.set(change)}><span>${isUpright ? cutTo(words[j], widths[j] * 0.75) : words[j]}</span></label>
        <span class="weight ${top ? "top" : "dim"}" style=${below}>${bench.mask[j] ? number(weights[j], weightText(weights[j]).replace("0.", ".")) : "hidden"}</span>`;
    };
    return html`<fieldset class="sentence" @keydown=${moveOnly} style="height: ${high}px; font-size: ${px(size)}px"><legend class="unseen">Query word</legend>
      <svg class="arcs ${isUpright ? "upright" : ""}" height=${high} viewBox="0 0 ${width} ${high}" role="group" data-thick=${thick}
        aria-label="Arcs from the query word to each word, as thick as its weight; at its end, its score.">
        ${arcs}${words.map((_, j) => chip(j))}</svg>${words.map((_, j) => word(j))}</fieldset>`;
  }

  // The weights stand on a beam, each at its value; the beam balances at the output.
  function beam(bench, result) {
    const { width } = view;
    const isHeld = pull?.what === "value";
    const ends = isHeld ? pull.ends : [Math.min(0, ...bench.values), Math.max(0, ...bench.values)];
    const [values, weights, [low, high], o] = view.glide(
      "beam",
      [bench.values, result.weights, ends, result.output],
      isHeld ? 1 : 220,
    );
    const margin = 40;
    const unit = (width - 2 * margin) / (high - low || 1);
    const x = (value) => margin + unit * (value - low);
    const rows = words.length > 6 ? 2 : 1; // of labels, where they are too many for one
    const floor = TALLEST + 8 + 2 * LINE * rows;
    // Steps of a value that the hand can tell apart: 0.01 where all lie within 1, say.
    const power = Math.floor(Math.log10((high - low || 1) / 40));
    const rounded = (value) =>
      Number((Math.round(value / 10 ** power) * 10 ** power).toFixed(Math.max(0, -power)));
    const change = (i, value) =>
      view.set({
        value_matrix: view
          .read()
          .value_matrix.with(i, Math.max(-LARGEST, Math.min(LARGEST, value))),
      });
    const hands = words.map((_, i) =>
      pulled(
        i,
        () => {
          const begin = view.read().value_matrix[i];
          const [from, to] = [low - margin / unit, high + margin / unit];
          return {
            what: "value",
            ends: [low, high],
            act: (way) =>
              way && change(i, rounded(Math.max(from, Math.min(to, begin + way / unit)))),
          };
        },
        (by) =>
          change(i, Number((view.read().value_matrix[i] + by * 10 ** (power + 1)).toPrecision(12))),
      ),
    );

    // Words with one value stand on each other.
    const stacks = new Map();
    words.forEach((_, i) => {
      if (bench.mask[i]) stacks.set(values[i], [...(stacks.get(values[i]) ?? []), i]);
    });
    const sorted = [...stacks].sort((a, b) => a[0] - b[0]);
    // Blocks that crowd are narrower.
    const nearest = Math.min(
      ...sorted.map(([value], place) =>
        place > 0 ? x(value) - x(sorted[place - 1][0]) : Infinity,
      ),
    );
    const thick = Math.max(8, Math.min(32, nearest - 2));
    const most = (width * rows) / sorted.length - 8;
    const blocks = [];
    const placed = sorted.map(([value, members]) => {
      let top = floor;
      let reach = floor + 10;
      for (const i of members) {
        const height = weights[i] * TALLEST;
        top -= height;
        const upper = Math.min(top, reach - 26); // what is low can be taken, too
        blocks.push({ i, x: x(value), top, height, upper, lower: reach });
        reach = upper;
      }
      const all = members.map((i) => words[i]).join(", ");
      const text = cutTo(
        members.length === 1 || textWidth(all) <= most ? all : `${members.length} words`,
        most,
      );
      const told = short(bench.values[members[0]]);
      return {
        at: x(value),
        width: Math.max(thick, textWidth(text), textWidth(told)) + 8,
        i: members[0],
        text,
        told,
        top,
      };
    });
    const isTwo = rows > 1 && sum(placed.map((label) => label.width)) > width;
    const labels = (isTwo ? [0, 1] : [0]).flatMap((row) => {
      const those = placed.filter((_, place) => !isTwo || place % 2 === row);
      return spread(those, width).map(({ middle, group }, place, all) => {
        const { i, text, told, top, at: foot } = those[place];
        // Labels that moved apart stand level, above all that is under them.
        const under = isTwo ? placed : those.filter((_, other) => all[other].group === group);
        const over = Math.min(...under.map((label) => label.top)) - 2 * LINE * row;
        const away = Math.abs(middle - foot) > 3 || top - over > 3;
        return svg`<path class="leader" d=${away ? `M${px(middle)} ${px(over - 2)}L${px(foot)} ${px(top - 1)}` : ""}/>
          <path class="valuetick" d="M${px(foot)} ${floor}v7"/>
          <text class="halo ${faint(i)}" text-anchor="middle" y=${px(over - LINE - 5)}><tspan x=${px(middle)}>${text}</tspan>
            <tspan class="v" x=${px(middle)} dy=${LINE}>${told}</tspan></text>`;
      });
    });
    const isBalanced = blocks.length > 0;
    return html`<svg class="beam" height=${floor + 44} viewBox="0 0 ${width} ${floor + 44}" role="group" aria-label=${
      isBalanced
        ? `A beam from ${short(ends[0])} to ${short(ends[1])}, in balance at ${fixed(result.output, 4)}.`
        : "An empty beam: nothing may be attended to."
    }>
      <path class="line" d="M0 ${floor}H${width}"/>
      ${words.map((word, i) => {
        const block = blocks.find((each) => each.i === i);
        const { down, move, drop, key } = hands[i];
        return block
          ? svg`<g class="block ${faint(i)}" role="slider" tabindex="0" aria-label="value of ${word}"
          aria-valuemin=${-LARGEST} aria-valuemax=${LARGEST} aria-valuenow=${bench.values[i]} aria-valuetext="${short(bench.values[i])}, weight ${weightText(result.weights[i])}"
          @touchstart=${noScroll} @pointerdown=${down} @pointermove=${move} @pointerup=${drop} @pointercancel=${drop}
          @pointerenter=${lit(i)} @pointerleave=${lit(-1)} @keydown=${key}>
          <rect class="reach" rx="4" x=${px(block.x - Math.max(13, thick / 2))} y=${px(block.upper)} width=${px(Math.max(26, thick))} height=${px(block.lower - block.upper)}/>
          <rect class="weight" x=${px(block.x - thick / 2)} y=${px(block.top)} width=${px(thick)} height=${px(block.height)} fill=${weightColor(weights[i])}/></g>`
          : nothing;
      })}${labels}
      ${isBalanced ? svg`<path class="fulcrum" d="M0 1 13 23H-13Z" transform="translate(${px(x(o))} ${floor})"/>` : nothing}
      <text class="v" text-anchor=${x(o) < width / 2 ? "end" : "start"} x=${x(o) < width / 2 ? width : 0} y=${floor + 20}>values ${drawnLetter("v", "")}</text>
      <text class="o" text-anchor="middle" y=${floor + 40} x=${px(Math.max(104, Math.min(width - 104, x(o))))}>balance: output ${drawnLetter("o", "")} = ${fixed(result.output, 4)}</text>
    </svg>`;
  }

  // Three tables whose rows line up: scores, weights, weighted sum. Where it is narrow they stand
  // below each other, and each repeats the words.
  function tables(bench, result) {
    const { q, keys, values, mask, score, temperature, query } = bench;
    const isStacked = view.width <= 600 + 58 * Math.max(0, d - 3);
    const isHard = temperature === 0;
    const divisor = [
      score === "scaled_dot" ? `√${d}` : "",
      temperature === 1 ? "" : short(temperature),
    ]
      .filter(Boolean)
      .join(" · ");
    const most = Math.max(...result.weights);
    const among = mask.filter(Boolean).length;
    const digits = result.raw.every(Number.isInteger) ? 0 : 2;
    const table = (
      step,
      title,
      columns,
      head,
      row,
      foot,
    ) => html`<table class=${step > 1 ? "later" : ""}>
      <caption><span class="dim">${step}</span> ${title}</caption>
      <colgroup>${columns.map((name) => html`<col class=${name}>`)}</colgroup><thead><tr>${head}</tr></thead>
      <tbody>${words.map((_, i) => html`<tr class="${mask[i] ? "" : "off"} ${mask[i] && result.weights[i] === most ? "top" : ""}">${row(i)}</tr>`)}</tbody>
      <tfoot><tr>${foot}</tr></tfoot></table>`;
    const name = (i) => html`<th scope="row"><span class="name">${words[i]}</span></th>`;
    const alpha = letter("α", "");
    const cell = (label, role, value, onInput, step) =>
      numberCell(view, { label, role, step, value, onInput });
    const logit = (i) =>
      !mask[i]
        ? "hidden"
        : isHard
          ? result.weights[i] === most
            ? "largest"
            : "–"
          : number(result.logits[i], fixed(result.logits[i], divisor ? 2 : digits));
    const setKey = (i, j, x) => {
      const changed = keys.with(i, keys[i].with(j, x));
      // The query follows its word's key until it is edited itself.
      view.set({
        key_matrix: changed.flat(),
        query_vector: i === query && !isEdited(bench) ? changed[i] : q,
      });
    };
    const carried = (name, texts) =>
      html`<div class="arrow" aria-hidden="true">${isStacked ? [name, ...texts].join("  ") : ""}</div>`;
    return html`<div class="flow ${isStacked ? "stacked" : ""}" style="--columns: ${d}; --word: ${wordWidth(words, 48, 100)}px">
      ${table(
        1,
        "Compare the query with each key",
        ["word", ...q.map(() => ""), "result"],
        html`<th scope="row">${letter("q")} <span class="q">${isEdited(bench) ? "edited" : words[query]}</span></th>
          ${q.map((x, j) => cell(`query, ${ORDINALS[j]} component`, "q", x, (to) => view.set({ query_vector: q.with(j, to) }), 0.5))}
          <th scope="col">${SCORES[score].formula()}</th>`,
        (
          i,
        ) => html`<th scope="row" aria-label=${words[i]}>${tick(words[i], mask[i], (open) => view.set({ mask: mask.with(i, open) }), `may attend to ${words[i]}`)}</th>
          ${keys[i].map((x, j) => cell(`key of ${words[i]}, ${ORDINALS[j]} component`, "k", x, (to) => setKey(i, j, to), 0.5))}
          <td>${number(result.raw[i], fixed(result.raw[i], digits))}</td>`,
        html`<th scope="row" class="small foot">may attend</th><td colspan=${d} class="k keys">${letter("k")} keys</td><td></td>`,
      )}
      ${carried(
        "scores",
        result.raw.map((x) => fixed(x, digits)),
      )}
      ${table(
        2,
        divisor ? "Scale, then softmax" : "Softmax",
        ["word", "result", "", "result"],
        html`<td></td><th scope="col">${isHard ? "T = 0" : divisor ? `÷ ${divisor}` : "score"}</th>
          <td class="barcell">${barHead(among)}</td><th scope="col">weight ${alpha}</th>`,
        (
          i,
        ) => html`${name(i)}<td>${logit(i)}</td><td class="barcell">${weightBar(result.weights[i], among, !mask[i])}</td>
          <td>${number(result.weights[i], weightText(result.weights[i]))}</td>`,
        html`<td></td><td></td><th scope="row" class="small sum">sum</th><td>${number(sum(result.weights), fixed(sum(result.weights)))}</td>`,
      )}
      ${carried(
        "weights",
        result.weights.map((w) => weightText(w).replace("0.", ".")),
      )}
      ${table(
        3,
        "Weighted sum",
        ["word", ...(isStacked ? [""] : []), "", ""],
        html`<td></td>${isStacked ? html`<th scope="col">weight ${alpha}</th>` : nothing}
          <th scope="col" class="v">value ${letter("v")}</th><th scope="col">${alpha} ${letter("v")}</th>`,
        (
          i,
        ) => html`${name(i)}${isStacked ? html`<td class="dim">${weightText(result.weights[i])}</td>` : nothing}
          ${cell(`value of ${words[i]}`, "v", values[i], (to) => view.set({ value_matrix: values.with(i, to) }), 0.1)}
          <td>${number(result.products[i], fixed(result.products[i]))}</td>`,
        html`<td></td>${isStacked ? html`<td></td>` : nothing}<th scope="row" class="o">output ${letter("o")}</th>
          <td>${number(result.output, html`<span class="o">${fixed(result.output, 4)}</span>`)}</td>`,
      )}
      </div><p class="small">A number in a box can be changed: drag it sideways, or type.</p>`;
  }

  function inWords(bench, { weights, output }, isMet) {
    const open = bench.mask.filter(Boolean).length;
    const o = html`<b class="o">${letter("o")} = ${number(output, open ? fixed(output, 4) : "0")}</b>`;
    if (open === 0)
      return html`Nothing to attend to: all weights are 0, and so is the output ${o}.`;
    const most = Math.max(...weights);
    const winners = words.filter((_, i) => bench.mask[i] && weights[i] === most);
    const share = number(most, weightText(most));
    const asker = html`<b class="q">${words[bench.query]}</b>${isEdited(bench) && !isMet ? ", its query edited," : ""}`;
    const what =
      winners.length > 2 && winners.length === open
        ? html`attends equally to all ${countWord(open)} words, <b>${share}</b>`
        : html`attends most to <b>${listed(winners)} ${share}</b>${winners.length > 1 ? " each" : ""}`;
    return html`${isMet ? "Well done: " : ""}${asker} ${what}; output ${o}.`;
  }

  return (now) => {
    const bench = benchOf(now);
    const result = attend(bench);
    isShown &&= isReached(benchOf(view.read())); // what is only looked at changes nothing
    const isThere = isReached(bench);
    const isMet = isThere && !isShown;
    if (isMet && !wasMet) queueMicrotask(view.celebrate); // once it is drawn
    wasMet = isMet;
    const changes = isMet ? changesSince(words, first, bench) : [];
    return {
      headline: inWords(bench, result, isMet),
      picture: html`${sentence(bench, result)}${beam(bench, result)}
        <p class="small">Press a word: it asks. Drag a score ${
          placesOfWords(words, view.width).isUpright ? "sideways" : "up or down"
        }: all come from one query, so others move along. Drag a block: its value.</p>`,
      controls: html`${
        offered.length > 1
          ? selectBox(view, {
              key: "score",
              label: "Score",
              value: now.score,
              options: Object.fromEntries(offered.map((name) => [name, SCORES[name].text])),
              onInput: (name) => view.set({ score: name }),
            })
          : nothing
      }
        ${temperatureSlider(view, now.temperature, (t) => view.set({ temperature: t }))}
        ${
          challenge.length > 0
            ? html`<p class="challenge"><b>Challenge</b> ${
                isMet
                  ? html`met.${changes.length > 0 ? ` You changed ${listed(changes)}.` : ""}`
                  : html`Make ${words[asks]} attend most to ${words[wanted]}.${
                      isThere ? " Here it does: press Reset and find a query of your own." : ""
                    }`
              }</p>`
            : nothing
        }`,
      numbers: tables(bench, result),
      folded: "The numbers",
      open: view.width > 600,
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = {
  query_vector: listOf(
    floats,
    "q",
    fitCells((now) => now.query_vector),
    ({ query, query_vector: { length: d }, key_matrix }) => rowsOf(key_matrix, d)[query],
  ),
  score: oneOf("score", ({ scores }) => scores),
  mask: {
    ...plain,
    address: {
      name: "mask", // 1 may be attended to
      say: (mask) => mask.map(Number).join(""),
      take: (text, { words: { length } }) =>
        onlyIf(
          [...text].map((bit) => bit === "1"),
          /^[01]+$/.test(text) && text.length === length,
        ),
    },
  },
};

export default explorer("bench", "Attention bench", build, {
  traits,
});
