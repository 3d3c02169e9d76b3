// @ts-check
/**
 * The page as a notebook, from the first press on: cells with editors, Python, and what they say to
 * each other.
 */
import { Links, packed, unpacked } from "./links.js";
import { Output, make } from "./output.js";
import { Held, apart } from "./plan.js";
import { Python, Stopped } from "./python.js";
import { earlier, getting, megabytes, reason, took, words } from "./words.js";

/**
 * @typedef {import("./plan.js").Cell} Standing
 * @typedef {Omit<Standing, "text"> & {source: string, part?: string}} Entry
 * @typedef {import("./links.js").Slot} Slot
 * @typedef {import("./python.js").Part} Part
 * @typedef {HTMLElement & {book?: Node[]}} Box
 */

const root = document.documentElement;
const address = new URL(root.dataset.python ?? "", document.baseURI);
const base = new URL("./", address);
const version = address.searchParams.get("v") ?? "";
const page = location.pathname.replace(/^.*\/|\.html$/g, "");

const style = document.createElement("link");
style.rel = "stylesheet";
style.href = new URL(`notebook.css?v=${version}`, base).href;
document.head.append(style);

const python = new Python(base, version);

/** Let Python start beside the reader; where that fails the next run says why. */
function begin() {
  python.start().catch(() => {});
}

// The editor is a script of its own, larger than this one: Python starts while it comes.
begin();
/** @type {typeof import("./editor.js")} */
const { edit } = await import(
  new URL(`editor.js${new URL(import.meta.url).search}`, base).href
).catch((error) => {
  python.end(new Stopped());
  throw error;
});

const held = new Held();
const links = new Links((/** @type {any} */ change) => python.ask("widget", change));
python.onEnd = () => {
  held.forget();
  links.clear();
};
python.onWidget = (/** @type {import("./python.js").Change} */ change) => links.take(change);

/** What a screen reader hears, of whichever cell. */
const spoken = make("p", "run-spoken");
spoken.role = "status";
document.querySelector("main")?.append(spoken);

/** @type {Promise<Entry[]> | null} */
let entries = null;
function allEntries() {
  entries ??= fetch(new URL(`pages/${page}.json?v=${version}`, base)).then((response) => {
    if (!response.ok) throw new Error("load the page's cells");
    return response.json();
  });
  entries.catch(() => (entries = null));
  return entries;
}

/** @type {Promise<unknown>} */
let turn = Promise.resolve();
/** Cells that are run take turns. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
function inTurn(work) {
  const { lives } = python;
  const mine = turn.then(() => {
    if (lives !== python.lives) throw new Stopped(words.notRun);
    return work();
  });
  turn = mine.catch(() => {});
  return mine;
}

/** An earlier cell failed. */
class Failed extends Error {}

class Cell {
  /** @param {Box} box */
  constructor(box) {
    this.box = box;
    this.id = box.dataset.cell ?? "";
    this.code = /** @type {HTMLElement | null} */ (box.querySelector(".cell_input"));
    this.form = /** @type {HTMLFormElement | null} */ (box.querySelector(".run-form"));
    /** The book's text. */
    this.source = (box.book ?? [])
      .map((node) => node.textContent)
      .join("")
      .replace(/\n$/, "");
    /** What the reader ran in place of the book's text. @type {Standing | null} */
    this.own = null;
    this.busy = 0;
    /** The text that was last asked to run, until it has. @type {string | null} */
    this.pending = null;
    // The code may be folded; what it puts out is not.
    const above = this.code?.closest("details") ?? this.code ?? box;
    this.output = new Output(box, above, (slot, shown, nth) => this.mount(slot, shown, nth));
    /** @type {ReturnType<typeof edit> | null} */
    this.editor = null;
  }

  get text() {
    return (
      this.editor?.text() ?? this.code?.querySelector("pre")?.textContent?.replace(/\n$/, "") ?? ""
    );
  }

  // ---- what the reader sees ------------------------------------------------------------------

  /** Put the editor in the place of the code, and what goes with it below. */
  open() {
    if (this.editor || !this.code) return;
    const exercise = this.box.closest(".exercise")?.querySelector(".admonition-title")?.textContent;
    const keys = make("p", "run-keys", words.keys);
    keys.id = `run-keys-${this.id}`;
    const frame = make("div", "run-editor highlight");
    this.runButton = button("Run", () => this.run());
    this.stopButton = button("Stop", stop);
    this.stopButton.hidden = true;
    const more = button("⋯");
    const menu = make(
      "ul",
      "menu",
      make(
        "li",
        "",
        button("Run the whole page", () => (menu.hidePopover(), runAll(this))),
      ),
      make(
        "li",
        "",
        button("Forget all variables", () => (menu.hidePopover(), forget(this))),
      ),
    );
    menu.popover = "auto";
    menu.id = `run-menu-${this.id}`;
    more.setAttribute("popovertarget", menu.id);
    more.ariaLabel = "More";
    this.progress = document.createElement("progress");
    this.progress.hidden = true;
    this.progress.ariaLabel = "Files of Python";
    this.status = make("span", "run-status");
    const told = [this.progress, this.status];
    this.row = make(
      "div",
      "run-row",
      this.runButton,
      this.stopButton,
      button("Start over", () => this.startOver()),
      more,
      menu,
      ...told,
      keys,
    );
    // Where there is a form, the code is folded.
    this.form?.append(make("div", "run-row", this.stopButton, ...told));
    this.code.hidden = true;
    this.code.after(frame, this.row);
    this.editor = edit(frame, this.text, {
      label: exercise
        ? `Your answer to ${exercise.trim()}`
        : `Code cell ${cells.indexOf(this) + 1}`,
      describedBy: keys.id,
      run: (goOn) => {
        this.run();
        if (goOn && !exercise) goTo(cells.slice(cells.indexOf(this) + 1));
      },
      leave: () => this.runButton?.focus(),
      changed: () => this.changed(),
    });
  }

  /** @param {string} text @param {string} [heard] */
  say(text, heard = text) {
    if (this.status) this.status.textContent = text;
    if (this.progress) this.progress.hidden = true;
    if (heard) spoken.textContent = heard;
  }

  /** How far the files are that Python waits for. @param {Part} part */
  came({ stage, name, loaded, total }) {
    if (stage === "starting" || loaded >= total) {
      const next = stage === "package" ? words.running : words.starting;
      this.say(next, this.status?.textContent === next ? "" : next);
      return;
    }
    const what = stage === "package" ? name : "Python";
    const heard = getting(what, total);
    if (this.status)
      this.status.textContent = `${what}: ${megabytes(loaded)} of ${megabytes(total)} MB`;
    if (spoken.textContent !== heard) spoken.textContent = heard;
    if (this.progress) {
      this.progress.hidden = false;
      this.progress.max = total;
      this.progress.value = loaded;
    }
  }

  /** @param {1 | -1} by */
  count(by) {
    this.busy += by;
    if (!this.stopButton) return;
    const back = this.form?.querySelector("button") ?? this.runButton;
    if (!this.busy && this.stopButton === document.activeElement) back?.focus();
    this.stopButton.hidden = !this.busy;
  }

  // ---- what the reader wrote ------------------------------------------------------------------

  changed() {
    clearTimeout(this.saving);
    this.saving = window.setTimeout(() => this.save(), 300);
  }

  save() {
    clearTimeout(this.saving);
    this.saving = 0;
    const key = this.box.dataset.key ?? "";
    try {
      if (this.text === this.source) localStorage.removeItem(key);
      else localStorage.setItem(key, this.text);
      if (!(localStorage instanceof Storage)) throw new Error("refused");
    } catch {
      if (!Cell.isWarned) this.say(words.unkept);
      Cell.isWarned = true;
    }
    dispatchEvent(new Event("written"));
  }

  static isWarned = false;

  startOver() {
    if (this.busy) return;
    this.editor?.set(this.source);
    this.save();
    this.own = null;
    this.output.restore();
    this.say(words.over);
  }

  /** Show what is kept, which was written elsewhere. @param {string} words that say so */
  takeKept(words) {
    const kept = localStorage.getItem(this.box.dataset.key ?? "") ?? this.source;
    if (!this.editor || kept === this.text) return;
    this.editor.set(kept);
    clearTimeout(this.saving); // it is kept
    this.saving = 0;
    this.say(words);
  }

  // ---- running --------------------------------------------------------------------------------

  /** Run what stands in the editor, after what it needs; a second press for the same is none. */
  run() {
    if (this.pending === this.text) return;
    const text = (this.pending = this.text);
    this.editor?.mark(0);
    this.#busily(() => this.#run(text)).finally(() => {
      if (this.pending === text) this.pending = null;
    });
  }

  /** Start Python, and run what the cell needs, while the reader writes. */
  prepare() {
    return this.#busily(async () => {
      await this.#needs(await this.#standing(this.text), this);
      this.say(words.ready);
    });
  }

  /** @param {() => Promise<void>} work */
  async #busily(work) {
    this.count(1);
    if (running && running !== this) this.say(words.waiting);
    try {
      await inTurn(async () => {
        running = this;
        python.onProgress = (part) => this.came(part);
        await work().finally(() => {
          running = null;
          python.onProgress = () => {}; // what has failed, or is stopped, says that and no more
        });
      });
    } catch (error) {
      if (error instanceof Failed) return;
      if (!(error instanceof Stopped)) this.say(reason(error));
      else if (!error.message) this.say(words.stopped);
      else if (this.status?.textContent === words.waiting) this.say(words.notRun, ""); // the other one is heard
    } finally {
      this.count(-1);
    }
  }

  /** @param {string} text */
  async #run(text) {
    const cells = await this.#standing(text);
    await this.#needs(cells, this);
    this.say(words.running);
    await this.#show(...at(cells, this.id));
  }

  /** Run this cell for all to see. @param {Standing[]} cells @param {number} at */
  async #show(cells, at) {
    const { text } = cells[at];
    this.output.begin();
    let done;
    try {
      done = await python.ask("run", { source: text, name: this.id, silent: false }, (part) => {
        if (part.kind === "progress") this.came(part);
        else this.output.show(part);
      });
    } catch (error) {
      await this.output.end("");
      throw error;
    }
    held.note(cells, at, !done.error);
    await this.output.end(done.error);
    if (done.error) {
      this.editor?.mark(done.line);
      const [message] = done.error.trimEnd().split("\n").slice(-1);
      this.say(
        done.line ? `Line ${done.line} failed.` : "It failed.",
        `${done.line ? `Line ${done.line}: ` : ""}${message}`,
      );
      return;
    }
    this.own = text === this.source ? null : cells[at];
    this.form?.dispatchEvent(new Event("ran"));
    this.say(took(done.ms), this.output.spoken() || took(done.ms));
    const told = this.output.says;
    if (this.output.verdict === "not yet")
      this.box.dispatchEvent(new CustomEvent("erred", { bubbles: true, detail: { told } }));
    if (this.output.verdict === "right") {
      const given = { code: text, says: told };
      this.box.dispatchEvent(
        new CustomEvent("answered", { bubbles: true, detail: { shown: false, given } }),
      );
    }
  }

  /** The cells as they stand, this one with a text of its own. @param {string} text */
  async #standing(text) {
    if (!python.isReady) this.say(words.starting);
    const [all] = await Promise.all([allEntries(), python.start()]);
    const mine = all.findIndex(({ id }) => id === this.id);
    const cells = all.map(standing);
    if (text !== all[mine].source.trimEnd() || all[mine].part !== undefined) {
      const names = await python.ask("names", { source: text });
      cells[mine] = { id: this.id, text, ...names };
    }
    return apart(cells);
  }

  /** Run the earlier cells that this one needs. @param {Standing[]} cells @param {Cell} speaker */
  async #needs(cells, speaker) {
    const todo = held.missing(...at(cells, this.id));
    for (const [n, i] of todo.entries()) {
      speaker.say(earlier(n + 1, todo.length), n ? "" : earlier(n + 1, todo.length));
      await runSilently(cells, i, speaker);
    }
  }

  /** Run the whole page up to its end, as seen by this cell's reader. */
  runPage() {
    return this.#busily(async () => {
      const [all] = await Promise.all([allEntries(), python.start()]);
      for (const [i, { id, part }] of all.entries()) {
        const cell = cellOf(id);
        this.say(`Running cell ${i + 1} of ${all.length} …`, i ? "" : "Running the whole page.");
        if (!cell?.code || (part !== undefined && cell.text === cell.source)) {
          await runSilently(...at(apart(all.map(standing)), id), this);
        } else {
          await cell.#show(...at(await cell.#standing(cell.text), id));
          if (!held.ran.has(id)) {
            this.say(`Cell ${i + 1} failed; the cells after it were not run.`);
            return;
          }
        }
      }
      this.say("The whole page ran.");
    });
  }

  /** @param {string} error of an earlier cell */
  async fail(error) {
    this.output.begin();
    await this.output.end(error);
    this.say(words.earlier, `${words.earlier} ${error.trimEnd().split("\n").at(-1)}`);
  }

  // ---- widgets --------------------------------------------------------------------------------

  /** The places of the widgets that the cell shows now. @returns {Slot[]} */
  get slots() {
    return [...this.box.querySelectorAll(".cell_output:not([hidden]) .widget-slot")].map(
      (slot) => /** @type {Slot} */ (slot),
    );
  }

  /**
   * Show a widget that the cell has made, by the script that the book has for its class.
   * @param {Slot} slot @param {any} shown @param {number} nth
   */
  async mount(slot, shown, nth) {
    try {
      if (!/^\w+$/.test(shown.widget)) throw new Error("no class");
      const model = await /** @type {any} */ (window).mountWidget(
        slot,
        shown.widget,
        unpacked(shown),
      );
      links.bind(shown.model, model);
    } catch (error) {
      slot.replaceChildren(make("p", "", `The book has no picture of ${shown.widget}.`));
      console.error(error);
    }
  }
}

/** The cells, and which one this is. @param {Standing[]} cells @param {string} id @returns {[Standing[], number]} */
function at(cells, id) {
  return [cells, cells.findIndex((cell) => cell.id === id)];
}

/** @param {Entry} entry @returns {Standing} */
function standing({ source, part, ...entry }) {
  const { id, defines, imports } = entry;
  // Of an exercise that the reader has not run, others take what it imports.
  const book = { ...entry, text: part ?? source, takes: part === undefined ? entry.takes : [] };
  const own = cellOf(id)?.own ?? book;
  if (part === undefined || defines.every((name) => own.defines.includes(name))) return own;
  return {
    ...own,
    text: `${part}\n${own.text}`,
    defines: [...new Set([...defines, ...own.defines])],
    imports: { ...imports, ...own.imports },
  };
}

/** Run a cell for others. @param {Standing[]} cells @param {number} at @param {Cell} speaker */
async function runSilently(cells, at, speaker) {
  const { id, text } = cells[at];
  const slots = cellOf(id)?.slots ?? [];
  // Where the reader has moved something, it stays there.
  const moved = slots.map(({ model }) => (model ? packed(model, model.moved).state : {}));
  let nth = 0;
  const done = await python.ask(
    "run",
    { source: text, name: id, silent: true, widgets: { [id]: moved } },
    (part) => {
      if (part.kind === "progress") speaker.came(part);
      if (part.kind !== "display") return;
      const shown = typeof part.data === "string" ? JSON.parse(part.data) : part.data;
      const model = slots[nth++]?.model;
      if (model) links.bind(shown.model, model);
    },
  );
  held.note(cells, at, !done.error);
  if (!done.error) return;
  await speaker.fail(done.error);
  throw new Failed();
}

/** The cell whose turn it is. @type {Cell | null} */
let running = null;
/** @type {Cell[]} */
const cells = [...document.querySelectorAll("[data-cell]")].map(
  (box) => new Cell(/** @type {Box} */ (box)),
);

/** @param {string} id */
function cellOf(id) {
  return cells.find((cell) => cell.id === id);
}

/** @param {string} text @param {() => void} [act] */
function button(text, act = () => {}) {
  const made = /** @type {HTMLButtonElement} */ (make("button", "", text));
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

/** End what runs; Python starts again. */
function stop() {
  python.end(new Stopped());
  begin();
}

/** @param {Cell} by */
function runAll(by) {
  if (!by.busy) by.runPage();
}

/** @param {Cell} by */
function forget(by) {
  if (by.busy) return;
  inTurn(async () => {
    if (python.worker) await python.ask("reset");
    held.forget();
    links.clear();
    by.say(words.forgot);
  }).catch(() => {});
}

/** The focus goes to the first of these cells that is seen. @param {Cell[]} after */
function goTo(after) {
  // Where a browser cannot tell whether one is seen, it is taken to be.
  const next = after.find(({ code, row }) => (row ?? code)?.checkVisibility?.() ?? Boolean(code));
  next?.open();
  next?.editor?.focus();
}

const saveAll = () => cells.forEach((cell) => cell.saving && cell.save());
addEventListener("pagehide", saveAll);
addEventListener("forgetting", saveAll);
addEventListener("forgotten", () => cells.forEach((cell) => cell.startOver()));
addEventListener("restored", () => cells.forEach((cell) => cell.takeKept(words.back)));
addEventListener("storage", ({ key }) =>
  cells.find(({ box }) => box.dataset.key === key)?.takeKept(words.elsewhere),
);

/**
 * The reader has pressed the button of a cell.
 * @param {HTMLElement} box
 * @param {boolean} runs whether it is run at once
 */
export function open(box, runs) {
  const cell = /** @type {Cell} */ (cellOf(box.dataset.cell ?? ""));
  begin();
  cell.open();
  // On a phone the keyboard would cover what the run shows.
  if (!runs || matchMedia("(hover: hover)").matches) cell.editor?.focus();
  if (runs) cell.run();
  else cell.prepare();
}

/**
 * The reader has put together the text of a cell: run it.
 * @param {HTMLElement} box
 * @param {string} text
 */
export function put(box, text) {
  const cell = /** @type {Cell} */ (cellOf(box.dataset.cell ?? ""));
  begin();
  cell.open();
  cell.editor?.set(text);
  cell.run();
}

/**
 * The reader has filled in the form of a cell: run it with that text.
 * @param {HTMLElement} box
 * @param {RegExp} line of its code, up to the text
 * @param {string} text
 */
export function fill(box, line, text) {
  const cell = /** @type {Cell} */ (cellOf(box.dataset.cell ?? ""));
  begin();
  cell.open();
  const now = line.test(cell.text) ? cell.text : cell.source;
  // What JSON writes is text for Python, too.
  cell.editor?.set(now.replace(line, (_, before) => before + JSON.stringify(text)));
  cell.run();
}
