/** Written beside new functions, so that an editor knows what the platform offers to them. */
export const stub = `"""What Tenantry offers to functions and triggers. For editors; the platform has its own."""

from typing import Any, Awaitable, Literal, Mapping, Protocol, Sequence

Record = dict[str, Any]
Level = Literal["debug", "info", "warning", "error"]
Event = Literal[
    "before_create", "before_update", "before_delete", "after_create", "after_update", "after_delete"
]

class PlatformError(Exception):
    """A call that the platform refused."""

    message: str
    code: str
    details: Any

class TriggerError(Exception):
    """Raised by a trigger that runs before a change, to refuse it."""

    def __init__(self, message: str, field: str | None = None) -> None: ...

class Records(Protocol):
    async def create(self, object: str, data: Record | Sequence[Record]) -> Any:
        """Creates one record, or many. Gives what was created."""
    async def update(
        self, object: str, data: str | Record | Sequence[Record], changes: Record | None = None
    ) -> Any:
        """Changes the record of an id, or records that have an id each."""
    async def delete(self, object: str, ids: str | Sequence[str]) -> list[str]:
        """Deletes records, and gives their ids."""

class Query(Protocol):
    async def sql(self, query: str, params: Sequence[Any] | None = None) -> list[Record]:
        """Records of a query. $1, $2 and so on are bound to the params."""
    async def docdb(self, collection: str, pipeline: Sequence[Record] | Record) -> list[Record]:
        """Records of an aggregation pipeline, or of a filter."""

class Notifications(Protocol):
    async def notify(self, notifications: Record | Sequence[Record]) -> Any:
        """Tells users something."""
    async def mark_read(self, filters: Record | Sequence[Record]) -> Any:
        """Marks notifications of the user as read."""

class Communications(Protocol):
    notifications: Notifications
    async def send_sms(self, to: str, message: str) -> Any: ...
    async def send_email(self, request: Record) -> Any: ...

class Workflows(Protocol):
    async def run_function(self, function_name: str, kwargs: Mapping[str, Any] | None = None) -> Any:
        """Runs another function, and gives what it returned."""
    async def run_workflow(self, automation_id: str, data: Mapping[str, Any] | None = None) -> Any:
        """Runs an automation."""

class Integration(Protocol):
    async def request(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """A request with the credential of the provider, which the code never sees."""

class Integrations(Protocol):
    def __getattr__(self, provider: str) -> Integration: ...

class Metadata(Protocol):
    async def get_config(self, api_name: str, default: Any = None) -> Any:
        """The value of the app_metadata record of this api_name."""

class Platform(Protocol):
    records: Records
    query: Query
    communications: Communications
    workflows: Workflows
    integrations: Integrations
    metadata: Metadata
    user: Record
    def log(self, message: str, level: Level = "info") -> Awaitable[None]:
        """Writes a line to the log of the execution."""

class TriggerContext(Platform, Protocol):
    event: Event
    new_map: dict[str, Record]
    """Id to record, as it will be. A trigger that runs before a change may change it."""
    old_map: dict[str, Record]
    """Id to record, as it was."""
    def is_changed(self, id: str, field: str) -> bool: ...
`;
