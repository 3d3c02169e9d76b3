"""What comes back: questions of earlier pages, why an answer is right, what a page was about."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from book.sphinx.due import FILE
from tests.conftest import Visit

FIRST, PAGE = "attention-mechanism", "chapters/temperature.html"
# The clock of the page, in days, and what it keeps from the start.
SCRIPT = """(() => {{
  const day = Number(sessionStorage.getItem("day") ?? {day});
  Date.now = () => day * 86400000;
  if (sessionStorage.getItem("begun")) return;
  sessionStorage.setItem("begun", "1");
  for (const [name, text] of Object.entries({kept})) localStorage.setItem("/" + name, text);
}})();"""


def record(day: float, *, erred: bool = False, level: int = 0) -> str:
    return json.dumps({"at": day * 86_400_000, "level": level, "erred": erred, "open": False})


@pytest.fixture
def questions(book) -> list[dict]:
    """What can be asked of page 1."""
    text = (book / FILE).read_text(encoding="utf-8")
    all_ = json.loads(text.removeprefix("globalThis.asked = ").removesuffix(";\n"))
    return [each for each in all_ if each["answer"].startswith(FIRST)]


@pytest.fixture
def visit(open_page, server) -> Callable[..., Visit]:
    """A function that opens page 2, or another, with this kept, on a day of 1970."""

    def open_(kept: dict[str, str], *, day: float = 10, address: str = PAGE) -> Visit:
        script = SCRIPT.format(day=day, kept=json.dumps(kept))
        return open_page(f"{server}/{address}", prepare=lambda page: page.add_init_script(script))

    return open_


def later(page: Page, days: float) -> Locator:
    """Come back on another day; return the place of the questions."""
    page.evaluate("day => sessionStorage.setItem('day', day)", days)
    page.reload()
    page.wait_for_selector("html[data-widgets=ready]")
    return page.locator(".from-before")


def answer(box: Locator, text: str) -> None:
    box.locator("label", has_text=re.compile(rf"^\s*{re.escape(text)}\s*$")).locator(
        "input"
    ).check()
    box.get_by_role("button", name="Check").press("Enter")


def test_a_question_is_asked_again_until_it_is_known(visit, questions):
    chosen = next(each for each in questions if each["state"]["choices"])
    right = chosen["state"]["answer"]
    wrong = next(text for text, _ in chosen["state"]["choices"] if text != right)
    page = visit({f"asked {chosen['answer']}": record(8)}).page
    line = page.locator(".from-before")
    expect(line.locator("summary")).to_have_text("From before: one question")
    line.locator("summary").press("Enter")
    box = line.locator(".asked-again")
    expect(box.locator("a").first).to_have_attribute("href", f"{FIRST}.html")
    answer(box, wrong)
    expect(box.locator(".result")).to_contain_text("Not yet.")
    answer(box, right)
    expect(box.locator(".result")).to_contain_text("✓ Right.")
    expect(box.locator(".others summary")).to_be_visible()
    expect(later(page, 10.5)).to_have_text("From before: nothing waits today.")
    expect(later(page, 11.1).locator("summary")).to_have_text("From before: one question")
    line.locator("summary").press("Enter")
    answer(box, right)
    expect(later(page, 13)).to_have_text("From before: nothing waits today.")
    expect(later(page, 15).locator("summary")).to_have_text("From before: one question")


def test_three_at_most_those_once_wrong_first_and_none_that_is_gone(visit, questions):
    kept = {f"asked {each['answer']}": record(1 + i) for i, each in enumerate(questions[:4])}
    kept |= {f"asked {questions[4]['answer']}": record(8, erred=True)}
    kept |= {f"asked {FIRST}/00000000": record(0, erred=True), "asked pitfalls/00000000": "{"}
    page = visit(kept).page
    page.locator(".from-before summary").press("Enter")
    expect(page.locator(".from-before [data-state=live]")).to_have_count(3)
    names = page.locator(".from-before [data-again]").evaluate_all(
        "all => all.map((e) => e.dataset.answer)"
    )
    assert names == [questions[i]["answer"] for i in (4, 0, 1)]
    front = visit(kept, address="chapters/index.html").page
    expect(front.locator(".from-before summary")).to_have_text("Three questions wait for you")


def test_a_clock_that_was_ahead_and_an_answer_of_before_wait_a_day(visit, questions):
    ahead, old = questions[0]["answer"], questions[1]["answer"]
    page = visit({f"asked {ahead}": record(500), "answered": json.dumps([old, "x"])}).page
    expect(page.locator(".from-before")).to_have_text("From before: nothing waits today.")
    expect(later(page, 11.1).locator("summary")).to_have_text("From before: two questions")


def test_nothing_is_shown_before_something_is_known_and_all_is_forgotten(visit, questions):
    seen = visit({})
    assert seen.page.locator(".from-before").count() == 0
    assert not [address for address in seen.requests if "asked.js" in address]
    page = visit({f"asked {questions[0]['answer']}": record(8)}).page
    page.locator(".from-before summary").wait_for()
    page.get_by_role("button", name="Forget", exact=True).press("Enter")
    expect(page.locator(".from-before")).to_have_count(0)
    page.get_by_role("button", name="Undo").press("Enter")
    expect(page.locator(".from-before summary")).to_have_text("From before: one question")


def test_a_reader_says_why_and_recalls_the_summary(reopen, server):
    page = reopen(f"{server}/chapters/graph-attention.html").page
    line = page.locator(".why-form").first
    says = page.locator(".why-form + .why").first
    expect(says).to_be_hidden()
    line.get_by_role("textbox").fill("each needs a whole 1")
    line.get_by_role("button", name="Compare").press("Enter")
    expect(says.locator("p").last).to_be_visible()
    summary = page.locator("#summary > ul")
    assert summary.evaluate("list => list.offsetHeight") == 0
    page.get_by_role("button", name="Show them").press("Enter")
    expect(summary.locator("li").last).to_be_visible()
    page.reload()
    expect(line.get_by_role("textbox")).to_have_value("each needs a whole 1")
    page.get_by_role("button", name="Forget", exact=True).press("Enter")
    expect(line.get_by_role("textbox")).to_have_value("")
