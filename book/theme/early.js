// Part of each page's head: what must be settled before the page is drawn.
// A browser that keeps nothing (blocked cookies) throws where a script asks for what it
// kept, and Sphinx's search would be lost. This keeps as long as the page is open.
for (const name of ["localStorage", "sessionStorage"]) {
  try {
    void window[name];
  } catch {
    const kept = Object.create({
      getItem: (key) => (Object.hasOwn(kept, key) ? kept[key] : null),
      setItem: (key, value) => void (kept[key] = String(value)),
      removeItem: (key) => void delete kept[key],
    });
    Object.defineProperty(window, name, { value: kept });
  }
}
{
  // data-mode is what the reader chose, data-theme the colours that follow from it.
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => {
    const { mode } = root.dataset;
    root.dataset.theme = mode !== "auto" ? mode : dark.matches ? "dark" : "light";
  };
  // Many books share an origin: the names of what is kept of this one begin with its path.
  root.dataset.book = new URL(root.dataset.content_root ?? "./", location.href).pathname;
  // Other pages may frame an explorer's own page; on all others this says that they do.
  if (parent !== window) root.dataset.framed = "";
  root.dataset.mode = localStorage.getItem("mode") || "auto";
  paint();
  dark.addEventListener("change", paint);
  new MutationObserver(paint).observe(root, { attributeFilter: ["data-mode"] });
}
