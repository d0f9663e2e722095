"""semantic-router is calibrated on texts that its routes do not have."""

import importlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from benchmarks.peer import CannotFitError, Texts
from benchmarks.router_peers import CalibratedRouter, SemanticRouter
from embeddings.encoder.caching import CachedEncoder
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from tests.toy import BOOK, ToyEncoder

pytest.importorskip("semantic_router")


class NeverZero(ToyEncoder):
    """As semantic-router divides by the length of a vector."""

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        raised = super().encode(texts) + np.float32(0.1)
        return np.asarray(raised / np.linalg.norm(raised, axis=1, keepdims=True), dtype=np.float32)


def texts(book: PhraseBook) -> Texts:
    return Texts.of(book, CachedEncoder(NeverZero()))


def test_confidences_are_shares_and_decide() -> None:
    peer = CalibratedRouter()
    peer.fit(texts(BOOK))
    best = peer.scores(["rewind", "what about love"]).max(axis=1)
    assert np.all(best[np.isfinite(best)] <= 1)
    assert peer.decisions(["rewind", "what about love"]) == [
        "resolved" if confidence >= 0.5 else "no_match" for confidence in best
    ]


def test_a_catalog_of_bare_names_cannot_be_calibrated() -> None:
    with pytest.raises(CannotFitError):
        CalibratedRouter().fit(texts(PhraseBook((Label("undo"), Label("tools"), Label("image")))))


def test_routes_of_the_same_confidence_stay_in_the_routers_order() -> None:
    plain, peer = SemanticRouter(), CalibratedRouter()
    plain.fit(texts(BOOK))
    peer.fit(texts(BOOK))
    library = importlib.import_module("semantic_router.routers.base")
    peer._router.calibrator = library.Calibrator("platt", {"a": [0.0], "b": [0.4]})
    queries = ["see a picture", "connect tools", "restore back"]
    assert peer.scores(queries).argmax(axis=1).tolist() == plain.scores(queries).argmax(axis=1).tolist() == [2, 1, 0]
