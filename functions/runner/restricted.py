"""The names that tenants' code has when it runs: safe built-ins, and stand-ins for modules."""

import ast
import builtins
import dataclasses
import encodings
import importlib
import pkgutil
import sys
import types
import typing
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final, NamedTuple

from allowed import BUILTINS, MODULES
from attributes import private_names_of
from context_api import TYPES
from driver import gather, sleep
from formatting import format_of
from guards import MODULE_NAME, install_guards
from walls import Gate

FORMAT_OF: Final = "__format_of__"
_NO_MODULES: Final = frozenset({"asyncio", "__future__", "tenantry"})
"""They are made here, and not loaded."""
_LATER: Final = ("_strptime", "inspect", "importlib.resources", "copyreg", "stringprep", "encodings.idna")
"""The standard library imports these when it first needs them, which a child cannot."""


class Rules(NamedTuple):
    """What the validator needs to know of this version of Python."""

    members: dict[str, frozenset[str]]
    private: frozenset[str]


class Runtime:
    """Made in the zygote, used in the child."""

    def __init__(self, restrict: bool) -> None:
        self.gate = Gate()
        self._restrict = restrict
        modules = _load_modules()
        private = private_names_of(modules.values())
        replaced = install_guards(self.gate, private)
        replaced["asyncio"] = {"gather": gather, "sleep": sleep}
        replaced["__future__"] = {"annotations": True}
        replaced["tenantry"] = TYPES
        contents = {name: _contents(name, modules.get(name), replaced.get(name, {})) for name in MODULES}
        self.rules = Rules({name: frozenset(found) for name, found in contents.items()}, private)
        self._stand_ins = _stand_ins(contents)
        self._format_of = format_of(private)
        self._builtins = _safe_builtins()
        # `dataclass` looks for the module of a class.
        sys.modules[MODULE_NAME] = ModuleType(MODULE_NAME)
        _warm_up()

    def namespace(self, errors: dict[str, Any], print_: Callable[..., None]) -> dict[str, Any]:
        """The global names of one execution."""
        if self._restrict:
            own = dict(self._builtins)
            own["__import__"] = _importer(self._stand_ins)
            own[FORMAT_OF] = self._format_of
        else:
            own = dict(vars(builtins))
            own["__import__"] = _real_importer(self._stand_ins)
            own[FORMAT_OF] = getattr
        own["print"] = print_
        return {"__builtins__": {**own, **errors}, "__name__": MODULE_NAME}


def prepare(restrict: bool = True) -> Runtime:
    """Loads all that tenants' code may use, so that nothing is read or imported later."""
    return Runtime(restrict)


def _load_modules() -> dict[str, ModuleType]:
    for found in pkgutil.iter_modules(encodings.__path__, "encodings."):
        try:
            importlib.import_module(found.name)
        except ImportError:
            # Codecs of other systems.
            continue
    for name in _LATER:
        importlib.import_module(name)
    return {name: importlib.import_module(name) for name in MODULES if name not in _NO_MODULES}


def _warm_up() -> None:
    """Uses what is imported or read at its first use."""
    import time
    import zoneinfo

    time.strptime("2024", "%Y")
    compile("'\\N{BULLET}'", "<warm-up>", "eval")
    ast.parse("x = 1")
    try:
        zoneinfo.ZoneInfo("No/Such_Zone")
    except zoneinfo.ZoneInfoNotFoundError:
        pass
    for codec in ("idna", "punycode", "cp1252", "utf-16", "unicode_escape"):
        "a".encode(codec)


def _contents(name: str, module: ModuleType | None, replaced: dict[str, Any]) -> dict[str, Any]:
    found = {member: getattr(module, member) for member in MODULES[name] if hasattr(module, member)}
    return {**found, **replaced}


def _stand_ins(contents: dict[str, dict[str, Any]]) -> dict[str, Any]:
    made = {name: _stand_in(name, found) for name, found in contents.items() if name != "urllib"}
    return {**made, "urllib": _stand_in("urllib", {"parse": made["urllib.parse"]})}


def _stand_in(name: str, contents: dict[str, Any]) -> Any:
    """An object with some members of a module. It does not refer to the module, and cannot be changed."""
    plain = {member: staticmethod(value) for member, value in contents.items()}

    def describe(self: Any) -> str:
        return f"<module {name!r}>"

    return type("module", (), {"__slots__": (), "__repr__": describe, **plain})()


def _importer(stand_ins: dict[str, Any]) -> Callable[..., Any]:
    def import_(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if type(fromlist) is list and name in sys.modules:
            # Python's own C code imports through the caller's built-ins and then reads sys.modules itself.
            return None
        if level == 0 and name in stand_ins:
            return stand_ins[name] if fromlist else stand_ins[name.partition(".")[0]]
        raise ImportError(f"{name} cannot be imported")

    return import_


def _real_importer(stand_ins: dict[str, Any]) -> Callable[..., Any]:
    """For tests of the other walls: all modules that are loaded, but no event loop."""

    def import_(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if name in _NO_MODULES:
            return stand_ins[name]
        return builtins.__import__(name, globals, locals, fromlist, level)

    return import_


def _safe_builtins() -> dict[str, Any]:
    found = {name: getattr(builtins, name) for name in BUILTINS if hasattr(builtins, name)}
    return {**found, "type": _kind, "__build_class__": _build_class}


def _type_of(value: object) -> type:
    return type(value)


class _KindMeta(type):
    """`type` with one parameter. The real one makes classes with any special method, and gives constructors."""

    def __call__(cls, *args: Any) -> Any:
        if len(args) != 1:
            raise TypeError("type() takes exactly one argument")
        found = _type_of(args[0])
        if issubclass(found, type):
            return _kind
        if issubclass(found, _FIELD):
            found = _FIELD
        return _OPAQUE.get(found, found)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, type)

    def __getitem__(cls, item: Any) -> Any:
        return typing.Type[item]  # noqa: UP006 (not callable, unlike type[item])

    def __repr__(cls) -> str:
        return "<class 'type'>"


class _kind(metaclass=_KindMeta):
    __slots__ = ()


type.__setattr__(_kind, "__name__", "type")
_FIELD: Final[type] = dataclasses.Field
"""Before the guards put a subclass in its place."""
_OPAQUE: Final[dict[type, type]] = {
    each: type(str(each.__name__), (), {"__slots__": ()})
    for each in (
        types.FunctionType,
        types.CodeType,
        types.ModuleType,
        types.CellType,
        types.FrameType,
        types.TracebackType,
        types.MethodType,
        types.GenericAlias,
        _FIELD,
    )
}
"""Types whose constructors make functions or modules, and what `type(x)` gives instead."""


def _build_class(body: Any, name: str, *bases: Any, **keywords: Any) -> Any:
    if "metaclass" in keywords:
        raise TypeError("a class cannot have a metaclass")
    for base in bases:
        if base is _kind or (isinstance(base, type) and issubclass(base, type)):
            raise TypeError("a class cannot be a metaclass")
    return builtins.__build_class__(body, name, *bases, **keywords)
