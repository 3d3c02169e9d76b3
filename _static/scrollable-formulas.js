// @ts-check
/**
 * Gives what is wider than its column a tab stop, so that the keyboard can scroll it. The theme
 * looks at code and tables as the page loads, not when they are folded out.
 */
(() => {
  "use strict";
  const SCROLLERS =
    ".katex-display, .bd-article pre, .cell_output > .output, .pst-scrollable-table-container";
  const observer = new ResizeObserver((entries) => {
    for (const box of new Set(entries.map(({ target }) => target.closest(SCROLLERS)))) {
      if (!box) continue;
      if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
      else box.removeAttribute("tabindex");
    }
  });
  // The column changes with the window; what is in it changes when its font arrives.
  for (const box of document.querySelectorAll(`${SCROLLERS}, .katex-display > .katex`)) {
    observer.observe(box);
  }
})();
