"""A bar that shows how far a training is."""

import os
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def progress(steps: Iterable[Item]) -> Iterator[Item]:
    """Go through `steps` with a bar that shows how far it is, and is gone in the end.

    There is no bar if the environment has a variable TQDM_DISABLE that is not empty.

    Parameters
    ----------
    steps : iterable
        What to loop over. If it has no length the bar only counts.

    Returns
    -------
    iterator
        The same things.

    Raises
    ------
    TypeError
        If `steps` cannot be looped over.

    Notes
    -----
    So that nothing of the bar is saved with a notebook, all that its cell has put out is cleared
    when the loop is done, also what was printed before. Print afterwards. A loop that is left
    early keeps its bar, to show how far it came.

    Examples
    --------
    >>> sum(progress([1, 2, 3]))
    6
    """
    if os.environ.get("TQDM_DISABLE"):  # the bar of notebooks does not look at it
        yield from steps
        return
    from tqdm.auto import tqdm  # here, so that importing attnutils does not load it

    bar = tqdm(steps, leave=False)
    yield from bar
    if hasattr(bar, "container"):  # a widget: its view would stay among the outputs of the cell
        from IPython.display import clear_output

        clear_output()  # type: ignore[no-untyped-call]
