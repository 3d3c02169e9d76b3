// TranslatorExplorer: a translation, word by word, with ribbons to where each word comes from.

import { argsortDown, softmax, sum } from "../core/compute.js";
import { button, selectBox, slider } from "../core/controls.js";
import { px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { brief, capital, weightText } from "../core/format.js";
import { textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
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

// Words in one line of a width: the size of their type, their middles, and how wide all are. What
// is too long for the line at the least size is so much wider.
function lineUp(words, width) {
  const widths = words.map((word) => (textWidth(word) + 10) / 12); // at 1 px of type
  const size = Math.max(LEAST_TYPE, Math.min(TYPE, width / sum(widths)));
  const total = size * sum(widths);
  let left = Math.max(0, (width - total) / 2);
  const middles = widths.map((each) => (left += size * each) - (size * each) / 2);
  return { size, middles, halves: widths.map((each) => (size * each) / 2), total };
}

// How far such a line is moved for this place to be in the middle, as far as that can be.
const moved = ({ total }, place, width) =>
  total <= width ? 0 : Math.max(width - total, Math.min(0, width / 2 - place));

// == page =====================================================================================

const [TYPE, LEAST_TYPE] = [21, 14]; // px
const LEAST = 0.02; // a weight below is not drawn, but for the word that is written
const [TOP, BOTTOM, HEIGHT] = [28, 144, 172]; // of the ribbons, and of the drawing
const THICK = 18; // px of a ribbon of weight 1
const MATRIX = 248; // px of it with its words
const NAMES = 64; // px of the longest of these
const OFFERED = 3; // words, as the next one
const BOX = 164; // px, of these

const french = (word, kind = "") => html`<span lang="fr" class=${kind}>${word}</span>`;

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { sources, right, names, attends, written, vocabulary, scores, logits } = view.read();
  const [nKeys, nSteps] = [longest(sources), longest(written.flat())];
  const id = uniqueId("ribbon");
  const both = names.length > 1;
  const hasMatrix = !both && attends[0];
  const sentences = Object.fromEntries(sources.map((words, i) => [i, brief(words.join(" "))]));
  let kept = [0, -1]; // the sentence and the step from which a reader went back to a word
  const forget = () => {
    kept = [0, -1];
  };
  view.onReset(forget);
  const go = (step) => view.set({ step });
  const goBack = (to) => {
    const { sentence, step } = view.read();
    kept = [sentence, reachedBy(sentence, step)];
    go(to);
  };
  const reachedBy = (sentence, step) => Math.max(step, kept[0] === sentence ? kept[1] : 0);
  const last = (sentence) => longest(written.map((each) => each[sentence])) - 1;
  view.play({
    step: ({ step, sentence }) => (step < last(sentence) ? { step: step + 1 } : null),
    rewind: () => {
      forget();
      return { step: 0 };
    },
  });

  // All steps of a translator up to one.
  const stepsOf = (model, sentence, count) =>
    Array.from({ length: count }, (_, step) => {
      const place = (model * sources.length + sentence) * nSteps + step;
      const row = (flat, width, n = width) => flat.slice(place * width, place * width + n);
      return lookBack(row(scores, nKeys, sources[sentence].length), row(logits, vocabulary.length));
    });

  // Source above, target below, and ribbons from the words to what they come from.
  function ribbons(m, { source, words, wanted, steps, now, width }) {
    const [above, below] = [lineUp(source, width), lineUp(words, width)];
    const { weights } = steps[now];
    const heaviest = argsortDown(weights)[0];
    const middle = attends[m]
      ? sum(weights.map((w, j) => w * above.middles[j]))
      : (above.total * now) / Math.max(1, words.length - 1);
    const [left, right, x, ...shares] = view.glide(`${m}`, [
      moved(above, middle, width),
      moved(below, below.middles[steps.length - 1], width),
      below.middles[now],
      ...weights,
    ]);
    const [y1, y2] = [TOP + 2, BOTTOM - 2];
    const path = (from, to) =>
      `M${px(from)} ${y1}C${px(from)} ${(y1 + y2) / 2} ${px(to)} ${(y1 + y2) / 2} ${px(to)} ${y2}`;
    // At their word ribbons lie beside each other.
    const bundle = (own, to, kind) => {
      let before = to - THICK / 2;
      return own.map((w, j) => {
        before += THICK * w;
        return kind === "past" && w < LEAST
          ? nothing
          : svg`<path class="ribbon ${kind}" stroke=${`url(#${id})`}
          stroke-width=${(THICK * w).toFixed(2)} d=${path(left + above.middles[j], before - (THICK * w) / 2)}/>`;
      });
    };
    const mid = (y1 + y2) / 2;
    const aside = right + x > width / 2 ? -13 : 13; // where the ribbon does not go
    const neck = `${px(width / 2)} ${mid}`;
    const shown = (line, i, by) =>
      by + line.middles[i] - line.halves[i] >= -1 &&
      by + line.middles[i] + line.halves[i] <= width + 1;
    const drawn = html`<svg height=${HEIGHT} viewBox="0 0 ${width} ${HEIGHT}" role="img"
        aria-label=${attends[m] ? `Ribbons from the word that is written to its sources, the widest to ${source[heaviest]}.` : "All words go through the last state."}>
      <linearGradient id=${id} gradientUnits="userSpaceOnUse" x1="0" x2="0" y1=${y1} y2=${y2}>
        <stop offset="0.1" stop-color="var(--k)"/><stop offset="0.9" stop-color="var(--o)"/></linearGradient>
      ${
        attends[m]
          ? [
              steps.map((each, i) =>
                i === now ? nothing : bundle(each.weights, right + below.middles[i], "past"),
              ),
              bundle(shares, right + x, "now"),
            ]
          : svg`${above.middles.map((from) => svg`<path class="hair" fill="none" d="M${px(left + from)} ${y1}Q${px(left + from)} ${mid - 14} ${neck}"/>`)}
          <path class="ribbon now" stroke="var(--o)" stroke-width="6" d="M${neck}Q${px(right + x)} ${mid + 14} ${px(right + x)} ${y2}"/>
          <circle cx=${px(width / 2)} cy=${mid} r="7"/><text class="dim halo" x=${px(width / 2 + aside)} y=${mid + 4} text-anchor=${aside < 0 ? "end" : "start"}>the last state</text>`
      }
      ${source.map((word, j) =>
        shown(above, j, left)
          ? svg`<text class=${attends[m] && j === heaviest ? "k strong" : ""} style="font-size: ${px(above.size)}px"
        x=${px(left + above.middles[j])} y=${TOP - 8} text-anchor="middle">${word}</text>`
          : nothing,
      )}
      ${steps.map((_, i) =>
        shown(below, i, right)
          ? svg`<text lang="fr" style="font-size: ${px(below.size)}px" class="written ${i === now ? "strong" : ""} ${words[i] === wanted[i] ? (i === now ? "o" : "") : "wrong"} ${i > now ? "dim" : ""}"
        x=${px(right + below.middles[i])} y=${BOTTOM + 15} text-anchor="middle" @click=${() => goBack(i)}
        @pointerenter=${view.look({ step: i })} @pointerleave=${view.unlook}>${words[i]}</text>`
          : nothing,
      )}
    </svg>`;
    return { drawn, caret: right + x };
  }

  const candidates = (
    { chances },
    word,
    caret,
    width,
  ) => html`<ul aria-label="the next word" style="translate: ${px(Math.max(0, Math.min(width - BOX, caret - 32)))}px">
    ${argsortDown(chances)
      .slice(0, OFFERED)
      .map(
        (place, i) => html`<li class=${i === 0 ? "chosen" : ""}>
      ${french(vocabulary[place])} <span class="bar" aria-hidden="true"><span class="fill" style="width: ${100 * chances[place]}%"></span></span> ${number(chances[place], weightText(chances[place]).replace(/^0/, ""))}</li>`,
      )}</ul>`;

  // All weights up to now, a row for each word that is written.
  function matrix({ source, words, steps, now }) {
    const cell = Math.min(24, (MATRIX - NAMES) / source.length);
    const isNamed = cell > 12;
    const [left, top] = isNamed ? [NAMES, NAMES] : [0, 0];
    const size = Math.min(13, cell);
    const [across, height] = [left + cell * source.length, top + cell * words.length];
    return html`<svg class="matrix" style="width: ${px(across)}px" height=${px(height)} viewBox="0 0 ${px(across)} ${px(height)}" role="img" aria-label="The weights, a row for each word that is written">
      ${isNamed ? source.map((word, j) => svg`<text class="k" style="font-size: ${size}px" transform="translate(${px(left + (j + 0.5) * cell + 4)} ${top - 4})rotate(-90)">${word}</text>`) : nothing}
      ${steps.map(
        (
          { weights },
          i,
        ) => svg`<g class=${i > now ? "later" : ""} @click=${() => goBack(i)} @pointerenter=${view.look({ step: i })} @pointerleave=${view.unlook}>
        ${isNamed ? svg`<text lang="fr" class=${i === now ? "o strong" : "o"} style="font-size: ${size}px" text-anchor="end" x=${left - 5} y=${px(top + (i + 0.5) * cell + 4)}>${words[i]}</text>` : nothing}
        ${weights.map((w, j) => svg`<rect x=${px(left + j * cell)} y=${px(top + i * cell)} width=${px(cell - 1)} height=${px(cell - 1)} fill-opacity=${+w.toFixed(4)}/>`)}</g>`,
      )}
      <rect class="frame" x=${left - 0.5} y=${top - 0.5} width=${px(cell * source.length)} height=${px(height - top)}/>
      <path class="asks" d="M${left - 0.5} ${px(top + now * cell - 0.5)}h${px(cell * source.length)}v${px(cell)}h${px(-cell * source.length)}z"/></svg>`;
  }

  return ({ sentence, step }) => {
    const isNarrow = view.width <= 600;
    const width = isNarrow ? view.width : both ? (view.width - 40) / 2 : view.width - 24 - MATRIX;
    const [source, wanted] = [sources[sentence], right[sentence]];
    const fits = [...sources, ...written.flat()].every(
      (words) => lineUp(words, width).total <= width + 0.1,
    );
    // While an earlier word is looked at, the later ones stay.
    const reached = Math.max(step, reachedBy(sentence, view.read().step));
    const seen = names.map((_, m) => {
      const words = written[m][sentence];
      const steps = stepsOf(m, sentence, Math.min(reached, words.length - 1) + 1);
      return { source, words, wanted, steps, now: Math.min(step, words.length - 1), width };
    });
    const told = seen.map(({ words, steps, now }, m) => {
      const { weights, chances } = steps[now];
      const j = argsortDown(weights)[0];
      const p = Math.max(...chances);
      return html`${both ? html` ${capital(names[m])}: ` : ""}<b class="o">“${french(words[now])}”${both ? "" : ", probability"} ${number(p, weightText(p))}</b>${
        attends[m]
          ? html`; looks most at <b class="k">“${source[j]}”${both ? "" : ", weight"} ${number(weights[j], weightText(weights[j]))}</b>`
          : ""
      }${
        words[now] === wanted[now]
          ? ""
          : now < wanted.length
            ? html`, wrong (it is “${french(wanted[now])}”)`
            : ", wrong (it is over)"
      }.`;
    });
    return {
      headline: html`Step ${step}${both ? "." : ":"} ${told}`,
      picture: html`<div class=${both ? "pair" : "single"}>${seen.map((each, m) => {
        const { drawn, caret } = ribbons(m, each);
        const { words, steps, now } = each;
        return html`<div class="panel">${both ? html`<p class="name">${names[m]}</p>` : nothing}${drawn}
          ${candidates(steps[now], words[now], caret, width)}
          <p class="text ${fits ? "unseen" : ""}" lang="fr">${words.map(
            (word, i) => html`<span @click=${() => goBack(i)}
            class="${i >= steps.length ? "open" : i > now ? "dim" : i === now ? "at" : ""} ${word === wanted[i] ? "" : "wrong"}">${word}</span> `,
          )}</p></div>`;
      })}${hasMatrix ? matrix(seen[0]) : nothing}</div>
        <p class="small">Press a French word${hasMatrix ? " or its row" : ""} to go back to it.</p>`,
      controls: html`${
        sources.length > 1
          ? selectBox(view, {
              key: "sentence",
              label: "Sentence",
              options: sentences,
              value: sentence,
              onInput: (to) => {
                forget();
                view.set({ sentence: Number(to), step: 0 });
              },
            })
          : nothing
      }
        ${slider(view, {
          key: "step",
          label: "Step",
          value: Math.min(step, last(sentence)),
          max: last(sentence),
          onInput: (to) => {
            forget();
            go(to);
          },
        })}
        <div class="acts">${button(step < last(sentence) ? "Next word" : "Start again", () => (step < last(sentence) ? go(step + 1) : (forget(), go(0))))}</div>`,
      folded: "The numbers",
      numbers: attends.includes(true)
        ? html`<table aria-label="Weights of the source words"><tbody>${source.map(
            (word, j) => html`<tr><th scope="row">${word}</th>
        ${seen.map(({ steps, now }, m) => (attends[m] ? html`<td>${number(steps[now].weights[j], weightText(steps[now].weights[j]))}</td>` : nothing))}</tr>`,
          )}</tbody></table>`
        : nothing,
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
