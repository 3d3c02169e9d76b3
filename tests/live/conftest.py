"""An open notebook in each front end, for each test without the cells of the one before."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.live.front_ends import FrontEnd, JupyterLab, Notebook, Notebook6

SETUP = """
import ipywidgets
import numpy as np
from attnutils import *
from attnutils.worked_example import KEYS, VALUES, WORDS

def explore(**options):
    return TemperatureExplorer(WORDS, KEYS @ KEYS[5], VALUES, **options)
"""


@pytest.fixture(scope="session", params=[Notebook6, JupyterLab], ids=["notebook6", "jupyterlab"])
def front_end(request, tmp_path_factory) -> Iterator[FrontEnd]:
    """A server that runs."""
    with request.param(tmp_path_factory.mktemp("server")).running() as front_end:
        yield front_end


@pytest.fixture(scope="session")
def opened(front_end: FrontEnd, browser: Browser) -> Iterator[Notebook]:
    """A notebook that stays open: a new kernel for each test would take most of the time."""
    notebook = front_end.open(browser)
    notebook.run(SETUP)
    yield notebook
    notebook.page.context.close()


@pytest.fixture
def notebook(opened: Notebook) -> Iterator[Notebook]:
    """That notebook without cells; at the end nothing may have gone wrong in it."""
    opened.clear()
    opened.problems.clear()
    yield opened
    assert opened.problems == []
