"""From options to scores: who answers, what is asked, and how it went."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server.errors import CallerError, brief
from server.harness.conversation import converse
from server.harness.prompts import PromptFile, read_prompts
from server.harness.provider import Provider
from server.harness.recording import Recording, read_recordings
from server.harness.router import Router
from server.harness.run import first_error, run, show_progress
from server.harness.scores import Scores
from server.harness.scoring import score
from server.harness.token_counts import baseline, counter
from server.harness.tool_runner import ToolRunner, as_json, connected
from server.service import Service

ROUTER: Final = "router (no model)"
REPLAY: Final = "replay of {}"


@dataclass(frozen=True)
class Options:
    """What to evaluate.

    Attributes:
        prompts: the suite; the shipped one when None.
        provider: the model to ask; None for the router, or a replay.
        replay: recordings to score instead.
        limit: prompts to take at most, scenarios last.
        at_once: prompts under way at the same time.
        steps: turns of the model for one prompt at most.
        out: where recordings are kept.
        folder: the data folder, whose files are the baseline of the token ratio.
    """

    prompts: Path | None
    provider: Provider | None
    replay: Path | None
    limit: int | None
    at_once: int
    steps: int
    out: Path | None
    folder: Path


async def evaluate(service: Service, options: Options) -> tuple[str, Scores]:
    """Answer, or read the answers, and score them. Returns the name of who answered, and the scores.

    Raises:
        CallerError: a file cannot be used.
    """
    suite = _limited(read_prompts(options.prompts), options.limit)
    replayed = _replayed(options.replay, suite) if options.replay else None
    try:
        async with connected(service) as runner:
            name, recordings = await _recorded(service, suite, runner, options, replayed)
            count = counter()
            files = baseline(suite, options.folder, runner.agents, count) if count else None
            return name, await score(suite, recordings, runner, files)
    except BaseExceptionGroup as errors:
        raise first_error(errors) from None


def _replayed(path: Path, suite: PromptFile) -> list[Recording]:
    recordings = read_recordings(path)
    if not {recording.input for recording in recordings} & set(suite.inputs):
        raise CallerError(
            f"{brief(str(path))} records none of the prompts; inputs are compared to the letter; take them from "
            "eval prompts --json, or give the --prompts that were recorded"
        )
    return recordings


async def _recorded(
    service: Service, suite: PromptFile, runner: ToolRunner, options: Options, replayed: list[Recording] | None
) -> tuple[str, list[Recording]]:
    """Who answers, and the answers."""
    if options.replay and replayed is not None:
        return REPLAY.format(options.replay.name), replayed
    if options.provider is None:
        return ROUTER, await _routed(service, suite, runner, options.out)
    return options.provider.model, await _asked(options.provider, suite, runner, options)


async def _routed(service: Service, suite: PromptFile, runner: ToolRunner, out: Path | None) -> list[Recording]:
    router, count = Router(service), counter()
    definitions = as_json([tool.to_dict() for tool in runner.definitions])

    async def route(text: str) -> Recording:
        recording = router.route(text)
        if count is None:
            return recording.model_copy(update={"model": ROUTER})
        answers = [(await runner.call(call.tool, call.arguments)).text for call in recording.calls]
        calls = [as_json(call.model_dump(mode="json")) for call in recording.calls]
        read = sum(count(part) for part in (definitions, text, *answers))
        return recording.model_copy(update={"model": ROUTER, "tokens_in": read, "tokens_out": sum(map(count, calls))})

    return await run(suite.inputs, route, 1, out, model=ROUTER)


async def _asked(provider: Provider, suite: PromptFile, runner: ToolRunner, options: Options) -> list[Recording]:
    async def ask(text: str) -> Recording:
        recording = await converse(provider.chat(runner.definitions), text, runner, options.steps)
        # A server may send the key back, in words, names or arguments.
        return Recording.model_validate_json(
            provider.hide(recording.model_copy(update={"model": provider.model}).to_line())
        )

    try:
        return await run(suite.inputs, ask, options.at_once, options.out, show_progress, provider.model)
    finally:
        await provider.close()


def _limited(suite: PromptFile, limit: int | None) -> PromptFile:
    if limit is None:
        return suite
    prompts = suite.prompts[:limit]
    return suite.model_copy(update={"prompts": prompts, "scenarios": suite.scenarios[: limit - len(prompts)]})
