"""Understands a category that a caller names in any words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from server.errors import CallerError, brief, unknown
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer, Confidence

WORDS_WEIGHT: Final = 0.7
"""Maximum that shared words add to the probability of a category's capabilities."""

MIN_SCORE: Final = 0.5
"""Minimum score of a category that is taken."""

NEXT_STEP: Final = "Call again with a known category."

LEAD: Final = 1.5
"""The best category's score must be this many times that of the next one."""


class CategoryReading(Answer):
    """How a category was understood that was not called by its name; `others` share its words."""

    query: str
    confidence: Confidence
    others: Annotated[list[str] | None, AbsentIfEmpty] = None


def category(service: Service, value: str) -> tuple[str, CategoryReading | None]:
    """Return the category that is meant, and how it was understood if not by its name.

    Raises:
        CallerError: no category is clearly meant.
    """
    names = service.catalog.category_names
    known = names.exact(value) or names.spelled(value)
    if known:
        return known, None
    named = names.named(value)
    if len(named) == 1:
        return named[0], CategoryReading(query=value, confidence=1.0)
    if not value.strip():
        raise unknown("category", value, service.catalog.categories, NEXT_STEP)
    scores = _likelihoods(service, value)
    if named:
        # An area with more capabilities is likelier to be asked for as a whole.
        sizes = Counter(capability.category for capability in service.catalog.capabilities)
        scores = {name: scores[name] * sizes[name] for name in named}
    return _clearest(value, scores, service.catalog.categories, least=0.0 if named else MIN_SCORE)


def _likelihoods(service: Service, value: str) -> dict[str, float]:
    """For each category, the probabilities of its capabilities, and what the words add."""
    catalog = service.catalog
    shared = catalog.category_names.shared_words(value)
    scores = {name: WORDS_WEIGHT * shared[name] for name in catalog.categories}
    for match in service.match(value, top=len(catalog.capabilities)).matches:
        scores[catalog.by_name[match.name].category] += match.match_confidence
    return scores


def _clearest(
    value: str, scores: Mapping[str, float], known: Sequence[str], *, least: float
) -> tuple[str, CategoryReading]:
    best, *rest = sorted(scores, key=lambda name: -scores[name])
    if scores[best] < least or any(scores[best] < LEAD * scores[name] for name in rest):
        raise CallerError(
            f"category {brief(value)} is not clear; known: {', '.join(known)}; nearest: "
            f"{' or '.join([best, *rest[:1]])}; call again with a known category"
        )
    # The scores of all categories are about probabilities; those of a few are not.
    share = scores[best] / max(sum(scores.values()), least and 1.0)
    return best, CategoryReading(query=value, confidence=round(share, 3), others=[] if least else rest)
