"""The MCP server of any source of tools, built on the SDK's low-level server, and its handlers of tool requests."""

import os
from typing import Any, Final

import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError

from embeddings.errors import PhraseError
from server import SERVER_NAME, package_version
from server.errors import CallerError, UnavailableToolError
from server.protocol.errors import fault, tool_error, unavailable_tool
from server.protocol.introduction import Introduction
from server.protocol.list_changes import ListChanges
from server.protocol.worker_threads import WorkerThreads
from server.tools.answers import as_text
from server.tools.meta.session import Outcome
from server.tools.remote.definition import RemoteCall
from server.toolset.session import CallerSession
from server.toolset.source import ToolSource
from server.toolset.start import Start
from server.toolset.toolset import Context, Toolset

LOAD_DELAY: Final = 0.05
"""Seconds between answering `tools/list` and loading the matcher, so that loading does not slow the answer down."""


class ToolServer(Server[Any]):
    """Serves the tools of a source. Handlers of other requests can be added.

    Attributes:
        toolset: what each caller may use.
        threads: where handlers run work.
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
        changes = ListChanges(self.toolset) if source.changes else None
        handlers = _Handlers(self.toolset, one_client, self.threads, changes)
        super().__init__(
            SERVER_NAME,
            version=package_version(),
            title=about.title,
            description=about.description,
            instructions=about.instructions,
            get_tool_input_schema=self.toolset.input_schema,
            on_list_tools=handlers.list_tools,
            on_call_tool=handlers.call_tool,
            on_subscriptions_listen=changes.listen if changes else None,
        )

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Advertise `tools.listChanged` to legacy clients only if it is sent; under 2026-07-28 the SDK decides."""
        chosen = notification_options or NotificationOptions(tools_changed=self._lists_change)
        return super().create_initialization_options(chosen, experimental_capabilities, extensions)


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
        value = outcome.to_json()
        text = types.TextContent(type="text", text=as_text(value))
        return types.CallToolResult(content=[text], structured_content=value)

    async def _outcome(self, session: CallerSession, params: types.CallToolRequestParams) -> Outcome:
        if self._one_client and session.offer.ready:
            return session.call_loaded(params.name, params.arguments or {})
        return await self._threads.run(session.call_loaded, params.name, params.arguments or {})
