"""Fixtures of the command line's tests."""

import pytest

from tests.server.cli.commands import Commands


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], toy_model: None) -> Commands:
    """Runs the command, with the toy encoder as the model."""
    return Commands(capsys)


@pytest.fixture(autouse=True)
def the_process_stays_the_tests_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """`serve` would take over the log and the signals of the process."""
    for name in ("configure_logging", "exit_on_sigterm", "leave_on_signals"):
        monkeypatch.setattr(f"server.cli.serve.{name}", lambda *_: None)
    monkeypatch.setattr("server.stopping.signal.signal", lambda *_: None)
