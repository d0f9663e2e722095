"""An agent's claims run at one version, the record of that, and what changed since the last one."""

import fnmatch
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from checks.claims import Claim, Statement
from checks.looking import Look, Looking
from checks.programs import Program
from checks.recipes import Recipe, run_recipe
from checks.runner import Finding, Runner
from embeddings.files import write_atomically
from server.catalog.runs import Kind, NotRun, Run, RunsFile

NO_LITERAL: Final = "the program puts this path together; no literal shows it, and no recipe writes the file"


@dataclass(frozen=True)
class Outcome:
    """What a run of all claims gave.

    Attributes:
        record: as it is written.
        absent: claims that the program does not bear out, and whose statements seem to say just that.
        unexplained: setup lines with neither a record nor a reason.
        looked_up: setup lines of which parts were looked up, and which no recipe runs.
    """

    record: RunsFile
    absent: Sequence[Run] = ()
    unexplained: Sequence[str] = ()
    looked_up: Sequence[str] = ()

    @property
    def contradicted(self) -> list[Run]:
        """The claims that the program does not bear out."""
        return [run for run in self.record.runs if not run.holds]


@dataclass(frozen=True)
class Changes:
    """What differs from an earlier record.

    Attributes:
        lost: claims that held and no longer do.
        new: claims that the earlier record does not have.
        gone: claims of the earlier record that no statement makes any more.
    """

    lost: Sequence[Run]
    new: Sequence[Run]
    gone: Sequence[Run]


@dataclass(frozen=True)
class Checking:
    """Runs the claims of one agent.

    Attributes:
        runner: of its program.
        statements: what makes claims.
        recipes: for setup lines.
    """

    runner: Runner
    statements: Sequence[Statement]
    recipes: Mapping[str, Recipe]

    def run(self) -> Outcome:
        """Run every claim."""
        program = self.runner.program
        here = [each for each in self.statements if each.variant in {None, program.variant}]
        others = [each for each in self.statements if each not in here and (each.claims or _is_setup(each.name))]
        not_run = [
            NotRun(claim=each.name, reason=f"variant {each.variant}: cannot be installed here") for each in others
        ]
        not_run += self._excused({each.name for each in here})
        setups = dict(self._setups(here))
        looks = [*self._looks(here)]
        runs = [*setups.values(), *(_as_run(look) for look in looks if not _is_lost_path(look))]
        for look in looks:
            if _is_lost_path(look):
                covering = self._written(look.claim, setups)
                runs += [covering] if covering else []
                not_run += [] if covering else [NotRun(claim=look.claim.statement, reason=NO_LITERAL)]
        absent = [_as_run(look) for look in looks if not look.finding.holds and look.claim.denied]
        record = _record(program, runs, not_run)
        told = {run.claim for run in record.runs} | {left.claim for left in record.not_run}
        names = [each.name for each in self.statements if _is_setup(each.name)]
        return Outcome(
            record,
            absent,
            [name for name in names if name not in told],
            [name for name in names if name in told and name not in setups and name not in self.recipes],
        )

    def _setups(self, statements: Iterable[Statement]) -> Iterator[tuple[str, Run]]:
        for statement in statements:
            recipe = self.recipes.get(statement.name)
            if recipe and not recipe.reason:
                finding = run_recipe(self.runner, recipe)
                kind: Kind = "configFile" if statement.name.endswith("/configFile") else "setup"
                claim = Claim(statement.name, kind, _subject(self.runner.program, recipe))
                yield statement.name, _run(claim, finding, recipe.folder)

    def _looks(self, statements: Iterable[Statement]) -> Iterator[Look]:
        claims = [claim for statement in statements for claim in statement.claims]
        names = frozenset(claim.subject.removeprefix("/") for claim in claims if claim.kind == "slashCommand")
        looking = Looking(self.runner, names)
        for claim in claims:
            if f"{claim.statement}#{claim.subject}" not in self.recipes:
                yield looking.look(claim)

    def _excused(self, names: set[str]) -> list[NotRun]:
        found = []
        for key, recipe in self.recipes.items():
            name, _, subject = key.partition("#")
            if recipe.reason and name in names:
                found.append(NotRun(claim=name, reason=f"{subject}: {recipe.reason}" if subject else recipe.reason))
        return found

    def _written(self, claim: Claim, setups: Mapping[str, Run]) -> Run | None:
        """Return a claim of a path as the run of the entry's setup line shows it, if its recipe writes such a file."""
        name = f"{claim.statement.rpartition('/')[0]}/setup"
        recipe, setup = self.recipes.get(name), setups.get(name)
        pattern = re.sub(r"<[^>]*>", "*", claim.subject.removeprefix("~/")).rstrip("*/") + "*"
        if recipe is None or setup is None or not fnmatch.filter([*recipe.files, *recipe.home], pattern):
            return None
        return setup.model_copy(update={"claim": claim.statement, "kind": claim.kind, "subject": claim.subject})


def changes_since(before: RunsFile | None, now: RunsFile) -> Changes:
    """Return what differs from an earlier record."""
    old = {_key(run): run for run in before.runs} if before else {}
    new = {_key(run): run for run in now.runs}
    return Changes(
        lost=[run for key, run in new.items() if not run.holds and key in old and old[key].holds],
        new=[run for key, run in new.items() if key not in old],
        gone=[run for key, run in old.items() if key not in new],
    )


def write_record(record: RunsFile, path: Path) -> None:
    """Write a record, one run a line, so that a change of one claim changes one line."""
    content = record.model_dump(mode="json", by_alias=True)
    head = [f" {json.dumps(key)}: {json.dumps(content[key])}" for key in ("package", "version", "date")]
    for key in ("runs", "notRun"):
        lines = [f"  {json.dumps(each, ensure_ascii=False)}" for each in content[key]]
        head.append(f' "{key}": [' + ("\n" + ",\n".join(lines) + "\n ]" if lines else "]"))
    write_atomically(path, ("{\n" + ",\n".join(head) + "\n}\n").encode())


def _record(program: Program, runs: Iterable[Run], not_run: Iterable[NotRun]) -> RunsFile:
    unique = {_key(run): run for run in runs}
    return RunsFile(
        package=program.package.name,
        version=program.package.version,
        date=datetime.now(UTC).date().isoformat(),
        runs=tuple(unique[key] for key in sorted(unique)),
        not_run=tuple(sorted(set(not_run), key=lambda left: (left.claim, left.reason))),
    )


def _as_run(look: Look) -> Run:
    finding = look.finding
    return _run(look.claim, replace(finding, holds=not look.contradicted), "trusted")


def _run(claim: Claim, finding: Finding, folder: str) -> Run:
    return Run.model_validate(
        {
            "claim": claim.statement,
            "kind": claim.kind,
            "subject": claim.subject,
            "command": finding.command,
            "folder": folder,
            "status": finding.status,
            "line": finding.line,
            "holds": finding.holds,
        }
    )


def _key(run: Run) -> tuple[str, str, str]:
    return (run.claim, run.kind, run.subject)


def _is_setup(name: str) -> bool:
    return name.endswith("/setup")


def _is_lost_path(look: Look) -> bool:
    """Return whether a claim is of a file whose path was not found, which says nothing by itself."""
    return look.claim.kind == "configFile" and not look.finding.holds


def _subject(program: Program, recipe: Recipe) -> str:
    """Return the command that a recipe is about: the program and its first words."""
    step = next((step for step in reversed(recipe.steps) if step[0] == program.name), recipe.steps[-1])
    words = []
    for word in step:
        if not re.fullmatch(r"[a-z][a-z0-9-]*", word):
            break
        words.append(word)
    return " ".join(words or step[:1])
