// CacheExplorer: configure a model, and see what its layers keep of a text.

import { choice, slider } from "../core/controls.js";
import { px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed } from "../core/format.js";
import { html, nothing, svg } from "../core/lit.js";
import { drawnLetter, letter, number } from "../core/text.js";

// == compute ==================================================================================

const BYTES = 2; // of a number
const STATE = 32 * 128 * 128; // numbers in the states of a layer
const LATENT = 512 + 64; // numbers of a word
const MOST = 128; // layers
const powers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => 2 ** (from + i));
const [WINDOWS, SETS, WIDTHS, LENGTHS] = [
  powers(6, 13),
  powers(0, 7),
  powers(6, 8),
  powers(10, 20),
];

// What a model keeps, in bytes.
function keptBy({ layers, every, states, window, sets, width, latent, words }) {
  const full = Math.floor(layers / every);
  const row = BYTES * (latent ? LATENT : 2 * sets * width);
  const other = states ? BYTES * STATE : row * Math.min(window, words);
  // What one more word adds: a window that the text does not fill grows, too.
  const more = row * (states || words >= window ? full : layers);
  return {
    full,
    more,
    fullBytes: full * row * words,
    otherBytes: (layers - full) * other,
    allFull: layers * row * words,
  };
}

// The place of a model among those of the menu, or -1; what a model does not use may be anything.
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

const [TOP, DEEP, ASIDE] = [22, 200, 44]; // px: over the layers, all of them, for states

function sizeText(bytes) {
  if (bytes === 0) return "0";
  const step = Math.max(1, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** step;
  return `${fixed(size, size < 100 ? 2 : 0)} ${["", "KiB", "MiB", "GiB", "TiB"][step]}`;
}

const grouped = (x) => String(x).replace(/\B(?=(\d{3})+$)/g, ",");

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { models } = view.read();
  const settings = ([, layers, every, states, window, sets, width, latent]) => ({
    layers,
    every,
    states,
    window,
    sets,
    width,
    latent,
  });

  // A line for each layer, as long as what it keeps of the text: keys above, values below.
  function strips({ layers, every, states, window, words, latent }) {
    const hasStates = states && every > 1;
    const [end, pitch] = [view.width - (hasStates ? ASIDE : 0), DEEP / layers];
    const high = Math.max(1, Math.min(0.75 * pitch, 16));
    const isThin = high < 3; // no two colours can be told apart there
    const isFull = (layer) => (layer + 1) % every === 0;
    const isState = (layer) => states && !isFull(layer);
    const boxes = view.glide(
      "layers",
      Array.from({ length: MOST }, (_, layer) => {
        if (layer >= layers) return [TOP + DEEP, 0, end, 0];
        const long = isState(layer)
          ? 8
          : isFull(layer)
            ? end
            : Math.max(3, end * Math.min(1, window / words));
        return [TOP + pitch * layer, high, isState(layer) ? end + 8 : end - long, long];
      }),
    );
    const path = (which, from, to) =>
      boxes
        .map(([y, height, x, long], layer) =>
          height > 0 && which(layer)
            ? `M${px(x)} ${(y + from * height).toFixed(2)}h${px(long)}v${((to - from) * height).toFixed(2)}h${px(-long)}z`
            : "",
        )
        .join("");
    const keeps = (layer) => !isState(layer);
    const full = Math.floor(layers / every);
    const other = states ? "states beside it" : `its last ${Math.min(window, words)} words`;
    return html`<svg height=${TOP + DEEP} viewBox="0 0 ${view.width} ${TOP + DEEP}" role="img" aria-label="A text of ${words} words from left to right, and ${
      layers
    } layers. ${full} of them keep all of it${full < layers ? `, the others ${other}` : ""}.">
      <text class="dim" y="12">first word</text><text class="dim" x=${end} y="12" text-anchor="end">last word</text>
      ${hasStates ? svg`<text class="dim" x=${end + 8} y="12">states</text>` : nothing}
      <text x=${end / 2} y="12" text-anchor="middle">${latent ? "a latent vector of each" : svg`${drawnLetter("k")} and ${drawnLetter("v")} of each`}</text>
      <path class=${latent ? "latent" : isThin ? "mixed" : "keys"} d=${path(keeps, 0, latent || isThin ? 1 : 0.5)}/>
      <path class="values" d=${latent || isThin ? "" : path(keeps, 0.5, 1)}/>
      <path class="state" d=${path(isState, 0, 1)}/></svg>`;
  }

  const meter = (
    name,
    share,
    bytes,
    kind,
  ) => html`<div><dt>${name}</dt><dd class="gauge" aria-hidden="true">
    <span class="fill ${kind}" style="width: ${share > 0 ? `max(1px, ${(100 * share).toFixed(2)}%)` : 0}"></span></dd><dd>${number(bytes, sizeText(bytes))}</dd></div>`;

  return (now) => {
    const { layers, every, states, latent, words } = now;
    const { full, more, fullBytes, otherBytes, allFull } = keptBy(now);
    // All models have one scale: a full bar is the first one, or what is larger.
    const first = keptBy({ ...settings(models[0]), words }).allFull;
    const most = Math.max(otherBytes, allFull, first);
    const shares = view.glide(
      "meters",
      [fullBytes, otherBytes, allFull, first].map((bytes) => bytes / most),
    );
    const place = placeOf(models, now);
    const total = fullBytes + otherBytes;
    const rows = latent ? "latent" : "both";
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
      headline: html`<b>${place < 0 ? "Your model" : models[place][0]}</b> keeps <b>${number(total, sizeText(total))}</b> for ${grouped(
        words,
      )} words; the next adds ${number(more, sizeText(more))}.`,
      picture: html`${strips(now)}<dl>
        ${meter(html`${number(full, String(full))} full layer${full === 1 ? "" : "s"}`, shares[0], fullBytes, rows)}
        ${meter(`${layers - full} ${states ? "with states" : "with windows"}`, shares[1], otherBytes, states ? "own" : rows)}
        ${meter("if all were full", shares[2], allFull, rows)}
        ${meter(html`<span class="dim">${models[0][0]}</span>`, shares[3], first, "own")}</dl>`,
      controls: html`${choice(view, {
        key: "model",
        legend: "Model",
        options: models.map(([name]) => name),
        index: place,
        previewed: (i) => settings(models[i]),
        onInput: (i) => view.set(settings(models[i])),
      })}
        ${power("words", "Words", LENGTHS, "words", "wide")}
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
          ${power("window", "Window", WINDOWS, "words", states ? "wide off" : "wide")}</div>
        ${either("latent", "Of a word", ["keys and values", "a latent vector"])}
        ${power("sets", html`Sets of ${letter("k")} and ${letter("v")}`, SETS, "sets", latent ? "off" : "")}
        ${power("width", "Width of each", WIDTHS, "numbers", latent ? "off" : "")}`,
    };
  };
};

export default explorer("cache", "Cache explorer", build, {
  nudge: ({ words }) => ({ words: words > 4096 ? words / 16 : words * 16 }),
});
