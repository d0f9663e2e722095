"""`smart_load`: load the family of tools that an intent in plain words needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from pydantic import Field

from embeddings.ranking.decision import Costs, decide
from embeddings.ranking.match_result import DEFAULT_TOP, Decision
from server.tools.answers import Answer, Confidence, echo
from server.tools.definition import Request
from server.tools.families import META
from server.tools.meta.load_family import LoadedFamily, load
from server.tools.meta.session import Session, SessionTool

COSTS: Final = Costs(wrong=3.0, unfounded=3.0)
"""A family loaded in vain costs one more call and is seen at once; a wrong fact is passed on, and costs more."""
MIN_CONFIDENCE_SHOWN: Final = 0.01
"""Families and tools below this probability are not listed."""
HINT_AMBIGUOUS: Final = (
    "Tools of several families may serve that intent, so nothing was loaded. Choose one: load_family with its family, "
    "or call_tool with the tool's name."
)
HINT_NO_MATCH: Final = "No tool of this server serves that intent; nothing was loaded. capabilities lists all tools."


class SmartLoadRequest(Request):
    """Arguments of `smart_load`."""

    intent: Annotated[str, Field(description="what is to be done, in plain words")]


class BestTool(Answer):
    """The tool that fits an intent best."""

    name: str
    match_confidence: Confidence


class FamilyConfidence(Answer):
    """How likely it is that an intent needs a family, and its tool that fits best."""

    family: str
    match_confidence: Confidence
    tool: str | None = None


class SmartLoadAnswer(Answer):
    """Answer of `smart_load`; `best` and `result` are present if the intent was resolved."""

    decision: Decision
    query: str
    degraded: Literal[True] | None = None
    best: BestTool | None = None
    match_confidence: Confidence
    result: LoadedFamily | None = None
    matches: list[FamilyConfidence]
    hint: str | None = None


@dataclass(frozen=True)
class FamilyMatch:
    """A family that an intent may need.

    Attributes:
        family: its name.
        confidence: probability in [0, 1] that the intent needs one of its tools.
        tools: its tools with the probability of each, best first; empty if the intent is the family's name.
    """

    family: str
    confidence: float
    tools: Mapping[str, float] = field(default_factory=dict)

    @property
    def best(self) -> str | None:
        """The tool that fits best; None if the intent is the family's name."""
        return next(iter(self.tools), None)


def smart_load(session: Session, request: SmartLoadRequest) -> SmartLoadAnswer:
    """Load the family that an intent needs, or nothing."""
    ranked = _families(session, request.intent)
    decision = _decision(ranked)
    best = ranked[0] if decision == "resolved" else None
    return SmartLoadAnswer(
        decision=decision,
        query=echo(request.intent),
        degraded=True if session.matches_degraded else None,
        best=_best_tool(best) if best else None,
        match_confidence=round(ranked[0].confidence, 3) if ranked else 0.0,
        result=load(session, best.family, best.best) if best else None,
        matches=[
            FamilyConfidence(family=found.family, match_confidence=round(found.confidence, 3), tool=found.best)
            for place, found in enumerate(ranked[:DEFAULT_TOP])
            if place == 0 or found.confidence >= MIN_CONFIDENCE_SHOWN
        ],
        hint={"ambiguous": HINT_AMBIGUOUS, "no_match": HINT_NO_MATCH}.get(decision),
    )


def _families(session: Session, intent: str) -> list[FamilyMatch]:
    """Permitted families with the probability that one of their tools serves an intent, best first.

    The probabilities add up to at most 1; the rest is the probability that no tool here serves the intent. If the
    intent is a family's name, that family has probability 1.
    """
    wanted = intent.strip().casefold()
    named = next((family for family in session.families.holdings if family.casefold() == wanted), None)
    if named:
        return [FamilyMatch(named, 1.0)] if named in session.permitted else []
    found: dict[str, dict[str, float]] = {}
    for match in session.tools_for(intent).matches:
        tool = session.tool(match.id or match.name)
        if tool is not None:
            found.setdefault(tool.family, {})[tool.name] = match.match_confidence
    ranked = [FamilyMatch(name, min(1.0, sum(tools.values())), tools) for name, tools in found.items()]
    return sorted(ranked, key=lambda family: -family.confidence)


def _decision(ranked: Sequence[FamilyMatch]) -> Decision:
    """Return the decision of the lowest expected cost about the families that the caller may use."""
    confidences = [found.confidence for found in ranked]
    return decide(confidences, max(0.0, 1 - sum(confidences)), COSTS) if ranked else "no_match"


def _best_tool(family: FamilyMatch) -> BestTool | None:
    if family.best is None:
        return None
    return BestTool(name=family.best, match_confidence=round(family.tools[family.best], 3))


TOOL = SessionTool(
    name="smart_load",
    title="Load tools for an intent",
    family=META,
    description=(
        "Load the family of tools that an intent in plain words needs, and name the tool that fits best; or say that "
        "none here serves it."
    ),
    docs=(
        "The intent is matched by meaning against every tool. `best` is the tool that fits best, and `result` is the "
        "answer of load_family for its family: its tools can then be used as `howToCall` says. `matchConfidence` is "
        "the probability that the family is the right one. The decision is resolved where that is sure enough, "
        "ambiguous where several families are plausible (`matches` has them, each with its best tool), and no_match "
        "where it is likelier that no tool here serves the intent; in both of these nothing is loaded."
    ),
    request=SmartLoadRequest,
    answer=SmartLoadAnswer,
    handler=smart_load,
    read_only=False,
)
