// The compute halves of the widgets, with what all share in front.
import { existsSync, readFileSync } from "node:fs";

const folder = new URL("../../attnbook/explorers/", import.meta.url);
globalThis.document ??= { createTreeWalker() {}, createComment() {} }; // for lit-html, not used

const read = (path) => readFileSync(new URL(path, folder), "utf8");

/** Functions out of a widget's whole script, which itself exports a widget only; names as a list or a text. `declared`: its traits. */
export async function load(widget, names, declared = {}) {
  const own = [widget]
    .flat()
    .filter((name) => name !== "core")
    .map((name) =>
      read(
        existsSync(new URL(`${name}/widget.js`, folder)) ? `${name}/widget.js` : `core/${name}.js`,
      ),
    );
  const core = ["lit", "compute", "traits", "core"].map((name) => `core/${name}.js`);
  const traits =
    own.length > 0 && !own.at(-1).includes("const TRAITS")
      ? `const TRAITS = traitsOf(${JSON.stringify(declared)});`
      : "";
  const script = [
    ...core.map(read),
    ...own.slice(0, -1),
    traits,
    ...own.slice(-1),
    `export { ${String(names)
      .split(/[\s,]+/)
      .join(", ")} };`,
  ].join("\n");
  return import(`data:text/javascript;charset=utf-8,${encodeURIComponent(script)}`);
}
