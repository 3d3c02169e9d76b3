// @ts-check
// ThingsToTry: each button sets an explorer to a start, asks, and has what to see folded below.

/** @param {{model: Model, el: HTMLElement}} view */
function render({ model, el }) {
  const { written, plain } = textsOf(model, el);
  /** @type {{ask: string, see: string, state: Record<string, unknown>}[]} */
  const things = model.get("things");
  const items = things.map(({ ask, see, state }) => {
    const press = button("", async () => {
      const id = model.get("explorer").slice("IPY_MODEL_".length);
      const explorer = await model.widget_manager.get_model(id);
      // The page notes where the reader comes from.
      root.dispatchEvent(new CustomEvent("try", { bubbles: true, detail: explorer }));
      explorer.set(state);
      explorer.save_changes();
      for (const item of items) item.classList.toggle("chosen", item.contains(press));
      fold.hidden = false;
    });
    // A typeset formula alone is no name to every program; its letters are.
    furnish(press, { "aria-label": ask.includes("$") && plain(ask) }, written(ask));
    const fold = h("details", { hidden: true }, h("summary", {}, "What to see"),
      h("p", {}, ...written(see)));
    return h("li", {}, press, fold);
  });
  const root = widgetRoot("try", "Things to try",
    h("p", { class: "kicker" }, "Things to try"), h("ol", {}, ...items));
  el.append(root);
  return ending(root);
}

export default { render };
