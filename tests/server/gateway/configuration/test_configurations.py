"""Several files, names, what is left out on purpose, and files that nobody should write."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.errors import CallerError
from server.gateway.configuration import configurations
from tests.server.gateway.configuration.reading import one, read, written

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
TEXTS = ["command", "url", "type", "cwd", "envFile", "bearer_token_env_var", "timeout", "startup_timeout_sec"]
FLAGS_AND_TABLES = ["enabled", "disabled", "env", "headers", "env_http_headers"]
LISTS = ["args", "tools", "env_vars", "includeTools", "excludeTools"]
KEYS = st.sampled_from([*TEXTS, *FLAGS_AND_TABLES, *LISTS])


def servers(**commands: str) -> dict[str, object]:
    return {"mcpServers": {name: {"command": command} for name, command in commands.items()}}


def refusal(path: Path) -> str:
    with pytest.raises(CallerError) as error:
        read(path)
    message = str(error.value)
    assert message.count("; ") >= 2
    assert repr(str(path)) in message
    return message


def test_files_are_read_in_their_order_and_each_once(tmp_path: Path) -> None:
    first, second = written(tmp_path / "a.json", servers(z="1", a="2")), written(tmp_path / "b.json", servers(m="3"))
    assert [each.name for each in read(first, second).upstreams] == ["z", "a", "m"]
    paths = [written(tmp_path / name, servers(github="run")) for name in ("a.json", "b.json")]
    configuration = read(*paths)
    assert [each.source for each in configuration.upstreams] == [paths[0]]
    assert configuration.reports == ()
    assert "is the same as that of" in configuration.notes[0]
    path = written(tmp_path / "a.json", servers(a="run"))
    configuration = read(path, path)
    assert len(configuration.upstreams) == 1
    assert configuration.notes == ()


def test_a_second_server_of_a_name_gets_its_files_name_or_a_number(tmp_path: Path) -> None:
    paths = [
        written(tmp_path / name, servers(github=command))
        for name, command in [("a.json", "1"), (".mcp.json", "2"), ("sub/.mcp.json", "3")]
    ]
    configuration = read(*paths)
    assert [(each.name, each.command) for each in configuration.upstreams] == [
        ("github", "1"),
        ("github-mcp", "2"),
        ("github-mcp-2", "3"),
    ]
    assert len(configuration.reports) == 2
    assert f"is called 'github-mcp' here; {str(paths[0])!r} has another server of this name" in configuration.reports[0]


def test_the_same_command_in_another_folder_is_another_server(tmp_path: Path) -> None:
    paths = [
        written(tmp_path / name, {"mcpServers": {"github": {"command": "run", "cwd": cwd}}})
        for name, cwd in [("a.json", "one"), ("b.json", "two")]
    ]
    assert [each.name for each in read(*paths).upstreams] == ["github", "github-b"]


def test_a_disabled_server_is_noted(tmp_path: Path) -> None:
    cases: list[dict[str, object]] = [{"command": "a", "disabled": True}, {"command": "a", "enabled": False}]
    for entry in cases:
        configuration = read(written(tmp_path / "a.json", {"mcpServers": {"one": entry}}))
        assert (configuration.upstreams, configuration.reports) == ((), ()), entry
        assert "is disabled; its tools are not offered; enable it" in configuration.notes[0], entry


def test_the_entry_that_starts_this_gateway_is_left_out(tmp_path: Path) -> None:
    cases: list[list[str]] = [
        ["agent-capabilities", "gateway"],
        ["/opt/my tools/agent-capabilities", "gateway", "--config", "${UNSET}"],
        ["C:\\tools\\agent-capabilities.exe", "gateway"],
        ["uvx", "agent-capabilities", "gateway"],
        ["uvx", "--from", "agent-capabilities[otel]", "agent-capabilities", "gateway"],
        ["uvx", "agent-capabilities@latest", "gateway"],
        ["pipx", "run", "agent-capabilities==1.0", "gateway"],
        ["python3", "-m", "agent_capabilities", "gateway"],
        ["npx", "-y", "agent-capabilities", "gateway"],
        ["sh", "-c", "exec agent-capabilities gateway --config 'x y'"],
        ["sh", "-c", "it's agent-capabilities gateway"],
        ["${PROGRAM}", "gateway"],
    ]
    for start in cases:
        entries = {"self": {"command": start[0], "args": start[1:]}, "other": {"command": "run"}}
        configuration = read(written(tmp_path / "a.json", {"mcpServers": entries}), PROGRAM="agent-capabilities")
        assert [each.name for each in configuration.upstreams] == ["other"], start
        assert configuration.reports == (), start
        assert "starts this gateway; a gateway is not behind itself" in configuration.notes[0], start


def test_opencodes_entry_that_starts_this_gateway_is_left_out(tmp_path: Path) -> None:
    entry = {"type": "local", "command": ["agent-capabilities", "gateway"]}
    assert read(written(tmp_path / "opencode.json", {"mcp": {"self": entry}})).upstreams == ()


def test_other_programs_are_not_taken_for_this_gateway(tmp_path: Path) -> None:
    cases: list[list[str]] = [
        ["agent-capabilities", "serve"],
        ["files", "/home/me/agent-capabilities"],
        ["gateway", "agent-capabilities"],
    ]
    for start in cases:
        assert one(tmp_path, {"command": start[0], "args": start[1:]}).command == start[0], start


def test_a_field_of_a_wrong_type_is_named_without_its_value(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({"command": 5}, "has 'command' as a number; it must be text"),
        ({"command": ["a", {}]}, "has 'command' as a list; it must be a list of texts"),
        ({"command": "a", "args": "b"}, "has 'args' as text; it must be a list of texts"),
        ({"command": "a", "args": [["b"]]}, "has 'args' as a list; it must be a list of texts"),
        ({"command": "a", "env": ["A=1"]}, "has 'env' as a list; it must be a table of names and texts"),
        ({"command": "a", "env": {"A": {}}}, "has 'env' as a table; it must be a table of names and texts"),
        ({"command": "a", "timeout": "5"}, "has 'timeout' as text; it must be a number above 0"),
        ({"command": "a", "timeout": True}, "has 'timeout' as true or false; it must be a number above 0"),
        ({"command": "a", "timeout": -1}, "has 'timeout' as a number; it must be a number above 0"),
        ({"command": "a", "enabled": "no"}, "has 'enabled' as text; it must be true or false"),
        ({"command": "a\0b"}, "has 'command' as text; it must be without NUL characters"),
        ({"command": "a", "env_vars": [5]}, "has 'env_vars' as a list; it must be a list of names"),
        ({"url": "ftp://planted-secret"}, "has 'url' as text; it must be an address that begins with http"),
        ({"url": "https://[planted-secret"}, "has 'url' as text; it must be an address that begins with http"),
        ({"url": "https://a.example", "headers": {"X": "a\r\nb"}}, "it must be without line breaks"),
        ({"url": "https://a.example", "type": 5}, "has 'type' as a number; it must be text"),
    ]
    for entry, message in cases:
        said = refusal(written(tmp_path / "a.json", {"mcpServers": {"one": entry}}))
        assert said.startswith("server 'one' of "), entry
        assert message in said, entry
        assert "planted-secret" not in said, entry


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    cases: list[object] = [None, 5, "run", ["run"]]
    for entry in cases:
        assert "server 'one' of " in refusal(written(tmp_path / "a.json", {"mcpServers": {"one": entry}})), entry
    assert "has a blank name" in refusal(written(tmp_path / "a.json", servers(**{" ": "run"})))
    for key in ["mcpServers", "servers", "mcp_servers", "mcp"]:
        assert f"{key!r} of " in refusal(written(tmp_path / "a.json", {key: ["planted"]})), key
    content = f"[mcp_servers.one]\ncommand = 'a'\nargs = [0x{'f' * 6000}]\n"
    assert "has 'args' as a list" in refusal(written(tmp_path / "a.toml", content))
    assert "does not hold a table" in refusal(written(tmp_path / "a.json", []))
    assert "not a regular file" in refusal(tmp_path)
    assert "No such file" in refusal(tmp_path / "nowhere.json")
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xff"}')
    assert "UnicodeDecodeError" in refusal(tmp_path / "latin.json")


def test_a_file_that_cannot_be_parsed_is_refused_without_its_text(tmp_path: Path) -> None:
    cases = [
        ("a.json", '{\n// comment\n"a": planted-secret}', "JSONDecodeError, line 3"),
        ("a.json", '{"a": "unfinished', "JSONDecodeError"),
        ("a.json", "", "JSONDecodeError"),
        ("a.json", '{"a":' * 100_000, "RecursionError"),
        ("a.json", '{"a": 1' + "0" * 5000 + "}", "ValueError"),
        ("a.toml", "a = planted-secret", "TOMLDecodeError"),
    ]
    for name, content, reason in cases:
        said = refusal(written(tmp_path / name, content))
        assert f"cannot be read ({reason}" in said, name
        assert "planted-secret" not in said, name
    for content in ('"' + '\\"' * 500_000 + "\\", "/*" * 500_000, ", " * 500_000, "[" + "," * 500_000, '"' * 500_001):
        assert "JSONDecodeError" in refusal(written(tmp_path / "a.json", content))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_fifo_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    assert "not a regular file" in refusal(tmp_path / "a.json")


def test_too_many_servers_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(configurations, "MAX_SERVERS", 1)
    assert "has 2 servers; at most 1 are read" in refusal(written(tmp_path / "a.json", servers(a="1", b="2")))


def counted(path: Path) -> int | str:
    """Return how many servers and messages come of a file, or why it is refused."""
    try:
        configuration = read(path)
    except CallerError as error:
        return str(error)
    return len(configuration.upstreams) + len(configuration.reports) + len(configuration.notes)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(KEYS, JSON))
def test_any_entry_is_read_reported_or_refused(tmp_path: Path, entry: dict[str, object]) -> None:
    result = counted(written(tmp_path / "a.json", {"mcpServers": {"one": entry}}))
    assert result == 1 or str(result).startswith("server 'one' of ")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(["mcpServers", "servers", "mcp", "mcp_servers", "inputs", "projects"]), JSON))
def test_any_file_is_read_or_refused(tmp_path: Path, content: dict[str, object]) -> None:
    result = counted(written(tmp_path / "a.json", content))
    assert isinstance(result, int) or "a.json" in result
