from pathlib import Path

import pytest

from embeddings.metrics import LabelledQuery
from server.errors import CallerError
from server.evals.labelled_queries import check_gold, parse_queries, read_queries

ROW = '{"query": "undo it", "gold": ["Undo"]}'


def test_lines_end_where_the_file_says_and_blank_ones_are_skipped() -> None:
    assert parse_queries(f"\ufeff{ROW}\r\n\n", "x") == [LabelledQuery("undo it", ("Undo",))]
    (found,) = parse_queries('{"query": "one\u2028two", "gold": []}', "x")
    assert found.query == "one\u2028two"


def test_a_wrong_line_is_named_by_its_number_in_the_file() -> None:
    for line in ["{", "3", "null", '{"query": "x"}', "[" * 100_000]:
        with pytest.raises(CallerError, match=r"^mine\.jsonl, line 3 is "):
            parse_queries(f"{ROW}\n\n{line}\n", "mine.jsonl")


def test_more_queries_than_are_allowed_are_refused_with_their_number_and_another_way() -> None:
    with pytest.raises(CallerError, match=r"holds 3 queries; at most 2 .*eval matcher"):
        parse_queries("\n".join([ROW] * 3), "x", 2)
    assert len(parse_queries("\n".join([ROW] * 2), "x", 2)) == 2


def test_labels_that_the_catalog_lacks_are_named() -> None:
    with pytest.raises(CallerError, match="that the catalog lacks: Undo;"):
        check_gold(parse_queries(ROW, "x"), ["See"], "x")


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(CallerError, match="it must be UTF-8 JSON lines"):
        read_queries(path)
