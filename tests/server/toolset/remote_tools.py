"""Tools of made-up servers, which a test can change while they are served."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import mcp_types as types
from mcp import Client
from mcp_types import Implementation

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from server.protocol.tool_server import Introduction, ToolServer
from server.tools.definition import Tool
from server.tools.families import Families
from server.tools.meta import call_tool, capabilities, load_family, smart_load
from server.tools.meta.surface import Naming, Profile
from server.tools.remote_tool import Outage, RemoteTool
from server.toolset.source import SEPARATOR, Offer
from server.toolset.start import Start
from server.toolset.tool_matcher import MeaningFinder
from server.toolset.toolset import Context
from tests.server.toolset.starts import CALLER
from tests.toy import ToyEncoder

OWN: Final = "gateway"
"""The family of the server's own tools."""

SINCE: Final = datetime(2026, 8, 22, 12, 0, tzinfo=UTC)
DOWN: Final = Outage("down", SINCE, "it ended with status 1", "call again in a minute")

Handler = Callable[[Context, dict[str, Any]], Awaitable[types.CallToolResult | types.InputRequiredResult]]


def said(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


async def echo(context: Context, arguments: dict[str, Any]) -> types.CallToolResult:
    return said(f"ran with {arguments}")


def remote(
    server: str, name: str, description: str = "", handler: Handler = echo, *, reads: bool | None = None, **schema: Any
) -> RemoteTool:
    """Return a tool of a server; `reads` is what it declares of itself, and `schema` its properties."""
    tool = types.Tool(
        name=name,
        title=f"{name} of {server}",
        description=description,
        input_schema={"type": "object", "properties": schema},
        annotations=None if reads is None else types.ToolAnnotations(read_only_hint=reads),
    )
    return RemoteTool.of(f"{server}{SEPARATOR}{name}", server, tool, handler)


class Finder(MeaningFinder):
    """Finds remote tools with the toy encoder."""

    family_of: Mapping[str, str] = {}

    def __init__(self, tools: Sequence[RemoteTool]) -> None:
        self.family_of = {tool.name: tool.family for tool in tools}
        labels = [Label(tool.name, description=tool.description, id=tool.name) for tool in tools]
        self._matcher = Matcher.build(PhraseBook(tuple(labels)), ToyEncoder()) if labels else None

    @property
    def matcher(self) -> Matcher | None:
        return self._matcher


class Servers:
    """A source of the tools of made-up servers, beside this server's own."""

    changes = True

    def __init__(self, *tools: RemoteTool, dynamic: bool = False, given: Sequence[str] = ("*",)) -> None:
        self.dynamic = dynamic
        self._given = frozenset(given)
        self._listeners: list[Callable[[], None]] = []
        self._offer = self._made(tools, {})

    def change(self, *tools: RemoteTool, **outages: Outage) -> None:
        """Have other tools from now on."""
        self._offer = self._made(tools, outages)
        for listener in self._listeners:
            listener()

    def offer(self) -> Offer:
        return self._offer

    def prepare(self, delay: float) -> None:
        pass

    def subscribe(self, listener: Callable[[], None]) -> None:
        self._listeners.append(listener)

    def _made(self, tools: Sequence[RemoteTool], outages: Mapping[str, Outage]) -> Offer:
        names = list(dict.fromkeys([*(tool.family for tool in tools), *outages]))
        own = [
            capabilities.TOOL,
            replace(call_tool.TOOL, structured=False),
            *([load_family.TOOL, smart_load.TOOL] if self.dynamic else []),
        ]
        mine: list[Tool] = [replace(tool, family=OWN) for tool in own]
        holdings = {name: f"the tools of {name}" for name in names} | {OWN: "finding and calling tools"}
        return Offer(
            tools=[*tools, *mine],
            families=Families(holdings, always_on=OWN, base=OWN, given=self._given),
            finder=Finder(tools),
            naming=Naming("connected"),
            outages=outages,
        )


GIT: Final = (
    remote("git", "status", "undo and restore", reads=True, repo={"type": "string"}),
    remote("git", "push", "plug outside", reads=False),
)
FILES: Final = (remote("files", "read", "see a picture", reads=True), remote("files", "status", "connect tools"))


def serving(source: Servers, **start: Any) -> ToolServer:
    begun = Start(profile=Profile(OWN, ()), dynamic=source.dynamic, **start)
    return ToolServer(source, Introduction("Gateway", "many servers", "search"), begun)


def client_of(source: Servers, mode: str, name: str = CALLER, **start: Any) -> Client:
    return Client(serving(source, **start), mode=mode, client_info=Implementation(name=name, version="1"))
