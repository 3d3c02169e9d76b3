"""What axe-core finds on a page, each as a text: `assert findings(page) == []`."""

from playwright.sync_api import Page

from tools.project import ROOT

AXE = (ROOT / "book" / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
COLOURS = ["color-contrast", "link-in-text-block"]
#: Which rules are asked: all, all but those of colours, those of colours alone.
ALL: dict[str, object] = {}
STRUCTURE = {"rules": {rule: {"enabled": False} for rule in COLOURS}}
CONTRAST = {"runOnly": COLOURS}
# The contrast of a single letter is for axe something to look at; here it counts.
RUN = """(options) => axe.run({ include: ["html"] }, options).then(({ violations, incomplete }) => [
  ...violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
    `${id}: ${html.slice(0, 200)}\n  ${failureSummary}`)),
  ...incomplete.filter(({ id }) => id === "color-contrast").flatMap(({ nodes }) =>
    nodes.flatMap(({ html, any }) => any.filter(({ data }) =>
      data?.contrastRatio && data.contrastRatio < parseFloat(data.expectedContrastRatio))
      .map(({ data }) => `contrast ${data.contrastRatio}: ${html.slice(0, 200)}`))),
])"""
# Colours take most of axe's time, up to three seconds a page: of texts that have the same colour,
# size and grounds all the way up, three are judged on the page and three in each kind of explorer.
THIN_OUT = """() => {
  const grounds = new Map([[null, ""]]), counts = new Map();
  const ground = (e) => {
    if (!grounds.has(e)) {
      const { backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(e);
      const own = [backgroundColor, backgroundImage, opacity, filter].join("|");
      grounds.set(e, (own === "rgba(0, 0, 0, 0)|none|1|none" ? "" : own) + ground(e.parentElement));
    }
    return grounds.get(e);
  };
  const hasText = (e) => e.matches("input, select, textarea")
    || [...e.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  for (const e of document.body.querySelectorAll("*")) {
    let isPassed = !hasText(e) || !e.checkVisibility({ visibilityProperty: true });
    if (!isPassed) {
      const { color, fontSize, fontWeight, textShadow } = getComputedStyle(e);
      const kind = e.closest("[data-widget]")?.dataset.widget;
      const look = [color, fontSize, fontWeight, textShadow, ground(e), kind].join("|");
      counts.set(look, (counts.get(look) ?? 0) + 1);
      isPassed = counts.get(look) > 3;
    }
    e.toggleAttribute("data-passed-over", isPassed);
  }
  axe.configure({ rules: [{ id: "color-contrast", selector: "*:not([data-passed-over])" }] });
}"""


def findings(page: Page, options: dict[str, object] = ALL) -> list[str]:
    """Return what axe finds; turn motion off before, or colours on their way are judged."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)  # one rule is off in axe by itself
        page.evaluate("axe.configure({ rules: [{ id: 'target-size', enabled: true }] })")
    page.evaluate(THIN_OUT)
    quick = {"preload": False, "selectors": False, "resultTypes": ["violations", "incomplete"]}
    return page.evaluate(RUN, {**quick, **options})
