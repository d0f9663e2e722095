import numpy as np

from embeddings.training.workers_encoder import BatchEncoder, WorkersEncoder, encoded
from tests.toy import ToyEncoder

BATCHES = [["undo it"], [], ["see a picture", "connect tools"]]


def test_batches_are_embedded_in_order() -> None:
    found = [*encoded(BATCHES, ToyEncoder())]
    assert [len(vectors) for vectors in found] == [1, 0, 2]
    np.testing.assert_array_equal(np.concatenate(found), ToyEncoder().encode([text for b in BATCHES for text in b]))


def test_an_encoder_for_batches_is_told_from_one_that_is_not() -> None:
    assert not isinstance(ToyEncoder(), BatchEncoder)
    with WorkersEncoder(ToyEncoder(), ToyEncoder, 1) as spread:
        assert isinstance(spread, BatchEncoder)
