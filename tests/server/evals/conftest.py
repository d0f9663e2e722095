"""Fixtures of the evaluation tests."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from server.evals.providers.registry import KEY_VARIABLES, PROVIDERS
from server.matching.service import Service
from tests.server.cli.commands import Commands
from tests.server.evals.asking import GOOD, KEY, Asker, write_prompts
from tests.server.evals.eval_llm import EvalLlm
from tests.server.evals.model_server import ModelServer, running


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the SDKs would have waited before another try; they do not wait."""
    asked: list[float] = []

    async def note(seconds: float) -> None:
        asked.append(seconds)

    for sdk in PROVIDERS:
        monkeypatch.setattr(f"{sdk}._base_client.anyio", SimpleNamespace(sleep=note))
    return asked


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both vendors' keys are in the environment."""
    for variable in KEY_VARIABLES.values():
        monkeypatch.setenv(variable, KEY)


@pytest.fixture
def model_server(waits: list[float], keys: None) -> Iterator[ModelServer]:
    """A running server, whose SDKs do not wait."""
    with running(ModelServer()) as server:
        yield server


@pytest.fixture(params=PROVIDERS)
def vendor(request: pytest.FixtureRequest) -> str:
    """Each vendor in turn."""
    return str(request.param)


@pytest.fixture
def ask(model_server: ModelServer, vendor: str, service: Service) -> Asker:
    """Puts a prompt to a model that replies as told."""
    return Asker(model_server, vendor, service)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], toy_model: None, few_intents: None) -> Commands:
    """Runs the command, with the toy encoder as the matcher's model."""
    return Commands(capsys)


@pytest.fixture
def eval_llm(command: Commands, model_server: ModelServer, vendor: str, toy_data: Path, tmp_path: Path) -> EvalLlm:
    """Runs `eval llm` over the small suite, with a model without a fault."""
    model_server.script.update(GOOD)
    return EvalLlm(command, model_server, vendor, toy_data, write_prompts(tmp_path))
