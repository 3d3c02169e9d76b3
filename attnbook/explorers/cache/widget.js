// CacheExplorer: how long a text fits on one GPU. A bar for each model grows through a wall.

import { choice, slider } from "../core/controls.js";
import { dragging, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed } from "../core/format.js";
import { html, nothing, svg } from "../core/lit.js";
import { pointer } from "../core/plot.js";
import { letter, number } from "../core/text.js";

// == compute ==================================================================================

const BYTES = 2; // of a number in a row
const STATE = 4 * 32 * 128 * 128; // bytes in the states of a layer, in float32
const LATENT = 512 + 64; // numbers of a token
const MOST = 128; // layers
const GPU = 80 * 2 ** 30; // bytes
const powers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => 2 ** (from + i));
const [WINDOWS, SETS, WIDTHS, LENGTHS] = [
  powers(6, 13),
  powers(0, 7),
  powers(6, 8),
  powers(10, 20),
];

// What a model keeps of a text, in bytes: its full layers, and the others.
export function keptBy({ layers, every, states, window, sets, width, latent }, words) {
  const full = Math.floor(layers / every);
  const row = BYTES * (latent ? LATENT : 2 * sets * width);
  return [full * row * words, (layers - full) * (states ? STATE : row * Math.min(window, words))];
}

// The length at which a model keeps about so much; where several do, the one that it is.
export function lengthFor(model, bytes, now) {
  const off = (words) => {
    const [full, other] = keptBy(model, words);
    return Math.abs(Math.log((full + other) / bytes));
  };
  return LENGTHS.reduce((best, words) => (off(words) < off(best) ? words : best), now);
}

// The place of a model among those that are known, or -1; what it does not use may be anything.
const placeOf = (models, { layers, every, states, window, sets, width, latent }) =>
  models.findIndex(
    ([, n, one, keepsStates, long, count, wide, isLatent]) =>
      n === layers &&
      one === every &&
      (every === 1 || keepsStates === states) &&
      (every === 1 || states || long === window) &&
      isLatent === latent &&
      (latent || (count === sets && wide === width)),
  );

// == page =====================================================================================

const [TOP, PITCH, NAME, BAR] = [24, 38, 14, 16]; // px: over the rows, a row, its name, its bar
const BEYOND = 48; // right of where a bar breaks
const DOUBLE = 24; // px there that stand for twice as much
const DRAGGED = 4; // the row that says so

function sizeText(bytes) {
  if (bytes === 0) return "0";
  const step = Math.max(1, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** step;
  return `${fixed(size, size < 100 ? 2 : 0)} ${["", "KiB", "MiB", "GiB", "TiB"][step]}`;
}

const grouped = (x) => x.toLocaleString("en");
const settings = ([, layers, every, states, window, sets, width, latent]) => ({
  layers,
  every,
  states,
  window,
  sets,
  width,
  latent,
});

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { models } = view.read();
  const rowsOf = (now) => [
    ...models.map((model) => [model[0], settings(model)]),
    ["Your model", now],
  ];
  const high = TOP + PITCH * (models.length + 1);
  const wall = () => Math.round((view.width * 640) / 832);
  const end = () => view.width - BEYOND;
  const x = (bytes) => (wall() * bytes) / GPU;

  let held = 0; // the row whose end is dragged
  const { down, move, click } = dragging(
    (event) => {
      const [across] = pointer(event);
      const inside = Math.max(1, Math.min(end(), across));
      const bytes = ((GPU * inside) / wall()) * 2 ** (Math.max(0, across - end()) / DOUBLE);
      const now = view.read();
      view.set({ words: lengthFor(rowsOf(now)[held][1], bytes, now.words) });
    },
    { touch: true },
  );
  const take = (event) => {
    const row = Math.floor((pointer(event)[1] - TOP) / PITCH);
    held = Math.max(0, Math.min(models.length, row));
    down(event);
  };

  function bar(name, full, other, i, words) {
    const total = full + other;
    const top = TOP + PITCH * i;
    const [from, to] = [Math.min(x(full), end()), Math.min(x(total), end())];
    const y = top + NAME + 3;
    const isBroken = x(total) > end();
    return svg`<text y=${top + 12}><tspan>${name}</tspan><tspan class="kept" dx="8">${sizeText(total)}</tspan></text>
      <rect class="full" y=${y} height=${BAR} width=${px(from)}/>
      <rect class="other" x=${px(from)} y=${y} height=${BAR} width=${px(Math.max(0, to - from))}/>
      ${
        isBroken
          ? svg`<path class="break" d="M${end() - 12} ${y - 2}l5 5l-5 5l5 5l-5 5"/>
            <text class="kept" x=${end() + 7} y=${y + 12}>× ${fixed(total / GPU, 1)}</text>`
          : nothing
      }
      <rect class="grip" x=${px(to)} y=${y - 2} width="4" height=${BAR + 4} rx="2"/>
      ${i === DRAGGED ? svg`<text class="dim" x=${px(to + 12)} y=${y + 12}>↔ drag${view.width > 600 ? `: ${grouped(words)} tokens` : ""}</text>` : nothing}`;
  }

  function picture(now) {
    const { words } = now;
    const rows = rowsOf(now);
    const kept = rows.map(([, model]) => keptBy(model, words));
    const drawn = view.glide("kept", kept);
    const said = rows.map(([name], i) => `${name} ${sizeText(kept[i][0] + kept[i][1])}`);
    return html`<svg class="wall" height=${high} viewBox="0 0 ${view.width} ${high}" role="img"
        aria-label="What models keep of ${words} tokens, as bars that grow toward a wall, one GPU of 80 GiB. ${said.join(", ")}."
        @pointerdown=${take} @pointermove=${move} @click=${click}>
      <text class="kept" text-anchor="middle" x=${Math.min(wall(), view.width - 50)} y="12">one GPU, 80 GiB</text>
      ${rows.map(([name], i) => bar(name, drawn[i][0], drawn[i][1], i, words))}
      <path class="gpu" d="M${wall()} ${TOP - 6}V${high}"/></svg>
      <p class="small">Memory of keys and values (cache): <span class="kind"><span class="key full"></span> full layers</span> <span class="kind"><span class="key other"></span> windows or states</span></p>`;
  }

  return (now) => {
    const { layers, every, states, latent, words } = now;
    const place = placeOf(models, now);
    const other = models[place === 0 ? DRAGGED : 0];
    const [total, compared] = [now, settings(other)].map((model) => {
      const [full, rest] = keptBy(model, words);
      return full + rest;
    });
    const power = (key, label, options, unit, kind = "") =>
      slider(view, {
        key,
        label,
        value: options.indexOf(now[key]),
        max: options.length - 1,
        text: grouped(now[key]),
        say: `${now[key]} ${unit}`,
        wide: kind,
        onInput: (i) => view.set({ [key]: options[i] }),
      });
    const either = (key, legend, options) =>
      choice(view, {
        key,
        legend,
        options,
        index: Number(now[key]),
        previewed: (i) => ({ [key]: i === 1 }),
        onInput: (i) => view.set({ [key]: i === 1 }),
      });
    return {
      headline: html`At ${grouped(words)} tokens ${place < 0 ? "your model" : models[place][0]} keeps <b>${number(total, sizeText(total))}</b>,
        ${other[0]} <b>${number(compared, sizeText(compared))}</b>.`,
      picture: picture(now),
      controls: power("words", "Tokens", LENGTHS, "tokens", "wide"),
      more: html`${choice(view, {
        key: "model",
        legend: "Your model starts as",
        options: models.map(([name]) => name),
        index: place,
        previewed: (i) => settings(models[i]),
        onInput: (i) => view.set(settings(models[i])),
      })}
        ${slider(view, { key: "layers", label: "Layers", value: layers, min: 1, max: MOST, say: `${layers} layers`, onInput: (x) => view.set({ layers: x }) })}
        ${slider(view, {
          key: "every",
          label: "One full layer in",
          value: every,
          min: 1,
          max: 8,
          say: every === 1 ? "all layers full" : `one full layer in ${every}`,
          onInput: (x) => view.set({ every: x }),
        })}
        <div class=${every === 1 ? "others off" : "others"}>${either("states", "Other layers keep", ["a window", "states"])}
          ${power("window", "Window", WINDOWS, "tokens", states ? "wide off" : "wide")}</div>
        ${either("latent", "Of a token", ["keys and values", "a latent vector"])}
        ${power("sets", html`Sets of ${letter("k")} and ${letter("v")}`, SETS, "sets", latent ? "off" : "")}
        ${power("width", "Width of each", WIDTHS, "numbers", latent ? "off" : "")}`,
    };
  };
};

export default explorer("cache", "Cache explorer", build);
