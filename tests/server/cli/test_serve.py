from pathlib import Path
from typing import Any

import pytest

from tests.server.cli.commands import Commands


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr("server.protocol.stdio.run_stdio", lambda server: calls.append((server.name, "stdio")))
    monkeypatch.setattr("server.cli.serve_http.run_here", lambda app, host, port: calls.append((host, port)))
    return calls


def test_stdio_is_the_default(run: Commands, toy_data: Path, served: list[tuple[Any, ...]]) -> None:
    assert run("serve", "--data", str(toy_data)) == 0
    assert served == [("agent-capabilities", "stdio")]
    assert run.out == ""


def test_http_listens_on_this_machine_alone_by_default(
    run: Commands, toy_data: Path, served: list[tuple[Any, ...]]
) -> None:
    assert run("serve", "--transport", "http", "--data", str(toy_data)) == 0
    assert served == [("127.0.0.1", 8000)]


def test_a_broken_catalog_is_a_fault_before_anything_is_served(
    run: Commands, toy_data: Path, served: list[tuple[Any, ...]]
) -> None:
    (toy_data / "aliases.json").write_text("[]", encoding="utf-8")
    assert run("serve", "--data", str(toy_data)) == 1
    assert str(toy_data / "aliases.json") in run.err
    assert served == []
