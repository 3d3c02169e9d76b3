// Parts of sentences: letters of formulas, computed numbers, texts of the book.

import { html, svg } from "./lit.js";

// An id that no other widget on the page has: each script is loaded on its own.
export function uniqueId(name) {
  const counter = Symbol.for("attnutils.ids");
  globalThis[counter] = (globalThis[counter] ?? 0) + 1;
  return `attn-${name}-${globalThis[counter]}`;
}

// A letter of a formula, in the colour of its role: q, k, v, o. In a drawing: drawnLetter.
export const letter = (name, role = name) => html`<i class="letter ${role}">${name}</i>`;

export const drawnLetter = (name, role = name) =>
  svg`<tspan class="letter ${role}">${name}</tspan>`;

// A computed number: rounded to read, exact for tools.
export const number = (value, text) =>
  html`<data value=${Number.isNaN(value) ? "" : value}>${text}</data>`;

// Texts with `code`, {fr}`words` of another language and $formulas$: `written` as the book has
// typeset them, else in plain letters, which `plain` always gives.
export function textsOf(model, el) {
  const typeset = el.closest(".widget-slot")?.querySelector("template")?.content;
  const letters = (tex) => model.get("formulas")[tex];
  const part = (text) => {
    if (text.startsWith("{"))
      return html`<span lang=${text.slice(1, 3)}>${text.slice(5, -1)}</span>`;
    if (text.startsWith("`")) return html`<code>${text.slice(1, -1)}</code>`;
    if (!text.startsWith("$")) return text;
    const [, tex, punctuation] = text.split("$");
    const formula = typeset?.querySelector(`[data-tex="${CSS.escape(tex)}"]`)?.cloneNode(true);
    // No line starts with a question mark; a long formula must be able to break.
    return html`<span class=${tex.length > 24 ? "" : "unbroken"}>${formula ?? letters(tex)}${punctuation}</span>`;
  };
  return {
    written: (text) => text.split(/((?:\{\w\w\})?`[^`]*`|\$[^$]+\$[.,;:?!)]*)/).map(part),
    plain: (text) =>
      text.replace(/\$([^$]+)\$/g, (_, tex) => letters(tex)).replace(/(\{\w\w\})?`/g, ""),
  };
}
