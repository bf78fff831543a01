"""Kills of child, zygote and supervisor: the execution fails with a reason, and the next one works."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from typing import Any

from support import LINUX, PATIENCE, RUNNER, Platform, RunnerCase, function

LOOP = "while True: pass"
WAIT_SECONDS = 10.0


def wait_until(is_true: Any, what: str) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not is_true():
        if time.monotonic() > end:
            raise AssertionError(f"it took too long until {what}")
        time.sleep(0.005)


def children_of(process: int) -> list[int]:
    """The process ids of direct children. Linux only."""
    tasks = Path(f"/proc/{process}/task/{process}/children")
    return [int(each) for each in tasks.read_text().split()]


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


class KillerCase(RunnerCase):
    def zygote_process(self) -> int:
        self.supervisor.zygote.start()
        process = self.supervisor.zygote.process_id
        # Never 0, which would mean the group of this process.
        assert process
        return process

    def while_running(self, body: str, act: Any, **event: Any) -> dict[str, Any]:
        """Calls `act` with the child's process id as soon as there is one."""
        process = self.zygote_process()

        def watch() -> None:
            wait_until(lambda: children_of(process), "the child started")
            time.sleep(0.05)
            act(children_of(process)[0])

        thread = threading.Thread(target=watch)
        thread.start()
        answer = self.run_body(body, **event)
        thread.join()
        return answer


@unittest.skipUnless(LINUX, "processes are found in /proc")
class KillsTest(KillerCase):
    def test_a_killed_child_is_a_failure_with_its_signal(self) -> None:
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
            answer = self.while_running(LOOP, lambda child, number=number: os.kill(child, number))
            self.assertEqual(answer["error"]["kind"], "killed")
            self.assertIn(f"signal {int(number)}", answer["error"]["message"])
            self.assert_answers()

    def test_a_stopped_child_ends_at_its_time_limit(self) -> None:
        answer = self.while_running(LOOP, lambda child: os.kill(child, signal.SIGSTOP), timeout_ms=300)
        self.assertEqual(answer["error"]["kind"], "timeout")
        self.assert_answers()

    def test_an_execution_survives_the_zygote_and_the_next_has_a_new_one(self) -> None:
        before = self.zygote_process()
        answer = self.while_running(
            "import asyncio\n---\nawait asyncio.sleep(0.3)\nreturn 1", lambda _: os.kill(before, signal.SIGKILL)
        )
        self.assertIn(answer.get("output", answer.get("error", {}).get("kind")), {1, "killed"})
        self.assert_answers()
        self.assertNotEqual(self.zygote_process(), before)

    def test_a_child_ends_at_its_time_limit_after_the_zygote_was_killed(self) -> None:
        process = self.zygote_process()
        seen: list[int] = []

        def kill(child: int) -> None:
            seen.append(child)
            os.kill(process, signal.SIGKILL)

        answer = self.while_running(LOOP, kill, timeout_ms=400)
        self.assertIn(answer["error"]["kind"], {"timeout", "killed"})
        wait_until(lambda: not is_alive(seen[0]), "the child ended")
        self.assert_answers()

    def test_a_stopped_zygote_is_replaced(self) -> None:
        self.supervisor.zygote.patience = 0.5
        self.addCleanup(setattr, self.supervisor.zygote, "patience", PATIENCE)
        stopped = self.zygote_process()
        os.kill(stopped, signal.SIGSTOP)
        self.assert_answers()
        self.assertFalse(is_alive(stopped))

    def test_no_child_is_left_after_an_execution(self) -> None:
        for body in ("return 1", "1 / 0", LOOP, "import os"):
            self.run_body(body, timeout_ms=100)
            self.assertEqual(children_of(self.zygote_process()), [])

    def test_descriptors_of_the_supervisor_do_not_grow(self) -> None:
        self.assert_answers()
        before = len(os.listdir("/proc/self/fd"))
        for body in ("return 1", "1 / 0", LOOP) * 5:
            self.run_body(body, timeout_ms=50)
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)


@unittest.skipUnless(LINUX, "processes are found in /proc")
class SupervisorTest(unittest.TestCase):
    """local.py, as the local runtime starts it."""

    def setUp(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(RUNNER / "local.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self._end)

    def _end(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()

    def _send(self, number: int, body: str, **event: Any) -> None:
        given: dict[str, Any] = {"kind": "run", "form": "function", "timeout_ms": 5_000, "memory_mb": 64}
        context = {"url": "http://127.0.0.1:9/", "token": "t"}
        full = {**given, "name": "a.py", "code": function(body), "user": {}, "context": context, **event}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"id": number, "event": full, "timeout_ms": 10_000}) + "\n")
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def test_each_line_has_its_answer(self) -> None:
        self._send(1, "print('x')\nreturn kwargs", kwargs={"a": "é"})
        self._send(2, "1 / 0")
        first, second = self._receive(), self._receive()
        self.assertEqual((first["id"], first["answer"]["output"]), (1, {"a": "é"}))
        self.assertEqual((second["id"], second["answer"]["error"]["type"]), (2, "ZeroDivisionError"))

    def test_an_event_that_breaks_the_protocol_is_an_error_and_the_next_is_answered(self) -> None:
        for broken in ({"kind": "other"}, {"timeout_ms": 0}, {"kwargs": []}, {"context": None}, {"code": 5}):
            self._send(1, "return 1", **broken)
            self.assertEqual(self._receive()["error"]["type"], "BadEvent")
        self._send(2, "return 1")
        self.assertEqual(self._receive()["answer"]["output"], 1)

    def test_inputs_and_code_over_their_limits_are_refused(self) -> None:
        self._send(1, "return 1", kwargs={"a": "x" * 1024 * 1024})
        self.assertEqual(self._receive()["answer"]["error"]["kind"], "limit")
        self._send(2, "#" * 256 * 1024)
        self.assertEqual(self._receive()["answer"]["error"]["kind"], "limit")

    def test_the_time_limit_of_the_lambda_comes_before_that_of_the_event(self) -> None:
        assert self.process.stdin is not None
        event = {"kind": "run", "form": "function", "name": "a.py", "code": function(LOOP), "timeout_ms": 60_000}
        event.update(memory_mb=64, context={"url": "http://127.0.0.1:9/", "token": "t"})
        started = time.monotonic()
        self.process.stdin.write(json.dumps({"id": 1, "event": event, "timeout_ms": 600}) + "\n")
        self.process.stdin.flush()
        self.assertEqual(self._receive()["answer"]["error"]["kind"], "timeout")
        self.assertLess(time.monotonic() - started, 2)

    def test_zygote_and_child_end_with_a_killed_supervisor(self) -> None:
        self._send(1, "return 1")
        self._receive()
        self._send(2, LOOP, timeout_ms=60_000)
        (zygote,) = children_of(self.process.pid)
        wait_until(lambda: children_of(zygote), "the child started")
        (child,) = children_of(zygote)
        self.process.kill()
        wait_until(lambda: not is_alive(zygote) and not is_alive(child), "both ended")

    def test_everything_ends_with_the_input(self) -> None:
        self._send(1, "return 1")
        self._receive()
        (zygote,) = children_of(self.process.pid)
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.assertEqual(self.process.wait(10), 0)
        wait_until(lambda: not is_alive(zygote), "the zygote ended")


class PlatformThatEnds(Platform):
    def answer(self, method: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        raise RuntimeError("a fault of the supervisor")


class FaultTest(RunnerCase):
    def test_a_fault_while_a_call_is_forwarded_is_an_error_of_the_call(self) -> None:
        error = self.error("await platform.query.sql('x')", PlatformThatEnds())
        self.assertEqual((error["type"], error["code"]), ("PlatformError", "internal_error"))


if __name__ == "__main__":
    unittest.main()
