from dataclasses import replace
from pathlib import Path

import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.errors import ModelError
from embeddings.matcher import Matcher
from server.catalog.catalog import phrase_book
from server.catalog.loading import load_catalog
from server.cli import doctor
from server.matching.matcher_provider import VECTORS_FILE
from server.matching.statement_source import STATEMENTS_FILE
from server.toolset.registry import TOOLS
from server.toolset.tool_matcher import tool_book
from tests.server.cli.commands import Commands
from tests.toy import ToyEncoder

CHECKS = ["versions", "catalog", "model", "vectors", "statements", "facets", "runs", "tools", "cache"]


@pytest.fixture
def toy_tool_vectors(tmp_path: Path, few_intents: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tools' vectors as the toy encoder makes them."""
    path = tmp_path / "tools.npz"
    Matcher.build(tool_book(TOOLS), ToyEncoder()).save(path)
    monkeypatch.setattr(doctor, "TOOL_VECTORS_FILE", str(path))


def outcome(run: Commands) -> dict[str, bool]:
    return {found["check"]: found["ok"] for found in run.objects()}


@pytest.fixture
def whole(run: Commands, toy_data: Path) -> Path:
    run("build-vectors", "--data", str(toy_data))
    return toy_data


@pytest.mark.usefixtures("toy_tool_vectors")
def test_a_whole_installation_passes_every_check_with_a_line_for_each(run: Commands, whole: Path) -> None:
    assert run("doctor", "--json", "--data", str(whole)) == 0
    assert outcome(run) == dict.fromkeys(CHECKS, True)
    assert run("doctor", "--data", str(whole)) == 0
    assert [line.split()[0] for line in run.out.splitlines()[1:]] == CHECKS + [f"{name}:" for name in CHECKS]
    assert "3 capabilities, 2 agents, 5 entries, verified 2026-08-22 to 2026-08-22" in run.out


@pytest.mark.usefixtures("toy_tool_vectors")
@pytest.mark.parametrize(("file", "check"), [(VECTORS_FILE, "vectors"), (STATEMENTS_FILE, "statements")])
def test_missing_vectors_fail_their_check_alone(run: Commands, whole: Path, file: str, check: str) -> None:
    (whole / file).unlink()
    assert run("doctor", "--json", "--data", str(whole)) == 1
    assert outcome(run) == dict.fromkeys(CHECKS, True) | {check: False}


def test_stale_vectors_fail_with_what_to_do(run: Commands, whole: Path) -> None:
    (whole / "aliases.json").write_text("{}", encoding="utf-8")
    assert run("doctor", "--data", str(whole)) == 1
    assert "FAILED" in run.out
    assert "rebuild it with 'agent-capabilities build-vectors'" in run.out


@pytest.mark.usefixtures("toy_tool_vectors")
def test_updated_vectors_pass_and_are_told_from_built_ones(run: Commands, whole: Path) -> None:
    book = phrase_book(load_catalog(whole))
    Matcher.build(replace(book, out_of_scope=()), ToyEncoder()).update(book).save(whole / VECTORS_FILE)
    assert run("doctor", "--data", str(whole)) == 0
    assert "approximate: the catalog was updated since it was built" in run.out


@pytest.mark.usefixtures("toy_tool_vectors")
def test_a_broken_catalog_fails_and_the_rest_is_still_checked(run: Commands, whole: Path) -> None:
    (whole / "capabilities.json").write_text("{", encoding="utf-8")
    assert run("doctor", "--json", "--data", str(whole)) == 1
    assert outcome(run) == dict.fromkeys(CHECKS, True) | dict.fromkeys(
        ["catalog", "vectors", "statements", "facets", "runs"], False
    )


def test_a_missing_model_fails_with_the_reason(run: Commands, whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(folder: object = None, threads: int = 1, split: int = 1) -> Encoder:
        raise ModelError("no model here")

    monkeypatch.setattr(Encoder, "load", load)
    assert run("doctor", "--data", str(whole)) == 1
    assert "model: no model here" in run.out


def test_the_shipped_installation_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    run = Commands(capsys)
    assert run("doctor", "--json") == 0, run.out
    assert "means Checkpoints" in run.objects()[3]["detail"]
