"""
Frames between the supervisor and a child: the length in 4 bytes (big-endian), then the body.

To the child go the job (JSON) and the replies: the call's number in 4 bytes, the status in 2 bytes, the body of the
reply. From the child come a letter and JSON: `L` a log line, `C` a call (its number in 4 bytes before the JSON), and
`D` the result, after which nothing else is read.
"""

import os
import socket
import struct
from typing import Final

from limits import JOB_BYTES

LENGTH: Final = struct.Struct(">I")
REPLY: Final = struct.Struct(">IH")
CALL: Final = struct.Struct(">cI")

LOG_LETTER: Final = b"L"
CALL_LETTER: Final = b"C"
DONE_LETTER: Final = b"D"


class Closed(Exception):
    """The other side has closed the connection."""


class Malformed(Exception):
    """The other side broke the protocol."""


class Inbox:
    """What arrives in pieces becomes frames. It never waits."""

    __slots__ = ("_buffer", "_limit")

    def __init__(self, limit: int) -> None:
        self._buffer = bytearray()
        self._limit = limit

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def take(self) -> bytes | None:
        """The next whole frame."""
        buffer = self._buffer
        if len(buffer) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack_from(buffer)
        if length > self._limit:
            raise Malformed
        end = LENGTH.size + length
        if len(buffer) < end:
            return None
        frame = bytes(buffer[LENGTH.size : end])
        del buffer[:end]
        return frame


class Connection:
    """The child's side, which blocks."""

    __slots__ = ("_fd", "_inbox", "_read", "_set_option", "_socket", "_write")

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._socket = socket.socket(fileno=fd)
        # Bound now: the child later removes them from the module.
        self._read = os.read
        self._write = os.write
        self._set_option = self._socket.setsockopt
        self._inbox = Inbox(JOB_BYTES)

    def send(self, *parts: bytes) -> None:
        length = sum(len(part) for part in parts)
        view = memoryview(LENGTH.pack(length) + b"".join(parts))
        while view:
            view = view[self._write(self._fd, view) :]

    def receive(self, seconds: float | None = None) -> bytes | None:
        """The next frame; None when the time is over. Polling would need a limit of open files above zero."""
        while (frame := self._inbox.take()) is None:
            if seconds is not None:
                microseconds = max(1, int(seconds * 1_000_000))
                timeval = struct.pack("@ll", microseconds // 1_000_000, microseconds % 1_000_000)
                self._set_option(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval)
            try:
                data = self._read(self._fd, 1 << 18)
            except BlockingIOError:
                return None
            finally:
                if seconds is not None:
                    self._set_option(socket.SOL_SOCKET, socket.SO_RCVTIMEO, bytes(struct.calcsize("@ll")))
            if not data:
                raise Closed
            self._inbox.feed(data)
        return frame
