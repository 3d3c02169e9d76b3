"""The training explorer in a browser: it trains as attnutils does, when it is asked to."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnutils import TrainingExplorer
from tests.conftest import until
from tests.page.conftest import from_python, to_python

# How often the page makes, asks and ends workers.
COUNT = """() => {
  window.workers = { made: 0, asked: [], ended: 0 };
  window.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      workers.made++;
    }
    postMessage(message) {
      workers.asked.push(message.to);
      super.postMessage(message);
    }
    terminate() {
      workers.ended++;
      super.terminate();
    }
  };
}"""
AT = "() => Number(document.querySelector('.headline data').value)"
FRAMES = """(n) => new Promise((done) => {
  const go = () => (n-- ? requestAnimationFrame(go) : done());
  go();
})"""
# Numbers for tools are there when the step is.
ALL = "document.querySelectorAll('.headline data').length === 4"
SHOWN = """() => ({
  numbers: [...document.querySelectorAll(".headline data")].map((item) => Number(item.value)),
  weights: [...document.querySelectorAll(".map rect:not(.right)")]
    .map((cell) => Number(cell.getAttribute("fill-opacity"))),
  said: [...document.querySelectorAll(".said")].map((item) => item.textContent),
})"""


@pytest.fixture
def explorer():
    return TrainingExplorer()


def arrived(page: Page, step: int) -> None:
    """Wait until the model has been trained to a step and is seen there."""
    until(page, f"(step) => ({AT})() === step && {ALL}", step)


def seen_is_right(page: Page, explorer: TrainingExplorer) -> None:
    """All numbers, weights and letters that are seen are those of attnutils."""
    got = page.evaluate(SHOWN)
    step, loss, right, sureness = got["numbers"]
    assert step == explorer.step
    assert loss == pytest.approx(explorer.losses[-1], abs=1e-6)
    weights = explorer.weights
    np.testing.assert_allclose(got["weights"], weights.ravel(), rtol=0, atol=6e-4)
    assert sureness == pytest.approx(weights.max(axis=-1).mean(), abs=1e-6)
    wanted = explorer.letters[::-1]
    pairs = zip(explorer.said, wanted, strict=True)
    assert got["said"] == [f"{a} {'✓' if a == b else '✗'}" for a, b in pairs]
    assert right == sum(a == b for a, b in zip(explorer.said, wanted, strict=True))


def test_the_first_ten_steps_are_those_of_attnutils(show, explorer):
    page = show(explorer)
    seen_is_right(page, explorer)
    for step in range(1, 11):
        page.get_by_role("button", name="One step").press("Enter")
        arrived(page, step)
        to_python(page, explorer)
        assert explorer.step == step
        seen_is_right(page, explorer)


def test_it_plays_pauses_and_the_cursor_moves_map_and_letters(show, explorer):
    page = show(explorer)
    page.evaluate(COUNT)
    page.get_by_role("button", name="Play").press("Enter")
    until(page, f"() => ({AT})() >= 30")
    page.get_by_role("button", name="Pause").press("Enter")
    to_python(page, explorer)
    last = explorer.step
    assert last >= 30
    seen_is_right(page, explorer)
    # No more is trained than is soon seen, and what was is there at once.
    asked = page.evaluate("workers.asked")
    assert max(asked) <= last + 40
    assert page.evaluate("workers.made") == 1
    for step in (7, 25, 0):
        page.get_by_role("slider", name="Step").fill(str(step))
        to_python(page, explorer)
        seen_is_right(page, explorer)
    page.get_by_role("radio", name="9 letters").check()
    to_python(page, explorer)
    seen_is_right(page, explorer)
    assert page.evaluate("workers.asked.length") == len(asked)
    assert (
        page.locator(".map [role=img], .map svg")
        .get_attribute("aria-label")
        .startswith("Given c a j k l h f g d, the model says")
    )
    page.evaluate("dispose()")
    assert page.evaluate("workers.ended") == 1


def test_rate_and_remedy_are_part_of_the_run(show):
    explorer = TrainingExplorer(rate=0.2)
    page = show(explorer)
    page.get_by_role("slider", name="Step").fill("6")
    arrived(page, 6)
    page.get_by_role("slider", name="Learning rate").fill("2")
    # The list gives no remedy away: who opens it finds nothing chosen, and nothing to do.
    choice = page.get_by_role("combobox", name="At this step")
    expect(choice.locator("option:checked")).to_have_text("nothing")
    expect(page.get_by_role("button", name="Do it")).to_be_disabled()
    choice.select_option("divide W_q and W_k by 30")
    page.get_by_role("button", name="Do it").press("Enter")
    to_python(page, explorer)
    assert explorer.plan == [[0, 0.2, 0], [6, 0.01, 1]]
    arrived(page, 6)
    seen_is_right(page, explorer)
    assert "divide W_q, W_k by 30" in page.locator(".chart").text_content()
    page.get_by_role("slider", name="Step").fill("12")
    arrived(page, 12)
    to_python(page, explorer)
    seen_is_right(page, explorer)
    # A change before that forgets it.
    page.get_by_role("slider", name="Step").fill("3")
    page.get_by_role("slider", name="Learning rate").fill("3")
    to_python(page, explorer)
    assert explorer.plan == [[0, 0.2, 0], [3, 0.05, 0]]
    page.get_by_role("checkbox", name="positions").uncheck()
    arrived(page, 3)
    to_python(page, explorer)
    assert not explorer.positions
    seen_is_right(page, explorer)
    page.get_by_role("button", name="New start").press("Enter")
    to_python(page, explorer)
    assert (explorer.start, explorer.step) == (2, 0)
    seen_is_right(page, explorer)


def test_python_moves_it(show, explorer):
    page = show(explorer)
    explorer.plan, explorer.start = [[0, 0.05, 0], [4, 0.01, 5]], 9999
    explorer.step, explorer.length = 8, 9
    from_python(page, explorer, "plan", "start", "step", "length")
    arrived(page, 8)
    seen_is_right(page, explorer)
    page.get_by_role("button", name="New start").press("Enter")  # after the last comes the first
    to_python(page, explorer)
    assert explorer.start == 1
    page.get_by_role("button", name="From step 0").press("Enter")
    to_python(page, explorer)
    assert explorer.plan == [[0, 0.05, 0]]


def test_out_of_sight_it_waits(show, explorer):
    page = show(explorer)
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('div'), "
        "{ style: 'height: 3000px' }))"
    )
    page.get_by_role("button", name="Play").press("Enter")
    until(page, f"() => ({AT})() >= 5")
    page.evaluate("scrollTo(0, 2500)")
    # Out of sight for some frames: the step stands still over as many.
    page.evaluate(FRAMES, 20)
    before = page.evaluate(AT)
    page.evaluate(FRAMES, 60)
    assert page.evaluate(AT) == before
    page.evaluate("scrollTo(0, 0)")
    until(page, f"(before) => ({AT})() > before", before)
    page.evaluate("dispose()")


def test_who_wants_no_motion_sees_it_at_rest(still, explorer):
    page = still(explorer)
    page.evaluate(
        f"""() => {{
          window.steps = new Set();
          const headline = document.querySelector(".headline");
          new MutationObserver(() => headline.querySelector("data") && steps.add(({AT})()))
            .observe(headline, {{ childList: true, subtree: true }});
        }}"""
    )
    page.get_by_role("button", name="Play").press("Enter")
    until(page, f"() => ({AT})() >= 50")
    page.get_by_role("button", name="Pause").press("Enter")
    between = [step for step in page.evaluate("[...steps]") if 0 < step < 50]
    assert between == []


def test_without_workers_the_page_trains(show, explorer):
    page = show(explorer)
    page.evaluate(
        "() => { window.Worker = class { constructor() { throw new Error('forbidden'); } }; }"
    )
    page.get_by_role("slider", name="Step").fill("5")
    arrived(page, 5)
    to_python(page, explorer)
    seen_is_right(page, explorer)


def test_a_worker_that_fails_is_replaced(show, explorer):
    page = show(explorer)
    page.evaluate(
        """() => {
          window.Worker = class {
            postMessage() { setTimeout(() => this.onerror?.(new Event("error"))); }
            terminate() {}
          };
        }"""
    )
    page.get_by_role("slider", name="Step").fill("5")
    arrived(page, 5)
    to_python(page, explorer)
    seen_is_right(page, explorer)


def test_it_trains_on_its_page_and_alone(server, reopen):
    """The policies of both pages allow the worker."""
    for address in ("chapters/training.html", "embed/training-training.html"):
        visit = reopen(f"{server}/{address}#training:step=4")
        headline = visit.page.locator("[data-address=training] .headline, .embed .headline").first
        expect(headline).to_have_text(re.compile("^Step 4, rate 0.01: loss 2"), timeout=20_000)
        assert not visit.problems


def test_it_trains_from_a_file(book, reopen):
    visit = reopen(f"{book.as_uri()}/chapters/training.html#training:step=4")
    headline = visit.page.locator("[data-address=training] .headline")
    expect(headline).to_have_text(re.compile("^Step 4, rate 0.01: loss 2"), timeout=20_000)
    assert not visit.problems
