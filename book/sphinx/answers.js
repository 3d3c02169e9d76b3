// @ts-check
/**
 * Exercises that ask for numbers, answered on the page: no kernel, no network. answers.py writes the
 * fields, and one JSON element with what attnbook.exercises knows; the words are those of its
 * `check`, and tests compare the two.
 */

import { parseNumbers } from "../../attnbook/explorers/core/numbers.js";

// == compute ==================================================================================

/**
 * @typedef {{
 *   shapes: number[][], right: number[], atol: number, shift: boolean, decimals: (number | null)[],
 *   wrong: [number[], string][], hint: string, note: string,
 * }} Form
 * @typedef {{values: number[], shape: number[]}} Given
 * @typedef {{verdict: "right" | "not yet", text: string}} Verdict
 */

/**
 * The numbers that a field may mean. It takes what Python takes: 1/6, nan and inf as well.
 * @param {string} text
 */
export function readField(text) {
  if (/^\s*nan\s*$/i.test(text)) return [NaN];
  const infinite = /^\s*([+−-]?)inf(inity)?\s*$/i.exec(text);
  if (infinite) return [/[−-]/.test(infinite[1]) ? -Infinity : Infinity];
  const [above, below, ...more] = text.split("/").map(parseNumbers);
  if (below === undefined) return above;
  return above.length && below.length && more.length === 0 ? [above[0] / below[0]] : [];
}

/**
 * The shape of nested lists of numbers, null if they are none.
 * @param {any} part
 * @returns {number[] | null}
 */
function shapeOf(part) {
  if (!Array.isArray(part)) return Number.isFinite(part) ? [] : null;
  const shapes = part.map(shapeOf);
  const isEven = shapes.every((shape) => shape && String(shape) === String(shapes[0]));
  return isEven ? [part.length, ...(shapes[0] ?? [])] : null;
}

/**
 * The array that a text writes as Python or NumPy would, null if it is none.
 * @param {string} text
 * @returns {Given | null}
 */
export function readArray(text) {
  const plain = text
    .trim()
    .replaceAll("−", "-")
    .replace(/np\.\w+\(([^()]*)\)/g, "$1");
  const inner = /^(?:np\.)?array\((.*?)(?:, *dtype=[\w.]+)?\)$/s.exec(plain)?.[1] ?? plain;
  const json = inner
    .replaceAll("(", "[")
    .replaceAll(")", "]")
    .replace(/(?<=[\d.\]])\s+(?=[-+\d.[])/g, ",")
    .replace(/,\s*(?=])/g, "")
    .replace(/[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/gi, (number) => String(Number(number)));
  try {
    const array = JSON.parse(/^\[/.test(json) ? json : `[${json}]`);
    const shape = shapeOf(array);
    return shape && { values: array.flat(Infinity), shape };
  } catch {
    return null;
  }
}

/** A shape as Python prints it. @param {number[]} shape */
const shapeText = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;

/** @param {number[]} shape */
const arrayText = (shape) => (shape.length ? `an array of shape ${shapeText(shape)}` : "a number");

/**
 * Whether a number is the right one, rounded to so many decimals or cut off there.
 * @param {number} given
 * @param {number} right
 * @param {number} decimals
 */
function ends(given, right, decimals) {
  const unit = 10 ** decimals;
  const isCut = given !== 0 && Math.abs(given) < Math.abs(right);
  const off = Math.abs(given - right) * unit;
  return off <= (isCut ? 0.999 : 0.5) && Math.abs(given * unit - Math.round(given * unit)) < 1e-6;
}

/**
 * Whether all numbers are right to two decimals, or each is right or has two right digits.
 * @param {Form} form
 * @param {number[]} values
 */
function hasTwoDigits({ right, decimals, atol }, values) {
  /** @param {number} i */
  const at = (i) => i % right.length;
  return (
    values.every((x, i) => ends(x, right[at(i)], 2)) ||
    values.every((x, i) => {
      const [r, d] = [right[at(i)], decimals[at(i)]];
      return (
        Math.abs(x - r) <= atol ||
        (x !== 0 && d !== null && [d, d + 1, 2].some((places) => ends(x, r, places)))
      );
    })
  );
}

/**
 * The same as `_judge` in attnbook/exercises/_registry.py.
 * @param {Form} form
 * @param {Given} given
 * @returns {Verdict}
 */
export function judge(form, { values, shape }) {
  /** @param {string} text @returns {Verdict} */
  const notYet = (text) => ({ verdict: "not yet", text });
  const [wanted] = form.shapes;
  if (!form.shapes.some((accepted) => String(accepted) === String(shape))) {
    const got = wanted.length && shape.length ? shapeText(shape) : arrayText(shape);
    return notYet(`expected ${arrayText(wanted)}, got ${got}`);
  }
  if (values.some(Number.isNaN)) {
    return notYet("NaN is among your numbers: something was divided by 0, or inf by inf");
  }
  // A single number may stand for several equal ones, on either side.
  /** @param {number[]} others */
  const equals = (others) => {
    const [one, other] = [values, others].map((numbers) =>
      form.shift ? numbers.map((x) => x - numbers[0]) : numbers,
    );
    return Array.from({ length: Math.max(one.length, other.length) }).every(
      (_, i) => Math.abs(one[i % one.length] - other[i % other.length]) <= form.atol,
    );
  };
  if (equals(form.right)) return { verdict: "right", text: form.note };
  if (hasTwoDigits(form, values)) return notYet("right to two digits; give four");
  return notYet(form.wrong.find(([slip]) => equals(slip))?.[1] ?? form.hint);
}

/**
 * The verdict on fields, each with all that it may mean: the best that a reader can have meant.
 * @param {Form} form
 * @param {number[][]} fields
 */
export function judgeFields(form, fields) {
  const shape = form.shapes[0];
  const meant = [0, -1].map((at) =>
    fields.map((readings) => /** @type {number} */ (readings.at(at))),
  );
  const [first, last] = meant.map((values) => judge(form, { values, shape }));
  return last.verdict === "right" || first.text === form.hint ? last : first;
}

// == page =====================================================================================

/**
 * Brings the form of one exercise to life.
 * @param {HTMLFormElement} form
 * @param {Form} exercise
 */
function startExercise(form, exercise) {
  const fields = [...form.querySelectorAll("input")];
  const result = /** @type {HTMLElement} */ (form.querySelector(".result"));

  /** @param {string} [verdict] @param {string} [text] */
  const say = (verdict = "", text = "") => {
    const isRight = verdict === "right";
    form.toggleAttribute("data-right", isRight);
    const word = document.createElement("b");
    word.textContent = isRight ? "✓ Right" : verdict && "Not yet";
    result.replaceChildren(word, verdict && text ? `: ${text}` : text);
  };

  /** What is said now, and not only shown again. @param {string} verdict @param {string} text */
  const tell = (verdict, text) => {
    say(verdict, text);
    if (verdict === "not yet" && !form.hidden)
      form.dispatchEvent(new CustomEvent("erred", { bubbles: true, detail: { told: text } }));
  };

  const check = () => {
    const read = fields.map(({ type, checked, value }) =>
      type === "checkbox" ? [Number(checked)] : readField(value),
    );
    const missing = read.findIndex((readings) => readings.length === 0);
    if (missing < 0) {
      const { verdict, text } = judgeFields(exercise, read);
      tell(verdict, text);
      if (verdict === "right") {
        const given = {
          fields: fields.map(({ type, checked, value }) => (type === "checkbox" ? checked : value)),
        };
        form.dispatchEvent(
          new CustomEvent("answered", { bubbles: true, detail: { shown: false, given } }),
        );
      }
    } else {
      const isEmpty = fields[missing].value.trim() === "";
      say(
        "",
        !isEmpty
          ? "That is not a plain number. Write it as 0.25, −3 or 1/6, say."
          : fields.length > 1
            ? "Fill in every field first."
            : "Type a number first.",
      );
      fields[missing].focus();
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    check();
  });
  form.addEventListener("input", () => say()); // an old verdict says nothing about a new answer

  // Who has computed the answer pastes it whole.
  form.addEventListener("paste", (event) => {
    const given = readArray(event.clipboardData?.getData("text") ?? "");
    if (!given || given.values.length < 2) return;
    event.preventDefault();
    say();
    if (given.values.length === fields.length) {
      given.values.forEach((value, i) => {
        fields[i].value = String(value);
      });
    } else {
      const { verdict, text } = judge(exercise, given);
      tell(verdict, text);
    }
  });

  // Answered on an earlier visit: all is there again.
  /** @type {{given?: {fields?: (string | boolean)[]}}} */
  const detail = {};
  form.dispatchEvent(new CustomEvent("recall", { bubbles: true, detail }));
  const before = detail.given?.fields;
  if (before?.length === fields.length) {
    fields.forEach((field, i) =>
      Object.assign(field, { [typeof before[i] === "boolean" ? "checked" : "value"]: before[i] }),
    );
    check();
  }
  form.hidden = false;
}

/**
 * Opens what is hidden under a question when that is answered, and for who asks for no veils.
 * @param {HTMLElement} veil
 */
function startVeil(veil) {
  const question = veil.previousElementSibling;
  const note = document.createElement("p");
  note.className = "veil-note";
  const press = document.createElement("button");
  press.type = "button";
  note.append("", press);
  veil.before(note);

  const open = () => {
    veil.removeAttribute("hidden");
    note.remove();
  };
  /** @param {boolean} isHidden */
  const write = (isHidden) => {
    /** @type {Text} */ (note.firstChild).data = isHidden
      ? "What follows is hidden until you have the right answer. "
      : "";
    press.textContent = isHidden ? "Never hide answers" : "Hide answers until I have guessed";
  };
  press.addEventListener("click", () => {
    const detail = veil.hasAttribute("hidden") ? "off" : "on";
    try {
      localStorage.setItem(`${document.documentElement.dataset.book}veils`, detail);
    } catch {} // full: it holds for this visit
    document.dispatchEvent(new CustomEvent("veils", { detail }));
  });
  document.addEventListener("veils", (event) => {
    // of any veil of the page
    if (!note.isConnected || !(event instanceof CustomEvent)) return;
    if (event.detail === "off") veil.removeAttribute("hidden");
    else veil.setAttribute("hidden", "until-found");
    write(event.detail !== "off");
  });
  if ("onbeforematch" in veil) write(veil.hasAttribute("hidden"));
  else note.remove();

  veil.dataset.watched = "";
  veil.addEventListener("beforematch", open); // found by a search, or by a link into it
  question?.addEventListener("answered", open);
  // A question that cannot be shown cannot be answered.
  const openIfLost = () => question?.querySelector("[data-state=failed]") && open();
  if (question)
    new MutationObserver(openIfLost).observe(question, { attributes: true, subtree: true });
  openIfLost();
  if (question?.querySelector("[data-done]")) open(); // answered on an earlier visit
}

if (globalThis.document) {
  const data = document.getElementById("exercise-data")?.textContent;
  /** @type {Record<string, Form>} */
  const exercises = data ? JSON.parse(data) : {};
  for (const form of document.querySelectorAll("form.exercise-fields")) {
    if (form instanceof HTMLFormElement)
      startExercise(form, exercises[form.dataset.exercise ?? ""]);
  }
  for (const veil of document.querySelectorAll(".veil")) {
    if (veil instanceof HTMLElement) startVeil(veil);
  }
}
