"""The map: every phrase of a catalog in two dimensions."""

import threading
from typing import TYPE_CHECKING, Any, Final

from embeddings.cache import LruCache
from embeddings.errors import StoreAwayError
from server.errors import CallerError
from server.matching.label_service import LabelService, NotAtHandError
from server.matching.service import Service
from server.web.answers.label_detail import catalog_id

if TYPE_CHECKING:
    from embeddings.matcher import Matcher
    from embeddings.projection import Projection
    from embeddings.ranking.answering import Examination
    from embeddings.ranking.explanation import CandidateExplanation
    from embeddings.ranking.ranking import Ranking


KEPT: Final = 2
"""Maps that are kept: that of the current catalog, and that of the one before it, which a request may still need."""


class NoMapError(CallerError):
    """There is no map of a degraded catalog."""


class Plane:
    """The map of one catalog, and where a query is on it."""

    def __init__(self, matcher: "Matcher") -> None:
        """Draw the catalog of a matcher that has vectors."""
        self._projection: Projection = matcher.projection()
        self.points = _points(self._projection)

    @property
    def labels(self) -> list[list[float]]:
        """The places of the labels, in the order of the catalog."""
        places: list[list[float]] = self._projection.labels.tolist()
        return places

    @property
    def left_out(self) -> int:
        """Number of phrases that are not drawn because there are too many."""
        return self._projection.left_out

    def place(self, ranking: "Ranking") -> list[float] | None:
        """Return where a query is; None if it was not ranked with the vectors that were drawn."""
        drawn = self._projection.centres.spans.total
        if ranking.by_embedding is None or len(ranking.nearness) != drawn:
            return None
        return list(self._projection.place(ranking.nearness))


def _points(projection: "Projection") -> list[list[Any]]:
    outside = len(projection.labels)
    return [
        [*place, -1 if phrase.label == outside else phrase.label, phrase.text, phrase.kind]
        for place, phrase in zip(projection.points.tolist(), projection.phrases, strict=True)
    ]


class Planes:
    """Draws the map of a catalog when it is first asked for, and keeps it. Safe to share between threads."""

    def __init__(self) -> None:
        """Start without a map."""
        self._kept: LruCache[str, Plane] = LruCache(KEPT)
        self._drawing = threading.Lock()

    def of(self, service: LabelService) -> Plane | None:
        """Return the map of a catalog; None while it is degraded, and if its labels are not at hand.

        Drawing one takes half a second for 20,000 phrases.
        """
        try:
            matcher = service.whole_matcher
        except (NotAtHandError, StoreAwayError):
            return None
        if matcher.is_degraded:
            return None
        key = service.matchers.fingerprint
        with self._drawing:
            plane = self._kept.get(key)
            if plane is None:
                plane = Plane(matcher)
                self._kept.put(key, plane)
            return plane


def plane_answer(service: LabelService, plane: Plane | None) -> dict[str, Any]:
    """Return the map as JSON.

    Raises:
        NoMapError: the catalog is degraded.
        NotAtHandError: its labels are too many to be read as a whole.
    """
    names = service.whole_matcher.book.labels
    if plane is None:
        raise NoMapError(
            "this catalog has no map; a map needs the vectors of its phrases, which are still being computed or cannot "
            "be without a model; ask again in a minute, and see the server's log if it stays so"
        )
    return {
        "catalog": catalog_id(service, degraded=False),
        "labels": [
            {"name": label.name, **({"id": label.id} if label.id else {}), "x": x, "y": y}
            for label, (x, y) in zip(names, plane.labels, strict=True)
        ],
        "points": plane.points,
        **({"leftOut": plane.left_out} if plane.left_out else {}),
    }


def tried(service: LabelService, phrase: str, top: int, plane: Plane | None) -> dict[str, Any]:
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


def _candidates(service: LabelService, examined: "Examination") -> list[dict[str, Any]]:
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
