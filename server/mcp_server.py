"""The MCP surface: tools, resources and completion on the SDK's low-level server."""

import json
from typing import Any, Final

import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import ValidationError

from embeddings.errors import PhraseError
from server import package_version
from server.answers import Answer
from server.errors import CallerError
from server.protocol_errors import bad_resource, fault, invalid_arguments, tool_error, unknown_tool
from server.resources import KINDS, MIME_TYPE, complete, read_resource
from server.schemas import wire_schema
from server.service import Service
from server.tools.definition import Tool
from server.tools.registry import BY_NAME, TOOLS

Context = ServerRequestContext[Any, Any]

INSTRUCTIONS: Final = (
    "Sourced facts on what AI coding agents (claude-code, copilot-cli, gemini-cli, vscode-copilot) can do and how to "
    "set it up. Pass the user's own words as the capability; they are matched by meaning. decision=resolved answers; "
    "ambiguous and no_match list candidates. Cite the sources that an answer carries."
)

LOAD_DELAY: Final = 0.05
"""Seconds from the answer of `tools/list` to loading the matcher, which would slow the answer down."""

MOST_COMPLETIONS: Final = 100
"""Values in one completion; the protocol's limit."""


def build_server(service: Service, one_client: bool = False) -> Server[Any]:
    """The MCP server of a service; the service's matcher may still be loading.

    Args:
        service: answers.
        one_client: there is one client, so a call need not leave the others room: it is answered without another
            thread, which takes 0.3 ms less.
    """
    handlers = _Handlers(service, one_client)
    return Server(
        "agent-capabilities",
        version=package_version(),
        title="Agent capabilities",
        description="What AI coding agents can do, from a sourced catalog, asked in anyone's words",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_resource_templates,
        on_read_resource=handlers.read_resource,
        on_completion=handlers.complete,
    )


def advertised(tool: Tool) -> types.Tool:
    """A tool as `tools/list` shows it."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=wire_schema(tool.request),
        output_schema=wire_schema(tool.answer, mode="serialization"),
        annotations=types.ToolAnnotations.model_validate({"title": tool.title, **tool.annotations}),
    )


def as_text(value: dict[str, Any]) -> str:
    """An answer's JSON value as compact text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class _Handlers:
    """Request handlers over one service. With several clients, work is done in threads, so that none waits."""

    def __init__(self, service: Service, one_client: bool) -> None:
        self._service = service
        self._one_client = one_client
        self._tools = [advertised(tool) for tool in TOOLS]

    async def list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        # Hosts list tools when they connect and call them later: time enough to load what calls will need.
        self._service.matchers.start(LOAD_DELAY)
        return types.ListToolsResult(tools=self._tools)

    async def call_tool(self, _: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = BY_NAME.get(params.name)
        if tool is None:
            raise unknown_tool(params.name, list(BY_NAME))
        try:
            if self._one_client and self._service.matchers.ready:
                answer = self._answer(tool, params.arguments or {})
            else:
                answer = await anyio.to_thread.run_sync(self._answer, tool, params.arguments or {})
        except (CallerError, PhraseError) as error:
            return tool_error(error)
        except Exception as error:
            raise fault(tool.name) from error
        value = answer.to_json()
        text = types.TextContent(type="text", text=as_text(value))
        return types.CallToolResult(content=[text], structured_content=value)

    def _answer(self, tool: Tool, arguments: dict[str, Any]) -> Answer:
        try:
            request = tool.request.model_validate(arguments)
        except ValidationError as error:
            raise invalid_arguments(tool.name, error) from error
        return tool.handler(self._service, request)

    async def list_resources(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        resources = [
            types.Resource(uri=f"capabilities://category/{name}", name=name, title=name, mime_type=MIME_TYPE)
            for name in self._service.catalog.categories
        ]
        return types.ListResourcesResult(resources=resources)

    async def list_resource_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        templates = [
            types.ResourceTemplate(
                uri_template=kind.template,
                name=kind.name,
                title=kind.title,
                description=kind.description,
                mime_type=MIME_TYPE,
            )
            for kind in KINDS
        ]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def read_resource(self, _: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            answer = await anyio.to_thread.run_sync(read_resource, self._service, uri)
        except (CallerError, PhraseError) as error:
            raise bad_resource(uri, error) from error
        except Exception as error:
            raise fault("reading the resource") from error
        contents = types.TextResourceContents(uri=params.uri, mime_type=MIME_TYPE, text=as_text(answer.to_json()))
        return types.ReadResourceResult(contents=[contents])

    async def complete(self, _: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        values: list[str] = []
        if isinstance(params.ref, types.ResourceTemplateReference):
            values = complete(self._service.catalog, params.ref.uri, params.argument.name, params.argument.value)
        shown = values[:MOST_COMPLETIONS]
        return types.CompleteResult(
            completion=types.Completion(values=shown, total=len(values), has_more=len(values) > len(shown))
        )
