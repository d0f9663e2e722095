"""Findings about a catalog are kept for the next start."""

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from server.matching.service import Service
from server.matching.vector_cache import cache_folder
from server.web.answers import catalog_health
from server.web.answers.catalog_health import MAX_KEPT, Found, find, keep
from server.web.answers.reliability import Bin, LabelOutcome, Measured
from tests.toy import BOOK

FOUND = Found(
    {"findings": [{"rule": "thin", "label": "Undo"}], "summary": {"labels": 3}},
    Measured({"Undo": [("See", 0.25)]}, {"Undo": LabelOutcome(3, 2, 1, 1, [Bin(0.0, 0.1, 0.05, 0.5, 2)])}),
)


def only_file() -> Path:
    (path,) = cache_folder().glob("health-*.json")
    return path


def test_what_is_kept_is_found_again(service: Service) -> None:
    assert find(service, BOOK) is None
    keep(service, BOOK, FOUND)
    assert find(service, BOOK) == FOUND


def test_of_another_catalog_it_is_not_found(service: Service) -> None:
    keep(service, BOOK, FOUND)
    other = replace(BOOK, labels=(replace(BOOK.labels[0], id="new"), *BOOK.labels[1:]))
    assert find(service, other) is None


def test_a_damaged_file_is_told_and_not_used(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    cases: list[Callable[[bytes], bytes]] = [lambda text: text[:-9], lambda _: b"[]", lambda _: b"\xff"]
    for spoil in cases:
        caplog.clear()
        keep(service, BOOK, FOUND)
        only_file().write_bytes(spoil(only_file().read_bytes()))
        with caplog.at_level(logging.WARNING):
            assert find(service, BOOK) is None, spoil
        assert "is not used" in caplog.text, spoil


def test_the_oldest_files_make_room(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in range(MAX_KEPT + 2):
        monkeypatch.setattr(catalog_health, "package_version", lambda version=version: str(version))
        keep(service, BOOK, FOUND)
    assert len([*cache_folder().glob("health-*.json")]) == MAX_KEPT
    assert find(service, BOOK) == FOUND


def test_a_folder_that_cannot_be_written_is_told(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("AGENT_CAPABILITIES_CACHE", str(tmp_path / "file" / "cache"))
    with caplog.at_level(logging.WARNING):
        keep(service, BOOK, FOUND)
    assert "is not kept" in caplog.text
