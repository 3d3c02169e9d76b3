"""Slips that readers make with code on the page, and what must not be lost of theirs."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.pages.test_python import FAKE, GO, OUTPUT, STATUS, cell, faked, start, write
from tests.pages.test_worker import names, play, shown


def test_code_with_signs_of_prose_and_odd_output():
    puts_out = {
        "import sys\nsys.stdout = None": [],
        "x = [0, −4, “a”, 7 × 2]\nx": [("text/plain", "[0, -4, 'a', 14]")],
        "if 1:\n\u00a0\u00a0print(‘b’)": [("stdout", "b\n")],
        'print("−4")': [("stdout", "−4\n")],  # it is Python as it is
        "print('\\rstep 1', end='')\nprint('\\r2')": [("stdout", "\rstep 1\r2\n")],
        "callable(check)": [("text/plain", "True")],  # whoever imports it
    }
    assert [*map(shown, play(*puts_out))] == [*puts_out.values()]
    assert (names("y = x − 1")["defines"], names("y = x − 1")["takes"]) == (["y"], ["x"])


def test_what_is_no_python_is_said():
    said = [answer["error"] for answer in play("len?", ">>> 1", "await f()")]
    for note, error in zip(("help(len)", "leave them out", "cannot await"), said, strict=True):
        assert note in error


@pytest.fixture
def page(open_page, server) -> Page:
    fake = FAKE.replace("}\\n`", "}\\n`.replaceAll('~', '\\r')")
    body = f"const cues = {{}};\n{fake}"
    page = open_page(f"{server}/chapters/temperature.html", prepare=faked).page
    page.route("**/worker.js*", lambda r: r.fulfill(body=body, content_type="text/javascript"))
    return page


def test_a_line_is_written_over_and_a_run_dims_what_stood_there(page):
    box = cell(page, "odds-code")
    start(box)
    write(box, 'print("step 10~step 9~done")')
    expect(box.locator(f"{OUTPUT} pre")).to_have_text("done 90")  # as Jupyter shows it
    write(box, 'hold()\nprint("after")')
    expect(box.locator(".run-stale")).to_have_text("done 90")
    page.evaluate(GO)
    expect(box.locator(OUTPUT)).to_have_text("after")


def test_what_was_answered_right_is_there_when_the_page_is_opened_again(page):
    box, question = cell(page, "ex-odds-answer"), page.locator(".widget-slot[data-answer]").first
    form = page.locator("form.exercise-fields").first
    start(box)
    write(box, 'answer = 1\ncheck("reads-odds", answer)')
    exercises = json.loads(page.locator("#exercise-data").text_content())
    right = exercises[form.get_attribute("data-exercise")]["right"]
    for field, value in zip(form.locator("input").all(), right, strict=True):
        field.fill(str(value))
    form.get_by_role("button").click()
    expect(form.locator(".result")).to_contain_text("✓ Right")
    which = "({ model: m }) => m.get('choices').findIndex(([text]) => text === m.get('answer'))"
    question.get_by_role("radio").nth(question.evaluate(which)).check()
    question.get_by_role("button", name="Check").click()
    expect(box.locator(".result")).to_have_text("✓ Right: well done.")
    page.reload()
    expect(box.locator(".result")).to_have_text("✓ Right: well done.")
    expect(form.locator(".result")).to_contain_text("✓ Right")
    expect(question.locator(".result")).to_contain_text("✓ Right. ")


def test_tabs_of_a_page_follow_each_other(page):
    other = page.context.new_page()
    faked(other)
    other.goto(page.url)
    one, same = cell(page, "odds-code"), cell(other, "odds-code")
    start(one)
    start(same)
    write(one, "mine = 1")
    expect(same.locator(".cm-content")).to_have_text("mine = 1")


def test_cells_that_do_not_come_and_a_full_store_are_said(page):
    page.route("**/pages/temperature.json*", lambda route: route.fulfill(status=500))
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    box = cell(page, "odds-code")
    start(box)
    expect(box.locator(STATUS)).to_contain_text("Python’s files did not come.")
    write(box, "x = 1", "")
    expect(box.locator(STATUS)).to_contain_text("What you write is not kept")
