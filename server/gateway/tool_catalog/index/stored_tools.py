"""Matches needs against tools in a store; by their words from memory while the store cannot be used."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from embeddings.errors import StoreError
from server.matching.store_provider import trouble_of

if TYPE_CHECKING:
    from embeddings.matcher import Matcher
    from embeddings.ranking.match_result import MatchResult
    from embeddings.store_matcher import StoreMatcher

logger = logging.getLogger(__name__)

DEGRADED_FOR: Final = 5.0
"""Seconds for which the store is not asked again after it failed."""


class StoredTools:
    """The tools of one gateway in a store; see `ToolsMatcher`."""

    def __init__(self, matcher: "StoreMatcher", names: Mapping[str, str], by_words: Callable[[], "Matcher"]) -> None:
        """Match with a store.

        Args:
            matcher: over the store; the only labels that count are these tools.
            names: the tools' full names by the ids of their labels.
            by_words: makes a matcher of the same tools without vectors.
        """
        self._matcher, self._names, self._by_words = matcher, names, by_words
        self._failed = 0.0
        self._failure: StoreError | None = None

    @cached_property
    def words(self) -> "Matcher":
        """Finds the tools by their names and words."""
        return self._by_words()

    @property
    def size(self) -> int:
        """See `ToolsMatcher`."""
        return len(self._names)

    @property
    def is_degraded(self) -> bool:
        """See `ToolsMatcher`."""
        return self.trouble is not None

    @property
    def trouble(self) -> str | None:
        """What is the matter with the store: "away", or "unusable"; None if nothing is. May ask it."""
        if self._failure and time.monotonic() - self._failed < DEGRADED_FOR:
            return trouble_of(self._failure)
        try:
            return "away" if self._matcher.is_degraded else None
        except StoreError as error:
            self._note(error)
            return trouble_of(error)

    def match(self, phrase: str, top: int | None = None) -> "MatchResult":
        """See `ToolsMatcher`."""
        if self.is_degraded:
            return self.words.match(phrase, top)
        try:
            found = self._matcher.match(phrase, top)
        except StoreError as error:
            self._note(error)
            return self.words.match(phrase, top)
        if found.degraded:  # The store went away just now; by words all tools are found, not only those at hand.
            return self.words.match(phrase, top)
        known = [match for match in found.matches if match.id in self._names]
        return replace(found, matches=tuple(replace(match, id=self._names[match.id]) for match in known))

    def _note(self, error: StoreError) -> None:
        logger.warning("tools are found by names and words alone: %s", error)
        self._failed, self._failure = time.monotonic(), error
