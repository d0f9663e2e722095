import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette

from embeddings.engines.file_store import FileStore
from embeddings.errors import StoreAwayError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.training.store_build import build_store
from server.cli.main import main
from server.errors import CallerError
from server.http.app import health_routes
from server.matching.label_service import LiveService
from server.matching.origins import StoredCatalog
from server.matching.reload import Reloader
from server.matching.store_provider import StoreProvider
from server.reloads import Reloads
from server.toolset.registry import tools_for
from tests.toy import BOOK, ToyEncoder


def stored(folder: Path) -> str:
    build_store(BOOK, ToyEncoder(), FileStore(folder / "toy.labels"))
    return str(folder / "toy.labels")


def test_a_store_is_served_by_the_two_tools_of_labels(tmp_path: Path) -> None:
    service = StoredCatalog(stored(tmp_path)).open(lambda _: ToyEncoder())
    assert [tool.name for tool in tools_for(service)] == ["match_capability", "explain_match"]
    assert service.match("rewind").matches[0].name == "Checkpoints"
    assert (service.label("VISION").name, service.size) == ("Vision", {"labels": 3})
    assert service.explain("undo it", ["Vision"])[1].candidates[0].name == "Checkpoints"


def test_an_unknown_label_of_a_store_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    service = StoredCatalog(stored(tmp_path)).open(lambda _: ToyEncoder())
    with pytest.raises(CallerError, match="3 labels"):
        service.label("nothing of the kind")


def test_a_store_with_nothing_in_it_is_told_to_the_caller_and_tried_again(tmp_path: Path) -> None:
    service = StoredCatalog(str(tmp_path / "toy.labels")).open(lambda _: ToyEncoder())
    with pytest.raises(CallerError, match="build-vectors"):
        service.match("undo it")
    assert not service.matchers.ready
    stored(tmp_path)
    assert service.match("rewind").decision == "resolved"


def test_starting_opens_the_store_in_the_background(tmp_path: Path) -> None:
    provider = StoreProvider(stored(tmp_path), lambda _: ToyEncoder())
    provider.start()
    assert provider._starting
    provider._starting.join(timeout=30)
    assert provider.ready
    assert len(provider.fingerprint) == 64


def test_options_that_conflict_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    cases: list[tuple[list[str], str]] = [
        (["build-vectors", "--store", "x.labels"], "without --catalog"),
        (["build-vectors", "--store", "x.labels", "--catalog", "c.json", "--check"], "--check"),
        (["build-vectors", "--store", "x.labels", "--catalog", "c.json", "--out", "o.npz"], "--out"),
        (["match", "--store", "x.labels", "--data", "folder", "phrase"], "--data"),
        (["serve", "--store", "x.json"], "known are"),
        (["gateway", "--store", "redis://host"], "known are"),
        (["match", "--store", " ", "phrase"], "known are"),
    ]
    for arguments, message in cases:
        assert main(arguments) == 2, arguments
        assert message in capsys.readouterr().err, arguments


def test_a_catalog_is_built_into_a_store_and_matched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("build_vectors", "options"):
        monkeypatch.setattr(f"server.cli.{module}.load_encoder", lambda *_, **__: ToyEncoder())
    (tmp_path / "c.json").write_text(json.dumps(BOOK.to_dict()), encoding="utf-8")
    store = str(tmp_path / "c.labels")
    assert main(["build-vectors", "--catalog", str(tmp_path / "c.json"), "--store", store]) == 0
    assert "3 labels" in capsys.readouterr().out
    assert main(["match", "--store", store, "--json", "rewind"]) == 0
    assert json.loads(capsys.readouterr().out)["matches"][0]["name"] == "Checkpoints"


def test_a_vector_file_is_written_as_without_a_store_and_matched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("build_vectors", "options"):
        monkeypatch.setattr(f"server.cli.{module}.load_encoder", lambda *_, **__: ToyEncoder())
    catalog, one, other = (str(tmp_path / name) for name in ("c.json", "one.npz", "other.npz"))
    Path(catalog).write_text(json.dumps(BOOK.to_dict()), encoding="utf-8")
    assert main(["build-vectors", "--catalog", catalog, "--store", one]) == 0
    assert main(["build-vectors", "--catalog", catalog, "--out", other]) == 0
    assert Path(one).read_bytes() == Path(other).read_bytes()
    capsys.readouterr()
    assert main(["match", "--store", one, "--json", "rewind"]) == 0
    assert json.loads(capsys.readouterr().out)["matches"][0]["name"] == "Checkpoints"


def test_a_vector_file_is_served_and_read_again_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "toy.npz"
    Matcher.build(BOOK, ToyEncoder()).save(file)
    origin = StoredCatalog(str(file))
    live = LiveService(origin.open(lambda _: ToyEncoder()))
    reloader = Reloader(live, origin)
    assert [tool.name for tool in tools_for(live.current)] == ["match_capability", "explain_match"]
    assert (live.current.match("rewind").matches[0].name, live.current.size) == ("Checkpoints", {"labels": 3})
    assert live.current.explain("undo it", ["Vision"])[1].candidates[0].name == "Checkpoints"
    Matcher.build(PhraseBook((Label("Time Travel"),)), ToyEncoder()).save(file)
    assert reloader.changed
    assert reloader.reload()
    assert live.current.label("time travel").name == "Time Travel"


def test_a_vector_file_of_another_model_is_refused_as_a_store_is(tmp_path: Path) -> None:
    Matcher.build(BOOK, ToyEncoder("toy-2")).save(tmp_path / "toy.npz")
    service = StoredCatalog(str(tmp_path / "toy.npz")).open(lambda _: ToyEncoder())
    with pytest.raises(CallerError, match="has model"):
        service.match("undo it")


@pytest.mark.anyio
async def test_readyz_says_what_is_the_matter_with_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("embeddings.store_matcher.ASKED_EVERY", 0.0)
    service = StoredCatalog(str(tmp_path / "toy.labels")).open(lambda _: ToyEncoder())
    app = Starlette(routes=health_routes(LiveService(service), Reloads()))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://server") as client:

        async def ready() -> Any:
            return (await client.get("/readyz")).json()

        with pytest.raises(CallerError):
            service.match("undo it")
        assert (await ready()) == {"status": "starting", "store": "unusable"}
        stored(tmp_path)
        service.matchers.load()
        assert (await ready()) == {"status": "ok", "labels": 3}

        def away(_: FileStore) -> str:
            raise StoreAwayError("the engine is away; it must answer; start it")

        monkeypatch.setattr(FileStore, "revision", away)
        assert (await ready()) == {"status": "degraded", "store": "away"}
