"""The record of an agent's claims that were run: `agents/<agent>/runs.json`, which `python -m checks` writes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from server.catalog.folders import agents_folder
from server.catalog.models import AgentFile, Release
from server.catalog.reading import read_json_file
from server.catalog.releases import parts
from server.catalog.statement_text import Date, FileModel, Text
from server.errors import CatalogError

RUNS_FILE: Final = "runs.json"

Kind = Literal["setup", "configFile", "flag", "subcommand", "slashCommand", "configKey", "environment"]


class Run(FileModel):
    """One claim that was run.

    Attributes:
        claim: the statement that makes it, as `<capability>/<id>`.
        kind: what was claimed.
        subject: the flag, command or key.
        command: what was run.
        folder: whether the agent trusted the folder that it was run in.
        status: the exit status; None if there is none, as for a look into the program's own files.
        line: the line of the output that decides.
        holds: whether it is as the statement says.
    """

    claim: Text
    kind: Kind
    subject: Text
    command: Text
    folder: Literal["fresh", "trusted"]
    status: int | None = None
    line: str = Field(default="", max_length=200)
    holds: bool


class NotRun(FileModel):
    """A claim that could not be run, and why."""

    claim: Text
    reason: Text


class RunsFile(FileModel):
    """`agents/<agent>/runs.json`."""

    package: Text
    version: Release
    date: Date
    runs: tuple[Run, ...] = ()
    not_run: tuple[NotRun, ...] = ()


def agent_runs(folder: Path, agent: str) -> tuple[Path, RunsFile | None]:
    """Return where an agent's record is, and the record; None if there is none.

    Raises:
        CatalogError: it cannot be used.
    """
    path = agents_folder(folder) / agent / RUNS_FILE
    return path, read_json_file(RunsFile, path) if path.exists() else None


def check_runs(file: AgentFile, runs: RunsFile, path: Path) -> None:
    """Refuse a record of claims that are gone, one that contradicts the data, and setup lines without a record.

    Args:
        file: the agent's entries.
        runs: what was run.
        path: of the record, for errors.

    Raises:
        CatalogError: there is such a fault.
    """
    claims = {claim: text for entry in file.capabilities for claim, text in _claims(entry.name, entry.statements)}
    for position, run in enumerate(runs.runs):
        _check_claim(run.claim, claims, f"{path}: runs[{position}].claim")
        if not run.holds:
            raise CatalogError(
                f"{path}: runs[{position}] contradicts {run.claim!r}: {run.subject!r} gave {run.line!r}; a statement "
                "must be as the program shows; correct the statement and repeat the run"
            )
    for position, left in enumerate(runs.not_run):
        _check_claim(left.claim, claims, f"{path}: notRun[{position}].claim")
    if file.as_of and parts(runs.version) < parts(file.as_of.version):
        raise CatalogError(
            f"{path}: version is {runs.version!r}; asOf of the agent is {file.as_of.version!r}, and the record may not "
            "be older; repeat it with python -m checks, or give asOf that release"
        )
    told = {run.claim for run in runs.runs} | {left.claim for left in runs.not_run}
    if missing := [claim for claim in claims if claim.endswith("/setup") and claim not in told]:
        raise CatalogError(
            f"{path} has no record of {missing[0]!r} ({len(missing)} such); each setup line is run, or a reason given; "
            "repeat it with python -m checks"
        )


def _claims(name: str, statements: Iterator[tuple[str, str | None, str]]) -> Iterator[tuple[str, str]]:
    return ((f"{name}/{id_}", text) for _, id_, text in statements if id_)


def _check_claim(claim: str, known: Mapping[str, str], where: str) -> None:
    if claim not in known:
        raise CatalogError(
            f"{where} is {claim!r}; no entry has such a statement; repeat the record with python -m checks"
        )
