"""Progress of a run on standard error: a line per prompt and, on a terminal, a bar."""

import sys
from typing import Any

from tqdm import tqdm

from server.errors import brief
from server.evals.formats.recording import Recording


class ProgressBar:
    """Shows how many prompts are done. Close it to remove the bar."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._done = self._total = 0
        self._bar: tqdm[Any] | None = None

    def start(self, done: int, total: int) -> None:
        """Show that earlier runs recorded `done` of `total` prompts."""
        self._done, self._total = done, total
        # `disable=None` means: no bar unless standard error is a terminal.
        self._bar = tqdm(initial=done, total=total, unit=" prompts", file=sys.stderr, leave=False, disable=None)

    def advance(self, recording: Recording) -> None:
        """Show that one more prompt is done."""
        self._done += 1
        tqdm.write(f"{self._done}/{self._total} {recording.ending}: {brief(recording.input)}", file=sys.stderr)
        if self._bar is not None:
            self._bar.update()

    def close(self) -> None:
        """Remove the bar; the lines stay."""
        if self._bar is not None:
            self._bar.close()
