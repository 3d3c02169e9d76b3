// What the published book keeps in a browser, and when it shows it, on fakes of what a worker has.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const SCOPE = "https://host.test/book/";
const [PAGE, SCRIPT] = [`${SCOPE}chapters/a.html`, `${SCOPE}_static/a.js?v=0123abcd`];
const source = readFileSync(new URL("../../tools/offline/service-worker.js", import.meta.url), "utf8");
/** A response as a browser gives it, which says of which type it is. */
const response = (text) => {
  const made = new Response(text, { headers: { date: "Mon, 23 Nov 2026 08:00:00 GMT" } });
  return Object.defineProperties(made, { type: { value: "basic" }, clone: { value: () => response(text) } });
};

/** A worker of version "one", with the caches of a browser and a network that tests change. */
async function begin() {
  const [kept, network, asked, acts] = [new Map(), new Map(), [], {}];
  const cache = {
    match: async (url) => kept.get(url)?.clone(), delete: async (url) => kept.delete(url),
    keys: async () => [...kept.keys()].map((url) => ({ url })), put: async (url, what) => kept.set(url, what),
    addAll: async (requests) => requests.forEach(({ url }) => kept.set(url, response(url))),
  };
  const caches = { keys: async () => ["/book/ pages one"], match: cache.match, open: async () => cache };
  const self = { registration: { scope: SCOPE }, location: { href: `${SCOPE}service-worker.js` }, skipWaiting() {},
    addEventListener: (name, act) => { acts[name] = act; } };
  const fetch = async (request) => {
    const url = request.url ?? request;
    asked.push(url);
    if (!network.has(url)) throw new TypeError("no network");
    return response(network.get(url));
  };
  vm.runInNewContext(source.replace("COMMIT", "one"), { self, caches, URL, Request, Response, setTimeout() {}, fetch });
  const send = async (name, event) => {
    let [answer, ...waits] = [undefined];
    acts[name]({ ...event, waitUntil: (work) => waits.push(work), respondWith: (with_) => { answer = with_; } });
    await Promise.all(waits);
    return (await answer)?.text();
  };
  await send("install");
  const texts = [[SCRIPT, "script"], [PAGE, "<html one"], [`${SCOPE}service-worker.js`, "one"]];
  for (const [url, text] of texts) network.set(url, text);
  const tell = (urls, commit = "one") => send("message", { data: { page: PAGE, commit, urls } });
  const get = (url, mode = "no-cors") => send("fetch", { request: { url, mode, method: "GET", headers: new Headers() } });
  return { network, asked, tell, get, kept };
}

test("a page is kept with what it has loaded, and shown where there is no network, which it says", async () => {
  const { network, tell, get, asked } = await begin();
  await tell([SCRIPT]);
  asked.length = 0;
  assert.equal(await get(SCRIPT), "script");
  assert.deepEqual(asked, [], "what has its version in its address is asked for once");
  assert.equal(await get(PAGE, "navigate"), "<html one");
  network.clear();
  assert.match(await get(`${PAGE}?from=mail`, "navigate"), /<html data-kept="Mon, 23 Nov/);
  assert.equal(await get(`${SCOPE}chapters/b.html`, "navigate"), `${SCOPE}offline.html`);
  assert.equal(await get("https://other.test/", "navigate"), undefined);
});

test("nothing is kept that may be of another version, and what has no version is of the network", async () => {
  const { network, tell, get, asked, kept } = await begin();
  const list = `${SCOPE}_static/files.json`;
  network.set(list, "old");
  await tell([SCRIPT], "two");
  assert.deepEqual([asked, kept.size], [[], 2]);
  await tell([list]);
  network.set(list, "new");
  assert.equal(await get(list), "new");
  network.set(`${SCOPE}service-worker.js`, "two");
  await tell([SCRIPT]);
  assert.equal(kept.size, 4, "the page and the list, not the script");
});
