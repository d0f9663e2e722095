"""One engine at a time, and a place in it for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from embeddings.stores.store import Store
from tests.embeddings.engines.contract.engine import Engine, Places
from tests.embeddings.engines.contract.engines import STORES


@pytest.fixture(scope="module", params=[pytest.param(name, marks=source.marks) for name, source in STORES.items()])
def places(request: pytest.FixtureRequest) -> Iterator[Places]:
    with STORES[request.param].started() as found:
        yield found


@pytest.fixture
def engine(places: Places, tmp_path: Path) -> Engine:
    return places(tmp_path)


@pytest.fixture
def store(engine: Engine) -> Iterator[Store]:
    opened = engine.open()
    yield opened
    opened.close()
