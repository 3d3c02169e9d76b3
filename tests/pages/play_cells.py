"""Ask the worker's Python as worker.js does: JSON in, JSON out. Its fakes are first on the path."""

import base64
import json
import sys
from typing import Any


def main() -> None:
    from attnbook.page import runner, widget

    asks, answers, out = json.load(sys.stdin), [], sys.stdout
    parts: list[dict[str, Any]] = []

    def send(message: dict[str, Any], buffers: Any = ()) -> None:
        data = [base64.b64encode(each).decode() for each in buffers]
        parts.append({**message, **({"bytes": data} if data else {})})

    runner.connect(send)
    for ask in asks:
        parts, answer = [], {}
        if "run" in ask:
            answer = runner.run(ask.pop("run"), **{"name": "cell", **ask})
        elif "take" in ask:
            widget.take(**ask["take"], buffers=[])
        else:
            runner.reset()
        answers.append({**answer, "parts": parts})
    json.dump(answers, out)


if __name__ == "__main__":
    main()
