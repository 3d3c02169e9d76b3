// @ts-check
/**
 * Python in a worker. It is asked {id, ask, ...}, one at a time, and answers each with {id, done}
 * or {id, failed}; what a cell prints and shows goes out meanwhile. README.md lists the messages.
 *
 * A page starts it from a blob, so that the page's own policy says what it may fetch: all addresses
 * are below the `base` that it is given.
 */

/** @typedef {{size: number, sent: number}} Size */
/** @typedef {Size & {file: string}} Package */
/** @typedef {{version: string, core: Record<string, Size>, first: string[], packages: Record<string, Package>}} Files */

(() => {
  const MEMORY = {
    HOME: "/home/pyodide",
    MPLBACKEND: "module://attnbook.page.backend",
    TQDM_DISABLE: "1",
  };

  /** @type {any} */
  let pyodide;
  /** attnbook/page/bridge.py. @type {any} */
  let bridge;
  let current = 0;

  /** @param {Record<string, any>} message @param {Transferable[]} [moved] */
  const say = (message, moved = []) => globalThis.postMessage(message, { transfer: moved });

  /**
   * Fetch files, all at once, and say how far that is, in the bytes that travel.
   * @param {(Size & {address: URL})[]} files @returns {Map<string, Promise<Response>>} by their addresses
   */
  function fetchAll(files) {
    const total = files.reduce((sum, { sent }) => sum + sent, 0);
    let loaded = 0;
    const one = async (/** @type {Size & {address: URL}} */ { address, size, sent }) => {
      const response = await fetch(address);
      if (!response.ok) throw new Error(`load ${address.pathname}: ${response.status}`);
      // A copy is counted: what Pyodide gets is what came, so that browsers keep its code.
      const count = new WritableStream({
        write(/** @type {Uint8Array} */ { length }) {
          loaded += (length * sent) / size;
          say({ id: current, kind: "progress", stage: "files", loaded: Math.round(loaded), total });
        },
      });
      response
        .clone()
        .body?.pipeTo(count)
        .catch(() => {}); // what Pyodide reads fails, too
      return response;
    };
    return new Map(files.map((file) => [file.address.href, one(file)]));
  }

  /**
   * Fetch a file of a package while Python waits.
   * @param {URL} address @param {number} size
   * @param {string} name of the package that is wanted @param {number} loaded of it before @param {number} total
   */
  function fetchNow(address, size, name, loaded, total) {
    const tell = (/** @type {number} */ now) =>
      say({ id: current, kind: "progress", stage: "package", name, loaded: now, total });
    tell(loaded);
    const request = new XMLHttpRequest();
    request.open("GET", address, false);
    request.responseType = "arraybuffer";
    request.send();
    if (request.status !== 200) throw new Error(`load ${address.pathname}: ${request.status}`);
    tell(loaded + size);
    return new Uint8Array(request.response);
  }

  /** Load a library that modules ask for by its name, while Python waits. @param {string} name @param {any} data */
  function link(name, data) {
    const readFile = () => data.toJs();
    const fs = { findObject: () => true, readFile };
    pyodide._module.loadDynamicLibrary(name, {
      global: true,
      nodelete: true,
      allowUndefined: true,
      fs,
    });
  }

  /** What Python says: a text of JSON, and the buffers that it names. @param {string} text @param {Uint8Array[]} views */
  function pass(text, views) {
    const { kind, name, data, ...rest } = JSON.parse(text);
    const buffers = views.map((view) => view.slice().buffer);
    const state = kind === "widget" ? rest : data;
    if (state?.buffers) {
      state.buffers = state.buffers.map(
        (/** @type {string[]} */ path, /** @type {number} */ i) => ({ path, data: buffers[i] }),
      );
    }
    const message = kind === "widget" ? { kind, ...rest } : { id: current, kind, name, data };
    say(message, buffers);
  }

  /** @type {Record<string, (asked: any) => any>} */
  const asks = {
    /** @param {{base: string, book: {pyodide: string, python: Package, files: Files}}} asked */
    async start({ base, book }) {
      const home = new URL(book.pyodide, base);
      const { core, first, packages } = book.files;
      const own = new URL(book.python.file, base);
      const wheels = first.map((name) => new URL(packages[name].file, home));
      const coming = fetchAll([
        ...["pyodide.asm.wasm", "python_stdlib.zip"].map((name) => ({
          address: new URL(name, home),
          ...core[name],
        })),
        ...first.map((name, i) => ({ ...packages[name], address: wheels[i] })),
        { ...book.python, address: own },
      ]);
      const bytes = async (/** @type {URL} */ address) =>
        new Uint8Array(
          await /** @type {Response} */ (await coming.get(address.href)).arrayBuffer(),
        );

      // Pyodide fetches what is coming already.
      const plain = globalThis.fetch;
      globalThis.fetch = (address, options) =>
        coming.get(String(address)) ?? plain(address, options);
      // It takes the second script as it finds it, and else fetches it when the first has come.
      const scripts = ["pyodide.mjs", "pyodide.asm.js"].map(
        (name) => import(new URL(name, home).href),
      );
      const [{ loadPyodide }] = await Promise.all(scripts);
      pyodide = await loadPyodide({ indexURL: home.href, env: MEMORY });
      globalThis.fetch = plain;
      say({ id: current, kind: "progress", stage: "starting", loaded: 0, total: 0 });

      const site = pyodide.runPython("import site; site.getsitepackages()[0]");
      pyodide.unpackArchive(await bytes(own), "zip", { extractDir: site });
      const now = (
        /** @type {string} */ part,
        /** @type {[string, number, number]} */ ...progress
      ) =>
        pyodide.toPy(
          fetchNow(new URL(packages[part].file, home), packages[part].sent, ...progress),
        );
      const finder = pyodide
        .pyimport("attnbook.page.packages")
        .connect(JSON.stringify(packages), site, now, link);
      for (const [i, name] of first.entries())
        finder.unpack(name, pyodide.toPy(await bytes(wheels[i])));
      bridge = pyodide.pyimport("attnbook.page.bridge");
      bridge.connect(pass);
      return { version: pyodide.version };
    },

    run({ source, name, silent = false, widgets = {} }) {
      const begun = performance.now();
      const answer = JSON.parse(bridge.run(source, name, silent, JSON.stringify(widgets)));
      return { ...answer, ms: performance.now() - begun };
    },

    names({ source }) {
      return JSON.parse(bridge.names_of(source));
    },

    reset() {
      bridge.reset();
      return {};
    },

    widget({ model, state, buffers = [] }) {
      const data = buffers.map(
        (/** @type {{data: ArrayBuffer}} */ { data }) => new Uint8Array(data),
      );
      const paths = buffers.map((/** @type {{path: string[]}} */ { path }) => path);
      bridge.take(JSON.stringify({ model, state, paths }), pyodide.toPy(data));
      return {};
    },
  };

  // Where its wasm file does not come, Pyodide neither loads nor fails: it only leaves this.
  addEventListener("unhandledrejection", ({ reason }) => {
    say({ id: current, failed: String(reason?.message ?? reason) });
  });

  let last = Promise.resolve();
  addEventListener("message", ({ data }) => {
    last = last.then(async () => {
      current = data.id;
      try {
        say({ id: data.id, done: await asks[data.ask](data) });
      } catch (/** @type {any} */ error) {
        // Not Python's error, which is an answer: files did not come, or Python itself broke.
        say({ id: data.id, failed: String(error?.message ?? error) });
      }
    });
  });
})();
