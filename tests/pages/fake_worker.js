/**
 * Stands in for Python's worker where Python is not the question: it speaks the same messages, and
 * does what the lines of a cell say. `cues` comes from the test that serves it.
 */
/* global cues */
const say = (message) => postMessage(message);
/** Until the test says so, however slow the machine is. */
const held = () =>
  new Promise((go) => {
    new BroadcastChannel("go").onmessage = go;
  });
const WIDGET = "application/vnd.attnutils.widget+json";
const own = new Set();
const print = (id, text) => say({ id, kind: "stream", name: "stdout", data: `${text}\n` });

/** Lines of a cell and what they do; all others do nothing. */
const lines = [
  [/^print\("(.*)"\)$/, print],
  [/^html\("(.*)"\)$/, (id, data) => say({ id, kind: "display", name: "text/html", data })],
  [
    /^check\("([\w-]+)", answer\)$/,
    (id) =>
      print(
        id,
        own.has("answer = 1")
          ? "right: well done."
          : own.has("answer = ...")
            ? "unanswered: put your answer for ..."
            : "not yet: try 1",
      ),
  ],
  [
    /^widget\((.*)\)$/,
    (id, text) => say({ id, kind: "display", name: WIDGET, data: JSON.parse(text) }),
  ],
  [
    /^move\("(\w+)"\)$/,
    (_, model) => say({ kind: "widget", model, state: { temperature: 10 }, buffers: [] }),
  ],
  [
    /^ask\("(.*)"\)$/,
    (id, address) =>
      fetch(address, { mode: "no-cors" }).then(
        () => print(id, "it came"),
        (error) => print(id, `refused: ${error.message}`),
      ),
  ],
  [/^loop\(\)$/, () => new Promise(() => {})],
  [/^hold\(\)$/, held],
];

const asks = {
  start({ id }) {
    if (cues.fails) throw new Error(cues.fails);
    say({ id, kind: "progress", stage: "starting", loaded: 0, total: 0 });
    return { version: "fake" };
  },
  names({ source }) {
    const defines = [...source.matchAll(/^(\w+) = /gm)].map(([, name]) => name);
    return { defines, takes: source.match(/\w+/g).filter((word) => !defines.includes(word)) };
  },
  async run({ id, source, name, silent }) {
    if (silent) {
      for (const data of cues.shows?.[name] ?? []) say({ id, kind: "display", name: WIDGET, data });
      return { error: "", line: 0, ms: 1 };
    }
    for (const [number, line] of source.split("\n").entries()) {
      own.add(line);
      if (line.startsWith("fail")) {
        return {
          error: `Traceback\n  line ${number + 1}\nNameError: ${line}\n`,
          line: number + 1,
          ms: 1,
        };
      }
      const [pattern, act] = lines.find(([pattern]) => pattern.test(line)) ?? [];
      if (act) await act(id, pattern.exec(line)[1]);
    }
    own.clear();
    return { error: "", line: 0, ms: 120 };
  },
  reset: () => ({}),
  widget: () => ({}),
};

let last = Promise.resolve();
onmessage = ({ data }) => {
  last = last.then(async () => {
    try {
      say({ id: data.id, done: await asks[data.ask](data) });
    } catch (error) {
      say({ id: data.id, failed: error.message });
    }
  });
};
