"""The encoder does what routers of semantic-router ask of one."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("semantic_router")
from semantic_router import IndexedRouter, Route
from semantic_router.schema import RouteChoice

from agent_capabilities.integrations.semantic_router import LocalEncoder
from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import official_model_folder
from embeddings.errors import ModelError


def test_a_router_routes_with_it() -> None:
    routes = [
        Route(name="refund", utterances=["give me my money back", "refund please"]),
        Route(name="shipping", utterances=["where is my parcel", "track the order"]),
    ]
    router = IndexedRouter(encoder=LocalEncoder(), routes=routes)
    chosen = router("I want the cash returned")
    assert isinstance(chosen, RouteChoice)
    assert chosen.name == "refund"


def test_vectors_are_those_of_the_model_also_without_waiting() -> None:
    texts = ["plug in outside tools", "undo it"]
    encoder = LocalEncoder()
    np.testing.assert_allclose(encoder(texts), Encoder.load().encode(texts), atol=1e-6)
    assert asyncio.run(encoder.acall(texts)) == encoder(texts)


def test_another_model_is_chosen_by_its_folder(tmp_path: Path, shipped_encoder: Encoder) -> None:
    official = LocalEncoder(folder=official_model_folder(), threads=2)
    np.testing.assert_allclose(official(["undo it"]), shipped_encoder.encode(["undo it"]), atol=1e-6)
    with pytest.raises(ModelError, match="no model in"):
        LocalEncoder(folder=tmp_path)
