"""Runs the escape corpus on Python itself, each entry in a process of its own. Prints what failed to escape."""

import asyncio
import json
import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from escapes import ESCAPES, Escape  # noqa: E402

SECRET = "the-secret-of-the-host"


class Platform:
    def log(self, message: str) -> None: ...


def attempt(escape: Escape, kwargs: dict[str, Any], answer: int) -> None:
    output: Any = None
    try:
        namespace: dict[str, Any] = {"__name__": "function"}
        exec(compile(escape.code, "<function>", "exec"), namespace)
        output = asyncio.run(namespace["execute"](Platform(), **kwargs))
    except BaseException as error:
        output = repr(error)
    os.write(answer, str(output)[:500].encode())
    os._exit(0)


def succeeds(escape: Escape, folder: Path) -> str | None:
    """None, or what happened instead."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.05)
    secret, target = folder / "secret", folder / "target"
    secret.write_text(SECRET)
    kwargs = {"secret": str(secret), "target": str(target), "port": listener.getsockname()[1]}
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        attempt(escape, kwargs, writer)
    os.close(writer)
    output = b""
    while chunk := os.read(reader, 4096):
        output += chunk
    os.close(reader)
    os.waitpid(child, 0)
    happened = target.exists() or target.is_symlink() or SECRET in output.decode() or b"ESCAPED" in output
    if not happened:
        try:
            listener.accept()[0].close()
            happened = True
        except TimeoutError:
            pass
    listener.close()
    return None if happened else output.decode()


def main() -> None:
    failures: dict[str, str] = {}
    for escape in ESCAPES:
        with tempfile.TemporaryDirectory() as folder:
            failure = succeeds(escape, Path(folder))
        if failure is not None:
            failures[f"{escape.technique}: {escape.name}"] = failure
    print(json.dumps({"tried": len(ESCAPES), "failures": failures}, indent=1))


if __name__ == "__main__":
    main()
