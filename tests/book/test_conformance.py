"""The page on accessibility: each criterion of WCAG 2.2 has a verdict that rests on something."""

import datetime
import json
import re
import subprocess

import pytest

from tools.project import CHAPTERS, ROOT, environment

ROW = re.compile(r"\| (\d\.\d\.\d+) [^|]+ \((A{1,2})\) \| ([^|]+) \| ([^|]+) \|\n")
LISTED = ROW.findall((CHAPTERS / "accessibility.md").read_text(encoding="utf-8"))
HAND = re.compile(r"Judged by hand on (\d{4}-\d\d-\d\d)\. \w")
# For each criterion that a rule of axe looks at: its level.
AXE = """
const levels = { wcag2a: "A", wcag2aa: "AA", wcag21a: "A", wcag21aa: "AA", wcag22aa: "AA" };
const found = require("axe-core").getRules().flatMap(({ tags }) => {
  const level = tags.map((tag) => levels[tag]).find(Boolean);
  const criteria = tags.filter((tag) => level && /^wcag\\d{3,4}$/.test(tag));
  return criteria.map((tag) => [tag.slice(4), level]);
});
console.log(JSON.stringify(found));
"""


def test_every_criterion_has_its_line():
    """WCAG 2.2 has 31 criteria of level A and 24 of level AA."""
    numbers = [[int(part) for part in number.split(".")] for number, *_ in LISTED]
    assert numbers == sorted(numbers)
    levels = {number: level for number, level, *_ in LISTED}
    assert len(levels) == len(LISTED)
    assert sorted(levels.values()) == ["A"] * 31 + ["AA"] * 24
    node = ["node", "-e", AXE]
    done = subprocess.run(
        node, cwd=ROOT, env=environment(), capture_output=True, text=True, check=True
    )
    judged = {(f"{tag[0]}.{tag[1]}.{tag[2:]}", level) for tag, level in json.loads(done.stdout)}
    assert len(judged) > 15
    # 4.1.1 is gone from WCAG 2.2; 2.1.3 is of level AAA, and goes along with 2.1.1.
    assert judged - {("4.1.1", "A"), ("2.1.3", "A")} <= levels.items()


@pytest.fixture(scope="module")
def functions():
    """The names of all tests that open a page or read one."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return {name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}


@pytest.mark.parametrize(("verdict", "how"), [row[2:] for row in LISTED], ids=lambda x: x[:30])
def test_a_verdict_rests_on_tests_on_a_day_or_on_a_reason(verdict, how, functions):
    if verdict == "met" and how.startswith("Tests: "):
        named = re.findall(r"\*([^*]+)\*", how)
        assert how == f"Tests: {'; '.join(f'*{words}*' for words in named)}."
        assert functions.issuperset(f"test_{words.replace(' ', '_')}" for words in named)
    elif verdict == "met":
        assert (day := HAND.match(how)), how
        assert datetime.date.fromisoformat(day[1]) <= datetime.date.today()
    else:
        assert verdict in {"does not apply", "**not met**"}
        assert how.endswith(".")


def test_the_text_counts_what_is_not_met():
    text = (CHAPTERS / "accessibility.md").read_text(encoding="utf-8")
    missed = sum(verdict == "**not met**" for _, _, verdict, _ in LISTED)
    counted = {
        0: "All are met that apply",
        1: "One criterion is not met",
        2: "Two criteria are not met",
    }
    assert counted[missed] in text
