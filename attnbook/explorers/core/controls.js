// Controls: sliders, lists, words to choose from, cells to type in.

import { sliderPosition, temperatureAt } from "./compute.js";
import { capital, short, temperatureWords } from "./format.js";
import { html, nothing } from "./lit.js";
import { letter, uniqueId } from "./text.js";
import { LARGEST } from "./traits.js";

/**
 * The id of a control, the same at each drawing of the view that `key` belongs to.
 * @param {import("./explorer.js").View} view
 * @param {string} key
 */
export const idOf = (view, key) => {
  const full = (view.ids ??= new Map());
  if (!full.has(key)) full.set(key, uniqueId("control"));
  return full.get(key);
};

/**
 * A slider over whole numbers.
 * @param {import("./explorer.js").View} view
 * @param {object} options
 * @param {string} options.key
 * @param {unknown} options.label
 * @param {number} options.value
 * @param {number} [options.min]
 * @param {number} options.max
 * @param {number} [options.step]
 * @param {unknown} [options.text] what stands beside it, for the eye
 * @param {string} [options.say] what is heard, if it is not the text
 * @param {(value: number) => void} options.onInput
 * @param {string} [options.wide] a class
 */
export const slider = (
  view,
  { key, label, value, min = 0, max, step = 1, text = String(value), say, onInput, wide = "" },
) => {
  const id = idOf(view, key);
  return html`<div class="control ${wide}"><label for=${id}>${label}</label><output for=${id} aria-hidden="true">${text}</output>
    <input id=${id} type="range" min=${min} max=${max} step=${step} data-now=${value}
      aria-valuetext=${say ?? text} @input=${(event) => onInput(event.target.valueAsNumber)}></div>`;
};

/**
 * The temperature slider: the same in every explorer.
 * @param {import("./explorer.js").View} view
 * @param {number} value
 * @param {(temperature: number) => void} onInput
 */
export const temperatureSlider = (view, value, onInput) => {
  const id = idOf(view, "temperature");
  /** @type {HTMLInputElement | null} */
  const range = view.root.querySelector(`[id="${id}"]`);
  // The slider has 101 places; a temperature set from Python may lie between two of them.
  const place =
    range && temperatureAt(range.valueAsNumber) === value
      ? range.valueAsNumber
      : Math.round(sliderPosition(value));
  return html`<div class="control"><label for=${id}>Temperature ${letter("T", "")}</label>
    <output for=${id} aria-hidden="true">${short(value)}</output>
    <input id=${id} type="range" min="0" max="100" step="1" data-now=${place} aria-valuetext=${temperatureWords(value)}
      @input=${(event) => onInput(temperatureAt(event.target.valueAsNumber))}>
    <div class="ends" aria-hidden="true">${["0 hard", "0.1", "1", "10", "uniform ∞"].map((end) => html`<span>${end}</span>`)}</div></div>`;
};

/**
 * One of several from a list; `options` are texts by values.
 * @param {import("./explorer.js").View} view
 * @param {{key: string, label: unknown, options: Record<string, unknown>, value: string,
 *   onInput: (value: string) => void}} options
 */
export const selectBox = (
  view,
  { key, label, options, value, onInput },
) => html`<div class="control">
  <label for=${idOf(view, key)}>${label}</label>
  <select id=${idOf(view, key)} data-now=${value} @input=${(event) => onInput(event.target.value)}>
    ${Object.entries(options).map(([each, text]) => html`<option value=${each}>${text}</option>`)}</select></div>`;

/**
 * One of several words: real radio buttons, drawn as words. -1: none of them. `previewed(i)` is what
 * a press would set, shown while the mouse is over it.
 * @param {import("./explorer.js").View} view
 * @param {{key: string, legend: unknown, options: unknown[], index: number,
 *   onInput: (index: number) => void, previewed?: (index: number) => Record<string, any>}} options
 */
export const choice = (
  view,
  { key, legend, options, index, onInput, previewed },
) => html`<fieldset class="choice">
  <legend>${legend}</legend>${options.map(
    (text, i) => html`<label
    @pointerenter=${previewed ? view.look(previewed(i)) : null} @pointerleave=${previewed ? view.unlook : null}>
    <input type="radio" name=${idOf(view, key)} value=${i} data-now=${i === index} @input=${() => onInput(i)}><span>${text}</span></label>`,
  )}</fieldset>`;

// The arrow keys move the focus among radio buttons and choose none; Enter or Space do.
export const moveOnly = (event) => {
  const { key, target } = event;
  if (target.type !== "radio" || event.ctrlKey || event.altKey || event.metaKey) return;
  if (key === "Enter") target.click();
  const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[key];
  if (!way) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll(`[name="${target.name}"]`)];
  all[(all.indexOf(target) + way + all.length) % all.length].focus();
};

/**
 * @param {unknown} label
 * @param {boolean} checked
 * @param {(checked: boolean) => void} onInput
 * @param {string} [said] what is heard, if it is not the label
 */
export const tick = (
  label,
  checked,
  onInput,
  said,
) => html`<label class="tick"><input type="checkbox"
  aria-label=${said ?? nothing} data-now=${checked} @input=${(event) => onInput(event.target.checked)}>
  <span aria-hidden=${said ? "true" : nothing}>${label}</span></label>`;

export const button = (text, onClick, kind = "") =>
  html`<button type="button" class=${kind} @click=${onClick}>${text}</button>`;

const PULL = 6; // px sideways for one step of a number

/**
 * What is wrong with fields, spoken at once.
 * @param {() => void} again
 * @typedef {ReturnType<typeof fieldErrors>} Errors
 */
export function fieldErrors(again) {
  const messages = new Map();
  const id = uniqueId("error");
  return {
    id,
    set(key, message) {
      if (message) messages.set(key, message);
      else if (!messages.delete(key)) return;
      again();
    },
    has: (key) => messages.has(key),
    clear: () => messages.clear(),
    view: () =>
      html`<p class="error" id=${id} role="alert">${[...messages.values()].join(" ")}</p>`,
  };
}

/**
 * A cell of a table with a number to change: typed, or pulled sideways. What is no number is marked
 * and explained, and the last number stays.
 * @param {import("./explorer.js").View} view
 * @param {{label: string, role: string, step?: number, value: number,
 *   onInput: (value: number) => void}} options
 */
export const numberCell = (view, { label, role, step = 0.1, value, onInput }) => {
  const { errors } = view;
  const take = ({ target }) => {
    const to = target.valueAsNumber;
    const fits = Math.abs(to) <= LARGEST; // false for NaN, which is what an empty cell gives
    const what = Number.isNaN(to) ? "is not a number" : "is not from −1,000,000 to 1,000,000";
    errors.set(label, fits ? "" : `${capital(label)} ${what}; ${short(value)} is used.`);
    if (fits) onInput(to);
  };
  const leave = ({ target }) => {
    target.value = String(value);
    errors.set(label, "");
  };
  return html`<td class="entry"><input type="number" step=${step} class=${role} aria-label=${label} data-now=${value}
    aria-invalid=${errors.has(label) ? "true" : nothing} aria-describedby=${errors.has(label) ? errors.id : nothing}
    @input=${take} @blur=${leave}></td>`;
};

// A number that is pulled, sideways or up and down, changes by steps; a press without a pull starts
// typing.
export function pullNumbers(root) {
  let pull = null;
  const cell = (event) => event.target.closest?.(".entry input[type=number]");
  root.addEventListener("pointerdown", (event) => {
    const input = cell(event);
    pull =
      !input || event.button !== 0
        ? null
        : {
            input,
            isFinger: event.pointerType === "touch",
            x: event.clientX,
            y: event.clientY,
            value: input.valueAsNumber || 0,
            moved: false,
          };
    if (pull) input.setPointerCapture(event.pointerId);
  });
  root.addEventListener("mousedown", (event) => pull && cell(event) && event.preventDefault());
  root.addEventListener("dragstart", (event) => cell(event) && event.preventDefault()); // of its text
  root.addEventListener("pointermove", (event) => {
    if (!pull || !pull.input.hasPointerCapture(event.pointerId)) return;
    const [across, up] = [event.clientX - pull.x, pull.y - event.clientY];
    // A finger that goes up scrolls the page.
    const isUp = !pull.isFinger && Math.abs(up) > Math.abs(across);
    const steps = Math.round((isUp ? up : across) / PULL);
    pull.moved ||= steps !== 0;
    const to = Number((pull.value + steps * Number(pull.input.step)).toPrecision(12));
    if (!pull.moved || to === pull.input.valueAsNumber) return;
    pull.input.value = String(Math.max(-LARGEST, Math.min(LARGEST, to)));
    pull.input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  root.addEventListener("click", () => {
    if (pull && !pull.moved) {
      pull.input.focus();
      pull.input.select();
    }
    pull = null;
  });
}

// A finger that scrolls the page may begin on a slider, which keeps its value then.
export function scrollPast(root) {
  let slid = null;
  root.addEventListener("pointerdown", ({ target, pointerType }) => {
    slid = pointerType === "touch" && target.type === "range" ? [target, target.value] : null;
  });
  root.addEventListener("pointercancel", () => {
    if (!slid || slid[0].value === slid[1]) return;
    slid[0].value = slid[1];
    slid[0].dispatchEvent(new Event("input", { bubbles: true }));
  });
}
