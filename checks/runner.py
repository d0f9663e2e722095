"""Runs an agent's program in empty homes, and replaces what is of this machine in what it prints."""

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from checks.home import Ended, Home
from checks.packages import NotInstalledError
from checks.programs import Program, start_repository
from server.errors import CallerError

Folder = Literal["fresh", "trusted"]

SECONDS: Final = 90
"""For one run of a program."""
LONGEST_LINE: Final = 200

_TERMINAL_CODES: Final = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b.")
_OF_A_RUN: Final = (
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<id>"),
    (re.compile(r"\b127\.0\.0\.1:\d+|localhost:\d{5}"), "<address>"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z?"), "<time>"),
)
"""What differs between two runs of the same."""


@dataclass(frozen=True)
class Finding:
    """What was found of a flag, a command, a key or a setup line.

    Attributes:
        command: what was run.
        status: its exit status; None for a look into the program's files.
        line: the line that decides, without what is of this machine.
        holds: whether the program has it.
    """

    command: str
    status: int | None
    line: str
    holds: bool

    @classmethod
    def of(cls, command: str, status: int | None, line: str, *, holds: bool) -> "Finding":
        """Return a finding with its line cut to what a record holds."""
        return cls(command, status, shortened(line), holds)


@dataclass(frozen=True)
class Runner:
    """An agent's program, ready to be run.

    Attributes:
        program: what is run.
        homes: the folder that homes are made in.
    """

    program: Program
    homes: Path
    _kept: dict[Folder, Home] = field(default_factory=dict)

    @cached_property
    def executable(self) -> Path:
        """The program's path."""
        return self.program.package.install()

    @contextmanager
    def new_home(self) -> Iterator[Home]:
        """Yield an empty home, which is removed afterwards."""
        folder = Path(tempfile.mkdtemp(prefix="home-", dir=self.homes))
        home = Home.make(folder)
        try:
            yield home
        finally:
            home.end_left()
            shutil.rmtree(folder, ignore_errors=True)

    def kept_home(self, folder: Folder) -> Home:
        """Return a home for runs that leave nothing behind that matters, such as those that print help."""
        if folder not in self._kept:
            home = Home.make(Path(tempfile.mkdtemp(prefix=f"{folder}-", dir=self.homes)))
            if folder == "trusted":
                self.make_trusted(home)
            self._kept[folder] = home
        return self._kept[folder]

    def make_trusted(self, home: Home) -> None:
        """Make a home's project a repository that the program trusts."""
        start_repository(home)
        self.program.trust(home)

    def run(
        self,
        arguments: Sequence[str],
        home: Home | None = None,
        environment: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
    ) -> Ended:
        """Run the program with some arguments, in a trusted folder unless a home is given."""
        return self.run_command([self.program.name, *arguments], home, environment, seconds)

    def run_command(
        self,
        command: Sequence[str],
        home: Home | None = None,
        environment: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
    ) -> Ended:
        """Run a command that finds the program by its name."""
        home = home or self.kept_home("trusted")
        path = f"{self.executable.parent}:{home.environment()['PATH']}"
        given = {**self.program.environment, "PATH": path, **(environment or {})}
        first = str(self.executable) if command[0] == self.program.name else command[0]
        ended = home.run([first, *command[1:]], given, seconds)
        return replace(ended, out=self._plain(ended.out, home), errors=self._plain(ended.errors, home))

    def _plain(self, text: str, home: Home) -> str:
        """Return a text without codes of terminals, folders of this machine and what differs between runs."""
        text = _TERMINAL_CODES.sub("", text)
        for path, name in self._names(home):
            text = text.replace(path, name)
        for pattern, name in _OF_A_RUN:
            text = pattern.sub(name, text)
        return text

    def _names(self, home: Home) -> list[tuple[str, str]]:
        named = [(home.project, "<project>"), (home.folder, "~"), (self.program.package.folder, "<package>")]
        texts = [(str(path), name) for path, name in named]
        # Claude Code names folders after paths.
        return texts + [(re.sub(r"[^A-Za-z0-9]", "-", path), name) for path, name in texts]


@contextmanager
def open_runner(program: Program) -> Iterator[Runner]:
    """Install a program if need be, and yield its runner; its homes are removed afterwards.

    Raises:
        CallerError: the program cannot be had here.
    """
    try:
        program.package.install()
    except NotInstalledError as error:
        raise CallerError(
            f"{program.package.name}@{program.package.version} cannot be run: {error}; claims are run with the program "
            "itself; install Node.js with npm, or name a version that `npm view` lists"
        ) from error
    # Not inside a checkout: a fresh folder is in no repository.
    folder = Path(tempfile.mkdtemp(prefix="agent-checks-"))
    try:
        yield Runner(program, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def shortened(line: str, longest: int = LONGEST_LINE) -> str:
    """Return a line without blanks at its ends and runs of blanks within, cut to a length."""
    text = " ".join(line.split())
    return text if len(text) <= longest else text[: longest - 3] + "..."
