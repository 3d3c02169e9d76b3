// DilutionExplorer: what one key that leads keeps among n, over a plane of n and lead.

import { slider } from "../core/controls.js";
import { GUTTER, dragging, level, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed, short } from "../core/format.js";
import { html, nothing, svg } from "../core/lit.js";
import { pointer } from "../core/plot.js";
import { letter, number, uniqueId } from "../core/text.js";

// == compute ==================================================================================

export const weightOf = (n, gap) => 1 / (1 + (n - 1) * Math.exp(-gap));

// The lead that keeps a weight among n keys: a straight line over ln(n - 1).
export const leadFor = (n, weight) => Math.log(n - 1) + Math.log(weight / (1 - weight));

// The number of keys at a place of the slider: ten places a decade, two digits.
const countAt = (place) => Math.round(Number((10 ** (place / 10)).toPrecision(2)));

const [FIRST, LAST] = [3, 60]; // places: 2 keys, a million
const MOST = 16; // lead

// == page =====================================================================================

const HEIGHT = 300;
const TOP = 24;
const FLOOR = HEIGHT - 40;
const KEPT = [0.1, 0.5, 0.9]; // the weights of the lines
const END = 28; // right of the plane, for their names

const clamp = (x, low, high) => Math.max(low, Math.min(high, x));
const words = (n) => n.toLocaleString("en");
// A weight with three decimals; a smaller one with one digit.
const share = (weight) => (weight >= 0.01 ? fixed(weight) : String(Number(weight.toPrecision(1))));

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const clip = uniqueId("plane");
  const wide = () => view.width - GUTTER - END;
  const x = (n) => GUTTER + ((Math.log10(n) - 0.3) / 5.7) * wide();
  const y = (lead) => FLOOR - (lead / MOST) * (FLOOR - TOP);
  const ask = (event) => {
    const [across, down] = pointer(event);
    const place = FIRST + ((LAST - FIRST) * (across - GUTTER)) / wide();
    const lead = (MOST * (FLOOR - down)) / (FLOOR - TOP);
    view.set({
      n: countAt(clamp(Math.round(place), FIRST, LAST)),
      gap: clamp(Math.round(10 * lead) / 10, 0, MOST),
    });
  };
  const { down, move, click } = dragging(ask, { touch: true });
  const counts = Array.from({ length: 58 }, (_, i) => 10 ** (0.302 + (5.698 * i) / 57));

  return ({ n, gap }) => {
    const weight = weightOf(n, gap);
    const half = leadFor(n, 0.5);
    const [drawnN, drawnGap] = view.glide("where", [Math.log10(n), gap]);
    const [dotX, dotY] = [x(10 ** drawnN), y(drawnGap)];
    const lack = half - gap; // so much more lead would hold half
    const halfY = y(leadFor(10 ** drawnN, 0.5));
    const isLeft = dotX < GUTTER + wide() - 150;
    const [beside, anchor] = isLeft ? [dotX + 14, "start"] : [dotX - 14, "end"];
    const rise = y(leadFor(1e5, 0.5)) - y(leadFor(100, 0.5));
    const steep = (180 * Math.atan2(rise, x(1e5) - x(100))) / Math.PI; // of the lines
    const numberY = clamp(dotY + 6, TOP + 16, FLOOR - 20);
    return {
      headline: html`Among ${words(n)} keys a lead of ${short(gap)} keeps <b class="k">${number(weight, share(weight))}</b> of the weight.
        ${Math.abs(lack) < 0.05 ? "That is about half." : html`Half takes a lead of ${number(half, fixed(half, 2))}.`}`,
      picture: html`<svg class="chart" height=${HEIGHT} viewBox="0 0 ${view.width} ${HEIGHT}" role="img"
          aria-label="A plane: the number of keys, on a scale of tens, and the lead of one score. Straight lines join what keeps .1, .5 and .9 of the weight."
          @pointerdown=${down} @pointermove=${move} @click=${click}>
        <defs><clipPath id=${clip}><path d="M${GUTTER} ${TOP}H${px(GUTTER + wide())}V${FLOOR}H${GUTTER}z"/></clipPath></defs>
        <text class="dim" x="0" y="12">lead of one score over all others</text>
        <text class="dim" text-anchor="end" x=${view.width} y="12">keeps</text>
        ${[0, 4, 8, 12, 16].map((lead) => level(y(lead), GUTTER + wide(), String(lead)))}
        ${[10, 100, 1e3, 1e4, 1e5, 1e6]
          .filter((_, i) => view.width > 600 || i % 2)
          .map(
            (mark) => svg`
          <path class="hair" d="M${px(x(mark))} ${TOP}V${FLOOR}"/><text class="dim" text-anchor="middle" x=${px(Math.min(x(mark), view.width - 28))} y=${FLOOR + 16}>${words(mark)}</text>`,
          )}
        <text class="dim" text-anchor="middle" x=${px(GUTTER + wide() / 2)} y=${FLOOR + 34}>number of keys</text>
        <g clip-path="url(#${clip})">${KEPT.map((kept) => {
          const line = counts
            .map((each) => `${px(x(each))} ${px(y(leadFor(each, kept)))}`)
            .join("L");
          return svg`<path class="held" d="M${line}V${TOP}H${GUTTER}z"/>
            <path class=${kept === 0.5 ? "line half" : "line"} d="M${line}"/>`;
        })}</g>
        <text class="dim" x=${GUTTER + 8} y=${TOP + 18}>keeps more than .9</text>
        ${Math.hypot(dotX - x(3e3), dotY - y(8)) < 100 ? nothing : svg`<text class="dim" text-anchor="middle" transform="translate(${px(x(3e3))} ${px(y(leadFor(3e3, 0.5) + 0.5))}) rotate(${px(steep)})">about half</text>`}
        <text class="dim" text-anchor="end" x=${px(GUTTER + wide() - 8)} y=${FLOOR - 56}>less than .1</text>
        ${KEPT.map(
          (kept) =>
            svg`<text class=${kept === 0.5 ? "kept k" : "kept dim"} x=${px(GUTTER + wide() + 5)} y=${px(y(leadFor(1e6, kept)) + 4)}>${String(kept).slice(1)}</text>`,
        )}
        ${
          Math.abs(dotY - halfY) < 12
            ? nothing
            : svg`<path class="bracket" d="M${px(dotX)} ${px(dotY)}V${px(halfY)}m-5 0h10"/>`
        }
        ${
          Math.abs(dotY - halfY) < 44
            ? nothing
            : svg`<text class="lack" text-anchor=${anchor} x=${px(beside)} y=${px((dotY + halfY) / 2 + 4)}>${
                lack > 0 ? `${fixed(lack, 1)} short of half` : `${fixed(-lack, 1)} to spare`
              }</text>`
        }
        <circle class="dot" r="9" cx=${px(dotX)} cy=${px(dotY)}/>
        <text class="now" text-anchor=${anchor} x=${px(beside)} y=${px(numberY)}>${share(weight)}</text>
        <text class="verb" text-anchor=${anchor} x=${px(beside)} y=${px(numberY + 15)}>drag the dot</text></svg>`,
      more: html`
        ${slider(view, {
          key: "n",
          label: html`Number of keys ${letter("n", "")}`,
          min: FIRST,
          max: LAST,
          value: Math.round(10 * Math.log10(n)),
          text: words(n),
          say: `${words(n)} keys`,
          onInput: (place) => view.set({ n: countAt(place) }),
        })}
        ${slider(view, {
          key: "gap",
          label: "Lead of one score",
          max: 10 * MOST,
          value: Math.round(10 * gap),
          text: fixed(gap, 1),
          say: `lead ${fixed(gap, 1)}`,
          onInput: (tenth) => view.set({ gap: tenth / 10 }),
        })}`,
    };
  };
};

export default explorer("dilution", "Dilution explorer", build);
