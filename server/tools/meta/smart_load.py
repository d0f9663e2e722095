"""`smart_load`: load the family of tools that an intent in plain words needs."""

from typing import Annotated, Final, Literal

from pydantic import Field

from server.tools.answers import Answer, Confidence, echo
from server.tools.definition import Request
from server.tools.families import META
from server.tools.meta.definition import SessionTool
from server.tools.meta.loading import LoadedFamily, load
from server.tools.meta.session import Session

MORE_LIKELY_THAN_NOT: Final = 0.5
"""A family is loaded when the probability that any tool here serves the intent is at least this."""


class SmartLoadRequest(Request):
    """Arguments of `smart_load`."""

    intent: Annotated[str, Field(description="what is to be done, in plain words")]


class FamilyConfidence(Answer):
    """How likely it is that an intent needs a family."""

    family: str
    match_confidence: Confidence


class SmartLoadAnswer(Answer):
    """Answer of `smart_load`."""

    query: str
    decision: Literal["resolved", "no_match"]
    degraded: Literal[True] | None = None
    match_confidence: Confidence
    matches: list[FamilyConfidence]
    result: LoadedFamily | None = None
    hint: str | None = None


def smart_load(session: Session, request: SmartLoadRequest) -> SmartLoadAnswer:
    """Load the family that an intent needs, or nothing."""
    ranked = session.families_for(request.intent)
    fits = sum(confidence for _, confidence in ranked) >= MORE_LIKELY_THAN_NOT
    best = ranked[0][0] if fits else None
    return SmartLoadAnswer(
        query=echo(request.intent),
        decision="resolved" if best else "no_match",
        degraded=True if session.matches_degraded else None,
        match_confidence=round(ranked[0][1], 3) if ranked else 0.0,
        matches=[FamilyConfidence(family=name, match_confidence=round(sure, 3)) for name, sure in ranked[:3]],
        result=load(session, best) if best else None,
        hint=None
        if best
        else "No tool of this server serves that intent; nothing was loaded. capabilities lists all tools.",
    )


TOOL = SessionTool(
    name="smart_load",
    title="Load tools for an intent",
    family=META,
    description="Load the family of tools that an intent in plain words needs, or say that none here serves it.",
    docs=(
        "The intent is matched by meaning against every tool. `matchConfidence` is the probability that the family is "
        "the right one. When it is likelier that no tool here serves the intent, nothing is loaded and the decision is "
        "no_match. The answer in `result` is that of load_family."
    ),
    request=SmartLoadRequest,
    answer=SmartLoadAnswer,
    handler=smart_load,
    read_only=False,
)
