"""A catalog in a store, served by a process of its own."""

from pathlib import Path

import httpx2
import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.engines.file_store import FileStore
from embeddings.labels.label import Label
from embeddings.store_matcher import StoreMatcher
from embeddings.training.store_build import build_store
from tests.server.faults.served import Served, running, until
from tests.toy import BOOK

pytestmark = pytest.mark.processes


def test_a_label_that_another_process_puts_is_matched_and_shown_by_the_page(
    tmp_path: Path,
) -> None:
    store, encoder = FileStore(tmp_path / "toy.labels"), Encoder.load()
    build_store(BOOK, encoder, store)
    served = Served(tmp_path, ["--store", str(tmp_path / "toy.labels"), "--web"])
    with running(served), httpx2.Client(base_url=f"{served.site}/api/", timeout=60) as client:
        served.wait_until_ready()
        assert client.get("about").json()["views"] == ["try", "map", "health"]
        StoreMatcher(store, encoder).put(Label("Time Travel", phrasings=("visit the past",)))

        def found() -> bool:
            candidates = client.get("match", params={"q": "visit the past"}).json()["candidates"]
            return bool(candidates[0]["name"] == "Time Travel")

        until(found, "the new label is found")
        until(lambda: len(client.get("map").json()["labels"]) == 4, "the map has it")
