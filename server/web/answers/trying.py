"""What a phrase means, and why."""

from typing import TYPE_CHECKING, Any

from server.errors import CallerError
from server.matching.phrase_service import PhraseService
from server.matching.service import Service
from server.web.answers.identity import catalog_id
from server.web.answers.plane import Plane

if TYPE_CHECKING:
    from embeddings.ranking.examination import Examination
    from embeddings.ranking.explanation import CandidateExplanation


def tried(service: PhraseService, phrase: str, top: int, plane: Plane | None) -> dict[str, Any]:
    """Match a phrase once, and say what decided.

    Args:
        service: the catalog.
        phrase: one need in any wording.
        top: maximum number of candidates; 1 or more.
        plane: the map on which to show the phrase, if there is one.

    Raises:
        CallerError: the phrase is blank or too long, or `top` is below 1.
    """
    if top < 1:
        raise CallerError(f"top is {top}; it must be a whole number of 1 or more; leave it out for 10 candidates")
    examined = service.examine(phrase, top)
    result, point = examined.result, plane.place(examined.ranking) if plane else None
    explained = examined.explanation
    return {
        "catalog": catalog_id(service, degraded=result.degraded),
        "query": result.query,
        "decision": result.decision,
        "degraded": result.degraded,
        "noneConfidence": round(result.none_confidence, 3),
        **({"notes": list(result.notes)} if result.notes else {}),
        **({"readAs": explained.read_as} if explained.read_as != explained.query else {}),
        **({"named": explained.named} if explained.named else {}),
        "candidates": _candidates(service, examined),
        "none": _evidence(explained.candidates[-1]),
        "expectedCosts": {decision: round(cost, 3) for decision, cost in examined.expected_costs.items()},
        **({"point": point} if point else {}),
    }


def _candidates(service: PhraseService, examined: "Examination") -> list[dict[str, Any]]:
    known = service.catalog.by_name if isinstance(service, Service) else {}
    return [
        {
            "name": match.name,
            **({"id": match.id} if match.id else {}),
            **({"category": known[match.name].category} if match.name in known else {}),
            "matchConfidence": round(match.match_confidence, 3),
            "matchedBy": match.matched_by,
            **_evidence(candidate),
        }
        for match, candidate in zip(examined.result.matches, examined.explanation.candidates[:-1], strict=True)
    ]


def _evidence(candidate: "CandidateExplanation") -> dict[str, Any]:
    parts = {signal: round(part, 3) for signal, part in candidate.parts.items()}
    return {
        "nearest": [
            {"text": phrase.text, "kind": phrase.kind, "nearness": round(phrase.nearness, 3)}
            for phrase in candidate.nearest
        ],
        "parts": {signal: part for signal, part in parts.items() if part},
    }
