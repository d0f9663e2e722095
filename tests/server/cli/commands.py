"""Runs of the command in this process."""

import json
from typing import Any

import pytest

from server.cli.main import main


class Commands:
    """Runs the command and keeps what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = ""
        self.err = ""

    def __call__(self, *arguments: str) -> int:
        try:
            status = main(arguments)
        except SystemExit as exit_:
            status = exit_.code if isinstance(exit_.code, int) else 1
        self.out, self.err = self._capsys.readouterr()
        return status

    def objects(self) -> list[dict[str, Any]]:
        """Return the JSON objects printed, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]
