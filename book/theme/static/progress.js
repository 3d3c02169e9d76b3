// @ts-check
/**
 * What was answered right, kept in this browser and nowhere else. Questions and exercises say
 * `answered`; here it is noted, shown, exported, forgotten and brought back. Names begin with the book's path,
 * since many books share an origin.
 */
(() => {
  "use strict";
  const { book } = document.documentElement.dataset;
  const NAME = `${book}answered`;

  /** @param {string | null | undefined} text whatever it holds @returns {string[]} */
  const list = (text) => {
    try {
      const kept = JSON.parse(text ?? "[]");
      return Array.isArray(kept) ? kept.map(String) : [];
    } catch {
      return [];
    }
  };
  const read = () => new Set(list(localStorage.getItem(NAME)));
  let answered = read();
  /** @param {string} kind */
  const kept = (kind) =>
    Object.keys(localStorage).filter((key) => key.startsWith(`${book}${kind} `));
  /** What the reader has written in cells (book/python/page/run.js). */
  const written = () => kept("code");

  /** @param {string} name @param {any} value */
  const keep = (name = NAME, value = [...answered].sort()) => {
    try {
      localStorage.setItem(name, JSON.stringify(value));
    } catch {} // full: it holds as long as the page is open
  };
  /** What was given as an answer, in fields, in a cell, to a question. @param {string} answer */
  const given = (answer) => {
    try {
      return { ...JSON.parse(localStorage.getItem(`${book}given ${answer}`) ?? "{}") };
    } catch {
      return {};
    }
  };

  /** @param {string} text @param {() => void} act */
  const button = (text, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  };
  const count = document.createElement("span");
  const line = document.createElement("p");
  line.className = "progress";
  line.append(count);
  count.id = "progress";
  const taking = [
    button("Export", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(
        new Blob([
          JSON.stringify(
            {
              book: new URL(book ?? "", location.href).href,
              answered: [...answered].sort(),
              code: Object.fromEntries(
                written().map((key) => [
                  key.slice(`${book}code `.length),
                  localStorage.getItem(key),
                ]),
              ),
            },
            null,
            1,
          ),
        ]),
      );
      link.download = "answered.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href));
    }),
    button("Forget", () => {
      dispatchEvent(new Event("forgetting"));
      for (const key of ["code", "given", "asked", "said", "mixed"].flatMap(kept)) {
        taken.set(key, localStorage.getItem(key) ?? "");
        localStorage.removeItem(key);
      }
      taken.set(NAME, JSON.stringify([...new Set([...answered, ...list(taken.get(NAME))])]));
      localStorage.removeItem(NAME);
      answered.clear();
      dispatchEvent(new Event("forgotten"));
      show();
      undo.focus();
    }),
  ];
  /** What was forgotten, until the page is left. @type {Map<string, string>} */
  const taken = new Map();
  const undo = button("Undo", () => {
    answered = new Set([...list(taken.get(NAME)), ...answered]);
    if (answered.size) keep();
    taken.delete(NAME);
    for (const [key, text] of taken) {
      try {
        localStorage.setItem(key, text);
      } catch {} // full, of what another page has kept since
    }
    taken.clear();
    dispatchEvent(new Event("restored"));
    show();
    taking[1].focus();
  });
  undo.setAttribute("aria-describedby", count.id);
  line.append(...taking, undo);
  document.getElementById("pages")?.append(line);

  function show() {
    // What is asked again is not answered yet.
    for (const item of document.querySelectorAll("[data-answer]:not([data-again])")) {
      item.toggleAttribute("data-done", answered.has(item.getAttribute("data-answer") ?? ""));
    }
    for (const link of document.querySelectorAll(".book nav > ul > li > a, .pagemap a")) {
      const { pathname } = new URL(/** @type {HTMLAnchorElement} */ (link).href);
      const page = pathname.slice(pathname.lastIndexOf("/") + 1).replace(".html", "");
      const many = [...answered].filter((key) => key.startsWith(`${page}/`)).length;
      link.querySelector(".done")?.remove();
      if (many === 0) continue;
      const mark = document.createElement("span");
      mark.className = "done";
      mark.title = `${many} answered right`;
      mark.textContent = `✓ ${many}`;
      link.append(" ", mark);
    }
    const some =
      answered.size > 0 || ["code", "asked", "said", "mixed"].some((kind) => kept(kind).length > 0);
    line.hidden = !some && taken.size === 0;
    for (const each of taking) each.hidden = !some;
    undo.hidden = taken.size === 0;
    count.textContent = answered.size
      ? `${answered.size} answered right`
      : written().length
        ? "Your code is kept here"
        : some
          ? "Your words are kept here"
          : "Forgotten";
  }

  addEventListener("answered", (event) => {
    const { target, detail } = /** @type {CustomEvent<{shown: boolean, given?: object}>} */ (event);
    const item = target instanceof Element && target.closest("[data-answer]");
    if (!item || detail.shown) return;
    const answer = item.getAttribute("data-answer") ?? "";
    // What another tab has noted stays.
    answered = new Set([...read(), ...answered, answer]);
    keep();
    keep(`${book}given ${answer}`, { ...given(answer), ...detail.given });
    show();
  });
  // What asks for an answer asks, when the page is opened, what was given as the right one.
  addEventListener("recall", (event) => {
    const { target, detail } = /** @type {CustomEvent<{given?: object}>} */ (event);
    const item = target instanceof Element && target.closest("[data-answer]");
    const answer = item ? (item.getAttribute("data-answer") ?? "") : "";
    if (item && item.hasAttribute("data-again")) return;
    if (answered.has(answer)) detail.given = given(answer);
  });
  addEventListener("written", show);
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== NAME && key !== null) return;
    // What a full store did not take stays, until another tab forgets all.
    answered = new Set([...list(newValue), ...(newValue === null ? [] : answered)]);
    show();
  });
  show();
})();
