"""What comes back: earlier questions, mix-ups, why an answer is right, what a page was about.

And what becomes of it where the store is full, off, or shared by two tabs.
"""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from attnbook.mix_ups import MIX_UPS
from book.sphinx.due import FILE
from tests.conftest import Visit, parsed, until

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
def said(book) -> dict:
    """What the book says of questions and answers."""
    text = (book / FILE).read_text(encoding="utf-8")
    return json.loads(text.removeprefix("globalThis.dueBook = ").removesuffix(";\n"))


@pytest.fixture
def questions(said) -> list[dict]:
    """What can be asked of page 1."""
    return [each for each in said["questions"] if each["answer"].startswith(FIRST)]


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


# -- what is mixed up ------------------------------------------------------------------------------

FINISH = "chapters/finish-line.html"
ROWS, SOFTMAX, *_ = MIX_UPS


def test_each_kind_can_be_said_and_is_explained(said, book):
    found = [kind for told in said["mixed"].values() for kind in {*told.values()}]
    for kind, (_, address) in MIX_UPS.items():
        assert found.count(kind) >= 3
        page, anchor = address.split("#")
        assert parsed(book / "chapters" / page).find(id=anchor)


def test_wrong_answers_are_counted_by_what_they_mix_up(visit):
    kept = {
        f"mixed {FIRST}/{name}": json.dumps([ROWS]) for name in ("all-outputs", "order-softmax")
    }
    page = visit({**kept, "mixed x/y": "{", "mixed x/z": '["gone"]'}, address=FINISH).page
    expect(page.locator(".mixed-up")).to_have_count(0)
    page.goto(page.url.replace("finish-line", "self-attention"))
    slot = page.locator("[data-widget=Question][data-answer]", has_text="How many columns").first
    for number in ("2", "6", "6", "4"):
        slot.get_by_role("textbox").fill(number)
        slot.get_by_role("button", name="Check").press("Enter")
    until(page, "() => Object.keys(localStorage).some((key) => /mixed self-attention/.test(key))")
    page.goto(page.url.replace("self-attention", "finish-line"))
    line = page.locator(".mixed-up")
    expect(line).to_have_count(1)
    expect(line).to_have_text(f"Most often, 3 times, you have mixed up {ROWS}: {MIX_UPS[ROWS][0]}.")
    expect(line.locator("a")).to_have_attribute("href", MIX_UPS[ROWS][1])
    page.get_by_role("button", name="Forget", exact=True).press("Enter")
    expect(line).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage)") == []
    page.get_by_role("button", name="Undo").press("Enter")
    expect(line).to_have_count(1)


def test_two_kinds_as_often_are_both_named_and_an_exercise_counts(visit):
    kept = {f"mixed {FIRST}/{i}": json.dumps([ROWS, *[SOFTMAX] * (i < 2)]) for i in range(3)}
    page = visit(kept, address="chapters/temperature.html").page
    form = page.locator("[data-exercise=reads-odds]")
    for number in ("7", "3"):  # the scores 7 and 1, one over the other
        form.locator("input").fill(number)
        form.get_by_role("button", name="Check").press("Enter")
    kinds = "() => localStorage.getItem('/mixed temperature/reads-odds')"
    until(page, kinds)
    assert json.loads(page.evaluate(kinds)) == [SOFTMAX]
    page.reload()  # what is only shown again is no new answer
    page.goto(page.url.replace("temperature", "finish-line"))
    line = page.locator(".mixed-up")
    expect(line).to_contain_text(f"3 times each, you have mixed up {ROWS}; {SOFTMAX}: ")
    expect(line.locator("a")).to_have_count(2)


# -- the store -------------------------------------------------------------------------------------

FULL = "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };"
OFF = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, {
    configurable: true, get() { throw new DOMException("", "SecurityError"); } });"""


def first_choices(page: Page, questions: list[dict], count: int = 1) -> list[tuple[Locator, str]]:
    """The first questions of the page that have choices, each with its right answer."""
    chosen = [each for each in questions if each["state"]["choices"]][:count]
    return [
        (page.locator(f"[data-answer='{each['answer']}']"), each["state"]["answer"])
        for each in chosen
    ]


@pytest.mark.parametrize("script", [FULL, OFF], ids=["full", "off"])
def test_a_store_that_takes_nothing_holds_as_long_as_the_page_is_open(
    open_page, server, questions, script
):
    clock = "window.day = 1; Date.now = () => day * 86400000;"
    visit = open_page(
        f"{server}/chapters/{FIRST}.html",
        prepare=lambda page: page.add_init_script(script + clock),
    )
    page = visit.page
    (one, right), (other, _) = first_choices(page, questions, 2)
    answer(one, right)
    expect(one).to_have_attribute("data-done", "")
    wrong = next(q for q in questions if q["answer"] == other.get_attribute("data-answer"))
    answer(other, next(x for x, _ in wrong["state"]["choices"] if x != wrong["state"]["answer"]))
    expect(other.locator(".result")).to_contain_text("Not yet.")
    # Another tab has answered something.
    page.evaluate(
        """dispatchEvent(new StorageEvent("storage", {
          key: "/answered", newValue: JSON.stringify(["width/one"]) }))"""
    )
    expect(one).to_have_attribute("data-done", "")
    expect(page.locator(".progress")).to_contain_text("2 answered right")
    page.get_by_role("button", name="Forget", exact=True).press("Enter")
    assert one.get_attribute("data-done") is None
    page.get_by_role("button", name="Undo").press("Enter")
    expect(one).to_have_attribute("data-done", "")
    assert visit.problems == []


def test_two_tabs_keep_the_answers_of_both(visit, questions):
    first = visit({}, address=f"chapters/{FIRST}.html")
    page, tab = first.page, first.page.context.new_page()
    second = Visit(tab)
    second.listen()
    second.open(page.url)
    for at, each in enumerate((page, tab)):
        place, right = first_choices(each, questions, 2)[at]
        answer(place, right)
        expect(place.locator(".result")).to_contain_text("✓ Right.")
    for each in (page, tab):
        for place, _ in first_choices(each, questions, 2):
            expect(place).to_have_attribute("data-done", "")
        expect(each.locator(".progress")).to_contain_text("2 answered right")
    names = [each["answer"] for each in questions if each["state"]["choices"]][:2]
    stored = page.evaluate("({ ...localStorage })")
    assert json.loads(stored["/answered"]) == sorted(names)
    assert {f"/asked {name}" for name in names} < {*stored}
    tab.get_by_role("button", name="Forget", exact=True).press("Enter")
    expect(page.locator("[data-done]")).to_have_count(0)
    assert first.problems + second.problems == []


def test_a_book_that_was_built_again_shows_nothing_of_what_is_gone(visit, questions):
    chosen = next(each for each in questions if each["state"]["choices"])["answer"]
    number = next(each for each in questions if not each["state"]["choices"])["answer"]
    names = [chosen, number, f"{FIRST}/00000000", f"{FIRST}/no-exercise", "gone/00000000"]
    kept = {"answered": json.dumps(names)}
    for name in names:
        kept[f"given {name}"] = json.dumps({"answer": "Nobody says this", "fields": ["1", True]})
        kept |= {f"asked {name}": record(1), f"mixed {name}": json.dumps(["no kind", ROWS, 3])}
    seen = visit(kept, address=f"chapters/{FIRST}.html")
    expect(seen.page.locator(f"[data-answer='{chosen}']")).to_have_attribute("data-done", "")
    assert seen.page.evaluate("localStorage.length") == 2 + 3 * len(names) - 1
    for address, told in ((PAGE, "From before: two questions"), (FINISH, "you have mixed up")):
        page = visit(kept, address=address).page
        expect(page.locator(".from-before").filter(has_text=told)).to_have_count(1)
    assert seen.problems == []


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
