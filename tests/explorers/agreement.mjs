// What scripts compute, for test_agreement.py, which compares it with Python. Each function here has
// the name of the agreement there, and takes what that yields. Reads all of it as JSON, and prints
// JSON; infinite numbers travel as "inf" and come back as their names.
import { readFileSync } from "node:fs";

import "./document.mjs";

import { attendAll } from "../../attnbook/explorers/attention/widget.js";
import { attend, attendsMost } from "../../attnbook/explorers/attention_bench/widget.js";
import { answerWith } from "../../attnbook/explorers/binding/widget.js";
import * as bugs from "../../attnbook/explorers/bug_game/widget.js";
import { softmax, sum, temperatureUnder } from "../../attnbook/explorers/core/compute.js";
import { cellText, inkOn, weightColor, weightText } from "../../attnbook/explorers/core/format.js";
import { readNumber, writeNumber } from "../../attnbook/explorers/core/traits.js";
import { receive } from "../../attnbook/explorers/graph_attention/widget.js";
import { modelFrom, readLetters } from "../../attnbook/explorers/induction/widget.js";
import { regress } from "../../attnbook/explorers/kernel_regression/widget.js";
import * as leaks from "../../attnbook/explorers/leak_game/widget.js";
import * as queries from "../../attnbook/explorers/learned_queries/widget.js";
import { rowsThatFit, stepsOf } from "../../attnbook/explorers/memory/widget.js";
import { readBlocks, stepAt } from "../../attnbook/explorers/online_softmax/widget.js";
import {
  encodingMatrix,
  similarityTo,
} from "../../attnbook/explorers/positional_encoding/widget.js";
import { attendFrom } from "../../attnbook/explorers/projection/widget.js";
import { shares } from "../../attnbook/explorers/rotary_bench/widget.js";
import { NORMALIZERS, atTemperature } from "../../attnbook/explorers/temperature/widget.js";
import { reversal, trainer } from "../../attnbook/explorers/training/trainer.js";
import { lookBack } from "../../attnbook/explorers/translator/widget.js";
import { drawn as drawnAtWidth } from "../../attnbook/explorers/width/widget.js";
import { attendBy } from "../../attnbook/explorers/winner/widget.js";
import { outputsOf } from "../../attnbook/explorers/word_order/widget.js";
import {
  drawAt,
  drawn,
  meanOf,
  reader,
  symbolsOf,
  unpacked,
} from "../../attnbook/explorers/writing/widget.js";

const bytesOf = (text) => new DataView(Uint8Array.from(Buffer.from(text, "base64")).buffer);

const each = (compute) => (all) => all.map((one) => compute(...one));

// Reads texts as states and writes them again. Arrays travel as base64.
async function address({ folder, traits, state: given, buffers, values, pairs }) {
  const { default: make } = await import(`../../attnbook/explorers/${folder}/widget.js`);
  const { read, write } = make(traits).address;
  const text = (value) =>
    value instanceof DataView ? { bytes: Buffer.from(value.buffer).toString("base64") } : value;
  const state = { ...given };
  for (const { path, data } of buffers) state[path[0]] = bytesOf(data);
  const start = { get: (name) => state[name] };
  const names = Object.values(traits).flatMap(([, name]) => name || []);
  return [
    ...names.flatMap((name) => values.map((value) => [[name, value]])),
    ...pairs.map(([a, b]) => names.map((name, i) => [name, i % 2 ? a : b])),
  ].map((these) => {
    const asked = String(new URLSearchParams(these));
    const found = read(asked, start);
    const written = write({ get: (name) => found[name] ?? state[name] }, start);
    const again = read(written, start);
    const all = (values) => Object.entries(values).map(([name, x]) => [name, text(x)]);
    return { asked, written, state: all(found), again: all(again) };
  });
}

const computes = {
  normalizers: ([all, masks, temperatures, at, weights]) => [
    all.map((scores) =>
      temperatures.map((t) =>
        Object.keys(NORMALIZERS).map((name) => {
          const { weights: found, entropy } = atTemperature(scores, [], name, t);
          return [...found, entropy];
        }),
      ),
    ),
    masks.map((mask) => temperatures.map((t) => softmax(all[0], t, mask))),
    at.map(temperatureUnder),
    temperatures.map((t) => readNumber(writeNumber(t)) === t),
    weights.map(cellText),
    weights.map((w) => weightText(w)),
  ],
  colours: (amounts) => [
    amounts.map(weightColor),
    ...[false, true].map((isDark) => amounts.map((w) => inkOn(w, isDark))),
  ],
  AttentionBench: each((q, keys, values, mask, score, temperature, query, asked) => {
    const bench = { q, keys, values, mask, score, temperature, query };
    const found = attend(bench);
    return { ...found, isMet: asked && attendsMost(bench, found, 5, 2) ? 1 : 0 };
  }),
  AttentionExplorer: each((...given) => ({
    shares: attendAll(...given).map(({ weights }) => weights),
  })),
  BindingExplorer: each(answerWith),
  GraphAttentionExplorer: each((receivers, scores, temperature, n) => {
    const weights = receivers.map(() => NaN);
    for (let receiver = 0; receiver < n; receiver++) {
      const heard = receive(receivers, scores, receiver, temperature);
      heard.edges.forEach((edge, i) => {
        weights[edge] = heard.weights[i];
      });
    }
    return { weights };
  }),
  InductionExplorer: each((bytes, sizes, symbols, heads) =>
    readLetters(modelFrom(bytesOf(bytes), sizes), symbols, heads),
  ),
  KernelRegressionExplorer: each((x, y, query, sigma) => regress(x, y, query, sigma * sigma)),
  LearnedQueriesExplorer: each(queries.read),
  ProjectionExplorer: each(attendFrom),
  RotaryBench: each((query_vector, key_vector, base) => ({
    scores: Array.from({ length: 127 }, (_, n) =>
      sum(shares({ query_vector, key_vector, base }, n - 63)),
    ),
  })),
  TranslatorExplorer: each(lookBack),
  WidthExplorer: each(drawnAtWidth),
  WinnerExplorer: each(attendBy),
  WordOrderExplorer: each((...given) => ({ outputs: outputsOf(...given) })),
  memory: each((n, fast, tiled) =>
    stepsOf(n, rowsThatFit(fast), tiled).map(({ bytes, work }) => [bytes, work]),
  ),
  bugs: (cases) => [
    bugs.SUSPECTS,
    bugs.NAMES,
    cases.map(([q, k, v]) =>
      bugs.SUSPECTS.map((name) =>
        bugs.NAMES.map((_, p) => bugs.probed(name, p, bugs.openInput(q, k, v))),
      ),
    ),
  ],
  learning: each(queries.gradients),
  leak: (cases) => cases.map((x) => leaks.SUSPECTS.map((name) => [name, leaks.outputsOf(name, x)])),
  online_softmax: ([cases, moves]) => [
    cases.map(([scores, values]) =>
      [true, false].map((correct) =>
        scores.map((_, i) =>
          readBlocks(scores, values, i + 1, correct).map((state) => [
            state.maximum,
            state.correction,
            state.total,
            state.output,
            ...state.terms,
          ]),
        ),
      ),
    ),
    moves.map(([block, step, next]) => stepAt(7, Math.min(7, step * block), next)),
  ],
  positional: each((facts) => ({
    matrix: [...encodingMatrix(facts)],
    similar: [0, facts.length - 1].map((i) => similarityTo(facts, i)),
  })),
  training: async ({ runs, example }) => {
    const model = reversal();
    const { loss, gradients } = model.backward(model.drawn(3), model.minibatch(3, 7), true);
    return [
      await Promise.all(
        runs.map((run) => {
          const found = []; // a branch is told after its trunk
          return new Promise((done) => {
            const take = ({ leg, stages }) => {
              for (const stage of stages) found[stage.step] = stage;
              if (leg === run.branch) done(found);
            };
            const receive = trainer(reversal(), take, Infinity);
            receive({ id: 0, run: { ...run, example }, to: 10 });
          });
        }),
      ),
      [loss, ...gradients],
    ];
  },
  writing: ({ parameters, models, alphabet, cases, text }) => {
    const view = bytesOf(parameters);
    const letters = [...alphabet];
    let end = 0;
    const readers = models.map(({ d, d_ff: ff }) => {
      const model = unpacked(view, end, { symbols: letters.length, d, ff, blocks: 2 });
      end = model.end;
      return reader(model, 4);
    });
    const found = cases.map(({ at, read, heads, mask }) => {
      const { logits, weights } = readers[at](symbolsOf(read, letters), 0, heads, mask);
      return { logits, weights, look: meanOf(weights, heads) };
    });
    const computed = [];
    for (let i = 0; i < 70; i++) {
      const all = symbolsOf(`\n${text}`, letters);
      const start = Math.max(0, all.length - 64);
      const now = readers[0](all.slice(start), start, Array(8).fill(1), true);
      computed.push([now.computed, now.symbols.length]);
      text += letters[drawn(softmax(now.logits, 1), drawAt(5, text.length))];
    }
    return { found, text, computed };
  },
};

const infinite = (_, x) => (x === "inf" ? Infinity : x === "-inf" ? -Infinity : x);
const finite = (_, x) => (typeof x === "number" && !Number.isFinite(x) ? String(x) : x);
const found = {};
for (const [name, given] of Object.entries(JSON.parse(readFileSync(0, "utf8")))) {
  try {
    // An address is read from states as they travel.
    found[name] = {
      got: given.folder
        ? await address(given)
        : await computes[name](JSON.parse(JSON.stringify(given), infinite)),
    };
  } catch (error) {
    found[name] = { error: error.stack };
  }
}
console.log(JSON.stringify(found, finite));
