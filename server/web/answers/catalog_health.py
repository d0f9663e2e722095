"""Judges a catalog in the background: its preflight report, and what that measures of each label.

That is done in a process of its own, because fitting a large catalog takes over a minute and two gigabytes. The result
is kept in the user's cache folder.
"""

import contextlib
import hashlib
import json
import logging
import os
import pickle
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Protocol, cast

from pydantic import TypeAdapter, ValidationError

from embeddings.cache import LruCache
from embeddings.errors import EmbeddingsError
from embeddings.files import MAX_TEXT, PRIVATE, make_private_folder, read_text, write_atomically
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import Costs
from server import package_version
from server.errors import CallerError, Parts
from server.matching.encoders import EncoderLoader
from server.matching.label_service import LabelService, NotAtHandError
from server.matching.matcher_provider import release_freed_memory
from server.matching.vector_cache import cache_folder
from server.web.answers.label_detail import catalog_id
from server.web.answers.reliability import Measured, measured

if TYPE_CHECKING:
    from embeddings.labels.phrase_book import PhraseBook
    from embeddings.preflight.finding import Report
    from embeddings.preflight.texts import LimitedEncoder

POLITE: Final = 10
"""Added to the process's niceness, so that queries that come meanwhile go first."""

_JUDGE: Final = "from server.web.answers.catalog_health import judge_what_is_sent as judge; judge()"
_COMMAND: Final = [sys.executable, "-c", _JUDGE]


def judged_apart(loader: EncoderLoader, content: Any, costs: Costs) -> "Report":
    """Judge a catalog's JSON value; the process ends when this one does, however that ends.

    Args:
        loader: loads the encoder; it is sent to the process, so it must be picklable.
        content: the catalog's JSON value.
        costs: what mistakes cost the caller.

    Raises:
        Exception: what judging raises, or CallerError if the process is killed.
    """
    sent = pickle.dumps((loader, content, costs))
    with subprocess.Popen(  # noqa: S603 -- this Python
        _COMMAND, env=_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin  # noqa: S101 -- both are pipes
        assert process.stdout  # noqa: S101
        try:
            # It stays open: when it closes, the process knows that nobody waits for it.
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(sent)
                process.stdin.flush()
            answer = process.stdout.read()
        finally:
            process.kill()
    if not answer:
        raise CallerError(
            f"the process of the preflight ended with status {process.returncode}; it takes up to three gigabytes of "
            "memory; run `agent-capabilities preflight` where there is more"
        )
    found = pickle.loads(answer)  # noqa: S301 -- from our own process
    if isinstance(found, Exception):
        raise found
    return cast("Report", found)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def judge_what_is_sent() -> None:
    """Judge what stands on standard input, and write the report, or the error, to standard output."""
    # Imported here because it imports training, which serving does not need.
    from embeddings.preflight.preflight import preflight

    loader, content, costs = pickle.load(sys.stdin.buffer)  # noqa: S301 -- from the process that started this one
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    found: Report | Exception
    try:
        if hasattr(os, "nice"):
            os.nice(POLITE)
        # A core is left to queries that come meanwhile.
        encoder = loader(max(1, (os.cpu_count() or 1) - 1))
        found = preflight(content, cast("LimitedEncoder", encoder), costs=costs)
    except Exception as error:
        found = error
    sys.stdout.buffer.write(pickle.dumps(found))
    sys.stdout.buffer.flush()
    os._exit(0)


def _end_with(pipe: IO[bytes]) -> None:
    """End this process when the other end of a pipe closes."""
    pipe.read()
    os._exit(1)


logger = logging.getLogger(__name__)

MAX_KEPT: Final = 32
"""Files that are kept; each has some ten to some hundred kilobytes."""


@dataclass(frozen=True)
class Found:
    """The findings about one catalog.

    Attributes:
        report: as `preflight --format json` prints it.
        measured: of each label.
    """

    report: dict[str, Any]
    measured: Measured


_AS_JSON: Final = TypeAdapter(Found)


def find(service: LabelService, book: PhraseBook) -> Found | None:
    """Return the kept findings about a catalog; None if nothing is, or nothing that can be read."""
    try:
        return _AS_JSON.validate_json(read_text(_path(service, book), MAX_TEXT))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, ValidationError) as error:
        logger.warning("what was kept of the catalog's health is not used: %s", error)
        return None


def keep(service: LabelService, book: PhraseBook, found: Found) -> None:
    """Keep what was found, and as many files as are kept at most; log a warning if it cannot be kept."""
    try:
        path = _path(service, book)
        make_private_folder(path.parent)
        write_atomically(path, _AS_JSON.dump_json(found), PRIVATE)
        files = sorted(path.parent.glob("health-*.json"), key=lambda each: each.stat().st_mtime_ns)
        for old in files[:-MAX_KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("the catalog's health is not kept: %s", error)


def _path(service: LabelService, book: PhraseBook) -> Path:
    """Return a file of its own for all that the report depends on."""
    depends: list[object] = [package_version(), book.to_dict(), asdict(service.matchers.costs)]
    depends.append(service.matchers.get().model_fingerprint)
    text = json.dumps(depends, ensure_ascii=False, sort_keys=True)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return cache_folder() / f"health-{digest[:32]}.json"


KEPT: Final = 2
"""Catalogs whose health is kept: the one that is served, and the one that was served before a reload."""

_NOTHING: Final = Measured({}, {})


class Judge(Protocol):
    """Judges the catalog of a service."""

    def __call__(self, service: LabelService, book: "PhraseBook") -> "Report":
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
        self._kept: LruCache[str, _Health] = LruCache(KEPT)
        self._running = False

    def preflight(self, service: LabelService) -> dict[str, Any]:
        """Return the report as `preflight --format json` prints it; on the first call, that it is being measured."""
        try:
            health = self._health(service)
        except NotAtHandError as error:
            return {"catalog": catalog_id(service), "status": "unavailable", "reason": str(error)}
        return {"catalog": catalog_id(service), **(health.answer if health else {"status": "running"})}

    def measured(self, service: LabelService) -> Measured | None:
        """Return the measurements of each label; None while it is measured, nothing of any label if that failed."""
        try:
            health = self._health(service)
        except NotAtHandError:
            return _NOTHING
        return health.measured if health else None

    def _health(self, service: LabelService) -> _Health | None:
        """Return the known findings, or start to measure unless another catalog is being measured.

        Raises:
            NotAtHandError: the labels are too many to be read as a whole.
        """
        if service.book is None:
            _ = service.whole_matcher  # Before a thread begins that could not tell.
        key = service.matchers.fingerprint
        with self._lock:
            known = self._kept.get(key)
            if known is None and not self._running:
                self._running = True
                threading.Thread(target=self._measure, args=(service, key), name="catalog-health", daemon=True).start()
        return known

    def _measure(self, service: LabelService, key: str) -> None:
        health = _health(self._judge, service)
        with self._lock:
            self._kept.put(key, health)
            self._running = False
        release_freed_memory()


def _health(judge: Judge, service: LabelService) -> _Health:
    try:
        book = _book(service)
        found = find(service, book)
        if found is None:
            found = _found(judge(service, book), book)
            keep(service, book, found)
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
    from server.preflight.formats import as_value
    from server.preflight.outcome import Outcome, Source

    return Found(as_value(Outcome(report, Source(""))), measured(report, book))


def _book(service: LabelService) -> "PhraseBook":
    return service.book or service.whole_matcher.book


def _judged(service: LabelService, book: "PhraseBook") -> "Report":
    return judged_apart(service.loader, book.to_dict(), service.matchers.costs)
