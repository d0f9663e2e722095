"""Fixtures of the server's tests."""

import json
from pathlib import Path

import pytest

from embeddings.encoder import Encoder
from embeddings.errors import ModelError
from server import tool_matcher
from server.service import Service, open_service
from tests.toy import ToyEncoder, write_data


@pytest.fixture
def toy_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever loads the shipped model gets the toy encoder."""
    monkeypatch.setattr(Encoder, "load", lambda folder=None, threads=1, split=1: ToyEncoder())


@pytest.fixture
def shared_alias_data(toy_data: Path) -> Path:
    """The toy catalog, in which "history" is an alias of Checkpoints and of Vision."""
    path = toy_data / "aliases.json"
    aliases = json.loads(path.read_text(encoding="utf-8")) | {"history": ["Checkpoints", "Vision"]}
    path.write_text(json.dumps(aliases), encoding="utf-8")
    return toy_data


@pytest.fixture
def few_intents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tools are known by little more than their own words, which a toy encoder is quick to embed."""
    few = {"tools": {"recommend_agent": ["choose an agent"]}, "outOfScope": ["what is the weather"]}
    monkeypatch.setattr(tool_matcher, "read_intents", lambda: few)


@pytest.fixture
def service(shared_alias_data: Path, few_intents: None) -> Service:
    """A service over the toy catalog with the shared alias."""
    service = open_service(shared_alias_data, lambda threads: ToyEncoder())
    service.matchers.load()
    return service


@pytest.fixture
def degraded_service(shared_alias_data: Path, few_intents: None) -> Service:
    """The same without a model."""

    def loader(threads: int) -> ToyEncoder:
        raise ModelError("no model here")

    service = open_service(shared_alias_data, loader)
    service.matchers.load()
    return service


@pytest.fixture(scope="session")
def session_service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """A toy service for property tests, which share one."""
    service = open_service(write_data(tmp_path_factory.mktemp("toy") / "data"), lambda threads: ToyEncoder())
    service.matchers.load()
    return service
