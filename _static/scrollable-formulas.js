// @ts-check
/** Gives a formula that is wider than its column a tab stop, so that the keyboard can scroll it. */
(() => {
  "use strict";
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const scrolls = target.scrollWidth > target.clientWidth;
      target.toggleAttribute("tabindex", scrolls);
      if (scrolls) target.setAttribute("tabindex", "0");
    }
  });
  for (const formula of document.querySelectorAll(".katex-display")) observer.observe(formula);
})();
