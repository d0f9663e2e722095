from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

import pytest

from server.matching.service import Service, open_service
from server.tools import catalog_status
from server.toolset.profiles import parse_profile
from server.toolset.start import Start
from tests.server.calls import MODES, answer
from tests.toy import ToyEncoder, entry, source, write_data

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]
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


async def status(service: Service, mode: str, **arguments: Any) -> dict[str, Any]:
    return await answer(service, mode, TOOL, arguments, start=FULL)


def dated(*days: str | None) -> list[dict[str, Any]]:
    """A page for each day on which it was read."""
    return [source(f"{PAGE}/{number}") | {"verifiedDate": day} for number, day in enumerate(days)]


def with_sources(folder: Path, sources: list[dict[str, Any]]) -> Service:
    """A catalog of one entry, which has these sources."""
    agent = {"agent": {"name": "Solo"}, "capabilities": [entry("Vision", "performance") | {"sources": sources}]}
    service = open_service(write_data(folder / "solo", {"solo": agent}), lambda threads: ToyEncoder())
    service.matchers.load()
    return service


@pytest.mark.parametrize(
    ("days", "limit", "stale"),
    [
        ({}, "2026-06-02", ["2026-06-01"]),
        ({"staleAfterDays": 90}, "2026-06-02", ["2026-06-01"]),
        ({"staleAfterDays": 89}, "2026-06-03", ["2026-06-01", "2026-06-02"]),
        ({"staleAfterDays": 1}, "2026-08-30", ["2026-06-01", "2026-06-02"]),
        ({"staleAfterDays": 0}, "2026-08-31", ["2026-06-01", "2026-06-02", "2026-08-30"]),
        ({"staleAfterDays": 10**9}, "0001-01-01", []),
    ],
)
async def test_a_source_is_stale_that_was_read_before_the_limit(
    tmp_path: Path, mode: str, august: None, days: dict[str, int], limit: str, stale: list[str]
) -> None:
    read = ["2026-08-31", "2026-06-02", "2026-08-30", "2026-06-01"]
    found = (await status(with_sources(tmp_path, dated(*read)), mode, **days))["sources"]
    assert (found["oldest"], found["newest"]) == ("2026-06-01", "2026-08-31")
    assert (found["staleBefore"], found["stale"]) == (limit, len(stale))
    assert found.get("stalePages", []) == [f"{PAGE}/{read.index(day)}" for day in stale]


async def test_the_oldest_stale_pages_are_named_once_each_up_to_ten(tmp_path: Path, mode: str, august: None) -> None:
    pages = dated(*(f"2024-01-{31 - number}" for number in range(12)))
    found = (await status(with_sources(tmp_path, [*pages, pages[11], pages[11]]), mode))["sources"]
    assert (found["total"], found["pages"], found["stale"]) == (14, 12, 14)
    assert found["stalePages"] == [page["url"] for page in pages[:1:-1]]


async def test_pages_of_one_day_are_named_in_the_order_of_their_addresses(
    tmp_path: Path, mode: str, august: None
) -> None:
    pages = dated("2024-01-01", "2024-01-01", "2023-01-01")
    found = (await status(with_sources(tmp_path, pages[::-1]), mode))["sources"]
    assert found["stalePages"] == [f"{PAGE}/2", f"{PAGE}/0", f"{PAGE}/1"]


async def test_sections_of_a_page_are_not_counted_as_pages(tmp_path: Path, mode: str) -> None:
    sections = [source(f"{PAGE}#{name}") for name in ("setup", "limits")]
    assert (await status(with_sources(tmp_path, sections), mode))["sources"]["pages"] == 1


async def test_undated_sources_are_counted_and_not_stale(tmp_path: Path, mode: str) -> None:
    found = await status(with_sources(tmp_path, dated(None, None)), mode, staleAfterDays=0)
    limit = found["today"]
    assert found["sources"] == {
        "total": 2,
        "pages": 2,
        "undated": 2,
        "stale": 0,
        "staleBefore": limit,
        "notActive": 0,
    }


async def test_sources_that_are_not_active_are_counted(tmp_path: Path, mode: str) -> None:
    states = ("active", "deprecated", "modified", "unknown")
    sources = [source() | {"status": state} for state in states]
    assert (await status(with_sources(tmp_path, sources), mode))["sources"]["notActive"] == 3
