import io
from pathlib import Path

import pytest

from tests.server.cli.commands import Commands

PHRASES = 'mcp\n\n  rewind  \n{"query": "images", "id": 7}\n'
ANSWERED = ["mcp", "rewind", "images"]


def queries(run: Commands) -> list[str]:
    return [found["query"] for found in run.objects()]


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    path = tmp_path / "phrases.txt"
    path.write_text(PHRASES, encoding="utf-8")
    return path


def test_a_file_of_lines_and_objects_is_answered_in_order(run: Commands, toy_data: Path, batch: Path) -> None:
    assert run("match", "--batch", str(batch), "--json", "--data", str(toy_data)) == 0
    assert queries(run) == ANSWERED


def test_standard_input_is_answered_in_order(run: Commands, toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(PHRASES))
    assert run("match", "--batch", "-", "--json", "--data", str(toy_data)) == 0
    assert queries(run) == ANSWERED


def test_arguments_come_before_the_batch(run: Commands, toy_data: Path, batch: Path) -> None:
    assert run("match", "vision", "--batch", str(batch), "--json", "--data", str(toy_data)) == 0
    assert queries(run) == ["vision", *ANSWERED]


def test_an_empty_batch_has_no_answers(run: Commands, toy_data: Path, batch: Path) -> None:
    batch.write_text("\n\n", encoding="utf-8")
    assert run("match", "--batch", str(batch), "--data", str(toy_data)) == 0
    assert run.out == ""


@pytest.mark.parametrize("line", ['{"phrase": "x"}', "{not json", '{"query": 3}', '{"query": " "}'])
def test_a_bad_object_is_named_by_its_line(run: Commands, toy_data: Path, batch: Path, line: str) -> None:
    batch.write_text(f"mcp\n{line}\n", encoding="utf-8")
    assert run("match", "--batch", str(batch), "--json", "--data", str(toy_data)) == 2
    assert f"{batch}, line 2" in run.err
    assert queries(run) == []


def test_a_batch_that_is_not_utf8_is_the_callers_mistake(run: Commands, toy_data: Path, batch: Path) -> None:
    batch.write_bytes(b"\xff\xfe\x00")
    assert run("match", "--batch", str(batch), "--data", str(toy_data)) == 2
    assert str(batch) in run.err


def test_a_batch_that_is_missing_is_the_callers_mistake(run: Commands, toy_data: Path) -> None:
    assert run("match", "--batch", str(toy_data / "none"), "--data", str(toy_data)) == 2
    assert str(toy_data / "none") in run.err
