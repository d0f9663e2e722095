"""A run over many prompts: several concurrently, each recorded as soon as it is done."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from server.evals.formats.recording import Recording
from server.evals.formats.recording_log import RecordingLog
from server.providers.concurrency import for_each

Answer = Callable[[str], Awaitable[Recording]]


class Progress(Protocol):
    """Shows how far a run is."""

    def start(self, done: int, total: int) -> None:
        """Show that earlier runs recorded `done` of `total` prompts."""

    def advance(self, recording: Recording) -> None:
        """Show that one more prompt is recorded."""


async def run(
    inputs: Sequence[str], answer: Answer, concurrency: int, log: RecordingLog, progress: Progress | None = None
) -> list[Recording]:
    """Record every prompt that an earlier run did not.

    Args:
        inputs: the prompts.
        answer: answers one prompt and returns the recording.
        concurrency: prompts that are answered at the same time.
        log: holds the recordings of earlier runs, and gets each new one.
        progress: called for each prompt as soon as it is recorded.

    Returns:
        Recordings in the order of `inputs`.
    """
    done = {text: log.kept[text] for text in inputs if text in log.kept}
    if progress:
        progress.start(len(done), len(inputs))

    async def record(text: str) -> None:
        done[text] = await answer(text)
        log.add(done[text])
        if progress:
            progress.advance(done[text])

    await for_each([text for text in inputs if text not in done], record, concurrency)
    return [done[text] for text in inputs]
