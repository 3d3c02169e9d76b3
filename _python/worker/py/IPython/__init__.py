"""Only what cells, and libraries that look for IPython, ask of it."""


def get_ipython() -> None:
    """There is no shell."""
