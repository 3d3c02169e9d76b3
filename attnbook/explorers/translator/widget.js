// TranslatorExplorer: a translation, word by word, with ribbons to where each word comes from.

import { argsortDown, softmax, sum } from "../core/compute.js";
import { button, choice } from "../core/controls.js";
import { following, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { cellText, weightStyle, weightText } from "../core/format.js";
import { textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { pointer } from "../core/plot.js";
import { number, uniqueId } from "../core/text.js";
import { whole } from "../core/traits.js";

// == compute ==================================================================================

// What a step comes to: weights over the source words, 0 without attention, and the chances of each
// word that can be written.
export const lookBack = (scores, logits) => ({
  weights: softmax(scores, 1),
  chances: softmax(logits, 1),
});

const longest = (lists) => Math.max(...lists.map(({ length }) => length));

// Words in as few lines as a width allows, alike in length: the size of their type, how high a line
// is, and of each word its line, its middle and half its width.
export function lineUp(words, width) {
  const units = words.map((word) => (textWidth(word) + 10) / 12); // at 1 px of type
  let size = width / sum(units);
  // In two lines or more there is room at their ends.
  if (size < LEAST_TYPE) size *= 0.88 * Math.ceil(LEAST_TYPE / size);
  size = Math.max(LEAST_TYPE, Math.min(TYPE, size));
  const wide = units.map((each) => size * each);
  const broken = (most) => {
    const lines = [];
    let room = 0;
    wide.forEach((w, i) => {
      room -= w;
      if (room < -0.01) {
        lines.push([]);
        room = most - w;
      }
      lines.at(-1).push(i);
    });
    return lines;
  };
  let lines = broken(width);
  for (let most = width; most > 0; most -= 8) {
    const narrower = broken(most);
    if (narrower.length > lines.length) break;
    lines = narrower;
  }
  const places = lines.flatMap((those, line) => {
    let x = (width - sum(those.map((i) => wide[i]))) / 2;
    return those.map((i) => {
      x += wide[i];
      return { line, x: x - wide[i] / 2, half: wide[i] / 2 };
    });
  });
  return { size, high: Math.round(1.5 * size), count: lines.length, places };
}

// == page =====================================================================================

const [TYPE, LEAST_TYPE] = [26, 16]; // px
const LEAST = 0.02; // a weight below is not drawn, but for the word that is written
const ROOM = 116; // px of the ribbons, between the sentences
const THICK = 18; // px of a ribbon of weight 1
const OFFERED = 3; // words, as the next one
const BOX = 164; // px, of these
const NAMES = 66; // px of the names of rows, in the matrix

const french = (word) => html`<span lang="fr">${word}</span>`;

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { sources, right, names, attends, written, vocabulary, scores, logits } = view.read();
  const [nKeys, nSteps] = [longest(sources), longest(written.flat())];
  const id = uniqueId("ribbon");
  // The step that is shown: a translation may be shorter than the one before it.
  const at = ({ model, sentence, step }) => Math.min(step, written[model][sentence].length - 1);
  const go = (by) => view.set({ step: Math.max(0, at(view.read()) + by) });
  view.play({
    step: (now) => {
      const { model, sentence } = now;
      return at(now) < written[model][sentence].length - 1 ? { step: at(now) + 1 } : null;
    },
    rewind: () => ({ step: 0 }),
  });

  // All steps of a translator up to one.
  const stepsOf = (model, sentence, count) =>
    Array.from({ length: count }, (_, step) => {
      const place = (model * sources.length + sentence) * nSteps + step;
      const row = (flat, width, n = width) => flat.slice(place * width, place * width + n);
      return lookBack(row(scores, nKeys, sources[sentence].length), row(logits, vocabulary.length));
    });

  // How high each of these texts is, at most: on a wide page the picture stays as high as it is.
  const highest = (texts, own, width) =>
    Math.max(
      ...(width > 600 ? texts : [own])
        .map((words) => lineUp(words, width))
        .map(({ high, count }) => high * count),
    );

  // Source above, target below, and ribbons from the words to what they come from.
  function ribbons({ source, words, wanted, steps, hasLooked, width }) {
    const [above, below] = [lineUp(source, width), lineUp(words, width)];
    const now = steps.length - 1;
    const [x, ...shares] = view.glide("now", [below.places[now].x, ...steps[now].weights]);
    const heaviest = argsortDown(steps[now].weights)[0];
    const room = highest(sources, source, width);
    const [first, top] = [room - above.high * above.count, room + ROOM];
    const from = above.places.map((each) => [each.x, first + above.high * (each.line + 1) - 4]);
    const foot = (i) => top + below.high * below.places[i].line;
    const path = (/** @type {number[]} */ [x1, y1], x2, y2) =>
      `M${px(x1)} ${y1}C${px(x1)} ${px((y1 + y2) / 2)} ${px(x2)} ${px((y1 + y2) / 2)} ${px(x2)} ${y2}`;
    // At their word ribbons lie beside each other.
    const bundle = (weights, to, y, kind) => {
      let before = to - THICK / 2;
      return weights.map((w, j) => {
        before += THICK * w;
        return kind === "past" && w < LEAST
          ? nothing
          : svg`<path class="ribbon ${kind}" stroke=${`url(#${id})`}
          stroke-width=${(THICK * w).toFixed(2)} d=${path(from[j], before - (THICK * w) / 2, y)}/>`;
      });
    };
    const neck = [width / 2, top - ROOM / 2];
    const aside = x > width / 2 ? -13 : 13; // where the ribbon does not go
    const text = ({ size, high }, { x, line }, y, word, kind, lang) =>
      svg`<text class="halo ${kind}" lang=${lang} style="font-size: ${px(size)}px" x=${px(x)}
        y=${px(y + high * line + size)} text-anchor="middle">${word}</text>`;
    // The word at a place of the drawing: the nearest in its line.
    const hand = following(view, (event) => {
      const [along, down] = pointer(event);
      const line = Math.max(0, Math.min(below.count - 1, Math.floor((down - top) / below.high)));
      const far = ({ x, line: own }) => (own === line ? Math.abs(along - x) : Infinity);
      return { step: argsortDown(below.places.map((each) => -far(each)))[0] };
    });
    const height = top + highest(written.flat(), words, width) + 4;
    return html`<svg height=${height} viewBox="0 0 ${width} ${height}" role="img"
        aria-label=${hasLooked ? `Ribbons from the word that is written to its sources, the widest to ${source[heaviest]}.` : "All words go through the last state."}
        @pointerdown=${hand.down} @pointermove=${hand.move} @click=${hand.click} @pointerleave=${view.unlook}>
      <linearGradient id=${id} gradientUnits="userSpaceOnUse" x1="0" x2="0" y1=${top - ROOM} y2=${top}>
        <stop offset="0.1" stop-color="var(--k)"/><stop offset="0.9" stop-color="var(--o)"/></linearGradient>
      <rect class="ground" width=${width} height=${height}/>
      ${
        hasLooked
          ? [
              steps.map((each, i) =>
                i === now ? nothing : bundle(each.weights, below.places[i].x, foot(i), "past"),
              ),
              bundle(shares, x, foot(now), "now"),
            ]
          : svg`${from.map((each) => svg`<path class="hair" fill="none" d="${path(each, neck[0], neck[1])}"/>`)}
          <path class="ribbon now" stroke="var(--o)" stroke-width="6" d=${path(neck, x, foot(now))}/>
          <circle cx=${neck[0]} cy=${neck[1]} r="7"/><text class="dim halo" x=${px(neck[0] + aside)} y=${neck[1] + 4} text-anchor=${aside < 0 ? "end" : "start"}>the last state</text>`
      }
      ${source.map((word, j) => text(above, above.places[j], first, word, hasLooked && j === heaviest ? "k strong" : "", "en"))}
      ${words.map((word, i) => {
        const { x, half } = below.places[i];
        const kind = `written ${i === now ? "strong" : ""} ${word === wanted[i] ? (i === now ? "o" : "") : "wrong"}`;
        return i <= now
          ? text(below, below.places[i], top, word, kind, "fr")
          : svg`<path class="blank" d="M${px(x - half + 5)} ${foot(i) + below.high - 6}h${px(2 * half - 10)}"/>
            ${i === 1 ? svg`<text class="verb" x=${px(x - half + 5)} y=${foot(i) + below.high - 12}>drag ↔</text>` : nothing}`;
      })}</svg>`;
  }

  const candidates = ({ chances }, caret, width) => html`<div class="next">
    <ul aria-label="the next word" style="margin-left: ${px(Math.max(0, Math.min(width - BOX, caret - 32)))}px">
    ${argsortDown(chances)
      .slice(0, OFFERED)
      .map(
        (place, i) => html`<li class=${i === 0 ? "chosen" : ""}>
      ${french(vocabulary[place])} <span class="bar" aria-hidden="true"><span class="fill" style="width: ${100 * chances[place]}%"></span></span> ${number(chances[place], weightText(chances[place]).replace(/^0/, ""))}</li>`,
      )}</ul></div>`;

  // All weights up to now, a row for each word that is written.
  function matrix({ source, words, steps, width }) {
    const cell = Math.floor(Math.min(48, (width - NAMES) / source.length));
    const text = (w) => (cell < 26 || w < 0.005 ? "" : cellText(w));
    return html`<table style="width: ${NAMES + cell * source.length}px" aria-label="The weights, a row for each word that is written">
      <colgroup><col style="width: ${NAMES}px"></colgroup>
      ${cell < 14 ? nothing : html`<thead><tr><td></td>${source.map((word) => html`<th scope="col"><span>${word}</span></th>`)}</tr></thead>`}
      <tbody>${steps.map(
        ({ weights }, i) => html`<tr><th scope="row" lang="fr">${words[i]}</th>
        ${weights.map((w) => html`<td style=${weightStyle(w)}>${number(w, text(w))}</td>`)}</tr>`,
      )}</tbody></table>`;
  }

  return (state) => {
    const { model, sentence } = state;
    const [source, wanted, words] = [sources[sentence], right[sentence], written[model][sentence]];
    const now = at(state);
    const steps = stepsOf(model, sentence, now + 1);
    const hasLooked = attends[model];
    const { width } = view;
    const seen = { source, words, wanted, steps, hasLooked, width };
    const { weights, chances } = steps[now];
    const [j, p] = [argsortDown(weights)[0], Math.max(...chances)];
    const [caret] = view.glide("caret", [lineUp(words, width).places[now].x]);
    return {
      headline: html`Step ${now}: <b class="o">“${french(words[now])}”, probability ${number(p, weightText(p))}</b>${
        hasLooked
          ? html`; looks most at <b class="k">“${source[j]}”, weight ${number(weights[j], weightText(weights[j]))}</b>`
          : ""
      }${
        words[now] === wanted[now]
          ? ""
          : now < wanted.length
            ? html`, wrong (it is “${french(wanted[now])}”)`
            : ", wrong (it is over)"
      }.`,
      picture: html`${ribbons(seen)}${candidates(steps[now], caret, width)}
        <p class="unseen" lang="fr">${words.slice(0, now + 1).join(" ")}</p>`,
      controls: html`${
        sources.length > 1
          ? choice(view, {
              key: "sentence",
              legend: "Sentence",
              options: sources.map((_, i) => i + 1),
              index: sentence,
              onInput: (to) => view.set({ sentence: to, step: 0 }),
              previewed: (to) => ({ sentence: to, step: 0 }),
            })
          : nothing
      }${
        names.length > 1
          ? choice(view, {
              key: "model",
              legend: "Translator",
              options: names,
              index: model,
              onInput: (to) => view.set({ model: to }),
              previewed: (to) => ({ model: to }),
            })
          : nothing
      }
        <div class="steps">${button("Back", () => go(-1))}${button("Next word", () => go(1))}</div>`,
      folded: "The matrix of weights",
      numbers: hasLooked ? matrix(seen) : undefined,
    };
  };
};

// Codecs of its own, in place of those of the declaration.
const traits = {
  sentence: whole("sentence", 0, ({ sources }) => sources.length - 1),
  step: whole("step", 0, ({ written }) => longest(written.flat()) - 1),
};

export default explorer("translator", "A translation, word by word", build, {
  traits,
});
