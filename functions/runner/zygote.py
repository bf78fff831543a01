"""
The zygote: started once with an empty environment. It loads what tenants' code may use and forks a child for each
execution. It never sees code, inputs or tokens: those go from the supervisor to the child.

Its connection is descriptor argv[1]. Requests: `F` with a descriptor (the child's end of a connection) → the child's
process id in 4 bytes, 0 if it could not fork; `R` → kills and reaps the child, gives its wait status in 4 bytes. When
the connection closes, it kills its child and ends.
"""

import gc
import os
import signal
import socket
import struct
import sys
from typing import Final

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import child
import restricted
import walls

NUMBER: Final = struct.Struct(">i")
READY: Final = b"ready"


def main() -> None:
    connection = socket.socket(fileno=int(sys.argv[1]))
    without = frozenset(sys.argv[2:])
    # An interpreter that needs the variable has read it when it started.
    os.environ.clear()
    null = os.open(os.devnull, os.O_RDWR)
    os.umask(0o777)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    runtime = restricted.prepare("runtime" not in without)
    sys.path.clear()
    walls.become_nobody()
    # The collector would touch, and so copy, all pages of a child.
    gc.disable()
    gc.freeze()
    connection.sendall(READY)
    forked = 0
    try:
        while True:
            request, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
            if request == b"F" and descriptors:
                forked = _fork(connection, descriptors[0], null, runtime, without)
                os.close(descriptors[0])
                connection.sendall(NUMBER.pack(forked))
            elif request == b"R":
                connection.sendall(NUMBER.pack(_reap(forked)))
                forked = 0
            else:
                break
    except (OSError, KeyboardInterrupt):
        pass
    finally:
        _reap(forked)


def _fork(
    connection: socket.socket, descriptor: int, null: int, runtime: restricted.Runtime, without: frozenset[str]
) -> int:
    try:
        forked = os.fork()
    except OSError:
        return 0
    if forked == 0:
        try:
            connection.detach()
            os.setpgid(0, 0)
            gc.enable()
            child.serve(descriptor, null, runtime, without)
        finally:
            os._exit(70)
    return forked


def _reap(forked: int) -> int:
    if forked == 0:
        return 0
    for kill in (os.killpg, os.kill):
        try:
            kill(forked, signal.SIGKILL)
        except OSError:
            # Before its own group exists, or after the end.
            continue
    _, status = os.waitpid(forked, 0)
    return status


if __name__ == "__main__":
    main()
