// @ts-check
/** What the frame of a page does: drawers and search, colours, contents, buttons to copy code. */
(() => {
  "use strict";
  const root = document.documentElement;
  const book = /** @type {HTMLElement} */ (document.getElementById("pages"));
  const search = /** @type {HTMLDialogElement} */ (document.getElementById("search"));

  /** @param {string} does @param {(button: HTMLElement) => void} act */
  const onPress = (does, act) => {
    for (const button of document.querySelectorAll(`[data-does=${does}]`)) {
      button.addEventListener("click", () => act(/** @type {HTMLElement} */ (button)));
    }
  };

  // ---- the book: a column where there is room, else a drawer ---------------------------------

  book.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== "open") return;
    const here =
      book.querySelector("[aria-current=location]") ?? book.querySelector("[aria-current]");
    /** @type {HTMLElement} */ (here ?? book.querySelector("a")).focus();
  });
  // A link into the page that one reads: the drawer would cover where it leads.
  book.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("a[href^='#']")) book.hidePopover();
  });
  matchMedia("(min-width: 62rem)").addEventListener("change", () => book.hidePopover());

  // ---- search --------------------------------------------------------------------------------

  const openSearch = () => {
    book.hidePopover();
    if (!search.open) search.showModal();
  };
  onPress("search", openSearch);
  search.addEventListener("click", ({ target }) => target === search && search.close());
  // Safari gives Escape to the field, which is emptied, and never to the dialog.
  search.addEventListener("keydown", ({ key, target }) => {
    if (key === "Escape" && target instanceof HTMLInputElement && !target.value) search.close();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") CSS.highlights?.delete("sought");
    if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    openSearch();
  });

  // The words of the search that led here are in the address.
  const words = new URLSearchParams(location.search)
    .get("q")
    ?.toLowerCase()
    .match(/[\p{L}\p{N}_]+/gu);
  const article = document.querySelector("article");
  if (words?.length && article && CSS.highlights) {
    const found = new Highlight();
    const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const text = (node.textContent ?? "").toLowerCase();
      for (const word of words) {
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          found.add(
            new StaticRange({
              startContainer: node,
              startOffset: at,
              endContainer: node,
              endOffset: at + word.length,
            }),
          );
        }
      }
    }
    CSS.highlights.set("sought", found);
  }

  // ---- colours -------------------------------------------------------------------------------

  const dark = matchMedia("(prefers-color-scheme: dark)");
  onPress("mode", (button) => {
    // The first press changes what is seen: after the system's colours come the others.
    const modes = dark.matches ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
    const mode = modes[(modes.indexOf(root.dataset.mode ?? "auto") + 1) % modes.length];
    root.dataset.mode = mode;
    button.ariaLabel = button.title = `Colour mode: ${mode}`;
    try {
      localStorage.setItem("mode", mode);
    } catch {} // full: it holds as long as the page is open
  });

  // ---- contents that follow the reading ------------------------------------------------------

  const links = [
    .../** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".contents a")),
  ];
  const places = links.map((link) =>
    document.getElementById(decodeURIComponent(link.hash.slice(1))),
  );
  /** @type {HTMLAnchorElement | undefined} */
  let marked;
  const mark = () => {
    const isRead = (/** @type {HTMLElement | null} */ place) =>
      place !== null && place.getBoundingClientRect().top < innerHeight / 4;
    const link = links[places.findLastIndex(isRead)];
    if (link === marked) return;
    marked?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "location");
    marked = link;
    show(link);
  };
  /** @param {Element | null | undefined} link */
  const show = (link) => {
    if (!link || !book.getClientRects().length) return; // it is not shown
    const [{ top, bottom }, frame] = [link.getBoundingClientRect(), book.getBoundingClientRect()];
    if (top < frame.top + 48 || bottom > frame.bottom - 48) {
      book.scrollTop += top - frame.top - frame.height / 2;
    }
  };
  let isWaiting = false;
  addEventListener(
    "scroll",
    () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        mark();
      });
    },
    { passive: true },
  );
  show(book.querySelector("[aria-current]"));
  mark();

  // ---- what is wider than its column gets a tab stop, so that the keyboard can scroll it -------

  const SCROLLERS = ".katex-display, article pre, .cell_output > .output, .table";
  const widths = new ResizeObserver((entries) => {
    for (const box of new Set(entries.map(({ target }) => target.closest(SCROLLERS)))) {
      if (!box) continue;
      if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
      else box.removeAttribute("tabindex");
    }
  });
  // The column changes with the window; what is in it changes when its font arrives.
  for (const box of document.querySelectorAll(`${SCROLLERS}, .katex-display > .katex`)) {
    widths.observe(box);
  }

  // ---- what a link leads to is seen: a folded box opens ----------------------------------------

  const unfold = () => {
    for (
      let box = document.querySelector(":target")?.closest("details");
      box;
      box = box.parentElement?.closest("details")
    )
      box.open = true;
  };
  // What has moved has left its id in a paragraph that links there. The name of an explorer takes
  // along the state behind it, as in #name:T=2.
  const follow = () => {
    const [, name, state] = location.hash.match(/^#([a-z][a-z0-9-]*):(.*)/s) ?? [];
    const there = /** @type {HTMLAnchorElement | null} */ (
      document.querySelector(`.moved:has(${name ? `#${name}` : ":target"}) a`)
    );
    if (there) location.replace(there.href.replace(/#.*?:/, (at) => `${at}${state ?? ""}&`));
  };
  for (const act of [unfold, follow]) {
    addEventListener("hashchange", act);
    addEventListener("load", act);
  }

  // ---- menus beside their buttons, where the style cannot place them ----------------------------

  for (const menu of CSS.supports("position-area: bottom")
    ? []
    : document.querySelectorAll(".menu")) {
    menu.addEventListener("beforetoggle", () => {
      const button = /** @type {Element} */ (document.querySelector(`[popovertarget=${menu.id}]`));
      const { bottom, right } = button.getBoundingClientRect();
      /** @type {HTMLElement} */ (menu).style.inset =
        `${bottom}px ${root.clientWidth - right}px auto auto`;
    });
  }

  // ---- slides: a script of their own, when asked for ------------------------------------------

  const { src } = /** @type {HTMLScriptElement} */ (document.currentScript);
  const present = () => {
    const script = document.createElement("script");
    script.src = new URL("present.js", src).href;
    document.head.append(script);
  };
  onPress("present", present);
  if (/[?&]present\b/.test(location.search)) {
    if (document.querySelector("[data-does=present]")) present();
    else {
      const note = document.createElement("p");
      note.setAttribute("role", "status");
      note.textContent = "This page has no slides. The lessons have: Present, at their top.";
      document.querySelector("article")?.prepend(note);
    }
  }

  // ---- code can be copied, and text with the TeX of its formulas --------------------------------

  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    if (!selection?.rangeCount || !event.clipboardData) return;
    const range = selection.getRangeAt(0).cloneRange();
    /** @param {Node} node */
    const formula = (node) =>
      (node instanceof Element ? node : node.parentElement)?.closest("[data-tex]");
    const [first, last] = [formula(range.startContainer), formula(range.endContainer)];
    if (first) range.setStartBefore(first); // of a formula one copies all
    if (last) range.setEndAfter(last);
    const copied = document.createElement("div");
    copied.append(range.cloneContents());
    const formulas = /** @type {NodeListOf<HTMLElement>} */ (copied.querySelectorAll("[data-tex]"));
    if (!formulas.length) return;
    for (const each of formulas) {
      const sign = each.closest(".katex-display") ? "$$" : "$";
      each.replaceWith(`${sign}${each.dataset.tex}${sign}`);
    }
    article?.append(copied); // shown, it has lines
    event.clipboardData.setData("text/plain", copied.innerText);
    event.clipboardData.setData("text/html", copied.innerHTML);
    copied.remove();
    event.preventDefault();
  });

  for (const code of navigator.clipboard ? document.querySelectorAll(".cell_input pre") : []) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent ?? "");
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2000);
    });
    code.after(button);
  }
})();
