"""Statements of an entry that bear on the caller's words, as answers show them."""

from embeddings.ranking.match_result import MatchResult
from server.matching.service import Service
from server.tools.answers import Candidate, RelevantStatement


def relevant(service: Service, result: MatchResult, agent: str, capability: str) -> list[RelevantStatement]:
    """What an agent's entry says that bears on the phrase; nothing for a bare name or alias."""
    return [
        RelevantStatement(
            statement=found.statement.text, field=found.statement.field, confidence=round(found.confidence, 3)
        )
        for found in service.relevant(result, agent, capability)
    ]


def with_relevant(service: Service, result: MatchResult, agent: str, candidate: Candidate) -> Candidate:
    """A candidate with what the agent's entry says that bears on the phrase."""
    return candidate.model_copy(update={"relevant": relevant(service, result, agent, candidate.name) or None})
