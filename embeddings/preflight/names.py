"""Finds labels that share a name, and labels whose name or alias leads to another."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from embeddings.encoder.protocol import TextEncoder
from embeddings.labels.corpus import Corpus
from embeddings.preflight.finding import Finding, Severity
from embeddings.preflight.reading import Entry
from embeddings.text.invisible import escaped, first_hidden
from embeddings.text.normalization import fold
from embeddings.text.words import spoken


def duplicates(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Find names that differ at most in case, punctuation and spaces: errors, unless ids tell their labels apart."""
    named: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        named[_joined(entry.label.name)].append(entry)
    for namesakes in named.values():
        for entry in namesakes:
            first = next((other for other in namesakes if other is not entry), None)
            if first is None:
                continue
            severity: Severity = "warning" if _told_apart(entry, first) else "error"
            yield Finding(
                "duplicate",
                severity,
                entry.called,
                f"rename one of {entry.label.name!r} and {first.label.name!r} after what sets it apart, or merge them",
                entry.pointer,
                first.called,
                entry.label.name,
                texts=(entry.label.name, first.label.name),
            )


def _joined(name: str) -> str:
    return fold(spoken(name)).replace(" ", "")


def _told_apart(entry: Entry, other: Entry) -> bool:
    """Return whether the catalog's reader takes both labels: they have ids of their own, or different folded names."""
    if fold(entry.label.name) != fold(other.label.name):
        return True
    return bool(entry.own_id and other.own_id) and entry.own_id != other.own_id


def shadowed(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Find aliases that are another label's name or alias: a phrase that is one never means this label alone."""
    names: dict[str, list[Entry]] = defaultdict(list)
    aliases: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        names[fold(entry.label.name)].append(entry)
        for alias in dict.fromkeys(map(fold, entry.label.aliases)):
            aliases[alias].append(entry)
    for entry in entries:
        own = fold(entry.label.name)
        for alias in entry.label.aliases:
            named = _others(names, fold(alias), entry) if fold(alias) != own else []
            shared = [] if fold(alias) in names else _others(aliases, fold(alias), entry)
            if named:
                yield _finding(entry, named[0], alias, "warning", f"remove {_alias(entry)} {alias!r}, or rename")
            elif shared:
                yield _finding(entry, shared[0], alias, "warning", f"change {_alias(entry)} {alias!r}, also of")
        for other in _others(aliases, own, entry):
            if fold(other.label.name) != own:
                advice = f"remove {_alias(other)} {entry.label.name!r} of"
                yield _finding(entry, other, entry.label.name, "note", advice)


def _alias(entry: Entry) -> str:
    return "the title" if entry.is_tool else "the alias"


def _others(owners: Mapping[str, Sequence[Entry]], folded: str, entry: Entry) -> list[Entry]:
    return [other for other in owners.get(folded, ()) if other is not entry]


def _finding(entry: Entry, other: Entry, phrase: str, severity: Severity, advice: str) -> Finding:
    return Finding(
        "shadowed",
        severity,
        entry.called,
        f"{advice} {other.called!r}",
        entry.pointer,
        other.called,
        phrase,
        texts=(phrase, entry.label.name, other.label.name),
    )


_SHOWN: Final = 60
"""Characters of a text that a finding shows."""

_UNREAD: Final = frozenset({"metadata", "annotations", "_meta", "icons"})
"""Keys whose values no phrase is compared with."""


class LimitedEncoder(TextEncoder, Protocol):
    """An encoder that can tell what it does not read."""

    def unread(self, text: str) -> str:
        """Return the end of a text that is beyond the model's limit; empty if all of it is read."""


def hidden(entry: Entry) -> Iterator[Finding]:
    """Find texts of a label that hold characters which a reader does not see."""
    for where, text in _texts(entry.raw):
        place = first_hidden(text, one_line=False)
        if place is None:
            continue
        start = max(0, place - _SHOWN // 2)
        yield Finding(
            "hidden",
            "error",
            entry.called,
            f"remove U+{ord(text[place]):04X}, character {place + 1} of {where or 'the text'}",
            entry.pointer,
            phrase=escaped(text[start : start + _SHOWN]),
            texts=(json.dumps(text),),
        )


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of every string in a JSON value, keys included."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        place, part = waiting.pop()
        if isinstance(part, str):
            yield place, part
        elif isinstance(part, Mapping):
            yield from ((f"a key of {place or 'the label'}", key) for key in part)
            within = [(f"{place}.{escaped(key)}".lstrip("."), each) for key, each in part.items() if key not in _UNREAD]
            waiting.extend(reversed(within))
        elif isinstance(part, list):
            waiting.extend(reversed([(f"{place}[{number}]", each) for number, each in enumerate(part)]))


def long(entry: Entry, label: int, corpus: Corpus, encoder: LimitedEncoder) -> Iterator[Finding]:
    """Find the texts of a label of which the encoder does not read the end."""
    start = int(corpus.spans.starts[label])
    for phrase in corpus.phrases[start : start + int(corpus.spans.sizes[label])]:
        rest = encoder.unread(phrase.text)
        if not rest or phrase.kind == "description":
            continue
        what = "name and description" if phrase.kind == "whole" else phrase.kind
        yield Finding(
            "long",
            "warning",
            entry.called,
            f"shorten the {what}: of its {len(phrase.text):,} characters the last {len(rest):,} are not read as one "
            "text; say first what it is for",
            entry.pointer,
            phrase=rest[:_SHOWN],
            texts=(phrase.text,),
        )
