// RotaryBench: a query and a key as hands of clocks, turned by their positions.

import { dot, sum } from "../core/compute.js";
import { dragging, pathOf, px } from "../core/drawing.js";
import { explorer } from "../core/explorer.js";
import { fixed, short } from "../core/format.js";
import { html, nothing, svg } from "../core/lit.js";
import { handle, pointText } from "../core/points.js";
import { frequency, turned, wayBack } from "../core/positions.js";
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
const [SMALL, LARGE] = [190, 250]; // px: how high a clock is
const PUCK = 16; // the thumb of a slider of one position
const BAR = 64; // and at least that of both
const WAVE = 150; // how high the curve is

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

  const back = wayBack(view, ({ query_position: i, key_position: j }) => [i, j], ".curve");

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
  function clock(r, size, pairs, places, ghosts, share) {
    const height = Math.min(view.width > 600 ? LARGE : SMALL, size);
    const raw = pairs.map((pair) => pair[r]);
    const far = Math.max(radius, ...raw.map((pair) => Math.hypot(...pair)));
    const unit = (height - 40) / 2 / far;
    const [cx, cy] = [size / 2, height / 2];
    const on = ([x, y]) => [cx + unit * x, cy - unit * y];
    const turnedTo = (at) => raw.map((pair, n) => turned(pair, at[n] * rates[r]));
    const tips = turnedTo(places);
    const ends = tips.map(on);
    const isFlat = raw.some((pair) => Math.hypot(...pair) === 0);
    const between = ([q, k]) =>
      (degrees(Math.atan2(k[1], k[0]) - Math.atan2(q[1], q[0])) * Math.PI) / 180;
    const reach = Math.min(26, 0.4 * unit * radius);
    const angle = between(tips);
    const wedge = (role, hands) => {
      const start = Math.atan2(hands[0][1], hands[0][0]);
      const rim = (turn) => `${px(cx + reach * Math.cos(turn))} ${px(cy - reach * Math.sin(turn))}`;
      return svg`<path class=${role} d="M${cx} ${cy}L${rim(start)}A${reach} ${reach} 0 0 ${angle > 0 ? 0 : 1} ${rim(start + between(hands))}Z"></path>`;
    };
    const roles = ["q", "k"];
    return html`<div class="face"><div class="clock"><svg height=${height} viewBox="0 0 ${size} ${height}" role="group"
        aria-label="Pair ${r}: the query and the key as hands, turned by their positions.">
        <circle class="ring" cx=${cx} cy=${cy} r=${px(unit * radius)}></circle>
        ${
          ghosts
            ? roles.map(
                (role, n) =>
                  svg`<path class="ghost ${role}" d=${pathOf([[cx, cy], on(turnedTo(ghosts)[n])])}></path>`,
              )
            : nothing
        }
        ${ghosts && !isFlat ? wedge("ghost", turnedTo(ghosts)) : nothing}${isFlat ? nothing : wedge("angle", tips)}
        ${roles.map((role, n) => svg`<path class="hand ${role}" d=${pathOf([[cx, cy], ends[n]])}></path>`)}
        ${roles.map((role, n) => {
          const long = Math.hypot(...tips[n]) || 1;
          const [x, y] = on(tips[n].map((item) => item + (16 / unit) * (item / long)));
          return svg`<circle class="end ${role}" r="5" cx=${px(ends[n][0])} cy=${px(ends[n][1])}></circle>
            <text class="${role} strong halo" text-anchor="middle" x=${px(x)} y=${px(y + 4)}>${drawnLetter(role)}</text>`;
        })}</svg>
        ${hands[r].map((hand, n) => hand(tips[n], ends[n], unit, `${pointText(raw[n])}, turned to ${pointText(tips[n])}`))}</div>
      <p class="about"><b>pair ${r}</b> adds <b>${fixed(share, 2)}</b></p>
      <p class="small">${Number(degrees(rates[r]).toPrecision(3))}° a position${isFlat ? "" : `; ${fixed((angle * 180) / Math.PI, 0)}° from q to k`}</p></div>`;
  }

  // The score as a sum: each pair goes on where the one before it ends.
  function total(parts, score, { query_vector, key_vector }) {
    const [wide, high] = [view.width, 42 + 8 * parts.length];
    const [q, k] = [query_vector, key_vector].map((x) => rowsOf(x, 2).map((p) => Math.hypot(...p)));
    const x = (value) => wide / 2 + (value / Math.max(1e-9, dot(q, k))) * (wide / 2 - 8);
    let end = 0;
    const steps = parts.map((part, r) => {
      const from = x(end);
      end += part;
      return svg`<path class="part" d="M${px(from)} ${8 * r + 4}H${px(x(end))}"></path>`;
    });
    const y = 8 * parts.length + 10;
    const sum = parts.length === 2 ? parts.map((part) => fixed(part, 2)).join(" + ") : "score";
    return html`<svg class="total" height=${high} viewBox="0 0 ${wide} ${high}" aria-hidden="true">
      <path class="hair" d="M${px(x(0))} 0V${y + 8}"></path>${steps}
      <path class="sum" d="M${px(x(0))} ${y}H${px(x(score))}"></path>
      <text text-anchor="middle" x=${px(x(0))} y=${high - 4}>${sum} = <tspan class="strong">${fixed(score, 2)}</tspan></text></svg>`;
  }

  // The score at every offset. A press chooses one.
  let drawn = ""; // for what `line` is
  let line = "";
  function curve(now, offset, score) {
    const [size, height] = [view.width, WAVE];
    const [q, k] = [now.query_vector, now.key_vector].map((x) => rowsOf(x, 2));
    const most = Math.max(1e-9, sum(q.map((pair, r) => Math.hypot(...pair) * Math.hypot(...k[r]))));
    const last = POSITIONS - 1;
    const [left, right] = [8, size - 8];
    const x = (k) => left + ((k + last) / (2 * last)) * (right - left);
    const y = (value) => (height - 24) / 2 - (value / most) * (height / 2 - 28);
    const key = String([now.query_vector, now.key_vector, size]);
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
      @pointerdown=${(event) => {
        back.leave();
        hand.down(event);
      }} @pointermove=${hover} @pointerleave=${view.unlook} @click=${hand.click}>
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

  // Both positions on one rail, and between them a bar that moves both.
  function ruler({ query_position: i, key_position: j }) {
    const far = Math.abs(j - i);
    const room = (view.width > 600 ? 0.75 * view.width - 6 : view.width) - PUCK; // from 0 to 63
    const at = (position) => PUCK / 2 + (room * position) / (POSITIONS - 1);
    const long = at(far) - PUCK / 2;
    const one = (key, label, role, value, set) => html`<input class=${role} type="range" min="0"
      max=${POSITIONS - 1} aria-label="Position ${key} of the ${label}" data-now=${value}
      @input=${(event) => view.set({ [set]: event.target.valueAsNumber })}>`;
    const name = (text, role, position) =>
      html`<span class="name ${role}" style="left: ${px(Math.max(36, Math.min(room - 20, at(position))))}px">${text} at ${position}</span>`;
    const [first, last] = [Math.min(i, j), Math.max(i, j)];
    const beside = Math.max(at(last), at((i + j) / 2) + BAR / 2) + 10;
    return html`<div class="ruler" style="--long: ${px(Math.max(BAR, long))}px; --more: ${px(Math.max(0, BAR - long))}px">
      ${name("query", "q", i)}
      ${one("i", "query", "q", i, "query_position")}
      <div class="track"><input class="both ${j < i ? "back" : ""}" type="range" min="0" max=${POSITIONS - 1 - far} aria-label="Both positions"
        aria-valuetext="query ${i}, key ${j}" data-now=${first}
        @input=${(event) => view.set(walked(view.read(), event.target.valueAsNumber - first))}>
        ${beside < room - 80 ? html`<span class="verb" aria-hidden="true" style="left: ${px(beside)}px">drag both ↔</span>` : nothing}</div>
      ${one("j", "key", "k", j, "key_position")}
      ${name("key", "k", j)}</div>`;
  }

  return (now) => {
    const { query_vector, key_vector, query_position: i, key_position: j } = now;
    const parts = shares(now, j - i);
    const score = sum(parts);
    const pairs = [query_vector, key_vector].map((x) => rowsOf(x, 2));
    const places = view.glide("places", [i, j]);
    const ghosts = back.to(now); // both positions
    const columns = Math.min(rates.length, view.width > 600 ? 4 : 2);
    const size = Math.floor((view.width - (columns - 1) * SPACE) / columns);
    const [shown, offset] = view.glide("dot", [score, j - i]);
    return {
      headline: html`Offset ${letter("j", "k")} − ${letter("i", "q")} = ${short(j - i)}: score <b>${number(score, fixed(score, 4))}</b>.`,
      picture: html`<div class="faces" style="--columns: ${columns}">${rates.map((_, r) => clock(r, size, pairs, places, ghosts, parts[r]))}</div>
        ${total(parts, shown, now)}
        <p class="small">The hands can be dragged, too. Dashed: where they stood before.</p>`,
      controls: ruler(now),
      numbers: curve(now, offset, shown),
      folded: "The score at every offset",
    };
  };
};

export default explorer("rotary", "Rotary bench", build);
