// What the published book keeps in a browser, and when it shows it, on fakes of what a worker has.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const SCOPE = "https://host.test/book/";
const PAGE = `${SCOPE}chapters/a.html`;
const SCRIPT = `${SCOPE}_static/a.js?v=0123abcd`;
const source = (name) =>
  readFileSync(new URL(`../../tools/offline/${name}.js`, import.meta.url), "utf8");

/** A response as a browser gives it, which says of which type it is. */
const response = (text, { status = 200, type = "basic" } = {}) => {
  const made = new Response(text, { status, headers: { date: "Mon, 23 Nov 2026 08:00:00 GMT" } });
  Object.defineProperty(made, "type", { value: type });
  const clone = made.clone.bind(made);
  made.clone = () => Object.defineProperty(clone(), "type", { value: type });
  return made;
};

/** The caches of a browser; `full` refuses what comes. */
class Caches {
  made = new Map();
  full = false;
  async keys() { return [...this.made.keys()]; }
  async delete(name) { return this.made.delete(name); }
  async match(url, { cacheName }) {
    if (!this.made.has(cacheName)) throw new DOMException("", "NotFoundError");
    return this.made.get(cacheName).get(url)?.clone();
  }
  async open(name) {
    if (!this.made.has(name)) this.made.set(name, new Map());
    const held = this.made.get(name);
    return {
      match: async (url) => held.get(url)?.clone(),
      delete: async (url) => held.delete(url),
      keys: async () => [...held.keys()].map((url) => ({ url })),
      put: async (url, what) => {
        if (this.full) throw new DOMException("", "QuotaExceededError");
        held.set(url, what);
      },
      addAll: async (requests) => { for (const { url } of requests) held.set(url, response(url)); },
    };
  }
  held(version) { return [...this.made.get(`/book/ pages ${version}`)?.keys() ?? []].sort(); }
}

/** A worker of a version, in a browser and on a network that tests change. */
class Worker {
  constructor(version, caches = new Caches(), script = "service-worker") {
    Object.assign(this, { version, caches, published: version, network: new Map(), asked: [], timers: [] });
    const listeners = new Map();
    this.registration = { scope: SCOPE, unregister: async () => { this.isEnded = true; } };
    const self = {
      registration: this.registration,
      location: { href: `${SCOPE}service-worker.js` },
      clients: { claim: async () => {} },
      skipWaiting() {},
      addEventListener: (name, act) => listeners.set(name, act),
    };
    vm.runInNewContext(source(script).replace("COMMIT", version), {
      self, caches, URL, Request, Response, Map, Promise,
      setTimeout: (act) => this.timers.push(act),
      fetch: (request, options) => this.fetch(request.url ?? request, options),
    });
    this.listeners = listeners;
    this.network.set(SCRIPT, () => response("script"));
    this.network.set(PAGE, () => response(`<html data-commit="${this.published}">`));
  }
  async fetch(url, options) {
    this.asked.push([url, options?.cache]);
    if (url.endsWith("service-worker.js")) return response(`"${this.published}"`);
    const answer = this.network.get(url);
    if (!answer) throw new TypeError("no network");
    return answer();
  }
  async send(name, event = {}) {
    const waits = [];
    let answer;
    this.listeners.get(name)({ ...event, waitUntil: (work) => waits.push(work), respondWith: (with_) => { answer = with_; } });
    const done = await answer;
    for (const work of waits) await work;
    return answer && done;
  }
  async install() { await this.send("install"); await this.send("activate"); return this; }
  tell(urls = [SCRIPT], page = PAGE, commit = this.version) {
    return this.send("message", { data: { page, commit, urls } });
  }
  get(url, { mode = "no-cors", method = "GET", headers = {} } = {}) {
    return this.send("fetch", { request: { url, mode, method, headers: new Headers(headers) } });
  }
  visit(url = PAGE) { return this.get(url, { mode: "navigate" }); }
}

const SHELL = [SCOPE, `${SCOPE}offline.html`];
const text = async (answer) => (await answer).text();

test("a page is kept with what it has loaded, and then shown without a network, which it says", async () => {
  const worker = await new Worker("one").install();
  await worker.tell();
  assert.deepEqual(worker.caches.held("one"), [...SHELL, SCRIPT, PAGE].sort());
  worker.network.clear();
  assert.match(await text(worker.visit(`${PAGE}?from=mail#place`)), /<html data-kept="Mon, 23 Nov/);
  assert.equal(await text(worker.get(SCRIPT)), "script");
  assert.equal(await text(worker.visit(`${SCOPE}chapters/b.html`)), `${SCOPE}offline.html`);
});

test("a page is asked for anew each time, what has its version in its address once", async () => {
  const worker = await new Worker("one").install();
  await worker.tell();
  worker.asked.length = 0;
  assert.doesNotMatch(await text(worker.visit()), /kept/);
  await worker.get(SCRIPT);
  assert.deepEqual(worker.asked, [[PAGE, "no-cache"]]);
});

for (const [what, answer] of Object.entries({
  "an error": () => response("", { status: 404 }),
  "a part": () => response("", { status: 206 }),
  "what another host answers": () => response("", { type: "opaque" }),
})) {
  test(`${what} is not kept`, async () => {
    const worker = await new Worker("one").install();
    worker.network.set(SCRIPT, answer);
    await worker.tell();
    assert.deepEqual(worker.caches.held("one"), [...SHELL, PAGE].sort());
    const python = `${SCOPE}_static/python/pyodide-1-0123abcd/a.wasm`;
    worker.network.set(python, answer);
    await worker.get(python);
    assert.equal(worker.caches.made.has("/book/ python"), false);
  });
}

test("what is of other hosts, of other books, or asks for a part, goes its own way", async () => {
  const worker = await new Worker("one").install();
  for (const url of ["https://other.test/", "https://host.test/", `${SCOPE}other-book/a.html`, `${SCOPE}embed/a.html`]) {
    assert.equal(await worker.visit(url), undefined);
    await worker.tell([url]);
  }
  assert.equal(await worker.get(SCRIPT, { method: "POST" }), undefined);
  assert.equal(await worker.get(SCRIPT, { headers: { range: "bytes=0-1" } }), undefined);
  assert.deepEqual(worker.caches.held("one"), [...SHELL, PAGE].sort());
});

test("where there is no room, nothing is kept in part", async () => {
  const worker = await new Worker("one").install();
  worker.caches.full = true;
  await worker.tell();
  assert.deepEqual(worker.caches.held("one"), SHELL);
  worker.caches.full = false;
  await worker.tell();
  assert.equal(worker.caches.held("one").length, 4);
});

test("where the network ends midway, nothing is kept in part", async () => {
  const worker = await new Worker("one").install();
  worker.network.delete(PAGE);
  await worker.tell();
  assert.deepEqual(worker.caches.held("one"), SHELL);
});

test("nothing is kept that may be of a version that was published meanwhile", async () => {
  const worker = await new Worker("one").install();
  await worker.tell();
  worker.published = "two";
  const late = `${SCOPE}_static/late.js?v=89abcdef`;
  worker.network.set(late, () => response("of two"));
  await worker.tell([SCRIPT, late]);
  assert.deepEqual(worker.caches.held("one"), [...SHELL, SCRIPT, PAGE].sort());
  const other = `${SCOPE}chapters/b.html`;
  worker.network.set(other, () => response("<html data-commit='two'>"));
  await worker.tell([], other);
  assert.deepEqual(worker.caches.held("one"), [...SHELL, SCRIPT, PAGE].sort());
});

test("a page of another version is its own worker's: this one asks for nothing, and can be replaced", async () => {
  const worker = await new Worker("one").install();
  worker.asked.length = 0;
  await worker.tell([SCRIPT], PAGE, "two");
  assert.deepEqual(worker.asked, []);
  assert.deepEqual(worker.caches.held("one"), SHELL);
});

test("an older page, of which a browser still has a copy, does not count as the new version", async () => {
  const worker = await new Worker("two").install();
  worker.network.set(PAGE, () => response("<html data-commit='one'>"));
  await worker.tell();
  assert.deepEqual(worker.caches.held("two"), SHELL);
});

test("a page of a new version takes the old one's place; a version goes with its last page", async () => {
  const one = await new Worker("one").install();
  const other = `${SCOPE}chapters/b.html`;
  one.network.set(other, () => response("<html data-commit='one'>"));
  await one.tell();
  await one.tell([SCRIPT], other);
  const two = await new Worker("two", one.caches).install();
  two.network.set(other, () => response("<html data-commit='two'>"));
  await two.tell();
  // The script is the same in both, and was not asked for again.
  assert.equal(two.asked.some(([url]) => url === SCRIPT), false);
  assert.deepEqual(two.caches.held("one"), [...SHELL, SCRIPT, other].sort());
  two.network.clear();
  assert.match(await text(two.visit()), /two/);
  assert.match(await text(two.visit(other)), /one/);
  two.network.set(other, () => response("<html data-commit='two'>"));
  await two.tell([], other);
  assert.deepEqual(await two.caches.keys(), ["/book/ pages two"]);
});

test("a cache that another page ends while one looks is passed over", async () => {
  const worker = await new Worker("one").install();
  await worker.tell();
  const keys = worker.caches.keys.bind(worker.caches);
  worker.caches.keys = async () => [...await keys(), "/book/ pages ended"];
  worker.network.clear();
  assert.match(await text(worker.visit()), /one/);
});

test("a copy is shown where the network is slow or the host broken, and only then", async () => {
  const worker = await new Worker("one").install();
  await worker.tell();
  worker.network.set(PAGE, () => new Promise(() => {}));
  const shown = worker.visit();
  while (!worker.timers.length) await new Promise(setImmediate);
  worker.timers[0]();
  assert.match(await text(shown), /data-kept/);
  worker.network.set(PAGE, () => response("", { status: 503 }));
  assert.match(await text(worker.visit()), /data-kept/);
  worker.network.set(PAGE, () => response("gone", { status: 404 }));
  assert.equal(await text(worker.visit()), "gone");
});

test("files of Python outlive versions until others take their place", async () => {
  const at = (file) => `${SCOPE}_static/python/${file}`;
  const files = ["pyodide-1-0123abcd/a.wasm", "pyodide-1-0123abcd/b.whl", "python-0123abcd.zip"].map(at);
  const held = (worker) => [...worker.caches.made.get("/book/ python").keys()];
  const one = await new Worker("one").install();
  for (const file of files) {
    one.network.set(file, () => response("one"));
    await one.get(file);
  }
  assert.deepEqual(held(one), files);
  const two = await new Worker("two", one.caches).install();
  await two.tell();
  assert.equal(await text(two.get(files[0])), "one");
  const zip = at("python-89abcdef.zip");
  two.network.set(zip, () => response("two"));
  await two.get(zip);
  assert.deepEqual(held(two), [...files.slice(0, 2), zip]);
  // No room for it: it passes all the same.
  two.caches.full = true;
  const next = at("pyodide-2-89abcdef/a.wasm");
  two.network.set(next, () => response("passed"));
  assert.equal(await text(two.get(next)), "passed");
  assert.deepEqual(held(two), [...files.slice(0, 2), zip]);
});

test("what has no version in its address is of the network, if there is one", async () => {
  const worker = await new Worker("one").install();
  const list = `${SCOPE}_static/python/files.json`;
  worker.network.set(list, () => response("old"));
  await worker.tell([list]);
  worker.network.set(list, () => response("new"));
  assert.equal(await text(worker.get(list)), "new");
  worker.network.delete(list);
  assert.equal(await text(worker.get(list)), "old");
  await assert.rejects(worker.get(`${SCOPE}_static/never.js`), TypeError);
});

test("the end takes what this book has kept, and nothing of another", async () => {
  const worker = await new Worker("one").install();
  await worker.tell();
  for (const name of ["/book/ python", "/book/part/ pages one", "/ pages one"]) await worker.caches.open(name);
  const end = new Worker("two", worker.caches, "ended");
  await end.send("activate");
  assert.deepEqual(await worker.caches.keys(), ["/book/part/ pages one", "/ pages one"]);
  assert.equal(end.isEnded, true);
});
