"""Facets, which are questions about a capability, and cells, each the answer of one agent to one facet."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple

from pydantic import Field

from embeddings.text.normalization import fold
from server.catalog.folders import agents_folder
from server.catalog.models import Address, CapabilityEntry
from server.catalog.reading import read_json_file
from server.catalog.statement_text import FileModel, StatementId, Text
from server.errors import CatalogError

FACETS_FILE: Final = "facets.json"
CELLS_FILE: Final = "cells.json"

Verdict = Literal["yes", "no", "partly", "undocumented"]


class Facet(FileModel):
    """A question about a capability that has an answer for every agent.

    Attributes:
        id: its name within the capability.
        question: worded as a wish, so that *yes* is what people hope for.
        kind: whether it is answered by a verdict, or by a value: how, where, how many.
        way: whether it is one of several ways, such as to sign in; a need that leaves it out is met by another one.
        platform: the system on which it asks for the capability as a whole.
        narrows: keys of facets of other capabilities that ask in general what it asks of its own: a caller who wants
            its capability and what one of them asks for wants this as well.
    """

    id: StatementId
    question: Text
    kind: Literal["verdict", "value"] = "verdict"
    way: bool = False
    platform: Literal["linux", "macos", "windows"] | None = None
    narrows: tuple[Text, ...] = ()


class FacetsFile(FileModel):
    """`facets.json`: facets by capability."""

    facets: dict[str, tuple[Facet, ...]]


class CellFields(FileModel):
    """The answer of one agent to one facet, as its file has it.

    Attributes:
        facet: `<capability>/<id>`.
        verdict: of a facet that asks for one; of one that asks for a value, if there is none.
        value: of a facet that asks for one.
        because: the statement that says so: its id, after `<capability>/` if another entry has it.
        source: the page that it was read on, one of the sources of that entry.
    """

    facet: Text
    verdict: Verdict | None = None
    value: Text | None = Field(default=None, max_length=160)
    because: Text | None = None
    source: Address | None = None


class CellsFile(FileModel):
    """`agents/<agent>/cells.json`."""

    cells: tuple[CellFields, ...]


@dataclass(frozen=True)
class FacetPhrasings:
    """Examples of how people ask for a facet, and of how they ask for its opposite."""

    wished: tuple[str, ...] = ()
    against: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    """The answer of one agent to one facet.

    Attributes:
        verdict: None if the answer is a value.
        value: None if the answer is a verdict.
        because: the sentence that says so; None for what is undocumented.
        source: the page; None for what is undocumented.
    """

    verdict: Verdict | None
    value: str | None
    because: str | None
    source: str | None


class _Evidence(NamedTuple):
    """What cells can rest on in an entry: its statements by id, and the pages that it cites."""

    texts: Mapping[str, str]
    pages: frozenset[str]

    @classmethod
    def of(cls, entry: CapabilityEntry) -> "_Evidence":
        texts = {id_: text for _, id_, text in entry.statements if id_}
        return cls(texts, frozenset(source.url for source in entry.sources))


_NOTHING: Final = _Evidence({}, frozenset())

Facets = Mapping[str, tuple[Facet, ...]]
"""By canonical capability."""


def key_of(capability: str, facet: Facet) -> str:
    """Return the name of a facet among those of all capabilities."""
    return f"{capability}/{facet.id}"


def by_key(facets: Facets) -> dict[str, tuple[str, Facet]]:
    """Return each facet and its capability by the name among those of all capabilities."""
    return {key_of(name, facet): (name, facet) for name, listed in facets.items() for facet in listed}


def read_facets(folder: Path, names: Mapping[str, str]) -> Facets:
    """Read the facets of a vocabulary; none if its folder has no file of them.

    Args:
        folder: holds the file.
        names: canonical names by folded name.

    Raises:
        CatalogError: the file cannot be used, names an unknown capability or facet, or has two facets of one id.
    """
    path = folder / FACETS_FILE
    if not path.exists():
        return {}
    found = {}
    for name, facets in read_json_file(FacetsFile, path).facets.items():
        if fold(name) not in names:
            raise CatalogError(
                f"{path}: facets.{name!r} is of no capability; known are those of the vocabulary; correct it"
            )
        ids = [facet.id for facet in facets]
        if repeated := next((id_ for id_ in ids if ids.count(id_) > 1), None):
            raise CatalogError(
                f"{path}: {name!r} has two facets {repeated!r}; an id names one facet; rename one of them"
            )
        found[names[fold(name)]] = facets
    _check_narrowed(path, found)
    return found


def _check_narrowed(path: Path, facets: Facets) -> None:
    """Refuse a facet that narrows an unknown one, or one of its own capability."""
    known = by_key(facets)
    for key, (name, facet) in known.items():
        for narrowed in facet.narrows:
            if narrowed not in known or known[narrowed][0] == name:
                raise CatalogError(
                    f"{path}: {key!r} narrows {narrowed!r}; it can narrow a facet of another capability, named "
                    "'<capability>/<id>'; correct it"
                )


def read_cells(folder: Path, agent: str, facets: Facets, entries: Mapping[str, CapabilityEntry]) -> Mapping[str, Cell]:
    """Read the answers of an agent, by the key of the facet; none if it has no file of them.

    Raises:
        CatalogError: the file cannot be used, or a cell is of no facet, stands twice, or has no sentence or source.
    """
    path = agents_folder(folder) / agent / CELLS_FILE
    if not path.exists():
        return {}
    known = by_key(facets)
    evidence = {name: _Evidence.of(entry) for name, entry in entries.items()}
    cells: dict[str, Cell] = {}
    for position, fields in enumerate(read_json_file(CellsFile, path).cells):
        where = f"{path}: cells[{position}]"
        if fields.facet not in known:
            raise CatalogError(f"{where}.facet is {fields.facet!r}; {FACETS_FILE} has no such facet; correct it")
        if fields.facet in cells:
            raise CatalogError(
                f"{where}.facet {fields.facet!r} has two cells; an agent answers a facet once; remove one"
            )
        cells[fields.facet] = _cell(fields, known[fields.facet][1], evidence, f"{where} ({fields.facet})")
    return cells


def _cell(fields: CellFields, facet: Facet, evidence: Mapping[str, _Evidence], where: str) -> Cell:
    if (fields.verdict is None) == (fields.value is None):
        raise CatalogError(
            f"{where} has {'both' if fields.value else 'neither'} verdict and value; a cell has one; correct it"
        )
    if (fields.value and facet.kind == "verdict") or (fields.verdict in ("yes", "partly") and facet.kind == "value"):
        raise CatalogError(
            f"{where} is {fields.value or fields.verdict!r}; its facet asks for a {facet.kind}; correct it"
        )
    if fields.verdict == "undocumented" and fields.because is None:
        return Cell(fields.verdict, None, None, None)
    because = _sentence(fields, evidence, where)
    return Cell(fields.verdict, fields.value, because, fields.source)


def _sentence(fields: CellFields, evidence: Mapping[str, _Evidence], where: str) -> str:
    """Return the statement that a cell rests on.

    Raises:
        CatalogError: there is none, or the entry does not cite the page.
    """
    capability, _, id_ = (fields.because or "").rpartition("/")
    name = capability or fields.facet.rpartition("/")[0]
    texts, pages = evidence.get(name, _NOTHING)
    if id_ not in texts:
        raise CatalogError(
            f"{where}.because is {fields.because!r}; it names a statement of an entry by its id, after '<capability>/' "
            "for another one than the facet's; correct it, or write the statement"
        )
    if fields.source not in pages:
        raise CatalogError(
            f"{where}.source is {fields.source!r}; it is one of the sources of entry {name!r}; correct it, or cite the "
            "page there"
        )
    return texts[id_]
