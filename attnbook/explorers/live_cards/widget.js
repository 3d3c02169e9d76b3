// Three small pictures from pages of the book, each with a slider and a link.

import { fan, shareText } from "../core/arcs.js";
import { dot, softmax, sum, temperatureAt } from "../core/compute.js";
import { slider } from "../core/controls.js";
import { px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed } from "../core/format.js";
import { html, svg } from "../core/lit.js";
import { ease, moves } from "../core/motion.js";
import { uniqueId } from "../core/text.js";

// == page =====================================================================================

const [WIDE, HIGH] = [340, 168];
const SHOWING = 2400; // milliseconds in which a picture shows once how it moves

const read = ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength);

const written = (x, y, says, kind = "") =>
  svg`<text x=${px(x)} y=${y} text-anchor="middle" class=${kind}>${says}</text>`;

// Values on a beam, as heavy as their weights; it balances at the mean.
function beam({ words, scores, values }) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const place = (value) => 28 + (284 * (value - least)) / (most - least);
  // Words of one value stand beside each other.
  const xs = values.map((value, i) => {
    const alike = values.flatMap((other, j) => (other === value ? [j] : []));
    return place(value) + 27 * (alike.indexOf(i) - (alike.length - 1) / 2);
  });
  return {
    label: "Temperature",
    ends: [10, 90],
    begin: 60,
    start: 90,
    draw(at) {
      const weights = softmax(scores, temperatureAt(at));
      const mean = dot(weights, values);
      return [
        `mean ${fixed(mean, 2)}`,
        svg`
        ${weights.map((w, i) => svg`<rect x=${px(xs[i] - 11)} width="22" y=${122 - 116 * w} height=${116 * w} fill="var(--k)" opacity=${(0.25 + 0.75 * w).toFixed(2)}/>`)}
        <path d="M8 124H332" stroke="var(--v)" stroke-width="3"/><path d="M${px(place(mean))} 126l9 16h-18z" fill="var(--o)"/>
        ${words.map((word, i) => written(xs[i], 158, word))}`,
      ];
    },
  };
}

// The weights of a layer while it learns to reverse.
function map({ steps, letters, said }, maps) {
  const n = letters.length;
  const last = steps.length - 1;
  return {
    label: "Step",
    ends: [0, last],
    begin: last,
    start: 0,
    draw(at) {
      const isRight = [...letters].map((_, i) => said[at][i] === letters[n - 1 - i]);
      return [
        `${steps[at]}, ${sum(isRight.map(Number))} of ${n} right`,
        svg`
        ${[...letters].map((letter, i) => written(103 + 15 * i, 11, letter))}
        ${Array.from(
          { length: n * n },
          (
            _,
            i,
          ) => svg`<rect x=${96 + 15 * (i % n)} y=${16 + 15 * Math.floor(i / n)} width="14" height="14"
          fill="var(--weight)" stroke="var(--rule)" stroke-width="0.5" fill-opacity=${maps[at * n * n + i] / 100}/>`,
        )}
        ${isRight.map((right, i) => written(266, 27 + 15 * i, said[at][i], right ? "v strong" : "dim"))}`,
      ];
    },
  };
}

// A text, and where its last letter looks.
function text({ text: all, next }, looks) {
  const n = all.length;
  const places = Array.from(all, (_, i) => 12 + (316 * i) / (n - 1));
  const ground = { places, room: 100, thick: 14, point: (x, y) => [x, 112 - y] };
  const id = uniqueId("fan");
  return {
    label: "Letter",
    ends: [1, n - 1],
    begin: n - 8,
    start: 1,
    draw(at) {
      const row = Array.from({ length: n }, (_, j) => looks[at * n + j] / 100);
      const guess = next[at]
        .map(([letter, p]) => `${letter.trim() || "space"} ${shareText(p)}`)
        .join(", ");
      return [
        String(at + 1),
        svg`${fan(id, ground, row, places[at])}
        ${[...all].slice(0, at + 1).map((letter, i) => written(places[i], 128, letter, `letter-of-text ${i === at ? "q strong" : ""}`))}
        ${written(WIDE / 2, 158, `next: ${guess}`, "dim")}`,
      ];
    },
  };
}

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { cards, mean, training, maps, writing, looks } = view.read();
  const pictures = [beam(mean), map(training, maps), text(writing, looks)];
  const places = pictures.map(({ begin }) => begin);
  let frame = 0;
  const stop = () => cancelAnimationFrame(frame);
  const move = (i, to) => {
    places[i] = to;
    view.again();
  };
  // Once, when they come into sight, all show how they move.
  const watch = new IntersectionObserver(
    ([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      watch.disconnect();
      if (!moves()) return;
      const first = performance.now();
      const go = (now) => {
        const part = Math.min(1, Math.max(0, now - first) / SHOWING);
        pictures.forEach(({ start, begin }, i) => {
          places[i] = Math.round(start + ease(part) * (begin - start));
        });
        view.again();
        if (part < 1) frame = requestAnimationFrame(go);
      };
      go(first);
    },
    { threshold: 0.8 },
  );
  requestAnimationFrame(() => watch.observe(view.root));
  view.onTouch(stop);
  view.onStop(() => {
    stop();
    watch.disconnect();
  });

  return () => ({
    picture: pictures.map(({ label, ends: [min, max], draw }, i) => {
      const { page, title, says } = cards[i];
      const [told, drawing] = draw(places[i]);
      return html`<div class="live-card"><a href="${page}.${view.root.closest(".widget-slot") ? "html" : "ipynb"}">${title}</a><p>${says}</p>
        <svg viewBox="0 0 ${WIDE} ${HIGH}" aria-hidden="true">${drawing}</svg>
        ${slider(view, { key: label, label, min, max, value: places[i], text: told, onInput: (to) => move(i, to) })}</div>`;
    }),
  });
};

const bytes = { read, write: (x) => x };
const cards = explorer("cards", "What you can do here", build, {
  traits: { maps: bytes, looks: bytes },
  plain: true,
});

// They have no address: each visit begins alike.
export default (declared) => ({ render: cards(declared).render });
