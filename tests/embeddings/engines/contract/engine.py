"""The interface of an engine for the contract's tests, besides its store."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

from embeddings.stores.store import Store


class Server(Protocol):
    """The process of an engine."""

    def kill(self) -> None:
        """End it at once, as the system does when memory runs out."""

    def start(self) -> None:
        """Start it again after that, with the same data, and wait until it answers."""

    def hang(self) -> None:
        """Stop it, so that connections stay open, and nothing answers."""

    def resume(self) -> None:
        """Let it go on after that."""


@dataclass(frozen=True)
class Engine:
    """A place for one catalog. What is None cannot be tried with this engine.

    Attributes:
        open: a new client of the same place, with a short patience if that can be chosen.
        uri: what another process opens meanwhile.
        transactions: whether a change is made as a whole, or not at all.
        empty: whether nothing was stored there before.
        damage: spoil the stored record of a key.
        refused: a client with wrong credentials.
        server: the engine's process.
        small_disk: a client of another place, on a disk of a few megabytes.
    """

    open: Callable[[], Store]
    uri: str | None = None
    transactions: bool = True
    empty: bool = True
    damage: Callable[[str], None] | None = None
    refused: Callable[[], Store] | None = None
    server: Server | None = None
    small_disk: Callable[[], AbstractContextManager[Store]] | None = None


Tool = TypeVar("Tool")

Places = Callable[[Path], Engine]
"""A place for each test, given a folder of its own."""


@dataclass(frozen=True)
class Source:
    """How tests come by an engine.

    Attributes:
        started: starts what all tests of a module share; may call pytest.skip.
        processes: whether it starts processes.
    """

    started: Callable[[], AbstractContextManager[Places]]
    processes: bool = True

    @property
    def marks(self) -> list[pytest.MarkDecorator]:
        return [pytest.mark.processes] if self.processes else []


def having(tool: Tool | None, what: str) -> Tool:
    """Return the tool, or skip the test."""
    if tool is None:
        pytest.skip(f"this engine {what}")
    return tool


Started = Iterator[Places]
