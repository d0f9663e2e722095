"""`list` and `sources` without a filter, and answers that come in pages."""

from pathlib import Path
from typing import Any

import pytest

from server.catalog.folders import DATA_VARIABLE
from server.cli.filter_options import all_pages
from server.matching.service import Service
from server.tools.answers import Answer
from server.tools.definition import Request, ServiceTool
from tests.server.cli.commands import Commands


@pytest.fixture
def ask(run: Commands, toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Return the command over the toy catalog, named by the environment."""
    monkeypatch.setenv(DATA_VARIABLE, str(toy_data))
    return run


def test_without_a_filter_the_items_of_every_agent_are_listed(ask: Commands) -> None:
    for command, items in [("list", "capabilities"), ("sources", "sources")]:
        expected = []
        for agent in ("claude-code", "gemini-cli"):
            assert ask(command, "--agent", agent, "--json") == 0, command
            expected += [item | {"agent": agent} for item in ask.objects()[0][items]]
        assert ask(command, "--json") == 0, command
        assert ask.objects()[0][items] == expected, command
        assert len(expected) > 2, command


def test_as_text_every_line_names_its_agent(ask: Commands) -> None:
    for command in ["list", "sources"]:
        assert ask(command) == 0, command
        assert {line.split()[0] for line in ask.out.splitlines()[1:]} == {"claude-code", "gemini-cli"}, command


class PageRequest(Request):
    cursor: str | None = None


class PageAnswer(Answer):
    total: int
    names: list[str]
    next_cursor: str | None = None


def page(_: object, request: PageRequest) -> PageAnswer:
    """Three names, one on a page."""
    at = int(request.cursor or 0)
    return PageAnswer(total=3, names=["abc"[at]], next_cursor=str(at + 1) if at < 2 else None)


def test_pages_are_put_together(toy_service: Service) -> None:
    texts: dict[str, Any] = dict.fromkeys(("name", "title", "family", "description", "docs"), "")
    tool = ServiceTool(**texts, request=PageRequest, answer=PageAnswer, handler=page)
    assert all_pages(toy_service, tool, {}, "names") == {"total": 3, "names": ["a", "b", "c"]}
