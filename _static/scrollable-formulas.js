// @ts-check
/** Gives a formula that is wider than its column a tab stop, so that the keyboard can scroll it. */
(() => {
  "use strict";
  const observer = new ResizeObserver((entries) => {
    for (const formula of new Set(entries.map(({ target }) => target.closest(".katex-display")))) {
      if (!formula) continue;
      if (formula.scrollWidth > formula.clientWidth) formula.setAttribute("tabindex", "0");
      else formula.removeAttribute("tabindex");
    }
  });
  // The column changes with the window; what is in it changes when its font arrives.
  for (const box of document.querySelectorAll(".katex-display, .katex-display > .katex")) {
    observer.observe(box);
  }
})();
