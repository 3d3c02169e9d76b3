// The explorer: what it shows, what readers may try, its place in the page.

import { fieldErrors, pullNumbers, scrollPast } from "./controls.js";
import { html, nothing, render } from "./lit.js";
import { gliding, moves, playing, travelling } from "./motion.js";
import { speaking } from "./speech.js";
import { textsOf } from "./text.js";
import { addressing, traitsOf } from "./traits.js";

/**
 * What a view works with: the traits, and what draws them.
 * @typedef {object} View
 * @property {() => any} read the traits now
 * @property {(values: Record<string, any>) => void} set changes some traits, and draws once
 * @property {(state: Record<string, any>) => void} change the same, of values as they travel
 * @property {() => void} again draws once more
 * @property {(values: Record<string, any> | null) => void} preview draws as if these were set
 * @property {(values: Record<string, any>) => (event: PointerEvent) => boolean} look a listener that
 *   previews these for a mouse, and says whether it is one
 * @property {(event: PointerEvent) => void} unlook a listener that ends it
 * @property {<T>(key: string, target: T, ms?: number) => T} glide numbers on their way to where they
 *   are to be
 * @property {(ms?: number) => () => void} travel before a change of order: [data-travel] moves there
 * @property {(how: import("./motion.js").Playing) => import("./motion.js").Player} play makes a
 *   player, whose button stands among the controls
 * @property {import("./motion.js").Player} [player]
 * @property {() => void} celebrate something was found
 * @property {number} width px inside
 * @property {HTMLElement} root
 * @property {Model} model
 * @property {import("./controls.js").Errors} errors what is wrong with fields
 * @property {(act: () => void) => void} onStop when the view closes
 * @property {(act: (target: Element) => void) => void} onTouch when something is pressed
 * @property {(act: () => void) => void} onHidden when it goes out of sight
 * @property {(act: () => void) => void} onReset
 * @property {Map<string, string>} [ids] of controls, by their keys
 * @property {Set<string>} [struck] names that a game has refused
 */

/**
 * What it shows, lit-html templates all.
 * @typedef {object} Parts
 * @property {unknown} [headline] the sentence with the numbers; it is spoken when the hand has rested
 * @property {unknown} [picture] what it is about; on a phone it stays in sight if there is room, else
 *   the headline
 * @property {unknown} [controls] what moves it; Reset and, if there is one, Play stand at their end
 * @property {unknown} [more] secondary controls, folded
 * @property {boolean} [unfolded] whether these are open: one of them is moved
 * @property {unknown} [numbers] the table
 * @property {string} [folded] how the fold of the table is called; none: it is not folded
 * @property {boolean} [open] whether that fold is open at first
 */

/** Runs once for each view; what it returns runs at each drawing, with the traits now.
 * @typedef {(view: View) => (now: any) => Parts} Build */

/**
 * The part of anywidget's model that is used.
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, listener: () => void) => void} on
 * @property {(event: string, listener: () => void) => void} off
 */

/**
 * A widget that shows its traits: a function of what Python declares, called where the modules are
 * joined (_modules.py).
 * @param {string} name of its style, and of what it has shown
 * @param {string} label for assistive technology
 * @param {Build} build
 * @param {object} [options]
 * @param {Record<string, import("./traits.js").Codec>} [options.traits] codecs in place of those of
 *   the declaration
 * @param {boolean} [options.plain] no controls and no Reset; there need be no headline
 * @param {(state: any, now: any) => Record<string, any>} [options.sets]
 *   what things to try set of their state
 */
export function explorer(name, label, build, { traits: replaced = {}, plain: isPlain, sets } = {}) {
  return (declared) => {
    const traits = { ...traitsOf(declared), ...replaced };
    return {
      address: addressing(traits),
      render({ model, el }) {
        const names = Object.keys(traits);
        const root = document.createElement("div");
        root.className = `attn attn-${name}`;
        root.setAttribute("role", "group");
        root.setAttribute("aria-label", label);
        const stops = [];
        const touched = [];
        const hidden = [];
        const undone = [];
        let [width, held, supposed] = [0, false, null];
        const raw = {};
        const now = {};
        const read = () => {
          for (const key of names) {
            const value = model.get(key);
            if (!(key in raw) || raw[key] !== value)
              now[key] = traits[key].read((raw[key] = value));
          }
          return { ...now };
        };
        // From now on the reader has moved something: no verb on a thing, and "What to see".
        const act = () => root.classList.add("moved");
        // Changes what is named, and draws once.
        const change = (state) => {
          act();
          held = true;
          supposed = null;
          for (const [key, value] of Object.entries(state)) model.set(key, value);
          held = false;
          model.save_changes();
          draw();
        };
        const set = (values) =>
          change(
            Object.fromEntries(
              names
                .filter((key) => key in values)
                .map((key) => [key, traits[key].write(values[key])]),
            ),
          );
        const again = () => draw();
        const { glide, stop } = gliding(again);
        const errors = fieldErrors(again);
        const preview = (change) => {
          supposed = change;
          draw();
        };
        // Whether a mouse came by its own way: what moves under one that rests shows no preview.
        let there = [];
        const hasMoved = ({ pointerType, screenX: x, screenY: y, timeStamp }) => {
          // To leave one thing and to enter the next is one move, told at the same time.
          const isNew = timeStamp === there[2] ? there[3] : x !== there[0] || y !== there[1];
          there = [x, y, timeStamp, isNew];
          return isNew && pointerType === "mouse";
        };
        const view = {
          read,
          set,
          change,
          again,
          preview,
          glide,
          model,
          root,
          errors,
          look: (change) => (event) => hasMoved(event) && (act(), preview(change), true),
          unlook: (event) => {
            hasMoved(event);
            if (event.pointerType === "mouse") preview(null);
          },
          travel: () => travelling(root),
          play: (how) => (view.player = playing(view, how)),
          celebrate: () =>
            moves() &&
            root
              .querySelector(".headline")
              .animate([{ color: "var(--o)" }, { color: "var(--ink)" }], 900),
          onStop: (act) => stops.push(act),
          onTouch: (act) => touched.push(act),
          onHidden: (act) => hidden.push(act),
          onReset: (act) => undone.push(act),
          get width() {
            return width;
          },
        };
        const show = build(view);
        const strip = tryStrip(view, el, sets);
        const sentence = speaking(root);
        const start = startOf(
          model,
          names.filter((key) => traits[key].address),
        );
        const reset = () => {
          root.dispatchEvent(new CustomEvent("try", { bubbles: true, detail: model }));
          errors.clear();
          strip.fold();
          undone.forEach((act) => act());
          change(start);
        };
        const draw = () => {
          if (held || width === 0) return;
          const parts = show({ ...read(), ...supposed });
          const { headline, picture, controls, more, numbers, folded } = parts;
          render(
            html`
          <div class="top">${headline && html`<p class="headline">${headline}</p>`}
            <p class="unseen" role="status"></p>
            ${picture ? html`<div class="picture">${picture}</div>` : nothing}</div>
          ${
            isPlain
              ? nothing
              : html`<div class="controls">${controls ?? nothing}<div class="ends-row">
            ${view.player ? view.player.button() : nothing}
            <button type="button" class="reset" @click=${reset}>Reset</button></div></div>`
          }
          ${errors.view()}
          ${strip.view()}
          ${more ? html`<details class="more" ?open=${parts.unfolded}><summary>More</summary><div class="controls">${more}</div></details>` : nothing}
          ${numbers && folded ? html`<details class="numbers" ?open=${parts.open}><summary>${folded}</summary>${numbers}</details>` : (numbers ?? nothing)}
        `,
            root,
          );
          follow(root, Boolean(supposed));
          if (!supposed && headline) sentence.say(root.querySelector(".headline"));
        };
        keepKeys(root);
        pullNumbers(root);
        for (const kind of ["pointerdown", "keydown"]) {
          root.addEventListener(kind, (event) => touched.forEach((act) => act(event.target)));
        }
        scrollPast(root);
        el.append(root);
        const changed = () => {
          if (!held) supposed = null; // what Python sets is not hidden behind a preview
          draw();
        };
        for (const key of names) model.on(`change:${key}`, changed);
        stops.push(
          onWidth(root, (to) => {
            width = to;
            root.classList.toggle("narrow", width <= 600);
            draw();
            root.classList.remove("sticks", "sticks-line");
            const high = /** @type {HTMLElement} */ (root.querySelector(".top")).offsetHeight;
            const isWorth = high <= 0.45 * innerHeight && root.offsetHeight > high + 240; // what scrolls under it
            if (width <= 600 && (isWorth || !isPlain))
              root.classList.add(isWorth ? "sticks" : "sticks-line");
          }),
        );
        stops.push(onHiding(root, () => hidden.forEach((act) => act())));
        return () => {
          stop();
          sentence.stop();
          for (const act of stops) act?.();
          for (const key of names) model.off(`change:${key}`, changed);
          root.remove();
        };
      },
    };
  };
}

// Calls `draw` with the width inside an element in px, now if it has one and whenever it changes.
function onWidth(element, draw) {
  let last = 0;
  const take = () => {
    const { paddingLeft, paddingRight } = getComputedStyle(element);
    const outside = element.getBoundingClientRect().width / (element.currentCSSZoom ?? 1);
    // Not rounded up: panels side by side would wrap. The hair is for sums of fractions.
    const width = Math.floor(outside - parseFloat(paddingLeft) - parseFloat(paddingRight) + 0.01);
    if (width > 0 && width !== last) draw((last = width));
  };
  take();
  const observer = new ResizeObserver(take);
  observer.observe(element);
  return () => observer.disconnect();
}

// What readers move, as it was when the model was first shown.
const starts = new WeakMap();

function startOf(model, names) {
  if (!starts.has(model)) {
    starts.set(model, Object.fromEntries(names.map((key) => [key, model.get(key)])));
  }
  return starts.get(model);
}

// Fields follow what they show (data-now), but leave alone what the reader is typing.
function follow(root, isSupposed) {
  for (const field of root.querySelectorAll("[data-now]")) {
    const { now } = field.dataset;
    const isNew = field.shown !== now;
    field.shown = now;
    if (field.type === "checkbox" || field.type === "radio") {
      if (!isSupposed) field.checked = now === "true"; // else a press would choose nothing new
    } else if (
      /^(range|select-one)$/.test(field.type) ||
      isNew ||
      field !== document.activeElement
    ) {
      const isSame =
        field.value === now ||
        (field.type === "number" && field.value !== "" && Number(field.value) === Number(now));
      if (!isSame) field.value = now;
    }
  }
}

// JupyterLab has commands on plain keys; its own attribute keeps them from what has the focus. A
// key that is pressed with Ctrl, Shift, Alt or Meta stays JupyterLab's.
export function keepKeys(root) {
  const keep = (event) =>
    event.target.toggleAttribute(
      "data-lm-suppress-shortcuts",
      !(event.ctrlKey || event.shiftKey || event.altKey || event.metaKey),
    );
  for (const kind of ["focusin", "keydown", "keyup"]) root.addEventListener(kind, keep);
}

// Calls `act` when an element goes out of sight.
function onHiding(element, act) {
  const watch = new IntersectionObserver(([entry]) => entry.isIntersecting || act());
  watch.observe(element);
  return () => watch.disconnect();
}

/**
 * Things to try: one at a time, with what sets it up, and what to see beside it.
 * @param {View} view
 * @param {HTMLElement} el
 * @param {(state: any, now: any) => Record<string, any>} [sets]
 */
function tryStrip(view, el, sets = (state) => state) {
  const { model, root, again } = view;
  const things = model.get("tries") ?? [];
  const { written, plain: said } = textsOf(model, el);
  const texts = things.map(({ ask, see }) => ({
    ask: written(ask),
    see: written(see),
    name: said(ask),
  }));
  let place = 0;
  const fold = () => root.querySelector(".see")?.removeAttribute("open");
  const go = (by) => () => {
    place = (place + by + things.length) % things.length;
    fold();
    again();
  };
  const setUp = () => {
    fold();
    // The page notes where the reader comes from.
    root.dispatchEvent(new CustomEvent("try", { bubbles: true, detail: model }));
    view.change(sets(things[place].state, view.read()));
  };
  return {
    fold,
    view() {
      if (things.length === 0) return nothing;
      const { see, name } = texts[place];
      // All prompts lie in one cell, so that the longest keeps its room.
      return html`<div class="try" role="group" aria-label="Things to try">
        <div class="asks">${texts.map(({ ask }, i) => html`<p class=${i === place ? "ask" : "ask off"}><span class="kicker">Try</span> ${ask}</p>`)}</div>
        <p class="buttons"><button type="button" class="set-up" aria-label="Set it up: ${name}" @click=${setUp}>Set it up</button>
          ${
            things.length > 1
              ? html`<span class="turn"><button type="button" aria-label="The one before" @click=${go(-1)}>‹</button>
            <span class="small">${place + 1} of ${things.length}</span>
            <button type="button" aria-label="The next one" @click=${go(1)}>›</button></span>`
              : nothing
          }</p>
        <details class="see"><summary>What to see</summary><p>${see}</p></details>
      </div>`;
    },
  };
}
