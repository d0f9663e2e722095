"""The help that a program prints of itself and of its subcommands, page by page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from checks.runner import Runner

Words = tuple[str, ...]

DEEPEST: Final = 3
"""Subcommands of subcommands of subcommands are the last that are looked for."""

_HEADING: Final = re.compile(r"^(?:Available )?(?:Sub)?commands:\s*$", re.IGNORECASE)
_ENTRY: Final = re.compile(r"^ {2,4}(\S.*)$")
_NAME: Final = re.compile(r"[a-z][a-z0-9-]*(?:\|[a-z][a-z0-9-]*)*")
_ALIASES: Final = re.compile(r"\[aliases?: ([^\]]+)\]")
_NO_PAGE: Final = {"help", "completion"}


@dataclass(frozen=True)
class Page:
    """The help of one command.

    Attributes:
        program: its name.
        words: the command, without that name.
        text: what `--help` prints.
        status: its exit status.
    """

    program: str
    words: Words
    text: str
    status: int | None

    @cached_property
    def subcommands(self) -> dict[str, str]:
        """Its subcommands, aliases included, with the line that lists each."""
        found: dict[str, str] = {}
        for line in self._listed():
            rest = line.split()
            # Some programs repeat their own name and the words before.
            if rest[: len(self.words) + 1] == [self.program, *self.words]:
                rest = rest[len(self.words) + 1 :]
            if not rest or not _NAME.fullmatch(rest[0]):
                continue
            aliases = _ALIASES.search(line)
            for name in [*rest[0].split("|"), *(re.split(r",\s*", aliases[1]) if aliases else [])]:
                found.setdefault(name, line)
        return found

    @property
    def takes_text(self) -> bool:
        """Whether it takes words that are no subcommands, such as a prompt."""
        return bool(re.search(r"^Usage:.*\[(?:PROMPT|prompt|query|message)", self.text, re.MULTILINE | re.DOTALL))

    def flag(self, name: str) -> str | None:
        """Return the line that describes a flag; None if there is none."""
        wanted = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        for line in self.text.splitlines():
            found = wanted.search(line)
            if found and re.match(r"\s+(?:-\w|--\w|--\[no-\]\w)", line) and "  " not in line[: found.start()].strip():
                return line.strip()
        return None

    def _listed(self) -> Iterator[str]:
        lines = iter(self.text.splitlines())
        for line in lines:
            if _HEADING.match(line.strip()):
                break
        for line in lines:
            if _ENTRY.match(line):
                yield line.strip()
            elif line.strip() and not line.startswith("     "):
                # Only descriptions stand further right than names.
                return


@dataclass(frozen=True)
class HelpPages:
    """The pages of one program; each is printed once."""

    runner: Runner
    _pages: dict[Words, Page] = field(default_factory=dict)

    def page(self, words: Words = ()) -> Page:
        """Return the help of a command."""
        if words not in self._pages:
            ended = self.runner.run([*words, "--help"])
            self._pages[words] = Page(self.runner.program.name, words, ended.said, ended.status)
        return self._pages[words]

    def exists(self, words: Words) -> Page | None:
        """Return the page of a command; None if the program does not know it.

        One that is not listed may be known all the same: its help then is not that of the command above it.
        """
        above = self.page(words[:-1])
        if words[-1] in above.subcommands:
            return self.page(words)
        found = self.page(words)
        hidden = found.status == 0 and found.text != above.text and f" {words[-1]}" in found.text
        return found if hidden else None

    @cached_property
    def all(self) -> list[Page]:
        """Every page, that of the program first."""
        return [*self._below(())]

    def find_flag(self, name: str, words: Words = ()) -> tuple[Page, str] | None:
        """Return the page and the line that describe a flag: the command's own, one above it, else any."""
        near = [self.page(words[:length]) for length in range(len(words), -1, -1)]
        found = self._first(name, near)
        return found or (None if words else self._first(name, self.all))

    @staticmethod
    def _first(name: str, pages: list[Page]) -> tuple[Page, str] | None:
        return next(((page, line) for page in pages if (line := page.flag(name))), None)

    def _below(self, words: Words) -> Iterator[Page]:
        page = self.page(words)
        yield page
        if len(words) >= DEEPEST:
            return
        seen: set[str] = set()
        for name, line in page.subcommands.items():
            if name not in _NO_PAGE and line not in seen:
                seen.add(line)
                yield from self._below((*words, name))
