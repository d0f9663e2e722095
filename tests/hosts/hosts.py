"""The hosts that are run: how each is given a model, lists its servers and is asked something."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.hosts.home import Ended, Home
from tests.hosts.packages import Package, printed_version

PROMPT: Final = "Look it up."
SERVERS: Final = ("agent-capabilities", "gateway")
"""The names of our two entries."""


@dataclass(frozen=True)
class Host:
    """A host.

    Attributes:
        name: as `agent-capabilities config` has it.
        title: as its users know it.
        package: where it comes from.
        settings: writes what it needs beside our entries, given the model's address, and returns its environment.
        listing: the arguments with which it lists its servers.
        listed: what it then says of a server with a name that works.
        ask: the arguments with which it has one conversation.
        resume: those with which it goes on with the last one.
        checks: whether listing connects to the servers.
    """

    name: str
    title: str
    package: Package
    settings: Callable[[Home, str], dict[str, str]]
    listing: Sequence[str]
    listed: str
    ask: Sequence[str]
    resume: Sequence[str]
    checks: bool = True

    def list_servers(self, home: Home, address: str) -> Ended:
        """Run the host's own list of its servers."""
        return home.run([str(self.package.install()), *self.listing], self.settings(home, address))

    def converse(self, home: Home, address: str) -> Ended:
        """Run one conversation with the model at an address."""
        return home.run([str(self.package.install()), *self.ask], self.settings(home, address))

    def go_on(self, home: Home, address: str) -> Ended:
        """Go on with the last conversation in a new process."""
        return home.run([str(self.package.install()), *self.resume], self.settings(home, address))

    def version(self, home: Home) -> str:
        """Return the version that the host says it is."""
        return printed_version(home.run([str(self.package.install()), "--version"], {}).out)


def _claude_code(home: Home, address: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "sk-ant-fake",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _gemini(home: Home, address: str) -> dict[str, str]:
    home.write(".gemini/trustedFolders.json", json.dumps({str(home.project): "TRUST_FOLDER"}))
    _merge(
        home.folder / ".gemini/settings.json",
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
        },
    )
    return {"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": "fake"}


def _opencode(home: Home, address: str) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Fake",
        "options": {"baseURL": f"{address}/v1", "apiKey": "fake"},
        "models": {"fake": {"name": "Fake", "tool_call": True}},
    }
    settings = {"autoupdate": False, "share": "disabled", "model": "fake/fake", "small_model": "fake/fake"}
    _merge(home.folder / ".config/opencode/opencode.json", {**settings, "provider": {"fake": provider}})
    return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}


def _copilot(home: Home, address: str) -> dict[str, str]:
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_MODEL": "fake",
        "COPILOT_PROVIDER_BASE_URL": f"{address}/v1",
    }


def _codex(home: Home, address: str) -> dict[str, str]:
    # A model's address can stand in the file alone, which holds our entry as well.
    path = home.folder / ".codex" / "config.toml"
    marker = "# the entries\n"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    entries = text.partition(marker)[2] if marker in text else text
    provider = f'name = "Fake"\nbase_url = "{address}/v1"\nwire_api = "responses"\n'
    top = f'model = "fake"\nmodel_provider = "fake"\n\n[model_providers.fake]\n{provider}\n'
    home.write(".codex/config.toml", top + marker + entries)
    return {}


def _merge(path: Path, settings: dict[str, object]) -> None:
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**before, **settings}, indent=2), encoding="utf-8", newline="\n")


_allowed = ",".join(f"mcp__{name}" for name in SERVERS)
_unwatched = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
_yolo = ("--approval-mode", "yolo", "--model", "gemini-2.5-pro")

HOSTS: Final = (
    Host(
        "claude-code",
        "Claude Code",
        Package("@anthropic-ai/claude-code", "2.1.330", "claude"),
        _claude_code,
        ("mcp", "list"),
        r"^{name}: .* ✔ Connected$",
        ("-p", PROMPT, "--allowedTools", _allowed),
        ("--continue", "-p", PROMPT, "--allowedTools", _allowed),
    ),
    Host(
        "gemini-cli",
        "Gemini CLI",
        Package("@google/gemini-cli", "0.61.0", "gemini"),
        _gemini,
        ("mcp", "list"),
        r"^✓ {name}: .* - Connected$",
        ("-p", PROMPT, *_yolo),
        ("--resume", "latest", "-p", PROMPT, *_yolo),
    ),
    Host(
        "opencode",
        "OpenCode",
        Package("opencode-ai", "1.18.33", "opencode"),
        _opencode,
        ("mcp", "list"),
        r"✓ {name} .*connected$",
        ("run", PROMPT),
        ("run", "--continue", PROMPT),
    ),
    Host(
        "codex-cli",
        "Codex CLI",
        Package("@openai/codex", "0.169.0", "codex"),
        _codex,
        ("mcp", "list"),
        r"^{name} .* enabled ",
        ("exec", *_unwatched, PROMPT),
        ("exec", "resume", "--last", *_unwatched, PROMPT),
        checks=False,
    ),
    Host(
        "copilot-cli",
        "Copilot CLI",
        Package("@github/copilot", "1.0.102", "copilot"),
        _copilot,
        ("mcp", "list"),
        r"^ +{name} \(local\)$",
        ("-p", PROMPT, "--allow-all-tools"),
        ("--continue", "-p", PROMPT, "--allow-all-tools"),
        checks=False,
    ),
)
