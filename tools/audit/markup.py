"""The Nu HTML checker, which also runs behind validator.w3.org, over every page."""

import json
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

PROGRAM = Path(__file__).parent / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"


class CheckerError(RuntimeError):
    """The checker could not run."""


def messages(output: str) -> list[dict[str, Any]]:
    """Return what the checker says, from its JSON."""
    try:
        return json.loads(output)["messages"]
    except (json.JSONDecodeError, KeyError) as error:
        raise CheckerError(f"The Nu HTML checker did not run: {output.strip()[:400]}") from error


def errors(found: Iterable[dict[str, Any]]) -> dict[Path, list[str]]:
    """Return the errors of each file; the rest is advice, such as slashes that have no effect."""
    by_file: dict[Path, list[str]] = defaultdict(list)
    for message in found:
        if message["type"] != "info":
            path = Path(unquote(urlsplit(message.get("url", "")).path))
            by_file[path].append(f"line {message.get('lastLine', '?')}: {message['message']}")
    return dict(by_file)


def check(files: Iterable[Path]) -> dict[Path, list[str]]:
    """Check files; return the errors of each that has any."""
    command = ["java", "-jar", str(PROGRAM), "--stdout", "--format", "json", "--exit-zero-always"]
    try:
        result = subprocess.run([*command, *map(str, files)], capture_output=True, text=True)
    except FileNotFoundError as error:
        raise CheckerError("The Nu HTML checker needs Java, and there is no java here.") from error
    return errors(messages(result.stdout or result.stderr))
