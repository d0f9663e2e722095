from pathlib import Path

import numpy as np
import pytest

from benchmarks.query import ROOT, options, sides, summary


def test_each_query_counts_with_its_median_over_the_rounds() -> None:
    times = np.array([[[1.0], [10.0]], [[3.0], [20.0]], [[100.0], [30.0]]])
    assert summary(times) == {"mean us": 11.5, "median us": 11.5}


def test_the_ratio_is_of_this_checkout_to_the_other() -> None:
    times = np.array([[[1.0, 2.0], [3.0, 4.0]]] * 3)
    found = summary(times)
    assert found["ratio of means"] == round(4 / 6, 3)
    assert found["median ratio"] == 0.625
    assert (found["lowest round"], found["highest round"]) == (0.667, 0.667)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Return a folder that looks like a checkout, with two files that stand for vector files."""
    (tmp_path / "embeddings").mkdir()
    for name in ("ours.npz", "theirs.npz"):
        (tmp_path / name).touch()
    return tmp_path.resolve()


def test_both_checkouts_use_the_same_vector_file_by_default(other: Path) -> None:
    chosen = options().parse_args(["--against", str(other), "--vectors", str(other / "ours.npz")])
    assert sides(chosen) == [(ROOT, other / "ours.npz"), (other, other / "ours.npz")]


def test_the_other_checkout_uses_its_own_vector_file(other: Path) -> None:
    files = ["--vectors", str(other / "ours.npz"), "--other-vectors", str(other / "theirs.npz")]
    chosen = options().parse_args(["--against", str(other), *files])
    assert sides(chosen) == [(ROOT, other / "ours.npz"), (other, other / "theirs.npz")]


def test_a_vector_file_of_no_checkout_is_refused(other: Path) -> None:
    files = ["--vectors", str(other / "ours.npz"), "--other-vectors", str(other / "theirs.npz")]
    with pytest.raises(ValueError, match="belongs to no checkout"):
        sides(options().parse_args(files))


def test_a_missing_vector_file_is_refused_before_a_process_starts(other: Path) -> None:
    files = ["--vectors", str(other / "ours.npz"), "--other-vectors", str(other / "absent.npz")]
    with pytest.raises(ValueError, match=r"absent\.npz"):
        sides(options().parse_args(["--against", str(other), *files]))
