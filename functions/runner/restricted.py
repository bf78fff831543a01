"""The names that tenants' code has."""

import builtins
import importlib
from typing import Any, Final

from walls import Gate

FORMAT_OF: Final = "__format_of__"
ALLOWED = "json re math decimal fractions statistics datetime zoneinfo calendar time random secrets uuid hashlib hmac base64 string textwrap heapq itertools functools collections operator dataclasses enum typing asyncio html urllib.parse csv io copy unicodedata __future__".split()


class Runtime:
    def __init__(self, restrict: bool) -> None:
        self.gate = Gate()
        self.rules: Any = None
        for name in [*ALLOWED, "_strptime", "inspect"]:
            importlib.import_module(name)

    def namespace(self, errors: dict[str, Any], print_: Any) -> dict[str, Any]:
        own = dict(vars(builtins))
        own["print"] = print_
        own[FORMAT_OF] = getattr
        return {"__builtins__": {**own, **errors}, "__name__": "function"}


def prepare(restrict: bool) -> Runtime:
    return Runtime(restrict)
