"""The runner's Lambda: one event gives one answer. The local runtime starts the same code through local.py."""

from typing import Any, Protocol

from answers import answer
from context_client import ContextClient
from limits import MARGIN_MILLISECONDS
from supervisor import Answer, Supervisor


class LambdaContext(Protocol):
    def get_remaining_time_in_millis(self) -> int: ...


_supervisor = Supervisor()
_client = ContextClient()
# While the execution environment starts, it has more processor time than later.
_supervisor.zygote.start()


def handler(event: dict[str, Any], context: LambdaContext) -> Answer:
    return answer(event, context.get_remaining_time_in_millis() - MARGIN_MILLISECONDS, _supervisor, _client)
