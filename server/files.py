"""Files that an operator writes: reads tables from JSON or TOML, and tells whether a file has changed."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from embeddings.files import read_text
from server.errors import CallerError, brief

MAX_TABLE: Final = 16 << 20
"""Maximum bytes of a table's file; a hundred thousand names with a token each take 10 million."""


def read_table(path: Path, what: str, rule: str, *, loads: Callable[[str], object] | None = None) -> dict[str, Any]:
    """Read a table from a file: TOML if the file's name ends in .toml, otherwise JSON.

    Args:
        path: the file.
        what: what the file is, for messages, such as "allowlist".
        rule: what the table maps to what, for messages, such as "names to tokens".
        loads: reads JSON; default: JSON as the standard has it, with each name once.

    Raises:
        CallerError: the file cannot be read, is not a table, or has a name twice.
    """
    try:
        text = read_text(path, MAX_TABLE)
        is_toml = path.suffix.casefold() == ".toml"
        value = tomllib.loads(text) if is_toml else (loads or _loads)(text)
    except (OSError, ValueError, RecursionError) as error:
        # The text of a parser's error is left out because it could repeat secrets from the file.
        reason = error.strerror if isinstance(error, OSError) else type(error).__name__
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        json_rule = "UTF-8 JSON" if loads else "UTF-8 JSON with each name once"
        raise CallerError(
            f"{what} {brief(str(path))} cannot be read ({reason}{line}); it must be {json_rule}, or TOML in a .toml "
            "file; check the path and the file"
        ) from error
    if not isinstance(value, dict):
        raise CallerError(f"{what} {brief(str(path))} does not hold a table; it must map {rule}; fix the file")
    return value


def _loads(text: str) -> object:
    return json.loads(text, object_pairs_hook=_unique)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a name appears twice")
    return table


Stamp = tuple[int, int, int, int]
"""A file's modification time, change time, size and inode number. A program that writes the file can set back the
modification time but not the change time, which on Windows is the creation time."""


def file_stamp(path: Path) -> Stamp | None:
    """Return a value that changes when a file is written or replaced; None if the file is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
