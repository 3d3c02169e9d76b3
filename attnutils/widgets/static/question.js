// @ts-check
// Question: predict before you look. Checked on the page, without a kernel.

// == compute ==================================================================================

/**
 * @param {readonly number[]} values what the reader may mean
 * @param {{answer: number, tolerance: number, hints: [number, string][], right: string}} question
 */
function judgeNumber(values, { answer, tolerance, hints, right }) {
  // The added hair forgives the rounding of decimal fractions.
  const near = (/** @type {number} */ x) =>
    values.some((value) => Math.abs(value - x) <= tolerance + 1e-12);
  if (near(answer)) return { right: true, feedback: right };
  return { right: false, feedback: hints.find(([x]) => near(x))?.[1] ?? "" };
}

// == page =====================================================================================

/** @param {{model: Model, el: HTMLElement}} view */
function render({ model, el }) {
  /** @type {[string, string][]} */
  const choices = model.get("choices");
  const prompt = withCode(model.get("prompt"));
  const result = h("p", { class: "result", role: "status" });

  /** @param {boolean} right @param {string} feedback */
  const report = (right, feedback) => {
    result.replaceChildren(
      h("b", { class: right ? "right" : "" }, right ? "✓ Right." : "Not yet."),
      ...withCode(feedback && ` ${feedback}`));
  };
  const clear = () => result.replaceChildren();

  const form = choices.length > 0 ? choiceForm() : numberForm();
  const root = widgetRoot("question", "Question",
    h("p", { class: "kicker" }, "Predict first"), form, result);
  el.append(root);
  return ending(root);

  function choiceForm() {
    const name = uniqueId("answer");
    const inputs = choices.map((_, i) => h("input", { type: "radio", name, value: i }));
    return answerForm(() => {
      const chosen = inputs.findIndex((input) => input.checked);
      if (chosen < 0) setText(result, "Choose an answer first.");
      else report(choices[chosen][0] === model.get("answer"), choices[chosen][1]);
    }, h("fieldset", {}, h("legend", {}, ...prompt),
      ...choices.map(([text], i) =>
        h("label", { class: "tick" }, inputs[i], h("span", {}, ...withCode(text))))));
  }

  function numberForm() {
    const id = uniqueId("answer");
    const input = h("input", { type: "text", id, inputmode: "decimal", autocomplete: "off" });
    // JupyterLab takes the Enter that a browser would submit the form at.
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      input.form?.requestSubmit();
    });
    return answerForm(() => {
      const values = parseNumbers(input.value);
      if (values.length === 0) {
        setText(result, input.value.trim() === "" ? "Type a number first."
          : "That is not a plain number. Write it as 0.25 or −3, say.");
        input.focus();
      } else {
        report(...judged(values));
      }
    }, h("label", { for: id, class: "asked" }, ...prompt),
    h("div", { class: "answer" }, h("span", { class: "dim", ...HIDDEN }, "="), input));
  }

  /** @param {readonly number[]} values @returns {[boolean, string]} */
  function judged(values) {
    const { right, feedback } = judgeNumber(values, {
      answer: model.get("answer"),
      tolerance: model.get("tolerance"),
      hints: model.get("hints"),
      right: model.get("right"),
    });
    return [right, feedback];
  }

  /** @param {() => void} check @param {Child[]} children */
  function answerForm(check, ...children) {
    const form = h("form", {}, ...children, h("button", { type: "submit" }, "Check"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      check();
    });
    form.addEventListener("input", clear); // an old verdict says nothing about a new answer
    return form;
  }
}

export default { render };
