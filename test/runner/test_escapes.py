"""Each entry of the escape corpus works on Python itself, is refused here, and is contained without the validator."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from bare import SECRET
from escapes import ESCAPES, Escape
from support import LINUX, Event, Platform, RunnerCase, Supervisor, run_answer, without_users_rights

PIPE_SUFFIXES = ("", "0", "1", "2")


class CorpusTest(unittest.TestCase):
    def test_each_entry_escapes_from_python_itself(self) -> None:
        program = str(Path(__file__).with_name("bare.py"))
        done = subprocess.run([sys.executable, "-B", program], capture_output=True, text=True, check=True)
        result = json.loads(done.stdout)
        self.assertEqual(result["failures"], {})
        self.assertEqual(result["tried"], len(ESCAPES))


class RefusedTest(RunnerCase):
    def test_what_the_validator_cannot_see_fails_when_it_runs(self) -> None:
        unseen = [escape for escape in ESCAPES if not escape.is_seen]
        self.assertLessEqual(len(unseen), 3)
        for escape in unseen:
            with self.subTest(f"{escape.technique}: {escape.name}"):
                answer = self.run_code(escape.code, kwargs={"secret": "/", "target": "/x", "port": 0})
                # Not "killed": the restricted runtime refuses before another wall has to.
                self.assertEqual(answer["status"], "failed", answer)
                self.assertEqual(answer["error"]["kind"], "exception", answer)

    def test_the_validator_refuses_each_entry_with_a_position(self) -> None:
        for escape in ESCAPES:
            with self.subTest(f"{escape.technique}: {escape.name}"):
                if not escape.is_seen:
                    continue
                issues = self.check(escape.code)
                self.assertNotEqual(issues, [])
                for issue in issues:
                    self.assertGreaterEqual(issue["line"], 1)
                    self.assertGreaterEqual(issue["column"], 1)
                    self.assertNotIn(issue["rule"], {"nesting", "syntax"}, issue)


class ContainedCase(RunnerCase):
    """The corpus on a runner that lacks walls."""

    def assert_contained(self) -> None:
        for escape in ESCAPES:
            if escape.reads_itself and "runtime" in self.without:
                # Without it, all that a process has is open to its own code.
                continue
            with self.subTest(f"{escape.technique}: {escape.name}"), tempfile.TemporaryDirectory() as folder:
                self._attempt(escape, Path(folder))
        self.assert_answers()

    def _attempt(self, escape: Escape, folder: Path) -> None:
        without_users_rights(str(folder))
        secret, target = folder / "secret", folder / "target"
        secret.write_text(SECRET)
        secret.chmod(0o644)
        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(0)
        kwargs: dict[str, Any] = {"secret": str(secret), "target": str(target), "port": listener.getsockname()[1]}
        answer = self.run_code(escape.code, kwargs=kwargs, timeout_ms=2_000)
        # An entry that ends otherwise than by its own fault was stopped by a wall.
        text = json.dumps(answer)
        self.assertNotIn(SECRET, text)
        self.assertNotEqual(answer.get("output"), "ESCAPED")
        for suffix in PIPE_SUFFIXES:
            self.assertFalse(os.path.lexists(f"{target}{suffix}"), answer)
        with self.assertRaises(BlockingIOError):
            listener.accept()
        listener.close()


@unittest.skipUnless(LINUX, "the limits are those of Linux")
class WithoutValidatorTest(ContainedCase):
    without = frozenset({"validator"})

    def test_the_other_walls_contain_the_corpus_without_the_validator(self) -> None:
        self.assert_contained()


@unittest.skipUnless(LINUX, "the limits are those of Linux")
class WithoutValidatorAndRuntimeTest(ContainedCase):
    without = frozenset({"validator", "runtime"})

    def test_audit_hook_and_limits_contain_the_corpus_alone(self) -> None:
        self.assert_contained()


@unittest.skipUnless(LINUX, "the limits are those of Linux")
class WithoutValidatorAndAuditTest(ContainedCase):
    without = frozenset({"validator", "audit"})

    def test_runtime_and_limits_contain_the_corpus_alone(self) -> None:
        self.assert_contained()


@unittest.skipUnless(LINUX, "the limits are those of Linux")
class WithoutValidatorAndLimitsTest(ContainedCase):
    without = frozenset({"validator", "limits"})

    def test_runtime_and_audit_hook_contain_the_corpus_alone(self) -> None:
        self.assert_contained()


class SingleWallTest(unittest.TestCase):
    def test_the_validator_refuses_each_technique_when_another_wall_is_missing(self) -> None:
        techniques = {escape.technique: escape for escape in ESCAPES if escape.is_seen}
        for wall in ("runtime", "audit", "limits", "disarm"):
            supervisor = Supervisor(frozenset({wall}))
            self.addCleanup(supervisor.stop)
            for technique, escape in techniques.items():
                with self.subTest(f"without {wall}: {technique}"):
                    event = Event("run", "function", escape.code, 2_000, kwargs={"secret": "", "target": "", "port": 0})
                    answer = run_answer(supervisor.run(event, Platform().forward))
                    self.assertEqual(answer["error"]["kind"], "invalid_code")


if __name__ == "__main__":
    unittest.main()
