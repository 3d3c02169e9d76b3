"""What does not work in a page, said in a sentence, with where it does."""

import re

ELSEWHERE = "The button Launch at the top opens this page in Colab or Binder, where it does."

#: What browsers say of what the policy of a page forbids.
_NO_NETWORK = re.compile(r"NetworkError|Failed to fetch|Load failed")


def no_input(prompt: object = "") -> str:
    """Stand in for `input`."""
    raise NotImplementedError("input() cannot wait for an answer in a page")


def note(error: BaseException) -> str:
    """Return what to add to the report of an error, empty if that says enough."""
    name = str(getattr(error, "name", "") or "").partition(".")[0]
    text = str(error)
    if isinstance(error, NotImplementedError) and text.startswith("input()"):
        return f"Write what you would type into the code: answer = '...'. {ELSEWHERE}"
    if isinstance(error, ModuleNotFoundError):
        if name in ("micropip", "pip", "piplite"):
            return f"A page installs nothing: it has NumPy and matplotlib. {ELSEWHERE}"
        return f"A page has Python's own modules, NumPy, matplotlib and attnutils. {ELSEWHERE}"
    if isinstance(error, SyntaxError):
        return _note_on_syntax((error.text or "").strip(), text)
    if isinstance(error, RuntimeError) and "start new thread" in text:
        return f"Python in a page has one thread. {ELSEWHERE}"
    if type(error).__name__ in ("URLError", "HTTPError", "gaierror") or _NO_NETWORK.search(text):
        return f"Python in a page has no network: nothing leaves this machine. {ELSEWHERE}"
    if isinstance(error, FileNotFoundError):
        return "Python in a page sees none of your files, only those that its cells wrote."
    if isinstance(error, OSError):
        return f"Python in a page starts no other programs and has no network. {ELSEWHERE}"
    if isinstance(error, SystemExit):
        return "The cell has ended; Python goes on, and what the cells defined is there."
    if isinstance(error, MemoryError):
        return "A page has less memory than a program. Try something smaller."
    return ""


def _note_on_syntax(line: str, text: str) -> str:
    """Return what to add where a line is no Python."""
    if line.startswith(("!", "%")):
        return f"Lines that begin with ! or % are commands of Jupyter. {ELSEWHERE}"
    if line.startswith("?") or line.endswith("?"):
        return f"A ? asks Jupyter for help. Here help({line.strip('? ') or 'len'}) does."
    if line.startswith((">>>", "...")):
        return (
            "The signs >>> and ... at the start of a line are no part of the code: leave them out."
        )
    if "'await' outside function" in text:
        return f"A cell of a page cannot await, only functions that are async can. {ELSEWHERE}"
    return ""
