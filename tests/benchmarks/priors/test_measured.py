"""The signals of a catalog's queries are kept with the labels that serve them."""

import pytest

from benchmarks.priors.cases import Case
from benchmarks.priors.measured import WEIGHT, measure
from embeddings.metrics import LabelledQuery
from tests.toy import BOOK, ToyEncoder

QUERIES = (LabelledQuery("undo it all", ("Checkpoints",)), LabelledQuery("see it", ("Vision", "MCP Support")))
CASE = Case("made/up", "made up", "examples", BOOK, (*QUERIES, LabelledQuery("how are you", ())))


def test_each_query_is_right_with_its_labels_or_with_none() -> None:
    right = measure(CASE, ToyEncoder()).right
    assert right.sum(axis=1).tolist() == [1, 2, 1]
    assert right[:, -1].tolist() == [False, False, True]


def test_queries_that_no_label_serves_make_up_a_fifth() -> None:
    importance = measure(CASE, ToyEncoder()).importance
    assert importance[-1] == pytest.approx(WEIGHT / 5)
    assert importance.sum() == pytest.approx(WEIGHT)
