"""The map: every phrase of a catalog in two dimensions."""

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from embeddings.errors import StoreAwayError
from server.errors import CallerError
from server.matching.phrase_service import NotAtHandError, PhraseService
from server.web.answers.identity import catalog_id

if TYPE_CHECKING:
    from embeddings.matcher import Matcher
    from embeddings.projection.projection import Projection
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
        """Where a query is; None if it was not ranked with the vectors that were drawn."""
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
        self._kept: OrderedDict[str, Plane] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, service: PhraseService) -> Plane | None:
        """The map of a catalog; None while it is degraded, and if its labels are not at hand.

        Drawing one takes half a second for 20,000 phrases.
        """
        try:
            matcher = service.whole_matcher
        except (NotAtHandError, StoreAwayError):
            return None
        if matcher.is_degraded:
            return None
        key = service.matchers.fingerprint
        with self._lock:
            if key not in self._kept:
                self._kept[key] = Plane(matcher)
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]


def plane_answer(service: PhraseService, plane: Plane | None) -> dict[str, Any]:
    """The map as JSON.

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
