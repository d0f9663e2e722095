"""Processes that share a port, and the supervisor that keeps them alive."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import FrameType

import anyio
import httpx2
import pytest
from mcp import Client
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from server.http.workers import SECONDS_TO_ANSWER
from server.paths import shipped_data
from tests.server.calls import MODES
from tests.server.faults.messages import ERAS, lookup, raw_call
from tests.server.faults.raw import answer_on, connected
from tests.server.faults.served import SECONDS, Served, running, until
from tests.server.http_server import free_port, http_server, wait_until_it_listens
from tests.server.served import four_tools_answer

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal that tells a supervisor to stop"),
]


def worker() -> Starlette:
    """Return an application that tells its process; it holds a request for as long as the file "held" is there."""
    hung_up = 0

    def count(_: int, __: FrameType | None) -> None:
        nonlocal hung_up
        hung_up += 1

    if sys.platform != "win32":
        signal.signal(signal.SIGHUP, count)

    async def told(_: Request) -> JSONResponse:
        return JSONResponse({"pid": os.getpid(), "hung up": hung_up})

    async def held(_: Request) -> JSONResponse:
        Path("begun").touch()
        while Path("held").exists():
            await anyio.sleep(0.01)
        return JSONResponse({"pid": os.getpid()})

    return Starlette(routes=[Route("/", told), Route("/held", held)])


class Workers:
    """Two workers under a supervisor in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes], site: str) -> None:
        self.process = process
        self.site = site

    def told(self) -> dict[str, int]:
        """Ask the workers' address, and return what the one that answers says of itself."""
        told: dict[str, int] = httpx2.get(self.site, timeout=SECONDS).json()
        return told

    def pids(self, wanted: Callable[[dict[str, int]], bool] = lambda _: True) -> set[int]:
        """Processes of the two who, asked often enough, say what is wanted."""
        found: set[int] = set()

        def both() -> bool:
            with contextlib.suppress(httpx2.TransportError):
                told = self.told()
                found.update([told["pid"]] if wanted(told) else [])
            return len(found) == 2

        until(both, "two workers say so")
        return found


@contextlib.contextmanager
def working(folder: Path) -> Iterator[Workers]:
    port = free_port()
    start = f"import sys; sys.path.insert(0, {str(shipped_data().parent)!r}); "
    start += f"from server.http.workers import run_workers; run_workers('{__name__}:worker', '127.0.0.1', {port}, 2)"
    with subprocess.Popen([sys.executable, "-c", start], cwd=folder) as process:
        try:
            wait_until_it_listens(process, port)
            yield Workers(process, f"http://127.0.0.1:{port}")
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with working(tmp_path_factory.mktemp("workers")) as workers:
        yield workers


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_several_processes_answer(workers: Workers) -> None:
    assert workers.process.pid not in workers.pids()


def test_a_worker_that_dies_is_replaced(workers: Workers) -> None:
    killed, other = workers.pids()
    os.kill(killed, signal.SIGKILL)
    assert other in workers.pids(lambda told: told["pid"] != killed)


def test_a_hang_up_reaches_every_worker_and_none_is_replaced(workers: Workers) -> None:
    pids = workers.pids()
    workers.process.send_signal(signal.SIGHUP)
    assert workers.pids(lambda told: told["hung up"] == 1) == pids


def test_a_worker_that_dies_while_it_is_asked_is_replaced_at_once(tmp_path: Path) -> None:
    with working(tmp_path) as workers:
        killed, _ = workers.pids()
        os.kill(killed, signal.SIGSTOP)
        workers.process.send_signal(signal.SIGHUP)
        # Once it has passed the signal on, the supervisor asks each worker whether it lives.
        until(lambda: workers.told()["hung up"] == 1, "the other worker is told")
        os.kill(killed, signal.SIGKILL)
        begun = time.monotonic()
        workers.pids(lambda told: told["pid"] != killed)
        assert time.monotonic() - begun < SECONDS_TO_ANSWER / 2


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_all_stop_with_the_supervisor(tmp_path: Path, told: signal.Signals) -> None:
    with working(tmp_path) as workers:
        pids = workers.pids()
        workers.process.send_signal(told)
        assert workers.process.wait(SECONDS) == 0
        assert [gone(pid) for pid in pids] == [True, True]


@contextlib.contextmanager
def stopping(folder: Path) -> Iterator[tuple[Workers, "Future[httpx2.Response]"]]:
    """Workers that were told to stop while one holds a request, and what comes of it."""
    (folder / "held").touch()
    with working(folder) as workers, ThreadPoolExecutor() as pool:
        answer = pool.submit(httpx2.get, f"{workers.site}/held", timeout=SECONDS)
        until((folder / "begun").exists, "a worker holds the request")
        workers.process.send_signal(signal.SIGTERM)
        try:
            yield workers, answer
        finally:
            (folder / "held").unlink(missing_ok=True)


def error_response(site: str) -> type[httpx2.TransportError] | None:
    try:
        httpx2.get(site, timeout=1)
    except httpx2.TransportError as error:
        return type(error)
    return None


def test_what_is_in_flight_is_finished_first(tmp_path: Path) -> None:
    with stopping(tmp_path) as (workers, answer):
        until(lambda: error_response(workers.site) is not None, "no other request is answered")
        (tmp_path / "held").unlink()
        assert answer.result(SECONDS).status_code == 200


def test_later_callers_are_refused_at_once(tmp_path: Path) -> None:
    with stopping(tmp_path) as (workers, answer):
        until(lambda: error_response(workers.site) is httpx2.ConnectError or answer.done(), "connections are refused")
        assert not answer.done()


def test_the_command_finishes_what_is_in_flight_and_stops_with_its_workers(tmp_path: Path) -> None:
    served = Served(tmp_path, ["--workers", "2"])
    sent = raw_call(ERAS[0], lookup("Checkpoints"), Expect="100-continue")
    with running(served) as process:
        served.wait_until_ready()
        with connected(served) as connection:
            connection.sendall(sent[:-1])
            # Said when a worker reads the body.
            assert connection.recv(65536).startswith(b"HTTP/1.1 100")
            process.send_signal(signal.SIGTERM)
            until(lambda: error_response(served.site) is not None, "no other request is answered")
            connection.sendall(sent[-1:])
            answer = answer_on(connection)
        assert process.wait(SECONDS) == 0
    assert answer is not None
    assert answer.status == 200
    assert error_response(served.site) is httpx2.ConnectError
    assert "Traceback" not in served.log


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with http_server(tmp_path_factory.mktemp("command"), "--workers", "2") as address:
        yield address


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_the_command_serves_with_several(address: str, mode: str) -> None:
    for _ in range(4):
        async with Client(address, mode=mode) as client:
            await four_tools_answer(client)
