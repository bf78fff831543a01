"""Which attributes tenants' code may use by name. The validator and the runtime ask the same."""

from collections.abc import Iterable
from types import ModuleType
from typing import Final

from allowed import METHODS, PRIVATE_ATTRIBUTES, PRIVATE_METHODS, REFUSED_ATTRIBUTES, SPECIAL_ATTRIBUTES

FORMATS: Final = frozenset({"format", "format_map"})


def is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def private_names_of(modules: Iterable[ModuleType]) -> frozenset[str]:
    """
    The private attributes of all classes of the given modules and of their metaclasses. Some of them read attributes by
    name or evaluate text, such as `Enum._convert_` and `ForwardRef._evaluate`, so code may not use these names.
    """
    names: set[str] = set()
    seen: set[type] = set()
    for module in modules:
        for value in list(vars(module).values()):
            _add_private_names(value if isinstance(value, type) else type(value), names, seen)
    return frozenset(names)


def _add_private_names(kind: type, names: set[str], seen: set[type]) -> None:
    for each in (*type.mro(kind), *type.mro(type(kind))):
        if each in seen:
            continue
        seen.add(each)
        names.update(name for name in vars(each) if name.startswith("_") and not is_special(name))


def is_readable(name: str, private: frozenset[str]) -> bool:
    """Whether `x.<name>` may be read, whatever `x` is."""
    if not name.startswith("_"):
        return name not in REFUSED_ATTRIBUTES
    if is_special(name):
        return name in SPECIAL_ATTRIBUTES
    return name in PRIVATE_ATTRIBUTES or _is_own(name, private)


def is_writable(name: str, private: frozenset[str]) -> bool:
    """Whether `x.<name>` may be set or deleted."""
    if not name.startswith("_"):
        return name not in REFUSED_ATTRIBUTES
    return not is_special(name) and _is_own(name, private)


def is_definable(name: str, private: frozenset[str]) -> bool:
    """Whether a class or a module may give the name to something."""
    if not name.startswith("_"):
        return name not in REFUSED_ATTRIBUTES
    if is_special(name):
        return name in METHODS
    return name in PRIVATE_METHODS or _is_own(name, private)


def _is_own(name: str, private: frozenset[str]) -> bool:
    """A private name that is not one of the standard library's, also not after the name of a class is put before it."""
    if name.startswith("_") and name.endswith("_") and name.strip("_"):
        return False
    if name in private:
        return False
    return not (name.startswith("__") and any(each.endswith(name) for each in private))
