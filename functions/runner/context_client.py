"""Context calls to the platform: one HTTP request each, with the token that only the supervisor has."""

import http.client
import json
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

from limits import REPLY_BYTES

METHODS: Final = frozenset(
    {
        "records.create",
        "records.update",
        "records.delete",
        "query.sql",
        "query.docdb",
        "communications.send_sms",
        "communications.send_email",
        "communications.notifications.notify",
        "communications.notifications.mark_read",
        "workflows.run_function",
        "workflows.run_workflow",
        "integrations.request",
        "metadata.get_config",
    }
)

IDLE_SECONDS: Final = 3.0
"""A connection that was idle for longer is not used again. Node's servers close theirs after 5 s."""

_Key = tuple[str, str]
"""Scheme and address."""
Reply = tuple[int, bytes]
Forward = Callable[[str, list[Any], dict[str, Any], float], Reply]
"""Method, arguments, keyword arguments, seconds left → status and body."""


def failure(status: int, code: str, detail: str) -> Reply:
    return status, json.dumps({"detail": detail, "code": code}).encode("utf-8")


class ContextClient:
    """Keeps its connections for the next calls, also those of later executions: the token is sent with each call."""

    def __init__(self) -> None:
        self._idle: dict[_Key, list[tuple[float, http.client.HTTPConnection]]] = {}
        self._lock = threading.Lock()

    def forward(self, url: str, token: str) -> Forward:
        target = urlsplit(url)
        key = (target.scheme, target.netloc)
        path = target.path + (f"?{target.query}" if target.query else "")
        if target.scheme not in ("http", "https") or not target.netloc:
            raise ValueError("context.url is no HTTP address")

        def call(method: str, args: list[Any], kwargs: dict[str, Any], seconds: float) -> Reply:
            if method not in METHODS:
                return failure(404, "unknown_method", f"The platform has no method {method}.")
            body = json.dumps({"method": method, "args": args, "kwargs": kwargs}).encode("utf-8")
            headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
            try:
                return self._post(key, path, body, headers, seconds)
            except (OSError, http.client.HTTPException):
                return failure(503, "unavailable", "The platform did not answer.")

        return call

    def _post(self, key: _Key, path: str, body: bytes, headers: dict[str, str], seconds: float) -> Reply:
        """Never sent twice: a request whose connection broke may have been executed."""
        connection = self._take(key, seconds)
        try:
            connection.request("POST", path, body, headers)
            response = connection.getresponse()
            data = response.read(REPLY_BYTES + 1)
        except BaseException:
            connection.close()
            raise
        if len(data) > REPLY_BYTES:
            connection.close()
            return failure(500, "reply_too_large", "The reply is too large.")
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                # Not the monotonic clock, which may stand still while an execution environment is frozen.
                self._idle.setdefault(key, []).append((time.time(), connection))
        return _checked(response.status, data)

    def _take(self, key: _Key, seconds: float) -> http.client.HTTPConnection:
        """An idle connection that the platform has not closed, or a new one."""
        while True:
            with self._lock:
                idle = self._idle.get(key)
                since, connection = idle.pop() if idle else (0.0, None)
            if connection is None:
                return _connect(key, seconds)
            if 0 <= time.time() - since < IDLE_SECONDS and _is_open(connection):
                connection.sock.settimeout(seconds)
                return connection
            connection.close()

    def close(self) -> None:
        with self._lock:
            for connections in self._idle.values():
                for _, connection in connections:
                    connection.close()
            self._idle.clear()


def _is_open(connection: http.client.HTTPConnection) -> bool:
    """Nothing is expected on an idle connection, so what can be read is its end."""
    if not isinstance(connection.sock, socket.socket):
        return False
    poll = select.poll()
    poll.register(connection.sock, select.POLLIN)
    return not poll.poll(0)


def _connect(key: _Key, seconds: float) -> http.client.HTTPConnection:
    scheme, address = key
    if scheme == "https":
        return http.client.HTTPSConnection(address, timeout=seconds, context=ssl.create_default_context())
    return http.client.HTTPConnection(address, timeout=seconds)


def _checked(status: int, data: bytes) -> Reply:
    """The platform's replies are JSON objects. Anything else comes from what stands in front of it."""
    is_object = data[:1] == b"{" and data[-1:] == b"}"
    if is_object and (status == 200 or 400 <= status < 600):
        return status, data
    return failure(503, "unavailable", f"The platform answered with status {status}.")
