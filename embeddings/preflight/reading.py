"""Reads a catalog leniently: what the catalog's reader refuses is a finding, and the rest is judged all the same."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from embeddings.errors import PhraseBookError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.labels.reading import CATALOG_KEYS, LABEL_KEYS, brief, check_keys, read_label, share, texts
from embeddings.labels.skills import skill_label, skill_list
from embeddings.labels.tool_list import ToolLists, located_tools, tool_lists
from embeddings.preflight.finding import Finding, Severity
from embeddings.text.normalization import fold

_CLEANED: Final = ("hides characters", "characters; cut to")
"""Parts of a reader's reports that other rules make findings of."""


@dataclass(frozen=True)
class Entry:
    """A label that can be judged.

    Attributes:
        label: with an id that no other entry has.
        pointer: JSON pointer of its place in the value.
        raw: its JSON value.
        is_tool: whether it is a tool of a server.
        own_id: the id that the catalog gives it; empty if there is none.
    """

    label: Label
    pointer: str
    raw: Any
    is_tool: bool = False
    own_id: str = ""

    @property
    def called(self) -> str:
        """Name of the label in findings: a tool by server and name, another label by its name or, if shared, its id."""
        return self.label.id

    @property
    def judged(self) -> tuple[str, ...]:
        """The texts that phrases are compared with."""
        label = self.label
        return (label.name, *label.aliases, label.description, *label.phrasings)


@dataclass(frozen=True)
class Read:
    """The catalog's parts as read.

    Attributes:
        entries: the labels, in order.
        findings: what the catalog's reader would refuse or skip.
        out_of_scope: phrases that no label fits.
        out_of_scope_share: as in a catalog.
    """

    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    out_of_scope: tuple[str, ...] = ()
    out_of_scope_share: float | None = None

    def book(self) -> PhraseBook | None:
        """Return the labels as a catalog; None if there are none."""
        if not self.entries:
            return None
        labels = tuple(entry.label for entry in self.entries)
        return PhraseBook(labels, self.out_of_scope, self.out_of_scope_share)


def read(content: Any) -> Read:
    """Read a catalog's JSON value, that of `tools/list`, or tool lists; nothing in it raises an error."""
    findings: list[Finding] = []
    skills = skill_list(content)
    if skills is not None:
        return Read(tuple(_told_apart(list(_skills(skills, findings)))), tuple(findings))
    lists = content if isinstance(content, ToolLists) else tool_lists(content)
    if lists is None:
        found, beside = list(_labels(content, findings)), content
    else:
        found, beside = list(_tools(lists, findings)), lists.beside
    outside, stated = _beside(beside, findings)
    return Read(tuple(_told_apart(found)), tuple(findings), outside, stated)


def _refused(error: object, pointer: str, label: str = "") -> Finding:
    return Finding("refused", "error", label, str(error), pointer, texts=(str(error),))


def _labels(content: Any, findings: list[Finding]) -> Iterator[Entry]:
    if not isinstance(content, Mapping) or not isinstance(content.get("labels"), list):
        findings.append(_refused(f"the value is {brief(content)}; a catalog has a list of 'labels'; add it", ""))
        return
    try:
        check_keys(content, CATALOG_KEYS, "the value", "a catalog")
    except PhraseBookError as error:
        findings.append(_refused(error, ""))
    for position, value in enumerate(content["labels"]):
        pointer = f"/labels/{position}"
        label = _salvaged(value)
        try:
            label = read_label(value, f"labels[{position}]", strict=True)
        except PhraseBookError as error:
            findings.append(_refused(error, pointer, label.name if label else ""))
        if label and fold(label.name):
            yield Entry(label, pointer, value)
        elif label:
            findings.append(_refused(f"labels[{position}] has a blank name; a label needs one; name it", pointer))


def _salvaged(value: Any) -> Label | None:
    """Return the label that the usable parts of a refused one make; None if it has no name."""
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        return None
    kept: dict[str, Any] = {"name": value["name"]}
    for key in LABEL_KEYS[1:]:
        try:
            read_label({"name": "label", key: value.get(key)}, "", strict=False)
        except PhraseBookError:
            continue
        kept[key] = value[key]
    return read_label(kept, "", strict=False)


def _skills(skills: Sequence[Any], findings: list[Finding]) -> Iterator[Entry]:
    for number, value in enumerate(skills):
        reports: list[str] = []
        label, pointer = skill_label(value, f"skills[{number}]", reports), f"/skills/{number}"
        findings += _not_whole(reports, pointer, label.id if label else "", "warning" if label else "error")
        if label:
            yield Entry(label, pointer, value, is_tool=True)


def _tools(lists: ToolLists, findings: list[Finding]) -> Iterator[Entry]:
    for tool in located_tools(lists):
        if tool.problem:
            findings.append(_refused(tool.problem, tool.pointer, tool.server))
            continue
        reports: list[str] = []
        label = tool.label(reports)
        findings += _not_whole(reports, tool.pointer, label.id if label else tool.server, "warning")
        if label:
            yield Entry(label, tool.pointer, tool.value, is_tool=True)


def _not_whole(reports: Sequence[str], pointer: str, called: str, severity: Severity) -> Iterator[Finding]:
    """Yield a finding for each report of what was not read as it stands, but for those that other rules judge."""
    for report in reports:
        if not any(part in report for part in _CLEANED):
            yield Finding("refused", severity, called, report, pointer, texts=(report,))


def _beside(beside: Any, findings: list[Finding]) -> tuple[tuple[str, ...], float | None]:
    if not isinstance(beside, Mapping):
        return (), None
    outside: tuple[str, ...] = ()
    stated: float | None = None
    try:
        outside = texts(beside, "outOfScope", "the value")
    except PhraseBookError as error:
        findings.append(_refused(error, ""))
    try:
        stated = share(beside, "the value")
    except PhraseBookError as error:
        findings.append(_refused(error, ""))
    return outside, stated


def _told_apart(entries: list[Entry]) -> Iterator[Entry]:
    """Give each label an id of its own: what the catalog calls it, numbered where that repeats."""
    used: set[str] = set()
    names = Counter(entry.label.name for entry in entries)
    for entry in entries:
        shared = names[entry.label.name] > 1
        wanted = entry.label.id if entry.label.id and (shared or entry.is_tool) else entry.label.name
        number, identity = 1, wanted
        while identity in used:
            number += 1
            identity = f"{wanted} ({number})"
        used.add(identity)
        yield replace(entry, label=replace(entry.label, id=identity, metadata={}), own_id=entry.label.id)
