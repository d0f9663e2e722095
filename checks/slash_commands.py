"""The slash commands of each program: as it lists them itself, and where it does not, as its files have them."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from checks.fake_model import fake_model
from checks.program_files import ProgramFiles
from checks.runner import Finding, Runner
from checks.terminal import slash_menu


@dataclass(frozen=True)
class SlashCommands:
    """The slash commands of one program.

    Attributes:
        runner: of the program.
        files: of the program.
        asked: the names that are looked for; some menus show only what is typed.
    """

    runner: Runner
    files: ProgramFiles
    asked: frozenset[str]

    @cached_property
    def listed(self) -> Mapping[str, Finding]:
        """Slash commands by name, without the slash; those that the program itself lists have the last word."""
        found: dict[str, Finding] = {}
        for list_commands in _LISTINGS[self.runner.program.agent]:
            found = {**dict(list_commands(self)), **found}
        return found

    def find(self, name: str) -> Finding | None:
        """Return what shows a slash command; None if the program has none of this name."""
        return self.listed.get(name)

    @property
    def source(self) -> str:
        """Where the names are from, for what is not among them."""
        return _SOURCES[self.runner.program.agent]


Names = Iterator[tuple[str, Finding]]
Listing = Callable[[SlashCommands], Names]


def _of_first_event(asking: SlashCommands) -> Names:
    """Yield what Claude Code names in the first event of a run."""
    runner = asking.runner
    command = ["-p", "hi", "--output-format", "stream-json", "--verbose"]
    with fake_model() as model, runner.new_home() as home:
        runner.make_trusted(home)
        ended = runner.run(command, home, runner.program.connect(home, model.address))
    event = json.loads(ended.out.partition("\n")[0] or "{}")
    for name in event.get("slash_commands", []):
        yield (
            name,
            Finding.of(
                f"claude {' '.join(command)}", ended.status, f'"slash_commands": [... "{name}" ...]', holds=True
            ),
        )


def _of_help(asking: SlashCommands) -> Names:
    """Yield what `copilot help commands` prints."""
    ended = asking.runner.run(["help", "commands"])
    for line in ended.out.splitlines():
        if named := re.match(r"\s+((?:/[a-z][\w-]*(?:,\s+)?)+)", line):
            for name in re.findall(r"/([a-z][\w-]*)", named[1]):
                yield name, Finding.of("copilot help commands", ended.status, line.strip(), holds=True)


def _of_literals(*patterns: str) -> Listing:
    """Return a listing of what stands in the program's files as the definition of a slash command.

    Args:
        patterns: of a definition; the group `name` has its name, `aliases` its other names in quotes.
    """

    def list_commands(asking: SlashCommands) -> Names:
        for path in asking.files.paths:
            text = asking.files.read(path)
            for pattern in patterns:
                for found in re.finditer(pattern, text):
                    given = found.groupdict()
                    line = " ".join(found[0].split())
                    for name in filter(None, [given["name"], *re.findall(r'"([\w-]+)"', given.get("aliases") or "")]):
                        yield name, Finding.of(f"search {path.name} for {name!r}", None, line, holds=True)

    return list_commands


def _of_the_menu(asking: SlashCommands) -> Names:
    """Yield what the menu of Codex shows when a name is typed."""
    for name, row in slash_menu(asking.runner, asking.asked).items():
        yield name, Finding.of(f"codex, then type /{name}", None, row, holds=True)


_NAME: Final = r'name:\s*"(?P<name>[a-z][\w-]*)"'
_DEFINITION: Final = r'(?:,aliases:\[(?P<aliases>[^\]]*)\])?[^{}]{0,400}?type:"(?:local|local-jsx|prompt)"'

_LISTINGS: Final[Mapping[str, tuple[Listing, ...]]] = {
    "claude-code": (
        _of_first_event,
        _of_literals(
            rf"{_NAME}{_DEFINITION}",
            rf'type:"(?:local|local-jsx|prompt)",[^{{}}]{{0,300}}?{_NAME}(?:,aliases:\[(?P<aliases>[^\]]*)\])?',
            rf"\{{{_NAME},get description\(",
            r'(?P<name>)aliases:\[(?P<aliases>"[a-z][^\]]*)\]',
            rf"{_NAME},aliases:\[(?P<aliases>[^\]]*)\],description:",
        ),
    ),
    "codex-cli": (_of_the_menu,),
    "copilot-cli": (_of_help, _of_literals(r'name:"/(?P<name>[a-z][\w-]*)"(?:,aliases:\[(?P<aliases>[^\]]*)\])?')),
    "gemini-cli": (
        _of_literals(
            rf"{_NAME},\s*(?:altNames:\s*\[(?P<aliases>[^\]]*)\],\s*)?description:[^{{}}]{{0,400}}?kind:",
            rf"{_NAME},\s*(?:altNames:\s*\[(?P<aliases>[^\]]*)\],\s*)?kind:[^{{}}]{{0,100}}?description",
        ),
    ),
    "opencode": (
        _of_literals(
            r'slash:\{name:"(?P<name>[a-z][\w-]*)"(?:,aliases:\[(?P<aliases>[^\]]*)\])?',
            r'slashName:"(?P<name>[a-z][\w-]*)"(?:,slashAliases:\[(?P<aliases>[^\]]*)\])?',
            r'(?:INIT|REVIEW):"(?P<name>init|review)"',
        ),
    ),
}

_SOURCES: Final[Mapping[str, str]] = {
    "claude-code": "slash_commands of the first event, and definitions in the binary",
    "codex-cli": "the menu that typing it opens",
    "copilot-cli": "copilot help commands, and definitions in cli-main.js",
    "gemini-cli": "definitions in the bundle",
    "opencode": "definitions in the binary",
}
