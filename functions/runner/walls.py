"""The walls around a child that Python and the operating system enforce: the audit hook, limits, and the user."""

import os
import resource
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final, NoReturn

from limits import MIB

NOBODY: Final = 65534
DESCRIPTORS: Final = 256
"""Descriptors above these are not open in a child."""

WALLS: Final = frozenset({"validator", "runtime", "audit", "limits", "disarm"})
"""Names for tests, which switch one off. The runner itself never does."""

ALWAYS: Final = frozenset(
    {
        # Compiling runs nothing, and `typing` compiles annotations that are strings.
        "compile",
        # The standard library asks for the module of its caller. Tenants' code has no `sys`.
        "sys._getframe",
        "sys._getframemodulename",
        "time.sleep",
        "builtins.id",
        # An exception in a finalizer.
        "sys.unraisablehook",
    }
)
"""Audit events that tenants' code may cause at any time."""

TRUSTED: Final = frozenset(
    {"exec", "function.__new__", "object.__getattr__", "object.__setattr__", "object.__delattr__"}
)
"""Audit events of the runner's own code, and of `dataclass` and `namedtuple`, which generate source text."""


class Gate:
    """Open while the runner's own code, or a part of the standard library that needs it, is running."""

    __slots__ = ("depth",)

    def __init__(self) -> None:
        self.depth = 0

    @contextmanager
    def open(self) -> Generator[None]:
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1


def add_audit_hook(gate: Gate, end: Callable[[str], NoReturn]) -> None:
    """From now on, an event that is not allowed ends the process; an import raises. A hook cannot be removed."""
    always, trusted = ALWAYS, TRUSTED

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in always or (gate.depth and event in trusted):
            return
        if event == "import":
            raise ImportError(f"{args[0]} cannot be imported")
        if event == "open" and gate.depth:
            # The parser looks for the file of a syntax error.
            raise PermissionError("no file can be opened")
        end(event)

    sys.addaudithook(hook)


def limit_resources(memory_mb: int, seconds: float) -> None:
    """
    The memory is counted above what the process has now. A limit that the system does not know is skipped: macOS has
    no working limit of memory, so the runner is for development only there.
    """
    processor_seconds = int(seconds) + 2
    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_NPROC": 0,
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_CPU": processor_seconds,
        "RLIMIT_AS": address_space() + memory_mb * MIB,
        "RLIMIT_NOFILE": 0,
    }
    for name, value in wanted.items():
        number = getattr(resource, name, None)
        if number is None:
            continue
        try:
            resource.setrlimit(number, (value, value))
        except (ValueError, OSError):
            if sys.platform == "linux":
                raise


def address_space() -> int:
    """Bytes of address space of this process. Where the system does not tell, 1 GiB."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 1024 * MIB


def become_nobody() -> None:
    """Limits of processes do not hold for root."""
    if os.geteuid() != 0:
        return
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def keep_only(connection: int, null: int) -> int:
    """Closes all descriptors but the connection, which becomes descriptor 3."""
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor, inheritable=False)
    if connection != 3:
        os.dup2(connection, 3, inheritable=False)
    os.closerange(4, DESCRIPTORS)
    return 3


_KEPT: Final = frozenset({"_exit", "urandom", "getrandom", "fspath", "getpid", "read", "write", "stat_result"})


def disarm() -> None:
    """
    Removes what can leave a trace outside the process and causes no audit event, such as `mkfifo`, and what loads
    built-in modules without an import. A removed function is gone: the modules' dictionaries held the only reference.
    """
    for name in ("posix", "_imp", "_signal", "_posixsubprocess", "_thread"):
        module = sys.modules.get(name)
        if module is None:
            continue
        for member in list(vars(module)):
            if _is_removable(name, member, vars(module)[member]):
                delattr(module, member)
    for member, value in list(vars(os).items()):
        if member not in _KEPT and getattr(value, "__module__", None) == "posix" and callable(value):
            delattr(os, member)


def _is_removable(module: str, member: str, value: Any) -> bool:
    if member.startswith("__") or not callable(value) or isinstance(value, type):
        return False
    if module == "_thread":
        return member in {"start_new_thread", "start_new", "start_joinable_thread", "interrupt_main"}
    return member not in _KEPT
