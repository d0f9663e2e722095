"""The page over a catalog in a store."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from embeddings.engines.file_store import FileStore
from embeddings.errors import StoreAwayError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.stores.manifest import FEW_THIN
from embeddings.training.store_build import build_store
from server.cli.inspect_run import Shown, application
from server.matching.label_service import LabelService
from server.matching.origins import StoredCatalog
from tests.toy import BOOK, ToyEncoder

pytestmark = [pytest.mark.anyio]

LARGE = PhraseBook(tuple(Label(f"label {number}", description=f"undo {number}") for number in range(FEW_THIN + 76)))


def service_of(folder: Path, book: PhraseBook) -> LabelService:
    build_store(book, ToyEncoder(), FileStore(folder / "toy.labels"))
    return StoredCatalog(str(folder / "toy.labels")).open(lambda _: ToyEncoder())


def client_of(service: LabelService) -> httpx2.AsyncClient:
    app = application(Shown(service, None, "toy.labels"), port=4321, token="token")
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:4321/token/api/")


@pytest.fixture(scope="module")
def large_store(tmp_path_factory: pytest.TempPathFactory) -> LabelService:
    return service_of(tmp_path_factory.mktemp("large"), LARGE)


@pytest.fixture
async def large(large_store: LabelService) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(large_store) as client:
        yield client


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(service_of(tmp_path, BOOK)) as client:
        yield client


async def got(client: httpx2.AsyncClient, endpoint: str, /, **params: Any) -> Any:
    response = await client.get(endpoint, params=params)
    assert response.status_code == 200, response.text
    return response.json()


async def test_a_small_catalog_has_all_views(small: httpx2.AsyncClient) -> None:
    about = await got(small, "about")
    assert (about["title"], about["views"], about["labels"]) == ("toy.labels", ["try", "map", "health"], 3)
    assert len((await got(small, "map"))["labels"]) == 3
    tried = await got(small, "match", q="undo it")
    assert (tried["candidates"][0]["name"], len(tried["point"])) == ("Checkpoints", 2)
    assert (await got(small, "label", name="Vision"))["phrasings"] == ["can it see a picture", "image input"]
    assert (await got(small, "preflight"))["status"] != "unavailable"


async def test_phrases_and_labels_of_a_large_catalog_are_answered(large: httpx2.AsyncClient) -> None:
    tried = await got(large, "match", q="label 250")
    assert (tried["candidates"][0]["name"], "point" in tried) == ("label 250", False)
    assert (await got(large, "about"))["labels"] == 1100
    found = await got(large, "label", name="label 7")
    assert (found["description"], found["confusable"], "pending" in found) == ("undo 7", [], False)


async def test_what_needs_all_labels_of_a_large_catalog_says_why_it_is_not_there(large: httpx2.AsyncClient) -> None:
    response = await large.get("map")
    assert response.status_code == 404
    assert "1,100 labels" in response.json()["error"]
    health = await got(large, "preflight")
    assert health["status"] == "unavailable"
    assert "1,100 labels" in health["reason"]


async def test_labelled_queries_are_measured_on_a_large_catalog(large: httpx2.AsyncClient) -> None:
    found = await large.post("coverage", content='{"query": "label 9", "gold": ["label 9"]}')
    assert found.json()["queries"] == 1
    unknown = await large.post("coverage", content='{"query": "label 9", "gold": ["nothing"]}')
    assert unknown.status_code == 400


async def test_the_page_notices_a_changed_store(tmp_path: Path) -> None:
    service = service_of(tmp_path, BOOK)
    async with client_of(service) as client:
        before = (await got(client, "match", q="undo"))["catalog"]
        matcher: Any = service.matchers.get()
        matcher.put(Label("Time Travel"))
        answer = await got(client, "match", q="time travel")
    assert answer["catalog"] != before
    assert answer["candidates"][0]["name"] == "Time Travel"


async def test_a_store_that_goes_away_leaves_the_labels_at_hand(
    large_store: LabelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> str:
        raise StoreAwayError("the engine is away; it must answer; start it")

    monkeypatch.setattr("embeddings.store_matcher.ASKED_EVERY", 0.0)
    async with client_of(large_store) as client:
        await got(client, "match", q="label 7")
        for method in ("revision", "count"):
            monkeypatch.setattr(FileStore, method, away)
        tried = await got(client, "match", q="label 7")
        assert (tried["degraded"], tried["candidates"][0]["name"]) == (True, "label 7")
        assert (await got(client, "about"))["degraded"]


async def test_a_store_that_is_away_from_the_start_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = service_of(tmp_path, BOOK)
    (tmp_path / "toy.labels").unlink()
    async with client_of(service) as client:
        response = await client.get("about")
    assert (response.status_code, "build-vectors" in response.json()["error"]) == (503, True)
