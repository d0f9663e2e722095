"""Metrics of several workers, put together."""

import contextlib
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import httpx2
import pytest

from tests.server.faults.messages import ERAS, lookup, post_call
from tests.server.faults.served import SECONDS, Served, until
from tests.server.telemetry.collector import figures

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal that tells a supervisor to stop"),
]

SENT: Final = 100
"""Calls at once, after each worker has had some."""


def answers(served: Served) -> bool:
    with contextlib.suppress(httpx2.TransportError):
        return httpx2.get(f"{served.site}/healthz", timeout=SECONDS).status_code == 200
    return False


@contextlib.contextmanager
def two_workers(folder: Path) -> Iterator[Served]:
    """Yield a server of two processes that count, which is told to stop at the end."""
    served = Served(folder, ["--metrics", "--workers", "2"])
    with served.start() as process:
        try:
            until(lambda: answers(served), "a worker answers")
            yield served
        finally:
            process.terminate()
            process.wait(SECONDS)


def call_on_a_new_connection(served: Served, era: str) -> int:
    with httpx2.Client(timeout=SECONDS) as client:
        return post_call(client, served.address, era, lookup("Checkpoints")).status_code


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where servers make temporary folders."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def test_whichever_worker_is_asked_shows_the_figures_of_all(tmp_path: Path, temporary: Path) -> None:
    asked = []
    with two_workers(tmp_path) as served:

        def both_have_counted() -> bool:
            asked.append(call_on_a_new_connection(served, ERAS[0]))
            return len(list(temporary.glob("*/counter_*.db"))) == 2

        until(both_have_counted, "both workers have counted")
        with ThreadPoolExecutor(8) as threads:
            asked += threads.map(lambda n: call_on_a_new_connection(served, ERAS[n % 2]), range(SENT))
        shown = [httpx2.get(f"{served.site}/metrics", timeout=SECONDS).text for _ in range(8)]
    assert set(asked) == {200}
    counted = {("resolved", "tools/call", "ok", "lookup_capability"): len(asked)}
    spent = {("tools/call", "lookup_capability"): len(asked)}
    for text in shown:
        assert figures(text, "agent_capabilities_requests_total") == counted
        assert figures(text, "agent_capabilities_request_seconds_count") == spent


def test_nothing_of_it_is_left_when_the_server_has_stopped(tmp_path: Path, temporary: Path) -> None:
    with two_workers(tmp_path) as served:
        call_on_a_new_connection(served, ERAS[0])
        assert list(temporary.glob("*/*.db"))
    assert not list(temporary.glob("*/"))
