"""The MCP server of a catalog: its tools and, of the agents' catalog, its resources."""

from typing import Any

import mcp_types as types

from server.matching.label_service import LabelService, LiveService
from server.matching.service import Service
from server.protocol.resources import ResourceHandlers
from server.protocol.tool_server import ToolServer, introduction
from server.toolset.registry import CatalogTools
from server.toolset.start import Start


def build_server(
    service: LabelService | LiveService[Any],
    one_client: bool = False,
    start: Start | None = None,
    sessions: bool = True,
    at_once: int | None = None,
) -> ToolServer:
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
    server = ToolServer(
        CatalogTools(live, chosen.dynamic),
        introduction(live.current, dynamic=chosen.dynamic),
        chosen,
        one_client=one_client,
        sessions=sessions,
        at_once=at_once,
    )
    if isinstance(live.current, Service):
        _add_resources(server)
    return server


def _add_resources(server: ToolServer) -> None:
    """Let callers list, read and complete resources."""
    resources = ResourceHandlers(server.toolset, server.threads)
    server.add_request_handler("resources/list", types.PaginatedRequestParams, resources.list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, resources.list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, resources.read)
    server.add_request_handler("completion/complete", types.CompleteRequestParams, resources.complete)
