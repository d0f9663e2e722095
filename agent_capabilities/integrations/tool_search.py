"""What the searches for tools share: which of some tools serve a need, and how sure that is."""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from embeddings.cache import LruCache
from embeddings.encoder.encoder import Encoder
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.decision import DEFAULT_COSTS, NAMED_COSTS, Costs
from embeddings.ranking.match_result import Decision, Match
from server.matching.known_tools import with_known_examples
from server.matching.side_effects import is_unsafe

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder

KEPT: Final = 8
"""Matchers that are kept, as callers may see other tools than others, and tools change."""

OFFER: Final = NAMED_COSTS["offer"]
"""Costs of a search: a model picks among the tools that are offered, and looks no further if there is none."""

DESCRIPTION: Final = "Finds the tools that serve a need, or that there is none. Say in plain words what has to be done."
"""Description of a search, for a model."""

PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "what has to be done, in plain words"}},
    "required": ["query"],
}
"""JSON schema of a search's arguments."""

HINTS: Final[dict[Decision, str]] = {
    "resolved": "This tool serves the need; call it.",
    "ambiguous": "Any of these may serve the need; choose by their descriptions, or search again with more detail.",
    "no_match": "No tool serves this need; say so, or search again in other words.",
}


@dataclass(frozen=True)
class FoundTools:
    """The tools that serve a need.

    Attributes:
        decision: `resolved` with one tool, `ambiguous` with several, `no_match` with none.
        names: of the tools, the likeliest first.
    """

    decision: Decision
    names: tuple[str, ...]

    @property
    def hint(self) -> str:
        """What a model should do now."""
        return HINTS[self.decision]


class ToolSearch:
    """Searches lists of tools. Safe to share between threads.

    Args:
        encoder: embeds tools and needs (default: the shipped model that is tuned on requests).
        costs: what mistakes cost (default: `OFFER`, or the default costs where tools are known and so have examples,
            which tell well what none serves).
        most: maximum number of tools that are found; 1 or more.
        known_tools: whether the examples that ship for the tools of widely used servers are used.
    """

    def __init__(
        self,
        encoder: "TextEncoder | None" = None,
        costs: Costs | None = None,
        most: int = 5,
        *,
        known_tools: bool = True,
    ) -> None:
        """Keep the options.

        Raises:
            ValueError: `most` is below 1.
        """
        if most < 1:
            raise ValueError(f"most is {most}; a search finds at least one tool; give 1 or more")
        self._encoder, self._costs, self._most, self._known_tools = encoder, costs, most, known_tools
        self._matchers: LruCache[str, Matcher] = LruCache(KEPT)
        self._building = threading.Lock()

    def find(self, tools: Sequence[Mapping[str, Any]], need: str) -> FoundTools:
        """Find the tools that serve a need. The first search in a list embeds it, which takes some milliseconds a tool.

        Args:
            tools: as `tools/list` of MCP has them: `name`, and `description` and `inputSchema` if there are any.
            need: what has to be done.
        """
        if not tools or not need.strip():
            return FoundTools("no_match", ())
        result = self._matcher(tools).match(need, self._most)
        if result.decision == "resolved" and _is_unsafe(need, result.matches[0], tools):
            result = replace(result, decision="ambiguous")
        return FoundTools(result.decision, tuple(match.id or match.name for match in result.offered(self._most)))

    def _matcher(self, tools: Sequence[Mapping[str, Any]]) -> Matcher:
        """Return the matcher of a list of tools, which is built if there is none."""
        key = json.dumps(tools, sort_keys=True, default=str)
        with self._building:
            found = self._matchers.get(key)
            if found is None:
                self._encoder = self._encoder or Encoder.load()
                found = self._built(PhraseBook.from_dict({"tools": list(tools)}), self._encoder)
                self._matchers.put(key, found)
        return found

    def _built(self, listed: PhraseBook, encoder: "TextEncoder") -> Matcher:
        book = with_known_examples(listed) if self._known_tools else listed
        usual = DEFAULT_COSTS if book is not listed else OFFER
        return Matcher.build(book, encoder, costs=self._costs or usual)


def _is_unsafe(need: str, match: Match, tools: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the tool that was found would change something and the need only asks."""
    hints = next((tool.get("annotations") for tool in tools if tool.get("name") == (match.id or match.name)), None)
    named = match.matched_by in ("exact", "alias")
    return not named and is_unsafe(need, match.name, hints if isinstance(hints, Mapping) else {})
