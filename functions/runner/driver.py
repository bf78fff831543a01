"""
Runs coroutines without an event loop, which would need file descriptors that the child does not have.

A tenant's code awaits three things: context calls, `asyncio.sleep` and `asyncio.gather`. Each yields itself to the
driver, which sends all calls that can be sent, and then waits for replies or for the time.
"""

import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator
from heapq import heappop, heappush
from types import CoroutineType
from typing import Any, Final, Protocol

DONE: Final = object()


class Transport(Protocol):
    """What the driver needs of the connection."""

    def send_call(self, number: int, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None: ...

    def receive_reply(self, until: float | None) -> "tuple[int, Any, BaseException | None] | None":
        """The number of the call, its result or its error; None when `until` (monotonic seconds) has passed."""
        ...


class Call:
    """A context call, sent when it is awaited."""

    __slots__ = ("args", "awaited", "kwargs", "method")

    def __init__(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.method = method
        self.args = args
        self.kwargs = kwargs
        self.awaited = False

    def __await__(self) -> Generator[Any, Any, Any]:
        self.awaited = True
        return (yield self)


class Done:
    """Has its result already. May be awaited or not."""

    __slots__ = ("value",)

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def __await__(self) -> Generator[Any, Any, Any]:
        return self.value
        yield


class Sleep:
    __slots__ = ("result", "seconds")

    def __init__(self, seconds: float, result: Any) -> None:
        self.seconds = seconds
        self.result = result

    def __await__(self) -> Generator[Any, Any, Any]:
        return (yield self)


class Gather:
    __slots__ = ("awaitables", "return_exceptions")

    def __init__(self, awaitables: tuple[Any, ...], return_exceptions: bool) -> None:
        self.awaitables = awaitables
        self.return_exceptions = return_exceptions

    def __await__(self) -> Generator[Any, Any, Any]:
        return (yield self)


def sleep(delay: float, result: Any = None) -> Sleep:
    seconds = float(delay)
    if seconds != seconds:
        raise ValueError("Invalid delay: NaN (not a number)")
    return Sleep(max(0.0, seconds), result)


def gather(*coros_or_futures: Any, return_exceptions: bool = False) -> Gather:
    for awaitable in coros_or_futures:
        if not is_awaitable(awaitable):
            raise TypeError("An asyncio.Future, a coroutine or an awaitable is required")
    return Gather(coros_or_futures, bool(return_exceptions))


def is_awaitable(value: Any) -> bool:
    return type(value) in (CoroutineType, Call, Done, Sleep, Gather)


async def _awaiting(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


class _Task:
    __slots__ = ("coroutine", "finished")

    def __init__(self, awaitable: Any, finished: "Callable[[Any, BaseException | None], None]") -> None:
        is_coroutine = type(awaitable) is CoroutineType
        self.coroutine: Coroutine[Any, Any, Any] = awaitable if is_coroutine else _awaiting(awaitable)
        self.finished = finished


Step = tuple[_Task, Any, BaseException | None]


class Driver:
    """Runs one coroutine and all that it awaits."""

    __slots__ = ("_calls", "_number", "_order", "_ready", "_timers", "_transport")

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._ready: deque[Step] = deque()
        self._timers: list[tuple[float, int, _Task, Any]] = []
        self._calls: dict[int, _Task] = {}
        self._number = 0
        self._order = 0

    def run(self, coroutine: Any) -> Any:
        outcome: list[tuple[Any, BaseException | None]] = []
        self._start(coroutine, lambda value, error: outcome.append((value, error)))
        while not outcome:
            if self._ready:
                self._step(*self._ready.popleft())
            else:
                self._wait()
        value, error = outcome[0]
        if error is not None:
            raise error
        return value

    def _start(self, awaitable: Any, finished: "Callable[[Any, BaseException | None], None]") -> None:
        self._ready.append((_Task(awaitable, finished), None, None))

    def _step(self, task: _Task, value: Any, error: BaseException | None) -> None:
        try:
            asked = task.coroutine.send(value) if error is None else task.coroutine.throw(error)
        except StopIteration as stop:
            task.finished(stop.value, None)
            return
        except BaseException as raised:
            task.finished(None, raised)
            return
        try:
            self._serve(task, asked)
        except Exception as refused:
            self._ready.append((task, None, refused))

    def _serve(self, task: _Task, asked: Any) -> None:
        if type(asked) is Call:
            self._number += 1
            self._transport.send_call(self._number, asked.method, asked.args, asked.kwargs)
            self._calls[self._number] = task
        elif type(asked) is Sleep:
            self._order += 1
            heappush(self._timers, (time.monotonic() + asked.seconds, self._order, task, asked.result))
        elif type(asked) is Gather:
            self._gather(task, asked)
        else:
            raise TypeError("only context calls, asyncio.gather and asyncio.sleep can be awaited")

    def _gather(self, task: _Task, asked: Gather) -> None:
        results: list[Any] = [None] * len(asked.awaitables)
        left = len(results)
        over = False

        def finish(index: int, value: Any, error: BaseException | None) -> None:
            nonlocal left, over
            left -= 1
            if error is not None and not (asked.return_exceptions and isinstance(error, Exception)):
                if not over:
                    over = True
                    self._ready.append((task, None, error))
                return
            results[index] = value if error is None else error
            if left == 0 and not over:
                over = True
                self._ready.append((task, results, None))

        if not results:
            self._ready.append((task, [], None))
        # The same coroutine may be given twice, as to asyncio.gather.
        places: dict[int, list[int]] = {}
        for index, awaitable in enumerate(asked.awaitables):
            places.setdefault(id(awaitable), []).append(index)

        def finisher(indexes: list[int]) -> "Callable[[Any, BaseException | None], None]":
            def finished(value: Any, error: BaseException | None) -> None:
                for index in indexes:
                    finish(index, value, error)

            return finished

        for indexes in places.values():
            self._start(asked.awaitables[indexes[0]], finisher(indexes))

    def _wait(self) -> None:
        until = self._timers[0][0] if self._timers else None
        if self._calls:
            reply = self._transport.receive_reply(until)
            if reply is not None:
                number, value, error = reply
                self._ready.append((self._calls.pop(number), value, error))
        elif until is not None:
            time.sleep(max(0.0, until - time.monotonic()))
        else:
            raise RuntimeError("the coroutine awaits something that never happens")
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            _, _, task, result = heappop(self._timers)
            self._ready.append((task, result, None))
