"""Tells a page which catalog answered, so that it notices when another one is served."""

import hashlib
import json
from weakref import WeakKeyDictionary

from server.catalog.catalog import Catalog
from server.matching.label_service import LabelService
from server.matching.phrase_service import PhraseService
from server.matching.service import Service
from server.matching.store_service import StoreService


def catalog_id(service: PhraseService, *, degraded: bool | None = None) -> str:
    """Identifies all that the page can show of a catalog; marked while it is matched in degraded mode.

    Args:
        service: the catalog.
        degraded: whether the answer was found in degraded mode (default: whether the service is in it now).
    """
    is_degraded = service.matchers.get().is_degraded if degraded is None else degraded
    return f"{_content_id(service)}{'-degraded' if is_degraded else ''}"


_KNOWN: WeakKeyDictionary[PhraseService, str] = WeakKeyDictionary()
"""What is known of services that are in use; a service never changes, another catalog is another service."""


def _content_id(service: PhraseService) -> str:
    """The fingerprint of what phrases are matched against, and a hash of what is only shown."""
    if isinstance(service, StoreService):  # Which changes while it is served; its fingerprint says all that is shown.
        return service.matchers.fingerprint[:32]
    if service not in _KNOWN:
        digest = hashlib.sha256(_shown(service).encode("utf-8", "surrogatepass")).hexdigest()
        _KNOWN[service] = f"{service.matchers.fingerprint[:32]}-{digest[:16]}"
    return _KNOWN[service]


def _shown(service: PhraseService) -> str:
    if isinstance(service, Service):
        return _agents(service.catalog)
    if isinstance(service, LabelService):
        return json.dumps([[label.id, dict(label.metadata)] for label in service.book.labels], sort_keys=True)
    return ""


def _agents(catalog: Catalog) -> str:
    entries = {
        agent.id: [agent.info.model_dump_json(), *(entry.model_dump_json() for entry in agent.entries.values())]
        for agent in catalog.agents.values()
    }
    definitions = [capability.model_dump_json() for capability in catalog.capabilities]
    return json.dumps([entries, definitions, dict(catalog.category_definitions)], sort_keys=True)
