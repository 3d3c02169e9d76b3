// @ts-check
/**
 * Which earlier cells a cell needs, and which of these Python does not hold as they stand now.
 * Cells are linked by the names that they define and take.
 */

/**
 * A cell as it stands: the book's, or what the reader wrote and ran in its place.
 * @typedef {{id: string, text: string, defines: string[], takes: string[], all?: boolean}} Cell
 */

/** Positions of the earlier cells that one needs, in order. @param {readonly Cell[]} cells @param {number} at */
export function needed(cells, at) {
  let { all } = cells[at];
  const wanted = new Set(cells[at].takes);
  const found = [];
  for (let i = at - 1; i >= 0; i--) {
    const cell = cells[i];
    if (!all && !cell.defines.some((name) => wanted.has(name))) continue;
    found.unshift(i);
    for (const name of cell.takes) wanted.add(name);
    all ||= cell.all;
  }
  return found;
}

/** What Python holds: which cells ran, each as it then stood, and whose each name is. */
export class Held {
  constructor() {
    /** @type {Map<string, string>} */
    this.ran = new Map();
    /** @type {Map<string, string>} */
    this.owner = new Map();
  }

  forget() {
    this.ran.clear();
    this.owner.clear();
  }

  /**
   * A cell ran, from its start to its end or not.
   * @param {readonly Cell[]} cells @param {number} at @param {boolean} isWhole
   */
  note(cells, at, isWhole) {
    const { id, defines } = cells[at];
    for (const name of defines) this.owner.set(name, isWhole ? id : "");
    if (isWhole) this.ran.set(id, versions(cells)[at]);
    else this.ran.delete(id);
  }

  /**
   * Positions of the cells to run before this one, in order.
   * @param {readonly Cell[]} cells @param {number} at
   */
  missing(cells, at) {
    const now = versions(cells);
    const wanted = new Set(cells[at].takes);
    const found = [];
    let { all } = cells[at];
    for (const i of needed(cells, at).reverse()) {
      const cell = cells[i];
      const names = cell.defines.filter((name) => wanted.has(name));
      if (!all && names.length === 0) continue;
      const isHeld = this.ran.get(cell.id) === now[i];
      if (isHeld && names.every((name) => this.owner.get(name) === cell.id)) {
        for (const name of names) wanted.delete(name);
      } else {
        found.unshift(i);
        for (const name of cell.takes) wanted.add(name);
        all ||= cell.all;
      }
    }
    return found;
  }
}

/**
 * For each cell a text that changes when it or a cell that it needs changes.
 * @param {readonly Cell[]} cells
 */
function versions(cells) {
  /** @type {string[]} */
  const made = [];
  cells.forEach((cell, at) => {
    made.push(JSON.stringify([cell.text, ...needed(cells, at).map((i) => [cells[i].id, cells[i].text])]));
  });
  return made;
}
