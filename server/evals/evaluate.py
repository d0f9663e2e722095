"""Runs one evaluation: has a model answer the prompts, or reads recorded answers, and scores them."""

import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from tqdm import tqdm

from server.catalog.folders import AGENT_FILE, agents_folder
from server.errors import CallerError, brief
from server.evals.prompts import Suite, read_suite
from server.evals.recording import Call, Ending, Message, Recording, RecordingLog, open_recording_log, read_recordings
from server.evals.results import Results
from server.evals.scoring import score
from server.evals.tool_runner import ToolRunner, connect
from server.matching.service import Service
from server.paths import shipped_data
from server.providers.base import Chat, Provider, ProviderError, ToolResult, Turn, first_error, for_each
from server.tools.families import CORE, FAMILIES, META
from server.toolset import registry
from server.toolset.start import Start


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


TokenCounter = Callable[[str], int]


def token_counter() -> TokenCounter | None:
    """Counts cl100k tokens; None if the tokenizer (the extra `eval`) is not installed."""
    try:
        from rs_bpe import openai
    except ImportError:
        return None
    encoding = openai.cl100k_base()
    return lambda text: int(encoding.count(text))


def baseline_tokens(suite: Suite, folder: Path, agents: Sequence[str], count: TokenCounter) -> dict[str, int]:
    """Tokens of each prompt together with the data files that answer it, by the prompt's input.

    Those are the files of the agents that the expected call names, or of all agents if it names none.

    Args:
        suite: the prompts.
        folder: the data folder.
        agents: ids of all agents.
        count: counts the tokens of a text.
    """
    files = {agent: agents_folder(folder) / agent / "capabilities" / AGENT_FILE for agent in agents}
    sizes = {agent: count(path.read_text(encoding="utf-8")) for agent, path in files.items()}
    found = {}
    for prompt in suite.prompts:
        one, several = prompt.expected_args.get("agent"), prompt.expected_args.get("agents")
        named = [one] if isinstance(one, str) else several if isinstance(several, list) and several else agents
        found[prompt.input] = count(prompt.input) + sum(sizes.get(agent, 0) for agent in named)
    return found


MORE_PROMPTS_FILE: Final = "benchmark-prompts-more.json"
"""Prompts for the tools beyond the core."""


def chosen_suite(path: Path | None, start: Start) -> Suite:
    """Return the prompts of a file, else the shipped ones.

    Of these, a server that has more than the core tools gets those for its other tools, too.

    Raises:
        CallerError: the file cannot be used.
    """
    core = read_suite(path)
    tools = reachable_tools(start)
    if path is not None or tools == reachable_tools(Start()):
        return core
    more = read_suite(shipped_data() / MORE_PROMPTS_FILE)
    fitting = tuple(prompt for prompt in more.prompts if prompt.expected_tool in (None, *tools))
    return core.model_copy(update={"prompts": core.prompts + fitting, "scenarios": core.scenarios + more.scenarios})


def reachable_tools(start: Start) -> list[str]:
    """Return the tools that can be called, loaded or through `call_tool`, in order."""
    loaded = FAMILIES if start.dynamic else (CORE, *start.profile.families)
    return [tool.name for tool in registry.TOOLS if tool.family in loaded and (start.dynamic or tool.family != META)]


REPLAY: Final = "replay of {}"


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of an evaluation: what to evaluate, and how.

    Attributes:
        caller: the model to evaluate, or a file of recordings to score.
        data_folder: the data folder; its files are the baseline of the token ratio.
        concurrency: prompts that are sent to the model at the same time.
        max_steps: the most turns that the model gets for one prompt.
        prompts: file of the suite (default: the shipped one).
        limit: the most prompts to take; scenarios count as the last ones.
        out: file to which recordings are written.
        start: which tools the server advertises.
    """

    caller: Provider | Path
    data_folder: Path
    concurrency: int
    max_steps: int
    prompts: Path | None = None
    limit: int | None = None
    out: Path | None = None
    start: Start = Start()  # noqa: RUF009 -- a frozen value


async def evaluate(service: Service, options: Options) -> tuple[str, Results]:
    """Answer the prompts, or read the answers, and score them.

    Returns:
        The name of the caller that answered, and the results.

    Raises:
        CallerError: a file cannot be used.
    """
    suite = _limited(chosen_suite(options.prompts, options.start), options.limit)
    replayed = _read_replay(options.caller, suite) if isinstance(options.caller, Path) else []
    try:
        async with connect(service, options.start) as runner:
            name, recordings = await _recorded(suite, runner, options, replayed)
            count = token_counter()
            baseline = baseline_tokens(suite, options.data_folder, runner.agents, count) if count else None
            return name, await score(suite, recordings, runner, baseline)
    except BaseExceptionGroup as errors:
        raise first_error(errors) from None


def _limited(suite: Suite, limit: int | None) -> Suite:
    if limit is None:
        return suite
    prompts = suite.prompts[:limit]
    return suite.model_copy(update={"prompts": prompts, "scenarios": suite.scenarios[: limit - len(prompts)]})


def _read_replay(path: Path, suite: Suite) -> list[Recording]:
    recordings = read_recordings(path)
    if not {recording.input for recording in recordings} & set(suite.inputs):
        raise CallerError(
            f"{brief(str(path))} records none of the prompts; inputs must match exactly; take them from "
            "eval prompts --json, or give the --prompts that were recorded"
        )
    return recordings


async def _recorded(
    suite: Suite, runner: ToolRunner, options: Options, replayed: list[Recording]
) -> tuple[str, list[Recording]]:
    """Return the name of the caller, and its recordings."""
    if isinstance(options.caller, Path):
        return REPLAY.format(options.caller.name), replayed
    return options.caller.model, await _ask_model(options.caller, suite, runner, options)


async def _ask_model(provider: Provider, suite: Suite, runner: ToolRunner, options: Options) -> list[Recording]:
    async def ask(text: str) -> Recording:
        recording = await converse(provider.chat(runner.definitions), text, runner, options.max_steps)
        named = recording.model_copy(update={"model": provider.model, "start": runner.start})
        # A server may send the key back in a text, a name or an argument.
        return Recording.model_validate_json(provider.redact(named.to_line()))

    try:
        with open_recording_log(options.out, provider.model, runner.start) as log, closing(ProgressBar()) as progress:
            return await run(suite.inputs, ask, options.concurrency, log, progress)
    finally:
        await provider.close()
