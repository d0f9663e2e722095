"""One label: what it says of itself, which labels it is confused with, and how often its phrases reach it."""

from collections.abc import Sequence
from typing import Any, Final

from embeddings.labels.label import Label
from server.matching.label_service import LabelService
from server.matching.phrase_service import PhraseService
from server.matching.service import Service
from server.matching.store_service import StoreService
from server.web.answers.health.measured import LabelOutcome, Measured
from server.web.answers.health.reliability import bin_value
from server.web.answers.identity import catalog_id

MOST_CONFUSABLE: Final = 8
"""Labels with which one is confused that are shown."""


def label_detail(service: PhraseService, name: str, measured: Measured | None) -> dict[str, Any]:
    """Describe a label.

    Args:
        service: the catalog.
        name: the label's name, ignoring case and punctuation, or its id.
        measured: what was measured of every label; None while it is measured.

    Raises:
        CallerError: no label is called so, or several are.
    """
    matcher = service.matchers.get()
    label = _found(service, name)
    return {
        "catalog": catalog_id(service, degraded=matcher.is_degraded),
        **_named(label),
        **({"category": service.catalog.by_name[label.name].category} if isinstance(service, Service) else {}),
        **({"description": label.description} if label.description else {}),
        "aliases": list(label.aliases),
        "phrasings": list(label.phrasings),
        **({"pending": True} if measured is None else {}),
        **_measurements(
            label, _labels(service) if measured and measured.confusable else (), measured or Measured({}, {})
        ),
    }


def _found(service: PhraseService, name: str) -> Label:
    if isinstance(service, LabelService | StoreService):
        return service.label(name)
    if isinstance(service, Service):
        wanted = service.catalog.capability(name)
        return next(label for label in _labels(service) if label.name == wanted)
    raise TypeError(f"{type(service).__name__} has no labels to describe")


def _labels(service: PhraseService) -> Sequence[Label]:
    return service.whole_matcher.book.labels


def _named(label: Label) -> dict[str, Any]:
    return {"name": label.name, **({"id": label.id} if label.id else {})}


def _measurements(label: Label, labels: Sequence[Label], measured: Measured) -> dict[str, Any]:
    by_key = {_key(each): each for each in labels}
    ranked = sorted(measured.confusable.get(_key(label), ()), key=lambda other: -other[1])
    others = [(by_key[key], probability) for key, probability in ranked if key in by_key]
    outcome = measured.outcomes.get(_key(label))
    return {
        "confusable": [
            {**_named(other), "probability": round(probability, 3)} for other, probability in others[:MOST_CONFUSABLE]
        ],
        **({"reliability": _reliability(outcome)} if outcome else {}),
    }


def _key(label: Label) -> str:
    """What identifies a label in a preflight."""
    return label.id or label.name


def _reliability(outcome: LabelOutcome) -> dict[str, Any]:
    return {
        "asked": outcome.asked,
        "right": outcome.right,
        "resolved": outcome.resolved,
        "resolvedRight": outcome.resolved_right,
        "bins": [bin_value(each) for each in outcome.bins],
    }
