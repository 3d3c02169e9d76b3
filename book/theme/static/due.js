// @ts-check
"use strict";
/**
 * Questions of earlier pages come back: after a day, three, a week, three weeks. And the finish line
 * says what was mixed up most often. When each question was asked, whether its first answer was
 * wrong, and what wrong answers mixed up is kept in this browser, and nowhere else.
 *
 * book/sphinx/due.py writes what can be asked and mixed up (asked.js), and on each page which pages
 * are earlier.
 */

// == compute ==================================================================================

const DAY = 86_400_000;
/** Days until a question comes back, by how often it was answered at the first try. */
const GAPS = [1, 3, 7, 21];
const MOST = 3; // questions at a time
const LEAST = 3; // answers that mixed up the same

/**
 * What is kept of a question: when it was last answered, how often in a row at the first try, and
 * whether the last time began with a wrong answer. It is `open` from then until it is right. Of what
 * was answered later than now, the clock being wrong now or then, `later` says when.
 * @typedef {{at: number, level: number, erred: boolean, open: boolean, later?: number}} Asked
 * @typedef {{answer: string, title: string, ordered: boolean, state: any, formulas: string}} Question
 *
 * What the book says: its questions; for each answer what was mixed up by whom this is told; of each
 * such kind a sentence, and where it is explained.
 * @typedef {{questions: Question[], mixed: Record<string, Record<string, string>>,
 *   kinds: Record<string, [string, string]>}} Book
 */

/**
 * What a text keeps, whatever it holds.
 * @param {string | null | undefined} text @param {number} now @returns {Asked | null}
 */
function readAsked(text, now) {
  try {
    const { at, level, erred, open, later } = JSON.parse(text ?? "null");
    if (!Number.isFinite(at) || !Object.hasOwn(GAPS, level)) return null;
    const last = Number.isFinite(later) ? Math.max(at, later) : at;
    const asked = { level, erred: erred === true, open: open === true };
    return last > now ? { at: Math.min(at, now), ...asked, later: last } : { at: last, ...asked };
  } catch {
    return null;
  }
}

/** Whether it is time to ask again. @param {Asked} asked @param {number} now */
function isDue({ at, level }, now) {
  return now - at >= GAPS[level] * DAY;
}

/**
 * What is kept after an answer.
 * @param {Asked | null} before @param {boolean} isRight @param {number} now @returns {Asked}
 */
function afterAnswer(before, isRight, now) {
  if (!isRight) return { at: now, level: 0, erred: true, open: true };
  if (!before) return { at: now, level: 0, erred: false, open: false };
  if (before.open) return { ...before, at: now, open: false };
  if (!isDue(before, now)) return before; // to answer it again at once proves nothing
  return { at: now, level: Math.min(before.level + 1, GAPS.length - 1), erred: false, open: false };
}

/**
 * The names of those to ask now: first those that were answered wrong, then the oldest.
 * @param {Map<string, Asked>} kept @param {number} now
 */
function dueOf(kept, now) {
  return [...kept]
    .filter(([, asked]) => isDue(asked, now))
    .sort(([, a], [, b]) => Number(b.erred) - Number(a.erred) || a.at - b.at)
    .map(([name]) => name);
}

/**
 * What was mixed up most often, and how often: by as many answers, and by three at least.
 * @param {string[][]} kept by each answer @returns {[string[], number]}
 */
function mostMixed(kept) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const kind of kept.flatMap((kinds) => [...new Set(kinds)]))
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const most = Math.max(LEAST, ...counts.values());
  return [[...counts.keys()].filter((kind) => counts.get(kind) === most), most];
}

// == page =====================================================================================

if (globalThis.document) {
  const { book, due } = document.documentElement.dataset;
  const NAME = `${book}asked `;
  const MIXED = `${book}mixed `;
  const here = /** @type {HTMLScriptElement} */ (document.currentScript).src;
  const before = due?.split(" ") ?? [];
  /** What a full store does not take holds as long as the page is open. @type {Map<string, string>} */
  let unkept = new Map();

  /** @param {string} key @param {object} what */
  const keep = (key, what) => {
    const text = JSON.stringify(what);
    try {
      localStorage.setItem(key, text);
      unkept.delete(key);
    } catch {
      unkept.set(key, text);
    }
  };
  /** @param {string} key */
  const kept = (key) => unkept.get(key) ?? localStorage.getItem(key);
  /** The answers of which something is kept under this name. @param {string} name */
  const answersOf = (name) =>
    [...new Set([...unkept.keys(), ...Object.keys(localStorage)])]
      .filter((key) => key.startsWith(name))
      .map((key) => key.slice(name.length));
  /** @param {string} answer */
  const asked = (answer) => {
    const text = kept(NAME + answer);
    const what = readAsked(text, Date.now());
    if (what && JSON.stringify(what) !== text) keep(NAME + answer, what); // a clock was wrong
    return what;
  };
  /** All that is kept of earlier pages. */
  const ofEarlier = () => {
    /** @type {Map<string, Asked>} */
    const kept = new Map();
    for (const name of answersOf(NAME)) {
      const what = asked(name);
      if (what && before.includes(name.split("/")[0])) kept.set(name, what);
    }
    return kept;
  };

  /** @param {Event} event @param {boolean} isRight */
  const note = ({ target }, isRight) => {
    const slot = target instanceof Element && target.closest("[data-widget=Question][data-answer]");
    const answer = slot && slot.getAttribute("data-answer");
    if (answer) keep(NAME + answer, afterAnswer(asked(answer), isRight, Date.now()));
  };
  addEventListener("answered", (event) => note(event, true));
  addEventListener("erred", (event) => note(event, false));

  // Answered before this was kept: asked from today on.
  try {
    const answered = JSON.parse(localStorage.getItem(`${book}answered`) ?? "[]");
    for (const name of Array.isArray(answered) ? answered.map(String) : []) {
      if (/\/[0-9a-f]{8}$/.test(name) && !asked(name))
        keep(NAME + name, afterAnswer(null, true, Date.now()));
    }
  } catch {} // what it holds, another book or hand has written

  /** @type {Promise<Book> | null} */
  let coming = null;
  const said = () => {
    coming ??= new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = new URL("asked.js", here).href;
      script.onload = () => resolve(/** @type {any} */ (globalThis).dueBook);
      script.onerror = () => resolve({ questions: [], mixed: {}, kinds: {} });
      document.head.append(script);
    });
    return coming;
  };

  // ---- what is mixed up ------------------------------------------------------------------------

  /** @param {string} answer @returns {string[]} */
  const mixed = (answer) => {
    try {
      const kinds = JSON.parse(kept(MIXED + answer) ?? "[]");
      return Array.isArray(kinds) ? kinds.map(String) : [];
    } catch {
      return [];
    }
  };
  addEventListener("erred", async (event) => {
    const { target, detail } = /** @type {CustomEvent<{told?: string}>} */ (event);
    const item = target instanceof Element && target.closest("[data-answer]");
    const answer = item ? (item.getAttribute("data-answer") ?? "") : "";
    const words = Object.entries((await said()).mixed[answer] ?? {});
    const [, kind] = words.find(([told]) => detail.told?.includes(told)) ?? [];
    if (!kind) return;
    keep(MIXED + answer, [...new Set([...mixed(answer), kind])]);
    tell();
  });

  /** The sentence of the finish line. @type {HTMLElement | null} */
  let sentence = null;
  const tell = async () => {
    if (!document.querySelector(".finished")) return;
    const all = answersOf(MIXED).map(mixed);
    // The book may have been built again, with other kinds.
    const known = all.length < LEAST ? {} : (await said()).kinds;
    const [kinds, many] = mostMixed(
      all.map((each) => each.filter((kind) => Object.hasOwn(known, kind))),
    );
    sentence?.remove();
    sentence = null;
    if (!kinds.length) return;
    const links = kinds.map((kind) => {
      const link = document.createElement("a");
      [link.textContent, link.href] = known[kind];
      return link;
    });
    const names = kinds.join("; ");
    const each = kinds.length > 1 ? " each" : "";
    sentence = make(
      "p",
      "from-before mixed-up",
      `Most often, ${many} times${each}, you have mixed up ${names}: `,
      ...links.flatMap((link, i) => (i ? ["; ", link] : [link])),
      ".",
    );
    (shown ?? document.querySelector("article h1"))?.after(sentence);
  };

  // ---- the place of the questions --------------------------------------------------------------

  /** @param {string} tag @param {string} className @param {...(string | Node)} children */
  const make = (tag, className, ...children) => {
    const made = document.createElement(tag);
    made.className = className;
    made.append(...children);
    return made;
  };

  /** A question in a place of its own, its choices in another order. @param {Question} question */
  const placed = ({ answer, title, ordered, state, formulas }) => {
    const slot = make("div", "widget-slot");
    Object.assign(slot.dataset, { widget: "Question", answer, again: "" });
    const template = document.createElement("template");
    template.innerHTML = formulas; // the book's own
    slot.append(template);
    const choices = [...state.choices];
    for (let i = ordered ? 0 : choices.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [choices[i], choices[j]] = [choices[j], choices[i]];
    }
    const page = document.createElement("a");
    page.href = `${answer.split("/")[0]}.html`;
    page.textContent = title;
    return {
      box: make("div", "asked-again", make("p", "asked-from", "From ", page), slot),
      mount: () => /** @type {any} */ (window).mountWidget(slot, "Question", { ...state, choices }),
    };
  };

  const NUMBERS = ["no", "one", "two", "three"];
  /** @type {HTMLElement | null} */
  let shown = null;
  const show = async () => {
    if (!before.length || (shown instanceof HTMLDetailsElement && shown.open)) return;
    const kept = ofEarlier();
    const names = dueOf(kept, Date.now());
    // The book may have been built again, without some of them.
    const there = names.length ? (await said()).questions : [];
    const now = names
      .flatMap((name) => there.filter(({ answer }) => answer === name))
      .slice(0, MOST);
    if (shown instanceof HTMLDetailsElement && shown.open) return; // meanwhile
    shown?.remove();
    shown = null;
    const isFront = document.querySelector(".wall-start") !== null;
    if (!now.length && (isFront || !kept.size)) return;
    if (now.length) {
      const many = `${NUMBERS[now.length]} question${now.length > 1 ? "s" : ""}`;
      const waits = now.length > 1 ? "wait" : "waits";
      const told = isFront
        ? `${many[0].toUpperCase()}${many.slice(1)} ${waits} for you`
        : `From before: ${many}`;
      const fold = /** @type {HTMLDetailsElement} */ (
        make("details", "from-before", make("summary", "", told))
      );
      let isMade = false;
      fold.addEventListener("toggle", () => {
        if (!fold.open || isMade) return;
        isMade = true;
        const all = now.map(placed);
        fold.append(...all.map(({ box }) => box));
        for (const { mount } of all) mount();
      });
      shown = fold;
    } else {
      shown = make("p", "from-before", "From before: nothing waits today.");
    }
    (document.querySelector(".wall-start") ?? document.querySelector("article h1"))?.after(shown);
  };
  // Explorers come first: they say how a question is shown.
  tell();
  if (document.documentElement.dataset.widgets === "ready") show();
  else
    new MutationObserver((_, observer) => {
      if (document.documentElement.dataset.widgets !== "ready") return;
      observer.disconnect();
      show();
    }).observe(document.documentElement, { attributeFilter: ["data-widgets"] });
  /** @type {typeof unkept} */
  let taken = new Map();
  addEventListener("forgotten", () => {
    [taken, unkept] = [unkept, new Map()];
    for (const each of [shown, sentence]) each?.remove();
    shown = sentence = null;
  });
  addEventListener("restored", () => {
    unkept = new Map([...taken, ...unkept]);
    show();
    tell();
  });
  addEventListener("storage", ({ key }) => {
    if (key === null || key.startsWith(NAME)) show();
    if (key === null || key.startsWith(MIXED)) tell();
  });
}
