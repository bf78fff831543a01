"""The event of the runner, checked by hand: its schema is in shared/contracts."""

import json
from dataclasses import dataclass, field
from typing import Any

from checks import object_of
from limits import CHECK_MILLISECONDS, CODE_BYTES, INPUT_BYTES, MAPS_BYTES, MEMORY_MB


class BadEvent(ValueError):
    """The caller of the runner broke the protocol."""


class TooLarge(Exception):
    """The inputs are over a limit."""


@dataclass(frozen=True, slots=True)
class Event:
    kind: str
    form: str
    code: str
    timeout_ms: int
    memory_mb: int = MEMORY_MB
    kwargs: dict[str, Any] = field(default_factory=lambda: {})
    trigger: dict[str, Any] | None = None
    user: dict[str, Any] = field(default_factory=lambda: {})

    def job(self) -> dict[str, Any]:
        """What the child gets: neither the address nor the token of the context."""
        return {
            "kind": self.kind,
            "form": self.form,
            "code": self.code,
            "kwargs": self.kwargs,
            "trigger": self.trigger,
            "user": self.user,
            "timeout_ms": self.timeout_ms,
            "memory_mb": self.memory_mb,
        }


def read_event(raw: Any, longest_ms: int) -> Event:
    """@throws BadEvent or TooLarge"""
    if (given := object_of(raw)) is None:
        raise BadEvent("the event is no object")
    kind = _one_of(given, "kind", ("run", "check"))
    form = _one_of(given, "form", ("function", "trigger"))
    code = _text(given, "code")
    if kind == "check":
        return Event(kind, form, code, min(CHECK_MILLISECONDS, longest_ms))
    kwargs, user = object_of(given.get("kwargs", {})), object_of(given.get("user", {}))
    if kwargs is None or user is None:
        raise BadEvent("kwargs and user are objects")
    trigger = _trigger(given.get("trigger")) if form == "trigger" else None
    timeout_ms, memory_mb = given.get("timeout_ms"), given.get("memory_mb", MEMORY_MB)
    if not isinstance(timeout_ms, int) or timeout_ms <= 0 or not isinstance(memory_mb, int) or memory_mb <= 0:
        raise BadEvent("timeout_ms and memory_mb are whole numbers above zero")
    _limit(kwargs, INPUT_BYTES, "The inputs")
    event = Event(
        kind,
        form,
        code,
        min(timeout_ms, longest_ms),
        min(memory_mb, MEMORY_MB),
        kwargs,
        trigger,
        user,
    )
    if len(code.encode("utf-8", "replace")) > CODE_BYTES:
        raise TooLarge(f"The code has more than {CODE_BYTES // 1024} KiB.")
    return event


def _trigger(trigger: Any) -> dict[str, Any]:
    if (given := object_of(trigger)) is None:
        raise BadEvent("a trigger has its event and maps")
    maps = {name: object_of(given.get(name, {})) for name in ("new_map", "old_map")}
    if None in maps.values():
        raise BadEvent("new_map and old_map are objects")
    _limit(maps, MAPS_BYTES, "The records")
    return {"event": _text(given, "event"), "object": _text(given, "object"), **maps}


def _limit(value: Any, limit: int, what: str) -> None:
    if len(json.dumps(value)) > limit:
        raise TooLarge(f"{what} have more than {limit // (1024 * 1024)} MiB.")


def _one_of(given: dict[str, Any], name: str, values: tuple[str, ...]) -> str:
    value = given.get(name)
    if value not in values:
        raise BadEvent(f"{name} is one of {', '.join(values)}")
    return value


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        raise BadEvent(f"{name} is a string")
    return value
