// Widgets of the page and their twins in Python: what one side changes, the other learns, once.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Links, packed, unpacked } from "../../book/python/page/links.js";

const numbers = (...values) => new DataView(new Float64Array(values).buffer);
const read = (view) => [...new Float64Array(view.buffer, view.byteOffset, view.byteLength / 8)];
/** A widget's model as the page has it. */
const model = (state, moved = []) => ({
  state,
  moved: new Set(moved),
  onsave: null,
  received: [],
  get: (name) => state[name],
  receive(change) {
    this.received.push(change);
    Object.assign(state, change);
  },
});
/** What Python is sent, each message answered when the test says so. */
function post() {
  const [sent, waiting] = [[], []];
  const send = (change) => {
    sent.push(change);
    return new Promise((done, fail) => waiting.push({ done, fail }));
  };
  const next = async (how = "done") => {
    waiting.shift()[how](new Error("ended"));
    await new Promise(setImmediate);
  };
  return { sent, states: () => sent.map(({ state }) => state), next, links: new Links(send) };
}

test("bytes travel apart from the other traits, and are a copy of Python's memory", () => {
  const { state, buffers } = packed(model({ T: "inf", values: numbers(1, 2), words: ["a"] }), [
    "T",
    "values",
    "words",
  ]);
  assert.deepEqual(state, { T: "inf", words: ["a"] });
  assert.deepEqual(
    buffers.map(({ path }) => path),
    [["values"]],
  );
  assert.deepEqual(read(unpacked({ state, buffers }).values), [1, 2]);
  const memory = new Uint8Array(new Float64Array([0, 3, 4, 0]).buffer);
  const data = memory.subarray(8, 24);
  const whole = unpacked({
    state: { graph: { parts: [{}] } },
    buffers: [{ path: ["graph", "parts", 0, "edges"], data }],
  });
  memory.fill(0);
  assert.deepEqual(read(whole.graph.parts[0].edges), [3, 4]);
  assert.deepEqual(unpacked({ state: { T: 1 } }), { T: 1 });
});

test("what was moved is told when the twin is made, then what is saved; while Python is busy the last waits", async () => {
  const { sent, states, next, links } = post();
  const one = model({ T: 2, query: "Book", tie: true }, ["T"]);
  links.bind("m1", one);
  assert.deepEqual(sent, [{ model: "m1", state: { T: 2 }, buffers: [] }]);
  for (const T of [3, 4, 5]) {
    one.state.T = T;
    one.onsave(["T"]);
  }
  one.onsave(["tie"]);
  assert.equal(sent.length, 1);
  await next();
  await next();
  assert.deepEqual(states().slice(1), [{ T: 5, tie: true }]);
  one.onsave(["T"]);
  links.bind("m2", model({ T: 1 }));
  assert.equal(sent.length, 3, "the queue is free again, and nothing was moved in m2");
});

test("what Python sets is shown, but for what the reader moves meanwhile", async () => {
  const { next, links } = post();
  const one = model({ T: 1, query: "A" });
  const take = (state, id = "m1") => links.take({ model: id, state, buffers: [] });
  links.bind("m1", one);
  take({ T: 5, query: "The" });
  one.onsave(["T"]); // on its way
  one.onsave(["T"]); // waits
  take({ T: 7, query: "Book" });
  await next();
  await next();
  take({ T: 9 });
  take({ T: 11 }, "nobody");
  assert.deepEqual(one.received, [{ T: 5, query: "The" }, { query: "Book" }, { T: 9 }]);
});

test("a twin that is made again has the widget to itself", async () => {
  const { states, next, links } = post();
  const old = model({ T: 1, tie: true });
  links.bind("m1", old);
  old.onsave(["T"]);
  old.onsave(["tie"]);
  links.bind("m1", model({ T: 2 }, ["T"]));
  await next();
  await next();
  assert.deepEqual(states(), [{ T: 1 }, { T: 2 }], "what waited was of the one before");
});

test("when Python is ended nothing more is told, and one that starts again hears", async () => {
  const { sent, next, links } = post();
  const one = model({ T: 1 });
  links.bind("m1", one);
  one.onsave(["T"]);
  one.onsave(["T"]);
  await next("fail");
  assert.equal(sent.length, 1);
  one.onsave(["T"]);
  assert.equal(sent.length, 2);
  links.clear();
  links.take({ model: "m1", state: { T: 3 }, buffers: [] });
  assert.deepEqual([one.onsave, one.received], [null, []]);
});
