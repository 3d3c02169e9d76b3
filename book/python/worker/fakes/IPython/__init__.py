"""Only what cells, and libraries that look for IPython, ask of it."""

version_info = (8, 24)  # matplotlib does no more for such a one


def get_ipython() -> None:
    """There is no shell."""
