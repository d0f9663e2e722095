"""Catalogs made of public sets, with queries that a label serves and queries that none does."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, TypeVar

from benchmarks.sets import intents, sources
from benchmarks.sets.labelled_set import LabelledSet
from embeddings.labels.phrase_book import PhraseBook
from embeddings.metrics import LabelledQuery

Kind = Literal["thin", "examples"]
T = TypeVar("T")

MAX_QUERIES: Final = 300
"""Queries of one set that are measured; they say enough about a dozen weights."""
OUTSIDE: Final = 100
"""Queries of CLINC150 that none of its intents fits, and so hardly any tool."""
OWN_OUTSIDE: Final = 40
"""Out-of-scope phrases of the shipped catalog: they are near misses of developers' tools."""
OF_OTHERS: Final = 12
"""Queries of each other set of few tools."""
GIVEN_OUTSIDE: Final = 14
"""Out-of-scope phrases in the second catalog of each set, so that the weights hold with a few and without."""
FEW: Final = (1, 3, 5, 10)
"""Phrases an intent in the catalogs with examples."""
_SMALL: Final = frozenset(("nestful", "workbench", "restbench-tmdb", "restbench-spotify"))
"""Sets of few tools about other things than each other."""


@dataclass(frozen=True)
class Case:
    """A catalog and its queries.

    Attributes:
        source: the repository.
        data: the set and the shape.
        kind: the weights that it teaches.
        book: the catalog.
        queries: those without gold labels are served by none.
    """

    source: str
    data: str
    kind: Kind
    book: PhraseBook
    queries: tuple[LabelledQuery, ...]


def thin(folder: Path, own_outside: Sequence[str]) -> Iterator[Case]:
    """Yield each set of tools without and with out-of-scope phrases.

    Bare names of intents say less than names and descriptions of tools, and would teach other weights.
    """
    read = [
        (source.repository, reader(folder / source.repository)) for source in sources.TOOLS for reader in source.readers
    ]
    by_name = {each.name: each for _, each in read}
    clinc = folder / sources.CLINC.repository
    far, given = intents.clinc_outside(clinc, "oos_val"), intents.clinc_outside(clinc, "oos_train")
    for repository, each in read:
        draw = random.Random(each.name)
        outside = [*_some(draw, far, OUTSIDE), *_some(draw, own_outside, OWN_OUTSIDE), *_of_others(draw, each, by_name)]
        queries = (*_some(draw, each.queries, MAX_QUERIES), *(LabelledQuery(text, ()) for text in outside))
        labels = each.with_phrasings(0).labels
        for phrases in ((), tuple(_some(draw, given, GIVEN_OUTSIDE))):
            data = f"{each.name}, {len(phrases)} out of scope"
            yield Case(repository, data, "thin", PhraseBook(labels, phrases), queries)


def with_examples(folder: Path) -> Iterator[Case]:
    """Yield the sets of intents with few examples, with all their intents and with a third of them hidden."""
    clinc = intents.clinc(folder / sources.CLINC.repository)
    far = intents.clinc_outside(folder / sources.CLINC.repository, "oos_val")
    for count in FEW:
        yield from _whole_and_part(sources.CLINC.repository, clinc.with_phrasings(count), far, count)
    for count in (5, 10):
        hwu = intents.hwu(folder / sources.HWU.repository, count)
        yield from _whole_and_part(sources.HWU.repository, hwu, far, count)


def _whole_and_part(repository: str, read: LabelledSet, far: Sequence[str], count: int) -> Iterator[Case]:
    data = f"{read.name} x {count}"
    draw = random.Random(data)
    outside = [LabelledQuery(text, ()) for text in _some(draw, far, OUTSIDE)]
    queries = (*_some(draw, read.queries, MAX_QUERIES), *outside)
    yield Case(repository, data, "examples", PhraseBook(read.labels), queries)
    hidden = {label.name for label in _some(draw, read.labels, len(read.labels) // 3)}
    kept = tuple(label for label in read.labels if label.name not in hidden)
    served = [query for query in read.queries if not hidden.intersection(query.gold)]
    near = [replace(query, gold=()) for query in read.queries if hidden.issuperset(query.gold)]
    queries = (
        *_some(draw, served, MAX_QUERIES),
        *_some(draw, near, OUTSIDE),
        *_some(draw, outside, OUTSIDE // 2),
    )
    yield Case(repository, f"{data}, a third hidden", "examples", PhraseBook(kept), queries)


def _of_others(draw: random.Random, read: LabelledSet, by_name: Mapping[str, LabelledSet]) -> list[str]:
    if read.name not in _SMALL:
        return []
    others = [by_name[name] for name in sorted(_SMALL - {read.name})]
    return [query.query for other in others for query in _some(draw, other.queries, OF_OTHERS)]


def _some(draw: random.Random, items: Sequence[T], most: int) -> list[T]:
    return draw.sample(list(items), min(most, len(items)))
