"""Fixtures that all tests share."""

import logging
import os
import signal
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings

from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import official_model_folder
from embeddings.index import vector_archive, vector_file
from embeddings.matcher import Matcher
from embeddings.training import build
from server.catalog.folders import DATA_VARIABLE
from server.gateway.tool_catalog.json_file import USER_DATA_VARIABLE
from server.matching.service import Service, open_service
from server.matching.vector_cache import CACHE_VARIABLE
from server.paths import shipped_data
from tests.process_guard import ProcessGuard
from tests.remembering import Remembering
from tests.toy import BOOK, ToyEncoder, write_data

SECONDS_FOR_SLOW: Final = 1800
"""For a test marked slow; the longest take some minutes."""

ALL_GROUPS: Final = build._groups
SHORT_BACKGROUND: Final = {
    "Tell jokes": ["tell me a joke", "make me laugh"],
    "Chat about food": ["what goes with rice"],
}

# The gate runs the thorough one: `pytest --hypothesis-profile thorough`.
settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("thorough", max_examples=100, deadline=None)
settings.load_profile("quick")

BENCHMARKS: Final = Path(__file__).with_name("benchmarks")

# Tests run in as many workers as there are cores. With more threads than cores, numpy's wait for each other: the toy
# catalog took 22 s to build on two busy cores, and 7 s with one thread. Workers inherit it before they import numpy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell that starts the tests in the background lets them ignore Ctrl-C, and with them what they start.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.pluginmanager.register(ProcessGuard())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(BENCHMARKS):
            item.add_marker(pytest.mark.measures)
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(SECONDS_FOR_SLOW))


@pytest.fixture(autouse=True)
def the_log_goes_where_it_went() -> Iterator[None]:
    """Restore the log after each test; a command would leave it a stream that is closed when the test ends."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's folders, or follows the environment's data folder or number of columns."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv(USER_DATA_VARIABLE, str(tmp_path_factory.mktemp("user-data")))
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio."""
    return "asyncio"


@pytest.fixture
def encoder() -> ToyEncoder:
    """Return the toy encoder."""
    return ToyEncoder()


@pytest.fixture
def matcher(encoder: ToyEncoder) -> Matcher:
    """Return a matcher over the toy catalog."""
    return Matcher.build(BOOK, encoder)


@pytest.fixture(scope="session", autouse=True)
def short_background() -> Iterator[None]:
    """Three background phrases, so that a toy catalog builds in milliseconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "_groups", lambda: SHORT_BACKGROUND)
        yield


@pytest.fixture(scope="session", autouse=True)
def vector_files_unpacked_once() -> Iterator[None]:
    """An unchanged vector file is unpacked once for all tests; the arrays are read-only. It takes a quarter second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_file, "unpack", lru_cache(maxsize=4)(vector_archive.unpack))
        yield


@pytest.fixture(scope="module")
def whole_background() -> Iterator[None]:
    """Yield all background phrases, for what a module builds once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "_groups", ALL_GROUPS)
        yield


@pytest.fixture(autouse=True)
def background_with_the_model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All background phrases for what a test builds with the real model."""
    if "shipped_encoder" in request.fixturenames:
        monkeypatch.setattr(build, "_groups", ALL_GROUPS)


@pytest.fixture
def toy_data(tmp_path: Path) -> Path:
    """Return a data folder with the toy catalog."""
    return write_data(tmp_path / "data")


@pytest.fixture
def toy_service(toy_data: Path) -> Service:
    """Return a service over the toy catalog, its matcher loaded."""
    service = open_service(toy_data, lambda threads: ToyEncoder())
    service.matchers.load()
    return service


@pytest.fixture(scope="session")
def shipped_encoder() -> Encoder:
    """Return the shipped model."""
    return Encoder.load(official_model_folder())


@pytest.fixture(scope="session")
def remembering(shipped_encoder: Encoder) -> Remembering:
    """Return the shipped model, which runs each text once for all tests."""
    return Remembering(shipped_encoder)


@pytest.fixture(scope="session")
def shipped_service() -> Service:
    """Return the shipped catalog with its vectors."""
    service = open_service(shipped_data())
    service.matchers.load()
    return service
