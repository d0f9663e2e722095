"""Runs that keep their recordings in a file, and progress that is told to a function."""

from collections.abc import Callable, Sequence
from pathlib import Path

from server.evals.evaluate import Answer, Progress, run
from server.evals.recording import Recording, open_recording_log


async def run_into(
    out: Path | None, inputs: Sequence[str], answer: Answer, concurrency: int = 1, progress: Progress | None = None
) -> list[Recording]:
    with open_recording_log(out, None) as log:
        return await run(inputs, answer, concurrency, log, progress)


class Watch:
    """Calls a function after each prompt with the number of those done and of all."""

    def __init__(self, told: Callable[[int, int], None]) -> None:
        self._told = told
        self._done = self._total = 0

    def start(self, done: int, total: int) -> None:
        self._done, self._total = done, total

    def advance(self, recording: Recording) -> None:
        self._done += 1
        self._told(self._done, self._total)
