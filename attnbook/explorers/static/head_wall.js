// @ts-check
// All heads of a model on a sentence: a tile for each. One of them is to be found.

// == compute ==================================================================================

const MARKS = /** @type {Record<string, string>} */ ({ "[CLS]": "start", "[SEP]": "end" });

/** A token as the sentence has it. @param {string} token @param {number} i */
const writtenAs = (token, i) => MARKS[token] ?? (i === 1 ? capital(token) : token);

/** @param {number[]} shape layers, heads in each */
const headNames = ([layers, heads]) =>
  Array.from({ length: layers * heads }, (_, i) => `${Math.floor(i / heads)}.${i % heads}`);

/** @param {string} name */
const spelled = (name) => "layer " + name.replace(".", ", head ");

/** A place that there is, also while another sentence comes. @param {number[]} askers @param {number} asks */
const placeOf = (askers, asks) => Math.min(asks, askers.length - 1);

/** @typedef {{name: string, tokens: string[], askers: number[]}} Sentence */
/** @typedef {{sentences: Sentence[], sentence: string, asks: number, shape: number[], table: Uint8Array}} Asked */

/**
 * A row for each head: the weights of the word that asks. They are stored as hundredths, sentence
 * after sentence, head after head.
 * @param {Asked} now
 */
function rowsAsked({ sentences, sentence, asks, shape: [layers, heads], table }) {
  let start = 0;
  for (const { name, tokens: { length: n }, askers } of sentences) {
    const size = n * askers.length;
    const at = (/** @type {number} */ head) => start + head * size + placeOf(askers, asks) * n;
    if (name === sentence) {
      return Array.from({ length: layers * heads }, (_, head) => [...table.subarray(at(head), at(head) + n)].map((w) => w / 100));
    }
    start += layers * heads * size;
  }
  return [];
}

// == page =====================================================================================

const MOVE = 220; // milliseconds from one head's arcs to another's
const HALF = 0.5;

/** @type {Codec<Uint8Array>} */
const bytes = { read: ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength), write: (x) => x };
const sentenceOf = (/** @type {{sentences: Sentence[], sentence: string}} */ { sentences, sentence }) =>
  sentences.find(({ name }) => name === sentence) ?? sentences[0];

/**
 * @typedef {{press: string, sentence: string, says: string}} Step
 * @typedef {Asked & {game: {asks: number, find: number}, steps: Step[], head: number, tried: number[]}} Wall
 */
/** @type {Codecs<Wall>} */
const TRAITS = {
  sentences: plain, shape: plain, game: plain, steps: plain, table: bytes,
  sentence: oneOf("sentence", ({ sentences }) => sentences.map((/** @type {Sentence} */ { name }) => name)),
  asks: placeIn("asks", (now) => sentenceOf(now).askers.map((i) => sentenceOf(now).tokens[i])),
  head: placeIn("head", ({ shape }) => headNames(shape)),
  tried: listOf(plain, "tried", (heads, { shape }) => heads.every((i) => i in headNames(shape)), () => []),
};

const widget = explorer("wall", "Where the heads of a model look", TRAITS, (read, set, again) => {
  const { sentences, shape, game, steps } = read();
  const names = headNames(shape);
  const best = argsortDown(rowsAsked({ ...read(), sentence: sentences[0].name, asks: game.asks }).map((row) => row[game.find]))[0];
  let seen = -1; // the head that the pointer or the focus is on
  const look = (/** @type {number} */ head) => {
    if (head === seen) return;
    seen = head;
    again();
  };

  const line = lineOfWords("The word that asks", (i) => set({ asks: sentenceOf(read()).askers.indexOf(i) }));
  const tiles = names.map((name, head) => {
    const tile = button("", () => take(head));
    furnish(tile, { class: "head", "aria-label": spelled(name) }, [h("span")]);
    return tile;
  });
  const wall = h("div", { class: "heads", role: "group", "aria-label": `${names.length} heads` }, ...tiles);
  wall.style.setProperty("--across", String(shape[1]));
  roving(wall, shape[1]).enter(tiles[0]);
  const under = (/** @type {PointerEvent} */ { clientX, clientY }) => {
    const there = document.elementFromPoint(clientX, clientY);
    const head = tiles.findIndex((tile) => tile.contains(there));
    if (head >= 0) look(head); // between two tiles stays what was
  };
  for (const event of /** @type {const} */ (["pointerdown", "pointermove"])) wall.addEventListener(event, under);
  wall.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && look(-1));
  wall.addEventListener("focusin", ({ target }) =>
    /** @type {Element} */ (target).matches(":focus-visible") && look(tiles.indexOf(/** @type {HTMLButtonElement} */ (target))));
  wall.addEventListener("focusout", () => look(-1));

  const isGame = (/** @type {Wall} */ { sentence, asks }) => sentence === sentences[0].name && asks === game.asks;
  const isFound = (/** @type {Wall} */ now) => isGame(now) && now.head === best;
  const take = (/** @type {number} */ head) => {
    const now = read();
    const counts = isGame(now) && !isFound(now) && !now.tried.includes(head);
    set(counts ? { head, tried: [...now.tried, head] } : { head });
  };
  /** The next step, once the head is found. @param {Wall} now */
  const stepAfter = (now) => (now.head !== best ? undefined
    : isFound(now) ? steps[0] : steps[1 + steps.findIndex(({ sentence }) => sentence === now.sentence) || steps.length]);
  const next = button("", () => {
    const step = stepAfter(read());
    if (step) set({ sentence: step.sentence, asks: 0 });
  });
  const choice = selectControl("Sentence", Object.fromEntries(sentences.map(({ name }) => [name, name])), (sentence) => {
    const { tokens, askers } = sentenceOf({ sentences, sentence });
    const it = askers.findIndex((i) => tokens[i] === "it");
    set({ sentence, asks: it < 0 ? Math.max(0, askers.length - 2) : it });
  });
  const copier = button("Copy picture", () => {
    const now = read();
    const { tokens, askers } = sentenceOf(now);
    copyPicture(copier, card(root(), tokens, askers[placeOf(askers, now.asks)], rowsAsked(now), now.head, `${capital(spelled(names[now.head]))} of ${names.length}`));
  });
  const root = () => /** @type {HTMLElement} */ (wall.closest(".attn"));
  const begin = requestAnimationFrame(() => mayMove() && fountain(line, rowsAsked(read()), tiles));

  let last = "";
  return {
    above: [line.root],
    below: [h("p", { class: "next" }, next), wall, h("div", { class: "foot" }, choice.root, copier)],
    stop() {
      cancelAnimationFrame(begin);
      line.stop();
    },
    draw(now) {
      const { sentence, asks, tried, head: chosen } = now;
      const { tokens, askers } = sentenceOf(now);
      const [rows, asker, head] = [rowsAsked(now), askers[placeOf(askers, asks)], seen < 0 ? chosen : seen];
      const row = rows[head];
      if (last !== (last = `${sentence} ${asks}`)) { // other bars
        rows.forEach((weights, i) => {
          const bars = /** @type {Element} */ (tiles[i].firstElementChild);
          if (bars.childElementCount !== tokens.length) bars.replaceChildren(...tokens.map(() => h("i")));
          weights.forEach((w, j) => {
            const bar = /** @type {HTMLElement} */ (bars.children[j]);
            bar.className = j === asker ? "asks" : "";
            bar.style.cssText = `height:${Math.max(4, 100 * w)}%;opacity:${0.25 + 0.75 * w};--wait:${(i % shape[1]) * 8}ms`;
          });
        });
      }
      tiles.forEach((tile, i) => {
        tile.classList.toggle("seen", i === seen);
        tile.classList.toggle("found", i === chosen && isFound(now));
        setAttributes(tile, { "aria-pressed": i === chosen });
      });
      line.show(tokens.map(writtenAs), asker, row, {
        pressed: asker, ms: MOVE, open: askers, isMark: (i) => tokens[i] in MARKS,
      });
      choice.set(sentence);
      const step = stepAfter(now);
      next.hidden = !step;
      setText(next, step?.press ?? "Go on");

      const word = (/** @type {number} */ i, role = "k") => h("b", { class: role }, writtenAs(tokens[i], 0) === tokens[i] ? tokens[i] : `the ${MARKS[tokens[i]]} mark`);
      const told = (/** @type {number[]} */ from, /** @type {number} */ i) => number(from[i], shareText(from[i]));
      const [top] = argsortDown(row);
      const looks = [word(asker, "q"), " looks most at ", ...(top === asker ? ["itself"] : [word(top)]), ", ", told(row, top)];
      const here = capital(spelled(names[head]));
      const { find } = game;
      if (isGame(now) && head === chosen && isFound(now)) {
        const others = rows.filter((_, i) => i !== best);
        const [second] = argsortDown(others.map((each) => each[find]));
        return [h("b", {}, "Found it"), tried.length > 0 && `, try ${tried.length}`, `: ${here.toLowerCase()} gives `, word(find), " ", told(row, find),
          ". The next best head gives it ", told(others[second], find), "."];
      }
      if (isGame(now) && head === chosen && tried.includes(head)) {
        return [`Not yet: in ${here.toLowerCase()} `, ...looks, "; ", word(find), " gets ", told(row, find), `. Tries: ${tried.length}.`];
      }
      const says = head === best && steps.find((each) => each.sentence === sentence)?.says;
      if (says) return ["Here ", ...looks, `. ${says}`];
      return [`${here}: `, ...looks, isGame(now) && top !== find && ["; ", word(find), " gets ", told(row, find)], "."].flat();
    },
  };
});

/** Whether the page has just been opened by somebody who wants things to move. */
function mayMove() {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches || /^#[a-z0-9-]+:/.test(location.hash) || document.hidden) return false;
  try {
    const before = sessionStorage.getItem("wall");
    sessionStorage.setItem("wall", "seen");
    return !before;
  } catch {
    return true; // a frame without storage
  }
}

/**
 * All fans of arcs rise over the sentence, then sink into their tiles, one after the other.
 * @param {ReturnType<typeof lineOfWords>} line
 * @param {readonly number[][]} rows
 * @param {readonly HTMLElement[]} tiles
 */
function fountain(line, rows, tiles) {
  const { places, room, point, from } = line.ground();
  const stage = line.svg.getBoundingClientRect();
  /** @type {Animation[]} */
  const moves = [];
  rows.forEach((row, i) => {
    const arcs = s("g", { class: "ghost" }, ...row.flatMap((w, j) => (w < 0.06 ? [] : [s("path", {
      d: arcPath(from, places[j], room, point), fill: "none", stroke: "var(--k)", "stroke-width": (1 + 8 * w).toFixed(1),
    })])));
    line.svg.append(arcs);
    const box = tiles[i].getBoundingClientRect();
    const [scale, timing] = [box.width / stage.width, { delay: 400 + 11 * i, duration: 420, easing: "ease-in" }];
    arcs.animate([{ opacity: 0 }, { opacity: 0.09 }], { duration: 350, fill: "forwards" });
    const sink = `translate(${box.left - stage.left}px, ${box.bottom - stage.top - stage.height * scale}px) scale(${scale})`;
    const falls = arcs.animate([{ transform: "none" }, { transform: sink }], { ...timing, fill: "forwards" });
    falls.onfinish = () => arcs.remove();
    moves.push(falls, /** @type {Element} */ (tiles[i].firstElementChild).animate([{ transform: "scaleY(0)" }, { transform: "none" }],
      { ...timing, delay: timing.delay + 300, easing: "ease-out", fill: "backwards" }));
  });
  // Whoever begins has seen enough.
  for (const event of ["pointerdown", "keydown"]) {
    document.addEventListener(event, () => moves.forEach((move) => move.finish()), { once: true });
  }
}

// -- a picture to copy ------------------------------------------------------------------------

/**
 * The stage and the wall as one drawing, 1200 by 630, in the colours of the page.
 * @param {HTMLElement} root
 * @param {readonly string[]} tokens
 * @param {number} asker
 * @param {readonly number[][]} rows
 * @param {number} head
 * @param {string} title of the head
 */
function card(root, tokens, asker, rows, head, title) {
  const probe = root.appendChild(h("i"));
  const [page, ink, ink2, tile, q, k] = ["page", "ink", "ink-2", "tile", "q", "k"].map((name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  const pen = contextOf(h("canvas"));
  const { fontFamily } = getComputedStyle(root);
  pen.font = `100px ${fontFamily}`;
  const wide = tokens.map((token, i) => pen.measureText(writtenAs(token, i)).width / 100);
  const size = Math.min(46, 1080 / (sum(wide) + 0.4 * (tokens.length - 1)));
  const gap = tokens.length > 1 ? (1080 - size * sum(wide)) / (tokens.length - 1) : 0;
  const places = wide.map((w, i) => 60 + size * (sum(wide.slice(0, i)) + w / 2) + gap * i);
  const [row, base] = [rows[head], 356];
  const [top] = argsortDown(row);
  const arcs = fan(tokens.length);
  arcs.draw({ places, room: 210, thick: 18, point: (x, y) => [x, base - y] }, row, places[asker]);
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ px, /** @type {string} */ fill,
    /** @type {string} */ says, weight = 400, anchor = "start") =>
    s("text", { x, y, fill, "font-size": px, "font-weight": weight, "text-anchor": anchor }, says);
  const bars = rows.flatMap((weights, i) => {
    const [x, y, w, t] = [60 + 90.4 * (i % 12), 466 + 24 * Math.floor(i / 12), 85.6, 20];
    const bar = w / tokens.length;
    return [s("rect", { x, y, width: w, height: t, rx: 2, fill: tile, stroke: k, "stroke-width": i === head ? 2.5 : 0 }),
      ...weights.map((a, j) => s("rect", { x: x + 1 + j * bar, y: y + t - Math.max(1, a * t), width: bar - 1,
        height: Math.max(1, a * t), fill: j === asker ? q : k, opacity: (0.25 + 0.75 * a).toFixed(2) }))];
  });
  return s("svg", { viewBox: "0 0 1200 630", width: 1200, height: 630, style: `--q:${q};--k:${k};font-family:${fontFamily}` },
    s("rect", { width: 1200, height: 630, fill: page }),
    text(60, 84, 56, ink, `${rows.length} ways to look at a sentence`, 650), ...arcs.parts,
    ...tokens.map((token, i) => text(places[i], base + size, size, i === asker ? q : i === top ? k : token in MARKS ? ink2 : ink,
      writtenAs(token, i), i === asker || i === top ? 650 : 400, "middle")),
    text(60, 444, 22, ink2, `${title}: “${writtenAs(tokens[asker], 0)}” looks most at “${writtenAs(tokens[top], 0)}”, ${shareText(row[top])}`),
    text(1140, 444, 22, ink, "Attention Layers", 650, "end"), ...bars);
}

/**
 * Puts a drawing on the clipboard; where that is refused, into a file.
 * @param {HTMLElement} press
 * @param {SVGElement} drawing
 */
async function copyPicture(press, drawing) {
  const paint = async () => {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(drawing))}`;
    await image.decode();
    const canvas = h("canvas", { width: 1200, height: 630 });
    contextOf(canvas).drawImage(image, 0, 0);
    return /** @type {Promise<Blob>} */ (new Promise((done) => canvas.toBlob((blob) => done(/** @type {Blob} */ (blob)))));
  };
  const picture = paint();
  const name = press.textContent;
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
    setText(press, "Copied");
  } catch {
    const href = URL.createObjectURL(await picture);
    h("a", { href, download: "attention-heads.png" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 9999);
    setText(press, "Saved");
  }
  setTimeout(() => setText(press, name ?? ""), 2000);
}

export default widget;
