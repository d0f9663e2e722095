"""One server a module, which answers rightly after every test."""

from collections.abc import Iterator

import httpx2
import pytest

from tests.server.faults.messages import ERAS, MEANT, new_client
from tests.server.faults.served import Served, running


@pytest.fixture(scope="module")
def module_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield the server of the module, with its OPTIONS, or those that its `options` makes of a folder."""
    folder = tmp_path_factory.mktemp("faults")
    make = getattr(request.module, "options", None)
    options = make(folder) if make else getattr(request.module, "OPTIONS", ())
    served = Served(folder, options, headers=getattr(request.module, "HEADERS", {}))
    with running(served):
        served.wait_until_ready()
        yield served


@pytest.fixture
def server(module_server: Served) -> Iterator[Served]:
    """Yield the module's server; whatever a test does to it, the next requests are answered, and rightly."""
    yield module_server
    assert [module_server.answers(era) for era in ERAS] == [MEANT] * len(ERAS)


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    """Yield a client over HTTP."""
    with new_client() as client:
        yield client
