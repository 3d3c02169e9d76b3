// @ts-check
/**
 * The states of explorers are in the page's address, as in #bench:query=The&T=0.2: what is other
 * than at the start, of the explorer that was touched last. An address is only ever read: what it
 * says goes through the explorer's own `address`, which ignores what does not fit.
 */
(() => {
  "use strict";
  const FRAME = 64; // px around an explorer on its own page (.embed in the style)
  const REST = 500; // milliseconds without a change, after which the address follows

  /**
   * @typedef {{get: (name: string) => any}} Traits
   * @typedef {Traits & {state: Record<string, any>, set: (state: object) => void,
   *   on: (event: string, listener: () => void) => void}} Model
   * @typedef {{write: (model: Traits, start: Traits) => string,
   *   read: (text: string, start: Traits) => object}} Address
   * @typedef {{id: string, slot: HTMLElement, model: Model, follow: (push?: boolean) => void,
   *   go: (text: string) => void, link: () => string}} Place
   */
  /** @type {Place[]} */
  const places = [];
  let timer = 0; // runs out when all are at rest

  /** What the page's address names, if it is an explorer of this page: where it is, its state. */
  const asked = () => {
    const [, id, text] = location.hash.match(/^#([a-z0-9-]+):(.*)$/s) ?? [];
    const place = places.find((each) => each.id === id);
    return place && { place, text };
  };

  /** Opens the answer that an explorer is part of, as a search would. @param {Element} slot */
  const unveil = (slot) => slot.closest(".veil")?.dispatchEvent(new Event("beforematch"));

  document.addEventListener("mounted", (event) => {
    const slot = /** @type {HTMLElement} */ (event.target);
    const { model, address } = /** @type {CustomEvent<{model: Model, address?: Address}>} */ (event)
      .detail;
    const id = slot.dataset.address;
    if (!id || !address || places.some((place) => place.id === id)) return;

    const first = { ...model.state };
    const start = { get: (/** @type {string} */ name) => first[name] };
    const hash = () => `#${id}:${address.write(model, start)}`;
    const place = {
      id,
      slot,
      model,
      link: () => new URL(hash(), location.href).href,
      /** @param {string} text */
      go(text) {
        model.set(address.read(text, start));
        place.follow(); // without what did not fit
      },
      follow(push = false) {
        clearTimeout(timer);
        if (location.hash === hash()) return;
        if (push) history.pushState(null, "", hash());
        else history.replaceState(history.state, "", hash());
      },
    };
    places.push(place);
    model.on("change", () => {
      clearTimeout(timer);
      timer = setTimeout(place.follow, REST);
    });
    if (asked()?.place !== place) return;
    place.go(asked()?.text ?? "");
    unveil(slot);
    // A reader who comes back is where they were; a frame has nothing else to show.
    const [entry] = performance.getEntriesByType("navigation");
    if (
      parent === window &&
      /** @type {PerformanceNavigationTiming} */ (entry).type === "navigate"
    ) {
      slot.scrollIntoView();
    }
  });

  addEventListener("popstate", () => {
    clearTimeout(timer); // an ordinary link was followed before all came to rest
    const found = asked();
    found?.place.go(found.text);
    if (found) unveil(found.place.slot);
    found?.place.slot.scrollIntoView({ block: "nearest" });
  });

  // A button is about to set a state: one can come back to what was there.
  addEventListener("try", (event) => {
    const { detail } = /** @type {CustomEvent<Model>} */ (event);
    const place = places.find(({ model }) => model === detail);
    place?.follow();
    queueMicrotask(() => place?.follow(true));
  });

  // ---- in the corner of an explorer: its link, and its line for other pages ------------------

  for (const corner of document.querySelectorAll(".share")) {
    const slot = /** @type {HTMLElement} */ (corner.previousElementSibling);
    const field = /** @type {HTMLInputElement} */ (corner.querySelector("input"));
    /**
     * Copies a text; where that is not allowed, it is there to be copied by hand.
     * @param {HTMLElement} button
     * @param {string} text
     */
    const offer = async (button, text) => {
      const name = button.textContent;
      field.value = text;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
        setTimeout(() => {
          button.textContent = name;
        }, 2000);
      } catch {
        field.hidden = false;
        field.select();
      }
    };
    const close = () => {
      field.hidden = true;
      embed.focus();
    };
    const of = () => places.find((place) => place.slot === slot);
    const [link, embed] = corner.querySelectorAll("button");
    link.addEventListener("click", () => offer(link, of()?.link() ?? location.href));
    corner.addEventListener("keydown", (event) => {
      if (/** @type {KeyboardEvent} */ (event).key === "Escape") close();
    });
    embed.addEventListener("click", () => {
      if (!field.hidden) return close();
      const [page] = location.pathname.split("/").slice(-1);
      const { id, link: to } = /** @type {Place} */ (of());
      const address = new URL(`../embed/${page.replace(".html", "")}-${id}.html`, location.href);
      address.hash = new URL(to()).hash;
      const title = document.title.replaceAll('"', "&quot;");
      offer(
        embed,
        `<iframe src="${address.href}" width="100%" height="${slot.offsetHeight + FRAME}" ` +
          `loading="lazy" style="border: 0" title="${title}"></iframe>`,
      );
      field.hidden = false;
    });
  }
})();
