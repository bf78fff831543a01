"""Parts of the standard library with a check in front, where they make source text or read attributes by name."""

import collections
import dataclasses
import enum
import functools
import keyword
import typing
import zoneinfo
from collections.abc import Callable, Iterable
from typing import Any, Final, cast

from attributes import FORMATS, is_readable
from walls import Gate

MODULE_NAME: Final = "function"
"""`__name__` of tenants' code."""


def install_guards(gate: Gate, private: frozenset[str]) -> dict[str, dict[str, Any]]:
    """Changes the modules of this process. Gives what tenants' code gets instead of members: module → name → value."""

    def check_name(name: Any) -> str:
        """Names become source text, and attributes to be read by name."""
        if type(name) is not str or not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"{name!r} is not a name for a field")
        if not is_readable(name, private) or name in FORMATS:
            raise ValueError(f"a field cannot have the name {name}")
        return name

    _check_enums(check_name)
    return {
        "collections": {"namedtuple": _namedtuple(gate, check_name)},
        "dataclasses": {"dataclass": _dataclass(gate, check_name)},
        "functools": {"wraps": _wraps, "update_wrapper": _update_wrapper},
        "typing": {"NamedTuple": _named_tuple_class(gate)},
        "zoneinfo": {"available_timezones": _load_time_zones()},
    }


def _namedtuple(gate: Gate, check_name: Callable[[Any], str]) -> Callable[..., Any]:
    original: Callable[..., Any] = collections.namedtuple

    def namedtuple(
        typename: str,
        field_names: str | Iterable[str],
        *,
        rename: bool = False,
        defaults: Iterable[Any] | None = None,
        module: str | None = None,
    ) -> Any:
        names = field_names.replace(",", " ").split() if isinstance(field_names, str) else list(field_names)
        # True strings, before the part that may make functions.
        plain = [str.__str__(name) if rename else check_name(name) for name in names]
        given = None if defaults is None else tuple(defaults)
        label, is_renamed = str.__str__(typename), bool(rename)
        if is_renamed:
            plain = [name if _is_accepted(name, check_name) else f"_{index}" for index, name in enumerate(plain)]
        origin = None if module is None else str.__str__(module)
        with gate.open():
            return original(label, plain, rename=is_renamed, defaults=given, module=origin)

    # `typing.NamedTuple` calls it as a member of the module.
    collections.namedtuple = namedtuple
    return namedtuple


def _named_tuple_class(gate: Gate) -> Any:
    """`class P(NamedTuple)` sets the base classes of what `namedtuple` made."""
    meta: Any = cast("Any", typing).NamedTupleMeta
    original = meta.__new__

    def new(cls: Any, typename: str, bases: Any, names: dict[str, Any]) -> Any:
        with gate.open():
            return original(cls, typename, bases, names)

    meta.__new__ = staticmethod(new)
    return typing.NamedTuple


def _is_accepted(name: str, check_name: Callable[[Any], str]) -> bool:
    try:
        check_name(name)
    except ValueError:
        return False
    return True


def _dataclass(gate: Gate, check_name: Callable[[Any], str]) -> Callable[..., Any]:
    original = dataclasses.dataclass

    class Field(dataclasses.Field[Any]):
        """`dataclass` writes the names of fields, also those of base classes, into source text that it executes."""

        __slots__ = ()

        def __init_subclass__(cls) -> None:
            # A property could take the place of the name.
            raise TypeError("Field cannot be the base of a class")

        def __setattr__(self, name: str, value: Any) -> None:
            if name == "name" and value is not None:
                check_name(value)
                if getattr(self, "name", None) not in (None, value):
                    raise AttributeError("the name of a field cannot be changed")
            super().__setattr__(name, value)

    Field.__name__ = Field.__qualname__ = "Field"
    dataclasses.Field = Field

    def dataclass(cls: Any = None, /, **options: Any) -> Any:
        def process(decorated: Any) -> Any:
            with gate.open():
                return cast("Callable[..., Any]", original)(decorated, **options)

        return process if cls is None else process(cls)

    return dataclass


def _check_enums(check_name: Callable[[Any], str]) -> None:
    """`Enum("Name", members)` makes a class with any attribute, so members cannot have special names."""
    meta: Any = type(enum.Enum)
    original = meta._create_

    def create(cls: Any, class_name: Any, names: Any, *, module: Any = None, **options: Any) -> Any:
        if isinstance(names, str):
            names = names.replace(",", " ").split()
        given: list[Any] = list(cast("dict[Any, Any]", names).items()) if isinstance(names, dict) else list(names)
        members: list[Any] = []
        for each in given:
            if isinstance(each, str):
                members.append(check_name(str.__str__(each)))
            else:
                name, value = each
                members.append((check_name(name), value))
        origin = MODULE_NAME if module is None else str.__str__(module)
        return original(cls, class_name, members, module=origin, **options)

    meta._create_ = create


def _update_wrapper(wrapper: Any, wrapped: Any) -> Any:
    """Without the parameters `assigned` and `updated`, which read attributes by name."""
    return functools.update_wrapper(wrapper, wrapped)


def _wraps(wrapped: Any) -> Callable[[Any], Any]:
    return lambda wrapper: functools.update_wrapper(wrapper, wrapped)


def _load_time_zones() -> Callable[[], set[str]]:
    """Reads all time zones, since a child opens no file. The cache of ZoneInfo refers to them weakly."""
    names = zoneinfo.available_timezones()
    loaded: dict[str, zoneinfo.ZoneInfo] = {}
    for name in names:
        try:
            loaded[name] = zoneinfo.ZoneInfo(name)
        except (OSError, ValueError, zoneinfo.ZoneInfoNotFoundError):
            continue

    def available_timezones() -> set[str]:
        return set(loaded)

    return available_timezones
