"""Statements that bear on phrases, as a test wants them."""

from collections.abc import Callable, Sequence

import pytest

from embeddings.ranking.match_result import MatchResult
from embeddings.statements.statement import Relevant, Statement
from server.matching.service import Service

Found = Sequence[tuple[str, str, float]]
"""Field, text and confidence of each statement."""


def entries_say(patch: pytest.MonkeyPatch, found: Callable[[str, str], Found]) -> None:
    """Each entry, by agent and capability, has these statements that bear on any phrase."""

    def relevant(self: Service, result: MatchResult, agent: str, capability: str) -> Sequence[Relevant]:
        return [
            Relevant(Statement(agent, capability, field, text), confidence)
            for field, text, confidence in found(agent, capability)
        ]

    patch.setattr(Service, "relevant", relevant)
