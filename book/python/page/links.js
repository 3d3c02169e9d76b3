// @ts-check
/**
 * Widgets of the page and their twins in Python: what one side changes, the other learns. The page's
 * models are those of mount-widgets.js.
 */

/**
 * @typedef {{
 *   get: (name: string) => any, receive: (state: Record<string, any>) => void,
 *   moved: Set<string>, onsave: ((names: string[]) => void) | null,
 * }} Model
 * @typedef {HTMLElement & {model?: Model}} Slot
 * @typedef {import("./python.js").Change} Change
 */

/** The traits as a message carries them: bytes apart. @param {Model} model @param {Iterable<string>} names */
export function packed(model, names) {
  /** @type {Record<string, any>} */
  const state = {};
  const buffers = [];
  for (const name of names) {
    const value = model.get(name);
    if (value instanceof DataView) {
      buffers.push({ path: [name], data: /** @type {ArrayBuffer} */ (value.buffer) });
    } else {
      state[name] = value;
    }
  }
  return { state, buffers };
}

/** The traits of a message, as a widget reads them. @param {Pick<Change, "state" | "buffers">} change */
export function unpacked({ state, buffers = [] }) {
  const whole = { ...state };
  for (const { path, data } of buffers) {
    const bytes = /** @type {any} */ (data); // what Python sends may be a view of its memory
    const [last, ...folders] = [...path].reverse();
    const folder = folders.reduceRight((inner, name) => inner[name], /** @type {any} */ (whole));
    folder[last] = new DataView(bytes.buffer ? bytes.slice().buffer : bytes);
  }
  return whole;
}

export class Links {
  /** @param {(change: Change) => Promise<unknown>} send */
  constructor(send) {
    this.send = send;
    /** @type {Map<string, Model>} */
    this.models = new Map();
    /** What the reader moved and Python does not know yet. @type {Map<string, Set<string>>} */
    this.waiting = new Map();
  }

  /** @param {string} id of the twin @param {Model} model */
  bind(id, model) {
    this.models.set(id, model);
    this.waiting.delete(id); // of the one before
    model.onsave = (names) => this.#tell(id, model, names);
    if (model.moved.size) this.#tell(id, model, model.moved);
  }

  /** One message at a time: where Python is busy, only the last position counts.
   * @param {string} id @param {Model} model @param {Iterable<string>} names */
  async #tell(id, model, names) {
    const before = this.waiting.get(id);
    if (before) {
      for (const name of names) before.add(name);
      return;
    }
    const todo = new Set(names);
    this.waiting.set(id, todo);
    while (todo.size && this.models.get(id) === model) {
      const now = [...todo];
      todo.clear();
      try {
        await this.send({ model: id, ...packed(model, now) });
      } catch {
        break; // Python was ended, and says so where it ran
      }
    }
    if (this.waiting.get(id) === todo) this.waiting.delete(id);
  }

  /** Python has changed traits. What the reader has moved meanwhile stays. @param {Change} change */
  take(change) {
    const state = unpacked(change);
    for (const name of this.waiting.get(change.model) ?? []) delete state[name];
    this.models.get(change.model)?.receive(state);
  }

  clear() {
    for (const model of this.models.values()) model.onsave = null;
    this.models.clear();
    this.waiting.clear();
  }
}
