"""What uses too much time, memory or output ends with a reason, and the next execution works."""

import statistics
import time
import unittest
from typing import Any

from support import LINUX, RunnerCase

ENDLESS = {
    "a loop": "while True: pass",
    "a loop that catches everything": "while True:\n    try: 1 / 0\n    except BaseException: pass",
    "a sleep": "import time\n---\ntime.sleep(100)",
    "an asynchronous sleep": "import asyncio\n---\nawait asyncio.sleep(100)",
    "a sum": "sum(range(10 ** 12))",
    "a regular expression": 'import re\n---\nre.match(r"(a+)+$", "a" * 40 + "b")',
    "a power": "return len(bin(7 ** (7 ** 10)))",
    "text of a large integer": "x = 1 << 10 ** 8\nreturn x % (10 ** 9 ** 7)",
    "a factorial": "import math\n---\nmath.factorial(10 ** 8)",
    "a decimal": "from decimal import Decimal, getcontext\n---\ngetcontext().prec = 10 ** 8\nreturn str(Decimal(2).sqrt())",
    "an iterator": "import itertools\n---\nfor each in itertools.count(): pass",
    "a search": "import itertools\n---\nmax(itertools.repeat(1))",
    "a method of an error": "class E(Exception):\n    def __str__(self):\n        while True: pass\n---\nraise E()",
    "a generator that does not close": (
        "def steps():\n    while True:\n        try: yield 1\n        except BaseException: pass\n---\n"
        "found = steps()\nnext(found)\nwhile True:\n    try: found.throw(ValueError)\n    except RuntimeError: pass"
    ),
    "key derivation": 'import hashlib\n---\nhashlib.pbkdf2_hmac("sha256", b"x", b"y", 10 ** 9)',
}

BOMBS = {
    "a string": 'x = "a" * 10 ** 10',
    "bytes": "x = bytearray(10 ** 10)",
    "a list": "x = []\nwhile True: x.append(x[:])",
    "a list of integers": "x = list(range(10 ** 9))",
    "a dictionary": "x = {}\nfor i in range(10 ** 9): x[i] = str(i) * 10",
    "joined text": 'x = "a"\nwhile True: x += x',
    "an integer": "x = 1 << 10 ** 12",
    "a product": "import itertools\n---\nx = list(itertools.product(range(100), repeat=10))",
    "a copy": "import copy\nx = [0] * 10 ** 6\n---\ny = []\nwhile True: y.append(copy.copy(x))",
    "a format": 'x = f"{1:{10 ** 10}}"',
    "a template": 'x = "{:>9999999999}".format(1)',
    "json": 'import json\n---\nx = json.loads("[" + "[]," * 10 ** 8 + "[]]")',
    "padding": 'x = "a".ljust(10 ** 11)',
    "a buffer": "import io\n---\nx = io.BytesIO()\nx.seek(10 ** 11)\nx.write(b'x')",
    "handled errors": "x = []\nwhile True:\n    try: x.append('a' * 10 ** 6 + str(len(x)))\n    except MemoryError: raise",
}

DEEP = {
    "parentheses": "x = " + "(" * 5_000 + ")" * 5_000,
    "lists": "x = " + "[" * 90_000 + "]" * 90_000,
    "signs": "x = " + "-" * 90_000 + "1",
    "attributes": "x = platform" + ".a" * 50_000,
    "additions": "x = 1" + "+1" * 60_000,
    "calls": "x = platform" + "()" * 50_000,
    "powers": "x = 1" + "**1" * 40_000,
    "functions": "".join(f"{' ' * depth}if 1:\n" for depth in range(90)) + " " * 100 + "pass",
    "lambdas": "x = " + "lambda: " * 20_000 + "1",
    "comparisons": "x = " + "not " * 50_000 + "1",
    "comprehensions": "x = " + "[" * 150 + "1" + " for a in b]" * 150,
    "subscripts": "x = platform" + "[0]" * 50_000,
    "conditions": "x = 1" + " if 1 else 1" * 20_000,
    "patterns": "match platform:\n    case " + "[" * 5_000 + "]" * 5_000 + ": pass",
    "formatted strings": "x = " + "f'{" * 100 + "1" + "}'" * 100,
}


class LimitsTest(RunnerCase):
    def test_endless_code_ends_within_100_milliseconds_of_its_limit(self) -> None:
        late: list[float] = []
        for name, body in ENDLESS.items():
            with self.subTest(name):
                started = time.monotonic()
                error = self.error(body, timeout_ms=200, memory_mb=200)
                late.append(time.monotonic() - started - 0.2)
                # Some of them need so much memory that they may fail before their time is over.
                self.assertIn(error["kind"], {"timeout", "memory"}, error)
        # A single one may be late because other processes have the processors.
        self.assertLess(statistics.median(late), 0.1)
        self.assert_answers()

    @unittest.skipUnless(LINUX, "only Linux limits memory")
    def test_code_that_uses_too_much_memory_fails_with_that_reason(self) -> None:
        for name, body in BOMBS.items():
            with self.subTest(name):
                error = self.error(body, timeout_ms=20_000, memory_mb=32)
                self.assertIn(error["kind"], {"memory", "exception", "killed"}, error)
                if error["kind"] == "exception":
                    # Python refuses the size itself.
                    self.assertIn(error["type"], {"MemoryError", "OverflowError", "ValueError"}, error)
        self.assert_answers()

    @unittest.skipUnless(LINUX, "only Linux limits memory")
    def test_memory_mb_decides_how_much_memory_a_function_has(self) -> None:
        body = "x = bytearray(50 * 1024 * 1024)\nreturn len(x)"
        self.assertEqual(self.error(body, memory_mb=32)["kind"], "memory")
        self.assertEqual(self.output(body, memory_mb=96), 50 * 1024 * 1024)

    def test_a_function_may_catch_its_memory_error(self) -> None:
        if not LINUX:
            self.skipTest("only Linux limits memory")
        body = "try:\n    x = 'a' * 10 ** 9\nexcept MemoryError:\n    return 'caught'"
        self.assertEqual(self.output(body), "caught")

    def test_recursion_without_end_is_an_exception(self) -> None:
        bodies = [
            "def f(): return f()\n---\nf()",
            "def f(n): return [f(n + 1)]\n---\nf(0)",
            "class A:\n    def __repr__(self): return repr(self)\n---\nrepr(A())",
            "class A:\n    def __eq__(self, other): return self == other\n---\nreturn A() == A()",
            "import functools\n@functools.lru_cache\ndef f(n): return f(n + 1)\n---\nf(0)",
            "async def f(): return await f()\n---\nawait f()",
            "x = []\nfor i in range(100000): x = [x]\nreturn repr(x)",
            "import json\n---\njson.loads('[' * 100000)",
            "import copy\nx = []\nfor i in range(100000): x = [x]\n---\ncopy.deepcopy(x)",
            "import re\n---\nre.compile('(' * 5000 + ')' * 5000)",
            "class E(Exception):\n    def __str__(self): return str(self)\n---\nraise E()",
        ]
        for body in bodies:
            with self.subTest(body):
                self.assertIn(self.error(body)["kind"], {"exception", "killed", "memory"})
        self.assert_answers()

    def test_code_that_is_nested_too_deeply_is_refused_or_runs(self) -> None:
        for name, body in DEEP.items():
            with self.subTest(name):
                code = "async def execute(platform, **kwargs):\n" + "".join(f"  {line}\n" for line in body.splitlines())
                for issue in self.check(code):
                    self.assertIn(issue["rule"], {"nesting", "syntax", "name", "attribute"}, issue)
                started = time.monotonic()
                answer = self.run_code(code, timeout_ms=5_000)
                self.assertIn(answer["status"], {"completed", "failed"})
                self.assertLess(time.monotonic() - started, 5.5)
        self.assert_answers()

    def test_a_result_has_at_most_one_mebibyte(self) -> None:
        self.assertEqual(self.error("return 'a' * (1024 * 1024)")["kind"], "limit")
        self.assertEqual(len(self.output("return 'a' * (1024 * 1024 - 2)")), 1024 * 1024 - 2)

    def test_log_lines_are_cut_after_1000_lines(self) -> None:
        answer = self.run_body("for i in range(1001): platform.log(str(i))\nreturn 1")
        self.assertEqual((len(answer["lines"]), answer["lines_cut"]), (1000, True))
        self.assertEqual(answer["output"], 1)
        answer = self.run_body("for i in range(1000): platform.log(str(i))")
        self.assertEqual((len(answer["lines"]), answer["lines_cut"]), (1000, False))

    def test_log_lines_are_cut_after_256_kibibytes(self) -> None:
        answer = self.run_body("for i in range(9): platform.log('é' * 16 * 1024)\nreturn 1")
        self.assertEqual((len(answer["lines"]), answer["lines_cut"]), (8, True))
        answer = self.run_body("platform.log('a' * 10 ** 7)\nfor i in range(10 ** 5): print(i)\nreturn 1")
        self.assertEqual((answer["lines"], answer["lines_cut"], answer["output"]), ([], True, 1))

    def test_lines_before_an_end_by_force_are_kept(self) -> None:
        answer = self.run_body("print('first')\nwhile True: pass", timeout_ms=100)
        self.assertEqual([line["message"] for line in answer["lines"]], ["first"])
        self.assertEqual(answer["error"]["kind"], "timeout")


class ResultsTest(RunnerCase):
    def test_values_without_a_json_form_are_refused(self) -> None:
        bodies = {
            "not a number": "return float('nan')",
            "infinity": "return {'a': [float('-inf')]}",
            "a set": "return {1, 2}",
            "bytes": "return b'x'",
            "a function": "return execute",
            "a coroutine": "async def f(): pass\n---\nreturn [platform.log]",
            "a large integer": "return 10 ** 400",
            "a very large integer": "return 10 ** 5000",
            "an object": "return object()",
            "itself": "x = []\nx.append(x)\nreturn x",
            "a deep list": "x = []\nfor i in range(100000): x = [x]\nreturn x",
            "a tuple as a key": "return {(1, 2): 3}",
            "text that is not Unicode": "return '\\ud800'",
            "a hostile dictionary": "class D(dict):\n    def items(self): raise ValueError('x')\n---\nreturn D(a=1)",
            "an endless list": "class L(list):\n    def __iter__(self): raise SystemExit\n---\nreturn [L([1]), {1}]",
        }
        for name, body in bodies.items():
            with self.subTest(name):
                error = self.error(body)
                self.assertEqual((error["kind"], error["type"]), ("invalid_output", "InvalidOutput"), error)
        self.assert_answers()

    def test_dates_decimals_and_ids_become_text(self) -> None:
        body = (
            "import datetime, decimal, enum, uuid\nclass Colour(enum.Enum):\n    RED = 'red'\n---\n"
            "return [datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc),\n"
            " decimal.Decimal('1.10'), uuid.UUID(int=1), Colour.RED]"
        )
        expected = ["2024-01-02", "2024-01-02T00:00:00+00:00", "1.10", "00000000-0000-0000-0000-000000000001", "red"]
        self.assertEqual(self.output(body), expected)

    def test_errors_with_hostile_methods_have_a_readable_answer(self) -> None:
        bodies: dict[str, tuple[str, str]] = {
            "class E(Exception):\n    def __str__(self): raise E()\n---\nraise E()": ("E", "(E has no readable message)"),
            "class E(Exception):\n    def __str__(self): return 5\n---\nraise E()": ("E", "(E has no readable message)"),
            "class E(BaseException): pass\n---\nraise E('plain')": ("E", "plain"),
            "raise SystemExit(3)": ("SystemExit", "3"),
            "raise KeyboardInterrupt": ("KeyboardInterrupt", ""),
            "raise StopIteration(1)": ("RuntimeError", "coroutine raised StopIteration"),
            "raise GeneratorExit('x')": ("GeneratorExit", "x"),
            "raise Exception('\\ud800')": ("Exception", "?"),
            "raise ExceptionGroup('two', [ValueError(1), KeyError(2)])": (
                "ExceptionGroup",
                "two (2 sub-exceptions)",
            ),
        }
        for body, expected in bodies.items():
            with self.subTest(body):
                error = self.error(body)
                self.assertEqual((error["kind"], error["type"], error["message"]), ("exception", *expected))

    def test_a_long_message_is_cut(self) -> None:
        self.assertEqual(len(self.error("raise ValueError('a' * 10 ** 6)")["message"]), 4000)

    def test_an_error_has_the_line_of_the_function(self) -> None:
        code = "import json\n\ndef read(text):\n    return json.loads(text)\n\nasync def execute(platform):\n    read('{')\n"
        error: dict[str, Any] = self.run_code(code)["error"]
        self.assertEqual((error["type"], error["line"]), ("JSONDecodeError", 4))

    def test_an_input_may_have_the_name_of_the_first_parameter(self) -> None:
        self.assertEqual(self.output("return kwargs", kwargs={"platform": 1, "self": 2}), {"platform": 1, "self": 2})

    def test_a_missing_input_is_named(self) -> None:
        error = self.run_code("async def execute(platform, customer, **kwargs): pass")["error"]
        self.assertEqual(error["type"], "TypeError")
        self.assertIn("'customer'", error["message"])


if __name__ == "__main__":
    unittest.main()
