// @ts-check
/** In the place of service-worker.js where nothing is to be kept any more: ends it everywhere. */
(() => {
  const worker = /** @type {any} */ (self);
  const { registration } = worker;
  worker.addEventListener("install", () => worker.skipWaiting());
  worker.addEventListener("activate", (/** @type {any} */ event) => {
    event.waitUntil((async () => {
      const book = `${new URL(registration.scope).pathname} `;
      for (const name of await caches.keys()) if (name.startsWith(book)) await caches.delete(name);
      await registration.unregister();
    })());
  });
})();
