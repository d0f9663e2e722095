"""The targets that `enrich` adds queries to: a catalog file, or the tools of the servers of configurations."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from embeddings.labels.phrase_book import PhraseBook
from server.enrichment.answers import Answer
from server.enrichment.catalog_file import write_catalog
from server.enrichment.prompts import label_key
from server.gateway.tool_catalog.examples import (
    examples_path,
    read_examples,
    write_examples,
    write_known_tools,
    written_examples,
)
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.tool_book import tool_book
from server.matching.label_service import read_catalog


class Target(Protocol):
    """The target that is enriched."""

    @property
    def book(self) -> PhraseBook:
        """The labels as they were given."""

    @property
    def out(self) -> Path | None:
        """The file that is written; None if only prompts are wanted."""

    @property
    def read(self) -> Sequence[Path]:
        """Files that are read, and never overwritten."""

    @property
    def near_misses(self) -> bool:
        """Whether queries that fit no label are wanted, too."""

    @property
    def kept(self) -> Sequence[Answer]:
        """Queries of earlier runs, as answers."""

    def write(self, book: PhraseBook) -> None:
        """Write the enriched labels.

        Raises:
            CallerError: the file cannot be written.
        """


@dataclass(frozen=True)
class CatalogTarget:
    """A catalog file, which is enriched into another one."""

    catalog: Path
    out: Path | None
    near_misses: bool = True
    kept: Sequence[Answer] = ()

    @property
    def read(self) -> Sequence[Path]:
        """The catalog."""
        return [self.catalog]

    @cached_property
    def book(self) -> PhraseBook:
        """The catalog's labels."""
        return read_catalog(self.catalog, pipe=True, known_tools=False)

    def write(self, book: PhraseBook) -> None:
        """Write the enriched catalog."""
        if self.out:
            write_catalog(self.out, book)


@dataclass(frozen=True)
class GatewayTarget:
    """The tools of servers, whose queries are kept beside the first configuration.

    What fits no tool today may fit one of a server that is added tomorrow, so near misses are not wanted.
    """

    configs: Sequence[Path]
    tools: Sequence[GatewayTool]
    per_label: int
    known: Path | None = None
    near_misses: bool = False

    @classmethod
    def of(cls, configs: Sequence[Path], per_label: int, known: Path | None = None) -> "GatewayTarget":
        """Start the servers once and list their tools.

        Raises:
            CallerError: a configuration cannot be used, or no server answers.
        """
        from server.cli.gateway_run import listed_servers

        return cls(configs, listed_servers(configs).gateway_tools, per_label, known)

    @property
    def out(self) -> Path:
        """The file of examples."""
        return examples_path(self.configs[0])

    @property
    def read(self) -> Sequence[Path]:
        """The configurations."""
        return self.configs

    @cached_property
    def book(self) -> PhraseBook:
        """The tools, without the examples that they have."""
        return tool_book(self.tools, {})

    @cached_property
    def kept(self) -> Sequence[Answer]:
        """The examples of the tools as they are now. A tool that has some is not asked for again."""
        return [
            Answer(f"{label_key(label)}/{self.per_label}", json.dumps(self._examples[label.id]))
            for label in self.book.labels
            if label.id in self._examples
        ]

    def write(self, book: PhraseBook) -> None:
        """Write the queries after those that the tools have; what the file holds for other tools stays."""
        new = written_examples(book)
        merged = {name: [*dict.fromkeys([*self._examples.get(name, ()), *texts])] for name, texts in new.items()}
        write_examples(self.out, self.tools, merged)
        if self.known:
            write_known_tools(self.known, self.tools, merged)

    @cached_property
    def _examples(self) -> Mapping[str, Sequence[str]]:
        return read_examples([examples_path(path) for path in self.configs], self.tools)
