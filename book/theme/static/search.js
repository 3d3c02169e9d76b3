// @ts-check
/** The page of the search: which sections have the words that are asked for, the best first. */
(() => {
  "use strict";

  /** @typedef {{page: string, id: string, title: string, text: string}} Section */
  /** What the field says and the pages hardly do, and what they say. @type {Map<string, string>} */
  const OTHER_NAMES = new Map(
    Object.entries({
      ffn: "feed-forward",
      gnn: "graph",
      layernorm: "layer norm",
      mha: "multi-head",
      rope: "rotary",
      swa: "window",
    }),
  );
  const AROUND = 100; // letters of a text that are shown on either side

  /** The words of a text, a name of several words as one. @param {string} text */
  const split = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  /** A word where it begins, in the singular or the plural. @param {string} word */
  const pattern = (word) => {
    const stem = word.length > 3 ? word.replace(/(?:ies|y|s)$/, "") : word;
    return new RegExp(`(?<![\\p{L}\\p{N}])${stem}`, "giu");
  };

  /**
   * How well a section fits: how many of the words it has, then how often, titles first.
   * @param {Section} section @param {RegExp[]} words
   */
  function fit({ title, text }, words) {
    const found = words.map(
      (word) => Math.min(text.match(word)?.length ?? 0, 5) + 10 * (title.match(word)?.length ?? 0),
    );
    return { has: found.filter(Boolean).length, score: found.reduce((a, b) => a + b, 0) };
  }

  /** A piece of a text with its words marked. @param {string} text @param {RegExp[]} words */
  function excerpt(text, words) {
    const first = Math.min(...words.map((word) => text.search(word)).filter((at) => at >= 0));
    const start = Number.isFinite(first) ? Math.max(0, first - AROUND) : 0;
    const end = start + 2 * AROUND;
    const piece = text.slice(start, end).replace(start ? /^\S*\s/ : "", start ? "… " : "");
    const marks = new RegExp(`(${words.map(({ source }) => source).join("|")})`, "giu");
    const p = document.createElement("p");
    p.append(
      ...piece.split(marks).map((part, i) => (i % 2 ? mark(part) : part)),
      end < text.length ? " …" : "",
    );
    return p;
  }

  /** @param {string} text */
  function mark(text) {
    const made = document.createElement("mark");
    made.textContent = text;
    return made;
  }

  /** @param {string} query @param {RegExp[]} words @returns {[string, Section][]} with addresses */
  function search(query, words) {
    const { sections } = /** @type {{sections: Record<string, Section[]>}} */ (
      /** @type {unknown} */ (globalThis)
    );
    const found = Object.entries(sections).flatMap(([name, all]) =>
      all.map((section, i) => ({
        address: `${name}.html?q=${encodeURIComponent(query)}${i ? `#${section.id}` : ""}`,
        section,
        ...fit(section, words),
      })),
    );
    const most = Math.max(1, ...found.map(({ has }) => has));
    return found
      .filter(({ has }) => has === most)
      .sort((a, b) => b.score - a.score)
      .map(({ address, section }) => [address, section]);
  }

  const query = new URLSearchParams(location.search).get("q") ?? "";
  for (const field of document.querySelectorAll("input[name=q]")) {
    if (field instanceof HTMLInputElement) field.value = query;
  }
  const words = split(query)
    .flatMap((word) => split(OTHER_NAMES.get(word) ?? word))
    .map(pattern);
  const [status, list] = document.querySelectorAll("#search-results > *");
  if (!words.length) {
    if (query.trim())
      status.textContent = "Signs alone are not found. Type a word, a name or a number.";
    return;
  }
  const found = search(query, words);
  status.textContent = found.length
    ? `Places found: ${found.length}`
    : "Nothing found. Check the spelling, or try fewer words.";
  for (const [address, { page, title, text }] of found) {
    const link = document.createElement("a");
    link.href = address;
    link.textContent = title === page ? page : `${page} > ${title}`;
    const item = document.createElement("li");
    item.append(link, excerpt(text, words));
    list.append(item);
  }
})();
