// @ts-check
/** Python in a worker, which is made when it is first needed, and again after it was ended. */

export class Stopped extends Error {}

/**
 * @typedef {{kind: string, name: string, data: any, stage: string, loaded: number, total: number}} Part
 * @typedef {{resolve: (done: any) => void, reject: (error: Error) => void, show: (part: Part) => void}} Asked
 * @typedef {{model: string, state: Record<string, any>, buffers: {path: string[], data: ArrayBuffer}[]}} Change
 */

export class Python {
  /** @param {URL} base the folder of its files @param {string} version of these files */
  constructor(base, version) {
    this.base = base;
    this.version = version;
    this.count = 0;
    /** How often Python was ended. */
    this.lives = 0;
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {Promise<unknown> | null} */
    this.started = null;
    this.isReady = false;
    /** @type {Map<number, Asked>} */
    this.asked = new Map();
    /** What to do when Python is ended, and when it has changed a widget. */
    this.onEnd = () => {};
    /** @type {(change: Change) => void} */
    this.onWidget = () => {};
    /** Shown what comes while Python starts. @type {(part: Part) => void} */
    this.onProgress = () => {};
  }

  start() {
    if (!this.started) {
      const begun = this.#begin();
      this.started = begun;
      begun.catch(() => {
        if (this.started === begun) this.started = null; // the next one tries anew
      });
    }
    return this.started;
  }

  async #begin() {
    const life = this.lives;
    // From a blob, the worker obeys the page's policy: nothing can be asked of another host. From
    // an address it would not.
    const [script, book] = await Promise.all(
      ["worker.js", "files.json"].map((name) => this.#get(name)),
    );
    if (life !== this.lives) throw new Stopped();
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.worker = new Worker(address, { type: "module" });
    this.worker.onmessage = ({ data }) => this.#take(data);
    this.worker.onerror = (event) => this.end(new Error(event.message || "broken"));
    await this.ask("start", { base: this.base.href, book: JSON.parse(book) }, (part) =>
      this.onProgress(part),
    ).finally(() => URL.revokeObjectURL(address));
    this.isReady = true;
  }

  /** @param {string} name */
  async #get(name) {
    const response = await fetch(new URL(`${name}?v=${this.version}`, this.base)).catch(() => null);
    if (!response?.ok) throw new Error(`load ${name}`);
    return response.text();
  }

  /**
   * @param {string} ask @param {Record<string, any>} details
   * @param {(part: Part) => void} [show] what comes before the answer
   * @returns {Promise<any>}
   */
  ask(ask, details = {}, show = () => {}) {
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject, show });
      this.worker?.postMessage({ id, ask, ...details });
    });
  }

  /** End what runs and what waits. @param {Error} error */
  end(error) {
    this.lives++;
    this.worker?.terminate();
    this.worker = null;
    this.started = null;
    this.isReady = false;
    this.onEnd();
    for (const { reject } of this.asked.values()) reject(error);
    this.asked.clear();
  }

  /** @param {any} message */
  #take({ id, done, failed, ...part }) {
    const asked = this.asked.get(id);
    if (failed !== undefined) {
      this.end(new Error(failed));
    } else if (part.kind === "widget") {
      this.onWidget(part);
    } else if (done) {
      this.asked.delete(id);
      asked?.resolve(done);
    } else {
      asked?.show(part);
    }
  }
}
