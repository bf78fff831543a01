"""
The runner for the command line: runs one file on a developer's machine, against a platform. Standard input is the event
of the runner as JSON. Standard output has a line `{"line": {at, level, message}}` for each line of the log, when it is
written, and at the end `{"answer": ...}`.
"""

import json
import os
import sys
from typing import Any, Final

LONGEST_MILLISECONDS: Final = 300_000


def main() -> None:
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Nothing else can reach the results.
    os.dup2(2, 1)
    from answers import answer
    from context_client import ContextClient
    from supervisor import Supervisor

    def show(name: str, value: Any) -> None:
        results.write(json.dumps({name: value}) + "\n")
        results.flush()

    supervisor = Supervisor()
    try:
        event: Any = json.load(sys.stdin)
        show("answer", answer(event, LONGEST_MILLISECONDS, supervisor, ContextClient(), lambda line: show("line", line)))
    finally:
        supervisor.stop()


if __name__ == "__main__":
    main()
