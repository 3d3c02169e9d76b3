// @ts-check
// The ends of arrows, to be taken by the hand: for the explorers in a plane.

const STEP = 0.1; // of an arrow key
const HANDLE = 28; // px

/** @type {Record<string, readonly number[]>} */
const ARROWS = {
  ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP],
};

/** With two decimals, inside the room. @param {readonly number[]} point @param {readonly number[]} room */
const within = (point, room) => point.map((x, axis) =>
  Math.round(100 * Math.max(-room[axis], Math.min(room[axis], x))) / 100);

/** A point as it is read. @param {readonly number[]} point */
const pointText = (point, digits = 2) => `(${point.map((x) => fixed(x, digits)).join(", ")})`;

/**
 * What the hand takes at the end of an arrow: a slider in two directions. Who cannot drag presses it,
 * and then the place.
 * @param {string} name
 * @param {() => readonly number[]} read where it is
 * @param {(point: number[]) => void} move
 * @param {readonly number[]} room
 */
function handle(name, read, move, room) {
  const root = h("div", { class: "handle", role: "slider", tabindex: 0, "aria-label": name,
    "aria-valuemin": -room[0], "aria-valuemax": room[0] });
  let unit = 1; // px
  /** What it is on the screen: a page may be enlarged. */
  const shown = () => unit * (root.currentCSSZoom ?? 1);
  /** @type {readonly number[] | null} where the pointer would have to be for the arrow to end at 0 */
  let pull = null;
  root.addEventListener("keydown", (event) => {
    const step = ARROWS[event.key];
    const end = { Home: -room[0], End: room[0] }[event.key];
    if (!(step || end) || event.ctrlKey || event.altKey || event.shiftKey || event.metaKey) return;
    event.preventDefault();
    const [x, y] = read();
    move(end ? [end, y] : [x + step[0], y + step[1]]);
  });
  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault(); // of selecting text; the focus comes by hand
    root.focus({ preventScroll: true });
    const [x, y] = read();
    pull = [event.clientX - shown() * x, event.clientY + shown() * y];
    root.setPointerCapture(event.pointerId);
  });
  root.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (pull) move([(clientX - pull[0]) / shown(), (pull[1] - clientY) / shown()]);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    root.addEventListener(end, () => {
      pull = null;
    });
  }
  onPressBeside(root, () => root.parentElement, ({ clientX, clientY }) => {
    const { left, top, width, height } = root.getBoundingClientRect();
    const [x, y] = read();
    move([x + (clientX - left - width / 2) / shown(), y - (clientY - top - height / 2) / shown()]);
  });
  return {
    root,
    /** @param {readonly number[]} point @param {readonly number[]} at in px @param {number} newUnit @param {string} text */
    set(point, [x, y], newUnit, text) {
      unit = newUnit;
      root.style.translate = `${x - HANDLE / 2}px ${y - HANDLE / 2}px`;
      setAttributes(root, { "aria-valuenow": fixed(point[0], 2).replace("−", "-"),
        "aria-valuetext": text });
    },
  };
}
