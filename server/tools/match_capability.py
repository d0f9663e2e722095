"""`match_capability`: which capability does a phrase mean?"""

from typing import Annotated, Final, Literal

from pydantic import Field

from embeddings.ranking.match_result import DEFAULT_TOP, Decision, MatchedBy, Note
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer, Confidence, echo, hint
from server.tools.definition import Request, ServiceTool

MAX_MATCHES: Final = 10
"""Maximum number of matches; after the first few, confidences are close to 0."""


class MatchRequest(Request):
    """Arguments of `match_capability`."""

    phrase: Annotated[str, Field(description="any phrase for one need")]
    top: Annotated[int, Field(ge=1, le=MAX_MATCHES, description="matches to return at most")] = DEFAULT_TOP


class RankedMatch(Answer):
    """One capability that the phrase may mean."""

    name: str
    category: str
    match_confidence: Confidence
    matched_by: MatchedBy


class MatchAnswer(Answer):
    """Answer of `match_capability`."""

    query: str
    decision: Decision
    degraded: Literal[True] | None = None
    none_confidence: Confidence
    notes: Annotated[list[Note] | None, AbsentIfEmpty] = None
    matches: list[RankedMatch]
    hint: str | None = None


def match_capability(service: Service, request: MatchRequest) -> MatchAnswer:
    """Rank the capabilities that a phrase may mean."""
    result = service.match(request.phrase, chosen_top(request))
    return MatchAnswer(
        query=echo(result.query),
        decision=result.decision,
        degraded=True if result.degraded else None,
        none_confidence=round(result.none_confidence, 3),
        notes=list(result.notes),
        matches=[
            RankedMatch(
                name=match.name,
                category=service.catalog.by_name[match.name].category,
                match_confidence=round(match.match_confidence, 3),
                matched_by=match.matched_by,
            )
            for match in result.matches
        ],
        hint=hint(result),
    )


def chosen_top(request: MatchRequest) -> int | None:
    """Return the number of matches that the caller gave.

    None leaves a name or alias as the only match, which is faster.
    """
    return request.top if "top" in request.model_fields_set else None


TOOL = ServiceTool(
    name="match_capability",
    title="Match a phrase",
    family="match",
    description=(
        "Only the name: which catalog capability a phrase means, as ranked candidates with calibrated confidence. No "
        "facts about agents, no reasons."
    ),
    docs=(
        "Give any phrase for one need. `decision` is resolved (sure enough to answer for the first match), ambiguous "
        "(several are plausible) or no_match. `matchConfidence` is a probability: of the matches given with about 0.8, "
        "about 80% are what was meant; `noneConfidence` is the probability that none is. `notes` says that the phrase "
        "states several needs, says what is not wanted, is not English, or was read in part. A name or alias is "
        "certain and stands alone, unless `top` is given: then the others follow, each as likely as its words alone "
        "make it. What a phrase maps to can be settled here once, and the name used afterwards."
    ),
    request=MatchRequest,
    answer=MatchAnswer,
    handler=match_capability,
)
