"""`str.format` without the attributes that tenants' code may not use. Format strings may be made at run time."""

import importlib
from collections.abc import Callable, Iterable
from types import BuiltinMethodType
from typing import Any, Final

from attributes import is_readable

_string: Final[Any] = importlib.import_module("_string")
"""What string.Formatter uses to read format strings."""

_NESTING: Final = 2
"""Format specifications hold fields one level deep, as in str.format."""
_UNBOUND: Final = {"format": str.format, "format_map": str.format_map}


def format_of(private: frozenset[str]) -> Callable[[Any, str], Any]:
    """Gives the function that stands for `x.format` and `x.format_map` in tenants' code."""
    names_of: Callable[[str], tuple[Any, Iterable[tuple[bool, Any]]]] = _string.formatter_field_name_split
    parse: Callable[[str], Iterable[tuple[str, str | None, str | None, str | None]]] = _string.formatter_parser

    def check(template: str, depth: int) -> None:
        for _, field, specification, _ in parse(template):
            if field is not None:
                _, rest = names_of(field)
                for is_attribute, name in rest:
                    if is_attribute and not is_readable(name, private):
                        raise AttributeError(f"a format string cannot use the attribute {name}")
            if specification and depth:
                check(specification, depth - 1)

    def attribute_of(value: Any, name: str) -> Any:
        found = getattr(value, name)
        method = _UNBOUND[name]
        if found is method:
            return unbound(method)
        if type(found) is BuiltinMethodType and isinstance(found.__self__, str) and found.__name__ == name:
            return bound(method, found.__self__)
        return found

    def bound(method: Callable[..., str], template: str) -> Callable[..., str]:
        def format(*args: Any, **kwargs: Any) -> str:
            check(template, _NESTING)
            return method(template, *args, **kwargs)

        return format

    def unbound(method: Callable[..., str]) -> Callable[..., str]:
        def format(template: str, /, *args: Any, **kwargs: Any) -> str:
            if not isinstance(template, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError("descriptor 'format' requires a 'str' object")
            check(template, _NESTING)
            return method(template, *args, **kwargs)

        return format

    return attribute_of
