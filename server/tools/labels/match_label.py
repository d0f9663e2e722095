"""`match_capability` over any catalog: which of its labels does a phrase mean?"""

from typing import Annotated, Any, Final, Literal

from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.match_result import Decision, Match, MatchedBy, Note
from embeddings.text.invisible import escaped
from embeddings.text.visible import visible
from server.matching.label_service import LabelService
from server.matching.store_service import StoreService
from server.tools.answers import AbsentIfEmpty, Answer, Confidence, echo, hint
from server.tools.definition import ServiceTool
from server.tools.labels.about import about
from server.tools.match_capability import MatchRequest, chosen_top

HINTS: Final[dict[Decision, str]] = {
    "ambiguous": "Several labels fit. Choose among these candidates, or call again with one of their names or ids.",
    "no_match": "No label of this catalog fits this phrase. The candidates are weak guesses; if none is meant, say so.",
}


class LabelMatch(Answer):
    """One label that the phrase may mean."""

    name: str
    id: str | None = None
    match_confidence: Confidence
    matched_by: MatchedBy
    metadata: dict[str, Any] | None = None


class LabelMatchAnswer(Answer):
    """Answer of `match_capability` over any catalog."""

    query: str
    decision: Decision
    degraded: Literal[True] | None = None
    none_confidence: Confidence
    notes: Annotated[list[Note] | None, AbsentIfEmpty] = None
    matches: list[LabelMatch]
    hint: str | None = None


def match_label(service: LabelService | StoreService, request: MatchRequest) -> LabelMatchAnswer:
    """Rank the labels that a phrase may mean."""
    result = service.match(request.phrase, chosen_top(request))
    return LabelMatchAnswer(
        query=echo(result.query),
        decision=result.decision,
        degraded=True if result.degraded else None,
        none_confidence=round(result.none_confidence, 3),
        notes=list(result.notes),
        matches=[_match(match) for match in result.matches],
        hint=hint(result, HINTS),
    )


def _match(match: Match) -> LabelMatch:
    return LabelMatch(
        name=visible(match.name, one_line=True),
        id=escaped(match.id) or None,
        match_confidence=round(match.match_confidence, 3),
        matched_by=match.matched_by,
        metadata=dict(match.metadata) or None,
    )


def match_tool(book: PhraseBook | None) -> ServiceTool:
    """The tool for a catalog; None for one in a store."""
    return ServiceTool(
        name="match_capability",
        title="Match a phrase",
        family="match",
        description=(
            f"Which of this catalog's {about(book)} does a phrase mean, or none? Ranked candidates with calibrated "
            "confidence."
        ),
        docs=(
            "Give any phrase for one need. `decision` is resolved (sure enough to answer for the first match), "
            "ambiguous (several are plausible) or no_match. `matchConfidence` is a probability: of the matches given "
            "with about 0.8, about 80% are what was meant; `noneConfidence` is the probability that none is. `notes` "
            "says that the phrase states several needs, says what is not wanted, is not English, or was read in part. "
            "A name, id or alias is certain and stands alone, unless `top` is given: then the others follow, each as "
            "likely as its words alone make it. "
            "`id` and `metadata` are the catalog's own, where it has "
            "them; labels whose names differ only in case and punctuation are told apart by `id`."
        ),
        request=MatchRequest,
        answer=LabelMatchAnswer,
        handler=match_label,
    )
