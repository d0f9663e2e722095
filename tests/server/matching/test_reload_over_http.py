"""A server that reads its changed catalog while it runs, in a process of its own."""

import contextlib
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.server.faults.messages import ERAS, lookup, post_call
from tests.server.faults.served import SECONDS, Served, running, until
from tests.special_files import posix, put_in_place
from tests.toy import write_data

pytestmark = pytest.mark.processes

CLAUDE = Path("agents", "claude-code", "capabilities", "current.json")
KEPT = "the catalog was not reloaded"
ASKING = 8
"""Callers at the same time, more than enough to find every worker."""


class Catalog:
    """A data folder, and the server of it."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = write_data(folder / "data")
        self.served = Served(folder, ["--data", str(self.folder), *options])

    def describe(self, text: str) -> None:
        """Say something else of Claude Code's checkpoints."""
        value = json.loads((self.folder / CLAUDE).read_text(encoding="utf-8"))
        value["capabilities"][0]["description"] = text
        self.write(CLAUDE, json.dumps(value))

    def write(self, path: Path, content: str) -> None:
        """In one step, so that no half of it is read."""
        other = self.folder / "other"
        other.write_text(content, encoding="utf-8")
        other.replace(self.folder / path)

    def asked(self, phrase: str = "Checkpoints", era: str = ERAS[0]) -> dict[str, Any]:
        """Return the answer to a phrase, on a connection of its own."""
        with httpx2.Client(timeout=SECONDS) as client:
            response = post_call(client, self.served.address, era, lookup(phrase))
        assert response.status_code == 200
        content: dict[str, Any] = response.json()["result"]["structuredContent"]
        return content

    def says(self, text: str, era: str = ERAS[0]) -> bool:
        return bool(self.asked(era=era)["capability"]["description"] == text)

    def times_kept(self) -> int:
        return self.served.log.count(KEPT)


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[Catalog, Callable[[signal.Signals], None]]]:
    """Yield a catalog that is ready, and how its server is sent a signal."""
    catalog = Catalog(folder, *options)
    with running(catalog.served) as process:
        try:
            catalog.served.wait_until_ready()
            yield catalog, process.send_signal
        finally:
            process.terminate()
            process.wait(SECONDS)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    with serving(tmp_path_factory.mktemp("watched"), "--watch", "1") as (catalog, _):
        yield catalog


@pytest.mark.parametrize("era", ERAS)
def test_a_change_is_answered_without_a_restart(watched: Catalog, era: str) -> None:
    assert not watched.says(f"new in {era}", era)
    watched.describe(f"new in {era}")
    until(lambda: watched.says(f"new in {era}", era), "the new text is answered")


def test_answers_go_on_with_the_old_catalog_until_a_bad_one_is_repaired(watched: Catalog) -> None:
    watched.describe("the last good one")
    until(lambda: watched.says("the last good one"), "the text is answered")
    good, kept = (watched.folder / CLAUDE).read_text(encoding="utf-8"), watched.times_kept()
    watched.write(CLAUDE, "{")
    until(lambda: watched.times_kept() > kept, "the bad catalog is told")
    assert watched.says("the last good one")
    watched.write(CLAUDE, good.replace("the last good one", "repaired"))
    until(lambda: watched.says("repaired"), "the repaired text is answered")
    assert watched.times_kept() == kept + 1


@posix
def test_a_pipe_in_place_of_a_file_holds_up_neither_answers_nor_the_end(tmp_path: Path) -> None:
    with serving(tmp_path, "--watch", "1") as (catalog, send):
        catalog.describe("before the pipe")
        until(lambda: catalog.says("before the pipe"), "the text is answered")
        put_in_place(catalog.folder / CLAUDE, "FIFO")
        until(lambda: catalog.times_kept() > 0, "the pipe is told")
        send(signal.SIGHUP)
        until(lambda: catalog.times_kept() > 1, "the signal is heeded")
        assert catalog.says("before the pipe")
        # Leaving the context ends the server and waits for it, for a while.


class Asking:
    """Asks for a phrase and for readiness, over and over, until it is stopped."""

    def __init__(self, catalog: Catalog) -> None:
        self.decisions: list[str] = []
        self.statuses: list[int] = []
        self._catalog = catalog
        self._stopped = threading.Event()

    def __call__(self) -> None:
        while not self._stopped.is_set():
            self.statuses.append(httpx2.get(f"{self._catalog.served.site}/readyz", timeout=SECONDS).status_code)
            answer = self._catalog.asked("rewind my files, please")
            self.decisions.append(str(answer.get("degraded", answer["decision"])))

    def stop(self) -> None:
        self._stopped.set()


def test_every_request_is_answered_and_ready_while_vectors_are_built(watched: Catalog) -> None:
    asking = Asking(watched)
    with ThreadPoolExecutor() as pool:
        callers = [pool.submit(asking) for _ in range(3)]
        try:
            until(lambda: len(asking.decisions) > 3, "requests are answered")
            watched.write(Path("aliases.json"), json.dumps({"time machine": "Checkpoints"}))
            until(lambda: watched.asked("time machine")["decision"] == "resolved", "the new alias is answered")
        finally:
            asking.stop()
        for caller in callers:
            caller.result(SECONDS)
    assert set(asking.statuses) == {200}
    assert len(set(asking.decisions)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGHUP")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_hang_up_reads_the_catalog_in_every_worker(tmp_path: Path, workers: str) -> None:
    with serving(tmp_path, "--workers", workers) as (catalog, send), ThreadPoolExecutor(ASKING) as pool:

        def all_say(text: str) -> bool:
            return all(pool.map(catalog.says, [text] * ASKING * 4))

        catalog.describe("read at once")
        assert not all_say("read at once")
        send(signal.SIGHUP)
        until(lambda: all_say("read at once"), "every worker answers the new text")
