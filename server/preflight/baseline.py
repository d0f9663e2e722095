"""Findings that somebody has accepted, in a file: only new ones count."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from embeddings.files import read_text, write_atomically
from embeddings.preflight.finding import Finding, Rule
from embeddings.text.invisible import all_visible, is_hidden
from server.errors import CallerError, brief


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON text, without a newline at its end."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if all_visible(text.replace("\n", "")):
        return text
    # Newlines stand between values only; within a string, `dumps` has escaped them.
    return "".join(json.dumps(each)[1:-1] if is_hidden(each) and each != "\n" else each for each in text)


VERSION: Final = 1

_SYMMETRIC: Final = frozenset[Rule]({"confusable", "duplicate"})
"""Rules that find the same whichever of the two labels is named first."""

_SHAPE: Final = (
    f'it must be {{"version": {VERSION}, "accepted": [{{"rule": "...", "labels": ["..."], "texts": "sha256"}}]}}, each '
    'with a "reason" or without'
)


class Key(NamedTuple):
    """The key by which two findings are the same.

    Attributes:
        rule: the rule.
        labels: the label, and the other one if there is one.
        texts: sha256 of the texts that were judged, in any order.
    """

    rule: str
    labels: tuple[str, ...]
    texts: str

    @classmethod
    def of(cls, finding: Finding) -> "Key":
        """Return the key of a finding."""
        labels = (finding.label,) if finding.other is None else (finding.label, finding.other)
        texts = json.dumps(sorted(set(finding.texts)))
        return cls(
            finding.rule,
            tuple(sorted(labels)) if finding.rule in _SYMMETRIC else labels,
            hashlib.sha256(texts.encode()).hexdigest(),
        )


@dataclass(frozen=True)
class Entry:
    """One accepted finding.

    Attributes:
        key: the finding.
        reason: why it is accepted; empty if nobody said.
    """

    key: Key
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as a JSON value."""
        value = {"rule": self.key.rule, "labels": list(self.key.labels), "texts": self.key.texts}
        return value | ({"reason": self.reason} if self.reason else {})


class Baseline:
    """Accepted findings."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        """Accept these; of two for one finding, the last holds."""
        self._entries = {entry.key: entry for entry in entries}

    @classmethod
    def read(cls, path: Path) -> "Baseline":
        """Read a baseline's file.

        Raises:
            CallerError: it cannot be read or is not a baseline.
        """
        try:
            value = json.loads(read_text(path))
        except OSError as error:
            raise CallerError(
                f"baseline {brief(str(path))} cannot be read ({error.strerror}); it must be a file that "
                "--write-baseline has written; check the path, or add --write-baseline"
            ) from error
        except (ValueError, RecursionError) as error:
            raise CallerError(
                f"baseline {brief(str(path))} is not JSON ({error}); {_SHAPE}; correct the file"
            ) from error
        return cls(_entries(value, f"baseline {brief(str(path))}"))

    @classmethod
    def accepting(cls, findings: Iterable[Finding], before: "Baseline") -> "Baseline":
        """Return a baseline that accepts these findings, with the reasons given before."""
        keys = {Key.of(finding) for finding in findings}
        return cls(before._entries.get(key, Entry(key)) for key in keys)

    def entry(self, finding: Finding) -> Entry | None:
        """Return the entry that accepts a finding."""
        return self._entries.get(Key.of(finding))

    def stale(self, findings: Iterable[Finding]) -> Sequence[Entry]:
        """Return the entries that accept none of these findings."""
        found = {Key.of(finding) for finding in findings}
        return [self._entries[key] for key in sorted(self._entries) if key not in found]

    def write(self, path: Path) -> None:
        """Write the file; the same entries give the same bytes.

        Raises:
            CallerError: it cannot be written.
        """
        value = {"version": VERSION, "accepted": [self._entries[key].to_dict() for key in sorted(self._entries)]}
        try:
            write_atomically(path, f"{json_text(value, indent=2)}\n".encode())
        except OSError as error:
            raise CallerError(
                f"baseline {brief(str(path))} cannot be written ({error.strerror}); it must be a writable file; give "
                "another path"
            ) from error


def _entries(value: Any, where: str) -> list[Entry]:
    version = value.get("version") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(value.get("accepted"), list) or version is None:
        raise CallerError(f"{where} is {brief(value)}; {_SHAPE}; correct the file, or write another")
    if version != VERSION or isinstance(version, bool):
        raise CallerError(
            f"{where} has version {brief(version)}; this program reads version {VERSION}; write it again with "
            "--write-baseline to another file"
        )
    return [_entry(entry, f"{where}: accepted[{position}]") for position, entry in enumerate(value["accepted"])]


def _entry(value: Any, where: str) -> Entry:
    given = value if isinstance(value, dict) else {}
    labels, reason = given.get("labels"), given.get("reason", "")
    texts = [given.get("rule"), given.get("texts"), reason, *(labels if isinstance(labels, list) else [None])]
    if not all(isinstance(text, str) for text in texts):
        raise CallerError(f"{where} is {brief(value)}; {_SHAPE}; correct the entry")
    return Entry(Key(given["rule"], tuple(given["labels"]), given["texts"]), reason)
