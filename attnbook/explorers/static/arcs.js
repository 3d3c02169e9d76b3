// @ts-check
// A line of words, and arcs from the one that asks: in front of the widgets that show one.

// == compute ==================================================================================

const LEAST = 0.015; // a weight below is not drawn
const TOLD = 0.1; // and one from which it stands at its word
const SMALLEST = 14; // px of type: words that would be smaller in one line stand upright

/** Hundredths, so that what is less than half of one is no 0. @param {number} w */
const shareText = (w) => w.toFixed(2).replace(/^0/, "");

/**
 * The path of an arc between two places on a line; one that ends where it begins is a loop. A place
 * and a height above the line are a point: to the right and up, or down and to the right.
 * @param {number} from
 * @param {number} to
 * @param {number} room above the line
 * @param {(along: number, above: number) => number[]} point
 * @param {number} [rise] how much higher an arc is for each px that it is longer
 */
function arcPath(from, to, room, point, rise = 0.42) {
  const at = (/** @type {number[]} */ ...place) => point(place[0], place[1]).map((x) => x.toFixed(1)).join(" ");
  if (from === to) return `M${at(from - 5, 0)}C${at(from - 18, 32)} ${at(from + 18, 32)} ${at(from + 5, 0)}`;
  // A curve rises to three quarters of the height of its handles.
  const handle = (Math.min(room, 28 + rise * Math.abs(to - from)) * 4) / 3;
  return `M${at(from, 0)}C${at(from, handle)} ${at(to, handle)} ${at(to, 0)}`;
}

// == page =====================================================================================

/** @typedef {{places: number[], room: number, thick: number, rise?: number, point: (along: number, above: number) => number[]}} Ground */

/**
 * Calls `step` with 0 to 1, fast at first; at once where nothing shall move.
 * @param {number} ms
 * @param {(part: number) => void} step
 * @returns {() => void} ends it
 */
function tween(ms, step) {
  if (ms === 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) {
    step(1);
    return () => {};
  }
  const start = performance.now();
  const go = (/** @type {number} */ now) => {
    const left = Math.max(0, 1 - Math.max(0, now - start) / ms);
    step(1 - left ** 3);
    if (left > 0) frame = requestAnimationFrame(go);
  };
  let frame = requestAnimationFrame(go);
  return () => cancelAnimationFrame(frame);
}

/** Arcs from one place to n, from the blue of the query to the ochre of the key. @param {number} n */
function fan(n) {
  const name = uniqueId("fan");
  const gradients = Array.from({ length: n }, (_, i) =>
    s("linearGradient", { id: `${name}-${i}`, gradientUnits: "userSpaceOnUse" },
      s("stop", { offset: 0, "stop-color": "var(--q)" }), s("stop", { offset: 1, "stop-color": "var(--k)" })));
  const paths = gradients.map(({ id }) => s("path", { fill: "none", stroke: `url(#${id})`, "stroke-linecap": "round" }));
  return {
    parts: [s("defs", {}, ...gradients), ...paths],
    /** @param {Ground} ground @param {readonly number[]} row @param {number} from a place */
    draw({ places, room, thick, point, rise }, row, from) {
      places.forEach((to, i) => {
        const w = row[i] ?? 0.05; // no weights yet: all arcs that there may be, as thin as can be
        const [[x1, y1], [x2, y2]] = [point(from, 0), point(to, 0)];
        setAttributes(gradients[i], { x1, y1, x2: x1 === x2 && y1 === y2 ? x2 + 1 : x2, y2 });
        setAttributes(paths[i], {
          d: arcPath(from, to, room, point, rise), "stroke-width": w < LEAST ? 0 : +(thick * w).toFixed(2),
          "stroke-opacity": Math.min(1, 0.55 + w).toFixed(2),
        });
      });
    },
  };
}

/**
 * The arrow keys move the focus among buttons, `across` of them in a row; they press none.
 * @param {HTMLElement} root
 * @param {number} across
 */
function roving(root, across) {
  const buttons = () => [...root.querySelectorAll("button")].filter((each) => !each.disabled);
  const enter = (/** @type {Element} */ there) => {
    for (const each of buttons()) each.tabIndex = each === there ? 0 : -1;
  };
  root.addEventListener("focusin", ({ target }) => enter(/** @type {Element} */ (target)));
  root.addEventListener("keydown", (event) => {
    const ways = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across, Home: -1e9, End: 1e9 };
    const way = ways[/** @type {keyof typeof ways} */ (event.key)];
    if (!way || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const all = buttons();
    const to = all.indexOf(/** @type {HTMLButtonElement} */ (event.target)) + way;
    if (all[to] || Math.abs(way) > across) all[Math.max(0, Math.min(all.length - 1, to))].focus();
  });
  return { enter };
}

/**
 * Words in one line, as wide as its place, under arcs. Where they do not fit they stand upright, below
 * each other, and the arcs right of them.
 * @param {string} label
 * @param {(place: number) => void} [onPress] a word, if words can be pressed
 */
function lineOfWords(label, onPress) {
  const svg = s("svg", { class: "arcs", ...HIDDEN });
  const words = h("div", { class: "words", role: "group", "aria-label": label });
  const root = h("div", { class: "line" }, svg, words);
  const keys = roving(words, 1);
  /** @type {{root: HTMLElement, name: HTMLElement, share: HTMLDataElement}[]} */
  let items = [];
  let arcs = fan(0);
  /** @type {Ground} */
  let ground = { places: [], room: 0, thick: 0, point: (x, y) => [x, y] };
  let [text, asks, from] = ["", 0, 0];
  let row = /** @type {readonly number[]} */ ([]);
  let end = () => {};

  const draw = () => ground.places.length > 0 && arcs.draw(ground, row, from);
  /** Where the words are, and what room there is. */
  const place = () => {
    const upright = root.classList.contains("upright");
    const middles = items.map(({ root: { offsetLeft: x, offsetTop: y, offsetWidth: w, offsetHeight: t } }) =>
      (upright ? y + t / 2 : x + w / 2));
    const [wide, high] = [root.clientWidth, svg.clientHeight];
    const left = words.offsetWidth + 12;
    const thick = Math.max(upright ? 14 : 10, wide / 62);
    ground = {
      places: middles, thick, rise: upright ? 0.9 : 0.42, room: (upright ? wide - left : high) - thick / 2 - 3,
      point: upright ? (y, x) => [left + x, y] : (x, y) => [x, high - 3 - y],
    };
    setAttributes(svg, { viewBox: `0 0 ${wide} ${upright ? root.clientHeight : high}`, "data-thick": thick });
    end();
    from = middles[asks];
    draw();
  };
  const fit = () => {
    if (words.clientWidth === 0) return;
    root.classList.remove("upright");
    words.style.fontSize = "";
    const most = parseFloat(getComputedStyle(words).fontSize);
    const wide = sum(items.map((item) => item.root.offsetWidth)) + 0.4 * most * (items.length - 1);
    const size = most * Math.min(1, root.clientWidth / wide);
    root.classList.toggle("upright", size < SMALLEST);
    words.style.fontSize = size < SMALLEST ? "17px" : `${size.toFixed(2)}px`;
    place();
  };
  const unwatch = onWidth(root, fit);
  return {
    root, svg,
    stop() {
      end();
      unwatch();
    },
    ground: () => ({ ...ground, from }),
    /**
     * @param {readonly string[]} tokens
     * @param {number} from_ which of them asks
     * @param {readonly number[]} weights none: not yet
     * @param {{pressed?: number, ms?: number, open?: readonly number[],
     *   isMark?: (i: number) => boolean}} [options] what can be pressed is `open`
     */
    show(tokens, from_, weights, { pressed = -1, ms = 0, open, isMark = () => false } = {}) {
      const isNew = text !== (text = JSON.stringify(tokens));
      if (isNew) {
        items = tokens.map((token, i) => {
          const [name, share] = [h("bdi", {}, token), h("data")];
          const mark = isMark(i) && "mark";
          const item = onPress ? button("", () => onPress(i)) : h("span");
          item.className = mark ? "word mark" : "word";
          item.append(name, " ", share);
          return { root: item, name, share };
        });
        arcs = fan(tokens.length);
        words.replaceChildren(...items.map((item) => item.root));
        svg.replaceChildren(...arcs.parts);
      }
      asks = from_;
      const most = Math.max(...weights);
      items.forEach(({ root: item, share }, i) => {
        const w = weights[i] ?? NaN;
        setNumber(share, w, w >= TOLD ? shareText(w) : "");
        item.classList.toggle("asks", i === from_);
        item.classList.toggle("top", w === most && i !== from_);
        if (item instanceof HTMLButtonElement) {
          item.disabled = open !== undefined && !open.includes(i);
          setAttributes(item, { "aria-pressed": i === pressed });
        }
      });
      if (isNew) {
        if (onPress) keys.enter(items[Math.max(0, pressed)].root);
        row = weights;
        fit();
      }
      end();
      const before = { row, from };
      const to = ground.places[from_] ?? 0;
      end = tween(weights.length > 0 && before.row.length > 0 && !isNew ? ms : 0, (part) => {
        row = weights.map((w, i) => (part === 1 ? w : before.row[i] + part * (w - before.row[i])));
        from = part === 1 ? to : before.from + part * (to - before.from);
        draw();
      });
    },
  };
}
