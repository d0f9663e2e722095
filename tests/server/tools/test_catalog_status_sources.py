from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

import pytest

from server.matching.service import Service, open_service
from server.tools import catalog_status
from server.toolset.start import Start, parse_profile
from tests.server.calls import answer, error
from tests.toy import ToyEncoder, entry, source, write_data

FULL = Start(profile=parse_profile("full"))
TOOL = "catalog_status"
PAGE = "https://example.com/docs"


class August(datetime):
    """A clock that stands at a time when it is tomorrow already in much of the world."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "August":
        assert tz is UTC
        return cls(2026, 8, 31, 23, 30, tzinfo=tz)


@pytest.fixture
def august(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_status, "datetime", August)


def status(service: Service, **arguments: Any) -> dict[str, Any]:
    return answer(service, TOOL, arguments)


def dated(*days: str | None) -> list[dict[str, Any]]:
    """Return a page for each day on which it was read."""
    return [source(f"{PAGE}/{number}") | {"verifiedDate": day} for number, day in enumerate(days)]


def with_sources(folder: Path, sources: list[dict[str, Any]]) -> Service:
    """Return a catalog of one entry, which has these sources."""
    agent = {"agent": {"name": "Solo"}, "capabilities": [entry("Vision", "performance") | {"sources": sources}]}
    service = open_service(write_data(folder / "solo", {"solo": agent}), lambda threads: ToyEncoder())
    service.matchers.load()
    return service


def test_a_source_is_stale_that_was_read_before_the_limit(
    tmp_path: Path, august: None, subtests: pytest.Subtests
) -> None:
    cases: list[tuple[dict[str, int], str, list[str]]] = [
        ({}, "2026-06-02", ["2026-06-01"]),
        ({"staleAfterDays": 90}, "2026-06-02", ["2026-06-01"]),
        ({"staleAfterDays": 89}, "2026-06-03", ["2026-06-01", "2026-06-02"]),
        ({"staleAfterDays": 1}, "2026-08-30", ["2026-06-01", "2026-06-02"]),
        ({"staleAfterDays": 0}, "2026-08-31", ["2026-06-01", "2026-06-02", "2026-08-30"]),
        ({"staleAfterDays": 10**9}, "0001-01-01", []),
    ]
    for days, limit, stale in cases:
        with subtests.test(days=days, limit=limit, stale=stale):
            read = ["2026-08-31", "2026-06-02", "2026-08-30", "2026-06-01"]
            found = status(with_sources(tmp_path / f"{limit}-{len(days)}", dated(*read)), **days)
            assert (found["sources"]["oldest"], found["sources"]["newest"]) == ("2026-06-01", "2026-08-31")
            assert (found["staleBefore"], found["sources"]["stale"]) == (limit, len(stale))
            assert found.get("stalePages", []) == [
                {"url": f"{PAGE}/{read.index(day)}", "verifiedDate": day} for day in stale
            ]


def test_the_oldest_stale_pages_come_first_once_each_up_to_ten(tmp_path: Path, august: None) -> None:
    pages = dated(*(f"2024-01-{31 - number}" for number in range(12)))
    found = status(with_sources(tmp_path, [*pages, pages[11], pages[11]]))
    assert (found["sources"]["stale"], found["pages"]) == (14, {"total": 12, "stale": 12})
    assert [page["url"] for page in found["stalePages"]] == [page["url"] for page in pages[:1:-1]]


def test_the_cursor_leads_to_every_stale_page_once(
    tmp_path: Path, august: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog_status, "MORE_SHOWN", 20)
    days = [f"20{10 + number // 28}-01-{1 + number % 28:02}" for number in range(45)]
    service = with_sources(tmp_path, dated(*days))
    shown: list[str] = []
    sizes: list[int] = []
    cursor = ""
    while not sizes or cursor:
        found = status(service, cursor=cursor)
        shown += [page["verifiedDate"] for page in found["stalePages"]]
        sizes.append(len(found["stalePages"]))
        cursor = found.get("nextCursor", "")
    assert (shown, sizes) == (days, [10, 20, 15])


def test_a_cursor_past_the_end_has_no_pages(tmp_path: Path, august: None) -> None:
    found = status(with_sources(tmp_path, dated("2024-01-01")), cursor="9" * 30)
    assert "stalePages" not in found
    assert "nextCursor" not in found


def test_a_cursor_of_ones_own_is_refused(service: Service) -> None:
    for cursor in ["next", "-1", "1.5", "²"]:
        message = error(service, TOOL, {"cursor": cursor})
        assert message.startswith(f"got the cursor {cursor!r}; a cursor is the nextCursor of an answer before;"), cursor


def test_pages_of_one_day_are_named_in_the_order_of_their_addresses(tmp_path: Path, august: None) -> None:
    pages = dated("2024-01-01", "2024-01-01", "2023-01-01")
    found = status(with_sources(tmp_path, pages[::-1]))
    assert [page["url"] for page in found["stalePages"]] == [f"{PAGE}/2", f"{PAGE}/0", f"{PAGE}/1"]


def test_a_page_read_twice_is_as_old_as_the_first_reading(tmp_path: Path, august: None) -> None:
    twice = [source(PAGE) | {"verifiedDate": day} for day in ("2026-08-30", "2024-01-01")]
    found = status(with_sources(tmp_path, twice))
    assert (found["sources"]["stale"], found["pages"]["stale"], found["entries"]["stale"]) == (1, 1, 1)
    assert found["stalePages"] == [{"url": PAGE, "verifiedDate": "2024-01-01"}]


def test_sections_of_a_page_are_not_counted_as_pages(tmp_path: Path) -> None:
    sections = [source(f"{PAGE}#{name}") for name in ("setup", "limits")]
    found = status(with_sources(tmp_path, sections), staleAfterDays=10**9)
    assert (found["sources"]["total"], found["pages"]) == (2, {"total": 1, "stale": 0})


def test_undated_sources_are_counted_and_not_stale(tmp_path: Path) -> None:
    found = status(with_sources(tmp_path, dated(None, None)), staleAfterDays=0)
    assert found["staleBefore"] == found["today"]
    assert found["sources"] == {"total": 2, "stale": 0, "undated": 2, "notActive": 0}
    assert (found["pages"], found["entries"]["stale"]) == ({"total": 2, "stale": 0}, 0)


def test_sources_that_are_not_active_are_counted(tmp_path: Path) -> None:
    states = ("active", "deprecated", "modified", "unknown")
    sources = [source() | {"status": state} for state in states]
    assert (status(with_sources(tmp_path, sources)))["sources"]["notActive"] == 3
