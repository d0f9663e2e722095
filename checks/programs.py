"""The agents whose programs install from npm: where each comes from, how it reaches a model, what trust takes."""

import json
import subprocess
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from checks.home import Home
from checks.packages import Package
from server.errors import CallerError, brief

READ_ONLY: Final = {"vscode-copilot": "an extension of an editor, of which no program can be run here"}
"""Agents without a program, and why: their claims are only read."""


@dataclass(frozen=True)
class Program:
    """An agent's program.

    Attributes:
        agent: whose it is.
        package: where it comes from.
        connect: lets a home use the model at an address; returns the environment that this needs.
        trust: makes a home's project one that the program trusts.
        settings_files: names of the files that hold its settings.
        environment: of every run.
        shipped: its own texts, as patterns below the folder of the package.
        unpacked: what it unpacks into a home, as patterns below the home.
        native: names, as patterns, of its files in which literals do not stand apart from each other.
        strict: whether it refuses a flag that it does not know, even before `--help`.
        variant: the variant of the agent that it is; None if there are no variants.
    """

    agent: str
    package: Package
    connect: Callable[[Home, str], dict[str, str]]
    trust: Callable[[Home], None]
    settings_files: Sequence[str]
    shipped: Sequence[str] = ()
    unpacked: Sequence[str] = ()
    native: Sequence[str] = ()
    strict: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    variant: str | None = None

    @property
    def name(self) -> str:
        """The command that starts it."""
        return self.package.program


def program_of(agent: str) -> Program:
    """Return an agent's program.

    Raises:
        CallerError: there is no such agent, or it has no program.
    """
    for program in PROGRAMS:
        if program.agent == agent:
            return program
    known = ", ".join(program.agent for program in PROGRAMS)
    if agent in READ_ONLY:
        raise CallerError(
            f"agent {agent!r} is {READ_ONLY[agent]}; agents with a program: {known}; name one of these, and read the "
            f"pages of {agent}"
        )
    raise CallerError(f"unknown agent {brief(agent)}; agents with a program: {known}; name one of these")


def start_repository(home: Home) -> None:
    """Make a home's project a Git repository."""
    command = ["git", "init", "--quiet", "--initial-branch=main", str(home.project)]
    subprocess.run(command, check=True, env=home.environment(), capture_output=True)


def _merge(path: Path, settings: Mapping[str, Any]) -> None:
    """Add settings to a JSON file; what else stands there is kept."""
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_merged(before, settings), indent=2), encoding="utf-8", newline="\n")


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return two tables as one, in which the second has the last word."""
    found = {**first, **second}
    for key in {*first} & {*second}:
        if isinstance(first[key], dict) and isinstance(second[key], dict):
            found[key] = _merged(first[key], second[key])
    return found


def _connect_claude(_: Home, address: str) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "sk-ant-fake"}


def _trust_claude(home: Home) -> None:
    projects = {str(home.project): {"hasTrustDialogAccepted": True}}
    _merge(home.folder / ".claude.json", {"projects": projects})


def _connect_gemini(home: Home, address: str) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    _merge(home.folder / ".gemini/settings.json", settings)
    return {"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": "fake"}


def _trust_gemini(home: Home) -> None:
    _merge(home.folder / ".gemini/trustedFolders.json", {str(home.project): "TRUST_FOLDER"})


def _connect_opencode(home: Home, address: str) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Fake",
        "options": {"baseURL": f"{address}/v1", "apiKey": "fake"},
        "models": {"fake": {"name": "Fake", "tool_call": True}},
    }
    settings = {"autoupdate": False, "share": "disabled", "model": "fake/fake", "small_model": "fake/fake"}
    _merge(home.folder / ".config/opencode/opencode.json", {**settings, "provider": {"fake": provider}})
    return {}


def _trust_opencode(home: Home) -> None:
    """Do nothing: OpenCode asks for no trust in a folder."""


def _connect_copilot(_: Home, address: str) -> dict[str, str]:
    return {"COPILOT_OFFLINE": "true", "COPILOT_MODEL": "fake", "COPILOT_PROVIDER_BASE_URL": f"{address}/v1"}


def _trust_copilot(home: Home) -> None:
    _merge(home.folder / ".copilot/config.json", {"trusted_folders": [str(home.project)]})


def _connect_codex(home: Home, address: str) -> dict[str, str]:
    """Write the model's address, which only the file can hold, above what else is there."""
    path = home.folder / ".codex" / "config.toml"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    marker = "# the rest\n"
    rest = text.partition(marker)[2] if marker in text else text
    top = {"model": "fake", "model_provider": "fake"}
    given = tomllib.loads(rest)
    lines = [f'{key} = "{value}"' for key, value in top.items() if key not in given]
    # Keys of the top level end at the first table; the provider's table is written in one line, so that it opens none.
    if "fake" not in given.get("model_providers", {}):
        lines.append(f'model_providers.fake = {{ name = "Fake", base_url = "{address}/v1", wire_api = "responses" }}')
    home.write(".codex/config.toml", "\n".join([*lines, marker + rest]))
    return {}


def _trust_codex(home: Home) -> None:
    path = home.folder / ".codex" / "config.toml"
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    table = f'[projects."{home.project}"]'
    if table not in before:
        home.write(".codex/config.toml", f'{before}\n{table}\ntrust_level = "trusted"\n')


PROGRAMS: Final = (
    Program(
        "claude-code",
        Package("@anthropic-ai/claude-code", "2.1.332", "claude"),
        _connect_claude,
        _trust_claude,
        ("settings.json", "settings.local.json", "managed-settings.json", ".claude.json"),
        shipped=("node_modules/@anthropic-ai/claude-code/bin/claude*",),
        environment={"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"},
    ),
    Program(
        "codex-cli",
        Package("@openai/codex", "0.171.0", "codex"),
        _connect_codex,
        _trust_codex,
        ("config.toml",),
        shipped=("node_modules/@openai/codex-*/vendor/*/bin/codex*",),
        native=("codex*",),
        strict=True,
    ),
    Program(
        "copilot-cli",
        Package("@github/copilot", "1.0.102", "copilot"),
        _connect_copilot,
        _trust_copilot,
        ("settings.json", "config.json", "settings.local.json"),
        unpacked=(".cache/copilot/pkg/*/*/*.js", ".cache/copilot/pkg/*/*/prebuilds/*/*"),
        native=("*.node", "copilot-runtime"),
        strict=True,
        environment={"COPILOT_AUTO_UPDATE": "false"},
    ),
    Program(
        "gemini-cli",
        Package("@google/gemini-cli", "0.61.0", "gemini"),
        _connect_gemini,
        _trust_gemini,
        ("settings.json",),
        shipped=("node_modules/@google/gemini-cli/bundle/*.js",),
    ),
    Program(
        "opencode",
        Package("opencode-ai", "1.18.33", "opencode"),
        _connect_opencode,
        _trust_opencode,
        ("opencode.json", "opencode.jsonc", "tui.json", "cli.json"),
        shipped=("node_modules/opencode-ai/bin/opencode*",),
        environment={"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"},
        variant="opencode-1",
    ),
)
