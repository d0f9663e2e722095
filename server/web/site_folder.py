"""Writes the site's files into a folder that holds nothing else."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from embeddings.files import read_text, write_atomically
from server.errors import CallerError, brief

LIST: Final = "agent-capabilities-site.json"
"""Names the files of the site, so that a later run knows which ones it may replace or remove."""

_MAX_LIST: Final = 1 << 20
_OURS: Final = re.compile(
    r"((agents|capabilities)/[a-z0-9-]+|index)\.html|api/([a-z0-9-]+/)?[a-z0-9-]+\.json|page/[a-z_]+\.(js|css|svg)|(site\.js|style\.css)"
)
"""Paths that a site can have, or once had; a list with others was not written here."""


def write_site(folder: Path, content: Mapping[str, bytes]) -> None:
    """Write the files, each in one step, and remove those of an earlier site that this one lacks.

    Args:
        folder: is made if it is not there; it must hold nothing, or an earlier site alone.
        content: of each file, by path.

    Raises:
        CallerError: the folder holds other files, or cannot be written.
    """
    try:
        before = _earlier(folder)
        _check_alone(folder, before)
        # The list comes first, so that a run that was interrupted can be repeated.
        _write_list(folder, before | content.keys())
        for path, each in content.items():
            write_atomically(folder / path, each)
        for path in sorted(before - content.keys()):
            (folder / path).unlink(missing_ok=True)
        _write_list(folder, content)
    except OSError as error:
        raise CallerError(
            f"folder {brief(str(folder))} cannot be written ({error.strerror}); it must be a writable folder; give "
            "another one with --out"
        ) from error


def _earlier(folder: Path) -> set[str]:
    """Return the paths of the site that the folder holds; empty if it holds none."""
    if not (folder / LIST).exists():
        return set()
    try:
        paths = json.loads(read_text(folder / LIST, _MAX_LIST))["files"]
        if all(_OURS.fullmatch(path) for path in paths):
            return set(paths)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise CallerError(
        f"{brief(str(folder / LIST))} does not list a site's files; `agent-capabilities site` writes it beside a site; "
        "remove it, or give another folder with --out"
    )


def _check_alone(folder: Path, before: set[str]) -> None:
    other = next((path for path in sorted(_files(folder)) if path not in before and path != LIST), None)
    if other is not None:
        raise CallerError(
            f"folder {brief(str(folder))} holds {other!r}, which no earlier site wrote; a site needs a folder of its "
            "own; give another one with --out"
        )


def _files(folder: Path) -> Iterator[str]:
    """Yield the path of everything in a folder but folders; a link to a folder is not one."""
    for where, inner, names in os.walk(folder):
        linked = [name for name in inner if (Path(where) / name).is_symlink()]
        for name in (*names, *linked):
            yield (Path(where) / name).relative_to(folder).as_posix()


def _write_list(folder: Path, paths: Iterable[str]) -> None:
    write_atomically(folder / LIST, f"{json.dumps({'files': sorted(paths)}, indent=1)}\n".encode())
