"""What the Python of a page runs: cells, what they show, packages, figures as pages draw them.

The worker of a page has these modules, and `book/python/worker/fakes` in place of IPython,
anywidget and ipywidgets. They run in ordinary Python, too (`tests/pages/test_worker.py`). The build
takes `names` and `drawings` of them, a notebook `backend`.
"""
