"""Fixtures of the server's tests."""

import json
import shutil
import ssl
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.errors import ModelError
from embeddings.matcher import Matcher
from server.catalog.catalog import phrase_book
from server.catalog.loading import load_catalog
from server.matching.service import Service, open_service
from server.providers import KEY_VARIABLES
from server.toolset import registry, tool_matcher
from tests.server.cli.commands import Commands
from tests.server.evals.asking import KEY, Asker
from tests.server.known_tools import EXAMPLES, STATUS, known_as
from tests.server.providers.model_server import ModelServer, running
from tests.toy import ToyEncoder, write_data

FEW_INTENTS: Final = {"tools": {"recommend_agent": ["choose an agent"]}, "outOfScope": ["what is the weather"]}


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """Every HTTP client of a test trusts the same certificates; reading them takes 40 ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture
def toy_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever loads the shipped model gets the toy encoder."""
    monkeypatch.setattr(Encoder, "load", lambda folder=None, threads=1, split=1: ToyEncoder())


@pytest.fixture
def shared_alias_data(toy_data: Path) -> Path:
    """Return the toy catalog, in which "history" is an alias of Checkpoints and of Vision."""
    return with_shared_alias(toy_data)


def with_shared_alias(folder: Path) -> Path:
    path = folder / "aliases.json"
    aliases = json.loads(path.read_text(encoding="utf-8")) | {"history": ["Checkpoints", "Vision"]}
    path.write_text(json.dumps(aliases), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def few_intents_vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the vector file of the tools, known by few intents, made with the toy encoder."""
    path = tmp_path_factory.mktemp("tools") / "tool-vectors.npz"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tool_matcher, "read_intents", lambda: FEW_INTENTS)
        Matcher.build(tool_matcher.tool_book(registry.TOOLS), ToyEncoder()).save(path)
    return path


@pytest.fixture
def few_intents(few_intents_vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tools are known by little more than their own words; tools that a test adds are embedded anew."""
    monkeypatch.setattr(tool_matcher, "read_intents", lambda: FEW_INTENTS)
    monkeypatch.setattr(tool_matcher, "VECTORS_FILE", str(few_intents_vectors))


@pytest.fixture(scope="session")
def shared_alias_vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the vector file of the toy catalog with the shared alias."""
    data = with_shared_alias(write_data(tmp_path_factory.mktemp("toy") / "data"))
    Matcher.build(phrase_book(load_catalog(data)), ToyEncoder()).save(data / "capability-vectors.npz")
    return data / "capability-vectors.npz"


@pytest.fixture
def service(shared_alias_data: Path, shared_alias_vectors: Path, few_intents: None) -> Service:
    """Return a service over the toy catalog with the shared alias, whose vectors are ready."""
    shutil.copy(shared_alias_vectors, shared_alias_data)
    service = open_service(shared_alias_data, lambda threads: ToyEncoder())
    service.matchers.load()
    return service


@pytest.fixture
def degraded_service(shared_alias_data: Path, few_intents: None) -> Service:
    """Return the same without a model."""

    def loader(threads: int) -> ToyEncoder:
        raise ModelError("no model here")

    service = open_service(shared_alias_data, loader)
    service.matchers.load()
    return service


@pytest.fixture(scope="session")
def session_service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """Return a toy service for property tests, which share one."""
    service = open_service(write_data(tmp_path_factory.mktemp("toy") / "data"), lambda threads: ToyEncoder())
    service.matchers.load()
    return service


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the seconds that the SDKs would have waited before another try; they do not wait."""
    asked: list[float] = []

    async def note(seconds: float) -> None:
        asked.append(seconds)

    for sdk in KEY_VARIABLES:
        monkeypatch.setattr(f"{sdk}._base_client.anyio", SimpleNamespace(sleep=note))
    return asked


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both vendors' keys are in the environment."""
    for variable in KEY_VARIABLES.values():
        monkeypatch.setenv(variable, KEY)


@pytest.fixture
def model_server(waits: list[float], keys: None) -> Iterator[ModelServer]:
    """Yield a running server, whose SDKs do not wait."""
    with running(ModelServer()) as server:
        yield server


@pytest.fixture(params=[*KEY_VARIABLES])
def vendor(request: pytest.FixtureRequest) -> str:
    """Return each vendor in turn."""
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
def one_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make one tool the only known one."""
    known = {"git_status": [known_as("mcp-server-git", STATUS, EXAMPLES)]}
    monkeypatch.setattr("server.matching.known_tools.known_tools", lambda: known)
