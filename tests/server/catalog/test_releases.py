"""An entry can be superseded from a release on; served is the one that holds at the catalog's horizon."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.catalog.catalog import Catalog
from server.catalog.loading import load_catalog
from server.catalog.models import AsOf
from server.catalog.releases import parts
from server.errors import CatalogError
from tests.toy import entry, write_data


def load(folder: Path, *entries: dict[str, Any], version: str | None = None) -> Catalog:
    as_of = {"asOf": {"version": version, "date": "2026-10-20"}} if version else {}
    file = {"agent": {"name": "Solo"}, "capabilities": list(entries), **as_of}
    return load_catalog(write_data(folder / "data", {"solo": file}))


def vision(tier: str, **more: Any) -> dict[str, Any]:
    return entry("Vision", "performance", tier=tier, **more)


def refusal(folder: Path, *entries: dict[str, Any]) -> str:
    with pytest.raises(CatalogError) as caught:
        load(folder, *entries)
    path = folder / "data" / "agents" / "solo" / "capabilities" / "current.json"
    return str(caught.value).removeprefix(f"{path}: ")


def test_releases_are_compared_by_their_numbers() -> None:
    for older, newer in [
        ("1.9", "1.10"),
        ("2.1.99", "2.1.316"),
        ("0.57.1", "0.58.0-preview.0"),
        ("v1.2", "1.3"),
        ("1", "1.0.1"),
        ("9", "10"),
    ]:
        assert parts(older) < parts(newer), (older, newer)


def test_releases_with_the_same_numbers_are_the_same() -> None:
    for same in ["1.2", "v1.2", "1.2.0", "1.2.0.0", "1.2-preview.3", "1.2+build", "1.02"]:
        assert parts(same) == (1, 2), same


def test_the_horizon_is_read(tmp_path: Path) -> None:
    catalog = load(tmp_path, vision("pro"), version="2.1.316")
    assert catalog.agents["solo"].as_of == AsOf(version="2.1.316", date="2026-10-20")


def test_data_without_a_horizon_have_none(tmp_path: Path) -> None:
    assert load(tmp_path, vision("pro")).agents["solo"].as_of is None


def test_the_entry_that_holds_at_the_horizon_is_served(tmp_path: Path) -> None:
    for number, (version, tier) in enumerate(
        [
            ("1.9", "pro"),
            ("1.10", "free"),
            ("1.10.0-preview.1", "free"),
            ("1.10.5", "free"),
            ("2", "business"),
            (None, "business"),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        superseded = (
            vision("pro", until="1.10"),
            vision("free", since="1.10", until="2.0"),
            vision("business", since="2.0"),
        )
        found = load(folder, *superseded, version=version).entry("solo", "Vision")
        assert found is not None, (version, tier)
        assert found.tier == tier, (version, tier)


def test_where_no_entry_holds_there_is_none(tmp_path: Path) -> None:
    for number, (span, version) in enumerate(
        [({"since": "2.0"}, "1.9"), ({"until": "1.5"}, "1.9"), ({"until": "1.5"}, None)]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        catalog = load(folder, vision("pro", **span), version=version)
        assert catalog.entry("solo", "Vision") is None, (span, version)


def test_entries_of_one_name_that_hold_at_one_release_are_refused_in_three_parts(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, (first, second, where) in enumerate(
        [
            ({}, {"since": "1.4"}, ", and both hold at '1.4'"),
            ({"until": "1.5"}, {"since": "1.4"}, ", and both hold at '1.4'"),
            ({"since": "1.10"}, {"since": "1.9"}, ", and both hold at '1.10'"),
            ({"since": "1.9", "until": "3"}, {"since": "1.10", "until": "2"}, ", and both hold at '1.10'"),
            ({"until": "1.5"}, {"until": "2"}, ", and both hold at the first release"),
            ({}, {}, ""),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(first=first, second=second, where=where):
            for position, spans in enumerate(((first, second), (second, first))):
                entries = [vision("pro", **span) for span in spans]
                value, rule, step = refusal(folder / str(position), entry("Checkpoints", "a"), *entries).split("; ")
                assert value == f"capabilities[2].name 'Vision' repeats capabilities[1]{where}"
                assert "must hold for different releases" in rule
                assert step.startswith("merge them, or end the older one")


def test_each_pair_of_a_name_is_looked_at(tmp_path: Path) -> None:
    spans = ({"until": "1"}, {"since": "3"}, {"since": "2"})
    assert refusal(tmp_path, *(vision("pro", **span) for span in spans)).startswith(
        "capabilities[2].name 'Vision' repeats capabilities[1], and both hold at '3';"
    )


def test_an_entry_that_never_holds_is_refused(tmp_path: Path) -> None:
    for number, until in enumerate(["1.4", "1.4.0", "1.3"]):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert refusal(folder, vision("pro", since="1.4", until=until)).startswith(
            f"capabilities[0].until (entry 'Vision') is {until!r};"
        ), until


def test_a_release_without_an_order_is_refused(tmp_path: Path) -> None:
    for number, release in enumerate(["", "new", "1.", "1..2", "1 (beta)", "9" * 5_000]):
        for field in ("since", "until"):
            message = refusal(tmp_path / f"{field}-{number}", vision("pro", **{field: release}))
            assert message.startswith(f"capabilities[0].{field} (entry 'Vision') is "), (field, release)


def test_a_horizon_is_a_release_and_a_day(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, (as_of, field) in enumerate(
        [
            ({"version": "new", "date": "2026-10-20"}, "asOf.version"),
            ({"version": "1", "date": "2026-02-30"}, "asOf.date"),
            ({"version": "1"}, "asOf.date"),
            ("1.2", "asOf"),
        ]
    ):
        with subtests.test(as_of=as_of, field=field):
            folder = tmp_path / str(number) / "agents" / "solo" / "capabilities"
            folder.mkdir(parents=True)
            content = {"agent": {"name": "Solo"}, "asOf": as_of, "capabilities": [vision("pro")]}
            (folder / "current.json").write_text(json.dumps(content), encoding="utf-8")
            with pytest.raises(CatalogError, match=f"{field} is "):
                load_catalog(tmp_path / str(number))
