import pytest

from benchmarks.start import BARE, Started, figures, measure, table

BOUNDS = {"`serve`": 1.25, "`gateway` with 5 servers": 1.4}
"""The most that a start may take, in starts of the bare server."""


def test_each_start_is_compared_with_the_bare_one_of_its_turn() -> None:
    runs = {BARE: [Started(1.0, 0.5), Started(2.0, 1.0)], "ours": [Started(1.2, 1.0), Started(2.0, 1.5)]}
    found = figures(runs)
    assert found["ours"] == {"wall": 1600, "processor": 1250, "wallRatio": 1.1, "processorRatio": 1.75}
    stored = {"results": found, "starts": 2, "load": [0.5, 1.0], "machine": {"cores": 2, "processor": "one"}}
    assert "| ours | 1,600 | 1.10 | 1,250 | 1.75 |" in table(stored)


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.timeout(600)
def test_tools_are_listed_almost_as_soon_as_by_a_bare_server() -> None:
    found = figures(measure(20))
    for name, bound in BOUNDS.items():
        assert found[name]["processorRatio"] <= bound, found
        assert found[name]["wallRatio"] <= bound, found
