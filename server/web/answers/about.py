"""What the page needs to know before it shows anything."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from server import package_version
from server.matching.phrase_service import LONGEST_PHRASE, PhraseService
from server.matching.service import Service
from server.web.answers.identity import catalog_id


def about(
    service: PhraseService,
    title: str,
    views: Sequence[str],
    limits: Mapping[str, int],
    paths: bool,
    link: str | None = None,
) -> dict[str, Any]:
    """The catalog, the views of it, and what may be asked.

    Args:
        service: the catalog.
        title: what the page calls it.
        views: those that the caller may see; that of agents is left out of a catalog without them.
        limits: limits of requests besides that of a phrase.
        paths: whether health takes the path of a file.
        link: path of the page in an address that is given to others, if the page's own has a token.
    """
    matcher = service.matchers.get()
    with_agents = isinstance(service, Service)
    return {
        "catalog": catalog_id(service, degraded=matcher.is_degraded),
        "title": title,
        "kind": "agents" if with_agents else "labels",
        "views": [view for view in views if view != "agents" or with_agents],
        "labels": matcher.size,
        "phrases": matcher.phrase_count,
        "version": package_version(),
        "degraded": matcher.is_degraded,
        "costs": asdict(service.matchers.costs),
        "limits": {"phrase": service.max_phrase or LONGEST_PHRASE, **limits},
        **({"paths": True} if paths else {}),
        **({"link": link} if link else {}),
        "today": datetime.now(UTC).date().isoformat(),
    }
