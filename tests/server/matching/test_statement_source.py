import logging
from pathlib import Path

import pytest

from embeddings.statements import statement_index
from embeddings.statements.statement import Statement
from embeddings.training.statements import build_statements
from server.catalog.catalog import Catalog
from server.catalog.loading import load_catalog
from server.catalog.statements import statements
from server.matching import statement_source
from server.matching.service import Service, open_service
from server.matching.statement_source import STATEMENTS_FILE
from server.matching.vector_cache import cache_folder
from tests.toy import ToyEncoder, write_data


def loaded(data: Path, encoder: ToyEncoder | None = None) -> Service:
    used = encoder or ToyEncoder()
    service = open_service(data, lambda threads: used)
    service.matchers.load()
    return service


def test_statements_without_vectors_are_embedded_once_and_cached(toy_data: Path) -> None:
    loaded(toy_data)
    encoder = ToyEncoder()
    service = loaded(toy_data, encoder)
    assert service.statements is not None
    assert "start Checkpoints" not in encoder.encoded


def test_statements_that_are_embedded_are_read_from_the_catalog_once(
    toy_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Catalog] = []

    def reading(catalog: Catalog) -> list[Statement]:
        read.append(catalog)
        return statements(catalog)

    monkeypatch.setattr(statement_source, "statements", reading)
    service = loaded(toy_data)
    assert service.statements is not None
    assert read == [service.catalog]


def test_vectors_in_the_data_folder_are_used(toy_data: Path) -> None:
    index = build_statements(statements(load_catalog(toy_data)), ToyEncoder())
    statement_index.write(toy_data / STATEMENTS_FILE, index)
    encoder = ToyEncoder()
    loaded(toy_data, encoder)
    assert "start Checkpoints" not in encoder.encoded


def test_stale_vectors_are_embedded_anew(toy_data: Path, tmp_path: Path) -> None:
    other = write_data(tmp_path / "other", {"claude-code": {"agent": {"name": "Other"}, "capabilities": []}})
    assert statements(load_catalog(other)) == []
    (toy_data / STATEMENTS_FILE).write_bytes(b"of something else")
    encoder = ToyEncoder()
    assert loaded(toy_data, encoder).statements is not None
    assert "start Checkpoints" in encoder.encoded


def test_a_catalog_without_entries_has_no_statements_and_answers(tmp_path: Path) -> None:
    data = write_data(tmp_path, {"claude-code": {"agent": {"name": "Claude Code"}, "capabilities": []}})
    service = loaded(data)
    assert service.statements is None
    assert service.ask("undo it", "claude-code").result.matches[0].name == "Checkpoints"


def test_a_questions_file_that_cannot_be_read_is_logged_and_the_rest_answers(
    toy_data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (toy_data / "agents" / "claude-code" / "capabilities" / "questions.json").write_text("{", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        service = loaded(toy_data)
    assert "answers do not point out statements" in caplog.text
    assert service.ask("rewind", "claude-code").result.decision == "resolved"


def test_what_is_cached_is_named_by_its_texts(toy_data: Path) -> None:
    loaded(toy_data)
    assert len(list(cache_folder().glob("*.npz"))) == 2
