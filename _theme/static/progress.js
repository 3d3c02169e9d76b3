// @ts-check
/**
 * What was answered right, kept in this browser and nowhere else. Questions and exercises say
 * `answered`; here it is noted, shown, exported and forgotten. Names begin with the book's path,
 * since many books share an origin.
 */
(() => {
  "use strict";
  const { book } = document.documentElement.dataset;
  const NAME = `${book}answered`;

  const read = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(NAME) ?? "[]");
      return new Set(/** @type {string[]} */ (Array.isArray(kept) ? kept : []).map(String));
    } catch {
      return /** @type {Set<string>} */ (new Set());
    }
  };
  let answered = read();
  /** What the reader has written in cells (_python/page/run.js). */
  const written = () => Object.keys(localStorage).filter((key) => key.startsWith(`${book}code `));

  const keep = () => {
    try {
      localStorage.setItem(NAME, JSON.stringify([...answered].sort()));
    } catch {} // full: it holds as long as the page is open
  };

  /** @param {string} text @param {() => void} act */
  const button = (text, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  };
  const count = document.createElement("span");
  const line = document.createElement("p");
  line.className = "progress";
  line.append(
    count,
    button("Export", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(
        new Blob([JSON.stringify({ book: new URL(book ?? "", location.href).href, answered: [...answered].sort(),
          code: Object.fromEntries(written().map((key) => [key.slice(`${book}code `.length), localStorage.getItem(key)])) }, null, 1)]));
      link.download = "answered.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href));
    }),
    button("Forget", () => {
      answered.clear();
      for (const key of [NAME, ...written()]) localStorage.removeItem(key);
      dispatchEvent(new Event("forgotten"));
      show();
    }),
  );
  document.getElementById("pages")?.append(line);

  function show() {
    for (const item of document.querySelectorAll("[data-answer]")) {
      item.toggleAttribute("data-done", answered.has(item.getAttribute("data-answer") ?? ""));
    }
    for (const link of document.querySelectorAll(".book nav > ul > li > a, .pagemap a")) {
      const { pathname } = new URL(/** @type {HTMLAnchorElement} */ (link).href);
      const page = pathname.slice(pathname.lastIndexOf("/") + 1).replace(".html", "");
      const many = [...answered].filter((key) => key.startsWith(`${page}/`)).length;
      link.querySelector(".done")?.remove();
      if (many === 0) continue;
      const mark = document.createElement("span");
      mark.className = "done";
      mark.title = `${many} answered right`;
      mark.textContent = `✓ ${many}`;
      link.append(" ", mark);
    }
    line.hidden = answered.size === 0 && written().length === 0;
    count.textContent = answered.size ? `${answered.size} answered right` : "Your code is kept here";
  }

  addEventListener("answered", (event) => {
    const { target, detail } = /** @type {CustomEvent<{shown: boolean}>} */ (event);
    const item = target instanceof Element && target.closest("[data-answer]");
    if (!item || detail.shown) return;
    // What another tab has noted stays.
    answered = new Set([...read(), ...answered, item.getAttribute("data-answer") ?? ""]);
    keep();
    show();
  });
  addEventListener("written", show);
  addEventListener("storage", ({ key }) => {
    if (key !== NAME && key !== null) return;
    answered = read();
    show();
  });
  show();
})();
