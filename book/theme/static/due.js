// @ts-check
"use strict";
/**
 * Questions of earlier pages come back: after a day, three, a week, three weeks. When each was asked
 * and whether its first answer was wrong is kept in this browser, and nowhere else.
 *
 * book/sphinx/due.py writes what can be asked (asked.js), and on each page which pages are earlier.
 */

// == compute ==================================================================================

const DAY = 86_400_000;
/** Days until a question comes back, by how often it was answered at the first try. */
const GAPS = [1, 3, 7, 21];
const MOST = 3; // questions at a time

/**
 * What is kept of a question: when it was last answered, how often in a row at the first try, and
 * whether the last time began with a wrong answer. It is `open` from then until it is right.
 * @typedef {{at: number, level: number, erred: boolean, open: boolean}} Asked
 * @typedef {{answer: string, title: string, ordered: boolean, state: any, formulas: string}} Question
 */

/**
 * What a text keeps, whatever it holds. What is later than now comes from a clock that was wrong.
 * @param {string | null | undefined} text @param {number} now @returns {Asked | null}
 */
function readAsked(text, now) {
  try {
    const { at, level, erred, open } = JSON.parse(text ?? "null");
    if (!Number.isFinite(at) || !Object.hasOwn(GAPS, level)) return null;
    return { at: Math.min(at, now), level, erred: erred === true, open: open === true };
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

// == page =====================================================================================

if (globalThis.document) {
  const { book, due } = document.documentElement.dataset;
  const NAME = `${book}asked `;
  const here = /** @type {HTMLScriptElement} */ (document.currentScript).src;
  const before = due?.split(" ") ?? [];
  /** What the browser does not keep holds as long as the page is open. @type {Map<string, string>} */
  const unkept = new Map();

  /** @param {string} answer @param {Asked} what */
  const keep = (answer, what) => {
    const text = JSON.stringify(what);
    try {
      localStorage.setItem(NAME + answer, text);
      unkept.delete(answer);
    } catch {
      unkept.set(answer, text);
    }
  };
  /** @param {string} answer */
  const asked = (answer) => {
    const text = unkept.get(answer) ?? localStorage.getItem(NAME + answer);
    const what = readAsked(text, Date.now());
    if (what && JSON.stringify(what) !== text) keep(answer, what); // a clock was wrong
    return what;
  };
  /** All that is kept of earlier pages. */
  const ofEarlier = () => {
    const names = [
      ...unkept.keys(),
      ...Object.keys(localStorage)
        .filter((key) => key.startsWith(NAME))
        .map((key) => key.slice(NAME.length)),
    ];
    /** @type {Map<string, Asked>} */
    const kept = new Map();
    for (const name of names) {
      const what = asked(name);
      if (what && before.includes(name.split("/")[0])) kept.set(name, what);
    }
    return kept;
  };

  /** @param {Event} event @param {boolean} isRight */
  const note = ({ target }, isRight) => {
    const slot = target instanceof Element && target.closest("[data-widget=Question][data-answer]");
    const answer = slot && slot.getAttribute("data-answer");
    if (answer) keep(answer, afterAnswer(asked(answer), isRight, Date.now()));
  };
  addEventListener("answered", (event) => note(event, true));
  addEventListener("erred", (event) => note(event, false));

  // Answered before this was kept: asked from today on.
  try {
    const answered = JSON.parse(localStorage.getItem(`${book}answered`) ?? "[]");
    for (const name of Array.isArray(answered) ? answered.map(String) : []) {
      if (/\/[0-9a-f]{8}$/.test(name) && !asked(name))
        keep(name, afterAnswer(null, true, Date.now()));
    }
  } catch {} // what it holds, another book or hand has written

  // ---- the place of the questions --------------------------------------------------------------

  /** @type {Promise<Question[]> | null} */
  let coming = null;
  const questions = () => {
    coming ??= new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = new URL("asked.js", here).href;
      script.onload = () => resolve(/** @type {any} */ (globalThis).asked);
      script.onerror = () => resolve([]);
      document.head.append(script);
    });
    return coming;
  };

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
    const there = names.length ? await questions() : [];
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
  if (document.documentElement.dataset.widgets === "ready") show();
  else
    new MutationObserver((_, observer) => {
      if (document.documentElement.dataset.widgets !== "ready") return;
      observer.disconnect();
      show();
    }).observe(document.documentElement, { attributeFilter: ["data-widgets"] });
  addEventListener("forgotten", () => {
    unkept.clear();
    shown?.remove();
    shown = null;
  });
  addEventListener("restored", show);
  addEventListener("storage", ({ key }) => (key === null || key.startsWith(NAME)) && show());
}
