"""A tool search that the client runs, for the Responses API of OpenAI."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent_capabilities.integrations import needs

try:
    from openai.types.responses import FunctionToolParam, ResponseToolSearchCall, ToolSearchToolParam
    from openai.types.responses.response_tool_search_output_item_param_param import (
        ResponseToolSearchOutputItemParamParam,
    )
except ImportError as error:
    raise needs(__name__, error) from error

from agent_capabilities.integrations.tool_search import DESCRIPTION, PARAMETERS, ToolSearch
from embeddings.ranking.decision import Costs

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder


class ClientToolSearch:
    """Finds function tools for a model: give it `definition` among the tools, and `answer` each of its searches.

    Args:
        tools: the functions that can be found.
        most: maximum number of functions that a search finds.
        encoder: embeds functions and needs (default: the shipped model that is tuned on requests).
        costs: what mistakes cost (default: as in `ToolSearch`, where a wrong "none" is what hurts).
        known_tools: whether the examples that ship for the tools of widely used servers are used.
    """

    def __init__(
        self,
        tools: Sequence[FunctionToolParam],
        *,
        most: int = 5,
        encoder: "TextEncoder | None" = None,
        costs: Costs | None = None,
        known_tools: bool = True,
    ) -> None:
        """Keep the functions; the model is loaded with the first search."""
        self._tools = {tool["name"]: tool for tool in tools}
        self._listed = [
            {"name": name, "description": tool.get("description") or "", "inputSchema": tool.get("parameters") or {}}
            for name, tool in self._tools.items()
        ]
        self._tool_search = ToolSearch(encoder, costs, most, known_tools=known_tools)

    @property
    def definition(self) -> ToolSearchToolParam:
        """The search, for the `tools` of a request."""
        return {"type": "tool_search", "execution": "client", "description": DESCRIPTION, "parameters": PARAMETERS}

    def answer(self, call: ResponseToolSearchCall) -> ResponseToolSearchOutputItemParamParam:
        """Answer a search that a response asks for: an item for the `input` of the next request.

        Raises:
            ValueError: the call has no query.
        """
        found = self._tool_search.find(self._listed, _query(call.arguments))
        tools: list[FunctionToolParam] = [{**self._tools[name], "defer_loading": True} for name in found.names]
        return {
            "type": "tool_search_output",
            "call_id": call.call_id,
            "execution": "client",
            "status": "completed",
            "tools": tools,
        }


def _query(arguments: object) -> str:
    """Return the query among a call's arguments, which are an object or its JSON text."""
    given = json.loads(arguments) if isinstance(arguments, str) else arguments
    query = given.get("query") if isinstance(given, dict) else None
    if not isinstance(query, str):
        raise ValueError(f"the search has the arguments {given!r}; it takes a 'query'; ask the model to search again")
    return query
