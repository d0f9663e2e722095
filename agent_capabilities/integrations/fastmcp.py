"""A search for servers of FastMCP that says how sure it is, and that there is no such tool."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from agent_capabilities.integrations import needs

try:
    from fastmcp.server.context import Context
    from fastmcp.server.transforms.search.base import BaseSearchTransform
    from fastmcp.tools.base import Tool
except ImportError as error:
    raise needs(__name__, error) from error

from agent_capabilities.integrations.tool_search import FoundTools, ToolSearch
from embeddings.ranking.decision import Costs

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder


class SemanticSearch(BaseSearchTransform):
    """Replaces the list of tools by a search by meaning: `server.add_transform(SemanticSearch())`.

    The search tool answers `{"decision", "hint", "tools"}`: one tool if it is sure, several if more are plausible, none
    if nothing fits. Tools are embedded at the first search, and again where they changed.

    Args:
        encoder: embeds tools and needs (default: the shipped model that is tuned on requests).
        costs: what mistakes cost (default: as in `ToolSearch`, where a wrong "none" is what hurts).
        known_tools: whether the examples that ship for the tools of widely used servers are used.
        max_results: maximum number of tools that are found.
        options: those of `BaseSearchTransform`: `always_visible`, `search_tool_name`, `call_tool_name`,
            `search_result_serializer`.
    """

    def __init__(
        self,
        *,
        encoder: "TextEncoder | None" = None,
        costs: Costs | None = None,
        known_tools: bool = True,
        max_results: int = 5,
        **options: Any,
    ) -> None:
        """Keep the options; the model is loaded with the first search."""
        super().__init__(max_results=max_results, **options)
        self._tool_search = ToolSearch(encoder, costs, max_results, known_tools=known_tools)

    def _make_search_tool(self) -> Tool:
        async def search_tools(
            query: Annotated[str, "What has to be done, in plain words"], ctx: Context
        ) -> dict[str, Any]:
            """Find the tools that serve a need, or learn that there is none.

            `decision` is `resolved` (one tool serves it), `ambiguous` (any of these may), or `no_match` (none does).
            """
            tools = await self._get_visible_tools(ctx)
            found = await self._found(tools, query)
            shown = await self._render_results(_named(tools, found))
            return {"decision": found.decision, "hint": found.hint, "tools": shown}

        return Tool.from_function(fn=search_tools, name=self._search_tool_name)

    async def _search(self, tools: Sequence[Tool], query: str) -> Sequence[Tool]:
        return _named(tools, await self._found(tools, query))

    async def _found(self, tools: Sequence[Tool], query: str) -> FoundTools:
        return await asyncio.to_thread(self._tool_search.find, [_listed(tool) for tool in tools], query)


def _listed(tool: Tool) -> dict[str, Any]:
    """Describe a tool as `tools/list` does; without dumping a model, which takes longer than a search."""
    title = {"title": tool.title} if tool.title else {}
    return {"name": tool.name, "description": tool.description or "", "inputSchema": tool.parameters, **title}


def _named(tools: Sequence[Tool], found: FoundTools) -> list[Tool]:
    by_name = {tool.name: tool for tool in tools}
    return [by_name[name] for name in found.names]
