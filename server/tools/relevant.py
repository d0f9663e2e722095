"""Statements of an entry that bear on the caller's words, as answers show them."""

from typing import Annotated

from embeddings.ranking.match_result import MatchResult
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer, Confidence


class RelevantStatement(Answer):
    """A statement of an entry that bears on the caller's words."""

    statement: str
    field: str
    confidence: Confidence


Relevants = Annotated[list[RelevantStatement] | None, AbsentIfEmpty]
"""At most two statements, likeliest first; absent where none stands out."""


def relevant(service: Service, result: MatchResult, agent: str, capability: str) -> list[RelevantStatement]:
    """What an agent's entry says that bears on the phrase; nothing for a bare name or alias."""
    return [
        RelevantStatement(
            statement=found.statement.text, field=found.statement.field, confidence=round(found.confidence, 3)
        )
        for found in service.relevant(result, agent, capability)
    ]
