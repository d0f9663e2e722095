"""`python -m checks AGENT`: repeats what an agent's record says was run, and tells what changed.

Exit status: 0 every claim holds, 1 a claim is contradicted, 2 the arguments, the data or a recipe are wrong.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace

from checks.claims import statements_of
from checks.packages import NotInstalledError, newest_version
from checks.programs import PROGRAMS, Program, program_of
from checks.recipes import check_recipes, read_recipes
from checks.record import Changes, Checking, Outcome, changes_since, write_record
from checks.runner import open_runner
from server.catalog.folders import AGENT_FILE, agents_folder, data_folder
from server.catalog.models import AgentFile
from server.catalog.reading import read_agent_file
from server.catalog.releases import holding
from server.catalog.runs import Run, RunsFile, agent_runs
from server.errors import CallerError, CatalogError

NEWEST = "newest"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the claims of an agent. Returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return _check(options)
    except (CallerError, CatalogError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _check(options: argparse.Namespace) -> int:
    folder = data_folder(options.data)
    program = _at_version(program_of(options.agent), options.version)
    file = _agent_file(options)
    path, before = agent_runs(folder, options.agent)
    statements = statements_of(file, program)
    recipes = read_recipes(options.agent)
    check_recipes(recipes, [each.name for each in statements], options.agent)
    with open_runner(program) as runner:
        outcome = Checking(runner, statements, recipes).run()
    _print_outcome(outcome, sum(not each.id for entry in file.capabilities for each in entry.statements))
    _print_changes(changes_since(before, outcome.record), before)
    if options.write:
        write_record(outcome.record, path)
        print(f"written: {path}")
    return 1 if outcome.contradicted else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m checks",
        description="Run what the catalog claims of an agent's program, and compare it with the last record.",
        epilog="Exit status: 0 every claim holds, 1 a claim is contradicted, 2 wrong arguments, data or recipes.",
    )
    parser.add_argument("agent", metavar="AGENT", help=", ".join(program.agent for program in PROGRAMS))
    parser.add_argument("--version", metavar="V", help=f"version of its package, or {NEWEST} (default: the pinned one)")
    parser.add_argument("--data", metavar="DIR", help="data folder (default: the shipped one)")
    parser.add_argument("--write", action="store_true", help="write the record, agents/AGENT/runs.json")
    return parser


def _at_version(program: Program, version: str | None) -> Program:
    if version is None:
        return program
    if version == NEWEST:
        try:
            version = newest_version(program.package.name)
        except NotInstalledError as error:
            raise CallerError(
                f"version {NEWEST!r} of {program.agent} cannot be had: {error}; npm says which version is the newest; "
                "install Node.js with npm, or name a version"
            ) from error
    return replace(program, package=replace(program.package, version=version))


def _agent_file(options: argparse.Namespace) -> AgentFile:
    path = agents_folder(data_folder(options.data)) / options.agent / "capabilities" / AGENT_FILE
    return holding(read_agent_file(path))


def _print_outcome(outcome: Outcome, without_id: int) -> None:
    record = outcome.record
    held = sum(run.holds for run in record.runs)
    print(
        f"{record.package} {record.version}: {len(record.runs)} claims run, {held} hold, "
        f"{len(outcome.contradicted)} contradicted; {len(record.not_run)} not run"
    )
    _print_runs("contradicted", outcome.contradicted)
    _print_runs("not there, as the statement seems to say (read it)", outcome.absent)
    _print_names("setup lines with neither a record nor a reason", outcome.unexplained)
    _print_names("setup lines that were looked up, but have no recipe", outcome.looked_up)
    if without_id:
        print(f"{without_id} statements have no id, so that their claims cannot be recorded")


def _print_changes(changes: Changes, before: RunsFile | None) -> None:
    if before is None:
        print("no record yet")
        return
    print(
        f"since the record of {before.version} ({before.date}): {len(changes.lost)} no longer hold, "
        f"{len(changes.new)} new, {len(changes.gone)} gone"
    )
    _print_runs("held, and no longer does", changes.lost)
    _print_runs("new", changes.new)
    _print_runs("gone", changes.gone)


def _print_runs(title: str, runs: Sequence[Run]) -> None:
    lines = (f"{run.claim}: {run.kind} {run.subject}: {run.command}: {run.line}" for run in runs)
    _print_list(title, len(runs), lines)


def _print_names(title: str, names: Sequence[str]) -> None:
    _print_list(title, len(names), names)


def _print_list(title: str, count: int, lines: Iterable[str]) -> None:
    if count:
        print(f"{title} ({count}):")
        for line in lines:
            print(f"  {line}")


if __name__ == "__main__":
    raise SystemExit(main())
