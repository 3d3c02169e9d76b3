/* Makes smaller what is wider or higher than its room on paper, and names what still is. */
([width, height, smallest]) => {
  const isVisible = (item) => item.checkVisibility({ visibilityProperty: true });
  const shrinking = ".katex-display > .katex, .part table, .drawing > svg, .part img";
  const wanted = (item) => {
    const box = item.getBoundingClientRect();
    const room = Math.min(width, item.parentElement.getBoundingClientRect().right) - box.left;
    return Math.min(room / box.width, height / box.height);
  };
  // Letters do not shrink evenly: a second and a third look.
  for (let look = 0; look < 3; look += 1) {
    // All are measured before one is changed: each change costs a new layout of the whole book.
    const items = [...document.querySelectorAll(shrinking)].filter(isVisible);
    const ratios = items.map((item) => [item, wanted(item)]).filter(([, ratio]) => ratio < 0.999);
    for (const [item, ratio] of ratios) {
      item.style.zoom = Math.max(smallest, (item.style.zoom || 1) * ratio);
    }
  }
  /** By how many pixels it, or what is in it, sticks out. */
  const beyond = (item) => {
    const cuts = getComputedStyle(item).overflowX !== "visible";
    const inside = cuts ? item.scrollWidth - item.clientWidth : 0;
    return Math.max(item.getBoundingClientRect().right - width, inside);
  };
  const name = (item) => item.closest("[id]")?.id;
  const text = (item) => (item.textContent.trim() || item.outerHTML).slice(0, 60);
  return [...document.querySelectorAll("body *:not(.katex .katex-html *, svg *)")]
    .filter((item) => isVisible(item) && item.clientWidth && beyond(item) > 1)
    .map((item) => `${name(item)}: ${text(item)}`);
};
