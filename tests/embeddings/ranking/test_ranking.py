import numpy as np
import pytest

from embeddings.arrays import FloatArray
from embeddings.index.fitted_index import NEEDS_MODEL, SIGNALS, FittedIndex
from embeddings.index.vector_product import VectorProduct
from embeddings.labels.corpus import Corpus
from embeddings.ranking.rankers import FullRanker, LexicalRanker, Ranker, lexical_signals
from embeddings.ranking.ranking import Ranking
from embeddings.ranking.signals import whiten
from embeddings.training.build import build_index, fit_lexical_weights
from tests.toy import BOOK, ToyEncoder


class KnowsNothing(ToyEncoder):
    """An encoder to which every word outside the catalog is misspelt."""

    def knows(self, word: str) -> bool:
        return False


@pytest.fixture
def fitted() -> FittedIndex:
    return build_index(BOOK, ToyEncoder())


@pytest.fixture
def rankers(fitted: FittedIndex) -> list[Ranker]:
    return [FullRanker(fitted, ToyEncoder()), LexicalRanker(fitted.corpus, fit_lexical_weights(fitted.corpus))]


def by_hand(confidences: list[float], by_embedding: list[float] | None) -> Ranking:
    return Ranking(
        signals=np.zeros((len(confidences), len(SIGNALS)), dtype=np.float32),
        weights=np.zeros(len(SIGNALS)),
        confidences=np.array(confidences),
        by_embedding=None if by_embedding is None else np.array(by_embedding),
        nearness=np.zeros(0, dtype=np.float32),
        read_as="",
    )


def test_confidences_of_all_labels_and_none_add_up_to_one(rankers: list[Ranker]) -> None:
    for ranker in rankers:
        for phrase in ["restore it", "rewnd", "zzz", "?", "see outside back"]:
            ranking = ranker.rank(phrase)
            assert ranking.confidences.shape == (4,), phrase
            assert ranking.confidences.sum() == pytest.approx(1), phrase


def test_labels_are_ordered_best_first_and_equal_ones_as_in_the_catalog() -> None:
    assert by_hand([0.1, 0.3, 0.1, 0.3, 0.2], None).order().tolist() == [1, 3, 0, 2]
    assert by_hand([0.25, 0.5] * 50 + [0.0], None).order().tolist() == [*range(1, 100, 2), *range(0, 100, 2)]


def test_the_place_by_embedding_counts_the_labels_that_the_model_puts_higher() -> None:
    ranking = by_hand([0.5, 0.3, 0.1, 0.1], [1.0, 3.0, 1.0])
    assert [ranking.place_by_embedding(label) for label in range(3)] == [1, 0, 1]


def test_without_the_model_no_label_has_a_place_by_embedding() -> None:
    assert by_hand([0.1, 0.3, 0.6], None).place_by_embedding(0) == 0


def test_a_misspelt_word_is_read_corrected(rankers: list[Ranker]) -> None:
    for ranker in rankers:
        assert ranker.rank("Plug in outsdie tools").read_as == "plug in outside tools", type(ranker)


def test_a_phrase_without_slips_is_read_as_typed(rankers: list[Ranker]) -> None:
    for ranker in rankers:
        assert ranker.rank("Plug in outside TOOLS").read_as == "Plug in outside TOOLS", type(ranker)


def whitened_cosines(fitted: FittedIndex, texts: list[str]) -> list[FloatArray]:
    return list(VectorProduct(fitted.blocks)(whiten(ToyEncoder().encode(texts), fitted.whitening)))


def test_both_readings_count_half(fitted: FittedIndex) -> None:
    ranker = FullRanker(fitted, KnowsNothing())
    typed, corrected = "see a rewindd", "see a rewind"
    halves = whitened_cosines(fitted, [typed, corrected])
    np.testing.assert_allclose(ranker.rank(typed).nearness, (halves[0] + halves[1]) / 2, rtol=1e-5)


def test_the_signals_of_both_readings_count_half(fitted: FittedIndex) -> None:
    ranking = FullRanker(fitted, KnowsNothing()).rank("see a rewindd")
    cosines = whitened_cosines(fitted, ["see a", "see a rewind"])
    kernel = np.mean([fitted.head.scores(cosine) for cosine in cosines], axis=0)
    nearest = np.mean([fitted.corpus.spans.best_and_mean(cosine)[1] for cosine in cosines], axis=0)
    np.testing.assert_allclose(ranking.signals[:3, SIGNALS.index("kernel")], kernel[:3], rtol=1e-5)
    np.testing.assert_allclose(ranking.signals[:3, SIGNALS.index("cosine")], nearest[:3], rtol=1e-5)
    assert ranking.signals[3, SIGNALS.index("none cosine")] == pytest.approx(nearest[3])


def test_what_the_model_alone_says_is_of_the_phrase_as_typed(fitted: FittedIndex) -> None:
    ranking = FullRanker(fitted, KnowsNothing()).rank("see a rewindd")
    alone = FullRanker(fitted, KnowsNothing()).rank("see a")
    assert alone.by_embedding is not None
    assert ranking.by_embedding is not None
    np.testing.assert_allclose(ranking.by_embedding, alone.by_embedding)


def test_a_word_that_the_model_knows_is_not_corrected(fitted: FittedIndex) -> None:
    class Knowing(ToyEncoder):
        def knows(self, word: str) -> bool:
            return word == "rewindd"

    assert FullRanker(fitted, Knowing()).rank("rewindd").read_as == "rewindd"
    assert FullRanker(fitted, ToyEncoder()).rank("rewindd").read_as == "rewind"


def test_the_better_reading_gives_the_lexical_signals() -> None:
    index = Corpus.build(BOOK)
    both = vars(lexical_signals(index, ["mcp", "images"]))
    one, other = (vars(lexical_signals(index, [reading])) for reading in ("mcp", "images"))
    for signal, values in both.items():
        np.testing.assert_array_equal(values, np.maximum(one[signal], other[signal]))


def test_a_lexical_ranker_uses_no_signal_of_the_model(fitted: FittedIndex) -> None:
    ranking = LexicalRanker(fitted.corpus, fitted.lexical_weights).rank("rewnd")
    assert not ranking.signals[:, NEEDS_MODEL].any()
    assert ranking.by_embedding is None


def test_a_lexical_ranker_is_degraded_and_a_full_one_is_not(fitted: FittedIndex) -> None:
    assert LexicalRanker(fitted.corpus, fitted.lexical_weights).degraded
    assert not FullRanker(fitted, ToyEncoder()).degraded


def test_each_ranker_finds_a_misspelt_alias(rankers: list[Ranker]) -> None:
    for ranker in rankers:
        assert ranker.rank("rewnd").order()[0] == 0, type(ranker)


def test_the_nearest_clause_counts_as_a_part_of_the_phrase(fitted: FittedIndex) -> None:
    clauses = ["see a picture", "connect outside tools"]
    ranking, _ = FullRanker(fitted, ToyEncoder()).rank_clauses("go back and see", clauses)
    cosines = np.array(whitened_cosines(fitted, ["go back and see", *clauses]))[:, fitted.corpus.whole_rows]
    np.testing.assert_allclose(ranking.signals[:-1, SIGNALS.index("part")], cosines.max(axis=0), rtol=1e-5)


def test_a_clause_is_ranked_as_a_phrase_of_its_own(rankers: list[Ranker]) -> None:
    for ranker in rankers:
        clauses = ["see a picture", "rewind it"]
        _, rank_clause = ranker.rank_clauses("see a picture and rewind it", clauses)
        for place, clause in enumerate(clauses):
            np.testing.assert_allclose(rank_clause(place).confidences, ranker.rank(clause).confidences, rtol=1e-6)
