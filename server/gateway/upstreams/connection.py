"""One connection to an upstream, through the SDK's client."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, cast

import anyio
import mcp_types as types
from mcp.client import Client
from mcp.client._input_required import run_input_required_driver
from mcp.client._transport import TransportStreams
from mcp.client.extension import advertise
from mcp.client.session import ClientRequestContext, IncomingMessage
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter

from server import SERVER_NAME, package_version
from server.gateway.skills.skill import EXTENSION
from server.gateway.upstreams.forwarding import Forwarding, Running, RunningRequests
from server.gateway.upstreams.messages import MessageInspector
from server.gateway.upstreams.states import Failure, ListKind

MakeRequest = Callable[[types.InputResponses | None, str | None], types.ClientRequest]

_CHANGES: Final[Mapping[type[Any], tuple[ListKind, ...]]] = {
    types.ToolListChangedNotification: ("tools",),
    types.PromptListChangedNotification: ("prompts",),
    # Skills are resources, and have no notification of their own.
    types.ResourceListChangedNotification: ("resources", "resource_templates", "skills"),
}


class OpenTransport(Protocol):
    """A transport, and why it ended."""

    why: str

    def open(self) -> AbstractAsyncContextManager[TransportStreams]:
        """Connect."""
        ...


@dataclass
class Connection:
    """A connection that can be used.

    Attributes:
        client: the SDK's, connected.
        ended: set once the connection cannot be used any more.
        requests: the requests under way.
        left_out: names of listed entries that are malformed; grows with each list that is read.
        changed: lists that the server says have changed.
        a_change: set when there are such lists.
        failure: why the connection was given up.
    """

    client: Client
    transport: OpenTransport
    ended: anyio.Event
    requests: RunningRequests
    left_out: Sequence[str] = ()
    changed: set[ListKind] = field(default_factory=set)
    a_change: anyio.Event = field(default_factory=anyio.Event)
    failure: Failure | None = None
    _log_level: types.LoggingLevel | None = None

    @property
    def modern(self) -> bool:
        """Whether the server speaks 2026-07-28 or later."""
        return self.client.protocol_version in MODERN_PROTOCOL_VERSIONS

    def fail(self, kind: Literal["down", "unauthorized"], why: str) -> None:
        """Give the connection up."""
        self.failure = self.failure or (kind, why)
        self.ended.set()

    def lost(self) -> Failure:
        """Why the connection ended."""
        kind, why = self.failure or ("down", "")
        return kind, self.transport.why or why or "the server closed the connection"

    async def ask(self, make: MakeRequest, adapter: TypeAdapter[Any], running: Running) -> Any:
        """Return the final answer to a request; what the server requires as input on the way, the caller is asked for.

        Raises:
            MCPError: the server answered with an error, or the connection ended.
        """

        async def send(responses: types.InputResponses | None, state: str | None) -> Any:
            return await self.client.session.send_request(
                make(responses, state), adapter, progress_callback=running.progressed
            )

        async def answer(key: str, request: types.InputRequest) -> types.InputResponse | types.ErrorData:
            meta = request.params.meta if request.params else None
            context = ClientRequestContext(session=self.client.session, request_id=key, meta=meta)
            return await self.client.session.dispatch_input_request(context, request)

        first = await send(None, None)
        if isinstance(first, types.InputRequiredResult):
            return await run_input_required_driver(first, dispatch=answer, retry=send)
        return first

    def meta(self, forward: Forwarding) -> types.RequestParamsMeta | None:
        """`_meta` of a request."""
        meta: dict[str, Any] = dict(forward.meta or {})
        if forward.log_level and self.modern:
            meta[types.LOG_LEVEL_META_KEY] = forward.log_level
        return cast("types.RequestParamsMeta", meta) if meta else None

    async def set_log_level(self, level: types.LoggingLevel | None) -> None:
        """Ask a legacy server for the log messages that a caller wants; newer ones are asked with each request."""
        if level is None or level == self._log_level or self.modern or not self.client.server_capabilities.logging:
            return
        self._log_level = level
        request = types.SetLevelRequest(params=types.SetLevelRequestParams(level=level))
        try:
            await self.client.session.send_request(request, types.EmptyResult)
        except MCPError:
            # The call itself goes on without log messages.
            return

    def outdated(self, *kinds: ListKind) -> None:
        """Note that lists are to be fetched anew."""
        self.changed.update(kinds)
        self.a_change.set()

    async def on_message(self, message: IncomingMessage) -> None:
        """Take note of a server's notification."""
        if kinds := _CHANGES.get(type(message)):
            self.outdated(*kinds)


@asynccontextmanager
async def connect(
    transport: OpenTransport, mode: Literal["auto", "legacy"], *, several_callers: bool
) -> AsyncGenerator[Connection]:
    """Connect and negotiate the protocol version.

    Raises:
        MCPError: the server refused.
        Exception: the transport failed; possibly in a group.
    """
    inspector, requests = MessageInspector(), RunningRequests(several_callers)
    holder: list[Connection] = []

    async def on_message(message: IncomingMessage) -> None:
        if holder:
            await holder[0].on_message(message)

    @asynccontextmanager
    async def tapped() -> AsyncGenerator[TransportStreams]:
        async with transport.open() as streams:
            yield inspector.streams(streams)

    client = Client(
        tapped(),
        mode=mode,
        cache=None,
        client_info=types.Implementation(name=f"{SERVER_NAME}-gateway", version=package_version()),
        elicitation_callback=requests.elicit,
        logging_callback=requests.log,
        message_handler=on_message,
        extensions=[advertise(EXTENSION)],
    )
    async with client:
        inspector.version = client.protocol_version
        connection = Connection(client, transport, inspector.ended, requests, inspector.left_out)
        holder.append(connection)
        try:
            yield connection
        finally:
            connection.ended.set()
