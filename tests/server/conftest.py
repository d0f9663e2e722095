"""Fixtures of the server's tests."""

import json
import shutil
from pathlib import Path
from typing import Final

import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.errors import ModelError
from embeddings.matcher import Matcher
from server.catalog.loading import load_catalog
from server.catalog.phrase_book import phrase_book
from server.matching.service import Service, open_service
from server.toolset import registry, tool_matcher
from tests.toy import ToyEncoder, write_data

FEW_INTENTS: Final = {"tools": {"recommend_agent": ["choose an agent"]}, "outOfScope": ["what is the weather"]}


@pytest.fixture
def toy_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever loads the shipped model gets the toy encoder."""
    monkeypatch.setattr(Encoder, "load", lambda folder=None, threads=1, split=1: ToyEncoder())


@pytest.fixture
def shared_alias_data(toy_data: Path) -> Path:
    """The toy catalog, in which "history" is an alias of Checkpoints and of Vision."""
    return with_shared_alias(toy_data)


def with_shared_alias(folder: Path) -> Path:
    path = folder / "aliases.json"
    aliases = json.loads(path.read_text(encoding="utf-8")) | {"history": ["Checkpoints", "Vision"]}
    path.write_text(json.dumps(aliases), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def few_intents_vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vector file of the tools, known by few intents, made with the toy encoder."""
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
    """The vector file of the toy catalog with the shared alias."""
    data = with_shared_alias(write_data(tmp_path_factory.mktemp("toy") / "data"))
    Matcher.build(phrase_book(load_catalog(data)), ToyEncoder()).save(data / "capability-vectors.npz")
    return data / "capability-vectors.npz"


@pytest.fixture
def service(shared_alias_data: Path, shared_alias_vectors: Path, few_intents: None) -> Service:
    """A service over the toy catalog with the shared alias, whose vectors are ready."""
    shutil.copy(shared_alias_vectors, shared_alias_data)
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
