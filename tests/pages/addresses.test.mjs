// What readers move in an explorer, as the text of an address and back.
import assert from "node:assert/strict";
import { test } from "node:test";

import "../explorers/document.mjs";

import attentionOf from "../../attnbook/explorers/attention/widget.js";
import benchOf from "../../attnbook/explorers/attention_bench/widget.js";
import graphOf from "../../attnbook/explorers/graph_attention/widget.js";

const model = (state) => ({ get: (name) => state[name] });
const bytes = (numbers) => new DataView(new Float64Array(numbers).buffer);
const numbers = ({ buffer }) => [...new Float64Array(buffer)];
// What readers move, as Python declares it, in that order.
const heat = ["real", "T", 0, "inf"];
const [bench, attention, graph] = [
  [
    benchOf,
    {
      words: ["plain", ""],
      scores: ["plain", ""],
      query: ["place", "query", "words"],
      key_matrix: ["numbers", "k"],
      query_vector: ["numbers", "q"],
      value_matrix: ["numbers", "v"],
      mask: ["plain", "mask"],
      score: ["oneOf", "score", ["dot"]],
      temperature: heat,
    },
  ],
  [
    attentionOf,
    {
      sentences: ["plain", ""],
      axes: ["plain", ""],
      masks: ["plain", ""],
      sentence: ["plain", "sentence"],
      index: ["plain", "at"],
      token: ["plain", "token"],
      temperature: heat,
      mask: ["plain", "mask"],
      order: ["plain", "order"],
      by_length: ["flag", "length"],
    },
  ],
  [
    graphOf,
    {
      names: ["plain", ""],
      mechanisms: ["plain", ""],
      mechanism: ["plain", "by"],
      receiver: ["place", "node", "names"],
      head: ["plain", "head"],
      temperature: heat,
    },
  ],
].map(([widget, declared]) => widget(declared));

const BENCH = {
  words: ["The", "Book", "A", "A"],
  scores: ["dot", "scaled_dot"],
  query: 1,
  query_vector: bytes([2, 0]),
  key_matrix: bytes([1, 0, 2, 0, 0, 1, 1, 1]),
  value_matrix: bytes([0, 0.1, 0.2, 0.3]),
  mask: [true, true, true, true],
  score: "dot",
  temperature: 1,
};
const start = model(BENCH);
const readBench = (text) => {
  const state = bench.address.read(text, start);
  return {
    ...state,
    q: numbers(state.query_vector),
    k: numbers(state.key_matrix),
    v: numbers(state.value_matrix),
  };
};

test("an address says what is other than at the start", () => {
  assert.equal(bench.address.write(start, start), "");
  const text = (change) => bench.address.write(model({ ...BENCH, ...change }), start);
  assert.equal(text({ temperature: 0.2, mask: [true, true, false, true] }), "mask=1101&T=0.2");
  assert.equal(text({ temperature: "inf" }), "T=inf");
  assert.equal(text({ query: 0, query_vector: bytes([1, 0]) }), "query=The");
  assert.equal(text({ query: 3, query_vector: bytes([1, 1]) }), "query=A@3");
  assert.equal(text({ query_vector: bytes([2, -0.5]) }), "q=2,-0.5");
});

test("what is said comes back, and the rest is as at the start", () => {
  const { query, q, k, v, mask, temperature } = readBench("query=A@2&T=inf&v=1,2,3,1e-7");
  assert.deepEqual(
    { query, q, temperature, v },
    { query: 2, q: [0, 1], temperature: "inf", v: [1, 2, 3, 1e-7] },
  );
  assert.deepEqual([k, mask], [[1, 0, 2, 0, 0, 1, 1, 1], BENCH.mask]);
});

test("what does not fit is ignored, and the rest is honoured", () => {
  const calm = readBench("");
  assert.deepEqual(
    { q: calm.q, query: calm.query, T: calm.temperature },
    { q: [2, 0], query: 1, T: 1 },
  );
  for (const text of [
    "T=NaN",
    "T=-1",
    "T=",
    "T=0x10",
    "T=1e",
    "T=%E0%A4%A",
    "T=1,2",
    "T=[object Object]",
    "T=%00",
    "query=<img src=x onerror=alert(1)>",
    "query=A",
    "query=Book@0",
    "query=@1",
    "query=A@9",
    "query=__proto__",
    "query=constructor",
    "query=toString",
    "__proto__=1",
    "constructor=1",
    "toString=x",
    "hasOwnProperty=1",
    "score=gaussian",
    "score=constructor",
    "mask=2222",
    "mask=111",
    "mask=11111",
    "mask=",
    "mask=true",
    "q=1",
    "q=1,2,3",
    "q=NaN,1",
    "q=inf,1",
    "q=1e7,1",
    "q=1;2",
    "k=1,2",
    "v=,,,",
    "nonsense",
    "=",
    "&&&",
    "%",
    `query=${"x".repeat(10_000)}`,
    `q=${"1,".repeat(5000)}`,
  ]) {
    assert.deepEqual(readBench(text), calm, text);
    const { temperature, query, ...rest } = readBench(
      text.startsWith("T") ? `query=The&${text}` : `T=0.5&${text}`,
    );
    assert.ok(text.startsWith("T") ? query === 0 : temperature === 0.5, text);
    assert.equal(Object.getPrototypeOf(rest), Object.prototype);
  }
});

test("a setting that depends on another follows it", () => {
  const sentences = [
    { name: "a long one", tokens: ["the", "cat", "saw", "the", "dog"] },
    { name: "short", tokens: ["a", "dog"] },
  ];
  const traits = {
    sentences,
    key_tokens: [],
    axes: [
      { name: "layer", labels: [0, 1] },
      { name: "head", labels: ["a, b", "c"] },
    ],
    masks: ["none", "causal"],
    by_length: false,
    sentence: "a long one",
    index: [0, 1],
    token: 3,
    temperature: 1,
    mask: "none",
    order: [0, 1, 2, 3, 4],
  };
  const read = (text) => attention.address.read(text, model(traits));
  assert.deepEqual([read("sentence=short").token, read("sentence=short").order], [0, [0, 1]]);
  assert.equal(read("sentence=short&token=dog").token, 1);
  assert.equal(read("token=the").token, 3, "there are two");
  assert.deepEqual(read("at=1,a;+b").index, [1, 0]);
  for (const text of [
    "at=1",
    "at=1,2,3",
    "at=2,c",
    "order=0,1",
    "order=0,0,1,2,3",
    "order=0,1,2,3,4.5",
  ]) {
    assert.deepEqual(read(text), read(""), text);
  }
  const write = (change) => attention.address.write(model({ ...traits, ...change }), model(traits));
  assert.equal(write({ sentence: "short", token: 1, order: [0, 1] }), "sentence=short&token=dog");
  assert.equal(write({ index: [1, 0], by_length: true }), "at=1,a%3B+b&length=1");
  const nodes = {
    names: ["Ann"],
    receiver: 0,
    mechanisms: [
      { name: "dot", heads: 1 },
      { name: "GAT", heads: 2 },
    ],
    mechanism: "GAT",
    head: 1,
    temperature: 1,
  };
  assert.deepEqual(
    ["", "by=dot", "head=2"].map((text) => graph.address.read(text, model(nodes)).head),
    [1, 0, 1],
  );
});
