"""Changes hosts' own files: one process at a time, with a backup, and back to the bytes that were there before."""

import hashlib
import json
import os
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import Any, Final

from embeddings.files import PRIVATE, make_private_folder, read_bytes, write_atomically
from server.errors import CallerError, brief
from server.files import MAX_TABLE
from server.gateway.configuration.upstream_config import in_arguments, in_headers, redacted, secrets_of
from server.gateway.host_snippets import Host
from server.gateway.tool_catalog.json_file import data_folder, locked, read_object, write_object

FOLDER: Final = "hosts"
"""Folder in the user's data folder with backups, and with what is needed to undo a change."""

BACKUPS: Final = 10
"""Backups of one file that are kept."""

_MARK: Final = "\ufeff"
"""Byte order mark, which stays in front."""


@dataclass(frozen=True)
class Change:
    """What was changed in a file, or would be.

    Attributes:
        path: the file.
        before: its text; None: there was no file.
        after: its new text; None: there is no file any more.
        backup: where its bytes were kept; None: there was nothing to keep.
    """

    path: Path
    before: str | None
    after: str | None
    backup: Path | None = None

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing is changed."""
        return self.before == self.after

    def difference(self, host: Host) -> str:
        """Return the changed lines for people, without the secrets of servers."""
        shown = "\n".join([str(self.path), *_changed_lines(self.before or "", self.after or "")])
        return redacted(shown, _secrets(host, self.before) | _secrets(host, self.after))


def _changed_lines(before: str, after: str) -> Iterator[str]:
    """Yield the changed lines with one on either side.

    Only what lies between the first and the last change is compared: hosts' files can have 100,000 lines.
    """
    old, new = before.splitlines(), after.splitlines()
    start = _same(old, new)
    end = min(_same(old[::-1], new[::-1]), len(old) - start, len(new) - start)
    from_, to = max(start - 1, 0), max(end - 1, 0)
    compared = unified_diff(old[from_ : len(old) - to], new[from_ : len(new) - to], n=1, lineterm="")
    yield f"@@ line {from_ + 1} @@"
    yield from (line for line in islice(compared, 2, None) if not line.startswith("@@"))


def _same(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many lines are the same from the start."""
    shorter = min(len(first), len(second))
    return next((at for at in range(shorter) if first[at] != second[at]), shorter)


_ALL_SECRET: Final = frozenset({"env", "environment", "headers", "http_headers"})
"""Keys of tables whose values may all be secrets."""


def _secrets(host: Host, text: str | None) -> frozenset[str]:
    """Return the secrets anywhere in a file, as the lines beside a change may have others than those of servers."""
    found: list[str] = []
    left: list[tuple[str, Any]] = [("", host.format.read(_content(host, text)))]
    while left:
        key, value = left.pop()
        if isinstance(value, dict):
            found += in_headers(str(one) for one in value.values()) if key in _ALL_SECRET else ()
            left += value.items()
        elif isinstance(value, list):
            found += in_arguments([one for one in value if isinstance(one, str)])
            left += ((key, one) for one in value)
        elif isinstance(value, str):
            found += in_arguments([f"--{key}={value}"])
    return secrets_of(found)


def _content(host: Host, text: str | None) -> str:
    """Return the text of a file, as a host reads one that is missing or empty."""
    plain = (text or "").removeprefix(_MARK)
    return plain if plain.strip() or host.format.is_toml else "{}\n"


Edit = Callable[[str], str]


class HostFile:
    """A host's file.

    Attributes:
        host: the host.
        path: the file itself; a link to it stays a link.
    """

    def __init__(self, host: Host, path: Path) -> None:
        self.host, self.path = host, path.resolve()
        self._folder = data_folder() / FOLDER
        self._key = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:32]

    def servers(self) -> dict[str, Any]:
        """Return the entries of the file.

        Raises:
            CallerError: it cannot be read.
        """
        found: dict[str, Any] = self.table().get(self.host.table, {})
        return found

    def table(self) -> dict[str, Any]:
        """Return the content of the file.

        Raises:
            CallerError: it cannot be read.
        """
        with self._told():
            text = _content(self.host, self._read())
            self.host.format.servers(text, self.host.table)
            return self.host.format.read(text)

    def put(self, name: str, entry: dict[str, Any], *, dry_run: bool = False) -> Change:
        """Put an entry in, in the place of one of this name.

        Raises:
            CallerError: the file cannot be read, edited or written; it is as it was.
        """
        return self.edit(
            name,
            lambda text: self.host.format.put(text, self.host.table, name, entry),
            lambda text: self.host.format.take(text, self.host.table, name),
            dry_run=dry_run,
        )

    def edit(self, name: str, edit: Edit, undo: Edit, *, dry_run: bool = False) -> Change:
        """Change the file, and remember how it was for `take_back`.

        Args:
            name: the entry for whose sake it is changed.
            edit: makes the change.
            undo: makes it undone in a text that was changed since.
            dry_run: only say what would be changed.

        Raises:
            CallerError: the file cannot be read, edited or written; it is as it was.
        """
        with self._told(), locked(self.path, self._folder):
            before = self._read()
            original = self._original(name, before, undo)
            change = Change(self.path, before, self._edited(before, edit))
            if not dry_run and not change.is_empty:
                change = self._write(change)
                write_object(self._record(name), {"before": original, "after": _digest(change.after)})
            return change

    def take_back(self, name: str, undo: Edit | None = None, *, dry_run: bool = False) -> Change:
        """Take an entry out: the file is as it was before, unless it was changed since; then the rest of it stays.

        Args:
            name: the entry.
            undo: undoes the change in a text that was changed since (default: without the entry).
            dry_run: only say what would be changed.

        Raises:
            CallerError: the file cannot be read, edited or written; it is as it was.
        """
        taken = undo or (lambda text: self.host.format.take(text, self.host.table, name))
        with self._told(), locked(self.path, self._folder):
            before = self._read()
            change = Change(self.path, before, self._original(name, before, taken))
            if not dry_run:
                change = change if change.is_empty else self._write(change)
                self._record(name).unlink(missing_ok=True)
            return change

    def _original(self, name: str, text: str | None, undo: Edit) -> str | None:
        """Return the text as it was before the entry was put in."""
        record = read_object(self._record(name))
        if record and record.get("after") == _digest(text):
            before = record.get("before")
            return before if isinstance(before, str) else None
        return None if text is None else self._edited(text, undo)

    def _edited(self, text: str | None, edit: Edit) -> str | None:
        content = _content(self.host, text)
        edited = edit(content)
        if edited == content:
            return text
        return (_MARK if text and text.startswith(_MARK) else "") + edited

    def _read(self) -> str | None:
        try:
            return read_bytes(self.path, MAX_TABLE).decode("utf-8")
        except FileNotFoundError:
            return None

    def _write(self, change: Change) -> Change:
        backup = self._keep(change.before)
        if change.after is None:
            self.path.unlink(missing_ok=True)
        else:
            mode = PRIVATE if change.before is None else self.path.stat().st_mode & 0o777
            write_atomically(self.path, change.after.encode("utf-8"), mode)
        return Change(change.path, change.before, change.after, backup)

    def _keep(self, text: str | None) -> Path | None:
        if text is None:
            return None
        folder = self._folder / "backups"
        make_private_folder(folder)
        ending = f"-{self._key[:8]}-{self.path.name}"
        backup = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}{ending}"
        write_atomically(backup, text.encode("utf-8"), PRIVATE)
        for old in sorted(folder.glob(f"*{ending}"))[:-BACKUPS]:
            old.unlink(missing_ok=True)
        return backup

    def _record(self, name: str) -> Path:
        return self._folder / f"{self._key}-{name}.json"

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            rule = f"it must be {'TOML' if self.host.format.is_toml else 'JSON'} as {self.host.title} reads it"
            raise CallerError(
                f"{brief(str(self.path))} cannot be changed ({_reason(error)}); {rule}, and it was left as it is; "
                "correct it and try again"
            ) from error


def _digest(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode("utf-8")).hexdigest()


def _reason(error: OSError | ValueError) -> str:
    """Return why, without the text of a parser's error, which could repeat a secret of the file."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON, line {error.lineno}"
    if isinstance(error, UnicodeDecodeError | tomllib.TOMLDecodeError):
        return type(error).__name__
    return str(error)
