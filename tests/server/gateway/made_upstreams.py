"""Upstreams in memory, and gateways of them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.client._memory import InMemoryTransport
from mcp.client._transport import TransportStreams
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ToolsListChanged
from mcp_types import Implementation

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.gateway import Gateway, GatewayOptions
from server.gateway.skills.skill import EXTENSION, GetSkillParams, GetSkillResult, ListSkillsResult, SkillEntry
from server.gateway.upstreams import upstream
from server.gateway.upstreams.messages import UNAUTHORIZED
from server.matching.encoders import EncoderLoader
from server.toolset.start import Start
from tests.server.gateway.tool_catalog.tools import tool
from tests.server.gateway.upstreams.running import QUICK, until
from tests.server.toolset.remote_tools import said
from tests.server.toolset.starts import CALLER
from tests.toy import ToyEncoder

Context = ServerRequestContext[Any, Any]
Result = types.CallToolResult | types.InputRequiredResult
Script = Callable[[Context, types.CallToolRequestParams], Awaitable[Result]]


async def echo(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    return said(f"{params.name} ran with {params.arguments or {}}")


class MadeServer(Server[Any]):
    """A server whose lists a test can change."""

    def __init__(self, made: "Made") -> None:
        self._made, self.bus = made, InMemorySubscriptionBus()
        super().__init__(
            "made",
            on_list_tools=self._tools,
            on_call_tool=self._call,
            on_list_prompts=self._prompts,
            on_get_prompt=self._prompt,
            on_list_resources=self._resources,
            on_list_resource_templates=self._templates,
            on_read_resource=self._read,
            on_completion=self._complete,
            on_subscriptions_listen=ListenHandler(self.bus),
        )
        if made.skills:
            self.extensions[EXTENSION] = {}
            self.add_request_handler("skills/list", types.PaginatedRequestParams, self._skills)
            self.add_request_handler("skills/get", GetSkillParams, self._skill)

    def create_initialization_options(self, *_: Any, **__: Any) -> Any:
        return super().create_initialization_options(NotificationOptions(tools_changed=True))

    async def _tools(self, context: Context, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(self._made.tools))

    async def _call(self, context: Context, params: types.CallToolRequestParams) -> Result:
        self._made.calls.append(params.name)
        return await self._made.script(context, params)

    async def _prompts(self, context: Context, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name=name) for name in self._made.prompts])

    async def _prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        message = types.PromptMessage(role="user", content=types.TextContent(text=params.name))
        return types.GetPromptResult(messages=[message])

    async def _resources(self, context: Context, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[types.Resource(uri=uri, name=uri) for uri in self._made.resources])

    async def _templates(self, context: Context, params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def _read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        text = self._made.contents.get(params.uri, "content")
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=params.uri, text=text)])

    async def _skills(self, context: Context, params: Any) -> ListSkillsResult:
        return ListSkillsResult(
            skills=[SkillEntry(skill) for skill in self._made.skills if skill["uri"] not in self._made.unlisted]
        )

    async def _skill(self, context: Context, params: GetSkillParams) -> GetSkillResult:
        found = next((skill for skill in self._made.skills if skill["uri"] == params.uri), None)
        if found is None:
            raise MCPError(types.INVALID_PARAMS, "unknown skill")
        return GetSkillResult(skill=found)

    async def _complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        return types.CompleteResult(completion=types.Completion(values=["completed"]))


@dataclass
class Made:
    """An upstream in memory.

    Attributes:
        tools: that it lists.
        script: runs its tools.
        skills: entries of its skills; `unlisted` are addresses of those that it gets but does not list.
        contents: texts of its resources by address; others have the text "content".
        fault: why it cannot be reached: "down", "silent" (never answers) or "unauthorized"; empty if it can.
        why: what it says of a fault.
        config: parts of its configuration.
        calls: names of the tools that ran.
        opened: how often it was connected to.
    """

    tools: Sequence[types.Tool] = ()
    script: Script = echo
    prompts: Sequence[str] = ()
    resources: Sequence[str] = ()
    skills: Sequence[Any] = ()
    unlisted: Sequence[str] = ()
    contents: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""
    why: str = "no such program"
    config: Mapping[str, Any] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    opened: int = 0

    def __post_init__(self) -> None:
        self.server = MadeServer(self)

    async def change(self, *tools: types.Tool) -> None:
        """Have other tools from now on, and say so."""
        self.tools = tools
        await self.server.bus.publish(ToolsListChanged())


class _Memory:
    why = ""

    def __init__(self, made: Made) -> None:
        self._made = made

    @asynccontextmanager
    async def open(self) -> AsyncIterator[TransportStreams]:
        match self._made.fault:
            case "down":
                raise OSError(2, self._made.why)
            case "unauthorized":
                raise MCPError(UNAUTHORIZED, self._made.why)
            case "silent":
                await anyio.sleep_forever()
        self._made.opened += 1
        async with InMemoryTransport(self._made.server) as streams:
            yield streams


@dataclass
class Running:
    """A gateway that runs, and its upstreams by name."""

    gateway: Gateway
    made: Mapping[str, Made]

    async def settled(self) -> None:
        """Wait until each upstream has connected or failed, and the tools are indexed."""
        for name, each in self.gateway._pool.upstreams.items():
            if getattr(self.made.get(name), "fault", "") != "silent":
                await each.settled()
        await self.taken()

    async def taken(self) -> None:
        """Wait until what the upstreams have is offered and indexed."""
        tools = self.gateway.tools
        await until(lambda: tools._updating is None or tools._updating.done())
        assert await anyio.to_thread.run_sync(self.gateway._index.settle, 60)

    def client(self, mode: str = "auto", name: str = CALLER, **options: Any) -> Client:
        """Return a client of the gateway."""
        info = Implementation(name=name, version="1")
        return Client(InMemoryTransport(self.gateway.server), mode=mode, client_info=info, **options)


Gateways = Callable[..., Any]
LIMITS: Final = replace(QUICK, start=20.0, patience=0.3, patience_of_search=0.3, starting=0.0)


def config_of(name: str, made: Made) -> UpstreamConfig:
    given: dict[str, Any] = {"command": "made", "source": Path("mcp.json"), "transport": "stdio"} | dict(made.config)
    return UpstreamConfig(name=name, **given)


def encoder_of(encoder: Any) -> EncoderLoader:
    return lambda threads: encoder


def gateway_of(
    monkeypatch: pytest.MonkeyPatch,
    made: Mapping[str, Made],
    *,
    encoder: Any = None,
    start: Mapping[str, Any] | None = None,
    **options: Any,
) -> Running:
    """Return a gateway of upstreams in memory that does not run yet."""
    by_name = dict(made)
    monkeypatch.setattr(upstream, "StdioTransport", lambda config, most: _Memory(by_name[config.name]))
    begun = GatewayOptions(start=Start(**(start or {})), **({"limits": LIMITS} | options))
    found = Gateway(
        [config_of(name, each) for name, each in made.items()], begun, loader=encoder_of(encoder or ToyEncoder())
    )
    by_name |= {name: by_name[given] for given, name in zip(made, found._pool.upstreams, strict=True)}
    return Running(found, by_name)


@asynccontextmanager
async def running(monkeypatch: pytest.MonkeyPatch, made: Mapping[str, Made], **options: Any) -> AsyncIterator[Running]:
    """Yield a gateway that runs, with what connects connected and indexed."""
    found = gateway_of(monkeypatch, made, **options)
    async with found.gateway.running():
        # Not only once a client has its list of tools.
        found.gateway._patience._wanted.set()
        await found.settled()
        yield found


def git() -> Made:
    """Return a server with a prompt and a resource."""
    return Made(
        [
            tool("status", "undo and restore", annotations={"readOnlyHint": True}),
            tool("push_commits", "plug outside", inputSchema=WITH_BRANCH),
        ],
        prompts=["review"],
        resources=["git://head"],
    )


def files() -> Made:
    """Another, with a tool of the same name."""
    return Made(
        [tool("read_image", "see a picture", annotations={"readOnlyHint": True}), tool("status", "connect tools")],
        resources=["files://one"],
    )


WITH_BRANCH: Final = {
    "type": "object",
    "properties": {"branch": {"type": "string", "description": "which branch"}, "count": {"type": "integer"}},
    "required": ["branch"],
}
