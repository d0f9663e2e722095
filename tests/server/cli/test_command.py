import threading
from collections.abc import Iterator

import pytest

from server.cli import command as module
from server.cli.command import UNAWAITED, command

SECONDS = 60


class LeftError(Exception):
    """Stands for the end of the process."""


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Statuses with which the process was left in the midst of loading."""
    for thread in threading.enumerate():
        # A test that ran before in this process may still be loading in the background.
        if thread.name in UNAWAITED:
            thread.join(SECONDS)
    statuses: list[int] = []

    def leave(status: int) -> None:
        statuses.append(status)
        raise LeftError

    monkeypatch.setattr(module, "leave", leave)
    return statuses


@pytest.fixture(params=UNAWAITED)
def loading(left: list[int], request: pytest.FixtureRequest) -> Iterator[None]:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait, name=request.param)
    thread.start()
    yield
    ended.set()
    thread.join()


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["list", "--agent", "claude-code"], 0), (["lookup", "nobody", "undo"], 2), (["--version"], 0)],
)
def test_the_process_ends_with_the_status_of_the_command(left: list[int], arguments: list[str], status: int) -> None:
    with pytest.raises(SystemExit) as ended:
        command(arguments)
    assert ended.value.code == status
    assert left == []


@pytest.mark.usefixtures("loading")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["list", "--agent", "claude-code"], 0), (["lookup", "nobody", "undo"], 2), (["--bad"], 2)],
)
def test_a_loading_matcher_is_not_waited_for(left: list[int], arguments: list[str], status: int) -> None:
    with pytest.raises(LeftError):
        command(arguments)
    assert left == [status]


@pytest.mark.usefixtures("loading")
def test_an_end_that_says_why_is_left_to_say_it(left: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def end(_: object) -> int:
        raise SystemExit("why")

    monkeypatch.setattr(module, "main", end)
    with pytest.raises(SystemExit, match="why"):
        command([])
    assert left == []
