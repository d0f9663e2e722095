"""Judges a catalog: which of its labels plain language will not reach, and why."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from embeddings.preflight.catalog import expected_missed, judge
from embeddings.preflight.evidence import gather
from embeddings.preflight.finding import RULES, Answers, Confusion, Finding, Report
from embeddings.preflight.names import duplicates, shadowed
from embeddings.preflight.promises import unkept
from embeddings.preflight.reach import Pairs, Reach
from embeddings.preflight.reading import Read, read
from embeddings.preflight.texts import LimitedEncoder, hidden, long
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from embeddings.training.build import Fit, build

MIN_PROBABILITY: Final = 0.01
"""Probability from which on a label is among those that are likeliest instead of another."""

MAX_OTHERS: Final = 8
"""Labels that are listed as likeliest instead of another."""

Progress = Callable[[int, int], None]
"""Called with the steps done and the number of all steps known so far."""


def preflight(
    content: Any, encoder: LimitedEncoder, progress: Progress | None = None, costs: Costs = DEFAULT_COSTS
) -> Report:
    """Judge a catalog's JSON value, or that of `tools/list`; nothing in it raises an error.

    Args:
        content: the value, as for `PhraseBook.from_dict`, or `ToolLists`.
        encoder: embeds its texts.
        progress: called with the number of steps done and of all steps: first texts embedded, then phrases asked.
        costs: what mistakes cost the caller, for the decisions of `Report.answers`.
    """
    told = read(content)
    findings = [*told.findings, *duplicates(told.entries), *shadowed(told.entries)]
    findings += [finding for entry in told.entries for finding in hidden(entry)]
    book = told.book()
    if book is None:
        return Report(_sorted(findings, told), 0, 0)
    fit = build(book, encoder, progress)
    vectors = fit.held_out.vectors[fit.index.corpus.whole_rows]
    evidence = gather(fit, progress, costs)
    pairs = Pairs(told.entries, evidence, vectors @ vectors.T)
    findings += [*_long(told, fit, encoder), *Reach(told.entries, evidence).find(), *pairs.find()]
    findings += unkept(told.entries, encoder)
    missed = expected_missed(fit, evidence, costs)
    findings += judge(told, missed)
    phrases = sum(len(found.queries) for found in evidence)
    return Report(_sorted(findings, told), len(told.entries), phrases, tuple(_answers(pairs)), missed)


def _answers(pairs: Pairs) -> Iterator[Answers]:
    others: dict[str, list[Confusion]] = {}
    for pair in pairs.confusions(MIN_PROBABILITY):
        others.setdefault(pair.label, []).append(pair)
    for entry, found in zip(pairs.entries, pairs.evidence, strict=True):
        answers = tuple(query.answer for query in found.queries)
        yield Answers(entry.called, entry.pointer, answers, tuple(others.get(entry.called, ())[:MAX_OTHERS]))


def _long(told: Read, fit: Fit, encoder: LimitedEncoder) -> Iterator[Finding]:
    for place, entry in enumerate(told.entries):
        yield from long(entry, place, fit.index.corpus, encoder)


def _sorted(findings: list[Finding], told: Read) -> tuple[Finding, ...]:
    """By rule, then in the order of the catalog."""
    places = {entry.called: place for place, entry in enumerate(told.entries)}
    rules = list(RULES)
    return tuple(sorted(findings, key=lambda found: (rules.index(found.rule), places.get(found.label, -1))))
