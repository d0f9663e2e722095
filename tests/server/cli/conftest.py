"""Fixtures of the command line's tests."""

import pytest

from tests.server.cli.commands import Commands


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], toy_model: None) -> Commands:
    """Runs the command, with the toy encoder as the model."""
    return Commands(capsys)
