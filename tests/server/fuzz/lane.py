"""How many cases the lane has, and how they are chosen: the same in every run, or others for a seed."""

import os
from collections.abc import Callable
from typing import Any, Final

from hypothesis import HealthCheck, seed, settings

CASES: Final = {
    "arguments": 2_600,
    "real arguments": 600,
    "bodies": 1_500,
    "in sessions": 500,
    "headers": 1_500,
    "wire": 500,
}
SEED_VARIABLE: Final = "FUZZ_SEED"
"""Names a number for cases other than the usual ones: `FUZZ_SEED=7 pytest -m slow tests/server/fuzz`."""

DEADLINE: Final = 10.0
"""Seconds for a case; it takes some milliseconds."""

Test = Callable[..., Any]


def fuzzed(kind: str) -> Callable[[Test], Test]:
    """Run a test that takes `@given` for as many cases as its kind has."""
    chosen = os.environ.get(SEED_VARIABLE)

    def decorate(test: Test) -> Test:
        limited: Test = settings(
            max_examples=CASES[kind],
            derandomize=chosen is None,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )(test)
        return limited if chosen is None else seed(int(chosen))(limited)

    return decorate
