// @ts-check
/**
 * Mounts the widgets of a static page: no kernel, no network, no loader.
 *
 * book/sphinx/static_widgets.py writes a slot for each widget, with its picture in it, and one JSON
 * element with the models of the page. The scripts of the widgets are texts, in files named like
 * their classes. One of them, with what all share in front, is the same module that a notebook runs
 * (the anywidget contract), so it is imported as a blob: that works from file://.
 */
(() => {
  "use strict";

  /**
   * @typedef {{path: string[], data: string}} Buffer
   * @typedef {{widget: string, state: Record<string, any>, buffers: Buffer[]}} Saved
   * @typedef {(model: Model, value?: any) => void} Listener
   * @typedef {{initialize?: Function, render: Function, address?: object}} Widget
   */

  /** @param {string} base64 */
  const toDataView = (base64) =>
    new DataView(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);

  /** The traits of one widget, with the part of the notebook's model that widgets use. */
  class Model {
    /** @param {Saved} saved @param {(id: string) => Promise<Model>} others by their names here */
    constructor(saved, others) {
      this.widget_manager = { get_model: others };
      this.state = { ...saved.state };
      for (const { path, data } of saved.buffers) {
        const [last, ...folders] = [...path].reverse();
        const holder = folders.reduceRight((value, key) => value[key], this.state);
        holder[last] = toDataView(data);
      }
      /** @type {Map<string, Listener[]>} */
      this.listeners = new Map();
      /** Traits that the page has set and not saved, and all that it ever saved. */
      this.unsaved = /** @type {Set<string>} */ (new Set());
      this.moved = /** @type {Set<string>} */ (new Set());
      /** Python in the page listens here. @type {((names: string[]) => void) | null} */
      this.onsave = null;
    }

    /** @param {string} name */
    get(name) {
      return this.state[name];
    }

    /** @param {string | Record<string, any>} name @param {any} [value] */
    set(name, value) {
      const changes = typeof name === "string" ? { [name]: value } : name;
      const changed = Object.entries(changes).filter(
        ([key, to]) => !Object.is(this.state[key], to),
      );
      Object.assign(this.state, changes);
      for (const [key, to] of changed) {
        this.unsaved.add(key);
        this.emit(`change:${key}`, to);
      }
      if (changed.length) this.emit("change");
    }

    /** @param {string} events @param {Listener} listener */
    on(events, listener) {
      for (const event of events.split(/\s+/)) {
        this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
      }
    }

    /** @param {string} [events] @param {Listener} [listener] */
    off(events, listener) {
      for (const event of events?.split(/\s+/) ?? [...this.listeners.keys()]) {
        const kept = (this.listeners.get(event) ?? []).filter((l) => listener && l !== listener);
        this.listeners.set(event, kept);
      }
    }

    /** @param {string} event @param {any} [value] */
    emit(event, value) {
      for (const listener of this.listeners.get(event) ?? []) listener(this, value);
    }

    /** Take what Python has set. @param {Record<string, any>} state */
    receive(state) {
      const { unsaved } = this;
      this.unsaved = new Set();
      this.set(state);
      this.unsaved = unsaved;
    }

    // There is no kernel to tell, but Python in the page may run.
    save_changes() {
      const names = [...this.unsaved];
      this.unsaved.clear();
      for (const name of names) this.moved.add(name);
      this.onsave?.(names);
    }

    send() {}
  }

  /** @param {string} source @returns {Promise<Widget>} */
  async function importWidget(source) {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    try {
      const { default: widget } = await import(url);
      return typeof widget === "function" ? await widget() : widget;
    } finally {
      URL.revokeObjectURL(url);
    }
  }

  /**
   * @template T
   * @param {(key: string) => T} make
   * @returns {(key: string) => T} the same, making each only once
   */
  function once(make) {
    /** @type {Map<string, T>} */
    const made = new Map();
    return (key) => {
      if (!made.has(key)) made.set(key, make(key));
      return /** @type {T} */ (made.get(key));
    };
  }

  const here =
    document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : "";

  /**
   * The text that a file says: the head of a page has loaded those that it needs, as scripts, which
   * load from file:// too.
   * @param {string} name
   */
  async function said(name) {
    const texts = () =>
      /** @type {{widgetTexts?: Record<string, string>}} */ (/** @type {unknown} */ (window))
        .widgetTexts ?? {};
    if (texts()[name] === undefined) {
      const script = document.createElement("script");
      script.src = new URL(`widgets/${name}.js`, here).href;
      await new Promise((resolve) => {
        script.onload = script.onerror = resolve;
        document.head.append(script);
      });
    }
    if (texts()[name] === undefined) throw new Error(`${name}.js could not be loaded.`);
    return texts()[name];
  }

  async function mountAll() {
    /** @type {{models: Record<string, Saved>}} */
    const { models = {} } = JSON.parse(document.getElementById("widget-data")?.textContent ?? "{}");
    /** Scripts of classes that the notebook itself defines. @type {Map<string, string>} */
    const own = new Map();
    for (const { widget, state } of Object.values(models)) {
      if (state._esm) own.set(widget, state._esm);
      if (!state._css) continue;
      document.head.append(
        Object.assign(document.createElement("style"), { textContent: state._css }),
      );
    }
    const widgetOf = once(async (name) =>
      importWidget(own.get(name) ?? (await said("core")) + (await said(name))),
    );
    // Two views of one widget share its model.
    /** @type {(id: string) => Promise<Model>} */
    const modelOf = once(async (id) => {
      const model = new Model(models[id], modelOf);
      await (await widgetOf(models[id].widget)).initialize?.({ model });
      return model;
    });

    /** @param {HTMLElement & {model?: Model}} slot @param {Model} model @param {Widget} widget */
    async function show(slot, model, widget) {
      const live = document.createElement("div");
      live.className = "widget-live";
      slot.append(live);
      try {
        await widget.render({ model, el: live });
      } catch (error) {
        live.remove();
        throw error;
      }
      slot.model = model;
      slot.dataset.state = "live";
      const { address } = widget;
      slot.dispatchEvent(new CustomEvent("mounted", { bubbles: true, detail: { model, address } }));
      return model;
    }

    // For Python in the page: a widget by the name of its class, with the book's own script.
    Object.assign(window, {
      /**
       * @param {HTMLElement} slot @param {string} name @param {Record<string, any>} state
       */
      async mountWidget(slot, name, state) {
        const widget = await widgetOf(name);
        const model = new Model({ widget: name, state, buffers: [] }, modelOf);
        await widget.initialize?.({ model });
        return show(slot, model, widget);
      },
    });

    for (const slot of document.querySelectorAll(".widget-slot")) {
      if (!(slot instanceof HTMLElement)) continue;
      try {
        const { model_id: id } = JSON.parse(
          slot.querySelector(":scope > script")?.textContent ?? "{}",
        );
        await show(slot, await modelOf(id), await widgetOf(models[id].widget));
      } catch (error) {
        // The picture stays, and the rest of the page goes on.
        slot.dataset.state = "failed";
        console.error(`${slot.dataset.widget} could not be shown.`, error);
      }
    }
  }

  document.documentElement.dataset.widgets = "mounting";
  mountAll().finally(() => {
    document.documentElement.dataset.widgets = "ready";
  });
})();
