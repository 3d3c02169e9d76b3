// Where do heads of a model look from one word? Guess, then see.

import { TOLD, sentenceLine, shareText } from "../core/arcs.js";
import { argsortDown, softmax } from "../core/compute.js";
import { explorer } from "../core/explorer.js";
import { capital, countWord, listed, weightText } from "../core/format.js";
import { html } from "../core/lit.js";
import { number } from "../core/text.js";
import { placeIn, rowsOf } from "../core/traits.js";

// == page =====================================================================================

const isMark = (token) => /^\[(CLS|SEP)\]$/.test(token);

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { tokens, asks, heads, scores } = view.read();
  const rows = rowsOf(scores, tokens.length).map((row) => softmax(row, 1));
  const tops = rows.map((row) => argsortDown(row)[0]);
  const tints = heads.map((_, h) => (heads.length > 1 ? `var(--tint-${h})` : "var(--k)"));
  const line = sentenceLine(view, "Your guess");
  const weight = (h, i) => number(rows[h][i], weightText(rows[h][i]));
  const it = html`<b class="q">${tokens[asks]}</b>`;
  const word = (i) => html`<b>${tokens[i]}</b>`;

  // At a word: the largest of what heads give it.
  const told = (guess) => (i) => {
    const [best] = argsortDown(rows.map((row) => row[i]));
    const w = rows[best][i];
    return guess < 0 || w < TOLD
      ? ""
      : html`<data value=${w} style="color: ${tints[best]}">${shareText(w)}</data>`;
  };

  function said(guess) {
    if (guess < 0)
      return html`Where ${heads.length > 1 ? `do ${countWord(heads.length)} heads` : `does ${heads[0]}`} look from ${it}? Press a word.`;
    const right = heads.filter((_, h) => tops[h] === guess);
    if (heads.length > 1) {
      return html`Your guess for ${it} was ${word(guess)}. ${
        right.length > 0
          ? html`<b class="v">✓</b> ${capital(listed(right))} took it, too.`
          : `${heads.length === 2 ? "Neither" : `None of the ${countWord(heads.length)}`} looks there most.`
      }`;
    }
    return html`${it} looks most at ${word(tops[0])}: weight ${weight(0, tops[0])}${
      right.length > 0
        ? ", as you guessed."
        : html`. Your guess, ${tokens[guess]}, gets ${weight(0, guess)}.`
    }`;
  }

  return ({ guess }) => ({
    headline: said(guess),
    picture: html`${line({
      tokens,
      asks,
      rows: guess < 0 ? [] : rows,
      tints,
      pressed: guess,
      isMark: (i) => isMark(tokens[i]),
      told: told(guess),
      onPress: (i) => view.set({ guess: i }),
      largest: 28,
      height: view.width <= 600 ? 84 : 120,
    })}
    ${
      heads.length > 1
        ? html`<ul class="heads">${heads.map(
            (
              name,
              h,
            ) => html`<li class=${guess >= 0 && tops[h] === guess ? "right" : ""} style="--tint: ${tints[h]}">
      <span class="name">${name}</span> ${
        guess < 0
          ? html`<span class="dim">?</span>`
          : html`<b>${tokens[tops[h]]}</b> ${weight(h, tops[h])} <span class="yours dim">${tops[h] === guess ? "✓ as you guessed" : html`${tokens[guess]} ${weight(h, guess)}`}</span>`
      }</li>`,
          )}</ul>`
        : ""
    }`,
  });
};

// Codecs of its own, in place of those of the declaration.
const traits = { guess: placeIn("guess", ({ tokens }) => tokens, -1) };

export default explorer("teaser", "Where heads look", build, { traits });
