"""JSON files of the user that several processes read and change."""

import hashlib
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from platformdirs import user_data_dir

from embeddings.files import PRIVATE, make_private_folder, read_text, write_atomically
from server import SERVER_NAME
from server.errors import CallerError, brief

USER_DATA_VARIABLE: Final = "AGENT_CAPABILITIES_USER_DATA"


def data_folder() -> Path:
    """Return the user's data folder: from the environment, else the platform's usual one.

    Raises:
        CallerError: the environment names none, and the user has no home folder.
    """
    chosen = os.environ.get(USER_DATA_VARIABLE)
    usual = Path(chosen or user_data_dir(SERVER_NAME, appauthor=False))
    folder = Path(os.path.expanduser(usual))  # noqa: PTH111 -- Path's own raises where there is no home folder
    if folder.is_absolute() or chosen:
        return folder
    raise CallerError(f"no home folder for {brief(str(usual))}; data need a folder; set {USER_DATA_VARIABLE}")


logger = logging.getLogger(__name__)

DAMAGED: Final = ".damaged"
"""Follows the name of a file that could not be read and was put aside."""

LARGEST: Final = 64 << 20
"""Maximum bytes of a file that is read."""

_WAIT: Final = 10.0
"""Seconds to wait for another process; it holds the lock for milliseconds."""

_PAUSE: Final = 0.01


def read_object(path: Path) -> dict[str, Any] | None:
    """Return the object in a file; None if there is no file, or none that can be read."""
    try:
        value = json.loads(read_text(path, LARGEST))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        logger.warning("%s cannot be read (%s); it must be JSON; it is taken as empty", path, type(error).__name__)
        return None
    return value if isinstance(value, dict) else None


def read_or_put_aside(path: Path) -> dict[str, Any]:
    """Return the object in a file that is about to be rewritten.

    A damaged file is renamed first, so that it is not lost.
    """
    value = read_object(path)
    if value is None and path.is_file():
        aside = path.with_name(path.name + DAMAGED)
        try:
            path.replace(aside)
            logger.warning("%s was damaged; it is kept as %s", path, aside.name)
        except OSError as error:
            logger.warning("%s is damaged and cannot be put aside: %s", path, error)
    return value or {}


def write_object(path: Path, value: dict[str, Any], mode: int = PRIVATE) -> None:
    """Write an object, atomically; folders that are missing are made for the user alone if the file is private.

    Raises:
        CallerError: it cannot be written.
    """
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    try:
        if mode == PRIVATE:
            make_private_folder(path.parent)
        write_atomically(path, text.encode("utf-8", "backslashreplace"), mode)
    except OSError as error:
        raise _unwritable(path, error) from error


@contextmanager
def locked(path: Path, folder: Path | None = None) -> Iterator[None]:
    """Let no other process change a file that is read and then written.

    Args:
        path: the file.
        folder: where the lock is, a file that stays (default: beside the file).

    Raises:
        CallerError: the folder cannot be written, or another process does not let go.
    """
    lock = path.with_name(f".{path.name}.lock")
    if folder:
        named = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
        lock = folder / f"{named}.lock"
    # Imported here because reading needs no lock.
    from filelock import FileLock, Timeout

    try:
        make_private_folder(lock.parent)
        # The system lets go of the lock when the process ends, however it ends.
        held = FileLock(lock, mode=PRIVATE).acquire(_WAIT, _PAUSE)
    except Timeout as error:
        raise CallerError(
            f"{brief(str(path))} has been locked by another process for {_WAIT:.0f} seconds; one process at a time "
            "may change it; end the other one and try again"
        ) from error
    except OSError as error:
        raise _unwritable(path, error) from error
    with held:
        yield


def _unwritable(path: Path, error: OSError) -> CallerError:
    return CallerError(
        f"{brief(str(path))} cannot be written ({error.strerror}); its folder must be writable; change its permissions "
        "or make room"
    )
