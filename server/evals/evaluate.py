"""Runs one evaluation: has the prompts answered, or reads recorded answers, and scores them."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server.errors import CallerError, brief
from server.evals.conversation import converse
from server.evals.formats.prompts import Suite
from server.evals.formats.recording import Recording, read_recordings
from server.evals.formats.recording_log import open_recording_log
from server.evals.formats.results import Results
from server.evals.progress import ProgressBar
from server.evals.router import Router
from server.evals.run import run
from server.evals.scoring.score import score
from server.evals.suites import chosen_suite
from server.evals.token_counts import baseline_tokens, token_counter
from server.evals.tool_runner import ToolRunner, compact_json, connect
from server.matching.service import Service
from server.providers.base import Provider
from server.providers.concurrency import first_error
from server.toolset.start import Start

ROUTER: Final = "router (no model)"
REPLAY: Final = "replay of {}"


@dataclass(frozen=True, kw_only=True)
class Options:
    """What to evaluate, and how.

    Attributes:
        data_folder: the data folder; its files are the baseline of the token ratio.
        concurrency: prompts that are sent to the model at the same time.
        max_steps: the most turns that the model gets for one prompt.
        prompts: file of the suite (default: the shipped one).
        provider: the model to evaluate (default: the router, or a replay).
        replay: file of recordings to score instead of asking a model.
        limit: the most prompts to take; scenarios count as the last ones.
        out: file to which recordings are written.
        start: which tools the server advertises.
    """

    data_folder: Path
    concurrency: int
    max_steps: int
    prompts: Path | None = None
    provider: Provider | None = None
    replay: Path | None = None
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
    replayed = _read_replay(options.replay, suite) if options.replay else None
    try:
        async with connect(service, options.start) as runner:
            name, recordings = await _recorded(service, suite, runner, options, replayed)
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
    service: Service, suite: Suite, runner: ToolRunner, options: Options, replayed: list[Recording] | None
) -> tuple[str, list[Recording]]:
    """The name of the caller, and its recordings."""
    if options.replay and replayed is not None:
        return REPLAY.format(options.replay.name), replayed
    if options.provider is None:
        return ROUTER, await _ask_router(service, suite, runner, options.out)
    return options.provider.model, await _ask_model(options.provider, suite, runner, options)


async def _ask_router(service: Service, suite: Suite, runner: ToolRunner, out: Path | None) -> list[Recording]:
    router, count = Router(service), token_counter()
    definitions = compact_json([tool.to_dict() for tool in runner.definitions])

    async def route(text: str) -> Recording:
        recording = router.route(text).model_copy(update={"model": ROUTER, "start": runner.start})
        if count is None:
            return recording
        results = [(await runner.call(call.tool, call.arguments)).text for call in recording.calls]
        calls = [compact_json(call.model_dump(mode="json")) for call in recording.calls]
        tokens_in = sum(count(part) for part in (definitions, text, *results))
        return recording.model_copy(update={"tokens_in": tokens_in, "tokens_out": sum(map(count, calls))})

    with open_recording_log(out, ROUTER, runner.start) as log:
        return await run(suite.inputs, route, 1, log)


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
