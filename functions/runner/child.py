"""One execution: a forked process that locks itself, validates the code, runs it, answers and ends."""

import json
import os
import time
from types import FunctionType
from typing import Any, Final, NoReturn

from checks import list_of, object_of
from compiled import CODE_NAME, Compiled, Invalid, compile_source
from context_api import PlatformError, TriggerError, members, platform_of, trigger_context_of
from driver import Call, Driver
from frames import CALL, CALL_LETTER, DONE_LETTER, LOG_LETTER, REPLY, Connection
from limits import CALL_BYTES, LOG_BYTES, LOG_LINES, MAPS_BYTES, MIB, OUTPUT_BYTES
from output import NotJson, name_of, plain, text_of, to_json
from restricted import Runtime
from walls import Gate, add_audit_hook, disarm, keep_only, limit_resources

TOO_MANY_CALLS: Final = "too_many_calls"
_OUT_OF_MEMORY: Final = (
    b'{"status":"failed","error":{"kind":"memory","type":"MemoryError","message":"The code used too much memory."}}'
)


def serve(descriptor: int, null: int, runtime: Runtime, without: frozenset[str]) -> NoReturn:
    """Never returns. Whatever happens, the process ends here, so that nothing of the zygote goes on in it."""
    leave = os._exit
    try:
        connection = Connection(keep_only(descriptor, null))
        job: dict[str, Any] = json.loads(connection.receive() or b"")
        _lock(job, connection, runtime.gate, without)
        try:
            result = _run(job, connection, runtime, without)
        except MemoryError:
            result = _OUT_OF_MEMORY
        connection.send(DONE_LETTER, result)
    except BaseException:
        leave(70)
    leave(0)


def _lock(job: dict[str, Any], connection: Connection, gate: Gate, without: frozenset[str]) -> None:
    leave = os._exit

    def end(event: str) -> NoReturn:
        try:
            gate.depth += 1
            connection.send(DONE_LETTER, _failed("killed", "Forbidden", f"The code caused {event}."))
        finally:
            leave(71)

    if "limits" not in without:
        limit_resources(job["memory_mb"], job["timeout_ms"] / 1000)
    if "disarm" not in without:
        disarm()
    if "audit" not in without:
        add_audit_hook(gate, end)


def _failed(kind: str, error_type: str, message: str, **others: Any) -> bytes:
    known = {name: value for name, value in others.items() if value is not None}
    return to_json({"status": "failed", "error": {"kind": kind, "type": error_type, "message": message, **known}})


def _run(job: dict[str, Any], connection: Connection, runtime: Runtime, without: frozenset[str]) -> bytes:
    with runtime.gate.open():
        try:
            compiled = compile_source(job["code"], job["form"], runtime, validate="validator" not in without)
        except Invalid as invalid:
            return to_json({"status": "checked", "issues": [issue._asdict() for issue in invalid.issues]})
        if job["kind"] == "check":
            return to_json({"status": "checked", "issues": []})
    session = _Session(connection)
    try:
        return session.execute(compiled, job, runtime)
    except MemoryError:
        raise
    except BaseException as error:
        with runtime.gate.open():
            line = _line_of(error)
        # Not within the gate: the exception's methods may be the tenant's.
        try:
            return session.failure(error, line)
        except Exception:
            return _failed("exception", name_of(error), "The exception cannot be read.", line=line)


class _Session:
    """What one execution sends and receives."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lines = 0
        self._bytes = 0
        self._cut = False

    def execute(self, compiled: Compiled, job: dict[str, Any], runtime: Runtime) -> bytes:
        started: list[Call] = []
        shared = members(self.log, job["user"], started)
        trigger: dict[str, Any] | None = job.get("trigger")
        is_trigger = job["form"] == "trigger" and trigger is not None
        given = trigger_context_of(shared, trigger) if is_trigger and trigger else platform_of(shared)
        kwargs: dict[str, Any] = {} if is_trigger else job["kwargs"]
        errors: dict[str, Any] = {"PlatformError": PlatformError}
        if is_trigger:
            errors["TriggerError"] = TriggerError
        with runtime.gate.open():
            namespace = runtime.namespace(errors, self.print)
            code = compiled.code
        execute = _define(code, namespace, runtime)
        output = Driver(self).run(execute(given, **kwargs))
        for call in started:
            if not call.awaited:
                self.log(f"{call.method} was not awaited, so it did not run.", "warning")
        return self._completed(output, trigger if is_trigger else None)

    def _completed(self, output: Any, trigger: dict[str, Any] | None) -> bytes:
        try:
            parts = [b'{"status":"completed","output":', _checked(output, OUTPUT_BYTES, "The result")]
            if trigger is not None:
                parts += [b',"new_map":', _checked(trigger["new_map"], MAPS_BYTES, "new_map")]
        except _Refused as refused:
            return _failed(refused.kind, refused.error_type, str(refused))
        return b"".join([*parts, b"}"])

    def failure(self, error: BaseException, line: int | None) -> bytes:
        if isinstance(error, TriggerError):
            field = plain(str(error.field)) if error.field is not None else None
            record = plain(str(error.record_id)) if error.record_id is not None else None
            return _failed("refused", "TriggerError", text_of(error), line=line, field=field, record_id=record)
        code = None
        if isinstance(error, PlatformError) and isinstance(error.code, str):
            code = plain(error.code)
        kind = "limit" if code == TOO_MANY_CALLS else "exception"
        return _failed(kind, name_of(error), text_of(error), line=line, code=code)

    def log(self, message: str, level: str) -> None:
        if self._cut:
            return
        text = plain(message)
        self._lines += 1
        self._bytes += len(text.encode("utf-8"))
        self._cut = self._lines > LOG_LINES or self._bytes > LOG_BYTES
        line = {"cut": True} if self._cut else {"at": time.time(), "level": level, "message": text}
        self._connection.send(LOG_LETTER, to_json(line))

    def print(self, *values: Any, sep: Any = " ", end: Any = "\n", file: Any = None, flush: Any = False) -> None:
        """`print` writes a log line. An end that is no new line does not join lines."""
        self.log((" " if sep is None else str(sep)).join([str(value) for value in values]), "info")

    def send_call(self, number: int, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        try:
            body = to_json({"method": method, "args": args, "kwargs": kwargs})
        except NotJson as error:
            raise TypeError(f"{method}: {error}") from None
        if len(body) > CALL_BYTES:
            raise PlatformError(f"The arguments of {method} have more than 1 MiB.", "payload_too_large")
        self._connection.send(CALL.pack(CALL_LETTER, number), body)

    def receive_reply(self, until: float | None) -> tuple[int, Any, BaseException | None] | None:
        frame = self._connection.receive(None if until is None else until - time.monotonic())
        if frame is None:
            return None
        number, status = REPLY.unpack_from(frame)
        try:
            body: Any = json.loads(frame[REPLY.size :])
        except ValueError:
            status, body = 503, {"detail": "The platform gave no answer that can be read.", "code": "unavailable"}
        if status == 200:
            return number, body.get("result"), None
        detail: Any = body.get("detail")
        details = list_of(detail)
        return number, None, PlatformError(_sentence(detail), body.get("code"), details)


def _sentence(detail: Any) -> str:
    """The messages of all failures of a request, or the one sentence."""
    if (failures := list_of(detail)) is None:
        return str(detail)
    return "; ".join([str((object_of(each) or {}).get("msg", each)) for each in failures])


def _define(code: Any, namespace: dict[str, Any], runtime: Runtime) -> Any:
    """
    Runs the module's own statements. The code becomes a function, because `exec` would cause an audit event that must
    not be allowed while the tenant's code runs.
    """
    with runtime.gate.open():
        run = FunctionType(code, namespace)
    run()
    return namespace["execute"]


class _Refused(Exception):
    def __init__(self, kind: str, error_type: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.error_type = error_type


def _checked(value: Any, limit: int, what: str) -> bytes:
    try:
        body = to_json(value)
    except NotJson as error:
        raise _Refused("invalid_output", "InvalidOutput", f"{what} is not JSON: {error}") from None
    if len(body) > limit:
        raise _Refused("limit", "OutputTooLarge", f"{what} has more than {limit // MIB} MiB.")
    return body


def _line_of(error: BaseException) -> int | None:
    """The last line of the tenant's own code in the traceback."""
    line, traceback = None, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == CODE_NAME:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
