// Types of lit.js.

/** What `html` and `svg` give: it is shown where it stands in another, or by `render`. */
export interface Template {
  readonly strings: TemplateStringsArray;
}
export function html(strings: TemplateStringsArray, ...values: unknown[]): Template;
export function svg(strings: TemplateStringsArray, ...values: unknown[]): Template;
/** Shows a template, a text or a list of these in an element, which it changes where they differ. */
export function render(value: unknown, element: Element): void;
/** Shows nothing; an attribute that is set to it is left out. */
export const nothing: unique symbol;
