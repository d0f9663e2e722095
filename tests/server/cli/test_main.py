from pathlib import Path

from server.cli.main import COMMANDS, parser
from tests.server.cli.commands import Commands

NAMES = [
    "serve",
    "lookup",
    "compare",
    "recommend",
    "parity",
    "list",
    "sources",
    "match",
    "build-vectors",
    "enrich",
    "preflight",
    "model",
    "doctor",
    "config",
]


def test_every_command_is_listed_and_has_help(run: Commands) -> None:
    assert run("--help") == 0
    assert [name for name in NAMES if name not in run.out] == []
    assert len(COMMANDS) >= len(NAMES)
    assert "exit status: 0 answered" in run.out
    for name in NAMES:
        assert run(name, "--help") == 0, name
        assert run.out.startswith(f"usage: {parser().prog} {name}"), name
    assert run("--version") == 0
    assert run.out.startswith("agent-capabilities ")


def test_wrong_usage_is_status_2_on_stderr(run: Commands) -> None:
    cases: list[list[str]] = [
        [],
        ["unheard-of"],
        ["lookup", "claude-code"],
        ["list", "--agent"],
        ["recommend"],
        ["parity", "security"],
        ["serve", "--transport", "telegraph"],
        ["serve", "--port", "x"],
        ["match", "--top", "0", "x"],
        ["match", "--top", "-1", "x"],
        ["match", "--catalog", "a", "--vectors", "b", "x"],
        ["config", "cursr"],
        ["model", "paint"],
    ]
    for arguments in cases:
        assert run(*arguments) == 2, arguments
        assert run.out == "", arguments
        assert "usage: agent-capabilities" in run.err, arguments


def test_a_callers_mistake_is_status_2_with_what_would_do(run: Commands, toy_data: Path) -> None:
    cases: list[tuple[list[str], str]] = [
        (["lookup", "nobody", "mcp"], "covered agents: claude-code, gemini-cli"),
        (["lookup", "gemini", " "], "blank"),
        (["compare", "mcp", "--agent", "nobody"], "covered agents: claude-code, gemini-cli"),
        (["list", "--category", "cooking"], "known: agent-orchestration"),
        (["recommend", " "], "only blank needs"),
        (["recommend", "mcp", "--tier", "gold"], "known: free, pro"),
        (["parity", "--agent", "nobody"], "covered agents: claude-code, gemini-cli"),
        (["parity", "--tier", "gold"], "known: free, pro"),
        (["match"], "no phrase was given"),
        (["match", ""], "blank"),
    ]
    for arguments, told in cases:
        assert run(*arguments, "--data", str(toy_data)) == 2, arguments
        assert run.out == "", arguments
        assert run.err.startswith("error: "), arguments
        assert told in run.err, arguments


def test_a_folder_that_is_none_is_status_2_and_named(run: Commands, tmp_path: Path) -> None:
    cases: list[list[str]] = [["lookup", "claude", "mcp"], ["list", "--agent", "claude"], ["match", "mcp"]]
    for arguments in cases:
        assert run(*arguments, "--data", str(tmp_path / "none")) == 2, arguments
        assert str(tmp_path / "none") in run.err, arguments


def test_a_broken_data_file_is_a_fault_and_named(run: Commands, toy_data: Path) -> None:
    path = toy_data / "agents" / "gemini-cli" / "capabilities" / "current.json"
    path.write_text('{"agent": ', encoding="utf-8")
    assert run("list", "--agent", "claude", "--data", str(toy_data)) == 1
    assert run.err.startswith(f"error: {path} is not valid JSON")
