"""From the event of the runner to its answer."""

from typing import Any

from checks import object_of
from context_client import ContextClient, Forward, Reply, failure
from event import BadEvent, Event, TooLarge, read_event
from supervisor import Answer, OnLine, Supervisor


def answer(
    raw: Any,
    longest_ms: int,
    supervisor: Supervisor,
    client: ContextClient,
    on_line: OnLine = lambda line: None,
) -> Answer:
    """@throws BadEvent if the event breaks the protocol"""
    try:
        event = read_event(raw, max(1, longest_ms))
    except TooLarge as error:
        refused = {"kind": "limit", "type": "TooLarge", "message": str(error)}
        return {"status": "failed", "error": refused, "lines": [], "lines_cut": False, "calls": 0, "duration_ms": 0}
    result = supervisor.run(event, _forward(event, raw, client), on_line)
    return check_answer(result) if event.kind == "check" else run_answer(result)


def _forward(event: Event, raw: dict[str, Any], client: ContextClient) -> Forward:
    if event.kind == "check":
        return _no_calls
    target = object_of(raw.get("context")) or {}
    url, token = target.get("url"), target.get("token")
    if not isinstance(url, str) or not isinstance(token, str):
        raise BadEvent("context has a url and a token")
    return client.forward(url, token)


def _no_calls(method: str, args: list[Any], kwargs: dict[str, Any], seconds: float) -> Reply:
    return failure(404, "unknown_method", "A check makes no calls.")


def check_answer(result: Answer) -> Answer:
    """`{issues}`. Code that ends the validator's process is refused too."""
    if result["status"] == "checked":
        return {"issues": result["issues"]}
    message = "The code is too complex to be checked."
    return {"issues": [{"line": 1, "column": 1, "rule": "nesting", "message": message}]}


def run_answer(result: Answer) -> Answer:
    if result["status"] != "checked":
        return result
    first = result["issues"][0]
    error = {
        "kind": "invalid_code",
        "type": "InvalidCode",
        "message": f"{first['message']} ({first['rule']}, line {first['line']}, column {first['column']})",
        "line": first["line"],
    }
    return {**{name: result[name] for name in result if name != "issues"}, "status": "failed", "error": error}
