from pathlib import Path

import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.errors import ModelError
from tests.server.cli.commands import Commands


@pytest.fixture
def without_model(run: Commands, monkeypatch: pytest.MonkeyPatch) -> Commands:
    def load(folder: object = None, threads: int = 1, split: int = 1) -> Encoder:
        raise ModelError("no model here")

    monkeypatch.setattr(Encoder, "load", load)
    return run


def test_an_answer_without_a_model_says_so(without_model: Commands, toy_data: Path) -> None:
    assert without_model("lookup", "claude", "mcp", "--data", str(toy_data)) == 0
    assert "(degraded: matched without the embedding model)" in without_model.out
    assert without_model("match", "mcp", "--json", "--data", str(toy_data)) == 0
    assert without_model.objects()[0]["degraded"] is True


def test_vectors_cannot_be_built_without_a_model(without_model: Commands, toy_data: Path) -> None:
    assert without_model("build-vectors", "--data", str(toy_data)) == 1
    assert without_model.err == "error: no model here\n"


def test_a_list_needs_no_model(without_model: Commands, toy_data: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert without_model("list", "--agent", "claude", "--data", str(toy_data)) == 0
    assert caplog.messages == []
