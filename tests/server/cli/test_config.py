"""`config`, and the options that it and `gateway --print-config` keep."""

import argparse
import json
import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from server.cli import config, gateway, serve
from server.cli.main import parser
from server.cli.options import _costs, positive, store_uri
from server.cli.serve_options import HOST_NAMES, _path, not_blank, port_number
from server.gateway.host_snippets import HOSTS, own_command
from tests.server.cli.commands import Commands

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)
NUMBERS = st.integers(1, 65535).map(str)
VALUES: dict[object, st.SearchStrategy[str]] = {
    None: WORDS,
    not_blank: WORDS,
    positive: NUMBERS,
    port_number: NUMBERS,
    int: NUMBERS,
    Path: st.just("servers.json"),
    _path: st.from_regex(r"/[a-z]{9,12}", fullmatch=True),
    _costs: st.sampled_from(["wrong=8", "wrong=2.5,missed=0"]),
    store_uri: st.sampled_from(["a b.npz", "x.labels"]),
}
"""Values of options by what reads them; a new kind of option needs some here."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with the configuration that options name."""
    content = {"mcpServers": {"desk": {"command": "run", "env": {"K": "${KEY}"}}}}
    (tmp_path / "servers.json").write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command_of(module: Any) -> argparse.ArgumentParser:
    subcommands = argparse.ArgumentParser().add_subparsers()
    module.add(subcommands)
    (command,) = subcommands.choices.values()
    assert isinstance(command, argparse.ArgumentParser)
    return command


def options_of(module: Any) -> list[argparse.Action]:
    """Return a subcommand's options but those that only concern printing and writing."""
    own = {"help", "transport", "print_config", "url", "token_env", "write", "remove", "dry_run", "scope"}
    return [action for action in command_of(module)._actions if action.option_strings and action.dest not in own]


def written_option(action: argparse.Action) -> st.SearchStrategy[list[str]]:
    name = action.option_strings[-1]
    if action.nargs == 0:
        return st.just([name])
    value = st.sampled_from(list(action.choices)) if action.choices else VALUES[action.type]
    one = value.map(lambda text: f"{name}={text}")
    return st.lists(one, min_size=1, max_size=2) if isinstance(action.default, list) else one.map(lambda text: [text])


def lines(module: Any) -> st.SearchStrategy[list[str]]:
    """Return any of a subcommand's options, each with some value."""
    groups = command_of(module)._mutually_exclusive_groups
    apart = {action.dest: str(at) for at, group in enumerate(groups) for action in group._group_actions}
    several = st.lists(
        st.sampled_from(options_of(module)), unique_by=lambda action: apart.get(action.dest, action.dest), max_size=8
    )
    drawn = several.flatmap(lambda actions: st.tuples(*map(written_option, actions)))
    return drawn.map(lambda parts: [part for option in parts for part in option])


def printed(host: str, text: str, name: str) -> list[str]:
    """Return the command that a host starts, from what was printed."""
    is_toml, table = HOSTS[host].format.is_toml, HOSTS[host].table
    entry = (tomllib.loads(text) if is_toml else json.loads(text))[table][name]
    command: list[str] = entry["command"] if host == "opencode" else [entry["command"], *entry["args"]]
    assert command[: len(own_command())] == own_command()
    return command[len(own_command()) :]


def meant(arguments: Sequence[str]) -> dict[str, Any]:
    """Return a command's options with absolute paths."""
    options = vars(parser().parse_args(arguments))
    for name in ("catalog", "data", "model_folder", "allowlist", "tokens"):
        if options.get(name):
            options[name] = absolute(options[name])
    for name in ("config", "skills"):
        options[name] = [absolute(str(path)) for path in options.get(name, [])]
    if options.get("store") and "://" not in options["store"]:
        options["store"] = absolute(options["store"])
    return options


def absolute(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111


def keeps_all_options(
    run: Commands, host: str, name: str, given: Sequence[str], command: Sequence[str], printing: Sequence[str]
) -> None:
    status = run(*printing)
    assume(status == 0 or "and has no way to write that out" not in run.err)
    assert status == 0, run.err
    assert meant(printed(host, run.out, name)) == meant([*command, *given])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(host=st.sampled_from(HOST_NAMES), given_options=lines(config))
def test_config_prints_a_file_of_the_host_that_keeps_all_options(
    run: Commands, host: str, given_options: list[str]
) -> None:
    keeps_all_options(run, host, "agent-capabilities", given_options, ["serve"], ["config", host, *given_options])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(host=st.sampled_from(HOST_NAMES), given_options=lines(gateway))
def test_print_config_prints_a_file_of_the_host_that_keeps_all_options(
    run: Commands, folder: Path, host: str, given_options: list[str]
) -> None:
    command = ["gateway", "--config=servers.json"]
    keeps_all_options(run, host, "gateway", given_options, command, [*command, *given_options, "--print-config", host])


def test_every_option_of_serve_that_is_not_about_http_is_one_of_config() -> None:
    http = {
        action.dest
        for group in command_of(serve)._action_groups
        if (group.title or "").startswith("http")
        for action in group._group_actions
    }
    own = {action.dest for action in options_of(config)}
    assert {action.dest for action in options_of(serve)} - http == own


def test_where_the_file_goes_is_told_apart_from_it(run: Commands) -> None:
    for host in HOST_NAMES:
        assert run("config", host) == 0, host
        assert run.err.startswith(f"{HOSTS[host].title} reads this from "), host
        assert "\n" in run.out, host


def test_an_address_is_printed_for_a_server_that_runs_already(run: Commands) -> None:
    assert run("config", "vscode-copilot", "--transport", "http", "--url", "https://a.example/mcp") == 0
    entry = json.loads(run.out)["servers"]["agent-capabilities"]
    assert entry == {"type": "http", "url": "https://a.example/mcp"}
    assert run("config", "cursor", "--transport", "http", "--token-env", "KEY") == 0
    assert json.loads(run.out)["mcpServers"]["agent-capabilities"]["url"] == "http://127.0.0.1:8000/mcp"


def test_options_that_contradict_each_other_are_refused(run: Commands) -> None:
    cases = [
        (("--transport", "http", "--profile", "full"), "--profile was given with --transport http; "),
        (("--token-env", "KEY"), "--token-env was given without --transport http; "),
    ]
    for arguments, message in cases:
        assert run("config", "cursor", *arguments) == 2, arguments
        assert message in run.err
    assert run("config", "cursr") == 2
    assert "invalid choice: 'cursr'" in run.err
