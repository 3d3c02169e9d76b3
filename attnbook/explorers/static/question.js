// @ts-check
// Question: predict before you look. Checked on the page, without a kernel.

// == compute ==================================================================================

/**
 * The hint for a number is that of the slip which it is, or is rounded from; for any other it says
 * on which side the answer lies.
 * @param {readonly number[]} values what the reader may mean
 * @param {{answer: number, tolerance: number, hints: [number, string][], right: string}} question
 */
function judgeNumber(values, { answer, tolerance, hints, right }) {
  /** @param {number} x @param {number} [share] */
  const nearest = (x, share = 0) => Math.min(...values.map((value) => Math.abs(value - x)))
    // The added hair forgives the rounding of decimal fractions.
    - Math.max(tolerance, share * Math.abs(x)) - 1e-12;
  if (nearest(answer) <= 0) return { right: true, feedback: right };
  const [slip] = hints.filter(([x]) => nearest(x, 0.005) <= 0)
    .sort(([a], [b]) => nearest(a) - nearest(b));
  const side = values[0] < answer ? "larger" : "smaller";
  return { right: false, feedback: slip?.[1] ?? `The answer is ${side}.` };
}

// == page =====================================================================================

const TRIES = 2; // wrong ones, after which the answer is shown on demand

/** @param {{model: Model, el: HTMLElement}} view */
function render({ model, el }) {
  /** @type {[string, string][]} */
  const choices = model.get("choices");
  const answer = model.get("answer");
  const { written, plain } = textsOf(model, el);
  const result = h("p", { class: "result", role: "status" });
  let wrongs = 0;
  /** What the reader answers. */
  let given = "";

  /** @param {boolean} right @param {string} word @param {string} feedback */
  const report = (right, word, feedback) => {
    result.replaceChildren(
      h("b", { class: right ? "right" : "" }, word), ...written(feedback && ` ${feedback}`));
    // The book hides what follows until the answer is known.
    const shown = !showMe.hidden;
    if (right) {
      const detail = { shown, given: { answer: given } };
      root.dispatchEvent(new CustomEvent("answered", { bubbles: true, detail }));
    }
  };
  /** @param {boolean} right @param {string} feedback */
  const judge = (right, feedback) => {
    if (!right) wrongs += 1;
    showMe.hidden = right || wrongs < TRIES;
    report(right, right ? "✓ Right." : "Not yet.", feedback);
  };
  const showMe = button("Show me", () => {
    show();
    showMe.hidden = true;
  });
  showMe.hidden = true;

  const [form, show, giveAgain] = choices.length > 0 ? choiceForm() : numberForm();
  const root = widgetRoot("question", "Question",
    h("p", { class: "kicker" }, "Predict first"), form, result);
  // The book knows what was answered right on an earlier visit.
  /** @type {{given?: {answer?: string}}} */
  const before = {};
  el.dispatchEvent(new CustomEvent("recall", { bubbles: true, detail: before }));
  if (before.given?.answer) giveAgain(before.given.answer);
  el.append(root);
  return ending(root);

  /** @returns {[HTMLElement, () => void, (given: string) => void]} */
  function choiceForm() {
    const name = uniqueId("answer");
    // A typeset formula alone is no label to every program; its letters are.
    const inputs = choices.map(([text], i) => h("input", {
      type: "radio", name, value: i, "aria-label": text.includes("$") && plain(text),
    }));
    const check = () => {
      const chosen = inputs.findIndex((input) => input.checked);
      given = choices[chosen]?.[0] ?? "";
      if (chosen < 0) setText(result, "Choose an answer first.");
      else judge(given === answer, choices[chosen][1]);
    };
    return [answerForm(check, h("fieldset", {}, h("legend", {}, ...written(model.get("prompt"))),
      ...choices.map(([text], i) =>
        h("label", { class: "tick" }, inputs[i], h("span", {}, ...written(text)))))),
    () => {
      const right = choices.findIndex(([text]) => text === answer);
      inputs[right].checked = true;
      inputs[right].focus();
      report(true, "The answer.", choices[right][1]);
    },
    (text) => {
      const chosen = choices.findIndex(([each]) => each === text);
      if (chosen < 0) return; // there is no such choice any more
      inputs[chosen].checked = true;
      check();
    }];
  }

  /** @returns {[HTMLElement, () => void, (given: string) => void]} */
  function numberForm() {
    const id = uniqueId("answer");
    const input = h("input", { type: "text", id, inputmode: "decimal", autocomplete: "off" });
    // JupyterLab takes the Enter that a browser would submit the form at.
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      input.form?.requestSubmit();
    });
    const [tolerance, hints, right, quantity] =
      ["tolerance", "hints", "right", "quantity"].map((name) => model.get(name));
    const check = () => {
      given = input.value;
      const values = parseNumbers(input.value);
      if (values.length === 0) {
        setText(result, input.value.trim() === "" ? "Type a number first."
          : "That is not a plain number. Write it as 0.25 or −3, say.");
        input.focus();
      } else {
        const verdict = judgeNumber(values, { answer, tolerance, hints, right });
        judge(verdict.right, verdict.feedback);
      }
    };
    return [answerForm(check, h("label", { for: id, class: "asked" }, ...written(model.get("prompt"))),
    h("div", { class: "answer" },
      quantity && h("label", { for: id, class: "dim" }, ...written(quantity)),
      h("span", { class: "dim", ...HIDDEN }, "="), input)),
    () => {
      input.value = String(answer).replace("-", "−");
      input.focus();
      report(true, "The answer.", right);
    },
    (text) => {
      input.value = text;
      check();
    }];
  }

  /** @param {() => void} check @param {Child[]} children */
  function answerForm(check, ...children) {
    const form = h("form", {}, ...children,
      h("div", { class: "acts" }, h("button", { type: "submit" }, "Check"), showMe));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      check();
    });
    // An old verdict says nothing about a new answer.
    form.addEventListener("input", () => result.replaceChildren());
    return form;
  }
}

export default { render };
