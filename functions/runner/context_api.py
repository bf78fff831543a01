"""What tenants' code sees of the platform: `platform` of a function, `context` of a trigger."""

import copy
from collections.abc import Callable
from typing import Any, Final

from driver import Call, Done
from output import LEVELS


class PlatformError(Exception):
    """A context call was refused."""

    def __init__(self, message: Any = "", code: Any = None, details: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.details = details

    __module__ = "platform"


class TriggerError(Exception):
    """Raised by a trigger to refuse the write."""

    def __init__(self, message: Any = "", field: Any = None, record_id: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.record_id = record_id

    __module__ = "platform"


class Platform:
    """For annotations. `execute` gets an object of another class."""

    __slots__ = ()
    __module__ = "tenantry"


class TriggerContext(Platform):
    """For annotations."""

    __slots__ = ()
    __module__ = "tenantry"


TYPES: Final[dict[str, Any]] = {
    "Event": str,
    "Level": str,
    "Platform": Platform,
    "PlatformError": PlatformError,
    "Record": dict,
    "TriggerContext": TriggerContext,
    "TriggerError": TriggerError,
}
"""The module `tenantry`, which the command line describes to editors (tenantry.pyi)."""

WriteLog = Callable[[str, str], None]


def members(write_log: WriteLog, user: dict[str, Any], started: list[Call]) -> dict[str, Any]:
    """The members that functions and triggers share. All context calls are added to `started`."""

    def call(method: str) -> Callable[..., Call]:
        def make(*args: Any, **kwargs: Any) -> Call:
            made = Call(method, args, kwargs)
            started.append(made)
            return made

        return make

    def methods(path: str, *names: str, **others: Any) -> Any:
        return _namespace(path, {**{name: call(f"{path}.{name}") for name in names}, **others})

    notifications = methods("communications.notifications", "notify", "mark_read")

    def log(message: Any = "", level: Any = "info") -> Done:
        write_log(str(message), LEVELS.get(str(level).lower(), "info"))
        return Done()

    return {
        "records": methods("records", "create", "update", "delete"),
        "query": methods("query", "sql", "docdb"),
        "communications": methods("communications", "send_sms", "send_email", notifications=notifications),
        "notifications": notifications,
        "workflows": methods("workflows", "run_function", "run_workflow"),
        "metadata": methods("metadata", "get_config"),
        "integrations": _integrations(call),
        "log": log,
        "user": copy.deepcopy(user),
    }


def platform_of(shared: dict[str, Any]) -> Any:
    return _namespace("platform", shared)


def trigger_context_of(shared: dict[str, Any], trigger: dict[str, Any]) -> Any:
    new_map: dict[str, Any] = trigger["new_map"]
    old_map: dict[str, Any] = trigger["old_map"]

    def is_changed(record_id: Any, field: Any) -> bool:
        """A field that one of the two versions lacks counts as null there."""
        before: dict[str, Any] = old_map.get(record_id) or {}
        after: dict[str, Any] = new_map.get(record_id) or {}
        return before.get(field) != after.get(field)

    own = {
        "event": trigger["event"],
        "object": trigger["object"],
        "new_map": new_map,
        "old_map": old_map,
        "is_changed": is_changed,
    }
    return _namespace("context", {**shared, **own})


def _namespace(path: str, contents: dict[str, Any]) -> Any:
    """An object without a dictionary of its own. Its functions are plain, so that no method refers to it."""
    plain = {name: staticmethod(value) if callable(value) else value for name, value in contents.items()}

    def describe(self: Any) -> str:
        return f"<{path}>"

    return type(path, (), {"__slots__": (), "__repr__": describe, **plain})()


def _integrations(call: Callable[[str], Callable[..., Call]]) -> Any:
    def provider(name: str) -> Any:
        request = call("integrations.request")

        class Provider:
            __slots__ = ()

            def request(self, *args: Any, **kwargs: Any) -> Call:
                return request(name, *args, **kwargs)

            def __getattr__(self, method: str) -> Any:
                _no_private(method)
                return call(f"integrations.{name}.{method}")

            def __repr__(self) -> str:
                return f"<integrations.{name}>"

        return Provider()

    class Integrations:
        """`integrations.stripe` and `integrations["stripe"]` are the same."""

        __slots__ = ()

        def __getattr__(self, name: str) -> Any:
            _no_private(name)
            return provider(name)

        def __getitem__(self, name: str) -> Any:
            return provider(str(name))

        def __repr__(self) -> str:
            return "<integrations>"

    return Integrations()


def _no_private(name: str) -> None:
    # Otherwise `copy` and others would take a call for one of Python's own methods.
    if name.startswith("_"):
        raise AttributeError(name)
