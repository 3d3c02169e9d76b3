// @ts-check
/**
 * Keeps the pages that were opened, for when there is no network. Of the published book only: see
 * __main__.py, which puts the commit in and writes this beside the pages.
 *
 * Pages come from the network first, so an update is never waited for; all else has its digest in
 * its address, so what is kept is right or not asked for, and no page mixes two versions. A page
 * says what it has loaded (keep.js); that is kept in a cache of its version, from which a page goes
 * when a newer one of it is kept, and which goes with its last page. Python's files are kept apart
 * when they pass: they outlive versions in which they have not changed.
 */
(() => {
  const VERSION = "COMMIT";
  const WAIT = 5000; // ms until a page that is kept is shown in place of a network that says nothing
  const worker = /** @type {any} */ (self);
  const { scope } = worker.registration;
  // Many books share an origin: the names of what is kept begin with the book's path.
  const BOOK = `${new URL(scope).pathname} `;
  const PAGES = `${BOOK}pages `;
  const KEPT = PAGES + VERSION;
  const OFFLINE = `${scope}offline.html`;
  const OWN = /^((chapters|_static|_images)\/|search|index\.html|$|[?#])/;
  const PAGE = /^(chapters\/|search\.html)/;
  const FIXED = /\?v=|[-/][0-9a-f]{8,}\b/;
  const PYTHON = /^_static\/python\/(pyodide|python)-[^/]+/;

  /** @param {string} url below the book */
  const path = (url) => url.slice(scope.length);
  /** @param {Response} response */
  const isWhole = ({ status, type }) => status === 200 && type === "basic";

  /** The caches of the book whose names begin so, the newest first. @param {string} name */
  const named = async (name) =>
    (await caches.keys()).filter((each) => each.startsWith(name)).reverse();

  /** @param {string} url @returns {Promise<Response | undefined>} */
  async function find(url) {
    for (const cacheName of await named(BOOK)) {
      // Another page may have ended this cache since it was named.
      const found = await caches.match(url, { cacheName, ignoreVary: true }).catch(() => undefined);
      if (found) return found;
    }
  }

  /**
   * Keep a page of this version, with what it has loaded; one of another version is another worker's.
   * @param {{page: string, commit: string, urls: string[]}} told
   */
  async function keep({ page, commit, urls }) {
    if (commit !== VERSION) return;
    const cache = await caches.open(KEPT);
    /** @type {string[]} */
    const added = [];
    try {
      for (const url of [...urls, page]) {
        const own = url.startsWith(scope) && path(url);
        if (!own || !OWN.test(own) || PYTHON.test(own) || await cache.match(url)) continue;
        const response = (FIXED.test(own) && await find(url)) || await fetch(url, { cache: "force-cache" });
        if (!isWhole(response)) continue;
        if (url === page && !(await response.clone().text()).includes(VERSION)) throw new Error("old");
        added.push(url);
        await cache.put(url, response);
      }
      if (!added.length) return;
      // What came while another version was published may be of either.
      const now = await fetch(worker.location.href, { cache: "no-store" });
      if (!(await now.text()).includes(VERSION)) throw new Error("old");
    } catch {
      // No network, no room, or another version: none of it, rather than some.
      for (const url of added) await cache.delete(url);
      return;
    }
    for (const name of await named(PAGES)) {
      if (name === KEPT) continue;
      const old = await caches.open(name);
      await old.delete(page);
      if (!(await old.keys()).some(({ url }) => PAGE.test(path(url)))) await caches.delete(name);
    }
  }

  /** Keep a file of Python in the place of those that it replaces. @param {string} url @param {Response} response */
  async function keepPython(url, response) {
    const cache = await caches.open(`${BOOK}python`);
    await cache.put(url, response);
    const [folder = "", kind] = PYTHON.exec(path(url)) ?? [];
    for (const { url: old } of await cache.keys()) {
      if (PYTHON.exec(path(old))?.[1] === kind && !path(old).startsWith(folder)) await cache.delete(old);
    }
  }

  /** @param {string} url */
  async function answerPage(url) {
    const kept = await find(url.replace(/[?#].*/, ""));
    // Asked anew each time, as far as it has changed.
    const fresh = fetch(url, { cache: "no-cache", redirect: "manual" });
    if (!kept) return fresh.catch(() => find(OFFLINE));
    try {
      const slow = new Promise((_, reject) => { setTimeout(reject, WAIT); });
      const response = await Promise.race([fresh, slow]);
      if (response.status < 500) return response;
    } catch {}
    // The page says that it is a copy, and of when (keep.js).
    const html = (await kept.text()).replace("<html", `<html data-kept="${kept.headers.get("date")}"`);
    return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
  }

  /** @param {any} event */
  async function answer(event) {
    const { url } = event.request;
    const kept = await find(url);
    if (kept && FIXED.test(path(url))) return kept;
    try {
      const response = await fetch(event.request);
      if (PYTHON.test(path(url)) && isWhole(response)) {
        event.waitUntil(keepPython(url, response.clone()).catch(() => {})); // no room
      }
      return response;
    } catch (error) {
      if (kept) return kept;
      throw error;
    }
  }

  worker.addEventListener("install", (/** @type {any} */ event) => {
    worker.skipWaiting();
    event.waitUntil(caches.open(KEPT).then((cache) =>
      cache.addAll([scope, OFFLINE].map((url) => new Request(url, { cache: "reload" })))));
  });
  worker.addEventListener("activate", (/** @type {any} */ event) => {
    event.waitUntil(worker.clients.claim());
  });
  worker.addEventListener("fetch", (/** @type {any} */ event) => {
    const { method, url, mode, headers } = event.request;
    if (method !== "GET" || headers.has("range") || !url.startsWith(scope) || !OWN.test(path(url))) return;
    event.respondWith(mode === "navigate" ? answerPage(url) : answer(event));
  });
  let last = Promise.resolve();
  worker.addEventListener("message", (/** @type {any} */ event) => {
    last = last.then(() => keep(event.data)).catch(() => {}); // storage is refused
    event.waitUntil(last);
  });
})();
