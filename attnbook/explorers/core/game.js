// What the games share: black boxes, A to H, that are probed and named.

const LETTERS = "ABCDEFGH";

const boxesOf = ({ layers }) => layers.map((_, i) => LETTERS[i]);

const countBits = (bits, n) => [...Array(n).keys()].filter((i) => (bits >> i) & 1).length;

const signed = (name) => name.replace("-", "−"); // as in -1e9

// How it stands: which boxes are named right, and that in words.
function standing({ verdicts, wrong }, held, suspects, probes) {
  const lit = held.map((layer, b) => suspects[verdicts[b]] === layer);
  const right = lit.filter(Boolean).length;
  return {
    lit, isOver: right === held.length,
    told: html`${number(right, right ? capital(countWord(right)) : "None")} of ${countWord(held.length)}, ${
      number(probes, String(probes))} probe${probes === 1 ? "" : "s"}${
      wrong ? html`, ${number(wrong, String(wrong))} wrong name${wrong === 1 ? "" : "s"}` : ""}`,
  };
}

// What things to try set, while the boxes hold what they held: the notebook and the names stay.
function keepsNotes({ seen, verdicts, wrong, ...state }, now) {
  if (!state.order) return state;
  if (!equal(state.order, now.order)) return { ...state, seen, verdicts, wrong };
  return { ...state, seen: now.seen.with(now.box, now.seen[now.box] | (1 << now.probe)) };
}

// The names as buttons: a press gives the box that name.
function namesOf(at, { box, verdicts, wrong }, held, suspects) {
  const name = (place) => () => {
    if (verdicts[box] === place) return; // said already
    const isRight = suspects[place] === held[box];
    at.set({ verdicts: verdicts.with(box, place), wrong: Math.min(999, wrong + (isRight ? 0 : 1)) });
    if (isRight) at.celebrate();
  };
  const found = suspects.map((suspect, place) => held.some((layer, b) => layer === suspect && verdicts[b] === place));
  const isDone = suspects[verdicts[box]] === held[box]; // what is found stays
  const kind = (place) => (verdicts[box] !== place ? (found[place] ? "found" : "")
    : suspects[place] === held[box] ? "right" : "wrong");
  return html`<div class="names" role="group" aria-label="Box ${LETTERS[box]} has"><span class="small">Box ${LETTERS[box]} has</span>${
    suspects.map((suspect, place) => html`<button type="button" class=${kind(place)} aria-pressed=${verdicts[box] === place}
      ?disabled=${isDone && verdicts[box] !== place}
      @click=${name(place)}>${signed(suspect)}</button>`)}</div>`;
}
