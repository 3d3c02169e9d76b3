// What the games share: black boxes, A to H, that are probed and named.

import { capital, countWord } from "./format.js";
import { html } from "./lit.js";
import { equal } from "./motion.js";
import { number } from "./text.js";

const LETTERS = "ABCDEFGH";

export const boxesOf = ({ layers }) => layers.map((_, i) => LETTERS[i]);

export const countBits = (bits, n) => [...Array(n).keys()].filter((i) => (bits >> i) & 1).length;

export const signed = (name) => name.replace("-", "−"); // as in -1e9

// How it stands: which boxes are named right, and that in words.
export function standing({ verdicts, wrong }, held, suspects, probes) {
  const lit = held.map((layer, b) => suspects[verdicts[b]] === layer);
  const right = lit.filter(Boolean).length;
  return {
    lit,
    isOver: right === held.length,
    told: html`${number(right, right ? capital(countWord(right)) : "None")} of ${countWord(held.length)}, ${number(
      probes,
      String(probes),
    )} probe${probes === 1 ? "" : "s"}${
      wrong ? html`, ${number(wrong, String(wrong))} wrong name${wrong === 1 ? "" : "s"}` : ""
    }`,
  };
}

// What things to try set, while the boxes hold what they held: the notebook and the names stay.
export function keepsNotes({ seen, verdicts, wrong, ...state }, now) {
  if (!state.order) return state;
  if (!equal(state.order, now.order)) return { ...state, seen, verdicts, wrong };
  return { ...state, seen: now.seen.with(now.box, now.seen[now.box] | (1 << now.probe)) };
}

// The names as buttons: a press gives the box that name. What was wrong stays struck out, and costs
// no more, as long as the view lives and the game is the same.
export function namesOf(view, { box, verdicts, wrong }, held, suspects) {
  view.struck ??= new Set();
  if (wrong === 0) view.struck.clear();
  const key = (b, place) => String([b, held[b], place]);
  verdicts.forEach(
    (place, b) => place >= 0 && suspects[place] !== held[b] && view.struck.add(key(b, place)),
  );
  const isStruck = (place) => view.struck.has(key(box, place));
  const name = (place) => () => {
    if (verdicts[box] === place) return; // said already
    const isRight = suspects[place] === held[box];
    const price = isRight || isStruck(place) ? 0 : 1;
    view.set({ verdicts: verdicts.with(box, place), wrong: Math.min(999, wrong + price) });
    if (isRight) view.celebrate();
  };
  const found = suspects.map((suspect, place) =>
    held.some((layer, b) => layer === suspect && verdicts[b] === place),
  );
  const isDone = suspects[verdicts[box]] === held[box]; // what is found stays
  const kind = (place) =>
    isStruck(place) ? "wrong" : verdicts[box] === place ? "right" : found[place] ? "found" : "";
  const asks = `What is in box ${LETTERS[box]}?`;
  return html`<div class="names" role="group" aria-label=${asks}><span class="small">${asks}</span>${suspects.map(
    (
      suspect,
      place,
    ) => html`<button type="button" class=${kind(place)} aria-pressed=${verdicts[box] === place}
      ?disabled=${isDone && verdicts[box] !== place}
      @click=${name(place)}>${signed(suspect)}${isStruck(place) ? html`<span class="unseen">, wrong</span>` : ""}</button>`,
  )}</div>`;
}
