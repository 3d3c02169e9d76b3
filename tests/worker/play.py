"""Ask the worker's Python as worker.js does: asks as JSON come in, answers as JSON go out.

Run as a program, with the worker's Python first on the path.
"""

import base64
import json
import sys
from typing import Any

import anywidget
import runner


def main() -> None:
    asks, answers = json.load(sys.stdin), []
    out = sys.stdout
    parts: list[dict[str, Any]] = []

    def send(message: dict[str, Any], buffers: Any = ()) -> None:
        data = [base64.b64encode(each).decode() for each in buffers]
        parts.append({**message, **({"bytes": data} if data else {})})

    runner.connect(send)
    for ask in asks:
        parts = []
        answer: Any = {}
        if isinstance(ask, str):
            answer = runner.run(ask, "cell")
        elif "run" in ask:
            answer = runner.run(ask.pop("run"), **{"name": "cell", **ask})
        elif "take" in ask:
            moved = ask["take"]
            pairs = [([n], base64.b64decode(d)) for n, d in moved.get("buffers", {}).items()]
            anywidget.take(moved["model"], moved["state"], pairs)
        else:
            runner.reset()
        answers.append({**answer, "parts": parts})
    json.dump(answers, out)


if __name__ == "__main__":
    main()
