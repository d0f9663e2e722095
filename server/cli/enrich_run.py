"""One run of `enrich`: reads the answers there are, asks for the missing ones, writes the catalog, and reports."""

import argparse
import os
import sys
from functools import cached_property
from pathlib import Path

import anyio

from embeddings.encoder.cached_encoder import CachedEncoder
from embeddings.errors import ModelError, VectorFileError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from server.cli.enrich_report import Report
from server.cli.enrich_target import Target
from server.cli.progress import counting_progress, embedding_progress
from server.cli.provider_options import open_chosen_provider
from server.enrichment.answers import Answer, journal_of, open_journal, read_answers
from server.enrichment.asking import Asker, Failure
from server.enrichment.catalog_file import refuse_same_file
from server.enrichment.collecting import Collected, collect, enriched
from server.enrichment.estimate import Estimate, estimate
from server.enrichment.prompts import Prompt, key_of, prompts_for
from server.enrichment.unused import unused
from server.enrichment.wording import Wording
from server.errors import CallerError
from server.matching import vector_cache
from server.matching.encoders import load_encoder
from server.telemetry.logs import log_warnings


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
