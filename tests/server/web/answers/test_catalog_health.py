import logging
import threading
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from embeddings.errors import ModelError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.preflight.finding import Answer, Answers, Report
from embeddings.preflight.preflight import preflight
from server.matching.label_service import LabelService, open_labels
from server.matching.service import Service, open_service
from server.web.answers.catalog_health import CatalogHealth
from server.web.answers.label_detail import catalog_id
from server.web.answers.reliability import Measured
from tests.embeddings.preflight.judging import LimitedToyEncoder
from tests.server.label_catalog import CATALOG, written
from tests.server.preflight.found import THIN
from tests.toy import BOOK, write_data

PATIENCE = 60.0


class Judge:
    """Judges when a test lets it, and counts."""

    def __init__(self) -> None:
        self.books: list[PhraseBook] = []
        self.may_end = threading.Event()
        self.at_once = 0
        self.most_at_once = 0
        self.error: Exception | None = None

    def __call__(self, service: LabelService, book: PhraseBook) -> Report:
        self.books.append(book)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        assert self.may_end.wait(PATIENCE)
        self.at_once -= 1
        if self.error:
            raise self.error
        answers = tuple(Answers(label.name, f"/labels/{at}", ()) for at, label in enumerate(book.labels))
        return Report((THIN,), len(book.labels), 5, answers)


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def health(judge: Judge) -> CatalogHealth:
    return CatalogHealth(judge)


def settled(health: CatalogHealth, service: LabelService) -> dict[str, Any]:
    """Return the answer once it is no longer being measured."""
    end = monotonic() + PATIENCE
    while monotonic() < end:
        answer = health.preflight(service)
        if answer["status"] != "running":
            return answer
        sleep(0.01)
    raise TimeoutError("the preflight did not end")


def another(folder: Path, name: str) -> LabelService:
    service = open_labels(
        written(folder / f"{name}.json", {"labels": [{"name": name}]}), lambda threads: LimitedToyEncoder()
    )
    service.matchers.load()
    return service


def test_the_first_call_says_that_it_is_being_measured(health: CatalogHealth, judge: Judge, service: Service) -> None:
    assert health.preflight(service) == {"catalog": catalog_id(service), "status": "running"}
    assert health.measured(service) is None
    judge.may_end.set()
    settled(health, service)


def test_the_report_is_what_preflight_prints_as_json(health: CatalogHealth, judge: Judge, service: Service) -> None:
    judge.may_end.set()
    answer = settled(health, service)
    assert answer["status"] == "ready"
    assert answer["report"]["summary"]["labels"] == 3
    assert [found["rule"] for found in answer["report"]["findings"]] == ["thin"]


def test_a_catalog_is_judged_once(health: CatalogHealth, judge: Judge, service: Service) -> None:
    judge.may_end.set()
    settled(health, service)
    assert settled(health, service)["status"] == "ready"
    assert health.measured(service) == Measured({}, {})
    assert len(judge.books) == 1


def test_one_catalog_is_judged_at_a_time(health: CatalogHealth, judge: Judge, service: Service, tmp_path: Path) -> None:
    other = another(tmp_path, "Undo")
    health.preflight(service)
    assert health.preflight(other)["status"] == "running"
    judge.may_end.set()
    settled(health, other)
    assert judge.most_at_once == 1
    assert len(judge.books) == 2


def test_a_catalog_that_was_judged_once_is_not_judged_again(
    health: CatalogHealth, judge: Judge, tmp_path: Path
) -> None:
    judge.may_end.set()
    services = [another(tmp_path, name) for name in ("Undo", "See", "Plug")]
    for service in services:
        settled(health, service)
    settled(health, services[0])
    assert [book.labels[0].name for book in judge.books] == ["Undo", "See", "Plug"]


def test_a_model_that_is_missing_is_told_and_nothing_is_pending(
    health: CatalogHealth, judge: Judge, service: Service
) -> None:
    judge.error = ModelError("the model is not there; it must be; fetch it")
    judge.may_end.set()
    answer = settled(health, service)
    assert answer["status"] == "failed"
    assert answer["error"] == "the model is not there; it must be; fetch it"
    assert health.measured(service) == Measured({}, {})


def test_a_fault_is_told_without_what_it_says_which_is_logged(
    health: CatalogHealth, judge: Judge, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    judge.error = RuntimeError("a secret")
    judge.may_end.set()
    with caplog.at_level(logging.ERROR):
        answer = settled(health, service)
    assert answer["status"] == "failed"
    assert "RuntimeError" in answer["error"]
    assert "secret" not in answer["error"]
    assert "a secret" in caplog.text


def judged_here(service: LabelService, book: PhraseBook) -> Report:
    return preflight(book.to_dict(), LimitedToyEncoder(), costs=service.matchers.costs)


def test_capabilities_are_judged(tmp_path: Path) -> None:
    service = open_service(write_data(tmp_path), lambda threads: LimitedToyEncoder())
    service.matchers.load()
    health = CatalogHealth(judged_here)
    report = settled(health, service)["report"]
    found = health.measured(service)
    assert report["summary"]["labels"] == len(BOOK.labels)
    assert found
    assert found.outcomes["Checkpoints"].asked == 2


def test_labels_with_ids_are_judged_and_called_by_these(tmp_path: Path) -> None:
    service = open_labels(written(tmp_path / "catalog.json", CATALOG), lambda threads: LimitedToyEncoder())
    service.matchers.load()
    health = CatalogHealth(judged_here)
    assert settled(health, service)["status"] == "ready"
    found = health.measured(service)
    assert found
    assert set(found.outcomes) == {"id-0", "id-1", "id-2"}


def test_what_is_resolved_in_the_report_is_counted_for_the_label(service: Service) -> None:
    answers = (Answer(0.9, True, "resolved"), Answer(0.4, False, "ambiguous"))
    report = Report((), 1, 2, (Answers("Checkpoints", "/labels/0", answers),))
    health = CatalogHealth(lambda service, book: report)
    settled(health, service)
    found = health.measured(service)
    assert found
    assert (found.outcomes["Checkpoints"].asked, found.outcomes["Checkpoints"].resolved_right) == (2, 1)
