"""The supervisor's side of the zygote: starts it, and has it fork and reap children."""

import os
import resource
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

START_SECONDS: Final = 20.0
PATIENCE: Final = 2.0
"""Seconds within which a zygote forks and reaps."""
_PAGE_BYTES: Final = resource.getpagesize()
_NUMBER: Final = struct.Struct(">i")
_PROGRAM: Final = str(Path(__file__).with_name("zygote.py"))


class Broken(Exception):
    """The zygote ended, or does not answer."""


class Child(NamedTuple):
    process: int
    handle: int | None
    """A descriptor of the process, which stays right when process ids are used again. Linux only."""
    connection: socket.socket


class ZygoteClient:
    """One zygote with at most one child. Starts a new zygote when the old one has ended."""

    def __init__(self, without: frozenset[str] = frozenset()) -> None:
        self._without = without
        self.patience = PATIENCE
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None

    @property
    def process_id(self) -> int | None:
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        if self._process is not None and self._process.poll() is None and self._connection is not None:
            return
        self.stop()
        # An empty environment. Only if the interpreter cannot start so, it gets the path of its own library.
        environments: list[dict[str, str]] = [{}]
        if library := os.environ.get("LD_LIBRARY_PATH"):
            environments.append({"LD_LIBRARY_PATH": library})
        for environment in environments:
            if self._launch(environment):
                return
        raise Broken("it does not start")

    def _launch(self, environment: dict[str, str]) -> bool:
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-I", "-S", "-B", "-X", "utf8", _PROGRAM, str(theirs.fileno())]
        self._process = subprocess.Popen(
            [*command, *sorted(self._without)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
            cwd="/",
        )
        theirs.close()
        ours.settimeout(START_SECONDS)
        self._connection = ours
        try:
            if self._receive(len(b"ready")) == b"ready":
                return True
        except Broken:
            pass
        self.stop()
        return False

    def fork(self) -> Child:
        """@throws Broken"""
        self.start()
        ours, theirs = socket.socketpair()
        try:
            if self._connection is None:
                raise Broken("it has no connection")
            self._connection.settimeout(self.patience)
            socket.send_fds(self._connection, [b"F"], [theirs.fileno()])
            process = _NUMBER.unpack(self._receive(_NUMBER.size))[0]
            if process == 0:
                raise Broken("it cannot fork")
        except (OSError, Broken) as error:
            ours.close()
            self.stop()
            raise Broken(str(error)) from None
        finally:
            theirs.close()
        return Child(process, _handle_of(process), ours)

    def end(self, child: Child) -> int | None:
        """Kills and reaps. Gives the wait status, None if the zygote has ended too; a new one starts with the next."""
        kill(child)
        child.connection.close()
        try:
            if self._connection is None:
                return None
            self._connection.sendall(b"R")
            return _NUMBER.unpack(self._receive(_NUMBER.size))[0]
        except (OSError, Broken):
            self.stop()
            return None
        finally:
            if child.handle is not None:
                os.close(child.handle)

    def stop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._connection = self._process = None

    def _receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            try:
                chunk = self._connection.recv(count - len(data)) if self._connection else b""
            except OSError as error:
                raise Broken(str(error)) from None
            if not chunk:
                raise Broken("it has ended")
            data += chunk
        return data


def _handle_of(process: int) -> int | None:
    try:
        return os.pidfd_open(process)
    except (AttributeError, OSError):
        return None


def kill(child: Child) -> None:
    try:
        if child.handle is not None:
            signal.pidfd_send_signal(child.handle, signal.SIGKILL)
        else:
            os.kill(child.process, signal.SIGKILL)
    except OSError:
        # It has ended.
        return


def resident_bytes(process: int) -> int:
    """Memory of a process. 0 where the system does not tell."""
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):
        return 0
