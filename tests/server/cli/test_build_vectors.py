import json
from dataclasses import replace
from pathlib import Path

import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.matcher import Matcher
from tests.server.cli.commands import Commands
from tests.toy import BOOK, ToyEncoder


@pytest.fixture
def built(run: Commands, toy_data: Path) -> Path:
    assert run("build-vectors", "--data", str(toy_data)) == 0
    return toy_data / "capability-vectors.npz"


def states(built: Path, labels: str, statements: str = "up to date") -> str:
    """Return what a check prints of the two files of a data folder."""
    return f"{built}: {labels}\n{built.parent / 'statement-vectors.npz'}: {statements}\n"


def test_a_build_says_what_it_wrote(run: Commands, toy_data: Path) -> None:
    assert run("build-vectors", "--data", str(toy_data)) == 0
    labels, statements = run.out.splitlines()
    assert labels.startswith(f"{toy_data / 'capability-vectors.npz'}: 3 labels, ")
    assert statements.startswith(f"{toy_data / 'statement-vectors.npz'}: ")


def test_a_fresh_file_is_up_to_date_and_building_again_gives_the_same_bytes(run: Commands, built: Path) -> None:
    assert run("build-vectors", "--check", "--data", str(built.parent)) == 0
    assert run.out == states(built, "up to date")
    first = built.read_bytes()
    assert run("build-vectors", "--data", str(built.parent)) == 0
    assert built.read_bytes() == first


def test_a_check_of_changed_texts_fails_and_names_them(run: Commands, built: Path) -> None:
    (built.parent / "aliases.json").write_text('{"brand new": "Vision"}', encoding="utf-8")
    assert run("build-vectors", "--check", "--data", str(built.parent)) == 1
    assert run.out == states(built, "stale")
    assert "1 texts added since the build: 'brand new'" in run.err
    assert "'rewind'" in run.err


def test_a_check_of_an_updated_file_fails_and_says_so(run: Commands, built: Path) -> None:
    matcher = Matcher.load(built, ToyEncoder())
    matcher.update(replace(matcher.book, out_of_scope=())).update(matcher.book).save(built)
    assert run("build-vectors", "--check", "--data", str(built.parent)) == 1
    assert "the catalog was updated since its ranking was fitted to all of it; rebuild" in run.err


def test_a_check_of_a_file_of_another_model_fails_and_says_so(
    run: Commands, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Encoder, "load", lambda folder=None, threads=1, split=1: ToyEncoder("toy-2"))
    assert run("build-vectors", "--check", "--data", str(built.parent)) == 1
    assert "has model 'toy-1', not 'toy-2'" in run.err


def test_a_check_of_a_damaged_file_fails_and_writes_nothing(run: Commands, built: Path) -> None:
    for content in [b"", b"junk"]:
        built.write_bytes(content)
        assert run("build-vectors", "--check", "--data", str(built.parent)) == 1, content
        assert str(built) in run.err, content
        assert built.read_bytes() == content, content


def test_a_check_of_no_file_fails_and_writes_none(run: Commands, toy_data: Path) -> None:
    assert run("build-vectors", "--check", "--data", str(toy_data)) == 1
    assert "no vector file at" in run.err
    assert not (toy_data / "capability-vectors.npz").exists()


def test_a_catalog_file_is_built_beside_itself(run: Commands, tmp_path: Path) -> None:
    catalog = tmp_path / "mine.json"
    catalog.write_text(json.dumps(BOOK.to_dict()), encoding="utf-8")
    assert run("build-vectors", "--catalog", str(catalog)) == 0
    assert (tmp_path / "mine.npz").is_file()


def test_out_says_where(run: Commands, toy_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "vectors.npz"
    assert run("build-vectors", "--data", str(toy_data), "--out", str(out)) == 0
    assert out.is_file()
    assert not (toy_data / "capability-vectors.npz").exists()


def test_a_place_that_cannot_be_written_is_a_fault(run: Commands, toy_data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert run("build-vectors", "--data", str(toy_data), "--out", str(tmp_path / "file" / "v.npz")) == 1
    assert str(tmp_path / "file") in run.err


def test_a_catalog_and_a_folder_together_are_the_callers_mistake(run: Commands, toy_data: Path) -> None:
    assert run("build-vectors", "--data", str(toy_data), "--catalog", "x.json") == 2
