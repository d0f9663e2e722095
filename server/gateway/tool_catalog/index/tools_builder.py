"""What makes the matcher of tools: in memory, in a vector file, or over a store."""

from collections.abc import Sequence
from typing import Final, Protocol

from embeddings.labels.phrase_book import PhraseBook
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.toolset.tool_matcher import ToolsMatcher

MOST_NEW: Final = 0.2
"""Share of new tools up to which kept vectors are added to. With more, all is fitted anew, since whitening and weights
are those of the fewer tools. When 306 of 510 tools were fitted to, 9% of decisions were others than with all."""


class ToolsBuilder(Protocol):
    """Makes matchers of tools, one after the other, all in one thread. The counts may be read by any thread."""

    @property
    def pending(self) -> int:
        """Texts that wait to be embedded."""

    @property
    def embedded(self) -> int:
        """Texts embedded since the start; kept ones do not count."""

    @property
    def looks_every(self) -> float | None:
        """Seconds after which to ask again whether what is kept is `outdated`; None for never."""

    def build(self, tools: Sequence[GatewayTool], book: PhraseBook, last: ToolsMatcher | None) -> ToolsMatcher:
        """The matcher of some tools.

        Args:
            tools: at least one.
            book: these tools as labels, in this order.
            last: the matcher of much the same tools, if there is one.

        Raises:
            ModelError: there is no model.
            StoreError: what is kept cannot be used.
        """

    def outdated(self) -> bool:
        """Whether others changed what is kept, or it could not be used, so that it is to be built again."""

    def close(self) -> None:
        """Let go of connections."""
