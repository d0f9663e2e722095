"""How long the calls of an engine are waited for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """Seconds to wait.

    Attributes:
        connect: for a connection.
        read: for the answer to a query.
        write: for a batch to be written, or all records to be read or, where they come in parts, one of these.
        index: for the index of a version to be built.
    """

    connect: float = 5
    read: float = 10
    write: float = 120
    index: float = 6 * 3600
