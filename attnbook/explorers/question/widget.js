// Question: predict before you look. Checked on the page, without a kernel.

import { keepKeys } from "../core/explorer.js";
import { html, nothing, render } from "../core/lit.js";
import { parseNumbers } from "../core/numbers.js";
import { textsOf, uniqueId } from "../core/text.js";

// == compute ==================================================================================

// The hint for a number is that of the slip which it is, or is rounded from; for any other it says
// on which side the answer lies. `values` is what the reader may mean.
export function judgeNumber(values, { answer, tolerance, hints, right }) {
  const nearest = (x, share = 0) =>
    Math.min(...values.map((value) => Math.abs(value - x))) -
    // The added hair forgives the rounding of decimal fractions.
    Math.max(tolerance, share * Math.abs(x)) -
    1e-12;
  if (nearest(answer) <= 0) return { right: true, feedback: right };
  const [slip] = hints
    .filter(([x]) => nearest(x, 0.005) <= 0)
    .sort(([a], [b]) => nearest(a) - nearest(b));
  const side = values[0] < answer ? "larger" : "smaller";
  return { right: false, feedback: slip?.[1] ?? `The answer is ${side}.` };
}

// The numbers that a text may mean; 1/6 is one.
export function readAnswer(text) {
  const [above, below, ...more] = text.split("/").map(parseNumbers);
  const values = below ? above.flatMap((a) => below.map((b) => a / b)) : above;
  return more.length > 0 ? [] : values.filter(Number.isFinite);
}

// == page =====================================================================================

const TRIES = 2; // wrong ones, after which the answer is shown on demand

/** @param {string[]} names of its traits */
const show =
  (names) =>
  ({ model, el }) => {
    const { prompt, choices, answer, quantity, tolerance, hints, right } = Object.fromEntries(
      names.map((name) => [name, model.get(name)]),
    );
    const { written, plain: said } = textsOf(model, el);
    const hasChoices = choices.length > 0;
    const [asked, measured, texts] = [
      written(prompt),
      written(quantity),
      choices.map(([text]) => written(text)),
    ];
    const name = uniqueId("answer");
    const root = document.createElement("div");
    root.className = "attn attn-question";
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", "Question");
    keepKeys(root);
    const inputs = () =>
      /** @type {HTMLInputElement[]} */ ([...root.querySelectorAll(".given input")]);
    // What the reader answers, which line that is, and what is said of it.
    let [given, line, isRight, wrongs, canShow] = ["", -1, false, 0, false];
    /** @type {unknown} */
    let verdict = nothing;

    const report = (nowRight, word, feedback) => {
      isRight = nowRight;
      verdict = html`<b class=${isRight ? "right" : ""}>${word}</b>${feedback ? html` ${written(feedback)}` : nothing}`;
      draw();
      // The book hides what follows until the answer is known.
      const detail = { shown: canShow, given: { answer: given }, told: feedback };
      // It asks again on another day what was answered wrong, and counts what was mixed up.
      const kind = isRight ? "answered" : "erred";
      root.dispatchEvent(new CustomEvent(kind, { bubbles: true, detail }));
    };
    const judge = (nowRight, feedback) => {
      if (!nowRight) wrongs += 1;
      canShow = !nowRight && wrongs >= TRIES;
      report(nowRight, nowRight ? "✓ Right." : "Not yet.", feedback);
    };
    const ask = (text) => {
      line = -1;
      verdict = html`${text}`;
      draw();
    };
    const check = () => {
      if (hasChoices) {
        line = inputs().findIndex((input) => input.checked);
        if (line < 0) return ask("Choose an answer first.");
        given = choices[line][0];
        return judge(given === answer, choices[line][1]);
      }
      const [input] = inputs();
      given = input.value;
      const values = readAnswer(given);
      if (values.length === 0) {
        input.focus();
        return ask(
          given.trim() === ""
            ? "Type a number first."
            : "That is not a plain number. Write it as 0.25, 1/4 or −3, say.",
        );
      }
      line = 0;
      const judged = judgeNumber(values, { answer, tolerance, hints, right });
      return judge(judged.right, judged.feedback);
    };
    const submit = (event) => {
      event.preventDefault();
      check();
    };
    // JupyterLab takes the Enter that a browser would submit the form at.
    const enter = (event) => {
      if (event.key === "Enter" && !event.isComposing) submit(event);
    };
    // Fills an answer in; there may be no such choice any more.
    const fill = (text) => {
      const place = hasChoices ? choices.findIndex(([each]) => each === text) : 0;
      const input = inputs()[place];
      if (input && hasChoices) input.checked = true;
      else if (input) input.value = text;
      line = place;
      return input;
    };
    const showMe = () => {
      fill(hasChoices ? answer : String(answer).replace("-", "−")).focus();
      // A press of the book's own, on a slide, is the answer shown as well.
      canShow = true;
      report(true, "The answer.", hasChoices ? choices[line][1] : right);
      canShow = false;
      draw();
    };

    // A verdict stands at its line as well; an old one says nothing about a new answer.
    const mark = (i) =>
      i !== line || verdict === nothing ? "" : isRight ? "is-right" : "is-wrong";
    const forget = () => {
      [verdict, line] = [nothing, -1];
      draw();
    };
    // A typeset formula alone is no label to every program; its letters are.
    const fields = () =>
      hasChoices
        ? html`<fieldset class="given"><legend>${asked}</legend>${choices.map(
            ([text], i) => html`
      <label class="tick ${mark(i)}"><input type="radio" name=${name} value=${i} aria-label=${text.includes("$") ? said(text) : nothing}><span>${texts[i]}</span></label>`,
          )}</fieldset>`
        : html`<label for=${name} class="asked">${asked}</label>
      <div class="answer given ${mark(0)}">${quantity ? html`<label for=${name} class="dim">${measured}</label>` : nothing}<span class="dim" aria-hidden="true">=</span>
        <input type="text" id=${name} inputmode="text" autocomplete="off" spellcheck="false" @keydown=${enter}></div>`;
    // Who has answered may read what is said to the other answers.
    const rest = hasChoices
      ? choices.filter(([text]) => text !== answer)
      : hints.map(([x, told]) => [String(x).replace("-", "−"), told]);
    const others = () =>
      rest.length > 0 && isRight && verdict !== nothing
        ? html`<details class="others"><summary>The other answers</summary>
      <dl>${rest.map(([text, told]) => html`<dt>${written(text)}</dt><dd>${written(told)}</dd>`)}</dl></details>`
        : nothing;
    const draw = () => {
      root.classList.toggle("not-yet", verdict !== nothing && !isRight);
      render(
        html`<p class="kicker">Predict first</p>
      <form @submit=${submit} @input=${forget}>${fields()}
        <div class="acts"><button type="submit">Check</button><button type="button" ?hidden=${!canShow} @click=${showMe}>Show me</button>
          <p class="result" role="status">${verdict}</p></div></form>${others()}`,
        root,
      );
    };
    draw();
    // The book knows what was answered right on an earlier visit.
    const before = {};
    el.dispatchEvent(new CustomEvent("recall", { bubbles: true, detail: before }));
    if (before.given?.answer && fill(before.given.answer)) check();
    el.append(root);
    return () => root.remove();
  };

export default (declared) => ({ render: show(Object.keys(declared)) });
