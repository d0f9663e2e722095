from pathlib import Path
from typing import Any

import anyio
import pytest

from server.errors import CallerError
from server.evals.evaluate import Options, evaluate
from server.evals.reports import to_json, to_text
from server.matching.service import Service
from server.providers.base import Provider
from tests.server.evals import asking
from tests.server.evals.asking import GOOD, INPUTS, provider_of, write_prompts
from tests.server.providers.model_server import Fail, Hang, ModelServer

pytestmark = [pytest.mark.anyio]

Report = tuple[dict[str, Any], str]


class Evaluation:
    """Evaluates the small suite against the local server."""

    def __init__(self, server: ModelServer, vendor: str, service: Service, folder: Path) -> None:
        self.server = server
        self.vendor = vendor
        self.service = service
        self.prompts = write_prompts(folder)

    async def __call__(self, out: Path) -> Report:
        provider = provider_of(self.server, self.vendor, retries=0)
        name, results = await evaluate(self.service, self._options(provider, out))
        return to_json(name, results), to_text(name, results)

    def _options(self, provider: Provider, out: Path) -> Options:
        return Options(
            caller=provider,
            data_folder=self.service.catalog.folder,
            concurrency=1,
            max_steps=8,
            prompts=self.prompts,
            out=out,
        )


@pytest.fixture
def evaluation(model_server: ModelServer, vendor: str, service: Service, tmp_path: Path) -> Evaluation:
    model_server.script.update(GOOD)
    return Evaluation(model_server, vendor, service, tmp_path)


def asked(server: ModelServer) -> list[int]:
    """Return how often each prompt was begun."""
    return [sum(len(request.body["messages"]) == 1 for request in server.asked(text)) for text in INPUTS]


async def test_a_run_killed_within_a_conversation_resumes_to_the_same_report(
    evaluation: Evaluation, tmp_path: Path
) -> None:
    expected = await evaluation(tmp_path / "whole.jsonl")
    server, out = evaluation.server, tmp_path / "out.jsonl"
    server.requests.clear()
    server.script[INPUTS[1]] = [GOOD[INPUTS[1]][0], Hang(), *GOOD[INPUTS[1]]]
    async with anyio.create_task_group() as group:
        group.start_soon(evaluation, out)
        assert await anyio.to_thread.run_sync(server.hanging.wait, 60)
        group.cancel_scope.cancel()
    assert await evaluation(out) == expected
    assert asked(server) == [1, 2, 1]
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


async def test_a_prompt_that_failed_is_asked_again_for_the_same_report(evaluation: Evaluation, tmp_path: Path) -> None:
    expected = await evaluation(tmp_path / "whole.jsonl")
    server, out = evaluation.server, tmp_path / "out.jsonl"
    server.requests.clear()
    server.script[INPUTS[1]] = [Fail(500), *GOOD[INPUTS[1]]]
    assert await evaluation(out) != expected
    assert await evaluation(out) == expected
    assert asked(server) == [1, 2, 1]


async def test_a_prompt_that_failed_is_not_scored_as_right(evaluation: Evaluation, tmp_path: Path) -> None:
    evaluation.server.script.update({text: [Fail(500)] for text in INPUTS})
    report, _ = await evaluation(tmp_path / "out.jsonl")
    assert not report["invocationAccuracy"]


async def test_recordings_of_another_model_are_not_taken_up(
    evaluation: Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await evaluation(tmp_path / "out.jsonl")
    monkeypatch.setattr(asking, "MODEL", "another-model")
    with pytest.raises(CallerError, match=r"out\.jsonl"):
        await evaluation(tmp_path / "out.jsonl")
