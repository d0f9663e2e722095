"""Another model folder, here a small German one."""

import json
from pathlib import Path

import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.matcher import Matcher
from tests.server.cli.commands import Commands
from tests.small_model import write_small_model

CATALOG = {
    "labels": [
        {"name": "Undo", "phrasings": ["wiederherstellen bitte", "geht es zurück"]},
        {"name": "Tools", "phrasings": ["werkzeuge anschließen", "ich möchte werkzeuge"]},
        {"name": "Vision", "phrasings": ["kann es ein bild sehen", "was ist auf dem foto"]},
    ],
    "outOfScope": ["was ist der preis", "wie teuer ist es"],
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Commands:
    """Runs the command with real models."""
    return Commands(capsys)


@pytest.fixture
def model(tmp_path: Path) -> str:
    return str(write_small_model(tmp_path / "model"))


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    path = tmp_path / "catalog.json"
    path.write_text(json.dumps(CATALOG), encoding="utf-8")
    return str(path)


def test_phrases_are_matched_with_the_given_model(run: Commands, model: str, catalog: str) -> None:
    assert run("match", "bitte rückgängig", "--catalog", catalog, "--model-folder", model, "--json") == 0
    (found,) = run.objects()
    assert found["matches"][0]["name"] == "Undo"
    assert not found["degraded"]
    assert "notes" not in found


def test_a_vector_file_belongs_to_its_model(run: Commands, model: str, catalog: str, tmp_path: Path) -> None:
    out = str(tmp_path / "vectors.npz")
    assert run("build-vectors", "--catalog", catalog, "--out", out, "--model-folder", model) == 0
    assert Matcher.load(out, Encoder.load(model)).model_fingerprint == Encoder.load(model).fingerprint
    assert run("build-vectors", "--check", "--catalog", catalog, "--out", out, "--model-folder", model) == 0
    assert run("match", "rückgängig", "--vectors", out, "--model-folder", model) == 0
    assert run("match", "rückgängig", "--vectors", out) == 2
    assert "model" in run.err


def test_an_evaluation_uses_the_given_model(run: Commands, model: str, catalog: str, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"query": "rückgängig bitte", "gold": ["Undo"]}\n', encoding="utf-8")
    arguments = ("eval", "matcher", str(queries), "--catalog", catalog, "--json", "--model-folder")
    assert run(*arguments, model) == 0
    assert run.objects()[0]["rows"] == 1


def test_a_folder_without_a_model_is_refused(run: Commands, tmp_path: Path) -> None:
    cases: list[tuple[str, ...]] = [
        ("match", "undo"),
        ("build-vectors",),
        ("serve",),
        ("serve", "--transport", "http", "--workers", "2"),
    ]
    for command in cases:
        assert run(*command, "--model-folder", str(tmp_path / "none")) == 2, command
        assert "no model in" in run.err, command


def test_a_model_that_is_said_to_read_english_alone_notes_other_languages(
    run: Commands, tmp_path: Path, toy_data: Path
) -> None:
    model = write_small_model(tmp_path / "english", languages=["en"])
    assert run("match", "ich möchte das zurück", "--data", str(toy_data), "--model-folder", str(model), "--json") == 0
    assert run.objects()[0]["notes"] == ["not_english"]
