import io
import sys

import pytest

from server.cli.progress import staged_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time, in its one item."""
    now = [100.0]
    monkeypatch.setattr("server.cli.progress.time.monotonic", lambda: now[0])
    return now


def test_a_terminal_shows_a_bar_for_each_stage_and_what_was_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with staged_progress("texts") as show:
        show("fitting", 10, 10, 0)
        show("writing", 600, 1000, 600)
        show("writing", 1000, 1000, 600)
    assert "fitting: 100%" in terminal.getvalue()
    last = terminal.getvalue().splitlines()[-1]
    assert "writing: 100%" in last
    assert "1000/1000" in last
    assert "600 were embedded before" in last


def test_what_was_stored_is_not_part_of_the_rate(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with staged_progress("texts") as show:
        show("writing", 600, 1000, 600)
        clock[0] += 40
        show("writing", 800, 1000, 600)
    assert capsys.readouterr().err == "writing: 800 of 1,000 texts, 5 a second; 600 were embedded before\n"


def test_without_a_terminal_a_line_comes_now_and_then(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with staged_progress("texts") as show:
        for done in range(0, 1000, 10):
            clock[0] += 1
            show("fitting", done, 1000, 0)
    assert [line.split(",")[0] for line in capsys.readouterr().err.splitlines()] == [
        "fitting: 290 of 1",
        "fitting: 590 of 1",
        "fitting: 890 of 1",
    ]


def test_quick_work_says_nothing_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with staged_progress("texts") as show:
        show("fitting", 10, 10, 0)
    assert capsys.readouterr().err == ""
