"""An upstream made of functions, and a gateway of it to which the SDK's in-memory client connects."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import mcp_types as types
from mcp import Client
from mcp.client._memory import InMemoryTransport
from mcp.server.lowlevel import Server

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.forwarding import log_levels
from server.gateway.forwarding.caller import Context
from server.gateway.forwarding.held_calls import DEFAULT_HELD, HeldCalls, HeldLimits, ToolCalls
from server.gateway.forwarding.prompts import Completions, Prompts
from server.gateway.forwarding.resources import Resources
from server.gateway.skills.folders import SkillFolders
from server.gateway.skills.skill import GetSkillResult, Skill
from server.gateway.upstreams.forwarding import Forwarding
from server.toolset.toolset import identity

MODES = ("legacy", "auto")
"""The legacy protocol, and 2026-07-28."""

SECRET = "s3cret-token-of-the-upstream"

FORM = types.ElicitRequestFormParams(
    message="Which city?", requested_schema={"type": "object", "properties": {"city": {"type": "string"}}}
)

Script = Callable[[Forwarding, str, Mapping[str, Any]], Awaitable[types.CallToolResult]]


def text(value: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=value)])


def text_of(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


async def ask(forward: Forwarding, params: types.ElicitRequestParams = FORM) -> types.ElicitResult:
    """Ask what the upstream's client would be asked."""
    assert forward.elicit is not None
    answer = await forward.elicit(cast(Any, None), params)
    assert isinstance(answer, types.ElicitResult)
    return answer


async def _quiet(_: Forwarding, name: str, __: Mapping[str, Any]) -> types.CallToolResult:
    return text(name)


@dataclass
class FakeUpstream:
    """An upstream whose tools run `script`; it notes the calls."""

    name: str = "travel"
    script: Script = _quiet
    prompts: tuple[types.Prompt, ...] = ()
    resources: tuple[types.Resource, ...] = ()
    resource_templates: tuple[types.ResourceTemplate, ...] = ()
    skills: tuple[Skill, ...] = ()
    contents: dict[str, str] = field(default_factory=dict)
    error: Exception | None = None
    calls: list[str] = field(default_factory=list)
    completed: list[types.CompleteRequestParams] = field(default_factory=list)
    prompt_result: types.GetPromptResult | None = None

    @property
    def config(self) -> UpstreamConfig:
        return UpstreamConfig(self.name, Path("made.json"), "stdio", command="made", secrets=frozenset({SECRET}))

    async def call(self, name: str, arguments: Mapping[str, Any] | None, forward: Forwarding) -> types.CallToolResult:
        self._note(name)
        return await self.script(forward, name, arguments or {})

    async def read_resource(self, uri: str, forward: Forwarding) -> types.ReadResourceResult:
        self._note(uri)
        if uri == "ask:":
            return _contents(uri, (await ask(forward)).action)
        return _contents(uri, self.contents[uri])

    async def get_skill(self, uri: str, forward: Forwarding) -> GetSkillResult:
        self._note(uri)
        return GetSkillResult(skill=next(skill.model_dump() for skill in self.skills if skill.uri == uri))

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str] | None, forward: Forwarding
    ) -> types.GetPromptResult:
        self._note(name)
        if self.prompt_result is not None:
            return self.prompt_result
        said = f"{name} {dict(arguments or {})}"
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=said))
        return types.GetPromptResult(messages=[message])

    async def complete(self, params: types.CompleteRequestParams) -> types.CompleteResult:
        self._note("completion")
        self.completed.append(params)
        values = [params.argument.value + str(number) for number in range(150)]
        return types.CompleteResult(completion=types.Completion(values=values))

    def _note(self, call: str) -> None:
        self.calls.append(call)
        if self.error:
            raise self.error


def _contents(uri: str, value: str) -> types.ReadResourceResult:
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, text=value)])


@dataclass
class FakeSource:
    """Upstreams, of which a caller may use what `hidden` does not name: a server, or a prompt or an address."""

    fakes: list[FakeUpstream]
    hidden: set[str] = field(default_factory=set)

    def offers(self) -> dict[str, FakeUpstream]:
        return {fake.name: fake for fake in self.fakes}

    async def connection(self, context: Context, server: str) -> FakeUpstream:
        return self.offers()[server]

    def permits_server(self, context: Context, server: str) -> bool:
        return server not in self.hidden

    def permits(self, context: Context, server: str, kind: str, name: str) -> bool:
        return server not in self.hidden and name not in self.hidden


def gateway(source: FakeSource, held: HeldCalls) -> Server[Any]:
    """Return a gateway whose tools are called by the name that the upstream gives them."""

    async def call(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        return await tools.call(context, source.fakes[0].name, params.name, params.arguments or {})

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])

    tools, resources, prompts = (
        ToolCalls(source, held),
        Resources(source, held, SkillFolders([])),
        Prompts(source, held),
    )
    server: Server[Any] = Server(
        "gateway",
        on_list_tools=list_tools,
        on_call_tool=call,
        on_list_resources=resources.list_resources,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=prompts.get,
        on_completion=Completions(source, prompts).complete,
    )
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, log_levels.set_level)
    return server


@asynccontextmanager
async def connected(
    *fakes: FakeUpstream,
    mode: str = "auto",
    limits: HeldLimits = DEFAULT_HELD,
    hidden: set[str] | None = None,
    **options: Any,
) -> AsyncIterator[Client]:
    """Yield a client of a gateway of these upstreams."""
    async with HeldCalls(identity, limits) as held:
        server = gateway(FakeSource(list(fakes), hidden or set()), held)
        async with Client(InMemoryTransport(server), mode=mode, **options) as client:
            yield client
