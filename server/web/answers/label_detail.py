"""One label: what it says of itself, which labels it is confused with, and how often its phrases reach it."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from embeddings.labels.label import Label
from server.catalog.catalog import Catalog
from server.matching.label_service import LabelService
from server.matching.service import Service
from server.web.answers.reliability import LabelOutcome, Measured, bin_value


def catalog_id(service: LabelService, *, degraded: bool | None = None) -> str:
    """Identifies all that the page can show of a catalog; marked while it is matched in degraded mode.

    Args:
        service: the catalog.
        degraded: whether the answer was found in degraded mode (default: whether the service is in it now).
    """
    is_degraded = service.matchers.get().is_degraded if degraded is None else degraded
    return f"{_content_id(service)}{'-degraded' if is_degraded else ''}"


_KNOWN: WeakKeyDictionary[LabelService, str] = WeakKeyDictionary()
"""The findings about services that are in use; a service never changes, another catalog is another service."""


def _content_id(service: LabelService) -> str:
    """Return the fingerprint of what phrases are matched against, and a hash of what is only shown."""
    if service.book is None:  # The store changes while it is served; its fingerprint says all that is shown.
        return service.matchers.fingerprint[:32]
    if service not in _KNOWN:
        digest = hashlib.sha256(_shown(service).encode("utf-8", "surrogatepass")).hexdigest()
        _KNOWN[service] = f"{service.matchers.fingerprint[:32]}-{digest[:16]}"
    return _KNOWN[service]


def _shown(service: LabelService) -> str:
    if isinstance(service, Service):
        return _agents(service.catalog)
    labels = service.book.labels if service.book else ()
    return json.dumps([[label.id, dict(label.metadata)] for label in labels], sort_keys=True)


def _agents(catalog: Catalog) -> str:
    entries = {
        agent.id: [agent.info.model_dump_json(), *(entry.model_dump_json() for entry in agent.entries.values())]
        for agent in catalog.agents.values()
    }
    definitions = [capability.model_dump_json() for capability in catalog.capabilities]
    return json.dumps([entries, definitions, dict(catalog.category_definitions)], sort_keys=True)


MAX_CONFUSABLE: Final = 8
"""Labels with which one is confused that are shown."""


def label_detail(service: LabelService, name: str, measured: Measured | None) -> dict[str, Any]:
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


def _found(service: LabelService, name: str) -> Label:
    if isinstance(service, Service):
        wanted = service.catalog.capability(name)
        return next(label for label in _labels(service) if label.name == wanted)
    return service.label(name)


def _labels(service: LabelService) -> Sequence[Label]:
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
            {**_named(other), "probability": round(probability, 3)} for other, probability in others[:MAX_CONFUSABLE]
        ],
        **({"reliability": _reliability(outcome)} if outcome else {}),
    }


def _key(label: Label) -> str:
    """Return the key of a label in a preflight."""
    return label.id or label.name


def _reliability(outcome: LabelOutcome) -> dict[str, Any]:
    return {
        "asked": outcome.asked,
        "right": outcome.right,
        "resolved": outcome.resolved,
        "resolvedRight": outcome.resolved_right,
        "bins": [bin_value(each) for each in outcome.bins],
    }
