"""JSON of what tenants' code gives: results, arguments of calls, log lines, errors. Runs in the child."""

import datetime
import decimal
import enum
import json
import uuid
from typing import Any, Final

from limits import MESSAGE_CHARACTERS

LEVELS: Final = {
    "debug": "debug",
    "info": "info",
    "warn": "warning",
    "warning": "warning",
    "error": "error",
    "critical": "error",
    "fatal": "error",
}


class NotJson(Exception):
    """The value has no JSON form."""


def _default(value: Any) -> Any:
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (decimal.Decimal, uuid.UUID)):
        return str(value)
    if isinstance(value, enum.Enum):
        return value.value
    raise TypeError(f"a value of type {type(value).__name__} has no JSON form")


_encode: Final = json.JSONEncoder(allow_nan=False, default=_default, separators=(",", ":")).encode


def to_json(value: Any) -> bytes:
    """@throws NotJson with a sentence; also for values whose own methods fail"""
    try:
        return _encode(value).encode("ascii")
    except RecursionError:
        raise NotJson("the value is nested too deeply, or contains itself") from None
    except MemoryError:
        raise
    except BaseException as error:
        raise NotJson(text_of(error)) from None


def text_of(error: BaseException) -> str:
    """The message of an exception, whose `__str__` may be the tenant's and may fail."""
    try:
        text = str(error)
    except RecursionError:
        return "maximum recursion depth exceeded"
    except MemoryError:
        return ""
    except BaseException:
        return f"({name_of(error)} has no readable message)"
    return plain(text)[:MESSAGE_CHARACTERS]


def name_of(error: BaseException) -> str:
    return plain(type(error).__name__)[:200]


def plain(text: str) -> str:
    """A true `str` without unpaired surrogates, which UTF-8 cannot hold."""
    return str.encode(text, "utf-8", "replace").decode("utf-8")
