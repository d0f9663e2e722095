"""Compares matchers' answers to the queries of a case."""

import time
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from benchmarks.labelled_data import Case
from embeddings.metrics import calibration_error
from embeddings.ranking.match_result import DEFAULT_TOP, MatchResult

UNLABELLED: Final = frozenset({"two needs", "foreign", "fragment"})
"""Strata whose right labels are not known."""


class Answering(Protocol):
    """A matcher, in memory or over a store."""

    def match(self, phrase: str, top: int | None = None) -> MatchResult:
        """See `Matcher.match`."""


@dataclass(frozen=True)
class Answers:
    """A matcher's answers to the queries of a case, and the milliseconds that it took."""

    results: tuple[MatchResult, ...]
    times: tuple[float, ...]

    @classmethod
    def of(cls, matcher: Answering, case: Case) -> "Answers":
        """Ask everything."""
        results, times = [], []
        for query in case.queries:
            began = time.perf_counter()
            results.append(matcher.match(query.query, DEFAULT_TOP))
            times.append(1000 * (time.perf_counter() - began))
        return cls(tuple(results), tuple(times))

    @property
    def p50(self) -> float:
        """The median time."""
        return round(float(np.median(self.times)), 1)

    def calibration(self, case: Case) -> float:
        """Expected calibration error of the first label's confidence, on the queries whose right labels are known."""
        asked = [each for each in zip(case.queries, self.results, strict=True) if each[0].stratum not in UNLABELLED]
        first = [result.matches[0] for _, result in asked]
        right = [bool({each.id, each.name} & {*query.gold}) for each, (query, _) in zip(first, asked, strict=True)]
        confidence = np.array([each.match_confidence for each in first], dtype=np.float64)
        return round(calibration_error(confidence, np.array(right, dtype=bool)), 4)


def compared(case: Case, wanted: Answers, found: Answers) -> dict[str, Any]:
    """Return how far two matchers agree on a case."""
    same = np.array([answer(one) == answer(other) for one, other in zip(wanted.results, found.results, strict=True)])
    differing = Counter(query.stratum for query, equal in zip(case.queries, same, strict=True) if not equal)
    moved = [
        abs(one.matches[0].match_confidence - other.matches[0].match_confidence)
        for one, other in zip(wanted.results, found.results, strict=True)
    ]
    return {
        "catalog": case.data,
        "queries": len(same),
        "equal": round(float(same.mean()), 4),
        "differing": dict(sorted(differing.items())),
        "confidence moved p99": round(float(np.percentile(moved, 99)), 4),
        "calibration in memory": wanted.calibration(case),
        "calibration": found.calibration(case),
        "p50 ms in memory": wanted.p50,
        "p50 ms": found.p50,
    }


def answer(result: MatchResult) -> tuple[str, str, str]:
    """Return the parts that must be equal: the decision and the first label."""
    return result.decision, result.matches[0].id, result.matches[0].name
