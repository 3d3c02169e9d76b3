// MemoryExplorer: two ways of computing attention race, by what they move between two memories.

import { choice, slider } from "../core/controls.js";
import { INSET, following, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed } from "../core/format.js";
import { html, svg } from "../core/lit.js";
import { moves } from "../core/motion.js";
import { pointer, scaleLinear } from "../core/plot.js";
import { letter, number } from "../core/text.js";

// == compute ==================================================================================

const WIDTH = 64; // of queries, keys and values
const BYTES = 2; // of a number
const LENGTHS = [128, 256, 512, 1024];
export const ROOMS = [8, 16, 32, 64, 128, 256]; // KiB

// How many rows a tile has: the most that fit in so many KiB.
export function rowsThatFit(fast) {
  const half = 2 * WIDTH + 1;
  return Math.floor(Math.sqrt(half * half + (1024 * fast) / BYTES)) - half;
}

// The steps of a run, each with the rows of queries and of keys that are worked on, from 0, and
// what has been moved and multiplied when it ends. `pass` is 0 for scores, 1 for weights, which
// take all keys, 2 for outputs; a run in tiles has only 2.
export function stepsOf(n, rows, tiled) {
  const count = Math.ceil(n / rows);
  const tiles = Array.from({ length: count }, (_, i) => Math.min(rows, n - i * rows));
  const steps = [];
  let [numbers, work] = [0, 0];
  const end = (pass, some, keys) => steps.push({ pass, some, keys, bytes: BYTES * numbers, work });
  for (const pass of tiled ? [2] : [0, 1, 2]) {
    tiles.forEach((b, some) => {
      if (pass === 1) {
        numbers += 2 * b * n; // weights in the place of scores
        end(pass, some);
        return;
      }
      if (tiled || pass === 0) numbers += b * WIDTH; // queries
      tiles.forEach((c, keys) => {
        numbers += (tiled ? 2 : 1) * c * WIDTH + (tiled ? 0 : b * c); // keys, values; the square
        work += tiled ? 2 * b * c * WIDTH + b * (WIDTH + 1) : b * c * WIDTH;
        if (pass === 2 && keys === count - 1) numbers += b * WIDTH; // outputs
        end(pass, some, keys);
      });
    });
  }
  return steps;
}

// How many steps have ended when so many hundredths of bytes have moved.
function stepsDone(steps, clock) {
  const at = steps.findIndex(({ bytes }) => 100 * bytes > clock);
  return at < 0 ? steps.length : at;
}

// == page =====================================================================================

const WAYS = ["written out", "in tiles"];
const HALVES = ["written to slow memory", "in tiles, never stored"];
const inMebibytes = (bytes) => `${fixed(bytes / 2 ** 20, 2)} MiB`;
const inMillions = (work) => `${fixed(work / 1e6, 1)} million`;
const [LINE, BAR] = [34, 14]; // px of a way in the race, and of its bar

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const kept = new Map(); // the steps of runs: up to 11,000, so each is made once
  const runOf = (n, fast, tiled) => {
    const key = `${n} ${fast} ${tiled}`;
    if (!kept.has(key)) kept.set(key, stepsOf(n, rowsThatFit(fast), tiled));
    return kept.get(key);
  };

  const player = view.play({
    step: ({ done }) => (done < 100 ? { done: done + 1 } : null),
    ms: () => (moves() ? 70 : 400),
    rewind: () => ({ done: 0 }),
  });

  // The sizes of a lane, in px, and how high it is at most.
  const sizes = (width, n) => {
    const gap = width < 240 ? 4 : 10;
    const most = Math.min(n, rowsThatFit(ROOMS.at(-1)));
    const unit = Math.min(
      (width - 4 * gap - 2) / (4 * WIDTH + n),
      (width - 10) / (4 * WIDTH + most),
    );
    return { gap, unit, room: most * unit + 8, high: n * unit + most * unit + 52 };
  };

  // A lane: the slow memory, and under it the fast one, to one scale, with the tiles of the step.
  function lane(width, n, rows, tiled, steps, done) {
    const { gap, unit, room, high: own } = sizes(width, n);
    const height = Math.max(...LENGTHS.map((each) => sizes(width, each).high));
    const top = 18 + (height - own) / 2;
    const [side, strip, high] = [n * unit, WIDTH * unit, Math.min(rows, n) * unit];
    const ran = done === steps.length;
    const now = steps[Math.min(done, steps.length - 1)];
    const isAll = now.keys === undefined;
    const place = (i) => [i * rows * unit, Math.min(rows, n - i * rows) * unit];
    const [from, tall] = place(now.some);
    const [keysFrom, wide] = isAll ? [0, side] : place(now.keys);
    const square = tiled ? "S" : ["S", "S, A", "A"][now.pass];
    const used = tiled ? "QKVSY" : ["QKS", "S", "SVY"][now.pass];
    // The largest fast memory has room; a smaller one stands in the middle of it.
    const fastTop = top + side + 24 + (room - high - 8) / 2;
    let [x, put] = [1, 5];
    const parts = ["Q", "K", "V", "S", "Y"].map((name) => {
      const isSquare = name === "S";
      const [w, role] = [isSquare ? side : strip, { S: "s", Y: "o" }[name] ?? name.toLowerCase()];
      const kind = isSquare && tiled ? `${role} gone` : role;
      const [y, h] = name === "K" || name === "V" ? [keysFrom, wide] : [from, tall];
      const box = (kind, x, y, width, height) =>
        svg`<rect class=${kind} x=${px(x)} y=${px(y)} width=${px(width)} height=${px(Math.max(0, height))}/>`;
      // What has been computed so far: whole rows of tiles, and a part of one.
      const full = !(isSquare || name === "Y")
        ? 0
        : ran || (isSquare && now.pass > 0 && !tiled)
          ? side
          : isSquare || tiled || now.pass === 2
            ? from
            : 0;
      const isPart = isSquare && full < side && !isAll;
      const isUsed = used.includes(name) && !ran;
      // In the fast memory the tiles stand side by side; of a row of scores, one at a time.
      const inside = isAll
        ? [Math.min(w, 4 * strip + high), Math.max(1, unit)]
        : [isSquare ? wide : w, Math.max(1, h)];
      const drawn = svg`${box(`box ${kind}`, x, top, w, side)}${full ? box(`made ${kind}`, x, top, w, full) : ""}
        ${isPart ? box(`made ${kind}`, x, top + from, keysFrom, tall) : ""}
        <text class=${role} x=${px(x + w / 2)} y=${top - 6} text-anchor="middle">${isSquare ? square : name}</text>
        ${
          isUsed
            ? svg`${box(`tile ${kind}`, isSquare ? x + keysFrom : x, top + y, isSquare ? wide : w, Math.max(1, h))}
          ${box(`tile ${role}`, put, fastTop + 4, ...inside)}`
            : ""
        }`;
      x += w + gap;
      if (isUsed) put += inside[0];
      return drawn;
    });
    const count = Math.ceil(n / rows);
    const held = tiled
      ? "tiles of Q, K, V, their scores and Y"
      : ["tiles of Q and K and their scores", "a row of scores", "tiles of A, V and Y"][now.pass];
    const step = `queries ${now.some + 1} of ${count}${isAll ? "" : `, keys ${now.keys + 1} of ${count}`}`;
    return html`<svg height=${px(height)} viewBox="0 0 ${width} ${px(height)}" role="img" aria-label="A slow memory with Q, K, V and Y of ${n} rows${
      tiled ? "" : ` and a square of ${n} × ${n}`
    }. The fast memory has tiles of ${rows} rows; ${ran ? "all is done" : `it holds ${held}: ${step}`}.">
      ${parts}<text class="dim" x="1" y=${px(fastTop - 7)}>fast memory</text>
      <rect class="fast" x="1" y=${px(fastTop)} width=${px(4 * strip + high + 8)} height=${px(high + 8)}/></svg>`;
  }

  // The race: how many bytes each way moves, over the slider, which is the axis.
  function race(totals, nows, done, isDone) {
    const { width } = view;
    const x = scaleLinear({ domain: [0, 100], range: [INSET, width - INSET] });
    const full = Math.max(...totals);
    const [time, ...shares] = view.glide(
      "race",
      [done, ...nows.map(({ bytes }) => bytes / full)],
      player.isOn ? 60 : 220,
    );
    const height = 2 * LINE + 8;
    return html`<svg class="track" height=${height} viewBox="0 0 ${width} ${height}" role="img" aria-label="Two bars, as long as the bytes that each way moves">
      <path class="cursor" d="M${px(x(time))} 18V${height}"/>
      ${WAYS.map((way, i) => {
        const [y, end] = [LINE * i + 18, x((100 * totals[i]) / full)];
        return svg`<rect class="box" x=${INSET} y=${y} width=${px(end - INSET)} height=${BAR}/>
          <rect class="gone-by ${isDone[i] ? "over" : ""}" x=${INSET} y=${y} width=${px((width - 2 * INSET) * shares[i])} height=${BAR}/>
          <text class="halo" x=${INSET} y=${y - 5}>${way}: ${inMebibytes(totals[i])}${isDone[i] ? " ✓" : ""}</text>`;
      })}
      <text class="verb" x=${width - INSET} y="13" text-anchor="end">drag ↔</text></svg>`;
  }

  return ({ n, fast, done }) => {
    const rows = rowsThatFit(fast);
    const runs = [false, true].map((tiled) => runOf(n, fast, tiled));
    const totals = runs.map((steps) => steps.at(-1).bytes);
    const counts = runs.map((steps) => stepsDone(steps, done * Math.max(...totals)));
    const nows = runs.map((steps, i) => (counts[i] ? steps[counts[i] - 1] : { bytes: 0, work: 0 }));
    const isDone = runs.map((steps, i) => counts[i] === steps.length);
    const width = Math.floor((view.width - (view.width > 600 ? 32 : 14)) / 2);
    const said = (i) =>
      isDone[i]
        ? html`is <b>done with ${number(totals[i], inMebibytes(totals[i]))}</b>`
        : html`${i ? "" : "has moved "}${number(nows[i].bytes, inMebibytes(nows[i].bytes))} of ${fixed(totals[i] / 2 ** 20, 2)}`;
    // The whole picture is over the slider.
    const hand = following(view, (event) => {
      const share = (pointer(event)[0] - INSET) / (view.width - 2 * INSET);
      return player.isOn ? null : { done: Math.round(100 * Math.max(0, Math.min(1, share))) };
    });
    const among = (key, legend, options, value) =>
      choice(view, {
        key,
        legend,
        options,
        index: options.indexOf(value),
        onInput: (i) => view.set({ [key]: options[i] }),
        previewed: (i) => ({ [key]: options[i] }),
      });
    return {
      headline: html`Time ${done} %: <b>written out</b> ${said(0)}, <b>in tiles</b> ${said(1)}.`,
      picture: html`<div class="race" @pointerdown=${hand.down} @pointermove=${hand.move} @click=${hand.click} @pointerleave=${view.unlook}>
        ${runs.map(
          (steps, i) => html`<div class="lane ${isDone[i] ? "over" : ""}">
        <p class="way">${letter("S", "")} ${HALVES[i]}</p>${lane(width, n, rows, i === 1, steps, counts[i])}</div>`,
        )}
        ${race(totals, nows, done, isDone)}</div>
        ${slider(view, {
          key: "done",
          label: "Time: moving sets the pace",
          max: 100,
          value: done,
          text: `${done} %`,
          say: `${done} percent of the time`,
          wide: "unseen",
          onInput: (to) => view.set({ done: to }),
        })}`,
      controls: html`${among("n", html`Words ${letter("n", "")}`, LENGTHS, n)}${among("fast", "KiB of fast memory", ROOMS, fast)}`,
      folded: "The numbers",
      numbers: html`<table aria-label="What has been moved and multiplied">
        <thead><tr><td></td><th scope="col">moved</th><th scope="col">multiplied</th><th scope="col">in all</th></tr></thead>
        <tbody>${WAYS.map(
          (way, i) => html`<tr><th scope="row">${way}</th>
          <td>${number(nows[i].bytes, inMebibytes(nows[i].bytes))}</td><td>${number(nows[i].work, inMillions(nows[i].work))}</td>
          <td>${inMillions(runs[i].at(-1).work)}</td></tr>`,
        )}</tbody></table>`,
    };
  };
};

export default explorer("memory", "Memory explorer", build);
