// Widgets of the page and their twins in Python: what one side changes, the other learns, once.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Links, packed, unpacked } from "../../_python/page/links.js";

const numbers = (...values) => new DataView(new Float64Array(values).buffer);
const read = (view) => [...new Float64Array(view.buffer, view.byteOffset, view.byteLength / 8)];

/** A widget's model as the page has it. */
function model(state, moved = []) {
  return {
    state, moved: new Set(moved), onsave: null, received: [],
    get: (name) => state[name],
    receive(change) { this.received.push(change); Object.assign(state, change); },
  };
}

/** What Python is sent, each message answered when the test says so. */
function post() {
  const sent = [];
  const waiting = [];
  const send = (change) => {
    sent.push(change);
    return new Promise((done, fail) => waiting.push({ done, fail }));
  };
  const next = async (how = "done") => {
    waiting.shift()[how](new Error("ended"));
    await new Promise(setImmediate);
  };
  return { sent, send, next, links: new Links(send) };
}

test("bytes travel apart from the other traits", () => {
  const { state, buffers } = packed(model({ T: "inf", values: numbers(1, 2), words: ["a"] }), ["T", "values", "words"]);
  assert.deepEqual(state, { T: "inf", words: ["a"] });
  assert.deepEqual(buffers.map(({ path }) => path), [["values"]]);
  assert.deepEqual([...new Float64Array(buffers[0].data)], [1, 2]);
  const whole = unpacked({ state, buffers });
  assert.deepEqual(read(whole.values), [1, 2]);
  assert.deepEqual(whole.words, ["a"]);
});

test("bytes are put where their path leads, and are a copy of Python's memory", () => {
  const memory = new Uint8Array(new Float64Array([0, 3, 4, 0]).buffer);
  const view = memory.subarray(8, 24);
  const whole = unpacked({ state: { graph: { parts: [{}] } }, buffers: [{ path: ["graph", "parts", 0, "edges"], data: view }] });
  memory.fill(0);
  assert.deepEqual(read(whole.graph.parts[0].edges), [3, 4]);
  assert.deepEqual(unpacked({ state: { T: 1 } }), { T: 1 });
});

test("what the reader had moved is told when Python makes the twin, and what is saved later", async () => {
  const { sent, next, links } = post();
  const one = model({ T: 2, query: "Book", tie: true }, ["T"]);
  links.bind("m1", one);
  assert.deepEqual(sent, [{ model: "m1", state: { T: 2 }, buffers: [] }]);
  await next();
  one.onsave(["query"]);
  assert.deepEqual(sent[1].state, { query: "Book" });
  links.bind("m2", model({ T: 1 }));
  assert.equal(sent.length, 2); // nothing was moved there
});

test("while Python is busy only the last position waits", async () => {
  const { sent, next, links } = post();
  const one = model({ T: 0, tie: false });
  links.bind("m1", one);
  for (const T of [1, 2, 3]) {
    one.state.T = T;
    one.onsave(["T"]);
  }
  one.onsave(["tie"]);
  assert.deepEqual(sent.map(({ state }) => state), [{ T: 1 }]);
  await next();
  assert.deepEqual(sent.slice(1).map(({ state }) => state), [{ T: 3, tie: false }]);
  await next();
  one.onsave(["T"]);
  assert.equal(sent.length, 3); // the queue is free again
});

test("what Python sets is shown, but for what the reader moves meanwhile", async () => {
  const { next, links } = post();
  const one = model({ T: 1, query: "A" });
  links.bind("m1", one);
  links.take({ model: "m1", state: { T: 5, query: "The" }, buffers: [] });
  assert.deepEqual(one.received, [{ T: 5, query: "The" }]);
  one.onsave(["T"]); // on its way
  one.onsave(["T"]); // waits
  links.take({ model: "m1", state: { T: 7, query: "Book" }, buffers: [] });
  assert.deepEqual(one.received[1], { query: "Book" });
  await next();
  await next();
  links.take({ model: "m1", state: { T: 9 }, buffers: [] });
  assert.deepEqual(one.received[2], { T: 9 });
  links.take({ model: "nobody", state: { T: 9 }, buffers: [] });
});

test("a twin that is made again has the widget to itself", async () => {
  const { sent, next, links } = post();
  const [old, one] = [model({ T: 1, tie: true }), model({ T: 2 }, ["T"])];
  links.bind("m1", old);
  old.onsave(["T"]);
  old.onsave(["tie"]);
  links.bind("m1", one);
  await next();
  await next();
  // What waited was of the one before.
  assert.deepEqual(sent.map(({ state }) => state), [{ T: 1 }, { T: 2 }]);
});

test("when Python is ended nothing more is told", async () => {
  const { sent, next, links } = post();
  const one = model({ T: 1 });
  links.bind("m1", one);
  one.onsave(["T"]);
  one.onsave(["T"]);
  await next("fail");
  assert.equal(sent.length, 1);
  one.onsave(["T"]);
  assert.equal(sent.length, 2); // and a Python that starts again hears
  links.clear();
  assert.equal(one.onsave, null);
  links.take({ model: "m1", state: { T: 3 }, buffers: [] });
  assert.deepEqual(one.received, []);
});
