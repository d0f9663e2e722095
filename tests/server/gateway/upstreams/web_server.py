"""Servers over HTTP in threads: one made with the SDK, in both eras and over legacy SSE, and what stands before it."""

import threading
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.sse import SseServerTransport
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import ToolsListChanged
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Context = ServerRequestContext[Any, Any]
FORM = types.ElicitRequestFormParams(message="Which?", requested_schema={"type": "object", "properties": {}})


def text(value: object) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=str(value))])


class MadeServer(Server[Any]):
    """A server with a tool for each thing that passes through a gateway.

    Attributes:
        names: of its tools.
        calls: how often each tool ran.
        cancelled: whether its hanging tool was cancelled.
        levels: log levels that clients set.
    """

    def __init__(self) -> None:
        self.names, self.calls, self.cancelled = ["echo"], dict[str, int](), False
        self.levels: list[str] = []
        self._bus = InMemorySubscriptionBus()
        super().__init__(
            "made",
            version="3",
            instructions="made for tests",
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_list_prompts=self._prompts,
            on_get_prompt=self._prompt,
            on_list_resources=self._resources,
            on_list_resource_templates=self._templates,
            on_read_resource=self._read,
            on_completion=self._complete,
            on_subscriptions_listen=ListenHandler(self._bus),
        )
        self.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)

    def create_initialization_options(
        self, notification_options: Any = None, experimental_capabilities: Any = None, extensions: Any = None
    ) -> InitializationOptions:
        return super().create_initialization_options(NotificationOptions(tools_changed=True))

    async def _list(self, context: Context, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[types.Tool(name=name, input_schema={"type": "object"}) for name in self.names]
        )

    async def _call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        self.calls[params.name] = self.calls.get(params.name, 0) + 1
        arguments = params.arguments or {}
        if params.name == "rename":
            self.names = arguments["to"]
            await self._bus.publish(ToolsListChanged())
            await context.session.send_tool_list_changed()
        elif params.name == "hang":
            try:
                await anyio.sleep_forever()
            finally:
                self.cancelled = True
        elif params.name == "progress":
            await context.session.report_progress(1, 2, "half")
        elif params.name == "log":
            noted = types.LoggingMessageNotificationParams(level="info", data="noted")
            await context.session.send_notification(
                types.LoggingMessageNotification(params=noted), related_request_id=context.request_id
            )
        elif params.name == "ask":
            return await self._ask(context, params)
        elif params.name == "huge":
            return text("x" * arguments["size"])
        elif params.name == "parts":
            part = types.TextContent(text="part")
            return types.CallToolResult(content=[part] * arguments["parts"])
        elif params.name == "values":
            return types.CallToolResult(content=[], structured_content={"values": [[]] * arguments["values"]})
        elif params.name == "everything":
            return everything()
        return text(arguments.get("text", "done"))

    async def _ask(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if context.protocol_version < "2026":
            answer = await context.session.elicit_form(FORM.message, FORM.requested_schema, context.request_id)
            return text(f"{answer.action} {answer.content}")
        if params.input_responses is None:
            asked = types.ElicitRequest(params=FORM)
            return types.InputRequiredResult(input_requests={"which": asked}, request_state="state")
        given = params.input_responses["which"]
        assert isinstance(given, types.ElicitResult)
        return text(f"{given.action} {given.content}")

    async def _set_level(self, context: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        self.levels.append(params.level)
        return types.EmptyResult()

    async def _prompts(self, context: Context, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name="greet")])

    async def _prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        said = types.TextContent(text=f"Hello {(params.arguments or {})['who']}")
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=said)])

    async def _resources(self, context: Context, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[types.Resource(uri="made://one", name="one")])

    async def _templates(self, context: Context, params: Any) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(uri_template="made://{name}", name="any")
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def _read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=params.uri, text="content")])

    async def _complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        return types.CompleteResult(completion=types.Completion(values=[f"{params.argument.value}lice"]))


def everything() -> types.CallToolResult:
    """Return a result with each kind of content."""
    return types.CallToolResult(
        content=[
            types.TextContent(text="text", annotations=types.Annotations(priority=0.5)),
            types.ImageContent(data="AAAA", mime_type="image/png"),
            types.AudioContent(data="AAAA", mime_type="audio/wav"),
            types.ResourceLink(uri="made://one", name="one"),
            types.EmbeddedResource(resource=types.TextResourceContents(uri="made://two", text="two")),
        ],
        structured_content={"answer": 42},
        is_error=True,
        _meta={"made.example/key": "kept"},
    )


def legacy_only(app: App) -> App:
    """Return the application as it was before 2026-07-28."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers", ()))
        if headers.get(b"mcp-protocol-version", b"").startswith(b"2026"):
            await Response("Bad Request: Unsupported protocol version", 400)(scope, receive, send)
        else:
            await app(scope, receive, send)

    return answer


def over_sse(server: Server[Any]) -> App:
    """Return a server that knows legacy SSE alone, at /mcp."""
    transport = SseServerTransport("/messages/")

    async def connect(request: Request) -> Response:
        async with transport.connect_sse(request.scope, request.receive, request._send) as (read, write):
            await server.run(read, write, server.create_initialization_options())
        return Response()

    routes = [Route("/mcp", connect, methods=["GET"]), Mount("/messages/", app=transport.handle_post_message)]
    return Starlette(routes=routes)


class _Quick(uvicorn.Server):
    """Looks ten times as often as usual whether it should end, and waits for no request then."""

    async def main_loop(self) -> None:
        while not await self.on_tick(0):
            await anyio.sleep(0.01)


@contextmanager
def served(app: App) -> Iterator[str]:
    """Yield the address of an application that is served in a thread."""
    server = _Quick(uvicorn.Config(app, port=0, log_config=None, access_log=False, timeout_graceful_shutdown=0))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
