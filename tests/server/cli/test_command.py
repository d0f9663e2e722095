import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from server.cli import main as module
from server.cli.main import UNAWAITED, command

SECONDS = 60


class LeftError(Exception):
    """Stands for the end of the process."""


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Statuses with which the process was left in the midst of loading."""
    # Threads of tests that ran before in this process are none of the command's.
    before = set(threading.enumerate())
    own = SimpleNamespace(enumerate=lambda: [thread for thread in threading.enumerate() if thread not in before])
    monkeypatch.setattr(module, "threading", own)
    statuses: list[int] = []

    def leave(status: int) -> None:
        statuses.append(status)
        raise LeftError

    monkeypatch.setattr(module, "leave", leave)
    return statuses


@contextmanager
def loading(name: str) -> Iterator[None]:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait, name=name)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_the_process_ends_with_the_status_of_the_command(left: list[int]) -> None:
    cases: list[tuple[list[str], int]] = [
        (["list", "--agent", "claude-code"], 0),
        (["lookup", "nobody", "undo"], 2),
        (["--version"], 0),
    ]
    for arguments, status in cases:
        with pytest.raises(SystemExit) as ended:
            command(arguments)
        assert ended.value.code == status, arguments
        assert left == [], arguments


def test_a_loading_matcher_is_not_waited_for(left: list[int], subtests: pytest.Subtests) -> None:
    cases = [(["list", "--agent", "claude-code"], 0), (["lookup", "nobody", "undo"], 2), (["--bad"], 2)]
    # Threads of a pool have a number.
    for name, (arguments, status) in itertools.product([*UNAWAITED, "answer_0"], cases):
        left.clear()
        with subtests.test(thread=name, arguments=arguments), loading(name):
            with pytest.raises(LeftError):
                command(arguments)
            assert left == [status]


def test_an_end_that_says_why_is_left_to_say_it(left: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def end(_: object) -> int:
        raise SystemExit("why")

    monkeypatch.setattr(module, "main", end)
    for name in UNAWAITED:
        with loading(name), pytest.raises(SystemExit, match="why"):
            command([])
        assert left == [], name
