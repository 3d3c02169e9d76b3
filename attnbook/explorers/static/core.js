// @ts-check
// What all widgets of the book share. Python joins this file in front of a widget's own script.
// Compute: pure functions, equal to attnutils to rounding. Page: elements, controls, drawing.

// == compute ==================================================================================

/** @param {readonly number[]} x */
const sum = (x) => x.reduce((total, item) => total + item, 0);

/** @param {readonly number[]} a @param {readonly number[]} b */
const dot = (a, b) => sum(a.map((item, i) => item * b[i]));

/**
 * Softmax of `scores` at a temperature. 0 is the limit: the largest scores share equally.
 * Infinity is uniform. Where nothing may be attended to, every weight is 0.
 * @param {readonly number[]} scores
 * @param {number} temperature
 * @param {readonly boolean[]} [mask] true = may attend
 * @returns {number[]}
 */
function softmax(scores, temperature, mask) {
  const open = scores.map((score, i) => score > -Infinity && (!mask || mask[i]));
  const top = Math.max(...scores.filter((_, i) => open[i]));
  const raised = scores.map((score, i) => {
    if (!open[i]) return 0;
    if (score === top || temperature === Infinity) return 1;
    return Math.exp((score - top) / temperature);
  });
  const total = sum(raised);
  return raised.map((x) => (total === 0 ? 0 : x / total));
}

/** @param {readonly number[]} scores */
const hardmax = (scores) => softmax(scores, 0);

/**
 * Sparsemax of `scores` at a temperature: the point of the simplex nearest to scores / T.
 * @param {readonly number[]} scores
 * @param {number} temperature
 * @returns {number[]}
 */
function sparsemax(scores, temperature) {
  if (temperature === 0 || temperature === Infinity) return softmax(scores, temperature);
  const top = Math.max(...scores);
  const scaled = scores.map((score) => (score === top ? 0 : (score - top) / temperature));
  let total = 0;
  let threshold = 0;
  [...scaled].sort((a, b) => b - a).forEach((x, i) => {
    total += x;
    if (1 + (i + 1) * x > total) threshold = (total - 1) / (i + 1);
  });
  return scaled.map((x) => Math.max(0, x - threshold));
}

/** Entropy in bits; a weight of 0 adds nothing. @param {readonly number[]} weights */
const entropy = (weights) => sum(weights.map((w) => (w > 0 ? -w * Math.log2(w) : 0)));

const EVEN_FROM = 90; // the place of the slider from which 1 / T falls evenly
const HOT = 10 ** ((EVEN_FROM - 50) / 25); // the temperature there, 40

/**
 * The temperature at a position 0..100 of the slider: 0 and infinity at the ends, 1 in the middle,
 * 25 positions a decade. The last tenth reaches infinity without a leap: there 1 / T falls evenly.
 * @param {number} position
 */
function temperatureUnder(position) {
  if (position <= 0) return 0;
  if (position <= EVEN_FROM) return 10 ** ((position - 50) / 25);
  return (HOT * (100 - EVEN_FROM)) / (100 - position);
}

/** The same with two digits, so that what is shown is what is computed. @param {number} position */
const temperatureAt = (position) => Number(temperatureUnder(position).toPrecision(2));

/** The position of a temperature, inside the ends unless it is 0 or infinite. @param {number} t */
function sliderPosition(t) {
  if (t === 0) return 0;
  if (t === Infinity) return 100;
  const position = t <= HOT ? 50 + 25 * Math.log10(t) : 100 - ((100 - EVEN_FROM) * HOT) / t;
  return Math.min(99, Math.max(1, position));
}

/**
 * Indices from the largest item to the smallest; equal items keep their order.
 * @param {readonly number[]} x
 */
const argsortDown = (x) => x.map((_, i) => i).sort((a, b) => x[b] - x[a] || a - b);

/**
 * A number with fixed decimals, a true minus sign and no minus zero.
 * @param {number} x
 * @param {number} [digits]
 */
function fixed(x, digits = 3) {
  const size = Math.abs(x);
  const sign = x < 0 && size >= 0.5 / 10 ** digits ? "−" : "";
  if (size === Infinity) return `${sign}∞`;
  return sign + (size < 1e6 ? size.toFixed(digits) : size.toExponential(1).replace("e+", "e"));
}

/** A number as short as four digits allow: 7, 0.25, −0.2. @param {number} x */
function short(x) {
  if (Math.abs(x) === Infinity) return fixed(x);
  return String(Number(x.toPrecision(4))).replace("-", "−").replace("e+", "e");
}

/** A weight with three decimals; one that would read as nothing is "<.001". @param {number} w */
const weightText = (w) => (w > 0 && w < 0.0005 ? "<.001" : fixed(w));

/** A weight where room is short: two digits, no zero in front; "0" and "1" are exact. @param {number} w */
const cellText = (w) => (w === 0 || w === 1 ? String(w) : w.toFixed(2).replace(/^0/, ""));

/** @param {number} t */
function temperatureWords(t) {
  if (t === 0) return "temperature 0, hard: the largest score takes all";
  if (t === Infinity) return "temperature infinite, uniform: all weigh the same";
  return `temperature ${short(t)}`;
}

/** @param {string} text */
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** "a, b and c". @param {readonly string[]} names */
const listed = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** @param {number} n */
const countWord = (n) =>
  "no one two three four five six seven eight nine ten eleven twelve".split(" ")[n] ?? String(n);

// -- traits: how numbers travel between Python and the page -----------------------------------

/** A number that may be infinite travels as "inf" or "-inf". @param {number | string} value */
const readNumber = (value) => Number(String(value).replace("inf", "Infinity"));

/** @param {number} x */
const writeNumber = (x) => (Number.isFinite(x) ? x : x > 0 ? "inf" : "-inf");

/** Little-endian float64 bytes to numbers. @param {ArrayBufferView} bytes */
function readNumbers(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: view.byteLength / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

/** @param {readonly number[]} numbers */
function writeNumbers(numbers) {
  const view = new DataView(new ArrayBuffer(8 * numbers.length));
  numbers.forEach((x, i) => view.setFloat64(8 * i, x, true));
  return view;
}

/** Cuts a flat list into rows. @param {readonly number[]} flat @param {number} width */
const rowsOf = (flat, width) =>
  Array.from({ length: flat.length / width }, (_, i) => flat.slice(i * width, (i + 1) * width));

// -- colour and labels ------------------------------------------------------------------------

/** The colour of a weight from 0 to 1: so much of one ink on the page. @param {number} w */
const weightColor = (w) =>
  `color-mix(in srgb, var(--weight) ${+(100 * Math.max(0, Math.min(1, w))).toFixed(2)}%, ` +
  "var(--page))";

const FULL = 0.54; // from this weight on its colour is nearer to the ink than to the page

/**
 * The colour of text on the colour of a weight.
 * @param {number} w
 * @param {boolean} isDark whether the page is
 */
const inkOn = (w, isDark) => ((w < FULL) === isDark ? "#fff" : "#000");

const MASKED = "#868f99"; // grey on a canvas: seen on light and on dark pages

/** Red, green and blue, 0 to 255. @param {string} color as #rrggbb */
const rgb = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

/** @typedef {{left: number, top: number, width: number, height: number, cost?: number}} Box */

/** @param {Box} a @param {Box} b */
const overlap = (a, b) =>
  a.left < b.left + b.width && b.left < a.left + a.width &&
  a.top < b.top + b.height && b.top < a.top + a.height;

/**
 * Gives each label, in turn, the cheapest of the places that it could take: one that touches no
 * label before it, covers little of the drawing, and costs little by itself. Of equals, the first.
 * @param {readonly (readonly Box[])[]} labels the places of each label
 * @param {(box: Box) => number} [covered] how much of the drawing a box covers
 * @returns {Box[]}
 */
function placeLabels(labels, covered = () => 0) {
  /** @type {Box[]} */
  const placed = [];
  for (const places of labels) {
    let best = places[0];
    let least = Infinity;
    for (const box of places) {
      const touched = placed.filter((other) => overlap(box, other)).length;
      const alone = 1000 * touched + (box.cost ?? 0);
      if (alone >= least) continue; // the drawing is dearer to look at
      const cost = alone + covered(box);
      if (cost < least) [best, least] = [box, cost];
    }
    placed.push(best);
  }
  return placed;
}

/**
 * Where a label beside a point may stand: right or left of it, level with it or somewhat off, inside
 * the room. Each px off costs something, and so does the left side.
 * @param {number} x
 * @param {number} y
 * @param {number} width of the label
 * @param {{from: number, to: number, top?: number, bottom?: number}} room for its sides, its middle
 * @param {{height?: number, gap?: number, offs: readonly number[], cost: number, left?: number}}
 *   style
 * @returns {Box[]}
 */
function placesBeside(x, y, width, { from, to, top = -Infinity, bottom = Infinity },
  { height = 14, gap = 10, offs, cost, left: aside = 0 }) {
  const [right, left] = [x + gap, x - gap - width];
  const sides = [right, left].filter((side) => side >= from && side + width <= to);
  if (sides.length === 0) sides.push(Math.max(from, Math.min(right, to - width)));
  return [0, ...offs.flatMap((off) => [-off, off])]
    .filter((off) => y + off > top && y + off < bottom)
    .flatMap((off) => sides.map((side) => ({
      left: side, top: y + off - height / 2, width, height,
      cost: Math.abs(off) * cost + (side === left ? aside : 0),
    })));
}

/**
 * Where the middles of labels stand in a row, or in a column: each as near to its place as the others
 * allow. Labels that would touch move apart together, around the mean of their places, and stay
 * inside.
 * @param {readonly {at: number, width: number}[]} labels from the first to the last
 * @param {number} room the length of the row
 */
function spread(labels, room) {
  /** @type {{items: {at: number, width: number}[], width: number, left: number}[]} */
  const groups = [];
  for (const label of labels) {
    let group = { items: [label], width: label.width, left: 0 };
    for (;;) {
      // The mean of where each item wants the left end of its group.
      let before = 0;
      const lefts = group.items.map(({ at, width }) => {
        before += width;
        return at + width / 2 - before;
      });
      const mean = sum(lefts) / lefts.length;
      group.left = Math.max(0, Math.min(room - group.width, mean));
      const last = groups[groups.length - 1];
      if (!last || last.left + last.width <= group.left) break;
      groups.pop();
      group = {
        items: [...last.items, ...group.items], width: last.width + group.width, left: 0,
      };
    }
    groups.push(group);
  }
  return groups.flatMap(({ items, left }, group) => items.map(({ width }) => {
    left += width;
    return { middle: left - width / 2, group };
  }));
}

/**
 * How many of the points a box covers, with a margin around it.
 * @param {readonly (readonly number[])[]} points
 * @param {number} [margin]
 * @returns {(box: Box) => number}
 */
function covering(points, margin = 0) {
  const sorted = [...points].sort((a, b) => a[0] - b[0]);
  const [xs, ys] = [0, 1].map((axis) => sorted.map((point) => point[axis]));
  return ({ left, top, width, height }) => {
    let [i, end] = [0, xs.length]; // to the first point that is not left of the box
    while (i < end) {
      const middle = (i + end) >> 1;
      if (xs[middle] > left - margin) end = middle;
      else i = middle + 1;
    }
    let covered = 0;
    for (; i < xs.length && xs[i] < left + width + margin; i++) {
      if (ys[i] > top - margin && ys[i] < top + height + margin) covered++;
    }
    return covered;
  };
}

/** About how wide a label of 12 px type is. @param {string} text */
const textWidth = (text) => sum([...text].map((character) => {
  if (/[\s.,:ijl'|’]/.test(character)) return 3.4;
  if (/[A-Z0-9mw=<−–]/.test(character)) return 7.2;
  return /[\u0530-\u{10ffff}]/u.test(character) ? 12 : 6.4; // 12: Chinese characters, emoji
}));

/** Text that is about so wide at most, cut if need be. @param {string} text @param {number} width */
function cutTo(text, width) {
  let cut = text;
  while (textWidth(cut) > width && cut.length > 1) cut = `${[...cut].slice(0, -2).join("")}…`;
  return cut;
}

// == page =====================================================================================

/** @typedef {Node | string | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */

/**
 * The part of an anywidget model that the widgets use.
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string | Record<string, unknown>, value?: unknown) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, callback: () => void) => void} on
 * @property {(event: string, callback: () => void) => void} off
 * @property {{get_model: (id: string) => Promise<Model>}} widget_manager
 */

/**
 * Sets attributes and adds children; text goes in as text nodes, never as markup.
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {readonly Child[]} children
 * @returns {E}
 */
function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) if (child || child === "") element.append(child);
  return element;
}

/**
 * An HTML element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 */
const h = (tag, attributes = {}, ...children) =>
  furnish(document.createElement(tag), attributes, children);

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 */
const s = (tag, attributes = {}, ...children) =>
  furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/**
 * An id that no other widget on the page has. Each widget's script is loaded on its own, so the
 * counter lives on the page.
 * @param {string} name
 */
function uniqueId(name) {
  const page = /** @type {Record<symbol, number>} */ (/** @type {unknown} */ (globalThis));
  const counter = Symbol.for("attnutils.ids");
  page[counter] = (page[counter] ?? 0) + 1;
  return `attn-${name}-${page[counter]}`;
}

/**
 * Writes only what differs, so that nothing is laid out anew without need.
 * @param {Element} element
 * @param {string} text
 */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {Element} element @param {Attributes} attributes */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
  }
}

/**
 * Shows a computed number: rounded to read, exact for tools.
 * @param {HTMLDataElement} element
 * @param {number} value
 * @param {string} text
 */
function setNumber(element, value, text) {
  const exact = Number.isNaN(value) ? "" : String(value);
  if (element.value !== exact) element.value = exact;
  setText(element, text);
}

/** @param {number} value @param {string} text */
const number = (value, text) => h("data", { value }, text);

/**
 * A letter of a formula, in the colour of its role: q, k, v, o.
 * @param {string} name
 * @param {string} [role]
 */
const letter = (name, role = name) => h("i", { class: `letter ${role}` }, name);

/**
 * The same inside a drawing.
 * @param {string} name
 * @param {string} [role]
 */
const drawnLetter = (name, role = name) => s("tspan", { class: `letter ${role}` }, name);

/** Plain text in which `backticks` mark code. @param {string} text */
const withCode = (text) =>
  text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : document.createTextNode(part)));

/**
 * Texts with `code`, {fr}`words` of another language and $formulas$: `written` as the book has typeset them, else in plain letters,
 * which `plain` always gives.
 * @param {Model} model has the letters
 * @param {Element} el
 */
function textsOf(model, el) {
  const typeset = el.closest(".widget-slot")?.querySelector("template")?.content;
  const letters = (/** @type {string} */ tex) => model.get("formulas")[tex];
  return {
    /** @param {string} text */
    written: (text) => text.split(/((?:\{\w\w\})?`[^`]*`|\$[^$]+\$[.,;:?!)]*)/).flatMap((part) => {
      if (part.startsWith("{")) return h("span", { lang: part.slice(1, 3) }, part.slice(5, -1));
      if (!part.startsWith("$")) return withCode(part);
      const [, tex, punctuation] = part.split("$");
      const formula = typeset?.querySelector(`[data-tex="${CSS.escape(tex)}"]`);
      // No line starts with a question mark; a long formula must be able to break.
      return [h("span", { class: tex.length > 24 ? null : "unbroken" },
        formula?.cloneNode(true) ?? letters(tex), punctuation)];
    }),
    /** @param {string} text */
    plain: (text) => text.replace(/\$([^$]+)\$/g, (_, tex) => letters(tex)).replace(/(\{\w\w\})?`/g, ""),
  };
}

/** For what is there for the eye only. */
const HIDDEN = { "aria-hidden": "true" };

/**
 * The element that holds a widget. JupyterLab has commands on plain keys, arrows among them; its
 * own attribute keeps them from what has the focus, not from what is around it. A key that is
 * pressed with Ctrl, Shift, Alt or Meta stays JupyterLab's.
 * @param {string} name
 * @param {string} label what a screen reader says where the widget begins and ends
 * @param {Child[]} children
 */
function widgetRoot(name, label, ...children) {
  const root = h("div", { class: `attn attn-${name}`, role: "group", "aria-label": label },
    ...children);
  const keepKeys = (/** @type {FocusEvent | KeyboardEvent} */ event) => {
    const shortcut = "ctrlKey" in event &&
      (event.ctrlKey || event.shiftKey || event.altKey || event.metaKey);
    const focused = /** @type {Element} */ (event.target);
    focused.toggleAttribute("data-lm-suppress-shortcuts", !shortcut);
  };
  root.addEventListener("focusin", keepKeys);
  root.addEventListener("keydown", keepKeys);
  root.addEventListener("keyup", keepKeys);
  return root;
}

/**
 * What takes a widget away: it stops all that would go on without it.
 * @param {Element} root
 * @param {((() => void) | null | undefined | false)[]} stops
 */
const ending = (root, ...stops) => () => {
  for (const stop of stops) if (stop) stop();
  root.remove();
};

/**
 * Makes these the children of an element, unless they are. What had the focus keeps it.
 * @param {Element} parent
 * @param {readonly Element[]} children
 */
function arrange(parent, ...children) {
  const there = parent.children;
  if (there.length === children.length && children.every((child, i) => child === there[i])) return;
  const focused = /** @type {HTMLElement | null} */ (parent.querySelector(":focus"));
  parent.replaceChildren(...children);
  focused?.focus({ preventScroll: true });
}

const REST = 400; // milliseconds without a step, after which the sentence is spoken
const FORGET = 5000; // and after which it is there only once for who reads on

/**
 * The sentence with the numbers. It changes at every step; assistive technology hears it once the
 * hand has rested.
 */
function headline() {
  const seen = h("p", { class: "headline" });
  const spoken = h("p", { class: "unseen", role: "status" });
  let timer = 0;
  return {
    parts: [seen, spoken],
    /** @param {Child[]} children */
    set(...children) {
      const before = seen.textContent;
      seen.replaceChildren();
      furnish(seen, {}, children);
      if (before === "" || before === seen.textContent) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        const said = /** @type {Element} */ (seen.cloneNode(true));
        // Its text, and of which language it is.
        for (const item of said.querySelectorAll(":not([lang])")) item.replaceWith(...item.childNodes);
        said.normalize();
        spoken.replaceChildren(...said.childNodes);
        timer = setTimeout(() => setText(spoken, ""), FORGET);
      }, REST);
    },
    stop: () => clearTimeout(timer),
  };
}

/** A line for what is wrong with the input, spoken at once. */
function errorBox() {
  const id = uniqueId("error");
  const root = h("p", { class: "error", id, role: "alert" });
  /** @type {Map<Element, string>} */
  const messages = new Map();
  return {
    root,
    /**
     * Says what is wrong with a field or, with no message, that nothing is any more.
     * @param {Element} field
     * @param {string} [message]
     */
    set(field, message) {
      if (message) {
        messages.set(field, message);
        setAttributes(field, { "aria-invalid": "true", "aria-describedby": id });
      } else if (messages.delete(field)) {
        field.removeAttribute("aria-invalid");
        field.removeAttribute("aria-describedby");
      }
      setText(root, [...messages.values()].join(" "));
    },
  };
}

/**
 * How the value of a trait travels: read from the model, and written to it. One that readers move
 * also has its place in addresses.
 * @template T
 * @typedef {{read: (raw: any) => T, write: (value: T) => unknown, place?: Place}} Codec
 */
/**
 * How a trait stands in an address: its name there, its text, and what a text means, nothing if it
 * means none. `now` has the traits above it as they are to be. `least` is what there is always.
 * @typedef {object} Place
 * @property {string} name
 * @property {(value: any, now: any) => string} say
 * @property {(text: string, now: any) => any} take
 * @property {any} [least]
 */
/**
 * @template T
 * @typedef {{[K in keyof T]: Codec<T[K]>}} Codecs
 */

/** What JSON holds as it is. @type {Codec<any>} */
const plain = { read: (raw) => raw, write: (value) => value };
/** A number that may be infinite. @type {Codec<number>} */
const float = { read: readNumber, write: writeNumber };
/** An array, as a flat list. @type {Codec<number[]>} */
const floats = { read: readNumbers, write: writeNumbers };

// -- addresses: what readers move, as text ----------------------------------------------------

/** @param {string} text what is no number is NaN */
const numeral = (text) =>
  /^(-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|-?inf)$/.test(text) ? readNumber(text) : NaN;

/** What a text means only if it fits. @template T @param {T} value @param {boolean} fits */
const onlyIf = (value, fits) => (fits ? value : undefined);

/**
 * One of some names; where two are alike, with its place. @param {readonly unknown[]} names
 * @param {number} at
 */
const nameText = (names, at) => {
  const name = String(names[at] ?? "");
  return names.filter((other) => String(other) === name).length > 1 || /@\d+$/.test(name)
    ? `${name}@${at}` : name;
};

/** The place of a name that is written so, or -1. @param {readonly unknown[]} names @param {string} text */
const placeNamed = (names, text) => names.findIndex((_, at) => nameText(names, at) === text);

/** @param {string} name @param {(now: any) => readonly unknown[]} names @returns {Codec<any>} */
const oneOf = (name, names) => ({
  ...plain,
  place: {
    name,
    say: (value) => String(value ?? ""),
    take: (text, now) => names(now).find((each) => String(each ?? "") === text),
  },
});

/** An index, by the name at it. @param {string} name @param {(now: any) => readonly unknown[]} names @returns {Codec<any>} */
const placeIn = (name, names) => ({
  ...plain,
  place: {
    name,
    say: (value, now) => nameText(names(now), value),
    take: (text, now) => {
      const at = placeNamed(names(now), text);
      return onlyIf(at, at >= 0);
    },
    least: 0,
  },
});

/**
 * An index over several axes, by the labels at it.
 * @param {string} name
 * @param {(now: any) => unknown[][]} lists
 * @returns {Codec<any>}
 */
const placesIn = (name, lists) => {
  // A comma stands between labels.
  const labels = (/** @type {any} */ now) =>
    lists(now).map((list) => list.map((label) => String(label).replaceAll(",", ";")));
  return {
    ...plain,
    place: {
      name,
      say: (index, now) => labels(now).map((list, i) => nameText(list, index[i])).join(),
      take(text, now) {
        const [parts, all] = [text ? text.split(",") : [], labels(now)];
        const index = all.map((list, i) => placeNamed(list, parts[i]));
        return onlyIf(index, parts.length === all.length && !index.includes(-1));
      },
    },
  };
};

/** A whole number. @param {string} name @param {number} least @param {(now: any) => number} most @returns {Codec<any>} */
const whole = (name, least, most, step = 1) => ({
  ...plain,
  place: {
    name,
    say: String,
    take: (text, now) => {
      const x = /^\d+$/.test(text) ? Number(text) : NaN;
      return onlyIf(x, x >= least && x <= most(now) && x % step === 0);
    },
    least,
  },
});

/** A number. @param {string} name @param {(x: number, now: any) => boolean} fits @returns {Codec<any>} */
const real = (name, fits) => ({
  ...float,
  place: {
    name,
    say: (value) => String(writeNumber(value)),
    take: (text, now) => onlyIf(numeral(text), fits(numeral(text), now)),
  },
});

/** The temperature. */
const heat = real("T", (t) => t >= 0);

/** True or false, as 1 or 0. @param {string} name @returns {Codec<any>} */
const flag = (name) => ({
  ...plain,
  place: { name, say: (value) => (value ? "1" : "0"), take: (text) => onlyIf(text === "1", /^[01]$/.test(text)) },
});

/**
 * A list of numbers, as long as before.
 * @param {Codec<any>} codec
 * @param {string} name
 * @param {(x: readonly number[], now: any) => boolean} fits
 * @param {(now: any) => readonly number[] | undefined} [own] that is said by saying nothing
 * @returns {Codec<any>}
 */
const listOf = (codec, name, fits, own = () => undefined) => ({
  ...codec,
  place: {
    name,
    say: (value, now) => (String(value) === String(own(now)) ? "" : String(value)),
    take: (text, now) => {
      if (text === "") return own(now);
      const x = text.split(",").map(numeral);
      return onlyIf(x, fits(x, now));
    },
  },
});

/**
 * As many numbers as there are, of a size that Python takes, too.
 * @param {(now: any) => {length: number}} those
 * @returns {(x: readonly number[], now: any) => boolean}
 */
const fitCells = (those) => (x, now) =>
  x.length === those(now).length && x.every((item) => Math.abs(item) <= LARGEST);

/**
 * What readers move, as the text of an address and back. It says what is other than at the start.
 * @template T
 * @param {Codecs<T>} traits
 */
function addressing(traits) {
  const all = /** @type {[string, Codec<any>][]} */ (Object.entries(traits));
  /** @typedef {{get: (name: string) => any}} Traits */
  /** @param {Traits} model @returns {Record<string, any>} */
  const valuesOf = (model) =>
    Object.fromEntries(all.map(([key, { read }]) => [key, read(model.get(key))]));
  /** @param {Traits} model */
  const textsOf = (model) => {
    const now = valuesOf(model);
    return all.flatMap(([key, { place }]) =>
      (place ? [[place.name, place.say(now[key], now)]] : []));
  };
  return {
    /** @param {Traits} model @param {Traits} start */
    write(model, start) {
      const before = textsOf(start);
      const other = textsOf(model).filter(([, text], i) => text !== before[i][1]);
      return String(new URLSearchParams(other)).replaceAll("%2C", ",").replaceAll("%40", "@");
    },
    /**
     * The traits of an address; where it says nothing that fits, they are as at the start.
     * @param {string} text
     * @param {Traits} start
     */
    read(text, start) {
      const asked = new URLSearchParams(text);
      const before = Object.fromEntries(textsOf(start));
      const now = valuesOf(start);
      /** @type {Record<string, unknown>} */
      const state = {};
      for (const [key, { place, write }] of all) {
        if (!place) continue;
        const { name, take, least } = place;
        now[key] = take(asked.get(name) ?? before[name], now) ?? take(before[name], now) ?? least;
        state[key] = write(now[key]);
      }
      return state;
    },
  };
}

/**
 * What an explorer is made of. `above` and `below` are what stands above and below the headline;
 * `draw` shows the traits as they are now, and returns the headline.
 * @template T
 * @typedef {object} Explorer
 * @property {Child[]} [above]
 * @property {Child[]} below
 * @property {(now: T, root: HTMLElement) => Child[]} draw
 * @property {readonly Drawing[]} [drawings] what is drawn anew when its width changes
 * @property {Record<string, unknown>} [style] variables for the style
 * @property {number} [stacked] the greatest width at which parts stand below each other
 * @property {() => void} [stop] ends what would go on without the explorer
 */
/** @typedef {{root: Element, resize: (width: number) => void}} Drawing */

/**
 * A widget that shows its traits: `build` makes its parts once, from the traits as `read` gives
 * them at any time, with `set` to change some; its `draw` runs after each change, from either
 * side, and when the widget asks for it with `again`. When the page changes several traits at once,
 * it runs once.
 * @template T
 * @param {string} name
 * @param {string} label what a screen reader says where the widget begins and ends
 * @param {Codecs<T>} traits
 * @param {(read: () => T, set: (change: Partial<T>) => void, again: () => void) => Explorer<T>} build
 */
const explorer = (name, label, traits, build) => ({
  address: addressing(traits),
  /** @param {{model: Model, el: HTMLElement}} view */
  render({ model, el }) {
    const names = /** @type {(keyof T & string)[]} */ (Object.keys(traits));
    const now = /** @type {T} */ ({});
    /** @type {Partial<Record<keyof T, unknown>>} what `now` was read from */
    const raw = {};
    let held = false;
    const read = () => {
      for (const key of names) {
        const value = model.get(key);
        if (!(key in raw) || raw[key] !== value) now[key] = traits[key].read((raw[key] = value));
      }
      return { ...now };
    };
    const sentence = headline();
    const draw = () => held || sentence.set(...parts.draw(read(), root));
    const parts = build(read, (change) => {
      held = true;
      for (const key of names) {
        if (key in change) model.set(key, traits[key].write(/** @type {any} */ (change)[key]));
      }
      held = false;
      model.save_changes();
      draw();
    }, () => void draw());
    const { above = [], below, drawings = [], style = {}, stacked = 0, stop } = parts;
    const root = widgetRoot(name, label, ...above, ...sentence.parts, ...below);
    for (const [variable, value] of Object.entries(style)) {
      root.style.setProperty(`--${variable}`, String(value));
    }
    el.append(root);
    for (const key of names) model.on(`change:${key}`, draw);
    // Whether parts stand below each other comes first: the widths of drawings follow from it.
    const unwatch = [
      stacked > 0 &&
        onWidth(root, (width) => root.classList.toggle("stacked", width <= stacked)),
      ...drawings.map((drawing) => onWidth(drawing.root, drawing.resize)),
    ];
    draw();
    return ending(root, () => names.forEach((key) => model.off(`change:${key}`, draw)),
      ...unwatch, sentence.stop, stop);
  },
});

/**
 * A function that runs `act` only when its facts, compared as JSON, are others than before.
 * @template {unknown[]} A
 * @param {(...args: A) => void} act
 * @returns {(facts: unknown, ...args: A) => void}
 */
function whenNew(act) {
  let last = "";
  return (facts, ...args) => {
    const text = JSON.stringify(facts);
    if (text !== last) {
      last = text;
      act(...args);
    }
  };
}

// -- controls ---------------------------------------------------------------------------------

/**
 * A slider over whole numbers; `write` gives the text beside it, for the eye, `say` what it means
 * in words, which is what a screen reader says.
 * @param {Child | Child[]} label
 * @param {[number, number]} ends
 * @param {(value: number) => void} onInput
 * @param {{write?: (value: number) => string, say?: (value: number) => string}} [texts]
 */
function rangeControl(label, [min, max], onInput, { write = String, say } = {}) {
  const id = uniqueId("range");
  const input = h("input", { type: "range", id, min, max, step: 1 });
  const output = h("output", { for: id, ...HIDDEN });
  const name = h("label", { for: id }, ...[label].flat());
  input.addEventListener("input", () => onInput(input.valueAsNumber));
  return {
    root: h("div", { class: "control" }, name, output, input),
    /** @param {number} value @param {number} [newMax] */
    set(value, newMax = max) {
      setAttributes(input, { max: newMax });
      if (input.valueAsNumber !== value) input.value = String(value);
      setText(output, write(value));
      setAttributes(input, {
        "aria-valuetext": say ? say(value) : `${name.textContent} ${write(value)}`,
      });
    },
  };
}

/**
 * The temperature slider: the same in every widget.
 * @param {(temperature: number) => void} onInput
 */
function temperatureControl(onInput) {
  const id = uniqueId("temperature");
  const input = h("input", { type: "range", id, min: 0, max: 100, step: 1 });
  const output = h("output", { for: id, ...HIDDEN });
  const ends = ["0 hard", "0.1", "1", "10", "uniform ∞"].map((text) => h("span", {}, text));
  input.addEventListener("input", () => onInput(temperatureAt(input.valueAsNumber)));
  return {
    root: h("div", { class: "control" }, h("label", { for: id }, "Temperature ", letter("T", "")),
      output, input, h("div", { class: "ends", ...HIDDEN }, ...ends)),
    /** @param {number} temperature */
    set(temperature) {
      // The slider has 101 places; a temperature set from Python may lie between two of them.
      if (temperatureAt(input.valueAsNumber) !== temperature) {
        input.value = String(Math.round(sliderPosition(temperature)));
      }
      setText(output, short(temperature));
      setAttributes(input, { "aria-valuetext": temperatureWords(temperature) });
    },
  };
}

/**
 * @param {string} label
 * @param {Readonly<Record<string, string>>} options the text of each value
 * @param {(value: string) => void} onInput
 */
function selectControl(label, options, onInput) {
  const id = uniqueId("select");
  const items = Object.entries(options).map(([value, text]) => h("option", { value }, text));
  const input = h("select", { id }, ...items);
  input.addEventListener("input", () => onInput(input.value));
  return {
    root: h("div", { class: "control" }, h("label", { for: id }, label), input),
    /** @param {string} value */
    set(value) {
      if (input.value !== value) input.value = value;
    },
  };
}

/**
 * One of several words: real radio buttons, drawn as words.
 * @param {string} legend
 * @param {readonly string[]} options
 * @param {(index: number) => void} onInput
 */
function choiceControl(legend, options, onInput) {
  const name = uniqueId("choice");
  const inputs = options.map((_, i) => {
    const input = h("input", { type: "radio", name, value: i });
    input.addEventListener("input", () => onInput(i));
    return input;
  });
  const labels = options.map((text, i) => h("label", {}, inputs[i], h("span", {}, text)));
  return {
    root: h("fieldset", { class: "choice" }, h("legend", {}, legend), ...labels),
    /** @param {number} index -1: none of them */
    set(index) {
      inputs.forEach((input, i) => { input.checked = i === index; });
    },
  };
}

/**
 * @param {Child} label
 * @param {(checked: boolean) => void} onInput
 * @param {Attributes} [attributes] of the input
 */
function checkboxControl(label, onInput, attributes = {}) {
  const input = h("input", { type: "checkbox", ...attributes });
  input.addEventListener("input", () => onInput(input.checked));
  return {
    root: h("label", { class: "tick" }, input,
      h("span", attributes["aria-label"] ? HIDDEN : {}, label)),
    /** @param {boolean} checked */
    set(checked) {
      input.checked = checked;
    },
  };
}

const LARGEST = 1e6; // number in a cell
const PULL = 6; // px sideways for one step of a number

/**
 * A number that is pulled sideways changes by steps; a press without a pull starts typing. Where
 * the reader is typing already, the pointer selects text as anywhere.
 * @param {HTMLInputElement} input
 * @param {number} step
 * @param {(value: number) => void} onValue
 */
function pullable(input, step, onValue) {
  const isTyping = () => document.activeElement === input;
  /** @type {{x: number, value: number, moved: boolean} | null} */
  let pull = null;
  input.addEventListener("pointerdown", (event) => {
    pull = event.button !== 0 || isTyping() ? null
      : { x: event.clientX, value: input.valueAsNumber || 0, moved: false };
    if (pull) input.setPointerCapture(event.pointerId);
  });
  input.addEventListener("mousedown", (event) => pull && event.preventDefault());
  input.addEventListener("pointermove", (event) => {
    if (!pull || !input.hasPointerCapture(event.pointerId)) return;
    const steps = Math.round((event.clientX - pull.x) / PULL);
    pull.moved ||= steps !== 0;
    if (pull.moved) onValue(Number((pull.value + steps * step).toPrecision(12)));
  });
  input.addEventListener("click", () => {
    if (pull && !pull.moved) {
      input.focus();
      input.select();
    }
    pull = null;
  });
}

/**
 * A cell of a table with a number to change. What is not a number is marked and explained, and the last number stays.
 * @param {string} label
 * @param {string} role
 * @param {number} step
 * @param {ReturnType<typeof errorBox>} errors
 * @param {(value: number) => void} onInput
 */
function numberCell(label, role, step, errors, onInput) {
  const input = h("input", { type: "number", step, class: role, "aria-label": label });
  let current = NaN;
  const show = () => {
    input.value = String(current);
    errors.set(input);
  };
  pullable(input, step, (value) => {
    input.value = String(Math.max(-LARGEST, Math.min(LARGEST, value)));
    take();
  });
  const take = () => {
    const value = input.valueAsNumber;
    const fits = Math.abs(value) <= LARGEST; // false for NaN, which is what an empty cell gives
    const what = Number.isNaN(value) ? "is not a number" : "is not from −1,000,000 to 1,000,000";
    errors.set(input, fits ? "" : `${capital(label)} ${what}; ${short(current)} is used.`);
    if (fits) onInput((current = value));
  };
  input.addEventListener("input", take);
  return {
    root: h("td", { class: "entry" }, input),
    show,
    /** Follows the trait, but leaves alone what the reader is typing. @param {number} value */
    set(value) {
      if (value === current) return;
      current = value;
      show();
    },
  };
}

/** @param {string} text @param {() => void} onClick */
function button(text, onClick) {
  const root = h("button", { type: "button" }, text);
  root.addEventListener("click", onClick);
  return root;
}

// -- drawing ----------------------------------------------------------------------------------

const GUTTER = 36; // left of a chart, for the numbers of its axes
const INSET = 8; // half the thumb of a slider: where the slider is the axis, marks stand under it

/** A path through points. @param {readonly (readonly number[])[]} points */
const pathOf = (points) =>
  `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;

/**
 * A drawing as wide as its place. Each layer shows what it is given, and that again when the width
 * has changed; before there is a width, it waits.
 * @template {Record<string, (width: number, ...args: any[]) => void>} L
 * @param {Element} root what is measured
 * @param {SVGElement} svg
 * @param {number} height
 * @param {L} layers in the order in which they are drawn
 * @returns {Drawing & {[K in keyof L]: L[K] extends (width: number, ...args: infer A) => void
 *   ? (...args: A) => void : never}}
 */
function drawing(root, svg, height, layers) {
  let width = 0;
  /** @type {Record<string, any[]>} */
  const shown = {};
  const show = (/** @type {string} */ name) => {
    if (width && shown[name]) layers[name](width, ...shown[name]);
  };
  const methods = Object.keys(layers).map((name) => [name, (/** @type {any[]} */ ...args) => {
    shown[name] = args;
    show(name);
  }]);
  return {
    ...Object.fromEntries(methods), root,
    resize(/** @type {number} */ newWidth) {
      width = newWidth;
      setAttributes(svg, { viewBox: `0 0 ${width} ${height}` });
      Object.keys(layers).forEach(show);
    },
  };
}

/**
 * An empty canvas with as many dots as the screen has in its place.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
function emptied(canvas, width, height) {
  const [across, down] = [width, height].map((side) => Math.round(side * devicePixelRatio));
  if (canvas.width !== across || canvas.height !== down) {
    [canvas.width, canvas.height] = [across, down]; // slow, but clears it too
  } else {
    contextOf(canvas).clearRect(0, 0, across, down);
  }
  return contextOf(canvas);
}

/** @param {HTMLCanvasElement} canvas */
const contextOf = (canvas) =>
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

/**
 * A line across a chart, with its number in the gutter.
 * @param {number} y
 * @param {number} right
 * @param {string} text
 * @param {{gutter?: number, role?: string}} [style]
 */
const level = (y, right, text, { gutter = GUTTER, role = "hair" } = {}) => [
  s("path", { class: role, d: `M${gutter} ${y}H${right}` }),
  s("text", { class: "dim", x: gutter - 6, y: y + 4, "text-anchor": "end" }, text),
];

/**
 * Asks for what is under the pointer where it presses and as it pulls. A finger asks with a tap,
 * since it may be about to scroll the page; with `touch`, it pulls as well.
 * @param {GlobalEventHandlers & Element} element
 * @param {(event: MouseEvent) => void} ask
 * @param {{touch?: boolean}} [options]
 */
function onDrag(element, ask, { touch = false } = {}) {
  element.addEventListener("pointerdown", (event) => {
    const isFinger = event.pointerType === "touch";
    if (event.button !== 0 || (isFinger && !touch)) return;
    element.setPointerCapture(event.pointerId);
    if (!isFinger) ask(event);
  });
  element.addEventListener("pointermove", (event) => {
    // A browser captures a finger by itself.
    const isWanted = touch || event.pointerType !== "touch";
    if (isWanted && element.hasPointerCapture(event.pointerId)) ask(event);
  });
  element.addEventListener("click", ask);
}

/**
 * Asks for the place that is pressed in a drawing while one of the things in it that can be dragged
 * has the focus, which it keeps.
 * @param {HTMLElement} thing
 * @param {() => Element | null} drawing
 * @param {(event: MouseEvent) => void} ask
 */
function onPressBeside(thing, drawing, ask) {
  /** @param {Event} event */
  const press = (event) => {
    const isOnAnother = event.target instanceof Element && event.target.closest("[tabindex]");
    if (!(event instanceof MouseEvent) || event.button !== 0 || isOnAnother) return;
    event.preventDefault();
    ask(event);
  };
  thing.addEventListener("focus", () => drawing()?.addEventListener("mousedown", press));
  thing.addEventListener("blur", () => drawing()?.removeEventListener("mousedown", press));
}

/**
 * The width of a column of words in px, from `least` to `most`; longer words are cut. There is
 * room for readers who set letters wider apart.
 * @param {readonly string[]} words
 * @param {number} least
 * @param {number} most
 */
const wordWidth = (words, least, most) =>
  Math.max(least, Math.min(most, 10 + 9.5 * Math.max(...words.map((word) => word.length))));

/**
 * A bar that says a weight twice, by length and by colour; a tick marks the uniform weight.
 * @param {number} n
 */
function weightBar(n) {
  const fill = h("span", { class: "fill" });
  const tick = h("span", { class: "uniform" });
  const root = h("span", { class: "bar", ...HIDDEN }, fill, tick);
  return {
    root,
    /**
     * @param {number} weight
     * @param {boolean} [hidden] by the mask
     * @param {number} [among] how many share the uniform weight, if a mask hides some
     */
    set(weight, hidden = false, among = n) {
      tick.style.left = `${100 / Math.max(1, among)}%`;
      fill.style.width = `${100 * weight}%`;
      fill.style.background = weightColor(weight);
      root.classList.toggle("masked", hidden);
    },
  };
}

/** The name of that tick, for the head of a column of bars. @param {number} n */
function barHead(n) {
  const text = h("span");
  const head = {
    root: h("span", { class: "barhead", ...HIDDEN }, text),
    /** @param {number} among how many share the uniform weight; none has no name */
    set(among) {
      text.style.left = `${100 / Math.max(1, among)}%`;
      setText(text, among ? `1/${among}` : "");
    },
  };
  head.set(n);
  return head;
}

/** The ink of weights on a canvas now: a canvas takes no names. @param {Element} canvas */
function inkOf(canvas) {
  const text = getComputedStyle(canvas).color;
  const color = (text.match(/\d+/g) ?? []).slice(0, 3).map(Number);
  return { text, color, isDark: sum(color) > 382 }; // a dark page has a light ink
}

/**
 * Calls `draw` with the width of an element in px, now and whenever it changes. Now, if it has one:
 * what is painted first stands where it stays.
 * @param {Element} element
 * @param {(width: number) => void} draw
 * @returns {() => void} ends it
 */
function onWidth(element, draw) {
  let last = 0;
  const take = (/** @type {number} */ exact) => {
    const width = Math.round(exact);
    if (width > 0 && width !== last) draw((last = width));
  };
  take(element.clientWidth);
  const observer = new ResizeObserver(([entry]) => take(entry.contentRect.width));
  observer.observe(element);
  return () => observer.disconnect();
}

/**
 * Calls `paint` whenever the colour of an element has changed: what is on a canvas does not turn
 * light or dark with its page.
 * @param {Element} element
 * @param {() => void} paint
 * @returns {() => void} ends it
 */
function onInk(element, paint) {
  let { color } = getComputedStyle(element);
  const look = () => {
    const before = color;
    if (({ color } = getComputedStyle(element)).color !== before) paint();
  };
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", look);
  const looker = new MutationObserver(look); // the attributes in which front ends say it
  for (const root of [document.documentElement, document.body]) {
    looker.observe(root, { attributes: true });
  }
  return () => {
    looker.disconnect();
    scheme.removeEventListener("change", look);
  };
}
