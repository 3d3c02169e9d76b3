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
  const unrun = "Your text, not run yet.";

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

  /** @param {string} text @param {(pressed: HTMLButtonElement) => void} act */
  const press = (text, act) => {
    const made = /** @type {HTMLButtonElement} */ (make("button", "", text));
    made.type = "button";
    made.addEventListener("click", () => act(made));
    return made;
  };

  /** What the reader wrote on what is here no more. @param {string} title @param {string[]} keys */
  const fold = (title, keys) => {
    const whole = make("details", "run-old", make("summary", "", title));
    for (const key of keys) {
      const text = make("pre", "", read(key));
      const part = make("div", "", text, make("p", "run-past",
        press("Copy", async (button) => {
          getSelection()?.selectAllChildren(text); // copies by hand where the browser refuses
          await navigator.clipboard.writeText(text.textContent ?? "");
          button.textContent = "Copied";
        }),
        press("Forget", (button) => {
          const gone = localStorage.getItem(key) === null;
          if (gone) localStorage.setItem(key, text.textContent ?? "");
          else localStorage.removeItem(key);
          text.hidden = !gone;
          button.textContent = gone ? "Forget" : "Undo";
          dispatchEvent(new Event("written"));
        })));
      whole.append(part);
    }
    return whole;
  };
  /** Keys of texts whose cell is still to be found. */
  const lost = new Set(kept);
  const ran = `${book}ran ${page}`;
  const last = sessionStorage.getItem(ran);
  sessionStorage.removeItem(ran);

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
    const mine = kept.filter((other) => other.startsWith(key));
    for (const old of mine) lost.delete(old);
    if (mine.includes(box.dataset.key)) {
      pre.replaceChildren(read(box.dataset.key));
      note.textContent = unrun;
    }
    const earlier = mine.filter((old) => old !== box.dataset.key);
    if (earlier.length) code.after(fold("What you wrote on an earlier version of this cell", earlier));
    if (box.dataset.cell === last) {
      note.textContent = "The browser had put this page away. What you wrote is kept; Python’s variables are gone, and the next run makes those that it needs again.";
    }

    note.role = "status";
    /** @param {HTMLButtonElement} button @param {(notebook: any) => void} act */
    const load = async (button, act) => {
      button.ariaBusy = "true";
      try {
        // A browser may remember that a module did not come: each try has its own address.
        const notebook = await import(`${new URL(python, document.baseURI)}${"&".repeat(tries)}`);
        note.remove();
        act(notebook);
      } catch {
        tries++;
        note.textContent = "The editor did not come. Is there a connection? Then press again.";
      }
      button.ariaBusy = null;
    };
    const button = press(isExercise ? "Write your answer" : "Run",
      () => load(button, ({ open }) => open(box, !isExercise)));
    button.className = "run";
    code.append(note, button);

    const form = /** @type {HTMLFormElement | null} */ (box.querySelector(".run-form"));
    if (!form) continue;
    const [field, look] = /** @type {[HTMLInputElement, HTMLButtonElement]} */ (
      /** @type {unknown} */ (form.elements));
    const line = new RegExp(`^(${field.name} = )("(?:[^"\\\\]|\\\\.)*")`, "m");
    try {
      field.value = JSON.parse(line.exec(pre.textContent ?? "")?.[2] ?? '""');
    } catch {} // the reader has written something else there
    form.append(note);
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (text) load(look, ({ fill }) => fill(box, line, text));
      else note.textContent = "Write a sentence first.";
    });
    form.addEventListener("ran", () => { look.textContent = "Look"; });
  }
  if (lost.size && location.protocol !== "file:") {
    document.querySelector("article")?.append(
      fold("What you wrote in cells that are not on this page any more", [...lost]));
  }

  // The reader has everything forgotten, or has it back (progress.js).
  const showKept = (/** @type {Event} */ { type }) => {
    for (const old of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".run-old"))) {
      old.hidden = type === "forgotten";
    }
    for (const box of /** @type {NodeListOf<HTMLElement & {book?: Node[]}>} */ (
      document.querySelectorAll("[data-key]"))) {
      const mine = localStorage.getItem(box.dataset.key ?? "");
      box.querySelector("pre")?.replaceChildren(...(mine === null ? box.book ?? [] : [mine]));
      const note = box.querySelector(".run-note");
      if (note) note.textContent = mine === null ? "" : unrun;
    }
  };
  addEventListener("forgotten", showKept);
  addEventListener("restored", showKept);
})();
