"""What an agent's file says of its own facts is checked when it is read."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.catalog.reading import read_agent_file
from server.errors import CatalogError
from tests.toy import entry


def refusal(folder: Path, *entries: dict[str, Any], **more: Any) -> str:
    path = folder / "current.json"
    path.write_text(json.dumps({"agent": {"name": "An Agent"}, "capabilities": entries} | more), encoding="utf-8")
    with pytest.raises(CatalogError) as caught:
        read_agent_file(path)
    return str(caught.value).removeprefix(f"{path}: ")


def checked(version: str, day: str = "2026-11-20") -> dict[str, Any]:
    return entry(f"Vision {version}", "performance", checked={"by": "ran", "version": version, "date": day})


def test_an_unknown_access_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, entry("Vision", "performance", access=["key"])).startswith(
        "capabilities[0].access[0] (entry 'Vision') is 'key';"
    )


def test_two_statements_of_one_id_are_refused(tmp_path: Path) -> None:
    twice = [{"id": "no-video", "text": "no video"}, {"id": "no-video", "text": "no films"}]
    assert "two statements with the id 'no-video'" in refusal(tmp_path, entry("Vision", "a", limitations=twice))


def test_an_unknown_variant_is_refused(tmp_path: Path) -> None:
    said = [{"id": "no-video", "text": "no video", "variant": "two"}]
    assert "is of variant 'two'; variants of this agent: none" in refusal(tmp_path, entry("V", "a", limitations=said))


def test_a_horizon_that_less_than_half_of_the_entries_reach_is_refused(tmp_path: Path) -> None:
    told = refusal(
        tmp_path, checked("1.0"), checked("1.1"), checked("1.2"), asOf={"version": "1.2", "date": "2026-11-20"}
    )
    assert told.startswith("asOf.version is '1.2'; 1 of 3 entries are checked against it or a newer release")


def test_a_horizon_newer_than_any_check_is_refused(tmp_path: Path) -> None:
    told = refusal(tmp_path, checked("1.0"), asOf={"version": "1.0", "date": "2026-11-21"})
    assert told.startswith("asOf.date is '2026-11-21'; the newest check of an entry is of '2026-11-20'")
