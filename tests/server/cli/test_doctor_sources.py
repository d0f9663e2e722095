import json
import socket
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from server.cli import doctor, link_check
from server.cli.link_check import Link
from server.cli.main import parser
from tests.server.cli.commands import Commands
from tests.toy import AGENT_FILES, entry, source, write_data

TODAY = date(2026, 9, 1)
OLD, NEW, UNDATED = "https://example.com/old", "https://example.com/new", "https://example.com/undated"


def agents(*sources: dict[str, Any]) -> dict[str, Any]:
    """Return two agents: the first has two capabilities that rest on these sources, the second one on the new page."""
    first = [entry(name, kind, sources=sources) for name, kind in (("Checkpoints", "a"), ("MCP Support", "b"))]
    second = [entry("Vision", "c", sources=[dated(NEW, "2026-08-22")])]
    return {
        agent: AGENT_FILES[agent] | {"capabilities": capabilities}
        for agent, capabilities in (("claude-code", first), ("gemini-cli", second))
    }


def dated(url: str, day: str | None) -> dict[str, Any]:
    return source(url) | {"verifiedDate": day}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Three pages: the new one read on two days and in two sections, an old one, and one without a date."""
    sources = [
        dated(f"{NEW}#one", "2026-08-30"),
        dated(f"{NEW}#two", "2026-08-22"),
        dated(UNDATED, None),
        dated(OLD, "2026-08-02"),
    ]
    return write_data(tmp_path / "pages", agents(*sources), texts=False)


def show(capsys: pytest.CaptureFixture[str], data: Path, *arguments: str) -> tuple[int, str]:
    options = parser().parse_args(["doctor", "--sources", "--data", str(data), *arguments])
    return doctor.check_sources(options, TODAY), capsys.readouterr().out


def objects(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_pages_are_listed_oldest_first_and_stale_after_the_days_given(
    capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    status, out = show(capsys, data, "--json", "--stale-after", "20")
    assert status == 0
    assert objects(out) == [
        {"verifiedDate": "2026-08-02", "ageInDays": 30, "stale": True, "facts": 2, "page": OLD},
        {"verifiedDate": "2026-08-22", "ageInDays": 10, "stale": False, "facts": 3, "page": NEW},
        {"verifiedDate": None, "ageInDays": None, "stale": None, "facts": 2, "page": UNDATED},
        {"pages": 3, "stale": 1, "undated": 1, "staleAfterDays": 20},
    ]
    for days, stale in [("9", 2), ("10", 1), ("29", 1), ("30", 0)]:
        assert objects(show(capsys, data, "--json", "--stale-after", days)[1])[-1]["stale"] == stale, days


def test_text_has_a_line_for_each_page_and_a_summary(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    _, out = show(capsys, data, "--stale-after", "20")
    assert [line.split() for line in out.splitlines()[1:-1]] == [
        ["2026-08-02", "30", "stale", "2", OLD],
        ["2026-08-22", "10", "fresh", "3", NEW],
        ["-", "undated", "2", UNDATED],
    ]
    assert out.splitlines()[-1] == "3 pages, 1 stale (older than 20 days), 1 undated"


def aging(folder: Path) -> Path:
    """Return an entry that ages fast cites the new page; another one cites the old and the new one."""
    marked: dict[str, Any] = {"limitations": [{"text": "ten a day", "volatile": True}]}
    entries = [
        entry("Checkpoints", "a", sources=[dated(OLD, "2026-08-02"), dated(NEW, "2026-08-22")]),
        entry("MCP Support", "b", sources=[dated(NEW, "2026-08-22")], **marked),
    ]
    return write_data(
        folder / "aging", {"claude-code": AGENT_FILES["claude-code"] | {"capabilities": entries}}, texts=False
    )


def test_pages_of_statements_that_age_fast_come_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    data = aging(tmp_path)
    *pages, summary = objects(show(capsys, data, "--json")[1])
    assert [(page["page"], page.get("agesFast"), page["facts"]) for page in pages] == [(NEW, 1, 2), (OLD, None, 1)]
    assert summary["agesFast"] == 1
    first, second, total = show(capsys, data)[1].splitlines()[1:]
    assert first.endswith(f"  ages fast  {NEW}")
    assert "ages fast" not in second
    assert total.endswith(", 0 undated, 1 of statements that age fast")


@pytest.mark.parametrize("change", [{"volatile": True}, {"requirements": [{"text": "a plan", "volatile": True}]}])
def test_a_page_is_before_others_of_its_age_if_its_entry_ages_fast(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, change: dict[str, Any]
) -> None:
    first, second = (f"https://example.com/{letter}" for letter in "ab")
    entries = [
        entry("Checkpoints", "a", sources=[dated(first, "2026-08-22")]),
        entry("MCP Support", "b", sources=[dated(second, "2026-08-22")], **change),
    ]
    agents_ = {"claude-code": AGENT_FILES["claude-code"] | {"capabilities": entries}}
    shown = objects(show(capsys, write_data(tmp_path / "same", agents_, texts=False), "--json")[1])
    assert [row["page"] for row in shown[:-1]] == [second, first]


def answer(monkeypatch: pytest.MonkeyPatch, **links: Link) -> None:
    found = {OLD: Link("ok"), NEW: Link("ok"), UNDATED: Link("ok")} | {
        f"https://example.com/{name}": link for name, link in links.items()
    }

    def check(addresses: Iterable[str]) -> dict[str, Link]:
        return {address: found[address] for address in addresses}

    monkeypatch.setattr(link_check, "check_links", check)


def test_what_became_of_each_page_is_said_in_text(
    capsys: pytest.CaptureFixture[str], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, old=Link("moved", "https://example.org/"), new=Link("failed", "500"))
    status, out = show(capsys, data, "--links")
    lines = out.splitlines()
    assert status == 0
    assert lines[1].endswith(f"moved   {OLD}  -> https://example.org/")
    assert lines[2].endswith(f"failed  {NEW}  500")
    assert lines[3].endswith(f"ok      {UNDATED}")
    assert lines[4].endswith("; links: 1 ok, 1 moved, 0 gone, 1 failed")


def test_a_page_that_is_gone_is_exit_status_1(
    capsys: pytest.CaptureFixture[str], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, new=Link("gone", "404"))
    status, out = show(capsys, data, "--links", "--json")
    assert status == 1
    assert [found.get("link") for found in objects(out)[:-1]] == ["ok", "gone", "ok"]
    assert objects(out)[-1]["links"] == {"ok": 2, "moved": 0, "gone": 1, "failed": 0}


def test_without_a_network_every_page_has_failed_and_the_command_ends_normally(
    run: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        closed = dated(f"http://127.0.0.1:{taken.getsockname()[1]}/", "2026-08-02")
    only = {"claude-code": agents(closed)["claude-code"]}
    folder = write_data(tmp_path / "offline", only, texts=False)
    assert run("doctor", "--sources", "--links", "--json", "--data", str(folder)) == 0
    assert [found["link"] for found in run.objects()[:-1]] == ["failed"]


def test_options_of_the_list_are_refused_without_it(run: Commands) -> None:
    cases: list[list[str]] = [["--links"], ["--stale-after", "5"]]
    for option in cases:
        assert run("doctor", *option) == 2, option
        assert "add --sources" in run.err, option


def test_a_date_that_is_no_day_is_a_fault_that_names_the_entry(run: Commands, tmp_path: Path) -> None:
    folder = write_data(tmp_path / "bad", agents(dated(OLD, "2026-02-30")), texts=False)
    assert run("doctor", "--sources", "--data", str(folder)) == 1
    assert "(entry 'Checkpoints') is '2026-02-30'" in run.err
