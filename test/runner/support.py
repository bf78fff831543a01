"""Runs code on the runner, without HTTP, for the tests beside this file."""

import json
import os
import sys
import unittest
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
RUNNER = Path(__file__).resolve().parents[2] / "functions" / "runner"
sys.path.insert(0, str(RUNNER))

from answers import check_answer, run_answer  # noqa: E402
from context_client import Reply, failure  # noqa: E402
from event import Event  # noqa: E402
from supervisor import Supervisor  # noqa: E402
from zygote_client import PATIENCE  # noqa: E402

__all__ = ["PATIENCE", "Event", "Platform", "Refused", "Reply", "RunnerCase", "Supervisor", "check_answer", "run_answer"]
USER = {"id": "u1", "name": "Mira", "email": "manager@example.com"}
LINUX = sys.platform == "linux"


class Platform:
    """Answers context calls, and remembers them."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[Any], dict[str, Any]]] = []

    def forward(self, method: str, args: list[Any], kwargs: dict[str, Any], seconds: float) -> Reply:
        self.calls.append((method, args, kwargs))
        try:
            result = self.answer(method, args, kwargs)
        except Refused as refused:
            return refused.reply
        return 200, json.dumps({"result": result}).encode()

    def answer(self, method: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return {"method": method, "args": args, "kwargs": kwargs}


class Refused(Exception):
    def __init__(self, status: int, code: str, detail: Any) -> None:
        super().__init__(code)
        self.reply: Reply = failure(status, code, detail)


class RunnerCase(unittest.TestCase):
    """Tests with a supervisor of their own."""

    without: frozenset[str] = frozenset()
    supervisor: Supervisor

    @classmethod
    def setUpClass(cls) -> None:
        cls.supervisor = Supervisor(cls.without)
        cls.addClassCleanup(cls.supervisor.stop)

    def run_code(self, code: str, platform: Platform | None = None, **event: Any) -> dict[str, Any]:
        given: dict[str, Any] = {"kind": "run", "form": "function", "timeout_ms": 5_000, "memory_mb": 64, "user": USER}
        answer = self.supervisor.run(Event(**{**given, "code": code, **event}), (platform or Platform()).forward)
        return run_answer(answer)

    def run_body(self, body: str, platform: Platform | None = None, **event: Any) -> dict[str, Any]:
        return self.run_code(function(body), platform, **event)

    def check(self, code: str, form: str = "function") -> list[dict[str, Any]]:
        event = Event("check", form, code, 5_000)
        return check_answer(self.supervisor.run(event, Platform().forward))["issues"]

    def output(self, body: str, platform: Platform | None = None, **event: Any) -> Any:
        answer = self.run_body(body, platform, **event)
        self.assertEqual(answer["status"], "completed", answer.get("error"))
        return answer["output"]

    def error(self, body: str, platform: Platform | None = None, **event: Any) -> dict[str, Any]:
        answer = self.run_body(body, platform, **event)
        self.assertEqual(answer["status"], "failed", answer.get("output"))
        return answer["error"]

    def assert_answers(self) -> None:
        """The next execution works."""
        self.assertEqual(self.output("return 1 + 1"), 2)


def function(body: str) -> str:
    """Statements of `execute`; imports and definitions before a line `---` stand above it."""
    above, _, inside = body.strip("\n").rpartition("\n---\n")
    lines = "".join(f"    {line}\n" for line in inside.splitlines())
    return f"{above}\nasync def execute(platform, **kwargs):\n{lines}"


def without_users_rights(path: str) -> None:
    """Lets the child's user, which is nobody if the tests run as root, use the path."""
    os.chmod(path, 0o777)
