from pathlib import Path

import pytest

from server.errors import CallerError
from server.gateway.configuration.configurations import PROJECT_FILES, default_configurations, working_folder
from tests.server.gateway.configuration.reading import written

USERS = [
    ".claude.json",
    ".config/Claude/claude_desktop_config.json",
    ".cursor/mcp.json",
    ".codeium/windsurf/mcp_config.json",
    ".copilot/mcp-config.json",
    ".gemini/settings.json",
    ".config/Code/User/mcp.json",
    ".codex/config.toml",
    ".config/opencode/opencode.json",
    ".config/opencode/opencode.jsonc",
]


def found(home: Path, platform: str = "linux", **environment: str) -> list[Path]:
    return list(default_configurations(home=home, environment=environment, platform=platform))


def test_the_users_files_are_read_in_a_fixed_order(tmp_path: Path) -> None:
    expected = [written(tmp_path / name, "") for name in USERS]
    assert found(tmp_path) == expected


def test_a_projects_file_is_not_read_unless_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(written(tmp_path / "project/.mcp.json", "").parent)
    path = written(tmp_path / "home/.cursor/mcp.json", "")
    assert found(tmp_path / "home") == [path]


def test_only_files_that_exist_are_named(tmp_path: Path) -> None:
    (tmp_path / ".claude.json").mkdir()
    path = written(tmp_path / ".cursor/mcp.json", "")
    assert found(tmp_path) == [path]


def test_desktop_programs_are_found_where_the_system_keeps_them(tmp_path: Path) -> None:
    for platform, folder in [("darwin", "Library/Application Support"), ("win32", "AppData/Roaming")]:
        path = written(tmp_path / folder / "Claude/claude_desktop_config.json", "")
        assert found(tmp_path, platform) == [path], platform


def test_variables_move_hosts_folders(tmp_path: Path) -> None:
    cases = [
        ("CODEX_HOME", "config.toml"),
        ("CLAUDE_CONFIG_DIR", ".claude.json"),
        ("COPILOT_HOME", "mcp-config.json"),
        ("GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("XDG_CONFIG_HOME", "opencode/opencode.json"),
    ]
    for variable, name in cases:
        path = written(tmp_path / "moved" / name, "")
        assert found(tmp_path / "home", **{variable: str(tmp_path / "moved")}) == [path], variable


def test_without_any_file_the_places_are_named(tmp_path: Path) -> None:
    with pytest.raises(CallerError) as error:
        found(tmp_path / "home")
    message = str(error.value)
    assert message.count("; ") == 2
    assert message.endswith("; name one with --config FILE")
    assert str(tmp_path / "home/.codex/config.toml") in message


def test_relative_paths_start_from_the_project_or_the_file_but_not_in_a_users_file(tmp_path: Path) -> None:
    for name in PROJECT_FILES:
        assert working_folder(tmp_path / "project" / name, tmp_path, {}) == tmp_path / "project", name
    for name in USERS:
        assert working_folder(tmp_path / name, tmp_path, {}, platform="linux") is None, name
    assert working_folder(tmp_path / "a/servers.json", tmp_path, {}) == tmp_path / "a"
