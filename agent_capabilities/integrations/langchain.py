"""Tools picked before the model is called, and documents found by label, in LangChain and LangGraph."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from agent_capabilities.integrations import needs

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.messages import HumanMessage
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.utils.function_calling import convert_to_openai_tool
except ImportError as error:
    raise needs(__name__, error) from error


from pydantic import ConfigDict

from agent_capabilities.integrations.tool_search import ToolSearch
from embeddings.matcher import Matcher
from embeddings.ranking.decision import Costs

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder


class ToolPicker(AgentMiddleware):
    """Gives the model only the tools that serve the user's last message, the likeliest first, for any provider.

    If no tool serves it, the model gets those of `always_include` alone. Tools of the provider's own, which are
    dictionaries, always stay.

    Args:
        max_tools: maximum number of tools that are picked.
        always_include: names of tools that are given in any case.
        encoder: embeds tools and messages (default: the shipped model that is tuned on requests).
        costs: what mistakes cost (default: as in `ToolSearch`, where a wrong "none" is what hurts).
        known_tools: whether the examples that ship for the tools of widely used servers are used.
    """

    def __init__(
        self,
        *,
        max_tools: int = 5,
        always_include: Sequence[str] = (),
        encoder: "TextEncoder | None" = None,
        costs: Costs | None = None,
        known_tools: bool = True,
    ) -> None:
        """Keep the options; the model is loaded with the first message."""
        super().__init__()
        self._always = frozenset(always_include)
        self._tool_search = ToolSearch(encoder, costs, max_tools, known_tools=known_tools)

    def wrap_model_call(
        self, request: "ModelRequest[Any]", handler: "Callable[[ModelRequest[Any]], ModelResponse[Any]]"
    ) -> "ModelResponse[Any]":
        """Call the model with the picked tools."""
        return handler(self._picked(request))

    async def awrap_model_call(
        self, request: "ModelRequest[Any]", handler: "Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]"
    ) -> "ModelResponse[Any]":
        """Call the model with the picked tools, which are searched in a thread."""
        return await handler(await asyncio.to_thread(self._picked, request))

    def _picked(self, request: "ModelRequest[Any]") -> "ModelRequest[Any]":
        need = _last_said(request)
        eligible = [tool for tool in request.tools if not isinstance(tool, dict) and tool.name not in self._always]
        if need is None or not eligible:
            return request
        found = self._tool_search.find([_listed(tool) for tool in eligible], need).names
        by_name = {tool.name: tool for tool in eligible}
        others = [tool for tool in request.tools if isinstance(tool, dict) or tool.name in self._always]
        return request.override(tools=[*(by_name[name] for name in found), *others])


def _last_said(request: "ModelRequest[Any]") -> str | None:
    """Return the text of the user's last message; None if there is none."""
    said = [message.text for message in request.messages if isinstance(message, HumanMessage)]
    return str(said[-1]) if said else None


def _listed(tool: Any) -> dict[str, Any]:
    """Describe a tool as `tools/list` of MCP does."""
    function = convert_to_openai_tool(tool)["function"]
    return {
        "name": function["name"],
        "description": function.get("description", ""),
        "inputSchema": function.get("parameters", {}),
    }


class LabelRetriever(BaseRetriever):
    """Retrieves the documents of the labels that a query can mean; none if no label fits.

    Attributes:
        matcher: the matcher of the labels.
        documents: of each label, by its name.
        most: maximum number of labels whose documents are returned.
    """

    matcher: Matcher
    documents: Mapping[str, Sequence[Document]]
    most: int = 3

    model_config: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        del run_manager  # Nothing is told while it runs.
        result = self.matcher.match(query, self.most)
        return [
            document.model_copy(
                update={
                    "metadata": document.metadata
                    | {"label": match.name, "decision": result.decision, "matchConfidence": match.match_confidence}
                }
            )
            for match in result.offered(self.most)
            for document in self.documents.get(match.name, ())
        ]
