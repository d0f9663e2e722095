"""Measures a catalog on a labelled file, as `eval matcher` does."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from embeddings.metrics import LabelledQuery, evaluate
from embeddings.ranking.match_result import DEFAULT_TOP, MatchResult
from embeddings.ranking.pauses import pausable, pause
from server.evals.labelled_queries import check_gold, parse_queries
from server.matching.label_service import LONGEST_PHRASE, LabelService, check_windows
from server.web.answers.label_detail import catalog_id
from server.web.answers.reliability import bin_value, reliability

if TYPE_CHECKING:
    from embeddings.matcher import Matcher
    from embeddings.store_matcher import StoreMatcher

MAX_QUERIES: Final = 2_000
"""Queries of a file; they are matched in one request, at some milliseconds each."""

MAX_WINDOWS: Final = 12_000
"""Windows of 256 tokens that the queries of a file can come to by the estimate of `embeddings.ranking.workload`: 2,000
sentences of 100 characters come to 4,600, of 200 characters to 8,100. At 0.04 s for a full window (one core of a
machine with other work), the heaviest file would take 480 s; its work ends with the time of its request, and other
files have their turns meanwhile."""

MAX_MISSES: Final = 50

Row = tuple[LabelledQuery, MatchResult]


def coverage(service: LabelService, content: str, name: str) -> dict[str, Any]:
    """Match every query of a labelled file, and compare what is found with what was wanted.

    Args:
        service: the catalog.
        content: JSON lines, each with `query` and `gold`.
        name: what messages call the file.

    Raises:
        CallerError: the file cannot be measured, or has too many or too long queries.
    """
    queries = parse_queries(content, name, MAX_QUERIES)
    for query in queries:
        service.check_length(query.query)
    phrases = [query.query[:LONGEST_PHRASE] for query in queries]
    with pausable():
        check_windows(
            name, phrases, MAX_WINDOWS, "shorten the longest, or run `agent-capabilities eval matcher` on the file"
        )
    matcher = service.matchers.get()
    check_gold(queries, _known(matcher, queries), name)
    results = _matched(matcher, phrases)
    found = evaluate(queries, results).to_dict()
    rows = list(zip(queries, results, strict=True))
    bars = reliability((result.matches[0].match_confidence, _is_right(query, result)) for query, result in rows)
    return {
        "catalog": catalog_id(service, degraded=matcher.is_degraded),
        "queries": len(queries),
        "figures": {figure: found[figure] for figure in found["intervals"]},
        "intervals": found["intervals"],
        "reliability": [bin_value(bar) for bar in bars],
        "misses": [_miss(query, result) for query, result in _worst(rows)[:MAX_MISSES]],
    }


def _matched(matcher: "Matcher | StoreMatcher", phrases: Sequence[str]) -> list[MatchResult]:
    results = []
    with pausable():
        for phrase in phrases:
            # Not every phrase embeds something, and so pauses.
            pause()
            results.append(matcher.match(phrase, DEFAULT_TOP))
    return results


def _known(matcher: "Matcher | StoreMatcher", queries: Sequence[LabelledQuery]) -> Sequence[str]:
    """Return the names of the labels; of those in a store, the ones that the queries want."""
    from embeddings.store_matcher import StoreMatcher

    if not isinstance(matcher, StoreMatcher):
        return matcher.names
    wanted = dict.fromkeys(gold for query in queries for gold in query.gold)
    return [gold for gold in wanted if any(label.name == gold for label in matcher.labels(gold))]


def _worst(rows: Sequence[Row]) -> list[Row]:
    """Return the queries that were answered wrongly, the worst first.

    Answers to what nothing fits come first, then other wrong answers, then right labels that were missed or not among
    the candidates; each with the surest first.
    """
    missed = [(grade, row) for row in rows if (grade := _grade(*row)) is not None]
    return [row for _, row in sorted(missed, key=lambda miss: (miss[0], -miss[1][1].matches[0].match_confidence))]


def _grade(query: LabelledQuery, result: MatchResult) -> int | None:
    """Return how bad a wrong answer is, from 0, the worst; None if it is not wrong."""
    if result.decision == "resolved":
        return None if _is_right(query, result) else (1 if query.gold else 0)
    if not query.gold:
        return None
    shown = any(match.name in query.gold for match in result.matches)
    return None if shown and result.decision == "ambiguous" else 2


def _is_right(query: LabelledQuery, result: MatchResult) -> bool:
    return result.matches[0].name in query.gold


def _miss(query: LabelledQuery, result: MatchResult) -> dict[str, Any]:
    first = result.matches[0]
    return {
        "query": query.query,
        "gold": list(query.gold),
        "answered": first.name,
        "decision": result.decision,
        "matchConfidence": round(first.match_confidence, 3),
    }
