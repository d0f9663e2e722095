import numpy as np
from hypothesis import given

from embeddings.arrays import FloatArray
from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.projection import Projection
from tests.embeddings.projection.catalogs import clustered, corpus, drawn


@given(drawn())
def test_everything_is_drawn_within_the_picture(case: tuple[Corpus, FloatArray, Projection]) -> None:
    catalog, vectors, found = case
    assert found.labels.shape == (catalog.spans.labels, 2)
    assert found.points.shape == (len(catalog.phrases), 2) == (len(found.phrases), 2)
    for places in (found.labels, found.points, np.array([found.place(vectors @ vectors[0])])):
        assert np.isfinite(places).all()
        assert np.abs(places).max() <= 1
        np.testing.assert_array_equal(np.round(places, 3), places)


@given(drawn())
def test_a_catalog_is_always_drawn_alike(case: tuple[Corpus, FloatArray, Projection]) -> None:
    catalog, vectors, found = case
    again = Projection.of(Corpus.build(catalog.book), vectors.copy(), 1_000)
    assert (again.labels.tobytes(), again.points.tobytes()) == (found.labels.tobytes(), found.points.tobytes())
    assert again.phrases == found.phrases


@given(drawn())
def test_no_two_phrases_have_one_place(case: tuple[Corpus, FloatArray, Projection]) -> None:
    _, _, found = case
    assert len(np.unique(found.points, axis=0)) == len(found.points)


@given(drawn())
def test_labels_do_not_have_one_place(case: tuple[Corpus, FloatArray, Projection]) -> None:
    _, _, found = case
    assert len(np.unique(found.labels, axis=0)) == len(found.labels)


def test_the_only_label_is_in_the_middle() -> None:
    catalog = corpus([3])
    found = Projection.of(catalog, clustered(catalog), 1_000)
    assert found.labels.tolist() == [[0.0, 0.0]]
    assert found.points[0].tolist() == [0.0, 0.0]


def test_two_labels_are_at_opposite_sides() -> None:
    catalog = corpus([3, 3])
    found = Projection.of(catalog, clustered(catalog), 1_000)
    assert sorted(found.labels[:, 0].tolist()) == [-1.0, 1.0]


def test_the_order_of_labels_does_not_move_them() -> None:
    catalog = corpus([2] * 12)
    vectors = clustered(catalog).reshape(12, 3, -1)
    order = np.random.default_rng(2).permutation(12)
    one = Projection.of(catalog, vectors.reshape(36, -1), 1_000)
    other = Projection.of(catalog, vectors[order].reshape(36, -1), 1_000)
    np.testing.assert_allclose(other.labels, one.labels[order], atol=0.002)


def test_phrases_are_near_their_label_if_they_resemble_it_alone() -> None:
    catalog = corpus([5] * 8)
    found = Projection.of(catalog, clustered(catalog, noise=0.1), 1_000)
    distances = np.linalg.norm(found.points - found.labels[catalog.owners], axis=1)
    assert distances.max() < 0.05


def test_a_phrase_that_resembles_two_labels_lies_between_them() -> None:
    catalog = corpus([0, 0, 1])
    axes = np.eye(3, dtype=np.float32)
    both = (axes[0] + axes[1]) / np.sqrt(np.float32(2))
    found = Projection.of(catalog, np.stack([axes[0], axes[1], axes[2], axes[2]]), 1_000)
    middle = (found.labels[0] + found.labels[1]) / 2
    cosines = np.stack([axes[0], axes[1], axes[2], axes[2]]) @ both
    np.testing.assert_allclose(found.place(cosines), middle, atol=0.002)


def test_a_query_is_drawn_where_a_phrase_with_the_same_vector_is() -> None:
    catalog = corpus([3] * 10, outside=4)
    vectors = clustered(catalog, noise=1.0)
    found = Projection.of(catalog, vectors, 1_000)
    places = np.array([found.place(vectors @ vector) for vector in vectors])
    np.testing.assert_allclose(places, found.points, atol=0.01)


def test_the_centre_of_what_is_out_of_scope_is_no_label_but_attracts() -> None:
    catalog = corpus([3, 3, 3], outside=3)
    vectors = clustered(catalog, noise=0.1)
    found = Projection.of(catalog, vectors, 1_000)
    outside = found.points[-3:]
    assert len(found.labels) == 3
    assert [phrase.label for phrase in found.phrases[-3:]] == [3, 3, 3]
    assert min(np.linalg.norm(found.labels - place, axis=1).min() for place in outside) > 0.3


def test_the_built_in_background_is_not_drawn() -> None:
    catalog = corpus([1, 1], background=5)
    found = Projection.of(catalog, clustered(catalog), 1_000)
    assert (len(found.phrases), found.left_out) == (4, 0)
    assert {phrase.kind for phrase in found.phrases} == {"name", "phrasing"}


def test_texts_are_drawn_as_they_are() -> None:
    texts = ("<img src=x onerror=alert(1)>", "التراجع عن التغييرات", "long " * 4_000)
    catalog = Corpus.build(PhraseBook((Label("A", phrasings=texts), Label("B"))))
    found = Projection.of(catalog, clustered(catalog), 1_000)
    assert [phrase.text for phrase in found.phrases[1:4]] == list(texts)


def test_no_more_than_the_most_phrases_are_drawn_and_the_rest_counted() -> None:
    for most in [12, 7, 3, 1]:
        catalog = corpus([2, 9, 0], outside=2)
        found = Projection.of(catalog, clustered(catalog), most)
        assert len(found.points) == len(found.phrases) <= most, most
        assert len(found.points) + found.left_out == len(catalog.phrases), most
