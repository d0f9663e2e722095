"""A tool search of one's own for the Messages API of Anthropic: it answers with references to tools."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from agent_capabilities.integrations import needs

try:
    from anthropic.types import ToolParam, ToolResultBlockParam, ToolUseBlock
except ImportError as error:
    raise needs(__name__, error) from error

from agent_capabilities.integrations.tool_search import DESCRIPTION, PARAMETERS, ToolSearch
from embeddings.ranking.decision import Costs

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder

NAME: Final = "search_tools"


class ReferencingToolSearch:
    """Finds tools for a model: give it `tools`, and `answer` each use of the search.

    Args:
        tools: the tools that can be found; the model loads those that an answer refers to.
        most: maximum number of tools that a search finds.
        name: of the search.
        encoder: embeds tools and needs (default: the shipped model that is tuned on requests).
        costs: what mistakes cost (default: as in `ToolSearch`, where a wrong "none" is what hurts).
        known_tools: whether the examples that ship for the tools of widely used servers are used.
    """

    def __init__(
        self,
        tools: Sequence[ToolParam],
        *,
        most: int = 5,
        name: str = NAME,
        encoder: "TextEncoder | None" = None,
        costs: Costs | None = None,
        known_tools: bool = True,
    ) -> None:
        """Keep the tools; the model is loaded with the first search."""
        self._deferred: list[ToolParam] = [{**tool, "defer_loading": True} for tool in tools]
        self._listed = [
            {"name": tool["name"], "description": tool.get("description", ""), "inputSchema": tool["input_schema"]}
            for tool in tools
        ]
        self._name = name
        self._tool_search = ToolSearch(encoder, costs, most, known_tools=known_tools)

    @property
    def tools(self) -> list[ToolParam]:
        """The search and all tools, for the `tools` of a request; the model sees the search alone at first."""
        search: ToolParam = {"name": self._name, "description": DESCRIPTION, "input_schema": PARAMETERS}
        return [search, *self._deferred]

    def answer(self, use: ToolUseBlock) -> ToolResultBlockParam:
        """Answer a use of the search: a block for the next message of the user.

        Raises:
            ValueError: it is a use of another tool, or has no query.
        """
        query = use.input.get("query")
        if use.name != self._name or not isinstance(query, str):
            raise ValueError(
                f"got a use of {use.name!r} with {use.input!r}; {self._name!r} takes a 'query'; answer other tools "
                "yourself, or ask the model to search again"
            )
        found = self._tool_search.find(self._listed, query)
        if not found.names:
            return {"type": "tool_result", "tool_use_id": use.id, "content": [{"type": "text", "text": found.hint}]}
        return {
            "type": "tool_result",
            "tool_use_id": use.id,
            "content": [{"type": "tool_reference", "tool_name": name} for name in found.names],
        }
