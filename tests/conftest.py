"""Fixtures that all tests share."""

import os
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings

from embeddings.encoder.encoder import Encoder
from embeddings.matcher import Matcher
from server.catalog.folders import DATA_VARIABLE
from server.matching.cache_folder import CACHE_VARIABLE
from server.matching.service import Service, open_service
from server.paths import shipped_data
from tests.process_guard import ProcessGuard
from tests.toy import BOOK, ToyEncoder, write_data

SECONDS_FOR_SLOW: Final = 1800
"""For a test marked slow; the longest take some minutes."""

# The gate runs the thorough one: `pytest --hypothesis-profile thorough`.
settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("thorough", max_examples=100, deadline=None)
settings.load_profile("quick")

# Tests run in as many workers as there are cores. With more threads than cores, numpy's wait for each other: the toy
# catalog took 22 s to build on two busy cores, and 7 s with one thread. Workers inherit it before they import numpy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(ProcessGuard())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(SECONDS_FOR_SLOW))


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's cache, or a data folder that the environment names."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path_factory.mktemp("cache")))
    monkeypatch.delenv(DATA_VARIABLE, raising=False)


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio."""
    return "asyncio"


@pytest.fixture
def encoder() -> ToyEncoder:
    """The toy encoder."""
    return ToyEncoder()


@pytest.fixture
def matcher(encoder: ToyEncoder) -> Matcher:
    """A matcher over the toy catalog."""
    return Matcher.build(BOOK, encoder)


@pytest.fixture
def toy_data(tmp_path: Path) -> Path:
    """A data folder with the toy catalog."""
    return write_data(tmp_path / "data")


@pytest.fixture
def toy_service(toy_data: Path) -> Service:
    """A service over the toy catalog, its matcher loaded."""
    service = open_service(toy_data, lambda threads: ToyEncoder())
    service.matchers.load()
    return service


@pytest.fixture(scope="session")
def shipped_encoder() -> Encoder:
    """The shipped model."""
    return Encoder.load()


@pytest.fixture(scope="session")
def shipped_service() -> Service:
    """The shipped catalog with its vectors."""
    service = open_service(shipped_data())
    service.matchers.load()
    return service
