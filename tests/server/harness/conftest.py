"""Fixtures of the harness's tests."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from server.harness.models import KEY_VARIABLES, PROVIDERS
from server.service import Service
from tests.server.cli.commands import Commands
from tests.server.harness.asking import KEY, Asker
from tests.server.harness.model_server import ModelServer, running


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
