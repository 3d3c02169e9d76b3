// All heads of a model on a sentence: a tile for each. One of them is to be found.

import { fan, roving, sentenceLine, shareText, textWidths } from "../core/arcs.js";
import { argsortDown, sum } from "../core/compute.js";
import { button, selectBox } from "../core/controls.js";
import { explorer } from "../core/explorer.js";
import { brief, capital } from "../core/format.js";
import { html, render, svg } from "../core/lit.js";
import { moves } from "../core/motion.js";
import { number } from "../core/text.js";
import { listOf, oneOf, placeIn, plain } from "../core/traits.js";

// == compute ==================================================================================

const MARKS = { "[CLS]": "start", "[SEP]": "end" };

// A token as the sentence has it.
const writtenAs = (token, i) => MARKS[token] ?? (i === 1 ? capital(token) : token);

export const headNames = ([layers, heads]) =>
  Array.from({ length: layers * heads }, (_, i) => `${Math.floor(i / heads)}.${i % heads}`);

const spelled = (name) => "layer " + name.replace(".", ", head ");

// A place that there is, also while another sentence comes.
const placeOf = (askers, asks) => Math.min(asks, askers.length - 1);

// A row for each head: the weights of the word that asks. They are stored as hundredths, sentence
// after sentence, head after head.
export function rowsAsked({ sentences, sentence, asks, shape: [layers, heads], table }) {
  let start = 0;
  for (const {
    name,
    tokens: { length: n },
    askers,
  } of sentences) {
    const size = n * askers.length;
    const at = (head) => start + head * size + placeOf(askers, asks) * n;
    if (name === sentence) {
      return Array.from({ length: layers * heads }, (_, head) =>
        [...table.subarray(at(head), at(head) + n)].map((w) => w / 100),
      );
    }
    start += layers * heads * size;
  }
  return [];
}

// == page =====================================================================================

const sentenceOf = ({ sentences, sentence }) =>
  sentences.find(({ name }) => name === sentence) ?? sentences[0];

/** @type {import("../core/explorer.js").Build} */
const build = (view) => {
  const { sentences, shape, game, steps } = view.read();
  const { find } = game;
  const names = headNames(shape);
  const best = argsortDown(
    rowsAsked({ ...view.read(), sentence: sentences[0].name, asks: game.asks }).map(
      (row) => row[find],
    ),
  )[0];
  const line = sentenceLine(view, "The word that asks");
  const keys = roving(shape[1]);
  let seen = -1; // the head that the pointer or the focus is on
  const look = (head) => {
    if (head === seen) return;
    seen = head;
    view.again();
  };
  const headOf = (element) => Number(element?.closest?.(".head")?.dataset.head ?? -1);
  const under = ({ clientX, clientY }) => {
    const head = headOf(document.elementFromPoint(clientX, clientY));
    if (head >= 0) look(head); // between two tiles stays what was
  };
  view.onTouch((target) => target.closest(".heads") || look(-1));
  const focus = (event) => {
    keys.focus(event);
    if (event.target.matches(":focus-visible")) look(headOf(event.target));
  };

  const isGame = ({ sentence, asks }) => sentence === sentences[0].name && asks === game.asks;
  const isFound = (now) => isGame(now) && now.head === best;
  const take = (head) => {
    const now = view.read();
    const counts = isGame(now) && !isFound(now) && !now.tried.includes(head);
    view.set(counts ? { head, tried: [...now.tried, head] } : { head });
  };
  // What comes next, once the head is found; and a way back to it.
  const stepAfter = (now) =>
    (now.head !== best
      ? undefined
      : isFound(now)
        ? steps[0]
        : steps[
            1 + steps.findIndex(({ sentence }) => sentence === now.sentence) || steps.length
          ]) ??
    (now.tried.includes(best) && !isFound(now)
      ? {
          press: `Back to “${sentences[0].tokens[find]}”`,
          sentence: sentences[0].name,
          asks: game.asks,
          head: best,
        }
      : undefined);
  const choose = (sentence) => {
    const { tokens, askers } = sentenceOf({ sentences, sentence });
    const it = askers.findIndex((i) => tokens[i] === "it");
    const last = askers.findLastIndex((i) => /^\p{L}/u.test(tokens[i])); // a word
    const [list] = view.root.getElementsByTagName("select");
    const before = list.getBoundingClientRect().top;
    view.set({ sentence, asks: it < 0 ? Math.max(0, last) : it });
    scrollBy(0, list.getBoundingClientRect().top - before); // it stays under the finger
  };
  let copied = "Copy picture";
  const copy = async () => {
    const now = view.read();
    copied = await copyPicture(card(view.root, now, names[now.head]));
    view.again();
    setTimeout(() => {
      copied = "Copy picture";
      view.again();
    }, 2000);
  };
  const begin = requestAnimationFrame(() => mayMove() && fountain(view.root));
  view.onStop(() => cancelAnimationFrame(begin));

  // The bars of all tiles, made anew where another word asks.
  let [bars, made] = [[], ""];
  const barsOf = (rows, asker) =>
    rows.map(
      (row, i) =>
        html`<span>${row.map(
          (w, j) => html`<i class=${j === asker ? "asks" : ""}
    style="height: ${Math.max(4, 100 * w)}%; opacity: ${0.25 + 0.75 * w}; --wait: ${(i % shape[1]) * 8}ms"></i>`,
        )}</span>`,
    );

  return (now) => {
    const { sentence, asks, tried, head: chosen } = now;
    const { tokens, askers } = sentenceOf(now);
    const [rows, asker, head] = [
      rowsAsked(now),
      askers[placeOf(askers, asks)],
      seen < 0 ? chosen : seen,
    ];
    if (made !== (made = `${sentence} ${asks}`)) bars = barsOf(rows, asker);
    const row = rows[head];
    const step = stepAfter(now);
    const isNarrow = view.width <= 600;

    const word = (i, role = "k") =>
      html`<b class=${role}>${tokens[i] in MARKS ? `the ${MARKS[tokens[i]]} mark` : tokens[i]}</b>`;
    const told = (from, i) => number(from[i], shareText(from[i]));
    const [top] = argsortDown(row);
    const looks = html`${word(asker, "q")} looks most at ${top === asker ? "itself" : word(top)}, ${told(row, top)}`;
    const here = spelled(names[head]);
    const says = head === best && steps.find((each) => each.sentence === sentence)?.says;
    const sentenceNow = () => {
      if (head === chosen && isFound(now)) {
        const others = rows.filter((_, i) => i !== best);
        const [second] = argsortDown(others.map((each) => each[find]));
        return html`<b>Found it</b>${tried.length > 0 ? `, try ${tried.length}` : ""}: ${here} gives ${word(find)} ${told(row, find)}. The next best head: ${told(others[second], find)}.`;
      }
      if (isGame(now) && head === chosen && tried.includes(head)) {
        return html`Not yet: in ${here} ${looks}; ${word(find)} gets ${told(row, find)}. Tries: ${tried.length}.`;
      }
      if (says) return html`Here ${looks}. ${says}`;
      return html`${capital(here)}: ${looks}${isGame(now) && top !== find ? html`; ${word(find)} gets ${told(row, find)}` : ""}.`;
    };
    return {
      headline: sentenceNow(),
      picture: html`
        ${line({
          tokens: tokens.map(writtenAs),
          asks: asker,
          rows: [row],
          pressed: asker,
          open: askers,
          isMark: (i) => tokens[i] in MARKS,
          onPress: (i) => view.set({ asks: sentenceOf(view.read()).askers.indexOf(i) }),
          largest: 40,
          height: isNarrow ? 96 : view.width <= 960 ? 132 : 146,
        })}
        <p class="next"><button type="button" class=${step ? "" : "none"} ?disabled=${!step}
          @click=${() => view.set({ head, asks: 0, ...step })}>${step?.press ?? "Next"}</button></p>
        <div class="heads" role="group" aria-label="${names.length} heads" style="--across: ${shape[1]}"
          @pointerdown=${under} @pointermove=${under} @pointerleave=${(event) => event.pointerType === "mouse" && look(-1)}
          @keydown=${keys.key} @focusin=${focus} @focusout=${() => look(-1)}>
          <span class="at" aria-hidden="true"></span><span class="at" aria-hidden="true">head 0</span>
          <span class="verb" aria-hidden="true">press a tile</span><span class="at" aria-hidden="true">${shape[1] - 1}</span>
          ${names.map(
            (
              name,
              i,
            ) => html`${i % shape[1] ? "" : html`<span class="at" aria-hidden="true">${i ? "" : html`<i>layer </i>`}${i / shape[1]}</span>`}<button type="button" data-head=${i} aria-label=${spelled(name)} aria-pressed=${i === chosen}
            class="head ${i === head ? "shown" : ""} ${i === chosen && isFound(now) ? "found" : ""}"
            tabindex=${i === chosen ? 0 : -1} @click=${() => take(i)}>${bars[i]}</button>`,
          )}</div>
        <div class="foot">${selectBox(view, {
          key: "sentence",
          label: "Sentence",
          value: sentence,
          options: Object.fromEntries(sentences.map(({ name }) => [name, brief(name)])),
          onInput: choose,
        })}
          ${button(copied, copy)}</div>`,
    };
  };
};

// Whether the page has just been opened by somebody who wants things to move.
function mayMove() {
  if (!moves() || /^#[a-z0-9-]+:/.test(location.hash) || document.hidden) return false;
  try {
    const before = sessionStorage.getItem("wall");
    sessionStorage.setItem("wall", "seen");
    return !before;
  } catch {
    return true; // a frame without storage
  }
}

// All fans of arcs rise over the sentence, then sink into their tiles, one after the other.
function fountain(root) {
  const stage = root.querySelector(".arcs");
  const paths = [...stage.querySelectorAll("path")].map((path) => path.getAttribute("d"));
  const from = stage.getBoundingClientRect();
  const motions = [];
  root.querySelectorAll(".head > span").forEach((bars, i) => {
    const arcs = document.createElementNS(stage.namespaceURI, "g");
    render(
      svg`${[...bars.children]
        .map((bar, j) => [parseFloat(bar.style.height) / 100, paths[j]])
        .filter(([w]) => w >= 0.06)
        .map(
          ([w, d]) =>
            svg`<path d=${d} fill="none" stroke="var(--k)" stroke-width=${(8 * w).toFixed(1)} stroke-opacity=${w.toFixed(2)}/>`,
        )}`,
      arcs,
    );
    stage.append(arcs);
    const box = bars.parentElement.getBoundingClientRect();
    const [scale, timing] = [
      box.width / from.width,
      { delay: 400 + 11 * i, duration: 420, easing: "ease-in" },
    ];
    arcs.animate([{ opacity: 0 }, { opacity: 0.3 }], { duration: 350, fill: "forwards" });
    const sink = `translate(${box.left - from.left}px, ${box.bottom - from.top - from.height * scale}px) scale(${scale})`;
    const falls = arcs.animate([{ transform: "none" }, { transform: sink }], {
      ...timing,
      fill: "forwards",
    });
    falls.onfinish = () => arcs.remove();
    motions.push(
      falls,
      bars.animate([{ transform: "scaleY(0)" }, { transform: "none" }], {
        ...timing,
        delay: timing.delay + 300,
        easing: "ease-out",
        fill: "backwards",
      }),
    );
  });
  // Whoever begins has seen enough.
  for (const event of ["pointerdown", "keydown"]) {
    document.addEventListener(event, () => motions.forEach((motion) => motion.finish()), {
      once: true,
    });
  }
}

// -- a picture to copy ------------------------------------------------------------------------

// The stage and the wall as one drawing, 1200 by 630, in the colours of the page.
function card(root, now, name) {
  const { tokens, askers } = sentenceOf(now);
  const [asker, rows, words] = [
    askers[placeOf(askers, now.asks)],
    rowsAsked(now),
    tokens.map(writtenAs),
  ];
  const row = rows[now.head];
  const [top] = argsortDown(row);
  const probe = root.appendChild(document.createElement("i"));
  const { fontFamily } = getComputedStyle(root);
  const [page, ink, ink2, tile, q, k] = ["page", "ink", "ink-2", "tile", "q", "k"].map((role) => {
    probe.style.color = `var(--${role})`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  const wide = textWidths(root, words);
  const size = Math.min(46, 1080 / (sum(wide) + 0.4 * (wide.length - 1)));
  const gap = (1080 - size * sum(wide)) / Math.max(1, wide.length - 1);
  const places = wide.map((w, i) => 60 + size * (sum(wide.slice(0, i)) + w / 2) + gap * i);
  const ground = { places, room: 210, thick: 18, point: (x, y) => [x, 356 - y] };
  const text = (x, y, px, fill, says, weight = 400, anchor = "start") =>
    svg`<text x=${x} y=${y} fill=${fill} font-size=${px} font-weight=${weight} text-anchor=${anchor}>${says}</text>`;
  const bars = rows.map((weights, i) => {
    const [x, y, w, t] = [60 + 90.4 * (i % 12), 466 + 24 * Math.floor(i / 12), 85.6, 20];
    const bar = w / tokens.length;
    return svg`<rect x=${x} y=${y} width=${w} height=${t} rx="2" fill=${tile} stroke=${k} stroke-width=${i === now.head ? 2.5 : 0}/>
      ${weights.map(
        (a, j) => svg`<rect x=${x + 1 + j * bar} y=${y + t - Math.max(1, a * t)} width=${bar - 1}
        height=${Math.max(1, a * t)} fill=${j === asker ? q : k} opacity=${(0.25 + 0.75 * a).toFixed(2)}/>`,
      )}`;
  });
  const place = document.createElement("div");
  render(
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630" width="1200" height="630" style="--q: ${q}; --k: ${k}" font-family=${fontFamily}>
    <rect width="1200" height="630" fill=${page}/>
    ${text(60, 84, 56, ink, `${rows.length} ways to look at a sentence`, 650)}
    ${fan("card", ground, row, places[asker])}
    ${words.map((word, i) =>
      text(
        places[i],
        356 + size,
        size,
        i === asker ? q : i === top ? k : tokens[i] in MARKS ? ink2 : ink,
        word,
        i === asker || i === top ? 650 : 400,
        "middle",
      ),
    )}
    ${text(60, 444, 22, ink2, `${capital(spelled(name))} of ${rows.length}: “${words[asker]}” looks most at “${words[top]}”, ${shareText(row[top])}`)}
    ${text(1140, 444, 22, ink, "Attention Layers", 650, "end")}${bars}</svg>`,
    place,
  );
  return place.firstElementChild;
}

// Puts a drawing on the clipboard; where that is refused, into a file. Tells what it did.
async function copyPicture(drawing) {
  const paint = async () => {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(drawing))}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: 1200, height: 630 });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return new Promise((done) => canvas.toBlob(done));
  };
  const picture = paint();
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
    return "Copied";
  } catch {
    const href = URL.createObjectURL(await picture);
    Object.assign(document.createElement("a"), { href, download: "attention-heads.png" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 9999);
    return "Saved";
  }
}

// Codecs of its own, in place of those of the declaration.
const traits = {
  table: {
    read: ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
    write: (x) => x,
  },
  sentence: oneOf("sentence", ({ sentences }) => sentences.map(({ name }) => name)),
  asks: placeIn("asks", (now) => sentenceOf(now).askers.map((i) => sentenceOf(now).tokens[i])),
  head: placeIn("head", ({ shape }) => headNames(shape)),
  tried: listOf(
    plain,
    "tried",
    (heads, { shape }) => heads.every((i) => i in headNames(shape)),
    () => [],
  ),
};

export default explorer("wall", "Where the heads of a model look", build, { traits, plain: true });
