// @ts-check
/** A published page's side of service-worker.js: starts it, and tells it what the page has loaded. */
(() => {
  "use strict";
  const { book, commit, kept, python, framed } = document.documentElement.dataset;
  if (kept) {
    const line = document.createElement("p");
    line.className = "kept";
    const day = new Date(kept).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
    line.textContent = `The network does not answer. This is the copy of ${day} that your browser has kept (${commit?.slice(0, 7)}).`;
    document.querySelector("main")?.prepend(line);
  }
  // Only where the book was published: nowhere on your own machine, nor where it is framed.
  const page = location.origin + location.pathname;
  const address = document.querySelector("link[rel=canonical]")?.getAttribute("href");
  if (address !== page || framed !== undefined) return;
  const worker = navigator.serviceWorker;
  if (!worker) return; // this browser has none, or none here

  /** @type {Set<string>} */
  const urls = new Set();
  /** @type {ServiceWorkerRegistration | undefined} */
  let registration;
  // The newest: browsers let it wait while the one before it has something to do, if need be for
  // minutes.
  const tell = () =>
    (registration?.waiting ?? registration?.active)?.postMessage({ page, commit, urls: [...urls] });
  const follow = () => registration?.installing?.addEventListener("statechange", tell);

  /** What Python in the page takes beside its own large files. */
  const addPython = () => {
    if (!python) return;
    const at = new URL(python, page);
    const name = page.replace(/^.*\/|\.html$/g, "");
    for (const file of ["notebook.js", "editor.js", "notebook.css", "worker.js", `pages/${name}.json`]) {
      urls.add(new URL(file + at.search, at).href);
    }
    urls.add(new URL("files.json", at).href);
  };

  addEventListener("load", async () => {
    // What came, and what comes when it is scrolled to, unfolded or printed.
    for (const item of document.querySelectorAll("script[src], img[src]")) {
      urls.add(/** @type {HTMLImageElement} */ (item).src);
    }
    for (const link of document.querySelectorAll("link[rel=stylesheet], link[rel=icon]")) {
      urls.add(/** @type {HTMLLinkElement} */ (link).href);
    }
    for (const { href, cssRules } of document.styleSheets) {
      for (const rule of cssRules) {
        if (!(rule instanceof CSSFontFaceRule)) continue;
        for (const [, file] of rule.cssText.matchAll(/url\("([^"]+)/g)) urls.add(new URL(file, href ?? page).href);
      }
    }
    new PerformanceObserver((list) => {
      for (const { name } of list.getEntries()) urls.add(name);
      if ([...urls].some((url) => url.includes("/_static/python/"))) addPython();
      tell();
    }).observe({ type: "resource", buffered: true });
    // Where storage or scripts of this kind are refused, the page is as it was.
    try {
      if (await caches.has(`${book} python`)) addPython();
      registration = await worker.register(`${book}service-worker.js`, { updateViaCache: "none" });
      registration.addEventListener("updatefound", follow);
      follow();
      tell();
    } catch {}
  });
})();
