"""Fixtures of the tests of what is told of requests."""

import logging
from collections.abc import Iterator

import pytest

from server.telemetry.logs import NOISY
from tests.server.telemetry.written import Written


@pytest.fixture
def written(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Written]:
    """Logging is as before afterwards."""
    loggers = [logging.getLogger(name) for name in (None, *NOISY)]
    levels = [logger.level for logger in loggers]
    monkeypatch.setattr(logging.root, "handlers", [])
    yield Written(capsys)
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)
