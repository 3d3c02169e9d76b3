// @ts-check
/** Gives the focus back to what opened a dialog: the theme lets it fall to the top of the page. */
(() => {
  "use strict";
  /** @type {HTMLElement | null} */
  let last = null;
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && !target.closest("dialog[open]")) last = target;
  });
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("close", () => last?.focus());
  }
})();
