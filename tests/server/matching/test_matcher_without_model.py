import shutil
from pathlib import Path

import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import official_model_folder
from embeddings.encoder.protocol import TextEncoder
from embeddings.errors import ModelError
from server.matching.encoders import EncoderLoader
from server.matching.matcher_provider import MatcherProvider
from server.matching.vector_cache import cache_folder
from tests.toy import BOOK


def failing(error: Exception) -> EncoderLoader:
    def loader(threads: int) -> TextEncoder:
        raise error

    return loader


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("MANIFEST.json", "tokenizer.json"):
        shutil.copy(official_model_folder() / name, folder)
    return folder


def test_without_a_model_answers_are_degraded_which_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    matchers = MatcherProvider(BOOK, [], failing(ModelError("no model in 'x'")))
    matchers.load()
    assert [matchers.get().match(phrase).degraded for phrase in ("undo", "see", "mcp")] == [True, True, True]
    assert caplog.messages == ["answers are degraded, phrases are compared by letters only: no model in 'x'"]


def test_without_a_model_nothing_is_cached() -> None:
    MatcherProvider(BOOK, [], failing(ModelError("none"))).load()
    assert not list(cache_folder().glob("*"))


def test_without_a_model_names_aliases_and_slips_of_the_pen_are_known() -> None:
    matcher = MatcherProvider(BOOK, [], failing(ModelError("none"))).load()
    assert [matcher.match(phrase).matches[0].name for phrase in ("vision", "mcp", "chekpoints")] == [
        "Vision",
        "MCP Support",
        "Checkpoints",
    ]


def test_a_missing_model_file_is_named(model_folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert MatcherProvider(BOOK, [], lambda threads: Encoder.load(model_folder)).load().is_degraded
    assert str(model_folder / "model.onnx") in caplog.text


@pytest.mark.parametrize("content", [b"", b"another model"])
def test_a_truncated_or_swapped_model_file_is_named(
    model_folder: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    (model_folder / "model.onnx").write_bytes(content)
    assert MatcherProvider(BOOK, [], lambda threads: Encoder.load(model_folder)).load().is_degraded
    assert f"{str(model_folder / 'model.onnx')!r} has sha256" in caplog.text


def test_a_fault_of_the_loader_degrades_and_is_logged_as_a_fault(caplog: pytest.LogCaptureFixture) -> None:
    assert MatcherProvider(BOOK, [], failing(RuntimeError("out of luck"))).load().is_degraded
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "out of luck" in caplog.text
