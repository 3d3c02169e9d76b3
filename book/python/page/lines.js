// @ts-check
/**
 * Exercises that begin from lines: to put in order, by drag, by finger or by arrow keys, or with gaps
 * to fill. What comes out is the text of the cell, and is judged by running it; without this script
 * it is a cell to complete.
 */
(() => {
  "use strict";
  const { python, framed } = document.documentElement.dataset;
  if (!python || framed !== undefined || location.protocol === "file:") return;

  const ORDER = /^( *)# Put these lines in order.*\n((?:\1\S.*\n)+)/m;
  const GAP = /\b____\b/;
  const ANSWER = /^answer = \.\.\.  # then put (\w+) here$/m;
  const LEFT_OUT = "Left out:";
  let made = 0;

  /** @param {string} tag @param {string} className @param {...(string | Node)} children */
  const make = (tag, className, ...children) => {
    const one = document.createElement(tag);
    one.className = className;
    one.append(...children);
    return one;
  };

  /**
   * The lines as a list, and the text of the cell that they make.
   * @param {string} source @param {string | null} kept what the reader made of it before
   */
  function orderOf(source, kept) {
    const [whole, indent, body] = /** @type {RegExpExecArray} */ (ORDER.exec(source));
    const lines = body.trimEnd().split("\n");
    const told = make("p", "run-spoken");
    told.role = "status";
    const list = make("ol", "order-lines");
    const apart = make("li", "order-apart", LEFT_OUT);
    const items = lines.map((line) => {
      const button = /** @type {HTMLButtonElement} */ (make("button", "", line.trim()));
      button.type = "button";
      return make("li", "", button);
    });
    // As the reader left it: the lines that were used, in that order.
    const used = (kept ?? "").split("\n");
    const place = (/** @type {string} */ line) => used.indexOf(line);
    const isKept = kept !== null && lines.some((line) => place(line) >= 0);
    const before = lines.map((line, i) => ({ at: isKept ? place(line) : i, item: items[i] }));
    const above = before.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
    list.append(
      ...above.map(({ item }) => item),
      apart,
      ...before.filter(({ at }) => at < 0).map(({ item }) => item),
    );

    const say = (/** @type {Element} */ item) => {
      const all = [...list.children];
      const [at, end] = [all.indexOf(item), all.indexOf(apart)];
      told.textContent = at < end ? `Line ${at + 1} of ${end}` : "Left out";
    };
    for (const item of items) {
      const button = /** @type {HTMLButtonElement} */ (item.firstElementChild);
      // Its neighbour moves: what holds the focus, or the pointer, stays in its place in the tree.
      const moveUp = () => item.previousElementSibling && item.after(item.previousElementSibling);
      const moveDown = () => item.nextElementSibling && item.before(item.nextElementSibling);
      button.addEventListener("keydown", (event) => {
        const { key } = event;
        if (key !== "ArrowUp" && key !== "ArrowDown") return;
        event.preventDefault();
        if (key === "ArrowUp") moveUp();
        else moveDown();
        say(item);
      });
      button.addEventListener("pointerdown", (event) => button.setPointerCapture(event.pointerId));
      button.addEventListener("pointermove", ({ clientY, pointerId }) => {
        if (!button.hasPointerCapture(pointerId)) return;
        const { previousElementSibling: up, nextElementSibling: down } = item;
        /** @param {Element} other */
        const middle = (other) => {
          const { top, height } = other.getBoundingClientRect();
          return top + height / 2;
        };
        if (up && clientY < middle(up)) moveUp();
        else if (down && clientY > middle(down)) moveDown();
      });
      button.addEventListener("pointerup", () => say(item));
    }
    const text = () => {
      const all = [...list.children];
      const chosen = all
        .slice(0, all.indexOf(apart))
        .map((item) => `${indent}${item.textContent}\n`);
      return source.replace(whole, () => chosen.join("") || `${indent}...\n`);
    };
    const keys = "Drag the lines, or move one with the arrow keys. Leave out those that are wrong.";
    return { parts: [make("p", "order-keys", keys), list, told], text };
  }

  /** The code with a field for each gap. @param {string} source @param {string | null} kept */
  function gapsOf(source, kept) {
    const code = source.split("\n\n\nanswer =")[0];
    const pieces = code.split("____");
    const fields = pieces.slice(1).map((_, i) => {
      const field = document.createElement("input");
      field.size = 22;
      field.required = true;
      field.autocomplete = "off";
      field.spellcheck = false;
      field.setAttribute("autocapitalize", "off");
      field.ariaLabel = `Gap ${i + 1} of ${pieces.length - 1}`;
      return field;
    });
    // As the reader left it.
    const escaped = pieces.map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const [, ...before] = new RegExp(`^${escaped.join("(.*)")}`).exec(kept ?? "") ?? [];
    before.forEach((text, i) => {
      if (text !== "____") fields[i].value = text;
    });
    const pre = make(
      "pre",
      "",
      pieces[0],
      ...pieces.slice(1).flatMap((piece, i) => [fields[i], piece]),
    );
    const text = () => {
      let i = 0;
      return source.replace(/____/g, () => fields[i++].value.trim() || "____");
    };
    return { parts: [pre], text };
  }

  for (const box of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll(".exercise [data-cell]")
  )) {
    const input = box.querySelector(".cell_input");
    const source = (input?.querySelector("pre")?.textContent ?? "").replace(/\n$/, "");
    const isOrder = ORDER.test(source);
    if (!input || (!isOrder && !GAP.test(source))) continue;
    const { book } = document.documentElement.dataset;
    const page = location.pathname.replace(/^.*\/|\.html$/g, "");
    const kept = localStorage.getItem(`${book}code ${page} ${box.dataset.cell}`);
    const { parts, text } = (isOrder ? orderOf : gapsOf)(source, kept);
    const check = make("button", "order-check", "Check");
    const form = make("form", `run-form lines-form`, ...parts, check);
    form.id = `lines-${++made}`;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const whole = text().replace(ANSWER, "answer = $1");
      box.dispatchEvent(new CustomEvent("assembled", { detail: { text: whole, button: check } }));
    });
    input.before(form);
  }
})();
