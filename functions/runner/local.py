"""
The runner as a child process of the local runtime. Each line of standard input is `{"id", "event", "timeout_ms"}`, each
line of standard output `{"id", "answer"}`, or `{"id", "error": {"type", "message"}}` where Lambda would report an error
of the function. One event at a time, as in an execution environment. Ends when its input ends.
"""

import json
import os
import sys
import time
from typing import Any


class _Context:
    def __init__(self, timeout_ms: int) -> None:
        self._end = time.monotonic() + timeout_ms / 1000

    def get_remaining_time_in_millis(self) -> int:
        return int((self._end - time.monotonic()) * 1000)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Nothing else can reach the answers.
    os.dup2(2, 1)
    from handler import handler

    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        reply: dict[str, Any] = {"id": request["id"]}
        try:
            reply["answer"] = handler(request["event"], _Context(int(request["timeout_ms"])))
        except Exception as error:
            reply["error"] = {"type": type(error).__name__, "message": str(error)}
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
