"""Nothing of one execution is visible to the next, and no process of the code has a secret."""

import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support import LINUX, Event, Platform, RunnerCase, without_users_rights

POISON = {
    "member of a module's class": (
        "import collections\n---\ncollections.Counter.most_common = lambda self, n=None: 'poisoned'",
        "import collections\n---\nreturn collections.Counter('aab').most_common(1)",
        [["a", 2]],
    ),
    "encoder of JSON": (
        "import json\n---\njson.JSONEncoder.encode = lambda self, value: '\"poisoned\"'\nreturn 1",
        "import json\n---\nreturn json.dumps({'a': 1})",
        '{"a": 1}',
    ),
    "decimal context": (
        "from decimal import getcontext\n---\ngetcontext().prec = 2",
        "from decimal import Decimal\n---\nreturn str(Decimal(1) / 7)",
        "0.1428571428571428571428571429",
    ),
    "first day of the week": (
        "import calendar\n---\ncalendar.setfirstweekday(6)",
        "import calendar\n---\nreturn calendar.firstweekday()",
        0,
    ),
    "dialects of CSV": (
        "import csv\n---\ncsv.register_dialect('mine', delimiter='|')\ncsv.field_size_limit(1)",
        "import csv\n---\nreturn ['mine' in csv.list_dialects(), csv.field_size_limit()]",
        [False, 131072],
    ),
    "global variable": (
        "global kept\nkept = 1",
        "global kept\ntry:\n    return kept\nexcept NameError:\n    return 'gone'\nkept = 1",
        "gone",
    ),
    "default value": (
        "def add(value, found=[]):\n    found.append(value)\n    return found\n---\nreturn add(1)",
        "def add(value, found=[]):\n    found.append(value)\n    return found\n---\nreturn add(1)",
        [1],
    ),
    "cache": (
        "import functools\n@functools.cache\ndef f(n): return n\n---\nf(1)\nreturn f.cache_info().misses",
        "import functools\n@functools.cache\ndef f(n): return n\n---\nf(1)\nreturn f.cache_info().misses",
        1,
    ),
    "user": ("platform.user['id'] = 'other'", "return platform.user['id']", "u1"),
}

DEEP_POISON = {
    "built-in of all code": "import builtins\n---\nbuiltins.len = lambda value: 7\nbuiltins.sum = None",
    "module": "import json\n---\njson.dumps = None\njson.loads = None",
    "runner's own code": (
        "import sys\n---\nmain = sys.modules['child']\nmain.Driver = None\nsys.modules['output'].to_json = None"
    ),
    "variable of the environment": "import os\n---\nos.environ['KEPT'] = '1'",
    "folder": "import os\n---\nos.chdir('/tmp')\nos.umask(0)",
}


class IsolationTest(RunnerCase):
    def test_changes_of_shared_objects_are_gone_in_the_next_execution(self) -> None:
        for name, (poison, look, expected) in POISON.items():
            with self.subTest(name):
                self.run_body(poison)
                self.assertEqual(self.output(look), expected)

    def test_a_stand_in_for_a_module_cannot_be_changed(self) -> None:
        self.assertEqual(self.error("import json\n---\njson.dumps = 1")["type"], "AttributeError")
        self.assertEqual(self.error("platform.records.create = 1")["type"], "AttributeError")

    def test_random_numbers_differ_between_executions(self) -> None:
        body = "import random, secrets, uuid\n---\nreturn [random.random(), secrets.token_hex(8), str(uuid.uuid4())]"
        found = [self.output(body) for _ in range(5)]
        for values in zip(*found):
            self.assertEqual(len(set(values)), 5)

    def test_a_job_has_neither_address_nor_token_of_the_context(self) -> None:
        job = json.dumps(Event("run", "function", "", 1).job())
        self.assertNotIn("url", job)
        self.assertNotIn("token", job)


class PoisonedWithoutWallsTest(RunnerCase):
    without = frozenset({"validator", "runtime", "audit", "disarm"})

    def test_changes_of_real_modules_are_gone_in_the_next_execution(self) -> None:
        look = (
            "import builtins, json, os, sys\n---\n"
            "return [builtins.len([]), json.dumps(1), json.loads('1'), sys.modules['child'].Driver is None,"
            " os.environ.get('KEPT'), os.getcwd()]"
        )
        for name, poison in DEEP_POISON.items():
            with self.subTest(name):
                self.run_body(poison)
                self.assertEqual(self.output(look), [0, "1", 1, False, None, "/"])

    @unittest.skipUnless(LINUX, "the limits are those of Linux")
    def test_no_file_can_be_left_for_the_next_execution(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            without_users_rights(folder)
            for statement in ("open(path, 'w')", "os.open(path, os.O_CREAT | os.O_WRONLY)"):
                body = f"import os\n---\npath = kwargs['folder'] + '/left'\n{statement}"
                self.assertEqual(self.error(body, kwargs={"folder": folder})["type"], "OSError")
            self.assertEqual(os.listdir(folder), [])

    def test_the_environment_of_a_child_is_empty(self) -> None:
        os.environ["SECRET_OF_THE_SUPERVISOR"] = "1"
        self.addCleanup(os.environ.pop, "SECRET_OF_THE_SUPERVISOR")
        self.assertEqual(self.output("import os\n---\nreturn dict(os.environ)"), {})

    def test_a_child_has_its_connection_and_no_other_descriptor(self) -> None:
        body = (
            "import os\n---\nfound = []\nfor each in range(256):\n"
            "    try: found.append([each, os.readlink('/proc/self/fd/%d' % each)])\n    except OSError: pass\n"
            "return found"
        )
        if not LINUX:
            self.skipTest("descriptors are read from /proc")
        # The process belongs to another user than its entries in /proc, so they may be unreadable.
        for number, target in self.output(body):
            self.assertIn(number, {0, 1, 2, 3}, target)

    def test_a_child_does_not_run_as_root(self) -> None:
        self.assertNotIn(0, self.output("import os\n---\nreturn [os.getuid(), os.geteuid(), os.getgid(), os.getegid()]"))


@unittest.skipUnless(LINUX, "memory is read from /proc")
class SecretsTest(RunnerCase):
    def test_neither_code_nor_inputs_nor_users_reach_the_memory_of_the_zygote(self) -> None:
        secret = "the-secret-of-an-execution"
        platform = Platform()
        code = f"async def execute(platform, **kwargs):\n    await platform.query.sql('{secret}-1')\n    return kwargs"
        self.run_code(code, platform, kwargs={"a": f"{secret}-2"}, user={"id": f"{secret}-3"})
        self.assertEqual(len(platform.calls), 1)
        process = self.supervisor.zygote.process_id
        self.assertIsNotNone(process)
        self.assertEqual(Path(f"/proc/{process}/environ").read_bytes(), b"")
        self.assertNotIn(secret.encode(), _memory(process))
        # The search itself works: the zygote knows its own words.
        self.assertIn(b"__format_of__", _memory(process))


def _memory(process: Any) -> bytes:
    found: list[bytes] = []
    try:
        with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
            for line in maps:
                addresses, rights = line.split()[:2]
                if "w" not in rights:
                    continue
                begin, end = (int(address, 16) for address in addresses.split("-"))
                memory.seek(begin)
                found.append(memory.read(end - begin))
    except PermissionError:
        raise unittest.SkipTest("the memory of other processes cannot be read") from None
    return b"".join(found)


if __name__ == "__main__":
    unittest.main()
