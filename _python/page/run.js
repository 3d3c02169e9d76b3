// @ts-check
/**
 * Offers to run the code cells of a page, and shows what a reader wrote there before. Python and
 * the editor are fetched when a button is pressed, not earlier.
 */
(() => {
  "use strict";
  const { book, python, framed } = document.documentElement.dataset;
  if (!python || framed !== undefined) return;

  const page = location.pathname.replace(/^.*\/|\.html$/g, "");
  // No path holds a space, so no other book's names begin like this.
  const name = `${book}code ${page} `;
  /** What the reader wrote, by cell and by the text of the cell that it was written on. */
  const kept = Object.keys(localStorage).filter((key) => key.startsWith(name));
  let tries = 0;

  /** @param {string} text */
  const digest = (text) => {
    let hash = 0;
    for (const character of text) {
      hash = Math.imul(hash ^ /** @type {number} */ (character.codePointAt(0)), 0x1000193);
    }
    return (hash >>> 0).toString(36);
  };

  /** @param {string} tag @param {string} className @param {...(string | Node)} children */
  const make = (tag, className, ...children) => {
    const made = document.createElement(tag);
    made.className = className;
    made.append(...children);
    return made;
  };

  /** @param {string} key */
  const read = (key) => localStorage.getItem(key) ?? "";

  for (const box of /** @type {NodeListOf<HTMLElement & {book?: Node[]}>} */ (
    document.querySelectorAll("[data-cell]"))) {
    const code = box.querySelector(".cell_input");
    const pre = code?.querySelector("pre");
    if (!code || !pre) continue;
    const isExercise = box.closest(".exercise") !== null;
    const note = make("p", "run-note");
    if (location.protocol === "file:") { // browsers start no worker there
      note.textContent = "Code runs here where the book comes from a web server. The rocket at the top opens this page elsewhere.";
      if (isExercise) code.append(note);
      continue;
    }

    const key = `${name}${box.dataset.cell} `;
    box.dataset.key = key + digest(pre.textContent ?? "");
    box.book = [...pre.childNodes];
    for (const old of kept.filter((other) => other.startsWith(key))) {
      if (old === box.dataset.key) {
        pre.replaceChildren(read(old));
        note.textContent = "Your text, not run yet.";
      } else {
        const summary = make("summary", "", "What you wrote on an earlier version of this cell");
        code.after(make("details", "run-old", summary, make("pre", "", read(old))));
      }
    }

    const button = /** @type {HTMLButtonElement} */ (
      make("button", "run", isExercise ? "Write your answer" : "Run"));
    button.type = "button";
    note.role = "status";
    button.addEventListener("click", async () => {
      button.ariaBusy = "true";
      try {
        // A browser may remember that a module did not come: each try has its own address.
        const { open } = await import(`${new URL(python, document.baseURI)}${"&".repeat(tries)}`);
        note.remove();
        open(box, !isExercise);
      } catch {
        tries++;
        note.textContent = "The editor did not come. Is there a connection? Then press again.";
      }
      button.ariaBusy = null;
    });
    code.append(note, button);
  }

  // The reader has everything forgotten (progress.js).
  addEventListener("forgotten", () => {
    for (const box of /** @type {NodeListOf<HTMLElement & {book?: Node[]}>} */ (
      document.querySelectorAll("[data-key]"))) {
      box.querySelector("pre")?.replaceChildren(...(box.book ?? []));
      box.querySelector(".run-old")?.remove();
      const note = box.querySelector(".run-note");
      if (note) note.textContent = "";
    }
  });
})();
