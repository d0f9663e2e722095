"""The MCP server of any source of tools, built on the SDK's low-level server, and its handlers of tool requests."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal
from weakref import WeakKeyDictionary, ref

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from embeddings.errors import PhraseError
from server import SERVER_NAME, package_version
from server.errors import CallerError, UnavailableToolError
from server.matching.label_service import LabelService
from server.matching.service import Service
from server.protocol.errors import fault, tool_error, unavailable_tool
from server.protocol.worker_threads import WorkerThreads
from server.tools.answers import Answer, as_text
from server.tools.meta.session import Outcome
from server.tools.remote_tool import RemoteCall
from server.toolset.session import CallerSession
from server.toolset.source import ToolSource
from server.toolset.start import Start
from server.toolset.toolset import Context, Toolset, identity


@dataclass(frozen=True)
class Introduction:
    """The server's introduction to a client.

    Attributes:
        title: for people.
        description: what the server is for.
        instructions: for the model: how to use the tools.
    """

    title: str
    description: str
    instructions: str


_AGENTS: Final = (
    "Sourced facts on what AI coding agents ({}) can do and how to set it up. Pass the user's own words as the "
    "capability; they are matched by meaning. decision=resolved answers; ambiguous and no_match list candidates. Cite "
    "the sources that an answer carries."
)

MAX_NAMED: Final = 10
"""Agents that the instructions name."""

_DYNAMIC: Final = (
    " More tools can be loaded: smart_load takes an intent in plain words, capabilities lists all of them, call_tool "
    "runs any by name."
)

_LABELS: Final = (
    "Finds which label of one catalog a phrase means, or that none does. Pass the user's own words to "
    "match_capability; they are matched by meaning. decision=resolved answers with the first match; ambiguous and "
    "no_match list candidates. An id, where a match has one, is what the catalog's owner calls the label."
)


def introduction(service: LabelService, *, dynamic: bool) -> Introduction:
    """Return the introduction of a server.

    Args:
        service: what it serves.
        dynamic: whether tools can be loaded on demand.
    """
    if isinstance(service, Service):
        return Introduction(
            "Agent capabilities",
            "What AI coding agents can do, from a sourced catalog, asked in anyone's words",
            _AGENTS.format(_named(list(service.catalog.agents))) + (_DYNAMIC if dynamic else ""),
        )
    return Introduction("Catalog matcher", "Which label of a catalog a phrase means, in anyone's words", _LABELS)


def _named(agents: Sequence[str]) -> str:
    """Return the agents by id, and how many more there are."""
    more = len(agents) - MAX_NAMED
    return ", ".join([*agents[:MAX_NAMED], *([f"{more} more"] if more > 0 else [])])


logger = logging.getLogger(__name__)

MAX_STREAMS: Final = 1024
"""Maximum clients of 2026-07-28 that listen at the same time."""

Kind = Literal["tools", "prompts", "resources"]
"""Lists of a server; templates of resources belong to the resources."""

Look = Callable[[CallerSession], object]
"""Returns one of a caller's lists, to be compared with what it was."""

_EVENTS: Final[Mapping[Kind, Callable[[], ServerEvent]]] = {
    "tools": ToolsListChanged,
    "prompts": PromptsListChanged,
    "resources": ResourcesListChanged,
}
_SENDERS: Final[Mapping[Kind, Callable[[Connection], Awaitable[None]]]] = {
    "tools": Connection.send_tool_list_changed,
    "prompts": Connection.send_prompt_list_changed,
    "resources": Connection.send_resource_list_changed,
}

Tell = Callable[[], Awaitable[None]]


class _Watcher:
    """A client that has seen one of its lists, and hears of changes of this list alone."""

    def __init__(self, look: Callable[[], object], tell: Tell) -> None:
        self._look = look
        self._tell = tell
        self._seen = look()

    async def compare(self) -> None:
        """Tell the client, once, that its list is not what it was."""
        now = self._look()
        if now != self._seen:
            self._seen = now
            await self._tell()


class ListChanges:
    """The clients that are connected, and what each has seen of its lists."""

    def __init__(self, toolset: Toolset) -> None:
        """Watch the source of `toolset`."""
        self._toolset = toolset
        self._looks: dict[Kind, Look] = {"tools": toolset.listed}
        self._sessions: WeakKeyDictionary[Connection, dict[Kind, _Watcher]] = WeakKeyDictionary()
        self._streams: set[_Watcher] = set()
        self._announcing: asyncio.Task[None] | None = None
        self._again = False
        toolset.source.subscribe(self._changed)

    @property
    def kinds(self) -> Collection[Kind]:
        """The lists of whose changes clients hear."""
        return self._looks.keys()

    def watch(self, kind: Kind, look: Look) -> None:
        """Let clients hear of changes of another list, too."""
        self._looks[kind] = look

    def saw(self, context: Context, kind: Kind = "tools") -> None:
        """Note the list that a client has now; one whose connection remembers nothing is not told of changes."""
        loaded = self._toolset.loaded(context)
        if loaded is None:
            return
        # The SDK gives handlers no public access to the connection yet.
        connection = context.session._connection
        watcher = _Watcher(self._look(kind, identity(context), loaded), _told_by(connection, kind))
        self._sessions.setdefault(connection, {})[kind] = watcher

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve `subscriptions/listen`: one client's stream, which hears of changes of this client's lists.

        Raises:
            MCPError: too many clients listen.
        """
        if len(self._streams) >= MAX_STREAMS * len(self._looks):
            raise MCPError(INTERNAL_ERROR, f"{MAX_STREAMS} clients listen already; the limit is reached; list again")
        bus = InMemorySubscriptionBus()
        watchers = {
            _Watcher(self._look(kind, identity(context), None), partial(bus.publish, _EVENTS[kind]()))
            for kind in self._looks
        }
        self._streams |= watchers
        try:
            return await ListenHandler(bus)(context, params)
        finally:
            self._streams -= watchers

    def _look(self, kind: Kind, caller: str | None, loaded: list[str] | None) -> Callable[[], object]:
        """Yield a caller's list at each call."""
        look = self._looks[kind]
        return lambda: look(self._toolset.view(caller, loaded))

    def _changed(self) -> None:
        """Tell the clients soon; changes that come meanwhile are told together."""
        self._again = True
        if self._announcing is None or self._announcing.done():
            self._announcing = asyncio.get_running_loop().create_task(self._announce())

    async def _announce(self) -> None:
        while self._again:
            self._again = False
            of_sessions = [watcher for by_kind in self._sessions.values() for watcher in by_kind.values()]
            for watcher in [*of_sessions, *self._streams]:
                try:
                    await watcher.compare()
                except Exception:
                    logger.exception("a client could not be told that one of its lists has changed")


def _told_by(connection: Connection, kind: Kind) -> Tell:
    """Sends the notification of the legacy protocol, without keeping the connection alive."""
    reference = ref(connection)

    async def tell() -> None:
        alive = reference()
        if alive is not None:
            await _SENDERS[kind](alive)

    return tell


LOAD_DELAY: Final = 0.05
"""Seconds between answering `tools/list` and loading the matcher, so that loading does not slow the answer down."""


class ToolServer(Server[Any]):
    """Serves the tools of a source. Handlers of other requests can be added.

    Attributes:
        toolset: what each caller may use.
        threads: where handlers run work.
        changes: tells clients of changes of their lists; None if these do not change.
    """

    def __init__(
        self,
        source: ToolSource,
        about: Introduction,
        start: Start,
        *,
        one_client: bool = False,
        sessions: bool = True,
        at_once: int | None = None,
    ) -> None:
        """Serve `source`.

        Args:
            source: where the tools come from.
            about: how the server introduces itself.
            start: which tools each caller gets.
            one_client: there is only one client, so no other client waits while a call is answered: it is answered
                without another thread, which takes 0.3 ms less.
            sessions: connections of the legacy protocol outlive a request, so their lists of tools can change.
            at_once: maximum queries processed at the same time, while others wait in line (default: one per core).
        """
        self.toolset = Toolset(source, start, sessions)
        # More threads than cores would only compete with each other; the event loop stays free meanwhile.
        self.threads = WorkerThreads(at_once or os.cpu_count() or 1)
        self._lists_change = sessions and (start.dynamic or source.changes)
        self.changes = ListChanges(self.toolset) if source.changes else None
        handlers = _Handlers(self.toolset, one_client, self.threads, self.changes)
        super().__init__(
            SERVER_NAME,
            version=package_version(),
            title=about.title,
            description=about.description,
            instructions=about.instructions,
            get_tool_input_schema=self.toolset.input_schema,
            on_list_tools=handlers.list_tools,
            on_call_tool=handlers.call_tool,
            on_subscriptions_listen=self.changes.listen if self.changes else None,
        )

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Advertise `listChanged` to legacy clients only where it is sent; under 2026-07-28 the SDK decides."""
        others = self.changes.kinds if self.changes and self._lists_change else ()
        # Extensions are of 2026-07-28, whose clients ask with `server/discover`.
        offered = {} if extensions is None and self.extensions else extensions
        chosen = notification_options or NotificationOptions(
            prompts_changed="prompts" in others,
            resources_changed="resources" in others,
            tools_changed=self._lists_change,
        )
        return super().create_initialization_options(chosen, experimental_capabilities, offered)


def tool_result(answer: Answer) -> types.CallToolResult:
    """Return an answer as the result of a call."""
    value = answer.to_json()
    return types.CallToolResult(content=[types.TextContent(type="text", text=as_text(value))], structured_content=value)


class _Handlers:
    """Handlers of tool requests. With several clients, calls run in threads so that no client blocks the others."""

    def __init__(self, toolset: Toolset, one_client: bool, threads: WorkerThreads, changes: ListChanges | None) -> None:
        self._toolset = toolset
        self._one_client = one_client
        self._threads = threads
        self._changes = changes

    async def list_tools(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        # Hosts list tools when they connect and call them later; the matcher is loaded in between.
        self._toolset.source.prepare(LOAD_DELAY)
        session = self._toolset.session(context)
        if self._changes:
            self._changes.saw(context)
        return types.ListToolsResult(tools=self._toolset.listed(session))

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        session = self._toolset.session(context)
        try:
            outcome = await self._outcome(session, params)
            if isinstance(outcome, RemoteCall):
                return await outcome.send(context)
        except (CallerError, PhraseError) as error:
            return tool_error(error)
        except UnavailableToolError as error:
            raise unavailable_tool(error) from error
        except MCPError:
            # The answer of a remote tool's server.
            raise
        except Exception as error:
            raise fault(params.name) from error
        if session.list_changed:
            await context.session.send_tool_list_changed()
            if self._changes:
                self._changes.saw(context)
        return tool_result(outcome)

    async def _outcome(self, session: CallerSession, params: types.CallToolRequestParams) -> Outcome:
        if self._one_client and session.offer.ready:
            return session.call_loaded(params.name, params.arguments or {})
        return await self._threads.run(session.call_loaded, params.name, params.arguments or {})
