"""The MCP server, built on the SDK's low-level server, and its handlers of tool requests."""

import os
from typing import Any, Final

import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions

from embeddings.errors import PhraseError
from server import SERVER_NAME, package_version
from server.errors import CallerError, UnavailableToolError
from server.matching.phrase_service import LiveService, PhraseService
from server.matching.service import Service
from server.protocol.errors import fault, tool_error, unavailable_tool
from server.protocol.introduction import introduction
from server.protocol.resource_handlers import ResourceHandlers
from server.protocol.worker_threads import WorkerThreads
from server.tools.answers import as_text
from server.toolset.start import Start
from server.toolset.toolset import Context, Toolset

LOAD_DELAY: Final = 0.05
"""Seconds between answering `tools/list` and loading the matcher, so that loading does not slow the answer down."""


def build_server(
    service: PhraseService | LiveService[Any],
    one_client: bool = False,
    start: Start | None = None,
    sessions: bool = True,
    at_once: int | None = None,
) -> Server[Any]:
    """Build the MCP server for a service, whose matcher may still be loading.

    Args:
        service: answers the calls; a reload can replace the service inside a `LiveService`.
        one_client: there is only one client, so no other client waits while a call is answered: it is answered
            without another thread, which takes 0.3 ms less.
        start: which tools each caller gets (default: the four core tools; of a catalog file, its two).
        sessions: connections of the legacy protocol outlive a request, so their lists of tools can change.
        at_once: maximum queries processed at the same time, while others wait in line (default: one per core).
    """
    chosen = start or Start()
    live: LiveService[Any] = LiveService.of(service)
    toolset = Toolset(live, chosen, sessions)
    # More threads than cores would only compete with each other; the event loop stays free meanwhile.
    threads = WorkerThreads(at_once or os.cpu_count() or 1)
    handlers = _Handlers(live, toolset, one_client, threads)
    about = introduction(live.current, dynamic=chosen.dynamic)
    resources = ResourceHandlers(toolset, threads) if isinstance(live.current, Service) else None
    return _Server(
        SERVER_NAME,
        version=package_version(),
        title=about.title,
        description=about.description,
        instructions=about.instructions,
        lists_change=chosen.dynamic and sessions,
        get_tool_input_schema=toolset.input_schema,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=resources.list_resources if resources else None,
        on_list_resource_templates=resources.list_templates if resources else None,
        on_read_resource=resources.read if resources else None,
        on_completion=resources.complete if resources else None,
    )


class _Server(Server[Any]):
    """Advertises `tools.listChanged` to legacy clients only if it is sent; under 2026-07-28 the SDK never does."""

    def __init__(self, name: str, *, lists_change: bool, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        self._lists_change = lists_change

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        chosen = notification_options or NotificationOptions(tools_changed=self._lists_change)
        return super().create_initialization_options(chosen, experimental_capabilities, extensions)


class _Handlers:
    """Handlers of tool requests. With several clients, calls run in threads so that no client blocks the others."""

    def __init__(self, live: LiveService[Any], toolset: Toolset, one_client: bool, threads: WorkerThreads) -> None:
        self._live = live
        self._toolset = toolset
        self._one_client = one_client
        self._threads = threads

    async def list_tools(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        # Hosts list tools when they connect and call them later; the matcher is loaded in between.
        self._live.current.matchers.start(LOAD_DELAY)
        return types.ListToolsResult(tools=self._toolset.listed(self._toolset.session(context)))

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        session = self._toolset.session(context)
        try:
            if self._one_client and session.service.matchers.ready:
                answer = session.call_loaded(params.name, params.arguments or {})
            else:
                answer = await self._threads.run(session.call_loaded, params.name, params.arguments or {})
        except (CallerError, PhraseError) as error:
            return tool_error(error)
        except UnavailableToolError as error:
            raise unavailable_tool(error) from error
        except Exception as error:
            raise fault(params.name) from error
        if session.list_changed:
            await context.session.send_tool_list_changed()
        value = answer.to_json()
        text = types.TextContent(type="text", text=as_text(value))
        return types.CallToolResult(content=[text], structured_content=value)
