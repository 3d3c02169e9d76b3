// RotaryBench: a query and a key as hands of clocks, turned by their positions.

import { dot, sum } from "../core/compute.js";
import { idOf, tick } from "../core/controls.js";
import { dragging, pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed, listed, short } from "../core/format.js";
import { html, nothing, svg } from "../core/lit.js";
import { handle, pointText } from "../core/points.js";
import { frequency, turned } from "../core/positions.js";
import { drawnLetter, letter, number } from "../core/text.js";
import { rowsOf } from "../core/traits.js";

// == compute ==================================================================================

const POSITIONS = 64;

// Angle by which each pair turns from one position to the next.
const ratesOf = ({ query_vector: { length: dim }, base }) =>
  Array.from({ length: dim / 2 }, (_, r) => frequency(2 * r, { dim, base }));

// What each pair adds to the score at an offset of the key from the query.
export function shares(facts, offset) {
  const rates = ratesOf(facts);
  const keys = rowsOf(facts.key_vector, 2);
  return rowsOf(facts.query_vector, 2).map((pair, r) =>
    dot(pair, turned(keys[r], offset * rates[r])),
  );
}

// Where both positions are when one of them has been moved and the other goes along.
export function along([i, j], [newI, newJ]) {
  const step = newI - i + newJ - j;
  const both = Math.max(-Math.min(i, j), Math.min(POSITIONS - 1 - Math.max(i, j), step));
  return [i + both, j + both];
}

// The positions at an offset: the query stays if it can.
export function atOffset(i, offset) {
  const j = Math.max(0, Math.min(POSITIONS - 1, i + offset));
  return [j - offset, j];
}

// What was dragged to a point on a clock, before turning: two decimals, no longer than the radius.
export function unturned(point, angle, radius) {
  const scale = Math.min(1, radius / Math.max(1e-12, Math.hypot(...point)));
  return turned(point, -angle).map((x) => Math.round(100 * scale * x) / 100 + 0);
}

// Degrees of radians, from −180 to 180.
export const degrees = (angle) => {
  const turns = (angle / (2 * Math.PI)) % 1;
  return 360 * (turns > 0.5 ? turns - 1 : turns < -0.5 ? turns + 1 : turns);
};

// == page =====================================================================================

const SPACE = 20; // between clocks
const PUCK = 16; // the thumb of a slider of one position
const BAR = 64; // and at least that of both

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const start = view.read();
  const rates = ratesOf(start);
  const longest = Math.max(
    ...[start.query_vector, start.key_vector].flatMap((x) =>
      rowsOf(x, 2).map((pair) => Math.hypot(...pair)),
    ),
  );
  const radius = Math.ceil(2.5 * Math.max(longest, 0.5)) / 2;

  const move = (i, j) => {
    const { query_position, key_position, together } = view.read();
    const [query, key] = together ? along([query_position, key_position], [i, j]) : [i, j];
    view.set({ query_position: query, key_position: key });
  };
  const walked = ({ query_position: i, key_position: j }, steps) => {
    const [query, key] = along([i, j], [i + steps, j]);
    return { query_position: query, key_position: key };
  };
  view.play({
    step: (now) =>
      Math.max(now.query_position, now.key_position) < POSITIONS - 1 ? walked(now, 1) : null,
    rewind: (now) => walked(now, -POSITIONS),
    ms: () => 160,
  });

  const hands = rates.map((rate, r) =>
    ["query", "key"].map((whose) =>
      handle(
        `${whose}, pair ${r}`,
        (point) => {
          const now = view.read();
          const [x, y] = unturned(point, now[`${whose}_position`] * rate, radius);
          view.set({
            [`${whose}_vector`]: now[`${whose}_vector`].with(2 * r, x).with(2 * r + 1, y),
          });
        },
        [radius, radius],
      ),
    ),
  );

  // One pair: two hands on a face, and the angle between them.
  function clock(r, size, pairs, places, share) {
    const height = Math.min(232, size);
    const raw = pairs.map((pair) => pair[r]);
    const tips = raw.map((pair, n) => turned(pair, places[n] * rates[r]));
    const far = Math.max(radius, ...raw.map((pair) => Math.hypot(...pair)));
    const unit = (height - 40) / 2 / far;
    const [cx, cy] = [size / 2, height / 2];
    const on = ([x, y]) => [cx + unit * x, cy - unit * y];
    const ends = tips.map(on);
    const [from, to] = tips.map(([x, y]) => Math.atan2(y, x));
    const angle = (degrees(to - from) * Math.PI) / 180;
    const reach = Math.min(26, 0.4 * unit * radius);
    const rim = (turn) => `${px(cx + reach * Math.cos(turn))} ${px(cy - reach * Math.sin(turn))}`;
    const isFlat = raw.some((pair) => Math.hypot(...pair) === 0);
    const roles = ["q", "k"];
    return html`<div class="face"><p class="about"><b>pair ${r}</b> adds <b>${fixed(share, 2)}</b></p>
      <div class="clock"><svg height=${height} viewBox="0 0 ${size} ${height}" role="group"
        aria-label="Pair ${r}: the query and the key as hands, turned by their positions.">
        <circle class="ring" cx=${cx} cy=${cy} r=${px(unit * radius)}></circle>
        <path class="hair" d="M${px(cx - unit * radius)} ${cy}h${px(2 * unit * radius)}M${cx} ${px(cy - unit * radius)}v${px(2 * unit * radius)}"></path>
        ${isFlat ? nothing : svg`<path class="angle" d="M${cx} ${cy}L${rim(from)}A${reach} ${reach} 0 0 ${angle > 0 ? 0 : 1} ${rim(from + angle)}Z"></path>`}
        ${roles.map((role, n) => svg`<path class="ghost ${role}" d=${pathOf([[cx, cy], on(raw[n])])}></path>`)}
        ${roles.map((role, n) => svg`<path class="hand ${role}" d=${pathOf([[cx, cy], ends[n]])}></path>`)}
        ${roles.map((role, n) => {
          const long = Math.hypot(...tips[n]) || 1;
          const [x, y] = on(tips[n].map((item) => item + (16 / unit) * (item / long)));
          return svg`<circle class="end ${role}" r="5" cx=${px(ends[n][0])} cy=${px(ends[n][1])}></circle>
            <text class="${role} strong halo" text-anchor="middle" x=${px(x)} y=${px(y + 4)}>${drawnLetter(role)}</text>`;
        })}</svg>
        ${hands[r].map((hand, n) => hand(tips[n], ends[n], unit, `${pointText(raw[n])}, turned to ${pointText(tips[n])}`))}</div>
      <p class="small">${Number(degrees(rates[r]).toPrecision(3))}° a position${isFlat ? "" : `; ${fixed((angle * 180) / Math.PI, 0)}° from q to k`}</p></div>`;
  }

  // The score at every offset. A press chooses one.
  let drawn = ""; // for what `line` is
  let line = "";
  function curve(now, size, height, offset, score) {
    const [q, k] = [now.query_vector, now.key_vector].map((x) => rowsOf(x, 2));
    const most = Math.max(1e-9, sum(q.map((pair, r) => Math.hypot(...pair) * Math.hypot(...k[r]))));
    const last = POSITIONS - 1;
    const [left, right] = [8, size - 8];
    const x = (k) => left + ((k + last) / (2 * last)) * (right - left);
    const y = (value) => (height - 24) / 2 - (value / most) * (height / 2 - 28);
    const key = String([now.query_vector, now.key_vector, size, height]);
    if (key !== drawn) {
      const places = Array.from({ length: 2 * last * 6 + 1 }, (_, n) => n / 6 - last);
      line = pathOf(places.map((place) => [x(place), y(sum(shares(now, place)))]));
      drawn = key;
    }
    const asked = (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      const k = Math.round(
        ((((event.clientX - box.left) / box.width) * size - left) / (right - left) - 0.5) *
          2 *
          last,
      );
      const [i, j] = atOffset(view.read().query_position, Math.max(-last, Math.min(last, k)));
      return { query_position: i, key_position: j };
    };
    const hand = dragging((event) => view.set(asked(event)));
    const hover = (event) => {
      hand.move(event);
      if (event.pointerType === "mouse" && !event.buttons && !view.player.isOn)
        view.preview(asked(event));
    };
    const [cx, cy] = [x(offset), y(score)];
    return html`<svg class="curve" height=${height} viewBox="0 0 ${size} ${height}" role="img"
      aria-label="The score against the offset of the key from the query, with a dot at the offset now."
      @pointerdown=${hand.down} @pointermove=${hover} @pointerleave=${view.unlook} @click=${hand.click}>
      <rect class="ground" width=${size} height=${height}></rect>
      <path class="hair" d="M${left} ${px(y(0))}H${right}M${px(x(0))} 4V${height - 20}M${left} ${px(y(0) - 5)}v10M${right} ${px(y(0) - 5)}v10"></path>
      <path class="line" d=${line}></path>
      ${[
        [-last, "start", `−${last}`],
        [0, "middle", "offset 0"],
        [last, "end", `+${last}`],
      ].map(
        ([k, anchor, text]) =>
          svg`<text class="dim" text-anchor=${anchor} x=${px(x(k))} y=${height - 4}>${text}</text>`,
      )}
      <text class="dim halo" x=${px(x(0) + 5)} y=${px(y(most) - 4)}>${short(Number(most.toPrecision(2)))}</text>
      <path class="drop" d="M${px(cx)} ${px(cy)}V${height - 20}"></path>
      <circle class="here" r="6" cx=${px(cx)} cy=${px(cy)}></circle>
      <text class="strong halo" x=${px(cx)} y=${px(cy + (score > 0 ? -12 : 24))}
        text-anchor=${offset > 40 ? "end" : offset < -40 ? "start" : "middle"}>${fixed(score, 2)}</text></svg>`;
  }

  // Both positions on one scale, and between them a bar that moves both.
  function ruler({ query_position: i, key_position: j, together }) {
    const far = Math.abs(j - i);
    const one = (
      key,
      label,
      role,
      value,
      onInput,
    ) => html`<label for=${idOf(view, key)} class=${role}><span class="unseen">Position </span>${letter(
      key,
      role,
    )} <span class="long">of the ${label}</span> = ${value}</label>
      <input id=${idOf(view, key)} class=${role} type="range" min="0" max=${POSITIONS - 1} aria-label="Position ${key} of the ${label}" data-now=${value}
        @input=${(event) => onInput(event.target.valueAsNumber)}>`;
    const isNarrow = view.width <= 600;
    const label = isNarrow ? 92 : 160;
    const room = (isNarrow ? view.width : 0.75 * view.width - 6) - label - 16 - PUCK; // from 0 to 63
    const long = (room * far) / (POSITIONS - 1);
    return html`<div class="ruler" style="--label: ${label}px; --long: ${px(Math.max(BAR, long))}px; --more: ${px(Math.max(0, BAR - long))}px">
      ${one("i", "query", "q", i, (to) => move(to, j))}
      ${tick("move both", together, (checked) => view.set({ together: checked }))}
      <div class="track"><input class="both ${j < i ? "back" : ""}" type="range" min="0" max=${POSITIONS - 1 - far} aria-label="Both positions"
        aria-valuetext="query ${i}, key ${j}" data-now=${Math.min(i, j)}
        @input=${(event) => view.set(walked(view.read(), event.target.valueAsNumber - Math.min(i, j)))}></div>
      ${one("j", "key", "k", j, (to) => move(i, to))}</div>`;
  }

  return (now) => {
    const { query_vector, key_vector, query_position: i, key_position: j } = now;
    const parts = shares(now, j - i);
    const score = sum(parts);
    const pairs = [query_vector, key_vector].map((x) => rowsOf(x, 2));
    const places = view.glide("places", [i, j]);
    const columns = view.width <= 600 ? 2 : 3;
    const size = Math.floor((view.width - (columns - 1) * SPACE) / columns);
    // The curve takes what is left of the last row; on a phone a row of its own.
    const left = columns - (rates.length % columns);
    const wide = view.width <= 600 ? columns : left;
    const curveSize = wide * size + (wide - 1) * SPACE;
    const height = wide === columns ? 150 : Math.min(232, size);
    const [shown, offset] = view.glide("dot", [score, j - i]);
    return {
      headline: html`Offset ${letter("j", "k")} − ${letter("i", "q")} = ${short(j - i)}: score <b>${number(score, fixed(score, 4))}</b>.${
        parts.length === 2 ? ` The pairs add ${listed(parts.map((part) => fixed(part, 2)))}.` : ""
      }`,
      picture: html`<div class="faces" style="--columns: ${columns}">${rates.map((_, r) => clock(r, size, pairs, places, parts[r]))}
        <div class="face" style="grid-column: span ${wide}"><p class="about"><b>score</b> by offset</p>${curve(now, curveSize, height, offset, shown)}
        <p class="small">Drag the end of a hand, or press it and then a place. Dashed: before turning.</p></div></div>`,
      controls: ruler(now),
    };
  };
};

export default explorer("rotary", "Rotary bench", build);
