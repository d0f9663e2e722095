"""Fixtures of the page's tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from server.matching.label_service import LabelService, open_labels
from server.matching.service import Service
from tests.server.label_catalog import CATALOG, written
from tests.server.web.page_site import page_client
from tests.toy import ToyEncoder


@pytest.fixture
def labels(tmp_path: Path) -> LabelService:
    """Return a service over a catalog of labels, whose matcher nobody asks."""
    return open_labels(written(tmp_path / "labels.json", CATALOG), lambda threads: ToyEncoder())


@pytest.fixture
async def client(session_service: Service) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a client of the toy catalog's page, whose answers repeat what was asked."""
    async with page_client(session_service) as client:
        yield client
