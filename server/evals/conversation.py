"""One conversation with a model: from the user's words until the model calls no more tools."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from server.evals.recording import Call, Ending, Message, Recording, RecordingLog
from server.evals.tool_runner import ToolRunner
from server.providers.base import Chat, ProviderError, ToolResult, Turn, for_each


class _Transcript:
    """The conversation so far."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._calls: list[Call] = []
        self._messages = [Message(role="user", text=text)]
        self._tokens_in: list[int | None] = []
        self._tokens_out: list[int | None] = []

    def add_turn(self, turn: Turn) -> None:
        """Add a reply of the model."""
        calls = tuple(Call(tool=use.name, arguments=use.arguments) for use in turn.tool_uses)
        self._calls += calls
        self._messages.append(Message(role="assistant", text=turn.text, calls=calls))
        self._tokens_in.append(turn.tokens_in)
        self._tokens_out.append(turn.tokens_out)

    def add_result(self, text: str) -> None:
        """Add what a tool returned."""
        self._messages.append(Message(role="tool", text=text))

    def recording(self, ending: Ending, error: str | None = None) -> Recording:
        """Return the conversation as a recording."""
        return Recording(
            input=self._text,
            calls=tuple(self._calls),
            tokens_in=_total(self._tokens_in),
            tokens_out=_total(self._tokens_out),
            ending=ending,
            error=error,
            messages=tuple(self._messages),
        )


async def converse(chat: Chat, text: str, runner: ToolRunner, max_steps: int) -> Recording:
    """Send a prompt, then run the calls and send their results, until the model requests none or reaches the limit.

    Args:
        chat: the conversation with the model.
        text: the user's words.
        runner: the server that runs the calls.
        max_steps: the most turns that the model gets.
    """
    transcript = _Transcript(text)
    try:
        turn = await chat.send_prompt(text)
        transcript.add_turn(turn)
        for _ in range(max_steps - 1):
            if not turn.tool_uses:
                break
            turn = await chat.send_results(await _run_calls(turn, runner, transcript))
            transcript.add_turn(turn)
    except ProviderError as error:
        return transcript.recording("failed", str(error))
    return transcript.recording(_ending(turn))


def _ending(turn: Turn) -> Ending:
    """Return how the conversation ends with its last turn."""
    if turn.tool_uses:
        return "step_limit"
    if turn.refused:
        return "refused"
    return "answered" if turn.text.strip() else "empty"


async def _run_calls(turn: Turn, runner: ToolRunner, transcript: _Transcript) -> list[ToolResult]:
    results = []
    for use in turn.tool_uses:
        outcome = await runner.call(use.name, use.arguments)
        transcript.add_result(outcome.text)
        results.append(ToolResult(use.id, outcome.text, outcome.is_error))
    return results


def _total(counts: list[int | None]) -> int | None:
    """Return the sum of the turns' counts; None if a turn was not counted, or there was none."""
    known = [count for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None


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
