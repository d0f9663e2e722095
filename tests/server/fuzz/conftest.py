"""Fixtures of the in-process cases: a small catalog, a small encoder, and one event loop a module."""

from collections.abc import Iterator

import pytest

from embeddings.encoder.encoder import Encoder
from server.matching.vector_cache import CACHE_VARIABLE
from server.toolset import tool_matcher
from tests.toy import ToyEncoder, write_data

FEW_INTENTS = {"tools": {"recommend_agent": ["choose an agent"]}, "outOfScope": ["what is the weather"]}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """Async tests run on asyncio; a module's application lives in one loop."""
    return "asyncio"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Options of a server of the toy catalog with all tools; the toy encoder is the model."""
    folder = tmp_path_factory.mktemp("fuzz")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(folder / "cache"))
        patch.setattr(Encoder, "load", lambda folder=None, threads=1, split=1: ToyEncoder())
        patch.setattr(tool_matcher, "read_intents", lambda: FEW_INTENTS)
        yield ["--data", str(write_data(folder / "data")), "--profile", "full", "--dynamic-tools"]
