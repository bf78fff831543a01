"""What tenants' code can reach by attributes that the validator accepts, from all that it is given."""

import builtins
import types
import unittest
import unittest.mock
import warnings
from collections import deque
from typing import Any

from support import RUNNER, USER  # noqa: F401 (the path of the runner)

from allowed import BUILTINS
from attributes import is_readable
from context_api import PlatformError, TriggerError, members, platform_of, trigger_context_of
from restricted import Runtime, prepare

DANGEROUS_TYPES = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)
DANGEROUS_NAMES = ("open", "eval", "exec", "compile", "__import__", "getattr", "setattr", "delattr", "vars", "globals")
DISTINCT = (*DANGEROUS_TYPES, type, types.FunctionType)


async def _wait() -> None: ...


async def _produce() -> Any:
    yield 1


def samples() -> list[Any]:
    """Values of the types that code makes by itself."""
    import collections
    import datetime
    import decimal
    import fractions
    import re
    import uuid

    try:
        raise ValueError("x")
    except ValueError as error:
        caught = error
    waiting = _wait()
    waiting.close()
    values: list[Any] = ["", b"", bytearray(), 1, 1.0, 1j, [], {}, set(), (), None, ..., range(1), slice(1), iter([])]
    values += [iter({}), {}.keys(), {}.items(), (each for each in []), waiting, _produce(), caught, lambda: 0]
    values += [datetime.datetime(2024, 1, 1), decimal.Decimal(1), fractions.Fraction(1), uuid.UUID(int=1)]
    values += [re.compile("a"), re.match("a", "a"), collections.Counter(), collections.namedtuple("P", "x")(1)]
    values += [property(), classmethod(len), staticmethod(len), super(int), memoryview(b""), list[int], int | str]
    return values


def reachable(roots: list[Any], private: frozenset[str]) -> dict[Any, tuple[str, Any]]:
    """
    What can be reached, the nearest first, each with the path that leads to it. Values of one type and attribute name
    count once, unless they are classes or functions.
    """
    found: dict[Any, tuple[str, Any]] = {}
    queue = deque((type(root).__name__, root) for root in roots)
    while queue:
        path, value = queue.popleft()
        kind: type[Any] = type(value)
        key = id(value) if isinstance(value, DISTINCT) else (kind, path.rpartition(".")[2])
        if key in found:
            continue
        found[key] = (path, value)
        for name in dir(value):
            if not is_readable(name, private) or name in ("format", "format_map"):
                continue
            try:
                with warnings.catch_warnings(action="ignore"):
                    queue.append((f"{path}.{name}", getattr(value, name)))
            except Exception:
                continue
        queue.append((f"type({path})", kind))
    return found


class ReachableTest(unittest.TestCase):
    runtime: Runtime

    @classmethod
    def setUpClass(cls) -> None:
        cls.runtime = prepare()

    def roots(self) -> list[Any]:
        shared = members(lambda message, level: None, USER, [])
        trigger: dict[str, Any] = {"event": "x", "object": "y", "new_map": {}, "old_map": {}}
        errors: dict[str, Any] = {"PlatformError": PlatformError, "TriggerError": TriggerError}
        namespace = self.runtime.namespace(errors, print)
        stand_ins = [namespace["__builtins__"]["__import__"](name, None, None, ("x",)) for name in self.runtime.rules.members]
        given = [value for name, value in namespace["__builtins__"].items() if name != "print" and not name.startswith("__")]
        return [*given, *stand_ins, platform_of(shared), trigger_context_of(shared, trigger), *samples()]

    def test_neither_modules_nor_frames_nor_code_are_reachable(self) -> None:
        found = reachable(self.roots(), self.runtime.rules.private)
        self.assertGreater(len(found), 500)
        bad = [path for path, value in found.values() if isinstance(value, DANGEROUS_TYPES)]
        self.assertEqual(bad, [])

    def test_the_search_finds_frames_when_their_attribute_is_allowed(self) -> None:
        with unittest.mock.patch.dict(globals(), is_readable=lambda name, _: name == "gi_frame" or name[0] != "_"):
            found = reachable(self.roots(), frozenset())
        self.assertIn("generator.gi_frame", [path for path, _ in found.values()])

    def test_no_built_in_that_evaluates_or_reads_attributes_is_reachable(self) -> None:
        found = reachable(self.roots(), self.runtime.rules.private)
        refused = {id(getattr(builtins, name)): name for name in DANGEROUS_NAMES}
        bad = [(path, refused[key]) for key, (path, _) in found.items() if key in refused]
        self.assertEqual(bad, [])

    def test_the_built_ins_are_those_of_the_list_and_nothing_else(self) -> None:
        namespace = self.runtime.namespace({}, print)
        names = {name for name in namespace["__builtins__"] if not name.startswith("__")}
        self.assertLessEqual(names, BUILTINS)
        self.assertGreater(len(names), 100)
        self.assertEqual(set(namespace), {"__builtins__", "__name__"})

    def test_methods_of_the_standard_library_that_read_by_name_are_private(self) -> None:
        for name in ("_convert_", "_evaluate", "_member_map_", "_randbelow"):
            self.assertFalse(is_readable(name, self.runtime.rules.private), name)


if __name__ == "__main__":
    unittest.main()
