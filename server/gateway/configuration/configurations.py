"""Reads configuration files into upstreams with distinct names."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from server.errors import CallerError, brief
from server.files import read_table
from server.gateway.configuration import jsonc
from server.gateway.configuration.default_files import project_folder
from server.gateway.configuration.entry import upstream_of
from server.gateway.configuration.entry_kinds import SkippedEntryError
from server.gateway.configuration.fields import Entry
from server.gateway.configuration.forms import TABLES, Form, form_of
from server.gateway.configuration.references.inputs import Ask, ask_on_terminal, questions
from server.gateway.configuration.references.resolver import Resolver, UnresolvedError
from server.gateway.configuration.references.surroundings import Surroundings
from server.gateway.configuration.upstream_config import Configuration, UpstreamConfig

MOST_SERVERS: Final = 1000
"""Maximum servers of one file."""


def read_configurations(
    paths: Sequence[Path],
    *,
    cwd: Path | None = None,
    environment: Mapping[str, str] = os.environ,
    ask: Ask = ask_on_terminal,
) -> Configuration:
    """Read the servers of files, in their order.

    Args:
        paths: the files; one that is given again is read once.
        cwd: the working folder; default: the process's.
        environment: the variables that references name.
        ask: asks for VS Code's inputs that no variable answers.

    Raises:
        CallerError: a file cannot be read, or an entry has a field of a wrong type.
    """
    reading = _Reading((cwd or Path.cwd()).resolve(), environment, ask)
    for path in dict.fromkeys(path.expanduser().absolute() for path in paths):
        reading.file(path)
    return Configuration(
        tuple(reading.upstreams.values()),
        tuple(reading.reports),
        tuple(reading.notes),
        tuple(sorted(reading.variables)),
    )


@dataclass
class _Reading:
    cwd: Path
    environment: Mapping[str, str]
    ask: Ask
    upstreams: dict[str, UpstreamConfig] = field(default_factory=dict)
    reports: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)

    def file(self, path: Path) -> None:
        """Read one file."""
        table = read_table(path, "configuration", "'mcpServers' or the like to servers", loads=jsonc.loads)
        form = form_of(path, table, self.cwd)
        if form is None or not form.servers:
            known = f"servers stand under one of {', '.join(map(repr, TABLES))}"
            self.notes.append(f"{brief(str(path))} has no MCP servers; {known}; add some, or leave the file out")
            return
        if len(form.servers) > MOST_SERVERS:
            given = f"{brief(str(path))} has {len(form.servers)} servers"
            raise CallerError(f"{given}; at most {MOST_SERVERS} are read; remove some")
        home = Path.home()
        project = project_folder(path, home, self.environment)
        asked = questions(form.inputs, brief(str(path))) if form.inputs else {}
        around = Surroundings(path, project or self.cwd, home, self.environment, asked, self.ask)
        for name, value in form.servers.items():
            self._entry(_entry(path, name, value), form, around, project)
        self.variables |= around.variables

    def _entry(self, entry: Entry, form: Form, around: Surroundings, project: Path | None) -> None:
        try:
            self._add(upstream_of(entry, form, Resolver(around, form.syntax), project))
        except SkippedEntryError as skipped:
            (self.notes if skipped.expected else self.reports).append(skipped.reason)
        except UnresolvedError as missing:
            self.reports.append(f"{entry.where} {missing.value}; the server is left out; {missing.next_step}")

    def _add(self, upstream: UpstreamConfig) -> None:
        taken = self.upstreams.get(upstream.name)
        if taken is None:
            self.upstreams[upstream.name] = upstream
            return
        where = f"server {brief(upstream.name)} of {brief(str(upstream.source))}"
        if self._start(upstream) == self._start(taken):
            self.notes.append(
                f"{where} is the same as that of {brief(str(taken.source))}; it is started once; no change is needed"
            )
            return
        name = _free_name(upstream, self.upstreams.__contains__)
        self.upstreams[name] = replace(upstream, name=name)
        rule = f"{brief(str(taken.source))} has another server of this name"
        self.reports.append(f"{where} is called {brief(name)} here; {rule}; rename one of them to choose the name")

    def _start(self, upstream: UpstreamConfig) -> tuple[object, ...]:
        reached = (upstream.command, upstream.args, dict(upstream.env), upstream.cwd or self.cwd)
        return (upstream.transport, upstream.url, dict(upstream.headers), *reached, upstream.include, upstream.exclude)


def _entry(path: Path, name: str, value: object) -> Entry:
    where = f"server {brief(name)} of {brief(str(path))}"
    if not isinstance(value, dict):
        raise CallerError(f"{where} cannot be read; it must be a table; correct it in the file")
    if not name.strip():
        raise CallerError(f"{where} has a blank name; a server needs a name; correct it in the file")
    return Entry(name, path, value)


def _free_name(upstream: UpstreamConfig, is_taken: Callable[[str], bool]) -> str:
    stem = upstream.source.name.strip(".").partition(".")[0]
    first = f"{upstream.name}-{stem}" if stem else upstream.name
    name, number = first, 2
    while is_taken(name):
        name, number = f"{first}-{number}", number + 1
    return name
