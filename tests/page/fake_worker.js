/**
 * Stands in for Python's worker where Python is not the question: it speaks the same messages, and
 * does what the lines of a cell say. `cues` comes from the test that serves it.
 */
/* global cues */
const say = (message) => postMessage(message);
/** Until the test says so, however slow the machine is. */
const held = () => new Promise((go) => { new BroadcastChannel("go").onmessage = go; });
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const DRAWING = '<div class="drawing" style="--beside:9;--gaps:0px;--least:1px;--most:2px">' +
  '<svg viewBox="0 0 9 9" style="--w:9"><defs><path id="run-mark" d="M0 0h9v9"/></defs>' +
  '<use href="#run-mark" style="fill:var(--q)"/><use href="https://elsewhere.invalid/a.svg#b"/></svg></div>';
const own = new Set();

/** Lines of a cell and what they do; all others do nothing. */
const lines = [
  [/^print\((\d+)\)$/, (id, count) => {
    for (let n = 1; n <= Number(count); n++) say({ id, kind: "stream", name: "stdout", data: `${n}\n` });
  }],
  [/^print\("(.*)"\)$/, (id, text) => say({ id, kind: "stream", name: "stdout", data: `${text}\n` })],
  [/^warn\("(.*)"\)$/, (id, text) => say({ id, kind: "stream", name: "stderr", data: `${text}\n` })],
  [/^html\("(.*)"\)$/, (id, data) => say({ id, kind: "display", name: "text/html", data })],
  [/^figure\(\)$/, (id) => say({ id, kind: "display", name: "image/svg+xml", data: DRAWING })],
  [/^picture\(\)$/, (id) => say({ id, kind: "display", name: "image/png", data: PIXEL })],
  [/^check\("([\w-]+)", answer\)$/, (id) => {
    const text = own.has("answer = 1") ? "right: well done." : own.has("answer = ...") ? "unanswered: put your answer for ..." : "not yet: try 1";
    say({ id, kind: "stream", name: "stdout", data: `${text}\n` });
  }],
  [/^widget\((.*)\)$/, (id, text) => {
    const data = JSON.parse(text);
    data.buffers = data.buffers.map(({ path, bytes }) => (
      { path, data: Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)).buffer }));
    say({ id, kind: "display", name: "application/vnd.attnutils.widget+json", data });
  }],
  [/^move\("(\w+)"\)$/, (_, model) => say({ kind: "widget", model, state: { temperature: 10 }, buffers: [] })],
  [/^ask\("(.*)"\)$/, (id, address) => fetch(address, { mode: "no-cors" }).then(
    () => say({ id, kind: "stream", name: "stdout", data: "it came" }),
    (error) => say({ id, kind: "stream", name: "stdout", data: `refused: ${error.message}` }))],
  [/^vanish\(\)$/, () => { close(); return new Promise(() => {}); }],
  [/^vanish_later\(\)$/, () => { held().then(() => close()); }],
  [/^loop\(\)$/, () => new Promise(() => {})],
  [/^hold\(\)$/, held],
  [/^break_down\((.*)\)$/, (_, text) => { throw new Error(text); }],
];

const asks = {
  hold: ({ lock }) => new Promise((held) => {
    navigator.locks.request(lock, () => (held({}), new Promise(() => {})));
  }),
  async start({ id }) {
    if (cues.start === "no files") throw new Error("load pyodide.asm.wasm: 404");
    for (const share of [0.2, 0.6, 1]) {
      const tell = () => say({ id, kind: "progress", stage: "files", loaded: 9e6 * share, total: 9e6 });
      tell();
      if (cues.start !== "holds") continue;
      const again = setInterval(tell, 50); // who comes later is told too, as when files trickle in
      await held();
      clearInterval(again);
    }
    say({ id, kind: "progress", stage: "starting", loaded: 0, total: 0 });
    return { version: "fake" };
  },
  names({ source }) {
    const defines = [...source.matchAll(/^(\w+) = /gm)].map(([, name]) => name);
    return { defines, takes: source.match(/\w+/g).filter((word) => !defines.includes(word)) };
  },
  async run({ id, source, name, silent }) {
    if (silent) {
      for (const data of cues.shows?.[name] ?? []) {
        say({ id, kind: "display", name: "application/vnd.attnutils.widget+json", data });
      }
      if (cues.fails === name) return { error: "NameError: on purpose\n", line: 1, ms: 1 };
      return { error: "", line: 0, ms: 1 };
    }
    for (const [number, line] of source.split("\n").entries()) {
      own.add(line);
      if (line.startsWith("fail")) {
        return { error: `Traceback\n  line ${number + 1}\nNameError: ${line}\n`, line: number + 1, ms: 1 };
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
