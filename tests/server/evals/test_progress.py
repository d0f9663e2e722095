import io
from collections.abc import Iterator
from contextlib import closing, contextmanager, redirect_stderr

import pytest
from tqdm import tqdm

from server.evals.evaluate import ProgressBar
from server.evals.recording import Recording

LAST = Recording(input="undo?")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def on_a_terminal(done: int, total: int) -> Iterator[tuple[ProgressBar, Terminal]]:
    """Yield a bar whose standard error is a terminal."""
    with redirect_stderr(Terminal()) as terminal, closing(ProgressBar()) as progress:
        progress.start(done, total)
        yield progress, terminal


@pytest.fixture(autouse=True)
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time that the bar reads, and no thread of tqdm's that refreshes bars."""
    now = [0.0]
    monkeypatch.setattr("tqdm.std.time", lambda: now[0])
    monkeypatch.setattr(tqdm, "monitor_interval", 0)
    return now


def test_a_terminal_shows_a_bar_from_the_start_until_the_end() -> None:
    with on_a_terminal(0, 3) as (_, terminal):
        assert "0/3 [" in terminal.getvalue()
    with on_a_terminal(0, 1) as (progress, terminal):
        progress.advance(LAST)
    _, _, rest = terminal.getvalue().rpartition("\n")
    assert rest.rpartition("\r")[2] == ""
    assert rest.split("\r")[-2].strip() == ""


def test_a_terminal_shows_a_line_per_prompt_and_the_bar_below(seconds: list[float]) -> None:
    with on_a_terminal(0, 3) as (progress, terminal):
        seconds[0] = 10.0
        progress.advance(LAST)
        lines, _, bar = terminal.getvalue().rpartition("\n")
    assert lines.endswith("1/3 answered: 'undo?'")
    assert "1/3 [" in bar


def test_the_time_left_is_estimated_without_what_earlier_runs_recorded(seconds: list[float]) -> None:
    with on_a_terminal(90, 100) as (progress, terminal):
        seconds[0] = 10.0
        progress.advance(LAST)
        assert "91/100 [00:10<01:30" in terminal.getvalue()


def test_without_a_terminal_there_are_lines_only(capsys: pytest.CaptureFixture[str]) -> None:
    with closing(ProgressBar()) as progress:
        progress.start(1, 3)
        progress.advance(LAST)
        progress.advance(LAST)
    assert capsys.readouterr() == ("", "2/3 answered: 'undo?'\n3/3 answered: 'undo?'\n")
