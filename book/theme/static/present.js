// @ts-check
"use strict";
/**
 * The presenter view: a lesson as slides, made of what the page has. theme.js loads this when it is
 * asked for. A slide shows some blocks of the page and hides all others, so explorers stay what and
 * where they are, and leaving the view puts nothing back but what was hidden.
 *
 * What is on a slide is decided by rule: the goals; what leads up to the opening explorer; every
 * explorer, figure, formula, table, list and question; of the text the sentences that have bold words
 * or ask, and the one before a formula; code that a question is about, or that has no formula beside
 * it, if it is short. Exercises and what is folded stay off, and what stands behind the stop line
 * where it would be too much for an hour.
 */

// == compute ==================================================================================

/**
 * A block of the page that may stand on a slide. `leads` is a text that belongs to what follows it.
 * @typedef {"heading" | "text" | "formula" | "table" | "list" | "code" | "drawing" | "figure"
 *   | "explorer" | "question"} Kind
 * @typedef {{kind: Kind, lines: number, leads?: boolean}} Item
 */

/**
 * Puts the blocks of a page on slides, by their numbers; the first of each slide is its heading.
 * A slide has room for some 15 lines. Below an explorer or a question is
 * nothing; a short text before either stands above it.
 * @param {readonly Item[]} items in the order of the page
 */
function compose(items) {
  const LINES = 15,
    SHORT = 4;
  /** @type {number[][]} */
  const slides = [];
  let heading = -1;
  let room = 0; // lines that are left on the last slide
  items.forEach(({ kind, lines, leads }, i) => {
    const last = slides.at(-1);
    if (kind === "heading") {
      [heading, room] = [i, 0];
    } else {
      const isLast = kind === "explorer" || kind === "question";
      const isBelowText =
        room >= LINES - SHORT && last?.slice(1).every((j) => items[j].kind === "text");
      // What leads up to something goes where there is room for that as well.
      const fits = !isLast && lines + (leads ? items[i + 1].lines : 0) <= room;
      if (last && (fits || (isLast && isBelowText) || items[i - 1].leads)) {
        last.push(i);
        room -= lines;
      } else {
        slides.push([heading, i]);
        room = LINES - lines;
      }
      if (isLast) room = 0;
    }
  });
  return slides;
}

/**
 * Which sentences of a paragraph are said on a slide: with a term in bold; after a bold label, which
 * is a sentence of its own, the next; and those that ask: all, the one at the end, or none. One that
 * points back, as "Such a row is empty" does, is said with the one that it points to.
 * @typedef {{letters: number, isAsking: boolean, isBold: boolean, isLabel: boolean,
 *   pointsBack?: boolean}} Sentence
 * @param {readonly Sentence[]} sentences
 * @param {"all" | "end" | "none"} asks
 */
function saidOf(sentences, asks) {
  const said = sentences.map(({ letters, isAsking, isBold }, i) => {
    const mayAsk = asks === "all" || (asks === "end" && i === sentences.length - 1);
    return isBold || sentences[i - 1]?.isLabel === true || (mayAsk && isAsking && letters > 25);
  });
  for (let i = said.length - 1; i > 0; i -= 1)
    if (said[i] && sentences[i].pointsBack) said[i - 1] = true;
  return said;
}

/** Whether a sentence speaks of the one before it. @param {string} text */
function pointsBack(text) {
  return /^(It|This|That|These|Those|They|Each|Both|Such|The same|So|Then|How far do such)\b/.test(
    text.trim(),
  );
}

/**
 * Where sentences end within a text, each after its blank.
 * @param {string} text
 * @param {string} [before] the end of what precedes it: a bold label has its blank in the text
 */
function endsOf(text, before = "") {
  return [...(before + text).matchAll(/[.?!][”")]?\s+(?=["“(]?[\p{Lu}\d]|$)/gu)].map(
    ({ 0: end, index }) => index + end.length - before.length,
  );
}

/**
 * What a key does. Keys of a field or a slider stay with it, but for Page Up and Page Down, which
 * clickers send: who has just pulled a slider goes on with the clicker. A letter is the slide's own.
 * @param {string} key
 * @param {"slide" | "button" | "field"} focus what has the focus
 */
function actOf(key, focus) {
  if (key === "PageDown") return "next";
  if (key === "PageUp") return "back";
  if (key === "Escape") return "leave";
  if (focus === "field" || (focus === "button" && /^[ f]$/i.test(key))) return "";
  return (
    {
      " ": "next",
      ArrowRight: "next",
      ArrowLeft: "back",
      Home: "first",
      End: "last",
      f: "full",
      F: "full",
    }[key] ?? ""
  );
}

/**
 * The number of the slide to begin with, from 0.
 * @param {string | null} asked what the address says: nothing where a button was pressed
 * @param {number} led the slide that the rest of the address leads to, -1 if to none
 * @param {number} count of slides
 */
function firstOf(asked, led, count) {
  const at = asked === "" ? led : parseInt(asked ?? "1", 10) - 1;
  return Math.min(Math.max(at || 0, 0), count - 1);
}

/**
 * The largest size between two at which all fits, the least one where none does, to a fiftieth.
 * @param {number} least
 * @param {number} most
 * @param {(size: number) => Promise<boolean>} fits
 */
async function largest(least, most, fits) {
  if (await fits(most)) return most;
  let [low, high] = [least, most];
  while (high - low > (most - least) / 50) {
    const size = (low + high) / 2;
    if (await fits(size)) low = size;
    else high = size;
  }
  await fits(low);
  return low;
}

// == page =====================================================================================

/**
 * Safari 26 still measures what is enlarged in the px that it has without that, and does not say how
 * much larger it is. The explorers count on what the standard says.
 */
function measureAsShown() {
  const { prototype } = Element;
  const measure = prototype.getBoundingClientRect;
  Object.defineProperty(prototype, "currentCSSZoom", {
    get() {
      return Number(getComputedStyle(this).zoom) * (this.parentElement?.currentCSSZoom ?? 1);
    },
  });
  prototype.getBoundingClientRect = function () {
    const zoom = this.currentCSSZoom;
    const { x, y, width, height } = measure.call(this);
    return new DOMRect(zoom * x, zoom * y, zoom * width, zoom * height);
  };
}

/** @typedef {Item & {node: HTMLElement}} Block */

/** How many letters are read of an element: what screen readers hear of a formula is not. @param {Node} node */
function lettersOf(node) {
  const spoken = node instanceof Element ? [...node.querySelectorAll(".katex-mathml")] : [];
  return spoken.reduce(
    (sum, each) => sum - (each.textContent ?? "").length,
    (node.textContent ?? "").length,
  );
}

/** The sentences of a paragraph, each as its nodes; a text is cut where one ends. @param {Element} block */
function sentencesOf(block) {
  /** @type {ChildNode[][]} */
  const sentences = [[]];
  for (const node of [...block.childNodes]) {
    /** @type {ChildNode | undefined} */
    let rest = node;
    let at = 0;
    const before = node.previousSibling?.textContent?.slice(-2);
    for (const end of node instanceof Text ? endsOf(node.data, before) : []) {
      sentences[sentences.length - 1].push(/** @type {Text} */ (rest));
      rest =
        end - at < /** @type {Text} */ (rest).data.length
          ? /** @type {Text} */ (rest).splitText(end - at)
          : undefined;
      at = end;
      sentences.push([]);
    }
    if (rest) sentences[sentences.length - 1].push(rest);
  }
  return sentences.filter((nodes) => nodes.length > 0);
}

/** What a block of a page is, empty if it has no place on a slide. @param {Element} node @returns {Kind | ""} */
function kindOf(node) {
  if (node.matches("h1, h2, h3")) return "heading";
  if (node.matches("div.math")) return "formula";
  if (node.matches(".table")) return "table";
  if (node.matches(".you-are-here")) return "drawing";
  if (node.matches("ul, ol")) return "list";
  if (node.matches("p:not(.report, .veil-note, .recall, .from-before), blockquote")) return "text";
  if (node.matches(".cell")) {
    const slot = node.querySelector(":scope > .cell_output > .widget-slot");
    if (slot) {
      const widget = slot.getAttribute("data-widget");
      return widget === "Question" ? "question" : "explorer";
    }
    if (node.querySelector(":scope > .cell_output > figure")) return "figure";
    if (node.querySelector(":scope > .cell_input")) return "code";
  }
  return "";
}

/**
 * Reads a page: its blocks, which are shown or hidden as one, and those that go on slides.
 * @param {Element} article
 * @returns {{leaves: HTMLElement[], slides: Block[][], putBack: () => void}}
 */
function read(article) {
  /** @type {HTMLElement[]} */
  const leaves = [];
  /** @param {Element} parent */
  const walk = (parent) => {
    for (const node of parent.children) {
      if (!(node instanceof HTMLElement || node instanceof SVGElement)) continue;
      const isOff = node.matches("section:has(> details.admonition:not(.why), > .exercise)");
      if (node.matches("section, .veil") && !isOff) walk(node);
      else leaves.push(/** @type {HTMLElement} */ (node));
    }
  };
  walk(article);
  const stop = leaves.findIndex((node) => node.matches(".stop-line"));
  const MOST = 24; // slides, or it ends at the stop line
  const isSummary = (/** @type {Element} */ node) => node.closest("section")?.id === "summary";

  /** @type {Element[]} */
  const shortened = [];
  /**
   * Leaves sentences out of a paragraph; returns how many letters stay.
   * @param {Element} block
   * @param {(sentences: Sentence[]) => boolean[]} said
   */
  const shorten = (block, said) => {
    const sentences = sentencesOf(block);
    const isBold = (/** @type {Node} */ node) => node instanceof Element && node.matches("strong");
    const texts = sentences.map((nodes) => ({
      letters: nodes.reduce((sum, node) => sum + lettersOf(node), 0),
      isAsking: /\?[”"]?\s*$/.test(nodes.at(-1)?.textContent ?? ""),
      isBold: nodes.some(isBold),
      isLabel: nodes.every((node) => isBold(node) || node.textContent?.trim() === ""),
      pointsBack: pointsBack(nodes.map((node) => node.textContent).join("")),
    }));
    const kept = said(texts);
    let letters = 0;
    sentences.forEach((nodes, i) => {
      if (kept[i]) {
        letters += texts[i].letters;
        return;
      }
      const span = document.createElement("span");
      span.className = "unsaid";
      nodes[0].before(span);
      span.append(...nodes);
    });
    shortened.push(block);
    return letters;
  };

  const stage = leaves.findIndex((node) => node.matches(".tag_stage"));
  const hook = leaves.slice(0, stage).findLastIndex((node) => kindOf(node) === "heading");
  const goals = leaves.findIndex((node) => /^After this page/.test(node.textContent ?? ""));
  /** @type {Set<string>} */
  const SHOWN = new Set(["formula", "table", "list", "figure", "explorer", "question"]);
  const linesOf = (/** @type {number} */ letters) => Math.ceil(letters / 72) + 0.4;

  /** @param {HTMLElement} node @param {number} i @returns {Block[]} */
  const blockOf = (node, i) => {
    const kind = kindOf(node);
    if (kind === "" || i === goals || i === goals + 1) return [];
    /** @param {number} lines @param {boolean} [leads] */
    const block = (lines, leads) => [{ kind, lines, leads, node }];
    const beside = [...(node.parentElement?.children ?? [])];
    const kinds = beside.map(kindOf);
    const at = beside.indexOf(node);
    const next = kinds[at + 1];
    switch (kind) {
      case "text": {
        if (i > hook && i < stage) return block(linesOf(lettersOf(node)));
        if (/^(You need|Next:|\()/.test(node.textContent ?? "")) return [];
        const leads = next === "formula" || next === "table";
        // A question that speaks of "such" or "this" needs what was told before it.
        const asked = next === "question" ? (beside[at + 1].textContent ?? "") : "";
        const isNeeded = /\b(such|this|these|those|of the (three|four|two))\b/i.test(asked);
        if (isNeeded) return block(linesOf(lettersOf(node)), true);
        // A section asks at its start, before what one looks at, and where a paragraph ends; at its
        // own end there is nothing that could answer.
        const isFollowed = kinds.slice(at + 1).some((each) => SHOWN.has(each));
        const isProse = !beside.some((other) => other.matches(".cell"));
        const isAsked = at === kinds.indexOf("text") || next !== "text";
        const asks = !isFollowed && !isProse ? "none" : isAsked ? "all" : "end";
        const letters = shorten(node, (sentences) => {
          const said = saidOf(sentences, asks);
          if (leads) said[said.length - 1] = true;
          return said;
        });
        return letters > 0 ? block(linesOf(letters), leads) : [];
      }
      case "list": {
        // Of long points the first sentence; where that is short, the next as well.
        const isLong = lettersOf(node) > 560;
        const letters = [...node.children]
          .map((point) => point.querySelector(":scope > p") ?? point)
          .map((point) =>
            shorten(point, (sentences) =>
              sentences.map((_, k) => !isLong || k === 0 || (k === 1 && sentences[0].letters < 45)),
            ),
          );
        return block(letters.reduce((sum, each) => sum + linesOf(each), 0));
      }
      case "code": {
        // What a question is about, or the first of a section that shows nothing else.
        const lines = [...node.querySelectorAll("pre")].reduce(
          (sum, { textContent }) => sum + (textContent ?? "").trim().split("\n").length,
          0,
        );
        const isAsked = next === "question" && lines <= 8;
        const isAlone =
          at === kinds.indexOf("code") &&
          lines <= 18 &&
          !kinds.some((each) => SHOWN.has(each) && each !== "question");
        return isAsked || isAlone ? block(0.6 * lines + 0.5, isAsked) : [];
      }
      case "formula":
        return block(2 * Math.min(3, node.querySelectorAll("mtr").length || 1) + 0.5);
      case "table":
        return block(1.2 * node.querySelectorAll("tr").length + 1);
      default:
        return block({ heading: 1, drawing: 4, figure: 10, explorer: 12, question: 8 }[kind]);
    }
  };
  const all = leaves.flatMap(blockOf);
  const needed = all.filter(({ node }) => leaves.indexOf(node) < stop || isSummary(node));
  const blocks = stop >= 0 && compose(all).length > MOST ? needed : all;
  const opening = [leaves.findIndex((node) => node.matches("h1")), goals, goals + 1].map(
    (i) => /** @type {Block} */ ({ kind: kindOf(leaves[i]), lines: 1, node: leaves[i] }),
  );
  return {
    leaves,
    slides: [opening, ...compose(blocks).map((slide) => slide.map((i) => blocks[i]))],
    putBack() {
      for (const block of shortened) {
        for (const span of block.querySelectorAll(".unsaid")) span.replaceWith(...span.childNodes);
        block.normalize();
      }
    },
  };
}

/** @param {string} home where the style is */
async function present(home) {
  const root = document.documentElement;
  const article = /** @type {HTMLElement} */ (document.querySelector("article"));
  if (root.dataset.presents !== undefined) return;
  root.dataset.presents = "";
  const WIDTH = 1280,
    HEIGHT = 720; // what a slide is made for, in px; it grows with the window
  const LETTERS = [18.5, 32]; // px, the least and the largest size of text
  // How much larger than on the page figures, questions and explorers may be, and how little.
  const SCALES = { figure: [0.8, 2], question: [1.15, 1.75], explorer: [0.75, 1.2] };

  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = new URL("present.css", home).href;
  const ready = new Promise((done) => {
    style.onload = style.onerror = done;
  });
  document.head.append(style);
  await ready;

  const { leaves, slides, putBack } = read(article);
  /** @param {string} tag @param {Record<string, string>} attributes @param {(Node | string)[]} children */
  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  let at = 0;
  /** @type {Set<number>} slides whose answer is known */
  const answered = new Set();

  // ---- one slide ----------------------------------------------------------------------------

  /** What tells the answer of a slide that nobody has answered. @returns {HTMLButtonElement | null} */
  const teller = () =>
    answered.has(at) ? null : article.querySelector("[data-shown=question] .acts [type=button]");

  const frame = () =>
    new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  let turn = 0; // of fitting: a later one ends those that are under way
  const fit = async () => {
    const mine = ++turn;
    delete root.dataset.slide;
    const scale = Math.min(innerWidth / WIDTH, innerHeight / HEIGHT);
    root.style.setProperty("--scale", String(scale));
    root.style.setProperty("--width", `${innerWidth / scale}px`);
    root.style.setProperty("--height", `${innerHeight / scale}px`);
    await document.fonts.ready;
    const kind = slides[at].map((block) => block.kind).find((each) => each in SCALES);
    /** @param {string} name @param {string} unit @returns {(size: number) => Promise<boolean>} */
    const tried = (name, unit) => async (size) => {
      if (mine !== turn) return true;
      article.style.setProperty(name, `${size}${unit}`);
      if (kind === "explorer") await frame(); // in which it draws itself anew
      // A formula is a hair wider than its box.
      const boxes = [...article.querySelectorAll(".katex-display, pre, .table, .drawing, .output")];
      return (
        article.scrollHeight <= article.clientHeight + 1 &&
        [article, ...boxes].every((box) => box.scrollWidth <= 1.01 * box.clientWidth + 1)
      );
    };
    const [least, most] = LETTERS;
    if (kind) {
      article.style.setProperty("--letters", "24px");
      const [low, high] = SCALES[/** @type {keyof SCALES} */ (kind)];
      await largest(low, high, tried("--thing", ""));
      if (!(await tried("--letters", "px")(24))) await largest(least, 24, tried("--letters", "px"));
    } else {
      await largest(least, most, tried("--letters", "px"));
    }
    if (mine === turn) root.dataset.slide = String(at + 1);
  };

  const [back, forth, tell, full, leave] = [
    ["Previous slide", "‹"],
    ["Next slide", "›"],
    ["Answer", "Answer"],
    ["Full screen (F)", "Full screen"],
    ["Leave the slides (Esc)", "Leave"],
  ].map(([title, text]) => make("button", { type: "button", title, "aria-label": title }, text));
  const count = make("output", { "aria-live": "polite" });
  const bar = make(
    "nav",
    { class: "slides", "aria-label": "Slides" },
    count,
    back,
    forth,
    tell,
    full,
    leave,
  );

  /** Shows the slide that it is at. */
  const show = () => {
    const shown = new Map(slides[at].map(({ node, kind }) => [node, kind]));
    // What is hidden must not keep the focus; the heading is where reading goes on.
    const heading = slides[at][0].node;
    const isLost =
      document.activeElement === document.body || article.contains(document.activeElement);
    for (const node of leaves) {
      const kind = shown.get(node);
      if (kind) node.dataset.shown = kind;
      else delete node.dataset.shown;
    }
    const kinds = [...shown.values()];
    article.dataset.layout = at === 0 ? "title" : kinds.includes("explorer") ? "explorer" : "text";
    count.textContent = `${at + 1} of ${slides.length}`;
    article.setAttribute("aria-label", `Slide ${count.textContent}`);
    tell.hidden = !teller();
    back.toggleAttribute("disabled", at === 0);
    forth.toggleAttribute("disabled", at === slides.length - 1);
    heading.tabIndex = -1;
    if (isLost) heading.focus({ preventScroll: true });
    const address = new URL(location.href);
    address.searchParams.set("present", String(at + 1));
    history.replaceState(history.state, "", address);
    return fit();
  };
  /** @param {number} to */
  const go = (to) => {
    if (to < 0 || to >= slides.length) return;
    at = to;
    show();
  };
  const answer = () => {
    const button = teller();
    if (!button) return false;
    button.hidden = false; // who is shown an answer has not found it
    button.click();
    return true;
  };

  // ---- keys and buttons ---------------------------------------------------------------------

  const ending = new AbortController();
  const { signal } = ending;
  /** @type {Record<string, () => void>} */
  const acts = {
    next: () => answer() || go(at + 1),
    back: () => go(at - 1),
    first: () => go(0),
    last: () => go(slides.length - 1),
    full: () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen()),
    leave() {
      ending.abort();
      turn += 1;
      const heading = slides[at][0].node;
      putBack();
      for (const node of leaves) delete node.dataset.shown;
      for (const slide of slides) slide[0].node.removeAttribute("tabindex");
      delete root.dataset.presents;
      delete root.dataset.slide;
      delete article.dataset.layout;
      article.removeAttribute("aria-label");
      article.removeAttribute("style");
      for (const name of ["--scale", "--width", "--height"]) root.style.removeProperty(name);
      bar.remove();
      style.remove();
      if (document.fullscreenElement) document.exitFullscreen();
      const address = new URL(location.href);
      address.searchParams.delete("present");
      history.replaceState(history.state, "", address);
      heading.scrollIntoView();
    },
  };
  back.addEventListener("click", acts.back);
  forth.addEventListener("click", () => go(at + 1));
  tell.addEventListener("click", answer);
  full.addEventListener("click", acts.full);
  leave.addEventListener("click", acts.leave);
  addEventListener(
    "keydown",
    (event) => {
      const { key, target } = event;
      const isTaken = event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey;
      if (isTaken || document.querySelector("dialog[open], :popover-open")) return;
      const on = /** @type {Element} */ (target);
      const act = actOf(
        key,
        on.matches("body, [data-shown=heading]")
          ? "slide"
          : on.matches("input, select, textarea, [contenteditable=true]")
            ? "field"
            : "button",
      );
      if (!act) return;
      event.preventDefault();
      acts[act]();
    },
    { signal },
  );
  article.addEventListener(
    "answered",
    () => {
      answered.add(at);
      show();
    },
    { signal },
  );
  article.addEventListener(
    "mounted",
    ({ target }) => {
      if (target instanceof Element && target.closest("[data-shown]")) show();
    },
    { signal },
  );
  addEventListener("resize", () => void fit(), { signal });

  /** The slide that the address leads to, as links do: that of an explorer or of a section. */
  const ledTo = () => {
    const [name, state] = decodeURIComponent(location.hash.slice(1)).split(":");
    const place =
      state === undefined
        ? document.getElementById(name)
        : article.querySelector(`[data-address="${CSS.escape(name)}"]`);
    return slides.findIndex((slide) =>
      slide.some(({ node }) => place && (node.contains(place) || place.contains(node))),
    );
  };
  addEventListener("hashchange", () => go(ledTo()), { signal });
  full.hidden = !document.fullscreenEnabled;
  document.body.append(bar);
  at = firstOf(new URLSearchParams(location.search).get("present"), ledTo(), slides.length);
  show();
}

if (globalThis.document) {
  if (!("currentCSSZoom" in Element.prototype)) measureAsShown();
  present(/** @type {HTMLScriptElement} */ (document.currentScript).src);
}
