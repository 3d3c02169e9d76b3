// @ts-check
/** What is said to the reader, each sentence once. */

export const words = {
  files:
    "Python’s files did not come. They are fetched once, so this takes a connection; then press Run again.",
  memory:
    "That took more memory than a page has, so Python was ended, and its variables are gone. Try something smaller.",
  broken: "Python broke and was ended; its variables are gone. The next run starts it again.",
  browser:
    "This browser is too old to run Python. The rocket at the top opens this page elsewhere.",
  stopped: "Stopped. Python’s variables are gone; the next run makes those that it needs again.",
  notRun: "Not run: Python was stopped.",
  waiting: "Waits for the cell before it.",
  starting: "Starting Python …",
  running: "Running …",
  ready: "Python is ready.",
  earlier: "A cell that runs before this one failed:",
  over: "Started over. Undo in the editor brings your text back.",
  back: "Your text is back. It is not run yet.",
  elsewhere: "Another tab has changed this cell. Undo in the editor brings your text back.",
  forgot: "Python’s variables are forgotten.",
  unkept:
    "What you write is not kept: this browser keeps nothing for this page, or its store is full.",
  keys: "Shift+Enter runs, Tab indents, Esc leaves.",
};

/** @param {number} bytes */
export const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** @param {number} n @param {number} of */
export const earlier = (n, of) => `Running ${n} of ${of} earlier cell${of === 1 ? "" : "s"} …`;

/** @param {string} what @param {number} total */
export const getting = (what, total) => `Getting ${what}, ${megabytes(total)} MB, once …`;

/** @param {number} ms */
export const took = (ms) => `Ran in ${ms < 95 ? "0.1" : (ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s.`;

/** What to say of what ended Python. @param {unknown} error */
export function reason(error) {
  const text = error instanceof Error ? error.message : String(error);
  if (/WebAssembly|CompileError/.test(text)) return words.browser;
  if (/memory|allocation|OOM/i.test(text)) return words.memory;
  if (/fetch|load|import|network|\b[45]\d\d\b/i.test(text)) return words.files;
  return words.broken;
}
