// ArchitectureExplorer: the transformer as a drawing. Press a box or an arrow: what is there?

import { button } from "../core/controls.js";
import { pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { cellText, fixed, weightColor, weightStyle } from "../core/format.js";
import { cutTo } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { number, uniqueId } from "../core/text.js";
import { rowsOf } from "../core/traits.js";

// == compute ==================================================================================

// The array of each place, as matrices: one for each head, or one. All stand in one list.
function matricesOf(flat, shapes) {
  let start = 0;
  return shapes.map((shape) => {
    const [n, width] = shape.slice(-2);
    const size = shape.reduce((a, b) => a * b, 1);
    const own = flat.slice(start, (start += size));
    return rowsOf(own, n * width).map((matrix) => rowsOf(matrix, width));
  });
}

// A weight in a narrow cell: nothing where it is nearly 0.
const narrowText = (w) => (w < 0.005 ? "" : w >= 0.995 ? "1.0" : cellText(w));

// How many digits after the point leave room in a cell.
const digitsFor = (most, columns) => (most >= 9.95 || columns > 12 ? 0 : 1);

// Whether what is at a place came along this line: it ends at the box, or passes the arrow.
function comesBy(line, { x, y, text }) {
  const [endX, endY] = line.at(-1);
  if (text) return Math.abs(endX - x) <= BOX && Math.abs(endY - y) <= 17;
  return line.length === 2 && endX === x && line[0][1] < y && endY > y;
}

const UNITS = {
  H: "heads",
  n: "source words",
  m: "target words",
  d: "numbers",
  d_ff: "numbers",
  words: "scores",
};

// A shape in words.
const inWords = ({ letters, shape }) =>
  letters
    .slice(1, -1)
    .split(", ")
    .map(
      (letter, axis) =>
        `${shape[axis]} ${UNITS[letter].slice(0, shape[axis] === 1 ? -1 : undefined)}`,
    )
    .join(" × ");

// == page =====================================================================================

const [WIDTH, HEIGHT, BOX] = [312, 490, 56]; // the drawing; from the middle of a box to its edge
const [NAMES, ROW, TURNED] = [66, 16, 60]; // px of the small map: row names, a row, column names

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { source, given, vocabulary, stations, lines, numbers } = view.read();
  const matrices = matricesOf(
    numbers,
    stations.map(({ shape }) => shape),
  );
  const mostRows = Math.max(source.length, given.length);
  const [fieldId, hatch] = [uniqueId("place"), uniqueId("hatch")];

  view.play({
    step: ({ at: place }) => (place < stations.length - 1 ? { at: place + 1 } : null),
    ms: () => 1500,
    rewind: () => ({ at: 0 }),
  });

  // What is at a place: its matrices, the names of rows and columns, and how a number is shown.
  const contents = stations.map(({ name, shape }, place) => {
    const isWeight = name.endsWith("weights") || name === "Softmax";
    const most = Math.max(1e-9, ...matrices[place].flat(2).map(Math.abs));
    const digits = digitsFor(most, shape.at(-1));
    return {
      name,
      isWeight,
      heads: shape.length === 3 ? shape[0] : 0,
      width: shape.at(-1),
      all: matrices[place],
      rows: name.startsWith("Encoder") ? source : given,
      columns: name.endsWith("weights")
        ? name.startsWith("Decoder, self")
          ? given
          : source
        : /^(Linear|Softmax)$/.test(name)
          ? vocabulary
          : null,
      text: (x) => (isWeight ? narrowText(x) : fixed(x, digits)),
      tone: (x) =>
        isWeight
          ? weightColor(x)
          : `color-mix(in srgb, var(${x < 0 ? "--minus" : "--plus"}) ${((50 * Math.abs(x)) / most).toFixed(0)}%, var(--page))`,
    };
  });

  const tables = ({ name, isWeight, heads, width, all, rows, columns, text, tone }, room) => {
    // Matrices of heads stand one over the other, as large as there is room beside the drawing.
    const isStacked = room >= 400 && all.length * rows.length <= 12;
    const across = isStacked ? 1 : all.length;
    const cell = Math.min(90, Math.floor((room - 24 * (across - 1)) / across - NAMES) / width);
    const row = Math.floor(
      (isStacked ? 400 - 90 * all.length : 300) / rows.length / (all.length / across),
    );
    const wide = `--row: ${Math.max(24, Math.min(60, row))}px; --cell: ${room >= 400 && cell >= 22 ? `${Math.floor(cell)}px` : "auto"}`;
    return html`<div class="arrays" style=${wide}>${all.map(
      (matrix, head) => html`
      <table class=${columns ? "named" : ""} aria-label=${heads ? `head ${head}` : name}>
        ${heads ? html`<caption>head ${head}</caption>` : ""}
        <thead><tr><td></td>${matrix[0].map((_, c) => html`<th scope="col"><span>${columns ? columns[c] : c}</span></th>`)}</tr></thead>
        <tbody>${matrix.map(
          (row, i) =>
            html`<tr><th scope="row">${rows[i]}</th>${row.map((x) =>
              isWeight && x === 0
                ? html`<td class="masked">${number(x, "")}</td>`
                : html`<td style=${isWeight ? weightStyle(x) : `background: ${tone(x)}`}>${number(x, text(x))}</td>`,
            )}</tr>`,
        )}</tbody>
      </table>`,
    )}</div>`;
  };

  // On a phone: the same without numbers, so small that it stays in sight.
  function map({ isWeight, heads, width, all, rows, columns, tone }, label) {
    const height = 16 + TURNED + mostRows * ROW;
    const top = columns ? 16 + TURNED : 4;
    const high = Math.min(2 * ROW, (height - top) / rows.length);
    const each = (view.width - NAMES - 10 * (all.length - 1)) / all.length;
    const cell = Math.min(26, each / width);
    return html`<svg height=${height} viewBox="0 0 ${view.width} ${height}" role="img" aria-label="${label}, as shades">
      <defs><pattern id=${hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0V5"/></pattern></defs>
      ${rows.map((row, i) => svg`<text x=${NAMES - 6} y=${px(top + (i + 0.5) * high + 4)} text-anchor="end">${cutTo(row, NAMES - 10)}</text>`)}
      ${all.map((matrix, head) => {
        const x = (c) => px(NAMES + head * (cell * width + 10) + c * cell);
        return svg`${heads ? svg`<text class="dim" x=${x(0)} y="10">head ${head}</text>` : ""}
          ${
            columns && cell >= 13
              ? columns.map(
                  (column, c) => svg`<text class="dim" text-anchor="start"
            transform="translate(${px(+x(c) + cell / 2 + 4)} ${top - 4}) rotate(-90)">${cutTo(column, TURNED - 4)}</text>`,
                )
              : ""
          }
          ${matrix.map((row, i) =>
            row.map(
              (number, c) => svg`<rect class="tone" x=${x(c)} y=${px(top + i * high)}
            width=${px(cell)} height=${px(high)} style="fill: ${isWeight && number === 0 ? `url(#${hatch})` : tone(number)}"/>`,
            ),
          )}`;
      })}</svg>`;
  }

  const percent = (a, b) => `${((100 * a) / b).toFixed(2)}%`;
  const label = ({ name, x, y, text }, i, chosen) => {
    const [width, height] = text === "" ? [36, 24] : [112, text.includes("\n") ? 34 : 24];
    const [first, second] = text.split("\n");
    const place = `left: ${percent(x, WIDTH)}; top: ${percent(y, HEIGHT)}; width: ${percent(width, WIDTH)}; height: ${percent(height, HEIGHT)}`;
    return html`<label class=${text === "" ? "arrow" : text === "add, norm" ? "norm" : "box"} style=${place}
      @pointerenter=${view.look({ at: i })} @pointerleave=${view.unlook}>
      <input type="radio" name=${fieldId} value=${i} data-now=${i === chosen} @input=${() => view.set({ at: i })}>
      <span><span class="unseen">${name}</span><span aria-hidden="true">${first}</span>${second ? html`<small aria-hidden="true">${second}</small>` : ""}</span></label>`;
  };

  // The drawing; along the lines that lead to the place runs a light.
  const drawing = (
    place,
    chosen,
  ) => html`<fieldset class="choice"><legend>Place in the drawing</legend>
    ${stations.map((station, i) => label(station, i, chosen))}
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
      ${[
        [3, 200],
        [159, 296],
      ].map(
        ([x, height]) =>
          svg`<rect class="frame" x=${x} y="104" width="150" height=${height} rx="8"/>`,
      )}
      ${lines.map((points) => {
        const [[x0, y0], [x, y]] = points.slice(-2);
        const [dx, dy] = [Math.sign(x - x0), Math.sign(y - y0)];
        const side = (by) => `${x - 6 * dx + by * dy} ${y - 6 * dy + by * dx}`;
        const isLit = comesBy(points, stations[place]);
        return svg`<g class=${isLit ? "lit" : ""}><path class="line" d=${pathOf(points)}/><path class="tip" d="M${x} ${y}L${side(3)}L${side(-3)}Z"/>
          ${isLit ? svg`<path class="light ${place % 2 ? "odd" : ""}" d=${pathOf(points)} pathLength="1"/>` : ""}</g>`;
      })}
      ${[
        [78, 14, "Encoder", "heading"],
        [234, 14, "Decoder", "heading"],
        [78, 32, "source words"],
        [234, 32, "target, moved by one"],
        [117, 332, "memory", "dim"],
        [139, 116, "× N", "dim"],
        [173, 116, "× N", "dim"],
        [234, 487, "the next words"],
        [78, 424, "press a box or a dot", "verb"],
      ].map(
        ([x, y, text, kind]) =>
          svg`<text x=${x} y=${y} class=${kind ?? ""} text-anchor="middle">${text}</text>`,
      )}</svg></fieldset>`;

  return ({ at: place }) => {
    const station = stations[place];
    const isNarrow = view.width <= 600;
    const chosen = view.read().at; // a preview chooses nothing yet
    const step = (by) => view.set({ at: (chosen + by + stations.length) % stations.length });
    const steps = html`<div class="steps">${button("Back", () => step(-1))}${button("Next", () => step(1))}</div>`;
    const code = html`<p class="code"><code>${station.code}</code></p>`;
    const note = html`<p class="note">${station.note}</p>`;
    const draw = drawing(place, chosen);
    return {
      headline: html`<b>${station.name}</b>: ${inWords(station)}.`,
      picture: isNarrow
        ? html`${map(contents[place], station.name)}${note}`
        : html`<div class="sides">${draw}<div class="panel">${code}${tables(contents[place], view.width - 368)}${note}</div></div>`,
      controls: html`${steps}${isNarrow ? draw : nothing}`,
      numbers: isNarrow ? html`${code}${tables(contents[place], view.width)}` : nothing,
      folded: isNarrow ? "The numbers" : "",
    };
  };
};

export default explorer("architecture", "The transformer, part by part", build);
