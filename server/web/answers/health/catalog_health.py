"""Judges a catalog in the background: its preflight report, and what that measures of each label."""

import logging
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from embeddings.errors import EmbeddingsError
from server.catalog.phrase_book import phrase_book
from server.errors import CallerError, Parts
from server.matching.label_service import LabelService
from server.matching.matcher_provider import release_freed_memory
from server.matching.phrase_service import NotAtHandError, PhraseService
from server.matching.service import Service
from server.matching.store_service import StoreService
from server.web.answers.health import kept_health
from server.web.answers.health.held_out import measured
from server.web.answers.health.kept_health import Found
from server.web.answers.health.measured import Measured
from server.web.answers.identity import catalog_id

if TYPE_CHECKING:
    from embeddings.labels.phrase_book import PhraseBook
    from embeddings.preflight.finding import Report

logger = logging.getLogger(__name__)

KEPT: Final = 2
"""Catalogs whose health is kept: the one that is served, and the one that was served before a reload."""

_NOTHING: Final = Measured({}, {})


class Judge(Protocol):
    """Judges the catalog of a service."""

    def __call__(self, service: PhraseService, book: "PhraseBook") -> "Report":
        """Return what was found; takes seconds to minutes."""


@dataclass(frozen=True)
class _Health:
    """The answer about one catalog, and what was measured of its labels."""

    answer: dict[str, Any]
    measured: Measured


class CatalogHealth:
    """Judges each catalog once, in a thread of its own, one catalog at a time. Safe to share between threads."""

    def __init__(self, judge: Judge | None = None) -> None:
        """Judge with `judge` (default: a preflight with the service's own model)."""
        self._judge = judge or _judged
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Health] = OrderedDict()
        self._running = False

    def preflight(self, service: PhraseService) -> dict[str, Any]:
        """The report as `preflight --format json` prints it; on the first call, that it is being measured."""
        try:
            health = self._health(service)
        except NotAtHandError as error:
            return {"catalog": catalog_id(service), "status": "unavailable", "reason": str(error)}
        return {"catalog": catalog_id(service), **(health.answer if health else {"status": "running"})}

    def measured(self, service: PhraseService) -> Measured | None:
        """What was measured of each label; None while it is measured, nothing of any label if that failed."""
        try:
            health = self._health(service)
        except NotAtHandError:
            return _NOTHING
        return health.measured if health else None

    def _health(self, service: PhraseService) -> _Health | None:
        """What is known; if nothing is, start to measure, unless another catalog is being measured.

        Raises:
            NotAtHandError: the labels are too many to be read as a whole.
        """
        if isinstance(service, StoreService):
            _ = service.whole_matcher  # Before a thread begins that could not tell.
        key = service.matchers.fingerprint
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            if not self._running:
                self._running = True
                threading.Thread(target=self._measure, args=(service, key), name="catalog-health", daemon=True).start()
        return None

    def _measure(self, service: PhraseService, key: str) -> None:
        health = _health(self._judge, service)
        with self._lock:
            self._kept[key] = health
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            self._running = False
        release_freed_memory()


def _health(judge: Judge, service: PhraseService) -> _Health:
    try:
        book = _book(service)
        found = kept_health.find(service, book)
        if found is None:
            found = _found(judge(service, book), book)
            kept_health.keep(service, book, found)
        return _Health({"status": "ready", "report": found.report}, found.measured)
    except (EmbeddingsError, CallerError) as error:
        logger.warning("the catalog could not be judged: %s", error)
        return _Health({"status": "failed", "error": str(Parts.of(error))}, _NOTHING)
    except Exception as error:
        logger.exception("the catalog could not be judged")
        told = (
            f"the preflight ended with {type(error).__name__}; the server's log says why; correct it and start the "
            "server again"
        )
        return _Health({"status": "failed", "error": told}, _NOTHING)


def _found(report: "Report", book: "PhraseBook") -> Found:
    from server.preflight.formats.json_ import as_value
    from server.preflight.outcome import Outcome, Source

    return Found(as_value(Outcome(report, Source(""))), measured(report, book))


def _book(service: PhraseService) -> "PhraseBook":
    if isinstance(service, Service):
        return phrase_book(service.catalog)
    if isinstance(service, LabelService):
        return service.book
    return service.whole_matcher.book


def _judged(service: PhraseService, book: "PhraseBook") -> "Report":
    from server.web.answers.health.judging import judged_apart

    return judged_apart(service.loader, book.to_dict(), service.matchers.costs)
