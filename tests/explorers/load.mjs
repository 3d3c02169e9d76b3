// The compute halves of the widgets, as Python joins them: core.js in front.
import { readFileSync } from "node:fs";

const folder = new URL("../../attnbook/explorers/static/", import.meta.url);

/** Functions out of a widget's whole script, which itself exports a widget only; names as a list or a text. */
export async function load(widget, names) {
  const parts = ["core", ...[widget].flat()].map((name) => readFileSync(new URL(`${name}.js`, folder), "utf8"));
  const script = `${parts.join("\n")}\nexport { ${String(names).split(/[\s,]+/).join(", ")} };`;
  return import(`data:text/javascript;charset=utf-8,${encodeURIComponent(script)}`);
}
