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
  /** What the reader wrote in cells that are still to be found. */
  const lost = new Set(Object.keys(localStorage).filter((key) => key.startsWith(name)));
  let tries = 0;

  /** @param {string} tag @param {string} className @param {...(string | Node)} children */
  const make = (tag, className, ...children) => {
    const made = document.createElement(tag);
    made.className = className;
    made.append(...children);
    return made;
  };

  /** Show what is kept of a cell, or else the book's text. @param {HTMLElement & {book?: Node[]}} box */
  const showKept = (box) => {
    const mine = localStorage.getItem(box.dataset.key ?? "");
    box
      .querySelector(".cell_input pre")
      ?.replaceChildren(...(mine === null ? (box.book ?? []) : [mine]));
    const note = box.querySelector(".run-note");
    if (note) note.textContent = mine === null ? "" : "Your text, not run yet.";
  };

  /** An answer that was right on an earlier visit is shown with its verdict. @param {HTMLElement} box */
  const showVerdict = (box) => {
    /** @type {{given?: {code?: string, says?: string}}} */
    const detail = {};
    box.dispatchEvent(new CustomEvent("recall", { bubbles: true, detail }));
    const { code, says } = detail.given ?? {};
    if (code === undefined || code !== localStorage.getItem(box.dataset.key ?? "")) return;
    const result = make("p", "result", make("b", "", "✓ Right"), says ? `: ${says}` : "");
    result.dataset.right = "";
    const stored = /** @type {HTMLElement | null} */ (box.querySelector(".cell_output"));
    if (stored) stored.hidden = true;
    (stored ?? box.querySelector(".cell_input"))?.after(
      make("div", "cell_output docutils container run-output", result),
    );
    const note = box.querySelector(".run-note");
    if (note) note.textContent = "";
  };

  const boxes = /** @type {(HTMLElement & {book?: Node[]})[]} */ ([
    ...document.querySelectorAll("[data-cell]"),
  ]);
  for (const box of boxes) {
    const code = box.querySelector(".cell_input");
    const pre = code?.querySelector("pre");
    if (!code || !pre) continue;
    const isExercise = box.closest(".exercise") !== null;
    const note = make("p", "run-note");
    if (location.protocol === "file:") {
      // browsers start no worker there
      note.textContent =
        "Code runs here where the book comes from a web server. The rocket at the top opens this page elsewhere.";
      if (isExercise) code.append(note);
      continue;
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
    const button = /** @type {HTMLButtonElement} */ (
      make("button", "run", isExercise ? "Write your answer" : "Run")
    );
    button.type = "button";
    button.addEventListener("click", () => load(button, ({ open }) => open(box, !isExercise)));
    code.append(note, button);
    // Its lines were put in order, or its gaps filled (lines.js).
    box.addEventListener("assembled", (event) => {
      const { text, button: check } = /** @type {CustomEvent} */ (event).detail;
      load(check, ({ put }) => put(box, text));
    });

    box.dataset.key = name + box.dataset.cell;
    box.book = [...pre.childNodes];
    lost.delete(box.dataset.key);
    showKept(box);
    if (isExercise) showVerdict(box);

    const form = /** @type {HTMLFormElement | null} */ (
      box.querySelector(".run-form:not(.lines-form)")
    );
    if (!form) continue;
    const [field, look] = /** @type {[HTMLInputElement, HTMLButtonElement]} */ (
      /** @type {unknown} */ (form.elements)
    );
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
    form.addEventListener("ran", () => {
      look.textContent = "Look";
    });
  }
  if (lost.size && location.protocol !== "file:") {
    document
      .querySelector("article")
      ?.append(
        make(
          "details",
          "run-old",
          make("summary", "", "What you wrote in cells that are not on this page any more"),
          ...[...lost].map((key) => make("pre", "", localStorage.getItem(key) ?? "")),
        ),
      );
  }

  // The reader has everything forgotten, or has it back (progress.js); another tab has written.
  addEventListener("forgotten", () => {
    boxes.forEach(showKept);
    document.querySelector("article > .run-old")?.remove();
  });
  addEventListener("restored", () => boxes.forEach(showKept));
  addEventListener("storage", ({ key }) =>
    boxes.filter((box) => box.dataset.key === key).forEach(showKept),
  );
})();
