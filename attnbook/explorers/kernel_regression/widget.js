// KernelRegressionExplorer: regression by a Gaussian kernel, as attention over the points.

import {
  argsortDown,
  dot,
  sliderPosition,
  softmax,
  sum,
  temperatureAt,
  temperatureUnder,
} from "../core/compute.js";
import { idOf, numberCell, slider } from "../core/controls.js";
import {
  GUTTER,
  INSET,
  following,
  level,
  mayScroll,
  pathOf,
  putDown,
  px,
} from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { countWord, fixed, short, weightColor, weightText } from "../core/format.js";
import { covering, placeLabels, placesBeside, textWidth } from "../core/labels.js";
import { html, nothing, svg } from "../core/lit.js";
import { pointer, scaleLinear } from "../core/plot.js";
import { drawnLetter, letter, number } from "../core/text.js";

// == compute ==================================================================================

export const nearness = (query, key) => -((query - key) * (query - key)) / 2;

// The weights of the points for a query, and the mean of the values that they give. The temperature
// is the squared bandwidth.
export function regress(keys, values, query, temperature) {
  const weights = softmax(
    keys.map((key) => nearness(query, key)),
    temperature,
  );
  return { weights, output: dot(weights, values) };
}

// The weight that a point would have if it stood at the query: how high the kernel is, scaled as
// the weights are. Infinite where no number is large enough. Not for temperature 0.
export function kernelPeak(keys, weights, query, temperature) {
  const nearest = argsortDown(weights)[0];
  return weights[nearest] * Math.exp(-nearness(query, keys[nearest]) / temperature);
}

// How many of the heaviest points hold 95 % of the weight.
export function holders(weights) {
  let held = 0;
  return 1 + argsortDown(weights).findIndex((i) => (held += weights[i]) >= 0.95 - 1e-9);
}

// An axis over a range: round marks, and a finer grid for the places of a slider.
export function axisOver(low, high) {
  if (high - low < 1e-9 * Math.max(1, Math.abs(low))) [low, high] = [low - 1, high + 1];
  const raw = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const [lead, fine] = [
    [1, 0.02],
    [2, 0.05],
    [5, 0.1],
  ].find(([x]) => x * power >= raw * 0.999) ?? [10, 0.2];
  const [mark, step] = [lead * power, fine * power];
  const first = Math.floor(low / mark + 1e-9);
  const last = Math.ceil(high / mark - 1e-9);
  const count = Math.round(((last - first) * mark) / step);
  // The decimals of a step, and some more.
  const decimalsOf = (x, more = 0) =>
    Math.min(12, Math.max(0, more - Math.floor(Math.log10(x) + 1e-9)));
  const at = (place) => Number((first * mark + place * step).toPrecision(12));
  const [start, end] = [at(0), at(count)];
  return {
    low: start,
    high: end,
    count,
    at,
    decimals: decimalsOf(step),
    marks: Array.from({ length: last - first + 1 }, (_, i) => (first + i) * mark),
    share: (x) => (x - start) / (end - start),
    nearest: (share) => at(Math.round(Math.max(0, Math.min(1, share)) * count)),
    text: (x) => fixed(x, decimalsOf(step)),
    fineText: (x) => fixed(x, Math.min(6, decimalsOf(step, 2))), // for what is computed
    markText: (x) => fixed(x, decimalsOf(mark)),
  };
}

// An axis over what is there now and was at the start, so that it stays while points are dragged;
// over what is there alone if that would be a small part.
function axisFor(now, before) {
  const range = (x) => [Math.min(...x), Math.max(...x)];
  const [own, all] = [range(now), range([...now, ...before])];
  return axisOver(...(own[1] - own[0] < 0.1 * (all[1] - all[0]) ? own : all));
}

// Which power of ten stands in the middle of the slider of bandwidths.
export const bandwidthPower = (axis) => Math.round(Math.log10((axis.high - axis.low) / 5));

// How many decimals show all the numbers exactly, if no more than `most` do.
export const enoughDecimals = (numbers, most) =>
  Array.from({ length: most }, (_, digits) => digits).find((digits) =>
    numbers.every((x) => Number(x.toFixed(digits)) === x),
  ) ?? most;

// 10 to a whole power: 0.1, 1, 10, 10³.
export const powerText = (power) =>
  Math.abs(power) <= 2
    ? short(10 ** power)
    : `10${[...String(power)].map((x) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(x)]).join("")}`;

// The bandwidth at a position 0..100 of the slider, with two digits; `power` is in the middle.
export const bandwidthAt = (position, power) =>
  Number((temperatureAt(position) * 10 ** power).toPrecision(2));

// == page =====================================================================================

const WEIGHT_TOPS = [0.02, 0.05, 0.1, 0.2, 0.5, 1];
const [FIT_TOP, FIT_BOTTOM, BAR_TOP, BAR_BOTTOM, HEIGHT] = [40, 252, 290, 366, 392];

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const start = view.read();
  const n = start.x.length;
  const about =
    `${n} points and the curve fitted to them, with the query as a vertical line. Under them, ` +
    "on the same axis, the weight of each point as a bar. The table has the numbers.";
  let [axis, scale, data] = [null, null, ""];
  let pointed = -1; // the point under the mouse
  /** @type {(event: PointerEvent) => number[]} of the axes, for a pointer */
  let shares = () => [0, 0];

  // The picture is pressed or dragged over to ask from there; under a mouse it answers before.
  const queryAt = (event) => ({ query: axis.nearest(shares(event)[0]) });
  const hand = following(view, queryAt);
  // A point is dragged itself.
  const ownPoint = (i) => ({
    down(event) {
      event.stopPropagation();
      putDown(event);
      if (event.button === 0) event.currentTarget.setPointerCapture(event.pointerId);
    },
    move(event) {
      event.stopPropagation();
      const { x, y } = view.read();
      if (event.currentTarget.hasPointerCapture(event.pointerId)) {
        if (mayScroll(event)) return;
        const [across, up] = shares(event);
        view.set({ x: x.with(i, axis.nearest(across)), y: y.with(i, scale.nearest(up)) });
      } else if (event.pointerType === "mouse") {
        pointed = i;
        view.preview(queryAt(event));
      }
    },
    leave() {
      pointed = -1;
      view.again();
    },
    click: (event) => event.stopPropagation(), // else the query would come
  });
  const own = start.x.map((_, i) => ownPoint(i));

  // The estimates at all places of the axis; the query does not change them.
  let [fit, fitOf] = [[], ""];
  function fitted(keys, values, t) {
    const text = JSON.stringify([data, axis.low, axis.high, t]);
    if (text !== fitOf) {
      fit = Array.from({ length: axis.count + 1 }, (_, place) =>
        regress(keys, values, axis.at(place), t),
      );
      fitOf = text;
    }
    return fit;
  }

  // The points with the fit, and under them the weights, over one axis, which is the slider below.
  function chart(keys, values, q, t, drawnT) {
    const { width } = view;
    const numbers = scale.marks.map(scale.markText);
    const gutter = Math.max(GUTTER, ...numbers.map((text) => 8 + Math.ceil(textWidth(text)))); // for long ones
    const left = gutter + INSET;
    const span = width - left - INSET;
    const x = (key) => left + span * axis.share(key);
    const y = (v) => FIT_BOTTOM - (FIT_BOTTOM - FIT_TOP) * scale.share(v);
    shares = (event) => {
      const [across, down] = pointer(event, view.root.querySelector(".chart"));
      return [(across - left) / span, (FIT_BOTTOM - down) / (FIT_BOTTOM - FIT_TOP)];
    };

    const results = fitted(keys, values, drawnT);
    const path = results.map(({ output }, place) => [x(axis.at(place)), y(output)]);
    const { weights, output } = regress(keys, values, q, drawnT);
    // Bars of equal keys are stacked: how many points before this one have the same key.
    const below = keys.map((key, i) => keys.slice(0, i).filter((other) => other === key).length);
    const most = Math.max(
      3 / n,
      ...results.map((each) =>
        each.weights.reduce((highest, w, i) => Math.max(highest, w * (1 + below[i])), 0),
      ),
    );
    const top = WEIGHT_TOPS.find((each) => each >= most - 1e-9) ?? 1;
    const barY = scaleLinear({ domain: [0, top], range: [BAR_BOTTOM, BAR_TOP] });
    const line = (height, text, role = "hair") =>
      level(Math.round(height), width, text, { gutter, role });
    const uniform = barY(1 / n);
    const hasRoom = Math.min(BAR_BOTTOM - uniform, uniform - BAR_TOP) > 11;
    // Long numbers under the axis: every second one, say.
    const widest = 8 + Math.max(...axis.marks.map((key) => textWidth(axis.markText(key))));
    const stride = Math.ceil((widest * (axis.marks.length - 1)) / span);
    const within = (middle, text) =>
      px(Math.max(gutter + textWidth(text) / 2, Math.min(width - textWidth(text) / 2, middle)));

    // The kernel, through the tops of the bars. Where the query is so far from all keys that it would
    // leave the panel, it is lowered as a whole: it stays a bell.
    const peak = drawnT === 0 ? 0 : kernelPeak(keys, weights, q, drawnT);
    const from = Math.max(axis.low, q - 5 * Math.sqrt(drawnT));
    const step = (Math.min(axis.high, q + 5 * Math.sqrt(drawnT)) - from) / 120;
    const kernel =
      drawnT === 0
        ? ""
        : pathOf(
            Array.from({ length: 121 }, (_, i) => [
              x(from + i * step),
              barY(Math.min(top, peak) * Math.exp(nearness(q, from + i * step) / drawnT)),
            ]),
          );
    const kernelText = peak > top ? ", a lowered kernel around " : ", from a kernel around ";

    const [said, estimate] = [
      ` = ${axis.text(q)}`,
      ` = ${scale.fineText(regress(keys, values, q, t).output)}`,
    ];
    const covered = covering(
      [...path, ...keys.flatMap((key, i) => Array(16).fill([x(key), y(values[i])]))],
      4,
    );
    const [box] = placeLabels(
      [
        placesBeside(
          x(q),
          y(output),
          textWidth(`o${estimate}`) + 8,
          { from: gutter, to: width, top: FIT_TOP, bottom: FIT_BOTTOM },
          { height: 16, offs: [14, 28, 42, 56, 70], cost: 1 / 8 },
        ),
      ],
      covered,
    );
    const highest = argsortDown(values)[0]; // it says what to do with points
    const isLeft = x(keys[highest]) < width / 2;
    const thick = Math.max(3, Math.min(12, (0.6 * span) / n));
    // The line has a gap where it would run through a title.
    const [first, second] = ["value v, estimate o", `weight α of each key k${kernelText}q`].map(
      (text) => x(q) < textWidth(text) + 8,
    );
    const cursor = `M${px(x(q))} ${first ? FIT_TOP - 4 : 20}${second ? `V${BAR_TOP - 24}M${px(x(q))} ${BAR_TOP - 4}` : ""}V${BAR_BOTTOM + 8}`;
    return html`<svg class="chart" height=${HEIGHT} viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label=${about}
      @pointerdown=${hand.down} @pointermove=${hand.move} @click=${hand.click} @pointerleave=${view.unlook}>
      ${scale.marks.map((v, i) => line(y(v), numbers[i]))}${line(BAR_TOP, short(top))}${line(BAR_BOTTOM, "0")}${line(uniform, hasRoom ? `1/${n}` : "", "uniform")}
      <text class="k" y=${HEIGHT - 8}>key ${drawnLetter("k")}</text>
      ${axis.marks.filter((_, i) => i % stride === 0).map((key) => svg`<text class="dim" text-anchor="middle" y=${HEIGHT - 8} x=${within(x(key), axis.markText(key))}>${axis.markText(key)}</text>`)}
      <path class="cursor" d=${cursor}/>
      <path class="curve" d=${pathOf(path)}/>
      ${keys.map((key, i) => svg`<circle class="point ${i === pointed ? "lit" : ""}" r="5" cx=${px(x(key))} cy=${px(y(values[i]))} fill-opacity=${Math.min(1, Math.sqrt(weights[i] / top)).toFixed(2)}/>`)}
      ${keys.map((key, i) => svg`<rect class="weight ${i === pointed ? "lit" : ""}" x=${px(x(key) - thick / 2)} width=${px(thick)} y=${px(barY(weights[i] * (1 + below[i])))} height=${px(BAR_BOTTOM - barY(weights[i]))} fill=${weightColor(weights[i])}/>`)}
      <path class="feet" d=${keys.map((key) => `M${px(x(key))} ${BAR_BOTTOM + 1}v6`).join("")}/>
      <path class="kernel" d=${kernel}/>
      <text class="dim halo" y=${FIT_TOP - 10}>value ${drawnLetter("v")}, estimate ${drawnLetter("o")}</text>
      <text class="dim halo" y=${BAR_TOP - 10}>weight ${drawnLetter("α", "")} of each key ${drawnLetter("k")}${kernelText}${drawnLetter("q")}</text>
      <text class="q strong halo" text-anchor="middle" y="14" x=${within(x(q), `q${said}`)}>${drawnLetter("q")}${said}</text>
      <text class="verb" text-anchor="middle" y="14" x=${px(x(q) + (x(q) < width - 90 ? 1 : -1) * (textWidth(said) / 2 + 34))}>move ↔</text>
      <text class="verb halo" text-anchor=${isLeft ? "start" : "end"} x=${px(x(keys[highest]) + (isLeft ? 10 : -10))} y=${px(y(values[highest]) + 4)}>drag</text>
      <circle class="estimate" r="6" cx=${px(x(q))} cy=${px(y(output))}/>
      <text class="o strong halo" x=${px(box.left + 4)} y=${px(box.top + 12)}>${drawnLetter("o")}${estimate}</text>
      ${pointed < 0 ? nothing : svg`<text class="strong halo" text-anchor="middle" x=${within(x(keys[pointed]), "0.000")} y=${px(Math.max(BAR_TOP + 8, barY(weights[pointed] * (1 + below[pointed])) - 6))}>${weightText(weights[pointed])}</text>`}
      ${keys.map((key, i) => svg`<circle class="hit" r="13" cx=${px(x(key))} cy=${px(y(values[i]))} @pointerdown=${own[i].down} @pointermove=${own[i].move} @pointerleave=${own[i].leave} @click=${own[i].click}/>`)}</svg>
      <div style="margin-left: ${gutter}px">${slider(view, {
        key: "q",
        label: html`Query ${letter("q")}`,
        max: axis.count,
        value: Math.round(axis.share(q) * axis.count),
        text: axis.text(q),
        say: `query ${axis.text(q)}`,
        onInput: (place) => view.set({ query: axis.at(place) }),
      })}</div>
`;
  }

  const bandwidthSlider = (sigma, power) => {
    const id = idOf(view, "sigma");
    /** @type {HTMLInputElement | null} */
    const range = view.root.querySelector(`[id="${id}"]`);
    // The slider has 101 places; a bandwidth set from Python may lie between two of them.
    const place =
      range && bandwidthAt(range.valueAsNumber, power) === sigma
        ? range.valueAsNumber
        : Math.round(sliderPosition(sigma / 10 ** power));
    return html`<div class="control"><label for=${id}>Bandwidth ${letter("σ", "")}</label><output for=${id} aria-hidden="true">${short(sigma)}</output>
      <input id=${id} type="range" min="0" max="100" data-now=${place} @input=${({ target }) => view.set({ bandwidth: bandwidthAt(target.valueAsNumber, power) })}
        aria-valuetext=${
          sigma === 0
            ? "bandwidth 0: the nearest point takes all"
            : sigma === Infinity
              ? "bandwidth infinite: the mean of all points"
              : `bandwidth ${short(sigma)}, temperature ${short(sigma * sigma)}`
        }>
      <div class="ends" aria-hidden="true"><span>0 nearest</span>${[-1, 0, 1].map((by) => html`<span>${powerText(power + by)}</span>`)}<span>mean ∞</span></div></div>`;
  };

  const table = (keys, values, { weights, output }) => {
    const digits = [keys, values].map((column, i) =>
      enoughDecimals(column, [axis, scale][i].decimals + 1),
    );
    const cell = (i, name, column, role) =>
      numberCell(view, {
        label: `${name === "x" ? "key" : "value"} of point ${i + 1}`,
        role,
        value: Number(column[i].toFixed(digits[name === "x" ? 0 : 1])),
        onInput: (to) => view.set({ [name]: column.with(i, to) }),
      });
    return html`<table><caption class="unseen">All points</caption><thead><tr><th scope="col">point</th><th scope="col">key ${letter("k")}</th>
        <th scope="col">value ${letter("v")}</th><th scope="col">weight ${letter("α", "")}</th><th scope="col">${letter("α", "")} × ${letter("v")}</th></tr></thead>
      <tbody>${keys.map(
        (
          _,
          i,
        ) => html`<tr><th scope="row">${i + 1}</th>${cell(i, "x", keys, "k")}${cell(i, "y", values, "v")}
        <td>${number(weights[i], weightText(weights[i]))}</td><td>${number(weights[i] * values[i], scale.fineText(weights[i] * values[i]))}</td></tr>`,
      )}</tbody>
      <tfoot><tr><th scope="row" colspan="3">sum</th><td>${number(sum(weights), weightText(sum(weights)))}</td><td class="o">${number(output, scale.fineText(output))}</td></tr></tfoot></table>`;
  };

  return ({ x: keys, y: values, query: q, bandwidth: sigma }) => {
    const newData = JSON.stringify([keys, values]);
    // The axes follow the points; that of the keys grows where a query outside of it is set.
    if (newData !== data || q < axis.low || q > axis.high) axis = axisFor([...keys, q], start.x);
    if (newData !== data) scale = axisFor(values, start.y);
    data = newData;
    const power = bandwidthPower(axis);
    const t = sigma * sigma;
    const place = sliderPosition(sigma / 10 ** power);
    const drawn = view.glide("sigma", place);
    const drawnSigma = drawn === place ? sigma : temperatureUnder(drawn) * 10 ** power;
    const now = regress(keys, values, q, t);
    const estimate = html`<b class="o">${letter("o")} = ${number(now.output, scale.fineText(now.output))}</b>`;
    const [sharing, held] = [now.weights.filter((w) => w > 0).length, holders(now.weights)];
    return {
      headline: html`${letter("σ", "")} = ${number(sigma, short(sigma))}, so ${letter("T", "")} = ${letter("σ", "")}² = ${number(t, short(t))}. At ${letter(
        "q",
      )} = ${number(q, axis.text(q))}: ${
        t === Infinity
          ? html`all ${n} points weigh the same, ${estimate} is the mean.`
          : t === 0 && sharing > 1
            ? html`the ${countWord(sharing)} nearest points share, ${estimate}.`
            : t === 0
              ? html`the nearest point gives ${estimate}.`
              : html`${estimate}; ${held} of ${n} points hold${held === 1 ? "s" : ""} 95 % of the weight.`
      }`,
      picture: chart(keys, values, q, t, drawnSigma * drawnSigma),
      controls: bandwidthSlider(sigma, power),
      numbers: table(keys, values, now),
      folded: "The numbers",
    };
  };
};

export default explorer("regression", "Kernel regression explorer", build);
