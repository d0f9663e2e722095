"""A vector file that is bad in its numbers replaces the good one of a catalog that is served."""

import shutil
from pathlib import Path
from typing import Any, Final

import httpx2
import numpy as np
import pytest
from starlette.applications import Starlette

from embeddings.matcher import Matcher
from server.http.app import health_routes
from server.matching.label_service import LiveService
from server.matching.matcher_provider import VECTORS_FILE
from server.matching.origins import AgentsFolder
from server.matching.reload import Reloader
from server.matching.service import open_service
from server.reloads import Reloads
from tests.embeddings.index.vector_damage import Change, header, put, rewrite
from tests.toy import ToyEncoder

PHRASE: Final = "restore it"

DAMAGE: Final[dict[str, Change]] = {
    "negative landmarks": put("landmarks", -1, at=0),
    "negative rows": lambda arrays: {"lexical_rows": arrays["lexical_rows"].astype(np.int64) - 5},
    "rows of a type that cannot be counted": lambda arrays: {"lexical_rows": arrays["lexical_rows"].astype(np.uint64)},
    "landmarks with fractions": lambda arrays: {"landmarks": arrays["landmarks"].astype(np.float64)},
    "a whitening of ten rows": lambda arrays: (
        {"whitening": np.eye(10, 3, dtype=np.float32)} | header(dimensions=10)(arrays)
    ),
    "huge coefficients": lambda arrays: {"coefficients": np.full_like(arrays["coefficients"], np.inf)},
    "coefficients of complex numbers": lambda arrays: {"coefficients": arrays["coefficients"].astype(np.complex64)},
    "huge weights": header(weights=[1e308] * 8),
    "no rarity": lambda arrays: {"lexical_rarity": arrays["lexical_rarity"] * 0},
}


class Served:
    """A catalog with vectors of its own, served; the folder of the catalog and what is asked of it."""

    def __init__(self, folder: Path) -> None:
        self.encoder = ToyEncoder()
        self.path = folder / VECTORS_FILE
        service = open_service(folder, lambda threads: self.encoder)
        self.book = service.matchers.load()
        self.book.save(self.path)
        self.live = LiveService(service)
        self.reloader = Reloader(self.live, AgentsFolder(folder))

    def answer(self) -> dict[str, Any]:
        return self.live.current.match(PHRASE).to_dict()

    async def ready(self) -> str:
        transport = httpx2.ASGITransport(app=Starlette(routes=health_routes(self.live, Reloads())))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return str((await client.get("/readyz")).json()["status"])


@pytest.fixture
def served(toy_data: Path) -> Served:
    return Served(toy_data)


def served_anew(folder: Path, name: str) -> Served:
    """The same over a copy of the catalog, which a test may damage."""
    return Served(shutil.copytree(folder, folder.with_name(name)))


@pytest.mark.anyio
async def test_queries_are_answered_as_before_and_ready_is_true(
    toy_data: Path, caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    for how, damage in DAMAGE.items():
        caplog.clear()
        with subtests.test(how=how):
            served = served_anew(toy_data, how)
            before = served.answer()
            rewrite(served.path, damage)
            served.reloader.reload()
            assert f"vectors not used: vector file {str(served.path)!r}" in caplog.text
            assert served.answer() == before
            assert await served.ready() == "ok"


def test_a_start_with_the_damaged_file_answers_as_one_without_it(toy_data: Path, subtests: pytest.Subtests) -> None:
    for how, damage in DAMAGE.items():
        with subtests.test(how=how):
            served = served_anew(toy_data, how)
            before = served.answer()
            rewrite(served.path, damage)
            service = open_service(served.path.parent, lambda threads: ToyEncoder())
            assert not service.matchers.load().is_degraded
            assert service.match(PHRASE).to_dict() == before


@pytest.mark.anyio
async def test_a_catalog_from_which_no_query_can_be_answered_does_not_replace_the_old_one(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    old = served.live.current

    def fail(_: Matcher) -> None:
        raise ValueError("out of luck")

    monkeypatch.setattr(Matcher, "try_out", fail)
    assert not served.reloader.reload()
    assert served.live.current is old
    assert "the catalog was not reloaded" in caplog.text
    assert await served.ready() == "ok"
    assert served.answer()["matches"]
