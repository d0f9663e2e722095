import json
from pathlib import Path

import pytest

from embeddings.index.stores.file.file_store import FileStore
from embeddings.training.stored.build import build_store
from server.cli.main import main
from server.errors import CallerError
from server.matching.origins import StoredCatalog
from server.matching.store_provider import StoreProvider
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build-vectors", "--store", "x.labels"], "without --catalog"),
        (["build-vectors", "--store", "x.labels", "--catalog", "c.json", "--check"], "--check"),
        (["build-vectors", "--store", "x.labels", "--catalog", "c.json", "--out", "o.npz"], "--out"),
        (["match", "--store", "x.labels", "--data", "folder", "phrase"], "--data"),
        (["serve", "--store", "x.labels", "--transport", "http", "--web"], "--web"),
    ],
)
def test_options_that_conflict_are_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_catalog_is_built_into_a_store_and_matched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("build_vectors", "match"):
        monkeypatch.setattr(f"server.cli.{module}.load_encoder", lambda *_, **__: ToyEncoder())
    (tmp_path / "c.json").write_text(json.dumps(BOOK.to_dict()), encoding="utf-8")
    store = str(tmp_path / "c.labels")
    assert main(["build-vectors", "--catalog", str(tmp_path / "c.json"), "--store", store]) == 0
    assert "3 labels" in capsys.readouterr().out
    assert main(["match", "--store", store, "--json", "rewind"]) == 0
    assert json.loads(capsys.readouterr().out)["matches"][0]["name"] == "Checkpoints"
