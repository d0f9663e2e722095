"""The hosts that are run: how each is given a model, lists its servers and is asked something."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from checks.home import Ended, Home
from checks.packages import Package, printed_version
from checks.programs import Program, program_of

PROMPT: Final = "Look it up."
SERVERS: Final = ("agent-capabilities", "gateway")
"""The names of our two entries."""


@dataclass(frozen=True)
class Host:
    """A host.

    Attributes:
        name: as `agent-capabilities config` has it.
        title: as its users know it.
        program: how it is installed, reaches a model and trusts a folder.
        listing: the arguments with which it lists its servers.
        listed: what it then says of a server with a name that works.
        ask: the arguments with which it has one conversation.
        resume: those with which it goes on with the last one.
        checks: whether listing connects to the servers.
        trusted: whether it needs to trust the folder.
    """

    name: str
    title: str
    program: Program
    listing: Sequence[str]
    listed: str
    ask: Sequence[str]
    resume: Sequence[str]
    checks: bool = True
    trusted: bool = False

    def list_servers(self, home: Home, address: str) -> Ended:
        """Run the host's own list of its servers."""
        return self._run(home, address, self.listing)

    def converse(self, home: Home, address: str) -> Ended:
        """Run one conversation with the model at an address."""
        return self._run(home, address, self.ask)

    def go_on(self, home: Home, address: str) -> Ended:
        """Go on with the last conversation in a new process."""
        return self._run(home, address, self.resume)

    @property
    def package(self) -> Package:
        """Where it comes from."""
        return self.program.package

    def _run(self, home: Home, address: str, arguments: Sequence[str]) -> Ended:
        environment = {**self.program.environment, **self.program.connect(home, address)}
        if self.trusted:
            self.program.trust(home)
        return home.run([str(self.package.install()), *arguments], environment)

    def version(self, home: Home) -> str:
        """Return the version that the host says it is."""
        return printed_version(home.run([str(self.package.install()), "--version"], {}).out)


_allowed = ",".join(f"mcp__{name}" for name in SERVERS)
_unwatched = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
_yolo = ("--approval-mode", "yolo", "--model", "gemini-2.5-pro")

HOSTS: Final = (
    Host(
        "claude-code",
        "Claude Code",
        program_of("claude-code"),
        ("mcp", "list"),
        r"^{name}: .* ✔ Connected$",
        ("-p", PROMPT, "--allowedTools", _allowed),
        ("--continue", "-p", PROMPT, "--allowedTools", _allowed),
    ),
    Host(
        "gemini-cli",
        "Gemini CLI",
        program_of("gemini-cli"),
        ("mcp", "list"),
        r"^✓ {name}: .* - Connected$",
        ("-p", PROMPT, *_yolo),
        ("--resume", "latest", "-p", PROMPT, *_yolo),
        trusted=True,
    ),
    Host(
        "opencode",
        "OpenCode",
        program_of("opencode"),
        ("mcp", "list"),
        r"✓ {name} .*connected$",
        ("run", PROMPT),
        ("run", "--continue", PROMPT),
    ),
    Host(
        "codex-cli",
        "Codex CLI",
        program_of("codex-cli"),
        ("mcp", "list"),
        r"^{name} .* enabled ",
        ("exec", *_unwatched, PROMPT),
        ("exec", "resume", "--last", *_unwatched, PROMPT),
        checks=False,
    ),
    Host(
        "copilot-cli",
        "Copilot CLI",
        program_of("copilot-cli"),
        ("mcp", "list"),
        r"^ +{name} \(local\)$",
        ("-p", PROMPT, "--allow-all-tools"),
        ("--continue", "-p", PROMPT, "--allow-all-tools"),
        checks=False,
    ),
)
