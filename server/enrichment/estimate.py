"""Estimates by cross-validation what the generated queries buy, and finds those that are nearer to another label.

It measures on the generated queries themselves, which are more like one another than like what users write: it says
whether enriching helps, not how well users will be served.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from embeddings.encoder.protocol import TextEncoder
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.match_result import MatchResult
from server.enrichment.answers import Answer
from server.enrichment.collecting import Collected, enriched
from server.enrichment.prompts import Prompt, key_of, name_in, shown_name
from server.errors import nearest

NONE: Final = "(none)"
"""Stands in a confusable pair for the out-of-scope queries."""


@dataclass(frozen=True)
class Figures:
    """How the generated queries are matched.

    Attributes:
        top1: share of the labels' queries whose first match is their label; None if there are no such queries.
        top3: share of them whose label is among the first three.
        no_match: share of the out-of-scope queries that are decided as `no_match`; None if there are none.
        resolved: share of them that are decided as `resolved`, which is wrong.
    """

    top1: float | None
    top3: float | None
    no_match: float | None
    resolved: float | None

    def to_dict(self) -> dict[str, float]:
        """Return a JSON value; absent figures are left out."""
        found = {"top1": self.top1, "top3": self.top3, "noMatch": self.no_match, "falseResolve": self.resolved}
        return {name: round(value, 4) for name, value in found.items() if value is not None}


@dataclass(frozen=True)
class Pair:
    """Two labels of which the queries of one were taken for the other.

    Attributes:
        label: whose queries they are; `NONE` for out-of-scope queries.
        taken_for: the label that they are nearer to.
        queries: the queries.
    """

    label: str
    taken_for: str
    queries: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON value."""
        return {"label": self.label, "takenFor": self.taken_for, "queries": list(self.queries)}


@dataclass(frozen=True)
class Estimate:
    """The estimated gain of enriching.

    Attributes:
        queries: number of labels' queries.
        out_of_scope: number of out-of-scope queries.
        folds: number of parts that were left out in turn.
        before: with the catalog as it was given.
        after: with all generated queries but those of the same fold.
        pairs: confusable labels after enriching, those with the most queries first.
    """

    queries: int
    out_of_scope: int
    folds: int
    before: Figures
    after: Figures
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class _Row:
    """A generated query: of which prompt, its place there, its fold, and its label; None if it is out of scope."""

    owner: int
    place: int
    fold: int
    query: str
    label: str | None


def estimate(
    book: PhraseBook,
    collected: Sequence[Collected],
    before: Matcher,
    encoder: TextEncoder,
    folds: int,
    advance: Callable[[], object],
) -> Estimate:
    """Match every generated query before enriching, and after it while its fold is left out.

    Args:
        book: the catalog as it was given.
        collected: the queries.
        before: a matcher of that catalog.
        encoder: embeds each fold's catalog; one that remembers what it has encoded saves most of the time.
        folds: number of parts, 2 or more.
        advance: called after each fold.
    """
    rows = list(_rows(book, collected, folds))
    earlier = [before.match(row.query) for row in rows]
    later: dict[_Row, MatchResult] = {}
    for fold in range(folds):
        held_out = [row for row in rows if row.fold == fold]
        if held_out:
            matcher = Matcher.build(_without_fold(book, collected, rows, fold), encoder)
            later |= {row: matcher.match(row.query) for row in held_out}
        advance()
    results = [later[row] for row in rows]
    in_scope = sum(row.label is not None for row in rows)
    return Estimate(
        in_scope, len(rows) - in_scope, folds, _figures(rows, earlier), _figures(rows, results), _pairs(rows, results)
    )


def _rows(book: PhraseBook, collected: Sequence[Collected], folds: int) -> Iterator[_Row]:
    """Yield the queries with their folds: a label's queries are spread over them, each label from another fold on."""
    for owner, each in enumerate(collected):
        label = None if each.prompt.out_of_scope else book.labels[each.prompt.label].name
        for place, query in enumerate(each.queries):
            yield _Row(owner, place, (owner + place) % folds, query, label)


def _without_fold(book: PhraseBook, collected: Sequence[Collected], rows: Sequence[_Row], fold: int) -> PhraseBook:
    kept: list[list[str]] = [[] for _ in collected]
    for row in rows:
        if row.fold != fold:
            kept[row.owner].append(row.query)
    return enriched(book, [replace(each, queries=queries) for each, queries in zip(collected, kept, strict=True)])


def _figures(rows: Sequence[_Row], results: Sequence[MatchResult]) -> Figures:
    matched = list(zip((row.label for row in rows), results, strict=True))
    first = [result.matches[0].name == label for label, result in matched if label is not None]
    in_three = [label in [match.name for match in result.matches] for label, result in matched if label is not None]
    decisions = [result.decision for label, result in matched if label is None]
    return Figures(
        top1=_share(first),
        top3=_share(in_three),
        no_match=_share([decision == "no_match" for decision in decisions]),
        resolved=_share([decision == "resolved" for decision in decisions]),
    )


def _share(of: Sequence[bool]) -> float | None:
    return sum(of) / len(of) if of else None


def _pairs(rows: Sequence[_Row], results: Sequence[MatchResult]) -> tuple[Pair, ...]:
    queries: dict[tuple[str, str], list[str]] = {}
    for row, result in zip(rows, results, strict=True):
        first = result.matches[0].name
        if first != row.label if row.label is not None else result.decision == "resolved":
            queries.setdefault((row.label or NONE, first), []).append(row.query)
    pairs = [Pair(label, taken_for, tuple(texts)) for (label, taken_for), texts in queries.items()]
    return tuple(sorted(pairs, key=lambda pair: (-len(pair.queries), pair.label, pair.taken_for)))


@dataclass(frozen=True)
class Unused:
    """An id of answers that are not used.

    Attributes:
        id: the id.
        changed: whether its label is in the catalog, but with other texts than when the prompt was written.
        nearest: the label of the catalog with the most similar name, if `changed` is false.
    """

    id: str
    changed: bool
    nearest: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON value; absent fields are left out."""
        value: dict[str, Any] = {"unused": self.id, "reason": "changed_label" if self.changed else "unknown_label"}
        return value | ({"nearest": self.nearest} if self.nearest else {})


def unused(book: PhraseBook, prompts: Iterable[Prompt], answers: Sequence[Answer]) -> list[Unused]:
    """List the ids of answers that belong to no prompt, in the order of the answers."""
    keys = {prompt.key for prompt in prompts}
    names = {shown_name(label) for label in book.labels}
    others = dict.fromkeys(answer.id for answer in answers if key_of(answer.id) not in keys)
    return [_unused(identifier, names) for identifier in others]


def _unused(identifier: str, names: set[str]) -> Unused:
    name = name_in(identifier)
    if name in names:
        return Unused(identifier, changed=True)
    return Unused(identifier, changed=False, nearest=next(iter(nearest(name or identifier, sorted(names))), None))
