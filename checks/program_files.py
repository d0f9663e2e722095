"""Literals in the files of a program: what is left to look at where a program does not list something itself."""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from checks.runner import Runner, shortened

_AROUND: Final = 40
"""Characters of a file that are shown on either side of what was found."""
_WORD: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


@dataclass(frozen=True)
class Literal:
    """A literal that was found.

    Attributes:
        file: the name of the file that it is in.
        line: what stands around it.
    """

    file: str
    line: str


@dataclass(frozen=True)
class ProgramFiles:
    """The files that a program consists of.

    Attributes:
        runner: of the program.
    """

    runner: Runner

    @cached_property
    def paths(self) -> list[Path]:
        """The files, which a program that unpacks itself has unpacked."""
        program, found = self.runner.program, []
        for pattern in program.shipped:
            found += [path for path in program.package.folder.glob(pattern) if path.is_file()]
        if program.unpacked:
            self.runner.run(["--version"])
            home = self.runner.kept_home("trusted").folder
            found += [path for pattern in program.unpacked for path in home.glob(pattern) if path.is_file()]
        return sorted({path for path in found if path.stat().st_size}, key=str)

    def find(self, text: str) -> Literal | None:
        """Return where a text stands in the files, as a word; None if it is not there."""
        wanted = text.encode()
        for path in self.paths:
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                for place in _places(content, wanted, apart=not self._is_native(path)):
                    return Literal(path.name, _excerpt(content, place, len(wanted)))
        return None

    def read(self, path: Path) -> str:
        """Return a whole file as text; what is no text in it becomes marks."""
        return path.read_bytes().decode("utf-8", "replace")

    def _is_native(self, path: Path) -> bool:
        return any(path.match(pattern) for pattern in self.runner.program.native)


def _places(content: mmap.mmap, wanted: bytes, *, apart: bool) -> Iterator[int]:
    place = content.find(wanted)
    while place >= 0:
        if not apart or _stands_apart(content, place, len(wanted)):
            yield place
        place = content.find(wanted, place + 1)


def _stands_apart(content: mmap.mmap, place: int, length: int) -> bool:
    before = content[place - 1] if place else 0
    after = content[place + length] if place + length < len(content) else 0
    return before not in _WORD and after not in _WORD


def _excerpt(content: mmap.mmap, place: int, length: int) -> str:
    around = content[max(0, place - _AROUND) : place + length + _AROUND].decode("utf-8", "replace")
    return shortened("".join(each if each.isprintable() and each != "\ufffd" else " " for each in around))
