"""One run of `enrich`: reads the answers there are, asks for the missing ones, writes the catalog, and reports."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import anyio

from embeddings.encoder.caching import CachedEncoder
from embeddings.errors import ModelError, VectorFileError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from server.cli.enrich_target import Target
from server.cli.options import open_chosen_provider
from server.cli.progress import counting_progress, embedding_progress
from server.enrichment.answers import Answer, journal_of, open_journal, read_answers
from server.enrichment.asking import Asker, Failure
from server.enrichment.catalog_file import refuse_same_file
from server.enrichment.collecting import Collected, collect, enriched
from server.enrichment.estimate import Estimate, Figures, Unused, estimate, unused
from server.enrichment.prompts import Prompt, Wording, key_of, prompts_for
from server.errors import CallerError, brief
from server.matching import vector_cache
from server.matching.encoders import load_encoder
from server.output import bold, print_json, print_text, table
from server.telemetry.logs import log_warnings

SHOWN: Final = 20
"""Confusable pairs, unused ids and unreadable lines that the text shows; JSON has all of them."""

_MEASURED_ON: Final = "measured on the generated queries themselves, not on users'"


@dataclass(frozen=True)
class Report:
    """The outcome of a run.

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
            print_text("\n".join(self.to_text()))
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
        """Return the label's name, or its id where another label has the same name."""
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


class Enrichment:
    """The enrichment of a catalog.

    Attributes:
        answers: those of earlier runs, of the given files, and of this run.
        unreadable: lines of these files that are not answers, as "FILE, line NUMBER".
    """

    def __init__(self, options: argparse.Namespace, target: Target) -> None:
        """Read the answers there are.

        Args:
            options: of the command.
            target: what is enriched.

        Raises:
            CallerError: a file of answers cannot be read, or a file to be written is one that is read.
        """
        self._options = options
        self._target, self._book = target, target.book
        self._journal = journal_of(target.out) if target.out else None
        self._check_files()
        self.answers: list[Answer] = [*target.kept]
        self.unreadable: list[str] = []
        journal = [self._journal] if self._journal and self._journal.exists() else []
        for path in (*journal, *options.answers):
            found = read_answers(path)
            self.answers += found.answers
            self.unreadable += [f"{path}, line {number}" for number in found.unreadable]
        prompts = prompts_for(self._book, options.per_label, {key_of(answer.id) for answer in self.answers})
        self._prompts = [prompt for prompt in prompts if target.near_misses or not prompt.out_of_scope]

    @property
    def missing(self) -> list[Prompt]:
        """The prompts that are not answered yet."""
        return [each.prompt for each in self._collect() if each.missing]

    def wording(self) -> Wording:
        """Words the prompts."""
        return Wording(self._book, self._matcher)

    def run(self) -> int:
        """Ask, write and report. Returns 1 if prompts are left without an answer, otherwise 0."""
        log_warnings()
        failures = self._ask(self.missing) if self._options.model else []
        collected = self._collect()
        found = enriched(self._book, collected)
        if any(each.queries for each in collected):
            self._target.write(found)
        report = Report(
            out=self._out,
            book=self._book,
            collected=collected,
            failures=failures,
            unused=unused(self._book, self._prompts, self.answers),
            unreadable=self.unreadable,
            estimate=self._estimate(collected, found),
        )
        report.show(as_json=self._options.json)
        return 1 if report.missing else 0

    @property
    def _out(self) -> Path:
        if self._target.out is None:
            raise ValueError("nothing is written without --out; print the prompts only")
        return self._target.out

    def _check_files(self) -> None:
        read, out = [*self._target.read, *self._options.answers], self._target.out
        prompts = self._options.prompts
        if out:
            if out.is_dir():
                raise CallerError(f"--out {str(out)!r} is a folder; it must be a file; give its path")
            for path in read:
                refuse_same_file(out, "--out", path)
            for path in self._target.read:
                refuse_same_file(journal_of(out), "the journal", path)
        if prompts not in {None, "-"}:
            for path in [*read, *([out, journal_of(out)] if out else [])]:
                refuse_same_file(Path(prompts), "--prompts", path)

    def _collect(self) -> list[Collected]:
        return collect(self._book, self._prompts, self.answers)

    def _ask(self, prompts: list[Prompt]) -> list[Failure]:
        """Ask the model; what it replies is in the journal before the next prompt is sent."""
        if not prompts:
            return []
        provider = open_chosen_provider(self._options)
        with open_journal(journal_of(self._out)) as journal:
            wording = self.wording()
            with counting_progress("asking", "prompts", len(prompts)) as advance:
                asker = Asker(provider, wording, journal, advance)
                anyio.run(asker.ask, prompts, self._options.concurrency)
        self.answers += asker.answers
        return asker.failures

    @cached_property
    def _encoder(self) -> CachedEncoder | None:
        try:
            return CachedEncoder(load_encoder(os.cpu_count() or 1))
        except ModelError as error:
            print(f"the catalog is compared by letters only, and there is no estimate: {error}", file=sys.stderr)
            return None

    @cached_property
    def _matcher(self) -> Matcher:
        """A matcher of the catalog as it was given: from the cache, else built."""
        if self._encoder is None:
            return Matcher.degraded(self._book)
        try:
            return vector_cache.find(self._book, self._encoder)
        except VectorFileError:
            with embedding_progress() as progress:
                matcher = Matcher.build(self._book, self._encoder, progress)
            vector_cache.keep(matcher, self._book, self._encoder)
            return matcher

    def _estimate(self, collected: list[Collected], found: PhraseBook) -> Estimate | None:
        folds = self._options.folds
        if not folds or self._encoder is None or found == self._book:
            return None
        matcher = self._matcher
        with embedding_progress() as progress:
            self._encoder.fill([*(phrase.text for phrase in found.phrases()), *found.out_of_scope], progress)
        with counting_progress("cross-validating", "folds", folds) as advance:
            return estimate(self._book, collected, matcher, self._encoder, folds, advance)
