// @ts-check
/**
 * Which earlier cells a cell needs, and which of these Python does not hold as they stand now.
 * Cells are linked by the names that they define and take.
 */

/**
 * A cell as it stands: the book's, or what the reader wrote and ran in its place. It needs no
 * earlier value of a name that is `sure`; `imports` are the lines of names that it only imports.
 * @typedef {{id: string, text: string, defines: string[], takes: string[], sure?: string[], imports?: Record<string, string>}} Cell
 */

/**
 * The cells, and before each one a cell for each name that it only imports: who takes no more than
 * that name runs these lines alone.
 * @param {readonly Cell[]} cells
 */
export function apart(cells) {
  /** The lines that gave each name last, where nothing else has given it since. @type {Map<string, string>} */
  const last = new Map();
  return cells.flatMap((cell) => {
    const { id, defines, imports = {} } = cell;
    const lines = Object.entries(imports).filter(([name, text]) => last.get(name) !== text);
    for (const name of defines) last.delete(name);
    for (const [name, text] of Object.entries(imports)) last.set(name, text);
    /** @type {Cell[]} */
    const made = lines.map(([name, text]) => ({
      id: `${id} ${name}`,
      text,
      defines: [name],
      takes: [],
    }));
    return [...made, cell];
  });
}

/** The names that others take of a cell. @param {Cell} cell */
const given = ({ defines, imports = {} }) =>
  defines.filter((name) => !Object.hasOwn(imports, name));

/** What a cell that runs changes in what is still wanted. @param {Set<string>} wanted @param {Cell} cell */
function want(wanted, { takes, sure = [] }) {
  for (const name of sure) wanted.delete(name);
  for (const name of takes) wanted.add(name);
}

/** Positions of the earlier cells that one needs, in order. @param {readonly Cell[]} cells @param {number} at */
export function needed(cells, at) {
  const wanted = new Set(cells[at].takes);
  const found = [];
  for (let i = at - 1; i >= 0; i--) {
    if (!given(cells[i]).some((name) => wanted.has(name))) continue;
    found.unshift(i);
    want(wanted, cells[i]);
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
    const before = needed(cells, at).reverse();
    /** @type {number[]} */
    let found = [];
    // A cell that runs again takes names from cells after it, which then run again, too.
    for (let many = -1; found.length > many;) {
      many = found.length;
      found = this.#missing(cells, at, before, now, found);
    }
    return found;
  }

  /**
   * The same, where these run again for sure.
   * @param {readonly Cell[]} cells @param {number} at @param {readonly number[]} before
   * @param {readonly string[]} now @param {readonly number[]} again
   */
  #missing(cells, at, before, now, again) {
    const wanted = new Set(cells[at].takes);
    const found = [];
    for (const i of before) {
      const { id } = cells[i];
      const names = given(cells[i]).filter((name) => wanted.has(name));
      if (names.length === 0) continue;
      const isTaken = (/** @type {string} */ name) =>
        this.owner.get(name) !== id ||
        again.some((other) => other < i && cells[other].defines.includes(name));
      if (this.ran.get(id) === now[i] && !names.some(isTaken)) {
        for (const name of names) wanted.delete(name);
      } else {
        found.unshift(i);
        want(wanted, cells[i]);
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
    made.push(
      JSON.stringify([cell.text, ...needed(cells, at).map((i) => [cells[i].id, cells[i].text])]),
    );
  });
  return made;
}
