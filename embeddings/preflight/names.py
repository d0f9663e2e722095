"""Finds labels that share a name, and labels whose name or alias leads to another."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from embeddings.preflight.finding import Finding, Severity
from embeddings.preflight.reading import Entry
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
