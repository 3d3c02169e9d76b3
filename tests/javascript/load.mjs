// The compute halves of the widgets, as Python joins them: core.js in front.
import { readFileSync } from "node:fs";

const folder = new URL("../../attnutils/widgets/static/", import.meta.url);

/**
 * The named functions out of a widget's whole script. The script itself exports a widget only.
 * @param {string | string[]} widget its name, or those of its parts
 * @param {string[]} names
 */
export async function load(widget, names) {
  const parts = ["core", ...[widget].flat()].map((name) => readFileSync(new URL(`${name}.js`, folder), "utf8"));
  const script = `${parts.join("\n")}\nexport { ${names.join(", ")} };`;
  return import(`data:text/javascript;charset=utf-8,${encodeURIComponent(script)}`);
}
