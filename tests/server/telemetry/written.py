"""Reads what was logged."""

import json
from typing import Any

import pytest


class Written:
    """The lines that were logged."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    @property
    def raw(self) -> str:
        written = self._capsys.readouterr()
        assert not written.out
        return written.err

    @property
    def lines(self) -> list[str]:
        return self.raw.splitlines()

    @property
    def only(self) -> dict[str, Any]:
        """The one line, as JSON."""
        (line,) = self.lines
        value: dict[str, Any] = json.loads(line)
        return value
