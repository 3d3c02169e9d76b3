// DilutionExplorer: what one key that leads keeps among n.

import { slider } from "../core/controls.js";
import { GUTTER, dragging, level, pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed, short } from "../core/format.js";
import { html, nothing, svg } from "../core/lit.js";
import { pointer } from "../core/plot.js";
import { drawnLetter, letter, number } from "../core/text.js";

// == compute ==================================================================================

const weightOf = (n, gap) => 1 / (1 + (n - 1) * Math.exp(-gap));

// The number of keys at a place of the slider: ten places a decade, two digits.
const countAt = (place) => Math.round(Number((10 ** (place / 10)).toPrecision(2)));

const [FIRST, LAST] = [3, 60]; // places: 2 keys, a million

// == page =====================================================================================

const HEIGHT = 260;
const TOP = 30;
const FLOOR = HEIGHT - 28;
const GAPS = [0, 4, 8, 12]; // of the curves behind

const words = (n) => n.toLocaleString("en");
// A weight with three decimals; a smaller one with one digit.
const share = (weight) => (weight >= 0.01 ? fixed(weight) : String(Number(weight.toPrecision(1))));

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const x = (n) => GUTTER + ((Math.log10(n) - 0.3) / 5.7) * (view.width - GUTTER - 16);
  const y = (weight) => FLOOR - weight * (FLOOR - TOP);
  const curve = (gap) =>
    pathOf(
      Array.from({ length: 96 }, (_, i) => 10 ** (0.3 + (5.7 * i) / 95)).map((n) => [
        x(n),
        y(weightOf(n, gap)),
      ]),
    );
  const ask = (event) => {
    const part = (pointer(event)[0] - GUTTER) / (view.width - GUTTER - 16);
    view.set({ n: countAt(Math.max(FIRST, Math.min(LAST, Math.round(3 + 57 * part)))) });
  };
  const { down, move, click } = dragging(ask);
  view.play({
    name: "Play",
    ms: () => 120,
    rewind: () => ({ n: 2 }),
    step: ({ n }) => {
      const place = Math.round(10 * Math.log10(n)) + 1;
      return place > LAST ? null : { n: countAt(place) };
    },
  });

  return ({ n, gap }) => {
    const weight = weightOf(n, gap);
    const half = Math.log(n - 1);
    const [drawnN, drawnGap] = view.glide("where", [Math.log10(n), gap]);
    const dot = 10 ** drawnN;
    const until = Math.exp(drawnGap) + 1; // so many keys, and it holds half
    return {
      headline: html`Among ${words(n)} keys a lead of ${short(gap)} keeps <b class="k">${number(weight, share(weight))}</b> of the weight.
        Half would take ${number(half, fixed(half, 2))}.`,
      picture: html`<svg class="chart" height=${HEIGHT} viewBox="0 0 ${view.width} ${HEIGHT}" role="img"
          aria-label="The weight of the key that leads against the number of keys, on a scale of tens."
          @pointerdown=${down} @pointermove=${move} @click=${click}>
        <text class="dim" x="0" y="12">weight ${drawnLetter("α", "")} of the key that leads</text>
        ${[0, 0.5, 1].map((mark) => level(y(mark), view.width - 16, String(mark)))}
        ${[10, 100, 1e3, 1e4, 1e5, 1e6]
          .filter((_, i) => view.width > 600 || i % 2)
          .map(
            (mark) => svg`
          <path class="hair" d="M${px(x(mark))} ${TOP}V${FLOOR + 4}"/><text class="dim" text-anchor="middle" x=${px(Math.min(x(mark), view.width - 28))} y=${FLOOR + 18}>${words(mark)}</text>`,
          )}
        ${GAPS.map((each) => svg`<path class="faint" d=${curve(each)}/>`)}
        <path class="curve" d=${curve(drawnGap)}/>
        ${until >= 2 && until <= 1e6 ? svg`<path class="until" d="M${px(x(until))} ${px(y(0.5))}V${FLOOR}"/>` : nothing}
        <circle class="dot" r="7" cx=${px(x(dot))} cy=${px(y(weightOf(dot, drawnGap)))}/></svg>`,
      controls: html`
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
          max: 160,
          value: Math.round(10 * gap),
          text: fixed(gap, 1),
          say: `lead ${fixed(gap, 1)}`,
          onInput: (tenth) => view.set({ gap: tenth / 10 }),
        })}
`,
    };
  };
};

export default explorer("dilution", "Dilution explorer", build, {
  nudge: ({ n }) => ({ n: Math.max(2, Math.min(1e6, n * 8)) }),
});
