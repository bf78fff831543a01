"""A child that breaks the protocol: its code has taken over the whole process."""

import time
import unittest
from typing import Any

from support import LINUX, Platform, RunnerCase

ABOVE = """
import os, struct, json, time
def frame(body, length=None):
    return struct.pack(">I", len(body) if length is None else length) + body
def write(data):
    while data: data = data[os.write(3, data):]
def send(letter, value=None, number=b""):
    write(frame(letter + number + (value if isinstance(value, bytes) else json.dumps(value).encode())))
---
"""
DONE = '{"status": "completed", "output": 5}'

MALFORMED = {
    "no frame": "write(b'garbage that is not a frame' * 10)",
    "an empty frame": "write(frame(b''))",
    "another letter": "send(b'X', {})",
    "a length over the limit": "write(struct.pack('>I', 0xffffffff))",
    "a log line that is no JSON": "send(b'L', b'{')",
    "a log line that is no object": "send(b'L', [1])",
    "a log line without text": "send(b'L', {'at': 1, 'level': 'info', 'message': 5})",
    "a log line at no time": "send(b'L', {'at': 1e300, 'level': 'info', 'message': 'x'})",
    "a log line of another level": "send(b'L', {'at': 1, 'level': 'loud', 'message': 'x'})",
    "a call without a number": "send(b'C', b'')",
    "a call that is no JSON": "send(b'C', b'nothing', b'\\0\\0\\0\\1')",
    "a call without arguments": "send(b'C', {'method': 'query.sql'}, b'\\0\\0\\0\\1')",
    "a call with another type of method": "send(b'C', {'method': 5, 'args': [], 'kwargs': {}}, b'\\0\\0\\0\\1')",
    "deep JSON": "send(b'C', b'[' * 500000, b'\\0\\0\\0\\1')",
    "a call over its limit": "send(b'C', b' ' * 1100000 + b'{}', b'\\0\\0\\0\\1')",
    "text that is not UTF-8": "send(b'L', b'\\xff\\xfe{}')",
    "a result that is no JSON": "send(b'D', b'{\"status\"')",
    "a result without a status": "send(b'D', {'output': 1})",
    "a result of another status": "send(b'D', {'status': 'running', 'output': 1})",
    "a failure of another kind": "send(b'D', {'status': 'failed', 'error': {'kind': 'x', 'type': '', 'message': ''}})",
    "a failure without an error": "send(b'D', {'status': 'failed'})",
    "a result with other issues": "send(b'D', {'status': 'checked', 'issues': [5]})",
    "more log lines than the limit": (
        "for i in range(1001): send(b'L', {'at': 1, 'level': 'info', 'message': 'x'})"
    ),
    "issues at no position": "send(b'D', {'status': 'checked', 'issues': [{'line': True, 'column': 1, 'rule': 'x', 'message': 'x'}]})",
    "endless log lines": "while True: send(b'L', {'at': 1, 'level': 'info', 'message': 'x' * 100000})",
    "log lines after the cut": "send(b'L', {'cut': True})\nsend(b'L', {'at': 1, 'level': 'info', 'message': 'x'})",
    "a large result": "send(b'D', b'{\"status\": \"completed\", \"output\": \"' + b'x' * 2000000 + b'\"}')",
}
NO_JSON = {
    "not a number": 'send(b\'D\', b\'{"status": "completed", "output": NaN}\')',
    "infinity": 'send(b\'D\', b\'{"status": "completed", "output": [1e999]}\')',
    "a large integer": "send(b'D', b'{\"status\": \"completed\", \"output\": ' + b'9' * 400 + b'}')",
    "text that is not Unicode": 'send(b\'D\', b\'{"status": "completed", "output": "\\\\ud800"}\')',
}


class ProtocolTest(RunnerCase):
    without = frozenset({"validator", "runtime", "audit", "limits", "disarm"})

    def body(self, statements: str) -> str:
        return f"{ABOVE.strip()}\n{statements}\ntime.sleep(60)"

    def test_a_malformed_frame_ends_the_execution_as_failed(self) -> None:
        for name, statements in MALFORMED.items():
            with self.subTest(name):
                error = self.error(self.body(statements), timeout_ms=3_000)
                self.assertEqual((error["kind"], error["type"]), ("killed", "Malformed"), error)
        self.assert_answers()

    def test_a_forged_result_that_is_not_json_is_refused(self) -> None:
        for name, statements in NO_JSON.items():
            with self.subTest(name):
                error = self.error(self.body(statements), timeout_ms=3_000)
                self.assertEqual((error["kind"], error["type"]), ("invalid_output", "InvalidOutput"), error)
        self.assert_answers()

    def test_half_a_frame_ends_at_the_time_limit(self) -> None:
        error = self.error(self.body("write(struct.pack('>I', 100) + b'half')"), timeout_ms=300)
        self.assertEqual(error["kind"], "timeout")
        self.assert_answers()

    def test_what_follows_the_result_is_ignored(self) -> None:
        body = self.body(f"send(b'D', {DONE!r}.encode())\nwrite(b'garbage' * 10000)")
        started = time.monotonic()
        self.assertEqual(self.output(body), 5)
        self.assertLess(time.monotonic() - started, 1)
        self.assert_answers()

    def test_a_child_that_closes_its_connection_has_failed(self) -> None:
        error = self.error(self.body("os.close(3)"), timeout_ms=3_000)
        self.assertEqual(error["kind"], "killed")
        self.assert_answers()

    def test_a_child_that_leaves_has_failed(self) -> None:
        for statement in ("os._exit(0)", "os._exit(1)", "os.abort()", "os.kill(os.getpid(), 11)"):
            self.assertEqual(self.error(self.body(statement))["kind"], "killed")
        self.assert_answers()

    def test_a_child_that_never_reads_its_replies_ends_at_the_time_limit(self) -> None:
        class Large(Platform):
            def answer(self, method: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
                return "x" * 1_000_000

        call = "send(b'C', {'method': 'query.sql', 'args': [], 'kwargs': {}}, struct.pack('>I', i))"
        platform = Large()
        error = self.error(self.body(f"for i in range(100): {call}"), platform, timeout_ms=500)
        self.assertEqual(error["kind"], "timeout")
        self.assertLess(len(platform.calls), 100)
        self.assert_answers()

    def test_no_more_calls_than_the_limit_are_forwarded(self) -> None:
        call = "send(b'C', {'method': 'query.sql', 'args': [], 'kwargs': {}}, struct.pack('>I', i))"
        platform = Platform()
        self.run_body(
            self.body(f"for i in range(1100):\n    {call}\n    os.read(3, 100000)\nsend(b'D', {DONE!r}.encode())"),
            platform,
            timeout_ms=10_000,
        )
        self.assertEqual(len(platform.calls), 1000)
        self.assert_answers()

    def test_a_child_that_forks_leaves_no_process(self) -> None:
        body = self.body("for i in range(3):\n    if os.fork() == 0: time.sleep(60)\n" + f"send(b'D', {DONE!r}.encode())")
        self.assertEqual(self.output(body), 5)
        self.assert_answers()

    def test_text_that_is_not_unicode_is_replaced_in_lines_and_errors(self) -> None:
        line = "send(b'L', {'at': 1, 'level': 'info', 'message': 'a\\ud800'})"
        failed = "{'status': 'failed', 'error': {'kind': 'exception', 'type': 'E', 'message': '\\ud800', 'line': 0}}"
        answer = self.run_body(self.body(f"{line}\nsend(b'D', {failed})"))
        self.assertEqual(answer["lines"][0]["message"], "a?")
        self.assertEqual(answer["error"], {"kind": "exception", "type": "E", "message": "?"})

    @unittest.skipUnless(LINUX, "the memory of processes is read from /proc")
    def test_a_child_without_a_limit_of_memory_ends_soon_after_it_has_too_much(self) -> None:
        for body in ("x = []\nwhile True: x.append('a' * 10 ** 6 + str(len(x)))", "x = 'a' * 10 ** 9\ntime.sleep(5)"):
            error = self.error(f"{ABOVE.strip()}\n{body}", timeout_ms=20_000, memory_mb=32)
            self.assertEqual(error["kind"], "memory")
        self.assert_answers()


if __name__ == "__main__":
    unittest.main()
