"""
The supervisor: the only process that holds the token. It has one child for each execution, forwards the child's context
calls, keeps its log lines, and kills it at the end, or when the time is over.
"""

import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Lock, Semaphore
from typing import Any, Final

from checks import list_of, object_of
from context_client import Forward, failure
from event import Event
from frames import CALL, CALL_LETTER, DONE_LETTER, LENGTH, LOG_LETTER, REPLY, Inbox, Malformed
from limits import CALL_BYTES, CALLS, FRAME_BYTES, LOG_BYTES, LOG_LINES, MIB, PARALLEL_CALLS
from output import LEVELS, plain
from result import Failure, read_result
from zygote_client import Broken, Child, ZygoteClient, kill, resident_bytes

Answer = dict[str, Any]
OnLine = Callable[[dict[str, str]], None]
_POOL: Final = ThreadPoolExecutor(max_workers=2 * PARALLEL_CALLS, thread_name_prefix="context-call")


WATCH_SECONDS: Final = 0.05
"""How often the memory of a child that sends nothing is read. The limit of its address space comes before."""
SHARED_MB: Final = 64
"""More than the memory that a child shares with the zygote."""


class Supervisor:
    """One execution at a time, as in an execution environment of Lambda."""

    def __init__(self, without: frozenset[str] = frozenset()) -> None:
        """`without`: names of walls to leave out, for tests of the other walls."""
        self.zygote = ZygoteClient(without)

    def run(self, event: Event, forward: Forward, on_line: OnLine = lambda line: None) -> Answer:
        """Never raises for what a child does. `on_line` gets each line of the log when it arrives."""
        started = time.monotonic()
        execution = _Execution(event, forward, on_line, started + event.timeout_ms / 1000)
        try:
            child = self.zygote.fork()
        except Broken:
            # It may have ended since the last execution. A second failure is not a matter of chance.
            try:
                child = self.zygote.fork()
            except Broken as broken:
                return execution.failed(Failure("killed", "Killed", f"The runner has no zygote: {broken}."), started)
        failed: Failure | None = None
        try:
            execution.watch(child)
        except Failure as failure_:
            failed = failure_
        finally:
            execution.stop()
            status = self.zygote.end(child)
        if failed is None and execution.result is None:
            failed = _reason(status)
        return execution.failed(failed, started) if failed else execution.completed(started)

    def stop(self) -> None:
        self.zygote.stop()


class _Execution:
    def __init__(self, event: Event, forward: Forward, on_line: OnLine, deadline: float) -> None:
        self._event = event
        self._forward = forward
        self._on_line = on_line
        self._deadline = deadline
        self._free = Semaphore(PARALLEL_CALLS if event.form == "function" else 1)
        self._writing = Lock()
        self._stopped = False
        self._lines: list[dict[str, str]] = []
        self._log_bytes = 0
        self._cut = False
        self._calls = 0
        self.result: Answer | None = None

    def watch(self, child: Child) -> None:
        """Until the child has answered or ended. @throws Failure"""
        self._connection = child.connection
        self._send(json.dumps(self._event.job()).encode("ascii"), self._deadline)
        inbox = Inbox(FRAME_BYTES)
        poll = select.poll()
        poll.register(child.connection, select.POLLIN)
        while self.result is None:
            left = self._deadline - time.monotonic()
            if left <= 0:
                kill(child)
                raise Failure("timeout", "Timeout", f"The code ran longer than {self._event.timeout_ms / 1000:g} s.")
            if not poll.poll(min(left, WATCH_SECONDS) * 1000):
                if resident_bytes(child.process) > (self._event.memory_mb + SHARED_MB) * MIB:
                    kill(child)
                    raise Failure("memory", "MemoryError", "The code used too much memory.")
                continue
            try:
                data = child.connection.recv(1 << 18)
            except OSError:
                return
            if not data:
                return
            inbox.feed(data)
            try:
                while self.result is None and (frame := inbox.take()) is not None:
                    self._receive(frame)
            except Malformed:
                raise Failure("killed", "Malformed", "The process of the code broke its protocol.") from None

    def _receive(self, frame: bytes) -> None:
        letter = frame[:1]
        if letter == LOG_LETTER:
            self._log(frame[1:])
        elif letter == CALL_LETTER and len(frame) > CALL.size:
            self._call(CALL.unpack_from(frame)[1], frame[CALL.size :])
        elif letter == DONE_LETTER:
            self.result = read_result(frame[1:], self._event.form)
        else:
            raise Malformed

    def _log(self, body: bytes) -> None:
        if self._cut or len(body) > 8 * LOG_BYTES:
            raise Malformed
        line = _object(body)
        if line.get("cut"):
            self._cut = True
            return
        message, level, at = line.get("message"), line.get("level"), line.get("at")
        if not (isinstance(message, str) and isinstance(level, str) and isinstance(at, (int, float))):
            raise Malformed
        if level not in LEVELS.values():
            raise Malformed
        self._log_bytes += len(message)
        if len(self._lines) >= LOG_LINES or self._log_bytes > LOG_BYTES:
            raise Malformed
        self._lines.append({"at": _time(at), "level": level, "message": plain(message)})
        self._on_line(self._lines[-1])

    def _call(self, number: int, body: bytes) -> None:
        if len(body) > CALL_BYTES:
            raise Malformed
        call = _object(body)
        method, args, kwargs = call.get("method"), list_of(call.get("args")), object_of(call.get("kwargs"))
        if not isinstance(method, str) or args is None or kwargs is None:
            raise Malformed
        self._calls += 1
        if self._calls > CALLS:
            detail = f"An execution can make at most {CALLS} context calls."
            self._reply(number, *failure(429, "too_many_calls", detail))
            return
        # While the permitted number of calls is running, nothing more is read from the child.
        if not self._free.acquire(timeout=max(0.0, self._deadline - time.monotonic())):
            return
        _POOL.submit(self._answer, number, method, args, kwargs)

    def _answer(self, number: int, method: str, args: list[Any], kwargs: dict[str, Any]) -> None:
        try:
            left = self._deadline - time.monotonic()
            status, body = self._forward(method, args, kwargs, max(0.1, left))
        except Exception:
            status, body = failure(500, "internal_error", "The call failed.")
        finally:
            self._free.release()
        self._reply(number, status, body)

    def _reply(self, number: int, status: int, body: bytes) -> None:
        try:
            with self._writing:
                if not self._stopped:
                    self._send(REPLY.pack(number, status) + body, self._deadline)
        except (OSError, Failure):
            # The child has ended.
            return

    def _send(self, body: bytes, deadline: float) -> None:
        """The child may not read. Waits without holding the connection's time-out, which the reader would share."""
        view = memoryview(LENGTH.pack(len(body)) + body)
        poll = select.poll()
        poll.register(self._connection, select.POLLOUT)
        while view:
            left = deadline - time.monotonic()
            if left <= 0 or self._stopped:
                raise Failure("timeout", "Timeout", "The code did not read its input in time.")
            if poll.poll(min(left, 1.0) * 1000):
                try:
                    view = view[self._connection.send(view, socket.MSG_DONTWAIT) :]
                except BlockingIOError:
                    continue
                except OSError:
                    return

    def stop(self) -> None:
        """Replies that arrive later are dropped. The connection is closed only after a write has ended."""
        self._stopped = True
        with self._writing:
            return

    def completed(self, started: float) -> Answer:
        return {**(self.result or {}), **self._account(started)}

    def failed(self, failed: Failure, started: float) -> Answer:
        return {"status": "failed", "error": failed.error(), **self._account(started)}

    def _account(self, started: float) -> Answer:
        return {
            "lines": self._lines,
            "lines_cut": self._cut,
            "calls": self._calls,
            "duration_ms": round((time.monotonic() - started) * 1000, 1),
        }


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = object_of(json.loads(body))
    except (ValueError, RecursionError):
        raise Malformed from None
    if value is None:
        raise Malformed
    return value


def _time(at: float) -> str:
    try:
        moment = datetime.fromtimestamp(at, UTC)
    except (ValueError, OverflowError, OSError):
        raise Malformed from None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _reason(status: int | None) -> Failure:
    """Why a child ended without an answer."""
    if status is not None and os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return Failure("timeout", "Timeout", "The code used too much processor time.")
        return Failure("killed", "Killed", f"The process of the code ended by signal {number}.")
    return Failure("killed", "Killed", "The process of the code ended without an answer.")

