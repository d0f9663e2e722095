"""Small files of the operator's that map names to values: JSON, or TOML."""

import json
import tomllib
from pathlib import Path
from typing import Any

from server.errors import CallerError, brief


def read_table(path: Path, what: str, rule: str) -> dict[str, Any]:
    """The table in a file, as TOML where its name ends in .toml and as JSON elsewhere.

    Args:
        path: the file.
        what: what the file is, for messages, such as "allowlist".
        rule: what it maps to what, for messages.

    Raises:
        CallerError: it cannot be read, is no table, or has a name twice.
    """
    try:
        text = path.read_text(encoding="utf-8")
        is_toml = path.suffix.casefold() == ".toml"
        value = tomllib.loads(text) if is_toml else json.loads(text, object_pairs_hook=_unique)
    except (OSError, ValueError, RecursionError) as error:
        # The reason is left out where it could repeat what the file holds.
        reason = error.strerror if isinstance(error, OSError) else type(error).__name__
        raise CallerError(
            f"{what} {brief(str(path))} cannot be read ({reason}); it must be UTF-8 JSON with each name once, or TOML "
            "in a .toml file; check the path and the file"
        ) from error
    if not isinstance(value, dict):
        raise CallerError(f"{what} {brief(str(path))} holds no table; it maps {rule}; mend it")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a name stands twice")
    return table
