"""Types of values that come from JSON."""

from typing import Any, cast


def object_of(value: Any) -> dict[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def list_of(value: Any) -> list[Any] | None:
    return cast("list[Any]", value) if isinstance(value, list) else None
