"""Caches vectors that were built for catalogs without a vector file, in the user's cache folder, up to a limit."""

import logging
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from platformdirs import user_cache_dir

from embeddings.errors import VectorFileError
from embeddings.files import PRIVATE, make_private_folder
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from server import SERVER_NAME

# The numeric packages are imported on first use, so that a server can list its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.matcher import Matcher


CACHE_VARIABLE: Final = "AGENT_CAPABILITIES_CACHE"


def cache_folder() -> Path:
    """Return the folder of cached vectors: from the environment, else the platform's usual cache folder.

    Raises:
        OSError: the environment names none, and the user has no home folder.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(os.path.expanduser(chosen))  # noqa: PTH111 -- Path's own raises where there is no home folder
    usual = Path(user_cache_dir(SERVER_NAME, appauthor=False))
    if not usual.is_absolute():
        raise FileNotFoundError(f"no home folder for {str(usual)!r}; a cache needs a folder; set {CACHE_VARIABLE}")
    return usual


logger = logging.getLogger(__name__)

MAX_BYTES: Final = 256 << 20
"""Maximum size of all cached files: about twenty catalogs as large as the shipped one."""

MAX_FILES: Final = 256
"""Maximum number of cached files, so that scanning the folder stays quick if catalogs are small."""

ABANDONED_SECONDS: Final = 3600
"""An unfinished file this old was left by a killed process, since writing takes seconds."""

FITTED: Final = ".fitted-3"
"""Kind of the matchers' files; the number is raised when matchers are fitted otherwise, so that none is used that an
earlier version fitted."""

_FINISHED: Final = re.compile(r"[0-9a-f]{32}-[\w.-]+\.npz")
_UNFINISHED: Final = re.compile(rf"\.{_FINISHED.pattern}\.\w+")


class _Kept(NamedTuple):
    """A file of the cache. The least recently used one sorts first."""

    used: float
    size: int
    path: Path


def find(book: PhraseBook, encoder: "TextEncoder", costs: Costs = DEFAULT_COSTS) -> "Matcher":
    """Load the matcher of cached vectors, and mark them as used.

    Raises:
        VectorFileError: there are none, or none that can be used.
    """
    from embeddings.matcher import Matcher

    path = path_of(book.fingerprint, encoder, FITTED)
    matcher = Matcher.load(path, encoder, book, costs=costs)
    mark_used(path)
    return matcher


def keep(matcher: "Matcher", book: PhraseBook, encoder: "TextEncoder") -> None:
    """Cache the vectors of a built matcher, and make room; log a warning if they cannot be cached."""
    keep_file(book.fingerprint, encoder, matcher.save, FITTED)


def keep_file(fingerprint: str, encoder: "TextEncoder", write: Callable[[Path], None], kind: str = "") -> None:
    """Cache what was built from texts of this fingerprint, and make room; log a warning if it cannot be cached.

    Args:
        fingerprint: hash of the texts, in hex.
        encoder: embedded them.
        write: writes the vectors to a path.
        kind: as for `path_of`.
    """
    try:
        store(write, path_of(fingerprint, encoder, kind))
    except VectorFileError as error:
        logger.warning("%s; they are built again next time", error)


def path_of(fingerprint: str, encoder: "TextEncoder", kind: str = "") -> Path:
    """Return the file of the vectors of texts of this fingerprint, which may not exist.

    Args:
        fingerprint: hash of the texts, in hex.
        encoder: embedded them.
        kind: tells files of another format apart, such as ".texts" (default: vectors of statements).

    Raises:
        VectorFileError: there is no cache folder.
    """
    try:
        return cache_folder() / f"{fingerprint[:32]}-{encoder.fingerprint}{kind}.npz"
    except OSError as error:
        raise VectorFileError(f"vectors are not cached: {error}") from error


def store(write: Callable[[Path], None], path: Path) -> None:
    """Write a file of the cache, which the user alone may read, and make room.

    Raises:
        VectorFileError: it cannot be written.
    """
    try:
        make_private_folder(path.parent)
        write(path)
        path.chmod(PRIVATE)
    except OSError as error:
        raise VectorFileError(f"vectors could not be cached at {path} ({error})") from error
    prune(path, MAX_BYTES, MAX_FILES)


def prune(newest: Path, most_bytes: int, most_files: int) -> None:
    """Remove the least recently used files of the cache until the others are within the limits.

    Only files that the cache wrote are touched. One that cannot be removed stays.

    Args:
        newest: the file that was just written, which stays.
        most_bytes: maximum size of all files together.
        most_files: maximum number of files.
    """
    try:
        kept = sorted(_files(newest.parent))
    except OSError as error:
        logger.warning("the cache at %s could not be read: %s", newest.parent, error)
        return
    size, count = sum(file.size for file in kept), len(kept)
    for file in kept:
        if size <= most_bytes and count <= most_files:
            return
        if file.path != newest and _removed(file.path):
            size, count = size - file.size, count - 1


def _files(folder: Path) -> Iterator[_Kept]:
    """Yield the finished files of the cache; removes unfinished files that a killed process left."""
    abandoned = time.time() - ABANDONED_SECONDS
    with os.scandir(folder) as entries:
        for entry in entries:
            finished, unfinished = _FINISHED.fullmatch(entry.name), _UNFINISHED.fullmatch(entry.name)
            if not (finished or unfinished) or not entry.is_file(follow_symlinks=False):
                continue
            try:
                found = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # Another process removed it.
                continue
            if finished:
                yield _Kept(max(found.st_atime, found.st_mtime), found.st_size, Path(entry.path))
            elif found.st_mtime < abandoned:
                _removed(Path(entry.path))


def _removed(path: Path) -> bool:
    """Return whether a file is gone."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        logger.debug("%s stays in the cache: %s", path, error)
        return False
    return True


def mark_used(path: Path) -> None:
    """Set the access time, which many file systems do not update themselves; keep the modification time."""
    try:
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
    except OSError as error:
        logger.debug("the use of %s could not be noted: %s", path, error)
