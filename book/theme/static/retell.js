// @ts-check
/**
 * What readers say in words of their own: why an answer is right, and what a page was about. Nobody
 * judges it. What they wrote is kept in this browser, and nowhere else.
 */
(() => {
  "use strict";
  const { book } = document.documentElement.dataset;
  const page = location.pathname.replace(/^.*\/|\.html$/g, "");
  const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];

  /** @param {string} tag @param {string} className @param {...(string | Node)} children */
  const make = (tag, className, ...children) => {
    const made = document.createElement(tag);
    made.className = className;
    made.append(...children);
    return made;
  };

  // ---- why: a line to write, then the book's sentence beside it ---------------------------------

  for (const answer of /** @type {NodeListOf<HTMLDetailsElement>} */ (
    document.querySelectorAll("details.why")
  )) {
    const summary = /** @type {HTMLElement} */ (answer.querySelector("summary"));
    const asks = summary.textContent ?? "";
    const name = `${book}said ${page} ${asks}`;
    const field = document.createElement("input");
    const label = make("label", "", ...summary.childNodes, field);
    const form = make("form", "why-form", label, make("button", "", "Compare"));
    field.value = localStorage.getItem(name) ?? "";
    summary.textContent = "The book’s sentence";
    answer.hidden = true;
    answer.before(form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      answer.hidden = false;
      answer.open = true;
    });
    field.addEventListener("change", () => {
      try {
        if (field.value) localStorage.setItem(name, field.value);
        else localStorage.removeItem(name);
      } catch {} // full: it stands as long as the page is open
      dispatchEvent(new Event("written"));
    });
    addEventListener("forgotten", () => (field.value = ""));
    addEventListener("restored", () => (field.value = localStorage.getItem(name) ?? field.value));
  }

  // ---- a summary: recalled first, then read ------------------------------------------------------

  const list = document.querySelector("section#summary > ul");
  if (list && "onbeforematch" in list) {
    const open = document.createElement("button");
    open.textContent = "Show them";
    const many = NUMBERS[list.children.length] ?? String(list.children.length);
    const note = make(
      "p",
      "recall",
      `What were the ${many} sentences? Say them, then compare. `,
      open,
    );
    const show = () => {
      list.removeAttribute("hidden");
      note.remove();
    };
    list.setAttribute("hidden", "until-found");
    list.before(note);
    open.addEventListener("click", show);
    list.addEventListener("beforematch", show); // found by a search, or by a link into it
  }
})();
