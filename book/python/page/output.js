// @ts-check
/**
 * What a cell shows, in the markup that the book has for it. Text goes in as text; HTML and SVG are
 * sanitised.
 */
import createPurifier from "dompurify";

const purifier = createPurifier(window);
// What check prints last, in a cell that holds an exercise.
const VERDICT = /(?:^|(?<=\n))(right|not yet|unanswered)(?:: (.*))?\n?$/;

/**
 * @param {string} tag @param {string} className @param {...(string | Node)} children
 */
export function make(tag, className, ...children) {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}

/** @param {string} kind @param {string} [text] */
function printed(kind, text = "") {
  const pre = make("pre", "", text);
  const box = make(
    "div",
    `output ${kind} highlight-myst-ansi notranslate`,
    make("div", "highlight", pre),
  );
  return { box, pre };
}

/** As a terminal and Jupyter show it: after a carriage return a line is written over. @param {string} text */
const overwritten = (text) =>
  text.replace(/[^\n]*\r[^\n]*/g, (line) =>
    line.split("\r").reduce((shown, part) => part + shown.slice(part.length)),
  );

/** Markup without anything that acts. @param {string} html */
function harmless(html) {
  const kept = purifier.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    FORBID_TAGS: ["style", "form"],
    ADD_TAGS: ["use"],
    ADD_DATA_URI_TAGS: ["a"],
  });
  // A picture may be kept; no other address holds what it leads to.
  for (const link of kept.querySelectorAll("a[href^='data:' i]")) {
    if (
      !/^data:image\/svg\+xml;base64,/.test(link.getAttribute("href") ?? "") ||
      !link.hasAttribute("download")
    )
      link.removeAttribute("href");
  }
  // Marks of a figure are drawn once and used often; what is used from elsewhere may be anything.
  for (const use of kept.querySelectorAll("use:not([href^='#'])")) use.remove();
  return kept;
}

/** The output of one cell: the book's until the first run, then what the last run gave. */
export class Output {
  /**
   * @param {HTMLElement} cell
   * @param {HTMLElement} above what it stands below, where the book stores none
   * @param {(place: HTMLElement, shown: any, nth: number) => void} mount shows a widget
   */
  constructor(cell, above, mount) {
    this.mount = mount;
    /** @type {HTMLElement | null} */
    this.stored = cell.querySelector(".cell_output:not(.run-output)");
    const before = /** @type {HTMLElement | null} */ (cell.querySelector(".run-output")); // run.js
    this.root = before ?? make("div", "cell_output docutils container run-output");
    this.root.hidden = !before;
    (this.stored ?? above).after(this.root);
    this.isExercise = cell.hasAttribute("data-answer");
    /** @type {HTMLElement[]} */
    this.parts = [];
    this.stream = { name: "", text: "", node: new Text() };
    /** What it printed last; a figure may come after that. */
    this.printed = this.stream;
    this.timer = 0;
    this.widgets = 0;
    this.figures = 0;
    this.verdict = this.says = "";
  }

  /** A run begins: what stands there stays, dimmed, until there is something else. */
  begin() {
    const shown = this.root.hidden ? this.stored : this.root;
    this.root.style.minHeight = `${shown?.offsetHeight ?? 0}px`;
    shown?.classList.add("run-stale");
    this.clear();
  }

  clear() {
    this.parts = [];
    this.stream = this.printed = { name: "", text: "", node: new Text() };
    this.widgets = this.figures = 0;
    this.verdict = this.says = "";
  }

  /** @param {import("./python.js").Part} part */
  show({ kind, name, data }) {
    if (kind === "clear") this.clear();
    if (kind === "stream") this.#write(name, data);
    if (kind === "display") this.#display(name, data);
  }

  /** Lines come by the thousand: they are put on the page a few times a second.
   * @param {string} name @param {string} data */
  #write(name, data) {
    if (this.stream.name !== name) {
      this.#flush();
      const { box, pre } = printed(name === "stderr" ? "stderr" : "stream");
      this.stream = { name, text: "", node: pre.appendChild(new Text()) };
      if (name === "stdout") this.printed = this.stream;
      this.parts.push(box);
    }
    this.stream.text += data;
    this.timer ||= window.setTimeout(() => {
      this.#flush();
      this.#put();
    }, 100);
  }

  #flush() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.stream.node.data = overwritten(this.stream.text);
  }

  /** @param {string} name @param {any} data */
  #display(name, data) {
    this.#flush();
    this.stream = { name: "", text: "", node: new Text() };
    if (name === "application/vnd.attnutils.widget+json") {
      const slot = make("div", "widget-slot");
      this.parts.push(slot);
      this.#put(); // a widget measures the place that it is in
      this.mount(slot, typeof data === "string" ? JSON.parse(data) : data, this.widgets++);
    } else if (name === "image/png") {
      const image = document.createElement("img");
      image.src = `data:image/png;base64,${data}`;
      image.alt = "Picture that the cell shows";
      this.parts.push(image);
    } else if (name === "text/html" || name === "image/svg+xml") {
      const markup = harmless(data);
      const first = markup.firstElementChild;
      this.parts.push(
        first?.classList.contains("drawing")
          ? this.#figure(first)
          : make("div", "output text_html", markup),
      );
    } else {
      this.parts.push(printed("text_plain", data).box);
    }
  }

  /** A figure takes the place of the book's, with its caption. @param {Element} drawing */
  #figure(drawing) {
    const before = this.stored?.querySelectorAll(".drawing")[this.figures++];
    drawing.setAttribute("role", "img");
    drawing.setAttribute(
      "aria-label",
      before?.getAttribute("aria-label") ?? "Figure that the cell drew",
    );
    const whole = before?.closest("figure")?.cloneNode(true);
    // What measures the room for it is around it.
    if (!(whole instanceof HTMLElement)) return make("div", "output figure", drawing);
    whole.removeAttribute("id");
    whole.querySelector(".drawing")?.replaceWith(drawing);
    return whole;
  }

  /** Put on the page what there is so far. */
  #put() {
    for (const each of [this.stored, this.root]) each?.classList.remove("run-stale");
    if (this.stored) this.stored.hidden = true;
    this.root.hidden = false;
    this.root.append(...this.parts.filter((part) => part.parentNode !== this.root));
    for (const old of [...this.root.children]) {
      if (!this.parts.includes(/** @type {HTMLElement} */ (old))) old.remove();
    }
  }

  /**
   * The run has ended, with this traceback or with none.
   * @param {string} error
   */
  async end(error) {
    if (this.isExercise && !error) this.#judge();
    this.#flush();
    if (error) this.parts.push(printed("traceback", error).box);
    const images = this.parts.flatMap((part) => [
      .../** @type {NodeListOf<HTMLImageElement>} */ (
        part.querySelectorAll("img[src^='data:image/png']")
      ),
    ]);
    await Promise.all(images.map((image) => image.decode().catch(() => {})));
    this.#put();
    this.root.style.minHeight = "";
    for (const pre of this.root.querySelectorAll("pre")) {
      if (pre.scrollWidth > pre.clientWidth || pre.scrollHeight > pre.clientHeight)
        pre.tabIndex = 0;
    }
  }

  /** What check says is shown as where an exercise is answered in fields. */
  #judge() {
    const { printed } = this;
    const [line, verdict, text = ""] = VERDICT.exec(printed.text) ?? [];
    if (!line) return;
    [this.verdict, this.says] = [verdict, text];
    printed.text = printed.text.slice(0, -line.length);
    printed.node.data = overwritten(printed.text);
    if (!printed.text) this.parts = this.parts.filter((part) => !part.contains(printed.node));
    const word = make(
      "b",
      "",
      { right: "✓ Right", "not yet": "Not yet", unanswered: "Unanswered" }[verdict] ?? "",
    );
    const result = make("p", "result", word, text && `: ${text}`);
    result.toggleAttribute("data-right", verdict === "right");
    this.parts.push(result);
  }

  /** What a screen reader hears of it. */
  spoken() {
    const text = this.parts.map((part) => part.textContent?.trim() || "A figure.").join(" ");
    return text.length > 300 ? `${text.slice(0, 300)} …` : text;
  }

  /** Back to what the book has. */
  restore() {
    this.#flush();
    this.root.replaceChildren();
    this.root.hidden = true;
    if (this.stored) this.stored.hidden = false;
  }
}
