// @ts-check
/**
 * Gives the focus back to what opened a dialog: the theme lets it fall to the top of the page. And
 * closes the list of contents behind a link into the page, which it would cover on a phone.
 */
(() => {
  "use strict";
  /** @type {HTMLElement | null} */
  let last = null;
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && !target.closest("dialog[open]")) last = target;
  });
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("close", () => last?.focus());
    dialog.addEventListener("click", ({ target }) => {
      if (!(target instanceof Element) || !target.closest("a[href^='#']")) return;
      dialog.close();
      last = null; // the link takes the reader on, not back
    });
  }
})();
