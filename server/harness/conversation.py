"""One prompt, from the user's words to the model's last: every call it makes is run and answered."""

from server.harness.provider import Chat, ProviderError, Turn
from server.harness.recording import Call, Ending, Exchange, Recording
from server.harness.tool_runner import ToolRunner


class _Log:
    """A recording in the making."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.calls: list[Call] = []
        self.messages = [Exchange(role="user", text=text)]
        self._in: list[int | None] = []
        self._out: list[int | None] = []

    def add(self, turn: Turn) -> None:
        """Note what the model said."""
        calls = tuple(call for _, call in turn.calls)
        self.calls += calls
        self.messages.append(Exchange(role="assistant", text=turn.text, calls=calls))
        self._in.append(turn.tokens_in)
        self._out.append(turn.tokens_out)

    def recording(self, ending: Ending, error: str | None = None) -> Recording:
        """What came of it."""
        return Recording(
            input=self.text,
            calls=tuple(self.calls),
            tokens_in=_total(self._in),
            tokens_out=_total(self._out),
            ending=ending,
            error=error,
            messages=tuple(self.messages),
        )


async def converse(chat: Chat, text: str, runner: ToolRunner, most_steps: int) -> Recording:
    """Ask, run the calls, answer, until the model calls nothing more or has had its steps.

    Args:
        chat: with the model.
        text: the user's words.
        runner: the server.
        most_steps: turns of the model at most.
    """
    log = _Log(text)
    try:
        turn = await chat.ask(text)
        log.add(turn)
        for _ in range(most_steps - 1):
            if not turn.calls:
                break
            turn = await chat.answer(await _results(turn, runner, log))
            log.add(turn)
    except ProviderError as error:
        return log.recording("failed", str(error))
    return log.recording("step_limit" if turn.calls else turn.ending)


async def _results(turn: Turn, runner: ToolRunner, log: _Log) -> list[tuple[str, str, bool]]:
    results = []
    for id_, call in turn.calls:
        outcome = await runner.call(call.tool, call.arguments)
        log.messages.append(Exchange(role="tool", text=outcome.text))
        results.append((id_, outcome.text, outcome.failed))
    return results


def _total(counts: list[int | None]) -> int | None:
    """The sum; None where a turn was not counted, or there was none."""
    known = [count for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None
