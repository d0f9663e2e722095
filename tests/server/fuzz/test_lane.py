import pytest

from tests.server.fuzz.lane import CASES

ENOUGH = 5_000


@pytest.mark.slow
def test_the_lane_has_enough_cases() -> None:
    """Each kind counts its own and fails when one is missing."""
    assert sum(CASES.values()) >= ENOUGH
