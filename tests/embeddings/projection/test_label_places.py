import numpy as np
import pytest

from embeddings import projection as module
from embeddings.arrays import DoubleArray
from embeddings.projection import label_places, pair_distances


def _directions(labels: int, seed: int = 4) -> DoubleArray:
    vectors = np.random.default_rng(seed).normal(size=(labels, 32))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float64)


def _correlation(means: DoubleArray, places: DoubleArray) -> float:
    pairs = np.triu_indices(len(means), 1)
    return float(np.corrcoef((1 - means @ means.T)[pairs], pair_distances(places)[0][pairs])[0, 1])


def test_majorization_brings_distances_nearer_to_those_of_the_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    means = _directions(30)
    majorized = _correlation(means, label_places(means))
    monkeypatch.setattr(module, "ROUNDS", 0)
    assert majorized > _correlation(means, label_places(means)) + 0.05


def test_labels_that_are_alike_are_nearest() -> None:
    means = _directions(10)
    means[1] = means[0] + 0.1 * means[2]
    means[1] /= np.linalg.norm(means[1])
    distances, _, _ = pair_distances(label_places(means))
    np.fill_diagonal(distances, np.inf)
    assert distances[0].argmin() == 1


def test_many_labels_are_placed_without_tables_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LABELS", 20)
    monkeypatch.setattr(module, "_majorized", lambda *_: pytest.fail("all pairs were compared"))
    places = label_places(_directions(21))
    assert np.abs(places).max() == pytest.approx(1)
    assert len(np.unique(places, axis=0)) == 21


def test_labels_without_any_direction_are_placed() -> None:
    for labels in [1, 2, 5]:
        places = label_places(np.zeros((labels, 3)))
        assert np.isfinite(places).all(), labels
        assert len(np.unique(places, axis=0)) == labels, labels
