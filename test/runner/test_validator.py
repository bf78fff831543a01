"""What the validator accepts, and how it names what it refuses."""

import unittest
from typing import Any

from support import RunnerCase, function

ACCEPTED = [
    "class A:\n    def __init__(self): self._items = []\n    def __len__(self): return len(self._items)\n---\nreturn len(A())",
    "class A:\n    def __init__(self): self.__secret = 1\n    def get(self): return self.__secret\n---\nreturn A().get()",
    "class A:\n    x: int = 1\nclass B(A):\n    def __init__(self):\n        super().__init__()\n        A.__init__(self)\n---\nB()",
    "try:\n    1 / 0\nexcept Exception as e:\n    return type(e).__name__",
    "from enum import Enum\nclass E(Enum):\n    A = 1\n    @classmethod\n    def _missing_(cls, value): return cls.A\n---\nreturn E(5).name",
    "from collections import namedtuple\nP = namedtuple('P', 'x y')\n---\nreturn P(1, 2)._replace(x=3)._asdict()",
    "from typing import NamedTuple, TypedDict, Protocol, Generic, TypeVar\nT = TypeVar('T')\nclass P(NamedTuple):\n    x: int = 1\n"
    "class D(TypedDict, total=False):\n    x: int\nclass G(Generic[T]):\n    pass\n---\nreturn [P().x, D(x=1), str(G[int]) != '']",
    "from __future__ import annotations\nfrom dataclasses import dataclass, field, asdict\n@dataclass(order=True)\nclass A:\n"
    "    x: list[int] = field(default_factory=list)\n    _y: int = 2\n---\nreturn asdict(A([1]))",
    "from functools import wraps, partial, lru_cache\ndef shout(f):\n    @wraps(f)\n    def inner(*a): return f(*a).upper()\n"
    "    return inner\n@shout\ndef hi(): return 'hi'\n---\nreturn hi()",
    "import datetime as dt\n---\nreturn dt.datetime(2024, 1, 2).strftime('%d %B %Y')",
    "import urllib.parse\n---\nreturn urllib.parse.quote('a b')",
    "from urllib import parse\n---\nreturn parse.quote('a b')",
    "import urllib.parse as p\n---\nreturn p.quote('a b')",
    "input = 1\nopen, dir, vars = 2, 3, 4\nreturn [input, open, dir, vars]",
    "def f(open, compile=1): return open + compile\n---\nreturn [f(1), [eval for eval in [1]], (lambda exec: exec)(2)]",
    "obj = {'a': 1}\nreturn [v for obj in [obj] for v in obj.values()]",
    "return '{} {x[a]} {0.real:>{w}}'.format(1, x={'a': 2}, w=3) if False else '{0.real:>{w}}'.format(1, w=3)",
    "return '\\N{BULLET} é ü'.encode('utf-8').decode()",
    "naïve = 'é'\nreturn 1" if False else "name = 'é'\nreturn f'{name!r:>5}'",
    "with open as f: pass" if False else "import io\n---\nwith io.StringIO('a') as f:\n    return f.read()",
    "x = [1, 2, 3]\ndel x[0]\nassert x == [2, 3]\nreturn x",
    "global counter\ncounter = 1\nreturn counter",
    "return [(yield_) for yield_ in (i for i in range(3))]",
    "import re\n---\nreturn [re.sub(r'(?P<x>a)', r'\\g<x>b', 'a'), re.I == re.IGNORECASE]",
    "return isinstance(type(1), type) and type(1) is int and isinstance(1, type(2))",
    "from typing import Type\ndef f(kind: type[int], other: Type[int]) -> type: return kind\n---\nreturn f(int, int)(5)",
    "import random, secrets, uuid\n---\nrandom.seed(1)\nreturn len(str(uuid.uuid4())) + len(secrets.token_hex(2))",
    "class S(str):\n    def twice(self): return self + self\n---\nreturn S('a').twice()",
    "class A:\n    __slots__ = ('x',)\n    __hash__ = None\n    def __eq__(self, other): return True\n---\nreturn A() == 1",
    "def outer():\n    n = 0\n    def inner():\n        nonlocal n\n        n += 1\n        return n\n    return inner\n---\nreturn outer()()",
    "try:\n    raise ExceptionGroup('x', [ValueError(1)])\nexcept* ValueError as e:\n    return len(e.exceptions)\nreturn 1"
    if False
    else "return 1",
    "if __name__ == '__main__': pass\nreturn __name__",
    "from zoneinfo import ZoneInfo, available_timezones\n---\nreturn [str(ZoneInfo('Asia/Tokyo')), len(available_timezones()) > 100]",
    "from zoneinfo import ZoneInfo\n---\ntry: ZoneInfo('No/Where')\nexcept Exception as e: return type(e).__name__",
    "import time, datetime\n---\nreturn [time.strptime('2024', '%Y').tm_year, datetime.datetime.strptime('1', '%d').day]",
    "return ['é'.encode(c).hex() for c in ('cp1252', 'utf-16', 'iso8859-15', 'cp850', 'mac-roman', 'utf-7')]",
    "import copy, decimal, fractions\n---\nreturn str(copy.deepcopy({'a': [decimal.Decimal('1'), fractions.Fraction(1, 2)]}))",
    "import calendar, statistics, textwrap, heapq, html, hmac, hashlib, base64, csv, unicodedata, operator\n---\n"
    "return [calendar.monthrange(2024, 2)[1], statistics.mean([1, 2]), operator.add(1, 2), html.escape('<')]",
    "from enum import Enum, IntEnum, Flag\nA = Enum('A', 'X Y')\nB = IntEnum('B', {'X': 5})\nC = Flag('C', ['X', 'Y'])\n---\n"
    "return [A.Y.value, B.X, (C.X | C.Y).value, A('1' and 1).name]",
    "import json\n---\nclass E(json.JSONEncoder):\n    def default(self, o): return str(o)\nreturn json.dumps({1, }, cls=E)",
]

REFUSED: dict[str, list[tuple[int, int, str]]] = {
    "import os": [(1, 8, "import")],
    "import json, os as x": [(1, 14, "import")],
    "from os import path": [(1, 1, "import")],
    "from . import x": [(1, 1, "import")],
    "from json import *": [(1, 18, "member")],
    "from operator import attrgetter": [(1, 22, "member")],
    "import operator\noperator.methodcaller": [(2, 1, "member")],
    "import urllib": [(1, 8, "import")],
    "import asyncio\nasyncio.create_task": [(2, 1, "member")],
    "x = open": [(1, 5, "name")],
    "x = unknown": [(1, 5, "name")],
    "x = ''.__class__": [(1, 5, "attribute")],
    "def f(x):\n    return x.gi_frame": [(2, 12, "attribute")],
    "def f(error):\n    return error.obj": [(2, 12, "attribute")],
    "x = '{0.__class__}'": [(1, 5, "attribute")],
    "class A(metaclass=int): pass": [(1, 19, "class")],
    "class A:\n    def __getattr__(self, name): pass": [(2, 5, "class")],
    "class A:\n    def _convert_(self): pass": [(2, 5, "class")],
    "__builtins__ = 1": [(1, 1, "name")],
    "def f(__class__): pass": [(1, 7, "name")],
    "nаme = 1": [(1, 1, "identifier")],
    "open = 1\nx = open": [(1, 1, "name")],
    "x = (1,\n  2": [(1, 5, "syntax")],
    "é = '日本'; open": [(1, 1, "identifier"), (1, 11, "name")],
}


class ValidatorTest(RunnerCase):
    def test_ordinary_code_is_accepted_and_runs(self) -> None:
        for body in ACCEPTED:
            with self.subTest(body):
                self.assertEqual(self.check(function(body)), [])
                answer = self.run_body(body)
                self.assertEqual(answer["status"], "completed", answer.get("error"))

    def test_what_is_refused_has_line_column_and_rule(self) -> None:
        for above, expected in REFUSED.items():
            with self.subTest(above):
                issues = self.check(f"{above}\nasync def execute(platform, **kwargs): pass\n")
                self.assertEqual([(issue["line"], issue["column"], issue["rule"]) for issue in issues], expected)

    def test_all_failures_are_reported_at_once(self) -> None:
        issues = self.check("import os\nimport sys\nx = eval\n")
        self.assertEqual([issue["rule"] for issue in issues], ["signature", "import", "import", "name"])

    def test_execute_must_have_the_right_form(self) -> None:
        for code in (
            "",
            "def execute(platform): pass",
            "async def execute(): pass",
            "async def other(platform): pass",
            "execute = 1",
            "class A:\n    async def execute(platform): pass",
            "async def execute(platform): pass\nasync def execute(platform): pass",
        ):
            for form in ("function", "trigger"):
                with self.subTest(code, form=form):
                    self.assertEqual({issue["rule"] for issue in self.check(code, form)}, {"signature"})

    def test_newer_syntax_is_refused_on_every_version(self) -> None:
        for above in ("type X = int", "def f[T](x): pass", "class A[T]: pass"):
            issues: list[dict[str, Any]] = self.check(f"{above}\nasync def execute(platform): pass")
            self.assertIn(issues[0]["rule"], {"syntax"})


if __name__ == "__main__":
    unittest.main()
