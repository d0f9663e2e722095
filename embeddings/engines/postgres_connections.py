"""The connections to PostgreSQL: a few that threads share, each used for a limited time."""

import contextlib
import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, LiteralString, TypeAlias, TypeVar

import psycopg
from psycopg import errors

from embeddings.engines.postgres_address import Address
from embeddings.errors import StoreAwayError, StoreError
from embeddings.stores.store import Patience

_REFUSED: Final = re.compile(
    r"authentication failed|no password supplied|does not exist|pg_hba\.conf|permission denied|SSL|certificate"
    r"|authentication method|not permitted to log in|invalid connection option|invalid .* value"
)
"""Words of a server that speaks English which mean that trying again will not help: before a session begins,
there is no code."""

_AWAY: Final = ("08", "57P", "57014", "55P03", "40001", "40P01", "53300")
"""How codes begin of failures that pass: connection lost, server stopping or starting, cancelled after the statement
timeout, a lock held by another, conflicts with another writer, no connection left."""

_NEXT: Final = {
    "53100": "the server's disk must have room; free some, and try again",
    "53200": "the server must have memory for the query; give it more, or lower maintenance_work_mem",
    "42501": "the user needs CREATE on the database or the schema, and its tables; grant these, or name another user",
    "0A000": "the server needs the extension pgvector 0.8 or later; install it there",
    "58P01": "the server needs the extension pgvector 0.8 or later; install it there",
    "42704": "the server needs the extension pgvector 0.8 or later; run CREATE EXTENSION vector in the database",
}


def told(error: psycopg.Error, address: Address) -> StoreError:
    """Return the error to raise instead of an error of the driver."""
    said = address.hide(" ".join(str(error).split()))[:300]
    code = error.sqlstate or ""
    if is_away(error):
        return StoreAwayError(
            f"{address.shown!r} does not answer ({said}); the server must run and answer within some seconds; start "
            "it, or wait until it is back"
        )
    if not code:
        return StoreError(
            f"{address.shown!r} refuses the connection ({said}); user, password and database must be those of the "
            "server; correct the URI, or set PGPASSWORD"
        )
    next_step = _NEXT.get(code, "its tables must be as this version of the program writes them; build the store anew")
    return StoreError(f"{address.shown!r} refuses ({said}); {next_step}")


def is_away(error: psycopg.Error) -> bool:
    """Return whether the server did not answer, so that trying again later may help."""
    if error.sqlstate:
        return error.sqlstate.startswith(_AWAY)
    if isinstance(error, errors.ConnectionTimeout):
        return True
    return isinstance(error, psycopg.OperationalError) and not _REFUSED.search(str(error))


def is_gone(error: psycopg.Error) -> bool:
    """Return whether the table that was asked is not there, as if the version had been dropped a moment ago."""
    return isinstance(error, errors.UndefinedTable)


Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
Result = TypeVar("Result")

MAX_CONNECTIONS: Final = 8

_GRACE: Final = 0.5

_LIMIT: Final[LiteralString] = "select set_config('statement_timeout', %s, true)"


class Connections:
    """Connections to one database, opened when needed. Safe to share between threads."""

    def __init__(self, address: Address, patience: Patience) -> None:
        """Keep the options; the first use opens a connection."""
        self._address, self._patience = address, patience
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._idle: list[Connection] = []
        self._process = os.getpid()

    def run(self, action: Callable[[Connection], Result], seconds: float, *, together: bool = False) -> Result:
        """Do something in one transaction.

        An action is done again if its connection was lost while nobody used it, or the version that it read was
        dropped meanwhile.

        Args:
            action: gets a connection, within the transaction.
            seconds: how long it may take.
            together: send statements together, up to the one whose result is fetched, so that the way to the server
                is gone once; none may copy.

        Raises:
            StoreError: see `told`.
        """
        if not self._free.acquire(timeout=seconds):
            raise StoreAwayError(
                f"{self._address.shown!r} is busy: all {MAX_CONNECTIONS} connections were in use for {seconds:g} s; "
                "an answer takes milliseconds if the server is well; wait, or find out what holds it up"
            )
        try:
            return self._tried(action, seconds, _pipeline if together else _transaction)
        except psycopg.Error as error:
            raise told(error, self._address) from error
        finally:
            self._free.release()

    def _tried(self, action: Callable[[Connection], Result], seconds: float, block: "_Block") -> Result:
        connection = self._taken()
        if connection:
            try:
                return self._once(connection, action, seconds, block)
            except psycopg.Error as error:
                if not (is_gone(error) or connection.closed) or isinstance(error, _TooLateError):
                    raise
        try:
            return self._once(self._new(), action, seconds, block)
        except psycopg.Error as error:
            if not is_gone(error):
                raise
        return self._once(self._new(), action, seconds, block)

    def _once(
        self, connection: Connection, action: Callable[[Connection], Result], seconds: float, block: "_Block"
    ) -> Result:
        try:
            with _deadline(connection, seconds + _GRACE), block(connection):
                # The server stops by itself; the deadline is for one that cannot.
                connection.execute(_LIMIT, (str(round(seconds * 1000)),))
                found = action(connection)
        except BaseException as error:
            connection.close()
            if isinstance(error, _TooLateError):
                self.close()  # The others wait for the same server.
            raise
        with self._lock:
            self._idle.append(connection)
        return found

    def _taken(self) -> Connection | None:
        with self._lock:
            if self._process != os.getpid():  # After a fork, the parent goes on to use them.
                self._idle, self._process = [], os.getpid()
            return self._idle.pop() if self._idle else None

    def _new(self) -> Connection:
        return psycopg.connect(
            self._address.connection,
            autocommit=True,
            prepare_threshold=None,
            connect_timeout=max(1, round(self._patience.connect)),
            client_encoding="UTF8",
            application_name="agent-capabilities",
        )

    def close(self) -> None:
        """Close the connections that nobody uses; more are opened when needed."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


_Block: TypeAlias = Callable[[Connection], AbstractContextManager[object]]


def _transaction(connection: Connection) -> AbstractContextManager[object]:
    return connection.transaction()


def _pipeline(connection: Connection) -> AbstractContextManager[object]:
    """Without a transaction of their own, statements of a pipeline are one, up to its end."""
    return connection.pipeline() if psycopg.Pipeline.is_supported() else connection.transaction()


class _TooLateError(psycopg.OperationalError):
    """The server did not answer within the time given."""


@contextmanager
def _deadline(connection: Connection, seconds: float) -> Iterator[None]:
    """Cut the connection after some seconds: a server that hangs keeps it open, and would be waited for without end."""
    lock, state = threading.Lock(), {"done": False, "cut": False}

    def cut() -> None:
        with lock, contextlib.suppress(OSError, psycopg.Error):
            if not state["done"]:
                state["cut"] = True
                with socket.socket(fileno=os.dup(connection.fileno())) as same:
                    same.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except psycopg.OperationalError as error:
        if state["cut"]:
            raise _TooLateError(f"no answer within {seconds:g} s") from error
        raise
    finally:
        timer.cancel()
        with lock:
            state["done"] = True
