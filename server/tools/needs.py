"""Matches needs in plain words, one by one."""

from collections.abc import Sequence
from dataclasses import dataclass

from embeddings.ranking.match_result import MatchResult
from server.matching.service import Service


@dataclass(frozen=True)
class Need:
    """One need as it was understood.

    Attributes:
        result: what its words matched.
        capability: the canonical name; None when the words were not resolved.
    """

    result: MatchResult
    capability: str | None


def understood(service: Service, phrases: Sequence[str]) -> list[Need]:
    """Match each phrase.

    Raises:
        CallerError: a phrase is blank.
    """
    results = [service.match(phrase) for phrase in phrases]
    return [Need(result, result.matches[0].name if result.decision == "resolved" else None) for result in results]
