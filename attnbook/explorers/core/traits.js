// Traits: how they travel between Python and the page, and how an address says them.

export const LARGEST = 1e6; // number in a cell

// A number that may be infinite travels as "inf" or "-inf".
export const readNumber = (value) => Number(String(value).replace("inf", "Infinity"));

export const writeNumber = (x) => (Number.isFinite(x) ? x : x > 0 ? "inf" : "-inf");

// Little-endian float64 bytes to numbers.
export function readNumbers(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: view.byteLength / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

export function writeNumbers(numbers) {
  const view = new DataView(new ArrayBuffer(8 * numbers.length));
  numbers.forEach((x, i) => view.setFloat64(8 * i, x, true));
  return view;
}

// Cuts a flat list into rows.
export const rowsOf = (flat, width) =>
  Array.from({ length: flat.length / width }, (_, i) => flat.slice(i * width, (i + 1) * width));

/**
 * How a trait is read and written, and how an address says it.
 * @typedef {object} Codec
 * @property {(raw: any) => any} read
 * @property {(value: any) => any} write
 * @property {Address} [address]
 *
 * @typedef {object} Address
 * @property {string} name
 * @property {(value: any, now: any, start: any) => string} say
 * @property {(text: string, now: any) => any} take nothing if it does not fit
 * @property {any} [least] where not even the value at the start fits
 */

// What JSON holds as it is.
export const plain = { read: (raw) => raw, write: (value) => value };
// A number that may be infinite.
const float = { read: readNumber, write: writeNumber };
// An array, as a flat list.
export const floats = { read: readNumbers, write: writeNumbers };

// -- addresses: what readers move, as text ----------------------------------------------------

export const numeral = (text) =>
  /^(-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|-?inf)$/.test(text) ? readNumber(text) : NaN;

// What a text means only if it fits.
export const onlyIf = (value, fits) => (fits ? value : undefined);

// One of some names; where two are alike, with its place.
export const nameText = (names, at) => {
  const name = String(names[at] ?? "");
  return names.filter((other) => String(other) === name).length > 1 || /@\d+$/.test(name)
    ? `${name}@${at}`
    : name;
};

// The place of a name that is written so, or -1.
export const placeNamed = (names, text) => names.findIndex((_, at) => nameText(names, at) === text);

/**
 * @param {string} name
 * @param {(now: any) => any[]} names
 * @returns {Codec}
 */
export const oneOf = (name, names) => ({
  ...plain,
  address: {
    name,
    say: (value) => String(value ?? ""),
    take: (text, now) => names(now).find((each) => String(each ?? "") === text),
  },
});

/**
 * An index, by the name at it; `least` where none of them fits.
 * @param {string} name
 * @param {(now: any) => any[]} names
 * @param {number} [least]
 * @returns {Codec}
 */
export const placeIn = (name, names, least = 0) => ({
  ...plain,
  address: {
    name,
    say: (value, now) => nameText(names(now), value),
    take: (text, now) => {
      const at = placeNamed(names(now), text);
      return onlyIf(at, at >= 0);
    },
    least,
  },
});

/**
 * A whole number.
 * @param {string} name
 * @param {number} least
 * @param {(now: any) => number} most
 * @param {number} [step]
 * @returns {Codec}
 */
export const whole = (name, least, most, step = 1) => ({
  ...plain,
  address: {
    name,
    say: String,
    take: (text, now) => {
      const x = /^\d+$/.test(text) ? Number(text) : NaN;
      return onlyIf(x, x >= least && x <= most(now) && x % step === 0);
    },
    least,
  },
});

// A number.
const real = (name, fits) => ({
  ...float,
  address: {
    name,
    say: (value) => String(writeNumber(value)),
    take: (text, now) => onlyIf(numeral(text), fits(numeral(text), now)),
  },
});

// True or false, as 1 or 0.
const flag = (name) => ({
  ...plain,
  address: {
    name,
    say: (value) => (value ? "1" : "0"),
    take: (text) => onlyIf(text === "1", /^[01]$/.test(text)),
  },
});

/**
 * A list of numbers, as long as before.
 * @param {Codec} codec
 * @param {string} name
 * @param {(x: number[], now: any) => boolean} fits
 * @param {(now: any) => any} [own] what it is where the address says nothing
 * @returns {Codec}
 */
export const listOf = (codec, name, fits, own = () => undefined) => ({
  ...codec,
  address: {
    name,
    say: (value, now) => (String(value) === String(own(now)) ? "" : String(value)),
    take: (text, now) => {
      if (text === "") return own(now);
      const x = text.split(",").map(numeral);
      return onlyIf(x, fits(x, now));
    },
  },
});

// As many numbers as there are, of a size that Python takes, too.
export const fitCells = (those) => (x, now) =>
  x.length === those(now).length && x.every((item) => Math.abs(item) <= LARGEST);

// The numbers of an array. Where nothing stands between two commas, they are as at the start.
const arrayOf = (key, name) => ({
  ...floats,
  address: {
    name,
    say: (value, now, start) => value.map((x, i) => (x === start[key][i] ? "" : x)).join(","),
    take: (text, now) => {
      const x = text.split(",").map((item, i) => (item ? numeral(item) : now[key][i]));
      return onlyIf(x, fitCells(() => now[key])(x, now));
    },
  },
});

// What readers move, as the text of an address and back. It says what is other than at the start.
export function addressing(traits) {
  const all = Object.entries(traits);
  const valuesOf = (model) =>
    Object.fromEntries(all.map(([key, { read }]) => [key, read(model.get(key))]));
  const textsOf = (model, start) => {
    const [now, first] = [model, start].map(valuesOf);
    return all.flatMap(([key, { address }]) =>
      address ? [[address.name, address.say(now[key], now, first)]] : [],
    );
  };
  return {
    write(model, start) {
      const before = textsOf(start, start);
      const other = textsOf(model, start).filter(([, text], i) => text !== before[i][1]);
      return String(new URLSearchParams(other)).replaceAll("%2C", ",").replaceAll("%40", "@");
    },
    // The traits of an address; where it says nothing that fits, they are as at the start.
    read(text, start) {
      const asked = new URLSearchParams(text);
      const before = Object.fromEntries(textsOf(start, start));
      const now = valuesOf(start);
      const state = {};
      for (const [key, { address, write }] of all) {
        if (!address) continue;
        const { name, take, least } = address;
        now[key] = take(asked.get(name) ?? before[name], now) ?? take(before[name], now) ?? least;
        state[key] = write(now[key]);
      }
      return state;
    },
  };
}

// The codecs of the traits that Python declares (_traits.py): for each its kind, its name in
// addresses if readers move it, and what else the kind takes. A script may replace one.
export function traitsOf(declared) {
  const list = (of) => (now) => now[of];
  const kinds = {
    plain: () => plain,
    floats: () => floats,
    real: (address, low, high) =>
      real(address, (x) => x >= readNumber(low) && x <= readNumber(high)),
    whole: (address, low, high, step) => whole(address, low, () => high ?? Infinity, step),
    oneOf: (address, options) => oneOf(address, () => options),
    flag: (address) => flag(address),
    place: (address, of) => placeIn(address, list(of)),
    order: (address, of) =>
      listOf(
        plain,
        address,
        (x, now) => x.length === now[of].length && x.every((_, i) => x.includes(i)),
        (now) => now[of].map((_, i) => i),
      ),
    integers: (address, of, low, high) =>
      listOf(
        plain,
        address,
        (x, now) =>
          x.length === now[of].length &&
          x.every((i) => Number.isInteger(i) && i >= low && i <= high),
      ),
  };
  const traits = {};
  for (const [name, [kind, address, ...rest]] of Object.entries(declared)) {
    if (kind === "numbers") {
      traits[name] = arrayOf(name, address);
    } else if (address) {
      traits[name] = kinds[kind](address, ...rest);
    } else {
      traits[name] = kind === "real" ? float : kind === "floats" ? floats : plain;
    }
  }
  return traits;
}
