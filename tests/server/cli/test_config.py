import json
from pathlib import Path

import pytest

from server.cli.config import server_command
from server.gateway.host_snippets import HOSTS, snippet
from tests.server.cli.commands import Commands


def test_every_host_is_told_to_start_this_installation(run: Commands) -> None:
    for host in HOSTS:
        assert run("config", host) == 0, host
        assert run.out == snippet(host, server_command()) + "\n", host


def test_the_command_is_an_absolute_path() -> None:
    assert Path(server_command()[0]).is_absolute()


def test_a_data_folder_is_passed_on_as_an_absolute_path(
    run: Commands, toy_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(toy_data.parent)
    assert run("config", "vscode-copilot", "--data", "data") == 0
    server = json.loads(run.out.partition("\n")[2])["servers"]["agent-capabilities"]
    assert server["args"][-3:] == ["serve", "--data", str(toy_data.resolve())]
