from collections.abc import Sequence

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.statements.statement import Statement
from embeddings.statements.statement_index import StatementIndex, fingerprint, texts
from embeddings.training.build import KEPT
from embeddings.training.statements import build_statements
from tests.embeddings.statements.conftest import STATEMENTS
from tests.toy import ToyEncoder


def test_statements_are_embedded_before_their_questions() -> None:
    assert texts(STATEMENTS) == [
        *(statement.text for statement in STATEMENTS),
        "connect picture",
        "image",
        "undo a picture",
    ]


def test_an_entry_has_the_statements_of_one_group_and_label(index: StatementIndex) -> None:
    assert index.entries == {
        ("agent", "Checkpoints"): slice(0, 2),
        ("agent", "Vision"): slice(2, 3),
        ("other", "Checkpoints"): slice(3, 4),
    }


def test_each_question_belongs_to_its_statement(index: StatementIndex) -> None:
    assert index.asked_of.tolist() == [1, 2, 2]


def test_lengths_are_those_of_the_vectors_of_an_entry(index: StatementIndex) -> None:
    # Two statements at a right angle: their mean is half a diagonal long, and each as far from it.
    assert np.allclose(index.geometry.means[:2], np.sqrt(0.5), atol=0.01)
    assert np.allclose(index.geometry.distances[:2], np.sqrt(0.5), atol=0.01)


def test_the_only_statement_of_an_entry_has_a_distance_to_divide_by(index: StatementIndex) -> None:
    assert index.geometry.distances[2] > 0


def test_a_question_changes_the_fingerprint() -> None:
    without = [Statement("agent", "Vision", "description", "see a picture")]
    asked = [Statement("agent", "Vision", "description", "see a picture", ("image",))]
    assert fingerprint(without) != fingerprint(asked)


def test_progress_is_told_for_statements_and_questions() -> None:
    told: list[tuple[int, int]] = []
    build_statements(STATEMENTS, ToyEncoder(), lambda done, of: told.append((done, of)))
    assert told[-1] == (7, 7)


def test_texts_that_another_index_has_are_not_embedded_again(index: StatementIndex) -> None:
    encoder = ToyEncoder()
    changed = (Statement("agent", "Checkpoints", "description", "an image of it"), *reversed(STATEMENTS[1:]))
    found = build_statements(changed, encoder, known=index)
    assert encoder.encoded == ["an image of it"]
    assert np.array_equal(found.blocks.restore(), build_statements(changed, ToyEncoder()).blocks.restore())


def test_a_new_text_has_its_own_vector_where_the_known_index_has_a_text_twice() -> None:
    twice = build_statements((*STATEMENTS, Statement("other", "Vision", "description", "see a picture")), ToyEncoder())
    changed = (*STATEMENTS, Statement("other", "Vision", "description", "undo all of it"))
    found = build_statements(changed, ToyEncoder(), known=twice)
    assert np.array_equal(found.blocks.restore(), build_statements(changed, ToyEncoder()).blocks.restore())


def test_an_index_whose_texts_are_all_known_embeds_nothing(index: StatementIndex) -> None:
    encoder = ToyEncoder()
    assert build_statements(STATEMENTS[2:], encoder, known=index).statements == STATEMENTS[2:]
    assert encoder.encoded == []


def test_the_vectors_of_another_encoder_are_not_taken(index: StatementIndex) -> None:
    encoder = ToyEncoder("toy-2")
    assert build_statements(STATEMENTS, encoder, known=index).model == "toy-2"
    assert encoder.encoded == texts(STATEMENTS)


class WideEncoder(ToyEncoder):
    """Gives vectors of 300 dimensions that lie in a plane of 20."""

    def __init__(self) -> None:
        super().__init__("wide-1")
        self.dimensions = 300

    def encode(self, texts: Sequence[str]) -> FloatArray:
        plane = np.random.default_rng(0).normal(size=(20, 300))
        drawn = np.array([np.random.default_rng(len(text)).normal(size=20) @ plane for text in texts])
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


def test_long_vectors_are_shortened_and_keep_their_cosines() -> None:
    encoder = WideEncoder()
    found = build_statements(STATEMENTS, encoder)
    assert found.blocks.width == KEPT
    vectors, whole = found.blocks.restore(), encoder.encode(texts(STATEMENTS))
    assert np.allclose(vectors @ vectors.T, whole @ whole.T, atol=0.01)
