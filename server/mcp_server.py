"""The MCP surface: a server of the SDK's low level, and its handlers of tools."""

import os
from typing import Any, Final

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions

from embeddings.errors import PhraseError
from server import package_version
from server.answers import Answer, as_text
from server.caller import Caller
from server.errors import CallerError, UnavailableToolError
from server.live_service import LiveService
from server.manifest import SERVER_NAME
from server.protocol_errors import fault, tool_error, unavailable_tool
from server.resource_handlers import ResourceHandlers
from server.service import Service
from server.start import Start
from server.tools.definition import run
from server.toolset import Context, Toolset

INSTRUCTIONS: Final = (
    "Sourced facts on what AI coding agents (claude-code, copilot-cli, gemini-cli, vscode-copilot) can do and how to "
    "set it up. Pass the user's own words as the capability; they are matched by meaning. decision=resolved answers; "
    "ambiguous and no_match list candidates. Cite the sources that an answer carries."
)

DYNAMIC_INSTRUCTIONS: Final = (
    " More tools can be loaded: smart_load takes an intent in plain words, capabilities lists all of them, call_tool "
    "runs any by name."
)

LOAD_DELAY: Final = 0.05
"""Seconds from the answer of `tools/list` to loading the matcher, which would slow the answer down."""


def build_server(
    service: Service | LiveService,
    one_client: bool = False,
    start: Start | None = None,
    sessions: bool = True,
    at_once: int | None = None,
) -> Server[Any]:
    """The MCP server of a service; the service's matcher may still be loading.

    Args:
        service: answers; a live one may be changed by a reload.
        one_client: there is one client, so a call need not leave the others room: it is answered without another
            thread, which takes 0.3 ms less.
        start: which tools are there for whom; the four of the core when left out.
        sessions: connections of the handshake era outlive a request, so that lists can change on them.
        at_once: queries that are worked on at the same time, the others waiting in line; one a core when left out.
    """
    chosen = start or Start()
    live = LiveService.of(service)
    toolset = Toolset(live, chosen, sessions)
    # More at once than cores would only wait for each other; the event loop is free meanwhile.
    limiter = anyio.CapacityLimiter(at_once or os.cpu_count() or 1)
    handlers = _Handlers(live, toolset, one_client, limiter)
    resources = ResourceHandlers(toolset, limiter)
    return _Server(
        SERVER_NAME,
        version=package_version(),
        title="Agent capabilities",
        description="What AI coding agents can do, from a sourced catalog, asked in anyone's words",
        instructions=INSTRUCTIONS + (DYNAMIC_INSTRUCTIONS if chosen.dynamic else ""),
        lists_change=chosen.dynamic and sessions,
        get_tool_input_schema=toolset.input_schema,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=resources.list_resources,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
        on_completion=resources.complete,
    )


class _Server(Server[Any]):
    """Says `tools.listChanged` to the handshake era exactly where it is sent; to the modern era the SDK says no."""

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


def _answer(caller: Caller, params: types.CallToolRequestParams) -> Answer:
    return run(caller.find_loaded(params.name), caller, params.arguments or {})


class _Handlers:
    """Handlers of the tools' requests. With several clients, work is done in threads, so that none waits."""

    def __init__(self, live: LiveService, toolset: Toolset, one_client: bool, limiter: anyio.CapacityLimiter) -> None:
        self._live = live
        self._toolset = toolset
        self._one_client = one_client
        self._limiter = limiter

    async def list_tools(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        # Hosts list tools when they connect and call them later: time enough to load what calls will need.
        self._live.current.matchers.start(LOAD_DELAY)
        return types.ListToolsResult(tools=self._toolset.listed(self._toolset.caller(context)))

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        caller = self._toolset.caller(context)
        try:
            if self._one_client and caller.service.matchers.ready:
                answer = _answer(caller, params)
            else:
                answer = await anyio.to_thread.run_sync(_answer, caller, params, limiter=self._limiter)
        except (CallerError, PhraseError) as error:
            return tool_error(error)
        except UnavailableToolError as error:
            raise unavailable_tool(error) from error
        except Exception as error:
            raise fault(params.name) from error
        if caller.list_changed:
            await context.session.send_tool_list_changed()
        value = answer.to_json()
        text = types.TextContent(type="text", text=as_text(value))
        return types.CallToolResult(content=[text], structured_content=value)
