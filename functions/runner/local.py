"""
The runner as a child process of the local runtime. Each line of standard input is `{"id", "event", "timeout_ms"}`, each
line of standard output `{"id", "answer"}`, or `{"id", "error": {"type", "message"}}` where Lambda would report an error
of the function. One event at a time, as in an execution environment. Ends when its input ends, and soon after the process
whose id is its argument.
"""

import json
import os
import signal
import sys
import threading
import time
from typing import Any


class _Context:
    def __init__(self, timeout_ms: int) -> None:
        self._end = time.monotonic() + timeout_ms / 1000

    def get_remaining_time_in_millis(self) -> int:
        return int((self._end - time.monotonic()) * 1000)


def _end_with(parent: int) -> None:
    """Ends this process and its children soon after the process that has started it, also while code runs."""
    while os.getppid() == parent:
        time.sleep(1)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def main() -> None:
    parent = int(sys.argv[1]) if len(sys.argv) > 1 else os.getppid()
    threading.Thread(target=_end_with, args=[parent], daemon=True).start()
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
    # Without waiting for calls whose execution is over. The zygote ends with its connection.
    os._exit(0)


if __name__ == "__main__":
    main()
