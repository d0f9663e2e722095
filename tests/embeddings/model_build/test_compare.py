import numpy as np
import pytest

from embeddings.arrays import FloatArray
from embeddings.model_build.compare import CONSIDERED, KINDS, Fidelity, Variant, fidelity, table


def unit_vectors(count: int, seed: int) -> FloatArray:
    vectors = np.random.default_rng(seed).normal(size=(count, 8))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def test_the_reference_is_wholly_like_itself() -> None:
    vectors = unit_vectors(20, 1)
    assert fidelity(vectors, vectors).to_dict() == {"texts": 20, "mean": 1.0, "least": 1.0, "nearest": 1.0}


def test_a_text_that_moved_shows_in_every_figure() -> None:
    reference = np.eye(4, dtype=np.float32)
    reference[1] = [0.8, 0.6, 0, 0]
    moved = reference.copy()
    moved[1] = [0, 0.6, 0.8, 0]
    found = fidelity(moved, reference)
    assert found.least == pytest.approx(0.36)
    assert found.mean == pytest.approx((3 + 0.36) / 4)
    assert found.nearest < 1


def test_the_table_has_a_line_a_variant() -> None:
    found = Fidelity(3, 0.99951, 0.9951, 0.951)
    lines = table([Variant("small", 23.0, 1.234, found), Variant("large", 90.0, 3.0, found)]).splitlines()
    assert len(lines) == 3
    assert lines[1].split() == ["small", "23.0", "1.23", "0.99951", "0.9951", "0.9510"]


def test_every_recipe_names_every_kind_of_product() -> None:
    assert all(set(recipe.products or KINDS) == set(KINDS) for recipe in CONSIDERED.values())
