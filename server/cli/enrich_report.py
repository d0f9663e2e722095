"""The report of `enrich`, as text or as JSON lines."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from embeddings.labels.phrase_book import PhraseBook
from server.enrichment.asking import Failure
from server.enrichment.collecting import Collected
from server.enrichment.estimate import Estimate, Figures
from server.enrichment.unused import Unused
from server.errors import brief
from server.output import bold, print_json, table

SHOWN: Final = 20
"""Confusable pairs, unused ids and unreadable lines that the text shows; JSON has all of them."""

_MEASURED_ON: Final = "measured on the generated queries themselves, not on users'"


@dataclass(frozen=True)
class Report:
    """What a run did.

    Attributes:
        out: the enriched catalog.
        book: the catalog as it was given.
        collected: the queries of each prompt.
        failures: prompts that could not be asked.
        unused: ids of answers that belong to no prompt.
        unreadable: places of lines that are not answers.
        estimate: what enriching buys; None if it was not estimated.
    """

    out: Path
    book: PhraseBook
    collected: Sequence[Collected]
    failures: Sequence[Failure]
    unused: Sequence[Unused]
    unreadable: Sequence[str]
    estimate: Estimate | None

    @property
    def missing(self) -> int:
        """Number of prompts without an answer."""
        return sum(each.missing for each in self.collected)

    def show(self, *, as_json: bool) -> None:
        """Print the report, and on stderr what is left to do."""
        if as_json:
            for value in self.to_json():
                print_json(value)
        else:
            print("\n".join(self.to_text()))
        if self.missing:
            print(_left(self), file=sys.stderr)

    def to_json(self) -> Iterator[dict[str, Any]]:
        """JSON values: one for each prompt, fault and pair, then the estimate and the totals."""
        yield from (_prompt_json(each, self._name(each)) for each in self.collected)
        yield from ({"failed": each.id, "error": each.error} for each in self.failures)
        yield from (each.to_dict() for each in self.unused)
        yield from ({"unreadable": place} for place in self.unreadable)
        if self.estimate:
            yield from ({"confusable": pair.to_dict()} for pair in self.estimate.pairs)
            yield {"estimate": _estimate_json(self.estimate)}
        yield {"summary": {"out": str(self.out), **self._totals(), "missing": self.missing}}

    def to_text(self) -> Iterator[str]:
        """Lines for a person to read."""
        rows = [_row(each, self._name(each)) for each in self.collected]
        yield table(["label", "queries", "dropped"], rows)
        for each in self.failures[:1]:
            yield f"{len(self.failures)} prompts could not be asked, the first ({each.id}) with: {each.error}"
        yield from (_unused_text(each) for each in self.unused[:SHOWN])
        yield from (f"{place} is not an answer; it is left out" for place in self.unreadable[:SHOWN])
        if self.estimate:
            yield from _estimate_text(self.estimate)
        totals = self._totals()
        if any(totals.values()):
            yield f"{self.out}: {totals['queries']} queries and {totals['outOfScope']} out-of-scope queries added"
        else:
            yield f"{self.out} is not written: no query was added"

    def _name(self, each: Collected) -> str:
        """The label's name, or its id where another label has the same name."""
        label = self.book.labels[each.prompt.label]
        return label.id if label.id and self._names[label.name] > 1 else label.name

    @cached_property
    def _names(self) -> Counter[str]:
        return Counter(label.name for label in self.book.labels)

    def _totals(self) -> dict[str, int]:
        counts = Counter[str]()
        for each in self.collected:
            counts["outOfScope" if each.prompt.out_of_scope else "queries"] += len(each.queries)
        return {name: counts[name] for name in ("queries", "outOfScope")}


def _prompt_json(each: Collected, name: str) -> dict[str, Any]:
    value: dict[str, Any] = {"nearMissesOf" if each.prompt.out_of_scope else "label": name}
    value |= {"id": each.prompt.id, "queries": len(each.queries), "dropped": dict(+each.dropped)}
    if each.without_queries:
        value["withoutQueries"] = each.without_queries
    return value | ({"missing": True} if each.missing else {})


def _row(each: Collected, name: str) -> list[str]:
    dropped = [f"{reason.replace('_', ' ')} {count}" for reason, count in sorted((+each.dropped).items())]
    if each.without_queries:
        dropped.append(f"replies without queries {each.without_queries}")
    if each.missing:
        dropped.append("not answered")
    shown = f"(near misses of {name})" if each.prompt.out_of_scope else name
    return [shown, str(len(each.queries)), ", ".join(dropped)]


def _unused_text(each: Unused) -> str:
    if each.changed:
        return f"answers to {brief(each.id)} are not used: the label's texts have changed since"
    hint = f"; the nearest is {each.nearest!r}" if each.nearest else ""
    return f"answers to {brief(each.id)} are not used: no label of the catalog has this name{hint}"


def _estimate_json(found: Estimate) -> dict[str, Any]:
    return {
        "queries": found.queries,
        "outOfScope": found.out_of_scope,
        "folds": found.folds,
        "before": found.before.to_dict(),
        "after": found.after.to_dict(),
        "measuredOn": "generated queries",
    }


def _estimate_text(found: Estimate) -> Iterator[str]:
    if found.pairs:
        rows = [[pair.label, pair.taken_for, str(len(pair.queries)), pair.queries[0]] for pair in found.pairs[:SHOWN]]
        yield "\n" + table(["queries of", "nearer to", "count", "such as"], rows)
        if len(found.pairs) > SHOWN:
            yield f"and {len(found.pairs) - SHOWN} more pairs; --json lists all"
    yield "\n" + bold(f"Estimate by {found.folds}-fold cross-validation ({_MEASURED_ON})")
    parts = {"before": found.before, "after": found.after}
    yield table(["", *_HEAD], [[name, *_cells(figures)] for name, figures in parts.items()]) + "\n"


_HEAD: Final = ("first", "top 3", "out of scope: no match", "out of scope: resolved")


def _cells(figures: Figures) -> list[str]:
    values = (figures.top1, figures.top3, figures.no_match, figures.resolved)
    return ["" if value is None else f"{value:.3f}" for value in values]


def _left(report: Report) -> str:
    return (
        f"{report.missing} of {len(report.collected)} prompts have no usable answer; the answers so far are kept; run "
        "the command again with --model to ask only these, or print them with --prompts and give --answers"
    )
