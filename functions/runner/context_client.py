"""Context calls to the platform: one HTTP request each, with the token that only the supervisor has."""

import http.client
import json
import ssl
import threading
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

Reply = tuple[int, bytes]
Forward = Callable[[str, list[Any], dict[str, Any], float], Reply]
"""Method, arguments, keyword arguments, seconds left → status and body."""


def failure(status: int, code: str, detail: str) -> Reply:
    return status, json.dumps({"detail": detail, "code": code}).encode("utf-8")


class ContextClient:
    """Keeps its connections for the next calls, also those of later executions: the token is sent with each call."""

    def __init__(self) -> None:
        self._idle: dict[tuple[str, str], list[http.client.HTTPConnection]] = {}
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

    def _post(self, key: tuple[str, str], path: str, body: bytes, headers: dict[str, str], seconds: float) -> Reply:
        connection, is_fresh = self._connection(key, seconds)
        try:
            try:
                connection.request("POST", path, body, headers)
                response = connection.getresponse()
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # The server closed an idle connection before it read the request.
                connection.close()
                if is_fresh:
                    raise
                connection = _connect(key, seconds)
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
                self._idle.setdefault(key, []).append(connection)
        return _checked(response.status, data)

    def _connection(self, key: tuple[str, str], seconds: float) -> tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            idle = self._idle.get(key)
            connection = idle.pop() if idle else None
        if connection is None:
            return _connect(key, seconds), True
        if connection.sock is not None:
            connection.sock.settimeout(seconds)
        return connection, False


def _connect(key: tuple[str, str], seconds: float) -> http.client.HTTPConnection:
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
