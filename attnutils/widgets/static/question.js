// @ts-check
// Question: predict before you look. Checked on the page, without a kernel.

// == compute ==================================================================================

/**
 * A number as a reader writes it, with a comma or a true minus sign, say. NaN if it is none.
 * @param {string} text
 */
function parseNumber(text) {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

/**
 * @param {number} value
 * @param {{answer: number, tolerance: number, hints: [number, string][], right: string}} question
 */
function judgeNumber(value, { answer, tolerance, hints, right }) {
  // The added hair forgives the rounding of decimal fractions.
  const near = (/** @type {number} */ x) => Math.abs(value - x) <= tolerance + 1e-12;
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
  const root = h("div", { class: "attn attn-question" },
    h("p", { class: "kicker" }, "Predict first"), form, result);
  el.append(root);
  return () => root.remove();

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
    return answerForm(() => {
      const value = parseNumber(input.value);
      if (Number.isNaN(value)) {
        setText(result, input.value.trim() === "" ? "Type a number first."
          : "That is not a plain number. Write it as 0.25 or −3, say.");
        input.focus();
      } else {
        report(...judged(value));
      }
    }, h("label", { for: id, class: "prompt" }, ...prompt),
    h("div", { class: "answer" }, h("span", { class: "dim", ...HIDDEN }, "="), input));
  }

  /** @param {number} value @returns {[boolean, string]} */
  function judged(value) {
    const { right, feedback } = judgeNumber(value, {
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
