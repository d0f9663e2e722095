from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from embeddings.encoder.encoder import Encoder
from server.catalog.catalog import phrase_book
from server.matching.service import Service, open_service
from server.tools.catalog_status import HINT_DEGRADED
from server.toolset.start import Start, parse_profile
from tests.server.calls import answer, error
from tests.toy import ToyEncoder, entry, write_data

FULL = Start(profile=parse_profile("full"))
TOOL = "catalog_status"


def status(service: Service, **arguments: Any) -> dict[str, Any]:
    return answer(service, TOOL, arguments)


def test_everything_is_counted_and_dated(service: Service) -> None:
    found = status(service, staleAfterDays=10**9)
    assert found.pop("today") > "2026-01-01"
    assert found == {
        "state": "ready",
        "fingerprints": {"model": "toy-1", "vectors": phrase_book(service.catalog).fingerprint},
        "degraded": False,
        "staleBefore": "0001-01-01",
        "vocabulary": {"capabilities": 3, "categories": 3, "aliases": 6, "phrasings": 6},
        "entries": {"total": 5, "available": 4, "unavailable": 1, "undocumented": 1, "stale": 0},
        "sources": {
            "total": 5,
            "stale": 0,
            "undated": 0,
            "notActive": 0,
            "oldest": "2026-08-22",
            "newest": "2026-08-22",
        },
        "pages": {"total": 1, "stale": 0},
        "agents": [
            {
                "agent": "claude-code",
                "version": "2",
                "lastUpdated": "2026-08-22T00:00:00Z",
                "available": 2,
                "unavailable": 0,
                "undocumented": 1,
                "stale": 0,
                "sources": 2,
                "staleSources": 0,
            },
            {
                "agent": "gemini-cli",
                "version": "1",
                "lastUpdated": "2026-08-21T00:00:00Z",
                "available": 2,
                "unavailable": 1,
                "undocumented": 0,
                "stale": 0,
                "sources": 3,
                "staleSources": 0,
            },
        ],
    }


def test_the_state_comes_first_then_the_counts_then_the_pages(service: Service) -> None:
    found = list(status(service, staleAfterDays=0))
    assert found[:3] == ["state", "fingerprints", "degraded"]
    assert found[-1] == "stalePages"


def test_today_is_that_of_the_clock(service: Service) -> None:
    before = datetime.now(UTC).date().isoformat()
    today = (status(service))["today"]
    assert before <= today <= datetime.now(UTC).date().isoformat()


def test_without_the_model_it_says_so_and_names_none(degraded_service: Service) -> None:
    found = status(degraded_service)
    assert (found["state"], found["degraded"], found["fingerprints"]) == ("degraded", True, {})
    assert found["hint"] == HINT_DEGRADED


def test_what_an_agent_s_file_does_not_say_is_absent(tmp_path: Path) -> None:
    agent = {"agent": {"name": "Solo"}, "capabilities": [entry("Vision", "performance", sources=[])]}
    service = open_service(write_data(tmp_path / "solo", {"solo": agent}), lambda threads: ToyEncoder())
    service.matchers.load()
    (solo,) = status(service)["agents"]
    assert list(solo) == ["agent", "available", "unavailable", "undocumented", "stale", "sources", "staleSources"]


def test_other_texts_have_another_fingerprint(service: Service, session_service: Service) -> None:
    ours, theirs = status(service), status(session_service)
    assert (ours["vocabulary"]["aliases"], theirs["vocabulary"]["aliases"]) == (6, 5)
    assert ours["fingerprints"]["vectors"] != theirs["fingerprints"]["vectors"]


def test_an_age_that_is_none_is_refused(service: Service) -> None:
    cases: list[tuple[Any, str]] = [
        (-1, "greater than or equal to 0"),
        ("soon", "valid integer"),
        (None, "valid integer"),
    ]
    for days, rule in cases:
        message = error(service, TOOL, {"staleAfterDays": days})
        assert message.startswith(f"catalog_status got {days!r} for 'staleAfterDays'"), (days, rule)
        assert rule in message, (days, rule)


def test_what_is_counted_of_all_is_counted_by_agent(shipped_service: Service) -> None:
    found = status(shipped_service)
    whole = {**found["entries"], "sources": found["sources"]["total"], "staleSources": found["sources"]["stale"]}
    for kind in ["available", "unavailable", "undocumented", "stale", "sources", "staleSources"]:
        assert sum(agent[kind] for agent in found["agents"]) == whole[kind], kind


def test_the_shipped_catalog_is_whole(shipped_service: Service, shipped_encoder: Encoder) -> None:
    found = status(shipped_service)
    assert (found["vocabulary"]["capabilities"], found["degraded"]) == (56, False)
    assert {agent["available"] + agent["unavailable"] + agent["undocumented"] for agent in found["agents"]} == {56}
    assert found["fingerprints"] == {
        "model": shipped_encoder.fingerprint,
        "vectors": phrase_book(shipped_service.catalog).fingerprint,
    }
