"""A program in a terminal: what its menu shows when something is typed. Only where there are pseudo-terminals."""

import os
import re
import select
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from checks.fake_model import fake_model
from checks.home import Home
from checks.runner import Runner

START_SECONDS: Final = 8
"""For the first screen."""
MENU_SECONDS: Final = 2.0
"""For a menu, after something was typed."""

_QUERIES: Final = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?62;c",
    b"\x1b[?u": b"\x1b[?0u",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
    b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
}
"""What programs ask a terminal when they start, and what one answers."""
_CLEAR_LINE: Final = b"\x15"
_STRINGS: Final = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_MOVES: Final = re.compile(r"\x1b\[[0-9;]*[Hf]")
_OTHERS: Final = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b.")


@dataclass(frozen=True)
class Terminal:
    """A program in a pseudo-terminal.

    Attributes:
        descriptor: of our end.
    """

    descriptor: int

    def type(self, text: bytes) -> None:
        """Send keys."""
        os.write(self.descriptor, text)

    def find(self, row: re.Pattern[str] | None, seconds: float) -> str | None:
        """Read what is drawn until a row of it fits, at most for some seconds; return that row."""
        drawn, until = b"", time.monotonic() + seconds
        while time.monotonic() < until:
            if not select.select([self.descriptor], [], [], 0.1)[0]:
                continue
            try:
                part = os.read(self.descriptor, 65536)
            except OSError:
                break
            drawn += part
            for query, answer in _QUERIES.items():
                if query in part:
                    self.type(answer)
            if row and (found := next((each for each in rows_of(drawn) if row.fullmatch(each)), None)):
                return found
        return None


def rows_of(drawn: bytes) -> Iterator[str]:
    """Yield the rows of text in what a program drew."""
    text = _OTHERS.sub("", _MOVES.sub("\n", _STRINGS.sub("", drawn.decode("utf-8", "replace"))))
    yield from (row.strip() for row in text.splitlines() if row.strip())


def slash_menu(runner: Runner, names: Iterable[str]) -> dict[str, str]:
    """Type slash commands into a program, and return the row of the menu for each that the menu has.

    A row is the name, with a mark before it, and what it does behind two blanks or more.
    """
    found: dict[str, str] = {}
    with _started(runner) as terminal:
        terminal.find(None, START_SECONDS)
        for name in sorted(set(names)):
            terminal.type(_CLEAR_LINE + f"/{name}".encode())
            row = re.compile(rf"(?:[›>]\s*)?/{re.escape(name)}\s{{2,}}\S.*")
            if shown := terminal.find(row, MENU_SECONDS):
                found[name] = shown.removeprefix("›").strip()
    return found


@contextmanager
def _started(runner: Runner) -> Iterator[Terminal]:
    """Start a program in a terminal, with a model and in a trusted folder, and end it afterwards."""
    import pty
    import termios

    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (40, 120))
    with fake_model() as model, runner.new_home() as home:
        environment = {**runner.program.environment, **runner.program.connect(home, model.address)}
        runner.make_trusted(home)
        process = _process(runner, home, environment, its)
        os.close(its)
        try:
            yield Terminal(ours)
        finally:
            process.kill()
            process.wait()
            os.close(ours)


def _process(runner: Runner, home: Home, environment: dict[str, str], its: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [str(runner.executable)],
        cwd=home.project,
        env={**home.environment(), **environment},
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
    )
