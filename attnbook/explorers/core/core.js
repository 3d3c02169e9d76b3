// The page half of every script: the explorer, its parts, its motion, its controls.

// An id that no other widget on the page has: each script is loaded on its own.
function uniqueId(name) {
  const counter = Symbol.for("attnutils.ids");
  globalThis[counter] = (globalThis[counter] ?? 0) + 1;
  return `attn-${name}-${globalThis[counter]}`;
}

// A letter of a formula, in the colour of its role: q, k, v, o. In a drawing: drawnLetter.
const letter = (name, role = name) => html`<i class="letter ${role}">${name}</i>`;
const drawnLetter = (name, role = name) => svg`<tspan class="letter ${role}">${name}</tspan>`;

// A computed number: rounded to read, exact for tools.
const number = (value, text) =>
  html`<data value=${Number.isNaN(value) ? "" : value}>${text}</data>`;

// Texts with `code`, {fr}`words` of another language and $formulas$: `written` as the book has
// typeset them, else in plain letters, which `plain` always gives.
function textsOf(model, el) {
  const typeset = el.closest(".widget-slot")?.querySelector("template")?.content;
  const letters = (tex) => model.get("formulas")[tex];
  const part = (text) => {
    if (text.startsWith("{"))
      return html`<span lang=${text.slice(1, 3)}>${text.slice(5, -1)}</span>`;
    if (text.startsWith("`")) return html`<code>${text.slice(1, -1)}</code>`;
    if (!text.startsWith("$")) return text;
    const [, tex, punctuation] = text.split("$");
    const formula = typeset?.querySelector(`[data-tex="${CSS.escape(tex)}"]`)?.cloneNode(true);
    // No line starts with a question mark; a long formula must be able to break.
    return html`<span class=${tex.length > 24 ? "" : "unbroken"}>${formula ?? letters(tex)}${punctuation}</span>`;
  };
  return {
    written: (text) => text.split(/((?:\{\w\w\})?`[^`]*`|\$[^$]+\$[.,;:?!)]*)/).map(part),
    plain: (text) =>
      text.replace(/\$([^$]+)\$/g, (_, tex) => letters(tex)).replace(/(\{\w\w\})?`/g, ""),
  };
}

const REST = 400; // milliseconds without a step, after which the sentence is spoken
const FORGET = 5000; // and after which it is there only once for who reads on

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

// -- motion: once, for all explorers ----------------------------------------------------------

const GLIDE = 220; // milliseconds in which a number goes to its new value

const moves = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

const ease = (t) => 1 - (1 - t) ** 3;

// Numbers between two lists, or lists of lists, of one shape; what is infinite jumps.
const mix = (a, b, t) =>
  Array.isArray(b)
    ? b.map((item, i) => mix(a[i], item, t))
    : Number.isFinite(a) && Number.isFinite(b)
      ? a + (b - a) * t
      : b;

const alike = (a, b) =>
  Array.isArray(b)
    ? Array.isArray(a) && a.length === b.length && b.every((item, i) => alike(a[i], item))
    : typeof a === typeof b;

const equal = (a, b) =>
  Array.isArray(b) ? b.every((item, i) => equal(a[i], item)) : Object.is(a, b);

// Numbers on their way: `glide(key, target)` gives them as they are to be drawn now, and has
// `again` called until they have arrived.
function gliding(again) {
  const all = new Map();
  let frame = 0;
  const next = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      again();
    });
  };
  return {
    glide(key, target, ms = GLIDE) {
      const way = all.get(key);
      if (!way || !moves() || !alike(way.to, target)) {
        all.set(key, { from: target, to: target, value: target, start: -Infinity, ms });
        return target;
      }
      const time = performance.now();
      if (!equal(way.to, target))
        Object.assign(way, { from: way.value, to: target, start: time, ms });
      const t = Math.min(1, (time - way.start) / way.ms);
      way.value = t < 1 ? mix(way.from, way.to, ease(t)) : way.to;
      if (t < 1) next();
      return way.value;
    },
    stop: () => cancelAnimationFrame(frame),
  };
}

// What has a data-travel, as in a row that is shuffled, goes from where it stood to where it stands
// now. Call it before the change; call what it returns after it.
function travelling(root, ms = 400) {
  if (!moves()) return () => {};
  const places = () =>
    new Map(
      [...root.querySelectorAll("[data-travel]")].map((item) => [
        item.dataset.travel,
        [item, item.getBoundingClientRect()],
      ]),
    );
  const before = places();
  return () => {
    let order = 0;
    for (const [key, [item, to]] of places()) {
      const from = before.get(key)?.[1];
      if (!from || (from.left === to.left && from.top === to.top)) continue;
      const way = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
      item.animate([{ transform: way }, { transform: "none" }], {
        duration: ms,
        delay: 30 * order++,
        fill: "backwards",
        easing: "ease-out",
      });
    }
  };
}

// Plays: every `ms(now)` milliseconds `step(now)` gives what changes next, nothing at the end. It
// pauses when something else is touched, and out of sight.
function playing(at, { step, ms = () => 700, rewind = () => null, name = "Play" }) {
  let timer = 0;
  let isOn = false;
  const pause = () => {
    if (!isOn) return;
    isOn = false;
    clearTimeout(timer);
    at.again();
  };
  const go = () => {
    const change = step(at.read());
    if (!change) return pause();
    at.set(change);
    timer = setTimeout(go, ms(at.read()));
    return undefined;
  };
  const toggle = () => {
    if (isOn) return pause();
    isOn = true;
    at.again();
    if (!step(at.read())) at.set(rewind(at.read()) ?? {});
    timer = setTimeout(go, 150);
    return undefined;
  };
  at.onStop(pause);
  at.onTouch((target) => !target.closest(".play") && pause());
  at.onHidden(pause);
  return {
    pause,
    get isOn() {
      return isOn;
    },
    button: () =>
      html`<button type="button" class="play" @click=${toggle}>${isOn ? "Pause" : name}</button>`,
  };
}

// -- the explorer -----------------------------------------------------------------------------

/**
 * A widget that shows its traits. `build(at)` runs once for each view and returns `view(now)`, which
 * runs after each change and gives the parts, lit-html templates all:
 *   headline  the sentence with the numbers, always first; it is spoken when the hand has rested
 *   picture   what it is about; on a phone it stays in sight if there is room, else the headline
 *   controls  what moves it; `Reset` and, if given, Play stand at the end of them
 *   more      secondary controls, folded
 *   numbers   the table, folded if `folded` says how its fold is called
 * With `plain` there are no controls and no Reset, and there need be no headline. `resetName` is what
 * Reset says, and `sets(state, now)` gives what things to try set of their state.
 * `nudge(now)` is the change that shows once what can be moved. `at` has what a view needs:
 *   read() set({trait: value}) again()   the traits now, change some, draw once more
 *   preview({trait: value} | null)       draw as if; look({..}) and unlook for pointer events
 *   glide(key, numbers)                  numbers on their way to where they are to be
 *   travel()                             before a change of order: [data-travel] moves there
 *   play({step, ms, rewind})             makes a player; its button() goes into the controls
 *   celebrate()                          something was found
 *   width, root, model, errors, onStop, onTouch, onReset
 */
function explorer(
  name,
  label,
  traits,
  build,
  { nudge, plain: isPlain, sets, resetName = "Reset" } = {},
) {
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
          if (!(key in raw) || raw[key] !== value) now[key] = traits[key].read((raw[key] = value));
        }
        return { ...now };
      };
      const set = (change) => {
        held = true;
        supposed = null;
        for (const key of names) if (key in change) model.set(key, traits[key].write(change[key]));
        held = false;
        model.save_changes();
        draw();
      };
      // The same as it travels, of all that is named.
      const put = (state) => {
        held = true;
        supposed = null;
        for (const [key, value] of Object.entries(state)) model.set(key, value);
        held = false;
        model.save_changes();
        draw();
      };
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
      const at = {
        read,
        set,
        put,
        again,
        preview,
        glide,
        model,
        root,
        errors,
        look: (change) => (event) => hasMoved(event) && (preview(change), true),
        unlook: (event) => {
          hasMoved(event);
          if (event.pointerType === "mouse") preview(null);
        },
        travel: () => travelling(root),
        play: (how) => (at.player = playing(at, how)),
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
      const view = build(at);
      const strip = tryStrip(at, el, sets);
      const sentence = speaking();
      const start = startOf(
        model,
        names.filter((key) => traits[key].place),
      );
      const reset = () => {
        root.dispatchEvent(new CustomEvent("try", { bubbles: true, detail: model }));
        errors.clear();
        strip.fold();
        undone.forEach((act) => act());
        at.put(start);
      };
      const draw = () => {
        if (held || width === 0) return;
        const parts = view({ ...read(), ...supposed });
        const { headline, picture, controls, more, numbers, folded } = parts;
        render(
          html`
          <div class="top">${headline && html`<p class="headline">${headline}</p>`}
            <p class="unseen" role="status">${sentence.spoken}</p>
            ${picture ? html`<div class="picture">${picture}</div>` : nothing}</div>
          ${
            isPlain
              ? nothing
              : html`<div class="controls">${controls ?? nothing}<div class="ends-row">
            ${at.player ? at.player.button() : nothing}
            <button type="button" class="reset" @click=${reset}>${resetName}</button></div></div>`
          }
          ${errors.view()}
          ${strip.view()}
          ${more ? html`<details class="more"><summary>More</summary><div class="controls">${more}</div></details>` : nothing}
          ${numbers && folded ? html`<details class="numbers" ?open=${parts.open}><summary>${folded}</summary>${numbers}</details>` : (numbers ?? nothing)}
        `,
          root,
        );
        follow(root, Boolean(supposed));
        if (!supposed && headline) sentence.say(root.querySelector(".headline"), again);
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
          const high = root.querySelector(".top").offsetHeight;
          const isWorth = high <= 0.45 * innerHeight && root.offsetHeight > high + 240; // what scrolls under it
          if (width <= 600 && (isWorth || !isPlain))
            root.classList.add(isWorth ? "sticks" : "sticks-line");
        }),
      );
      stops.push(atFirstSight(at, name, nudge, hidden));
      return () => {
        stop();
        sentence.stop();
        for (const act of stops) act?.();
        for (const key of names) model.off(`change:${key}`, changed);
        root.remove();
      };
    },
  };
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

// The headline changes at every step; assistive technology hears it once the hand has rested.
function speaking() {
  let before = "";
  let timer = 0;
  const one = {
    spoken: "",
    say(seen, again) {
      const text = seen.textContent;
      if (before === text) return;
      const isFirst = before === "";
      before = text;
      if (isFirst) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        const said = seen.cloneNode(true);
        // Its text, and of which language it is.
        for (const item of said.querySelectorAll(":not([lang])"))
          item.replaceWith(...item.childNodes);
        said.normalize();
        one.spoken = [...said.childNodes].filter((node) => node.nodeType !== 8);
        again();
        timer = setTimeout(() => {
          one.spoken = "";
          again();
        }, FORGET);
      }, REST);
    },
    stop: () => clearTimeout(timer),
  };
  return one;
}

// JupyterLab has commands on plain keys; its own attribute keeps them from what has the focus. A
// key that is pressed with Ctrl, Shift, Alt or Meta stays JupyterLab's.
function keepKeys(root) {
  const keep = (event) =>
    event.target.toggleAttribute(
      "data-lm-suppress-shortcuts",
      !(event.ctrlKey || event.shiftKey || event.altKey || event.metaKey),
    );
  for (const kind of ["focusin", "keydown", "keyup"]) root.addEventListener(kind, keep);
}

// Once a session, when it comes into sight, an explorer moves its main control a little and back.
function atFirstSight(at, name, nudge, hidden) {
  const key = `nudged ${location.pathname} ${name}`;
  let timer = 0;
  let isTouched = false;
  const end = () => {
    clearTimeout(timer);
    if (timer) at.preview(null);
    timer = 0;
  };
  at.onTouch(() => {
    isTouched = true;
    end();
  });
  const isNew = () => {
    try {
      return !sessionStorage.getItem(key) && (sessionStorage.setItem(key, "1"), true);
    } catch {
      return false;
    }
  };
  const watch = new IntersectionObserver(
    ([entry]) => {
      if (!entry.isIntersecting) hidden.forEach((act) => act());
      else if (nudge && !isTouched && moves() && entry.intersectionRatio > 0.6 && isNew()) {
        at.preview(nudge(at.read()));
        timer = setTimeout(end, 450);
      }
    },
    { threshold: [0, 0.7] },
  );
  watch.observe(at.root);
  return () => {
    watch.disconnect();
    clearTimeout(timer);
  };
}

// Things to try: one at a time, with what sets it up, and what to see beside it.
function tryStrip(at, el, sets = (state) => state) {
  const { model, root, again } = at;
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
    at.put(sets(things[place].state, at.read()));
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

// -- controls ---------------------------------------------------------------------------------

// The id of a control, the same at each drawing of the view that `key` belongs to.
const idOf = (at, key) => {
  const full = (at.ids ??= new Map());
  if (!full.has(key)) full.set(key, uniqueId("control"));
  return full.get(key);
};

// A slider over whole numbers; `text` stands beside it, for the eye, `say` is what is heard.
const slider = (
  at,
  { key, label, value, min = 0, max, step = 1, text = String(value), say, onInput, wide = "" },
) => {
  const id = idOf(at, key);
  return html`<div class="control ${wide}"><label for=${id}>${label}</label><output for=${id} aria-hidden="true">${text}</output>
    <input id=${id} type="range" min=${min} max=${max} step=${step} data-now=${value}
      aria-valuetext=${say ?? text} @input=${(event) => onInput(event.target.valueAsNumber)}></div>`;
};

// The temperature slider: the same in every explorer.
const temperatureSlider = (at, value, onInput) => {
  const id = idOf(at, "temperature");
  const range = at.root.querySelector(`[id="${id}"]`);
  // The slider has 101 places; a temperature set from Python may lie between two of them.
  const place =
    range && temperatureAt(range.valueAsNumber) === value
      ? range.valueAsNumber
      : Math.round(sliderPosition(value));
  return html`<div class="control"><label for=${id}>Temperature ${letter("T", "")}</label>
    <output for=${id} aria-hidden="true">${short(value)}</output>
    <input id=${id} type="range" min="0" max="100" step="1" data-now=${place} aria-valuetext=${temperatureWords(value)}
      @input=${(event) => onInput(temperatureAt(event.target.valueAsNumber))}>
    <div class="ends" aria-hidden="true">${["0 hard", "0.1", "1", "10", "uniform ∞"].map((end) => html`<span>${end}</span>`)}</div></div>`;
};

// One of several from a list; `options` are texts by values.
const selectBox = (at, { key, label, options, value, onInput }) => html`<div class="control">
  <label for=${idOf(at, key)}>${label}</label>
  <select id=${idOf(at, key)} data-now=${value} @input=${(event) => onInput(event.target.value)}>
    ${Object.entries(options).map(([each, text]) => html`<option value=${each}>${text}</option>`)}</select></div>`;

// One of several words: real radio buttons, drawn as words. -1: none of them. `previewed(i)` is
// what a press would set, shown while the mouse is over it.
const choice = (
  at,
  { key, legend, options, index, onInput, previewed },
) => html`<fieldset class="choice">
  <legend>${legend}</legend>${options.map(
    (text, i) => html`<label
    @pointerenter=${previewed ? at.look(previewed(i)) : null} @pointerleave=${previewed ? at.unlook : null}>
    <input type="radio" name=${idOf(at, key)} value=${i} data-now=${i === index} @input=${() => onInput(i)}><span>${text}</span></label>`,
  )}</fieldset>`;

// The arrow keys move the focus among radio buttons and choose none; Enter or Space do.
const moveOnly = (event) => {
  const { key, target } = event;
  if (target.type !== "radio" || event.ctrlKey || event.altKey || event.metaKey) return;
  if (key === "Enter") target.click();
  const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[key];
  if (!way) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll(`[name="${target.name}"]`)];
  all[(all.indexOf(target) + way + all.length) % all.length].focus();
};

const tick = (label, checked, onInput, said) => html`<label class="tick"><input type="checkbox"
  aria-label=${said ?? nothing} data-now=${checked} @input=${(event) => onInput(event.target.checked)}>
  <span aria-hidden=${said ? "true" : nothing}>${label}</span></label>`;

const button = (text, onClick, kind = "") =>
  html`<button type="button" class=${kind} @click=${onClick}>${text}</button>`;

const LARGEST = 1e6; // number in a cell
const PULL = 6; // px sideways for one step of a number

// What is wrong with fields, spoken at once.
function fieldErrors(again) {
  const messages = new Map();
  const id = uniqueId("error");
  return {
    id,
    set(key, message) {
      if (message) messages.set(key, message);
      else if (!messages.delete(key)) return;
      again();
    },
    has: (key) => messages.has(key),
    clear: () => messages.clear(),
    view: () =>
      html`<p class="error" id=${id} role="alert">${[...messages.values()].join(" ")}</p>`,
  };
}

// A cell of a table with a number to change: typed, or pulled sideways. What is no number is marked
// and explained, and the last number stays.
const numberCell = (at, { label, role, step = 0.1, value, onInput }) => {
  const { errors } = at;
  const take = ({ target }) => {
    const to = target.valueAsNumber;
    const fits = Math.abs(to) <= LARGEST; // false for NaN, which is what an empty cell gives
    const what = Number.isNaN(to) ? "is not a number" : "is not from −1,000,000 to 1,000,000";
    errors.set(label, fits ? "" : `${capital(label)} ${what}; ${short(value)} is used.`);
    if (fits) onInput(to);
  };
  const leave = ({ target }) => {
    target.value = String(value);
    errors.set(label, "");
  };
  return html`<td class="entry"><input type="number" step=${step} class=${role} aria-label=${label} data-now=${value}
    aria-invalid=${errors.has(label) ? "true" : nothing} aria-describedby=${errors.has(label) ? errors.id : nothing}
    @input=${take} @blur=${leave}></td>`;
};

// A number that is pulled, sideways or up and down, changes by steps; a press without a pull starts
// typing.
function pullNumbers(root) {
  let pull = null;
  const cell = (event) => event.target.closest?.(".entry input[type=number]");
  root.addEventListener("pointerdown", (event) => {
    const input = cell(event);
    pull =
      !input || event.button !== 0
        ? null
        : {
            input,
            isFinger: event.pointerType === "touch",
            x: event.clientX,
            y: event.clientY,
            value: input.valueAsNumber || 0,
            moved: false,
          };
    if (pull) input.setPointerCapture(event.pointerId);
  });
  root.addEventListener("mousedown", (event) => pull && cell(event) && event.preventDefault());
  root.addEventListener("dragstart", (event) => cell(event) && event.preventDefault()); // of its text
  root.addEventListener("pointermove", (event) => {
    if (!pull || !pull.input.hasPointerCapture(event.pointerId)) return;
    const [across, up] = [event.clientX - pull.x, pull.y - event.clientY];
    // A finger that goes up scrolls the page.
    const isUp = !pull.isFinger && Math.abs(up) > Math.abs(across);
    const steps = Math.round((isUp ? up : across) / PULL);
    pull.moved ||= steps !== 0;
    const to = Number((pull.value + steps * Number(pull.input.step)).toPrecision(12));
    if (!pull.moved || to === pull.input.valueAsNumber) return;
    pull.input.value = String(Math.max(-LARGEST, Math.min(LARGEST, to)));
    pull.input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  root.addEventListener("click", () => {
    if (pull && !pull.moved) {
      pull.input.focus();
      pull.input.select();
    }
    pull = null;
  });
}

// A finger that scrolls the page may begin on a slider, which keeps its value then.
function scrollPast(root) {
  let slid = null;
  root.addEventListener("pointerdown", ({ target, pointerType }) => {
    slid = pointerType === "touch" && target.type === "range" ? [target, target.value] : null;
  });
  root.addEventListener("pointercancel", () => {
    if (!slid || slid[0].value === slid[1]) return;
    slid[0].value = slid[1];
    slid[0].dispatchEvent(new Event("input", { bubbles: true }));
  });
}

// -- drawing ----------------------------------------------------------------------------------

const GUTTER = 36; // left of a chart, for the numbers of its axes
const INSET = 8; // half the thumb of a slider: where the slider is the axis, marks stand under it

const px = (x) => x.toFixed(1);

// A path through points.
const pathOf = (points) => `M${points.map(([x, y]) => `${px(x)} ${px(y)}`).join("L")}`;

// A sentence in a list of sentences: of a long one both ends.
const brief = (text) =>
  text.length > 38 ? text.replace(/^(\S+ \S+) .* (\S+ \S+ \S+)$/, "$1 … $2") : text;

// A line across a chart, with its number in the gutter.
const level = (y, right, text, { gutter = GUTTER, role = "hair" } = {}) => svg`
  <path class=${role} d="M${gutter} ${y}H${right}"/>
  <text class="dim" x=${gutter - 6} y=${y + 4} text-anchor="end">${text}</text>`;

// What a finger drags does not scroll the page: touch-action does nothing on parts of a drawing.
const noScroll = (event) => event.preventDefault();

// Listeners that ask for what is under the pointer where it presses and as it pulls. A finger asks
// with a tap, since it may be about to scroll the page; with `touch`, it pulls as well.
const dragging = (ask, { touch = false } = {}) => ({
  down(event) {
    const isFinger = event.pointerType === "touch";
    if (event.button !== 0 || (isFinger && !touch)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    if (!isFinger) ask(event);
  },
  move(event) {
    // A browser captures a finger by itself.
    const isWanted = touch || event.pointerType !== "touch";
    if (isWanted && event.currentTarget.hasPointerCapture(event.pointerId)) ask(event);
  },
  click: ask,
});

// The width of a column of words in px, from `least` to `most`; longer words are cut. There is
// room for readers who set letters wider apart.
const wordWidth = (words, least, most) =>
  Math.max(least, Math.min(most, 10 + 9.5 * Math.max(...words.map((word) => word.length))));

// A bar that says a weight twice, by length and by colour; a tick marks the uniform weight among
// `among`.
const weightBar = (
  weight,
  among,
  isHidden = false,
) => html`<span class="bar ${isHidden ? "masked" : ""}" aria-hidden="true">
  <span class="fill" style="width: ${100 * weight}%; background: ${weightColor(weight)}"></span>
  <span class="uniform" style="left: ${100 / Math.max(1, among)}%"></span></span>`;

// The name of that tick, for the head of a column of bars; none has no name.
const barHead = (among) => html`<span class="barhead" aria-hidden="true">
  <span style="left: ${100 / Math.max(1, among)}%">${among ? `1/${among}` : ""}</span></span>`;
