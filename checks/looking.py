"""Looks claims up in a program: in its help, its lists, its checks of configuration and its files."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from checks.claims import Claim
from checks.config_keys import ConfigKeys
from checks.help_pages import HelpPages, Words
from checks.program_files import ProgramFiles
from checks.runner import Finding, Runner
from checks.slash_commands import SlashCommands
from server.catalog.runs import Kind


@dataclass(frozen=True)
class Look:
    """A claim, and what was found of it.

    Attributes:
        claim: as it was found in a statement; its subject may be shortened to the words that are subcommands.
        finding: what the program shows.
    """

    claim: Claim
    finding: Finding

    @property
    def contradicted(self) -> bool:
        """Whether the program lacks what the statement says it has."""
        return not self.finding.holds and not self.claim.denied


@dataclass(frozen=True)
class Looking:
    """Looks claims up in one program; what is the same is looked up once.

    Attributes:
        runner: of the program.
        slashes: the names of the slash commands that will be asked for.
    """

    runner: Runner
    slashes: frozenset[str]
    _seen: dict[tuple[Kind, str], Finding] = field(default_factory=dict)

    @cached_property
    def pages(self) -> HelpPages:
        """The program's help."""
        return HelpPages(self.runner)

    @cached_property
    def files(self) -> ProgramFiles:
        """The program's files."""
        return ProgramFiles(self.runner)

    @cached_property
    def commands(self) -> SlashCommands:
        """The program's slash commands."""
        return SlashCommands(self.runner, self.files, self.slashes)

    @cached_property
    def keys(self) -> ConfigKeys:
        """The program's configuration."""
        return ConfigKeys(self.runner, self.files)

    def look(self, claim: Claim) -> Look:
        """Look a claim up."""
        claim = self._resolved(claim)
        key = (claim.kind, claim.subject)
        if key not in self._seen:
            by_kind: Mapping[Kind, Callable[[Claim], Finding]] = {
                "flag": self._flag,
                "subcommand": self._subcommand,
                "slashCommand": self._slash_command,
                "configKey": self._config_key,
                "environment": lambda asked: self._literal(asked.subject.lstrip("$")),
                "configFile": self._config_file,
            }
            self._seen[key] = by_kind[claim.kind](claim)
        return Look(claim, self._seen[key])

    def _resolved(self, claim: Claim) -> Claim:
        """Leave the words out that are arguments, not subcommands."""
        if not claim.words or claim.kind not in {"flag", "subcommand"}:
            return claim
        words: Words = ()
        for word in claim.words:
            page = self.pages.page(words)
            if not page.subcommands or (words and word not in page.subcommands and page.takes_text):
                break
            words = (*words, word)
            if not self.pages.exists(words):
                break
        last = [claim.subject.split()[-1]] if claim.kind == "flag" else []
        return replace(claim, words=words, subject=" ".join([self.runner.program.name, *words, *last]))

    def _flag(self, claim: Claim) -> Finding:
        program, flag = self.runner.program.name, claim.subject.split()[-1]
        if found := self.pages.find_flag(flag, claim.words):
            page, line = found
            return Finding.of(" ".join([program, *page.words, "--help"]), page.status, line, holds=True)
        return self._accepted(claim.words, flag) if self.runner.program.strict else self._literal(flag)

    def _accepted(self, words: Words, flag: str) -> Finding:
        """Give a flag that no help has to a program that refuses those that it does not know."""
        ended = self.runner.run([*words, flag, "--help"])
        refused = next((line for line in ended.said.splitlines() if "unexpected argument" in line), None)
        command = " ".join([self.runner.program.name, *words, flag, "--help"])
        return Finding.of(command, ended.status, refused or "accepted, though not in the help", holds=refused is None)

    def _subcommand(self, claim: Claim) -> Finding:
        program = self.runner.program.name
        above = self.pages.page(claim.words[:-1])
        command = " ".join([program, *above.words, "--help"])
        if line := above.subcommands.get(claim.words[-1]):
            return Finding.of(command, above.status, line, holds=True)
        page = self.pages.exists(claim.words)
        if page is None:
            return Finding.of(command, above.status, f"no subcommand {claim.words[-1]!r}", holds=False)
        line = next((each for each in page.text.splitlines() if claim.words[-1] in each), "")
        return Finding.of(" ".join([program, *claim.words, "--help"]), page.status, line, holds=True)

    def _slash_command(self, claim: Claim) -> Finding:
        name = claim.subject.removeprefix("/")
        found = self.commands.find(name)
        # A name of several words says enough by itself; menus leave some commands out.
        if found is None and (literal := self.files.find(name if "-" in name else f'"{claim.subject}"')):
            found = Finding.of(f"search {literal.file} for {name!r}", None, literal.line, holds=True)
        return found or Finding.of(self.commands.source, None, f"no {claim.subject}", holds=False)

    def _config_key(self, claim: Claim) -> Finding:
        """Look for a key as it is written, else below the table that the statement names."""
        found = self.keys.find(claim.subject)
        if not found.holds and claim.words:
            below = self.keys.find(".".join([*claim.words, claim.subject]))
            found = below if below.holds else found
        return found

    def _literal(self, text: str) -> Finding:
        found = self.files.find(text)
        where = found.file if found else "the program"
        return Finding.of(f"search {where} for {text!r}", None, found.line if found else "not there", holds=bool(found))

    def _config_file(self, claim: Claim) -> Finding:
        """Look for the longest part of a path that the program's files have; a lone folder's name says nothing."""
        for part in path_parts(claim.subject):
            found = self._literal(part)
            if found.holds:
                return found
        return self._literal(claim.subject)


def path_parts(path: str) -> list[str]:
    """Return what to look for of a path: runs of its parts without placeholders, the longest first."""
    runs = [run.strip("/") for run in re.split(r"[^/]*[<*][^/]*", path.removeprefix("~/"))]
    found = []
    for run in runs:
        steps = [step for step in run.split("/") if step]
        found += ["/".join(steps[start:]) for start in range(len(steps))]
    telling = [part for part in found if re.search(r"[/.A-Z_-]", part)]
    return sorted(telling, key=lambda part: (-part.count("/"), -len(part)))
