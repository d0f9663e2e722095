import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.enrichment.answers import Answer, journal_of, open_journal, read_answers
from server.errors import CallerError

ANY = st.text(st.characters())
FIRST, SECOND = Answer("Refund#1/8", '["été"]'), Answer("Shipping#2/8", "one\u2028two\ntwo")


def written(path: Path, *answers: Answer) -> Path:
    with open_journal(path) as journal:
        for answer in answers:
            journal.add(answer)
    return path


def test_a_journal_stands_beside_the_catalog() -> None:
    assert journal_of(Path("a/b.json")) == Path("a/b.json.answers.jsonl")


def test_answers_come_back_from_the_journal(tmp_path: Path) -> None:
    path = written(tmp_path / "new" / "journal", FIRST)
    written(path, SECOND)
    assert read_answers(path).answers == [FIRST, SECOND]


@given(ANY, ANY)
def test_a_line_is_one_line_whatever_the_model_said(identifier: str, text: str) -> None:
    line = Answer(identifier, text).to_line()
    assert line.count(b"\n") == 1
    assert Answer(**json.loads(line.decode("utf-8"))) == Answer(identifier, text)


def test_an_answer_is_on_disk_at_once(tmp_path: Path) -> None:
    with open_journal(tmp_path / "journal") as journal:
        journal.add(FIRST)
        assert read_answers(tmp_path / "journal").answers == [FIRST]


def test_a_line_that_was_cut_off_costs_no_other_answer(tmp_path: Path) -> None:
    for lost in [1, 2, 6, 30]:
        path = written(tmp_path / f"journal-{lost}", FIRST, FIRST)
        path.write_bytes(path.read_bytes()[:-lost])
        written(path, SECOND)
        found = read_answers(path)
        assert found.answers[0] == FIRST, lost
        assert found.answers[-1] == SECOND, lost
        assert list(found.unreadable) == ([] if lost == 1 else [2]), lost


def test_what_is_no_answer_is_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    lines = [b"not json", b"[]", b'{"id": 1, "text": ""}', b'{"id": "a"}', b"", b"\xff\xfe", b"[" * 9999]
    path.write_bytes(b"\n".join([b"\xef\xbb\xbf" + FIRST.to_line().strip(), *lines]))
    found = read_answers(path)
    assert found.answers == [FIRST]
    assert list(found.unreadable) == [2, 3, 4, 5, 7, 8]


def test_an_empty_file_has_no_answers(tmp_path: Path) -> None:
    (tmp_path / "answers").write_bytes(b"\n")
    assert read_answers(tmp_path / "answers").answers == []


def test_a_file_without_any_answer_is_refused(tmp_path: Path) -> None:
    for content in [b"queries", b'["a", "b"]']:
        (tmp_path / "answers").write_bytes(content)
        with pytest.raises(CallerError, match=r"line 1 is .* must be a JSON object with the strings 'id' and 'text'; "):
            read_answers(tmp_path / "answers")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(CallerError, match=r"'.*none' cannot be read \(No such file or directory\); "):
        read_answers(tmp_path / "none")


def test_a_journal_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CallerError, match="cannot be written"), open_journal(tmp_path / "file" / "journal"):
        pass
