// @ts-check
// MemoryExplorer: tiles between a large slow memory and a small fast one, and what they move.

// == compute ==================================================================================

const WIDTH = 64; // of queries, keys and values
const BYTES = 2; // of a number
const LENGTHS = [128, 256, 512, 1024];
const ROOMS = [8, 16, 32, 64, 128, 256]; // KiB

/** How many rows a tile has: the most that fit. @param {number} fast in KiB */
function rowsThatFit(fast) {
  const half = 2 * WIDTH + 1;
  return Math.floor(Math.sqrt(half * half + (1024 * fast) / BYTES)) - half;
}

/**
 * A step of a run: the rows of queries and of keys that are worked on, from 0; all keys if there
 * is no `keys`. `pass` is 0 for scores, 1 for weights, 2 for outputs; a run in tiles has only 2.
 * @typedef {{pass: number, some: number, keys: number | undefined, bytes: number, work: number}} Step
 */

/**
 * The steps of a run, each with what has been moved and multiplied when it ends.
 * @param {number} n
 * @param {number} rows of a tile
 * @param {boolean} tiled
 * @returns {Step[]}
 */
function stepsOf(n, rows, tiled) {
  const count = Math.ceil(n / rows);
  const tiles = Array.from({ length: count }, (_, i) => Math.min(rows, n - i * rows));
  /** @type {Step[]} */
  const steps = [];
  let [numbers, work] = [0, 0];
  const end = (/** @type {number} */ pass, /** @type {number} */ some, /** @type {number} */ keys) =>
    steps.push({ pass, some, keys: pass === 1 ? undefined : keys, bytes: BYTES * numbers, work });
  for (const pass of tiled ? [2] : [0, 1, 2]) {
    tiles.forEach((b, some) => {
      if (pass === 1) {
        numbers += 2 * b * n; // weights in the place of scores
        end(pass, some, 0);
        return;
      }
      if (tiled || pass === 0) numbers += b * WIDTH; // queries
      tiles.forEach((c, keys) => {
        numbers += (tiled ? 2 : 1) * c * WIDTH + (tiled ? 0 : b * c); // keys, values; the square
        work += tiled ? 2 * b * c * WIDTH + b * (WIDTH + 1) : b * c * WIDTH;
        if (pass === 2 && keys === count - 1) numbers += b * WIDTH; // outputs
        end(pass, some, keys);
      });
    });
  }
  return steps;
}

/** What has been moved and multiplied when a part of the steps is done. @param {readonly Step[]} steps @param {number} done in percent */
function countsAt(steps, done) {
  const at = Math.floor((steps.length * done) / 100);
  return at ? steps[at - 1] : { bytes: 0, work: 0 };
}

/** Where the bars end, at every size: the larger count of both ways, smallest fast memory. @param {number} n */
function mostOf(n) {
  const ends = [false, true].map((tiled) => countsAt(stepsOf(n, rowsThatFit(ROOMS[0]), tiled), 100));
  return { bytes: Math.max(...ends.map((end) => end.bytes)), work: Math.max(...ends.map((end) => end.work)) };
}
const MOST = Object.fromEntries(LENGTHS.map((n) => [n, mostOf(n)]));

// == page =====================================================================================

/** @type {Codecs<{n: number, fast: number, tiled: boolean, done: number}>} */
const TRAITS = {
  n: oneOf("n", () => LENGTHS), fast: oneOf("fast", () => ROOMS), tiled: flag("tiles"),
  done: whole("done", 0, () => 100),
};

/** @param {number} bytes */
const inMebibytes = (bytes) => `${fixed(bytes / 2 ** 20, 2)} MiB`;
/** @param {number} work */
const inMillions = (work) => `${fixed(work / 1e6, 1)} million`;

const widget = explorer("memory", "Memory explorer", TRAITS, (read, set) => {
  const way = choiceControl("Compute", ["scores written out", "in tiles"],
    (index) => set({ tiled: index === 1 }));
  const length = rangeControl(["Words ", letter("n", "")], [0, LENGTHS.length - 1],
    (at) => set({ n: LENGTHS[at] }),
    { write: (at) => String(LENGTHS[at]), say: (at) => `${LENGTHS[at]} words` });
  const fast = rangeControl("Fast memory", [0, ROOMS.length - 1], (at) => set({ fast: ROOMS[at] }),
    { write: (at) => `${ROOMS[at]} KiB`, say: (at) => `${ROOMS[at]} kibibytes` });
  const done = rangeControl("Done", [0, 100], (percent) => set({ done: percent }),
    { write: (percent) => `${percent} %`, say: (percent) => `${percent} percent done` });
  const view = memories();
  const [moved, work] = [meter("moved"), meter("multiplied")];
  const note = h("p", { class: "small note" });

  return {
    drawings: [view],
    below: [
      view.root, h("dl", {}, moved.root, work.root), note,
      h("div", { class: "controls" }, way.root, done.root, length.root, fast.root),
    ],
    draw({ n, fast: room, tiled, done: percent }) {
      const rows = rowsThatFit(room);
      const steps = stepsOf(n, rows, tiled);
      const [now, most] = [countsAt(steps, percent), MOST[n]];
      way.set(Number(tiled));
      length.set(LENGTHS.indexOf(n));
      fast.set(ROOMS.indexOf(room));
      done.set(percent);
      view.step(n, rows, tiled, steps, Math.floor((steps.length * percent) / 100));
      moved.set(now.bytes / most.bytes, inMebibytes(now.bytes));
      work.set(now.work / most.work, inMillions(now.work));
      setText(note, `A full bar: ${inMebibytes(most.bytes)} and ${inMillions(most.work)}, ` +
        `the most that either way takes with ${ROOMS[0]} KiB.`);
      return [h("b", {}, tiled ? "In tiles" : "Scores written out"), `, ${percent} % done: `,
        number(now.work, inMillions(now.work)), " multiplications, ",
        h("b", {}, number(now.bytes, inMebibytes(now.bytes))), " moved."];
    },
  };
});

/** A count as a bar. @param {string} name */
function meter(name) {
  const fill = h("span", { class: "fill" });
  const count = h("dd");
  return {
    root: h("div", {}, h("dt", {}, name), h("dd", { class: "bar", ...HIDDEN }, fill), count),
    /** @param {number} share of a full bar @param {string} text */
    set(share, text) {
      fill.style.width = `${100 * share}%`;
      setText(count, text);
    },
  };
}

const [TOP, GAP, HIGH] = [40, 14, 280]; // px: over the boxes, between them, the drawing

/** The two memories, drawn to one scale, with the tiles of the step. */
function memories() {
  const svg = s("svg", { role: "img" });
  const root = h("div", { class: "view" }, svg);

  /**
   * @param {number} width
   * @param {number} n
   * @param {number} rows
   * @param {boolean} tiled
   * @param {readonly Step[]} steps
   * @param {number} at how many are done
   */
  function draw(width, n, rows, tiled, steps, at) {
    const isNarrow = width < 560;
    const held = Math.min(rows, n); // of a tile
    // Q, K, V, Y and the square; beside them a fast memory of the greatest size.
    const columns = 4 * WIDTH + n;
    const side = Math.min(HIGH - TOP - 16, n * (width - 5 * GAP - (isNarrow ? 0 : 72))
      / (columns + (isNarrow ? 0 : 4 * WIDTH + held)));
    const px = side / n;
    const strip = WIDTH * px;
    const now = steps[Math.min(at, steps.length - 1)];
    const [from, high] = [now.some * rows * px, Math.min(rows, n - now.some * rows) * px];
    const isAll = now.keys === undefined;
    const keysFrom = isAll ? 0 : Number(now.keys) * rows * px;
    const wide = isAll ? side : Math.min(rows, n - Number(now.keys) * rows) * px;
    const ran = at === steps.length;

    /** What the step has in the fast memory, by name. */
    const used = tiled ? "QKVSY" : ["QKS", "S", "SVY"][now.pass];
    const square = tiled ? "S" : now.pass === 0 ? "S" : now.pass === 1 ? "S, A" : "A";
    /** @type {SVGElement[]} */
    const parts = [];
    /** @type {{role: string, x: number, y: number, w: number, h: number}[]} */
    const tiles = [];
    let x = 1;
    for (const name of ["Q", "K", "V", "S", "Y"]) {
      const isSquare = name === "S";
      const [w, role] = [isSquare ? side : strip, isSquare ? "s" : name === "Y" ? "o" : name.toLowerCase()];
      const isGone = isSquare && tiled;
      const y = name === "K" || name === "V" ? keysFrom : from;
      const tall = name === "K" || name === "V" ? wide : high;
      parts.push(s("rect", { class: `box ${role}${isGone ? " gone" : ""}`, x, y: TOP, width: w, height: side }));
      // What has been computed so far: whole rows of tiles, and a part of one.
      if (name === "Y" || isSquare) {
        const isLast = tiled || now.pass === 2;
        const full = ran || (isSquare && now.pass > 0 && !tiled) ? side
          : isSquare ? from : isLast ? from : 0;
        parts.push(s("rect", { class: `made ${role}${isGone ? " gone" : ""}`, x, y: TOP, width: w, height: full }));
        if (isSquare && full < side && !isAll) {
          parts.push(s("rect", { class: `made ${role}${isGone ? " gone" : ""}`, x, y: TOP + from,
            width: keysFrom, height: high }));
        }
      }
      parts.push(s("text", { class: `name ${role}`, x: x + w / 2, y: TOP - 8, "text-anchor": "middle" },
        isSquare ? (tiled ? "never stored" : square) : name));
      if (used.includes(name) && !ran) {
        const tile = { role, x: isSquare ? x + keysFrom : x, y: TOP + y, w: isSquare ? wide : w, h: tall };
        tiles.push(tile);
        parts.push(s("rect", { class: `tile ${role}${isGone ? " gone" : ""}`, x: tile.x, y: tile.y,
          width: tile.w, height: Math.max(1, tile.h) }));
      }
      x += w + GAP;
    }
    const slowEnd = x - GAP;
    // The fast memory: the tiles side by side. Of a row of scores, one at a time.
    const room = held * px;
    const [fastX, fastY] = isNarrow ? [1, TOP + side + 52] : [slowEnd + 64, TOP];
    const fastWide = 4 * strip + room + 8;
    parts.push(
      s("text", { class: "dim", x: 1, y: 14 }, "slow memory"),
      s("text", { class: "dim", x: fastX, y: isNarrow ? fastY - 10 : 14 }, "fast memory"),
      s("rect", { class: "fast", x: fastX, y: fastY, width: fastWide, height: room + 8 }));
    let put = fastX + 4;
    for (const tile of tiles) {
      const w = isAll ? Math.min(tile.w, fastWide - 8) : tile.w;
      const tall = isAll ? Math.min(tile.h, Math.max(1, px)) : tile.h;
      parts.push(s("rect", { class: `tile ${tile.role}`, x: put, y: fastY + 4, width: w,
        height: Math.max(1, tall) }));
      put += w;
    }
    // On a phone the fast memory stands below, and what one gains in height the other loses.
    const height = isNarrow ? TOP + 68 + width - 5 * GAP : HIGH;
    setAttributes(svg, { height, viewBox: `0 0 ${width} ${height}`,
      "aria-label": said(n, rows, tiled, now, ran) });
    svg.replaceChildren(...parts);
  }

  return drawing(root, svg, HIGH, { step: draw });
}

/**
 * The drawing in words.
 * @param {number} n
 * @param {number} rows
 * @param {boolean} tiled
 * @param {Step} now
 * @param {boolean} ran
 */
function said(n, rows, tiled, now, ran) {
  const tiles = Math.ceil(n / rows);
  const held = tiled ? "tiles of Q, K, V, their scores and Y"
    : ["tiles of Q and K and their scores", "a row of scores", "tiles of A, V and Y"][now.pass];
  const place = `queries ${now.some + 1} of ${tiles}` +
    (now.keys === undefined ? "" : `, keys ${now.keys + 1} of ${tiles}`);
  return `A slow memory with Q, K, V and Y of ${n} rows${tiled ? "" : ` and a square of ${n} × ${n}`
    }. The fast memory has tiles of ${rows} rows; ${ran ? "all is done" : `it holds ${held}: ${place}`}.`;
}

export default widget;
