"""Reads the result that a child sent. The child may be the tenant's, so everything is checked."""

import json
from typing import Any, Final

from checks import list_of, object_of
from frames import Malformed
from limits import MAPS_BYTES, MESSAGE_CHARACTERS, OUTPUT_BYTES
from output import plain

KINDS: Final = frozenset(
    {"exception", "refused", "timeout", "memory", "invalid_code", "invalid_output", "killed", "limit"}
)


class Failure(Exception):
    """Why an execution failed."""

    def __init__(self, kind: str, error_type: str, message: str, **others: Any) -> None:
        super().__init__(message)
        self.kind = kind
        self.error_type = error_type
        self.message = message
        self.others = others

    def error(self) -> dict[str, Any]:
        return {"kind": self.kind, "type": self.error_type, "message": self.message, **self.others}


def _integer(text: str) -> int:
    # A larger number would be infinite in other languages' JSON.
    if len(text) > 308:
        raise ValueError("an integer of the result has more than 308 digits")
    return int(text)


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number of the result is infinite")
    return value


def _constant(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


def read_result(body: bytes, form: str) -> dict[str, Any]:
    """`{status: "completed", output, new_map?}` or `{status: "checked", issues}`. @throws Failure or Malformed"""
    try:
        result: Any = json.loads(body, parse_int=_integer, parse_float=_float, parse_constant=_constant)
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError):
            raise Malformed from None
        raise Failure("invalid_output", "InvalidOutput", f"The result is not JSON: {error}.") from None
    except RecursionError:
        raise Failure("invalid_output", "InvalidOutput", "The result is nested too deeply.") from None
    found = object_of(result)
    if found is None:
        raise Malformed
    if found.get("status") == "completed" and (b"\\ud" in body or b"\\uD" in body):
        try:
            json.dumps(found, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise Failure("invalid_output", "InvalidOutput", "The result has text that is not Unicode.") from None
    return _known(found, len(body), form)


def _known(result: dict[str, Any], size: int, form: str) -> dict[str, Any]:
    status = result.get("status")
    if status == "checked" and (issues := list_of(result.get("issues"))) is not None:
        return {"status": "checked", "issues": [_issue(each) for each in issues[:100]]}
    if status == "failed":
        raise _failure(result.get("error"))
    if status != "completed" or "output" not in result:
        raise Malformed
    if size > OUTPUT_BYTES + (MAPS_BYTES if form == "trigger" else 0) + 1024:
        raise Malformed
    known = {"status": "completed", "output": result["output"]}
    if form == "trigger":
        maps = object_of(result.get("new_map"))
        if maps is None or not all(isinstance(record, dict) for record in maps.values()):
            raise Failure("invalid_output", "InvalidOutput", "new_map is not a map of records.")
        known["new_map"] = maps
    return known


def _failure(error: Any) -> Failure:
    if (found := object_of(error)) is None:
        raise Malformed
    kind, error_type, message = found.get("kind"), found.get("type"), found.get("message")
    if kind not in KINDS or not isinstance(error_type, str) or not isinstance(message, str):
        raise Malformed
    others: dict[str, Any] = {
        name: plain(value)[:MESSAGE_CHARACTERS]
        for name in ("field", "record_id", "code")
        if isinstance(value := found.get(name), str)
    }
    if _is_position(line := found.get("line")):
        others["line"] = line
    return Failure(kind, plain(error_type)[:200], plain(message)[:MESSAGE_CHARACTERS], **others)


def _is_position(value: Any) -> bool:
    return type(value) is int and 0 < value < 10_000_000


def _issue(issue: Any) -> dict[str, Any]:
    if (found := object_of(issue)) is None:
        raise Malformed
    line, column, rule, message = (found.get(name) for name in ("line", "column", "rule", "message"))
    if not (_is_position(line) and _is_position(column) and isinstance(rule, str) and isinstance(message, str)):
        raise Malformed
    return {"line": line, "column": column, "rule": plain(rule)[:50], "message": plain(message)[:MESSAGE_CHARACTERS]}
