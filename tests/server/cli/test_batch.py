import io
from pathlib import Path

import pytest

from tests.server.cli.commands import Commands

PHRASES = 'mcp\n\n  rewind  \n{"query": "images", "id": 7}\n'
ANSWERED = ["mcp", "rewind", "images"]


def queries(run: Commands) -> list[str]:
    return [found["query"] for found in run.objects() if "blank" not in found]


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    path = tmp_path / "phrases.txt"
    path.write_text(PHRASES, encoding="utf-8")
    return path


def test_a_batch_is_answered_in_order_after_the_arguments(run: Commands, toy_data: Path, batch: Path) -> None:
    assert run("match", "--batch", str(batch), "--json", "--data", str(toy_data)) == 0
    assert queries(run) == ANSWERED
    assert run("match", "vision", "--batch", str(batch), "--json", "--data", str(toy_data)) == 0
    assert queries(run) == ["vision", *ANSWERED]
    batch.write_text("\n\n", encoding="utf-8")
    assert run("match", "--batch", str(batch), "--data", str(toy_data)) == 0
    assert run.out.splitlines() == ["line 1: blank", "line 2: blank"]


def test_an_answer_has_the_number_of_its_line_and_the_other_keys_of_its_object(
    run: Commands, toy_data: Path, batch: Path
) -> None:
    assert run("match", "vision", "--batch", str(batch), "--json", "--data", str(toy_data)) == 0
    argument, *lines = run.objects()
    assert "line" not in argument
    assert [(found["line"], found.get("query"), found.get("id")) for found in lines] == [
        (1, "mcp", None),
        (2, None, None),
        (3, "rewind", None),
        (4, "images", 7),
    ]
    assert lines[1] == {"line": 2, "blank": True}


def test_standard_input_is_answered_in_order(run: Commands, toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(PHRASES))
    assert run("match", "--batch", "-", "--json", "--data", str(toy_data)) == 0
    assert queries(run) == ANSWERED


def test_a_bad_object_is_named_by_its_line(run: Commands, toy_data: Path, batch: Path) -> None:
    for line in ['{"phrase": "x"}', "{not json", '{"query": 3}', '{"query": " "}']:
        batch.write_text(f"mcp\n{line}\n", encoding="utf-8")
        assert run("match", "--batch", str(batch), "--json", "--data", str(toy_data)) == 2, line
        assert f"{batch}, line 2" in run.err, line
        assert queries(run) == [], line


def test_a_batch_that_cannot_be_read_is_the_callers_mistake(run: Commands, toy_data: Path, batch: Path) -> None:
    batch.write_bytes(b"\xff\xfe\x00")
    assert run("match", "--batch", str(batch), "--data", str(toy_data)) == 2
    assert str(batch) in run.err
    assert run("match", "--batch", str(toy_data / "none"), "--data", str(toy_data)) == 2
    assert str(toy_data / "none") in run.err
