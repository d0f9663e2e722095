import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.errors import PhraseBookError
from embeddings.labels.label import Label, Phrase
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.normalization import fold
from tests.toy import BOOK

TEXT = st.text(min_size=1).filter(fold)
TEXTS = st.lists(TEXT, max_size=2).map(tuple)
LABELS = st.lists(
    st.builds(Label, TEXT, TEXTS, st.text(), TEXTS), min_size=1, max_size=4, unique_by=lambda label: fold(label.name)
)
BOOKS = st.builds(PhraseBook, LABELS.map(tuple), TEXTS)


@settings(deadline=None)
@given(BOOKS)
def test_a_book_comes_back_from_its_json_value(book: PhraseBook) -> None:
    assert PhraseBook.from_dict(json.loads(json.dumps(book.to_dict()))) == book


def test_a_catalog_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "catalog.json"
    path.write_text(json.dumps(BOOK.to_dict(), ensure_ascii=False), encoding="utf-8")
    assert PhraseBook.from_json(path) == BOOK


def test_all_but_the_name_may_be_left_out() -> None:
    assert PhraseBook.from_dict({"labels": [{"name": "Vision"}]}) == PhraseBook((Label("Vision"),))


def test_blank_texts_of_a_catalog_are_dropped() -> None:
    book = PhraseBook.from_dict({"labels": [{"name": "A", "aliases": ["", " "], "phrasings": ["\n", "b"]}]})
    assert book.labels == (Label("A", (), "", ("b",)),)


def test_a_phrasing_may_be_marked_as_generated() -> None:
    content = {"labels": [{"name": "A", "phrasings": ["b", {"text": "c", "origin": "generated"}]}]}
    book = PhraseBook.from_dict(content)
    assert book.labels == (Label("A", phrasings=("b", "c"), generated=frozenset({"c"})),)
    assert book.to_dict()["labels"][0]["phrasings"] == content["labels"][0]["phrasings"]


@pytest.mark.parametrize(
    "item", [1, None, {"text": "b"}, {"text": 1, "origin": "generated"}, {"text": "b", "origin": "x"}]
)
def test_a_phrasing_of_another_shape_is_refused(item: Any) -> None:
    with pytest.raises(PhraseBookError, match=r"labels\[0\].phrasings\[1\] is .*; a phrasing must be a string or"):
        PhraseBook.from_dict({"labels": [{"name": "A", "phrasings": ["b", item]}]})


def test_phrases_come_label_by_label_with_their_kind() -> None:
    book = PhraseBook((Label("A", ("b",), "c", ("d", "e")), Label("F")), ("g",))
    assert list(book.phrases()) == [
        Phrase("A", "name", 0),
        Phrase("b", "alias", 0),
        Phrase("c", "description", 0),
        Phrase("d", "phrasing", 0),
        Phrase("e", "phrasing", 0),
        Phrase("F", "name", 1),
    ]


@pytest.mark.parametrize(
    "changed",
    [
        replace(BOOK, labels=BOOK.labels[::-1]),
        replace(BOOK, labels=BOOK.labels[:2]),
        replace(BOOK, out_of_scope=()),
        replace(BOOK, labels=(replace(BOOK.labels[0], aliases=BOOK.labels[0].aliases[::-1]), *BOOK.labels[1:])),
        replace(BOOK, labels=(replace(BOOK.labels[0], description=""), *BOOK.labels[1:])),
        replace(BOOK, labels=(replace(BOOK.labels[0], phrasings=("undo it",)), *BOOK.labels[1:])),
    ],
)
def test_any_change_of_text_or_order_changes_the_fingerprint(changed: PhraseBook) -> None:
    assert changed.fingerprint != BOOK.fingerprint


def test_equal_books_have_equal_fingerprints() -> None:
    assert PhraseBook.from_dict(BOOK.to_dict()).fingerprint == BOOK.fingerprint


def test_a_book_with_a_lone_surrogate_has_a_fingerprint() -> None:
    assert len(PhraseBook((Label("a\ud800"),)).fingerprint) == 64


def test_an_empty_catalog_is_refused() -> None:
    with pytest.raises(PhraseBookError, match="no labels"):
        PhraseBook(())


@pytest.mark.parametrize("name", ["", " \n"])
def test_a_blank_name_is_refused_with_its_position(name: str) -> None:
    with pytest.raises(PhraseBookError, match="label 1 "):
        PhraseBook((Label("A"), Label(name)))


@pytest.mark.parametrize("name", ["Sub-Agents", "SUB AGENTS", "ｓｕｂ agents?"])
def test_names_that_fold_to_the_same_are_refused_and_both_named(name: str) -> None:
    with pytest.raises(PhraseBookError) as raised:
        PhraseBook((Label("Sub Agents"), Label("B"), Label(name)))
    assert f"label 2 {name!r} repeats 'Sub Agents'" in str(raised.value)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ([], "where is []"),
        ({}, "where is {}"),
        ({"labels": 3}, "'labels'"),
        ({"labels": ["a"]}, "where: labels[0] is 'a'"),
        ({"labels": [{"name": "a"}, {}]}, "where: labels[1].name is None"),
        ({"labels": [{"name": 5}]}, "where: labels[0].name is 5"),
        ({"labels": [{"name": "a", "description": ["b"]}]}, "where: labels[0].description"),
        ({"labels": [{"name": "a", "aliases": "b"}]}, "where: labels[0].aliases is 'b'"),
        ({"labels": [{"name": "a", "phrasings": ["b", 1]}]}, "where: labels[0].phrasings"),
        ({"labels": [{"name": "a"}], "outOfScope": {"b": 1}}, "where.outOfScope"),
    ],
)
def test_a_malformed_catalog_is_refused_with_entry_and_field(content: Any, named: str) -> None:
    with pytest.raises(PhraseBookError) as raised:
        PhraseBook.from_dict(content, where="where")
    assert named in str(raised.value)


@pytest.mark.parametrize("content", [b'{"labels": [', b"", b"\xff\xfe", b"[]"])
def test_a_damaged_catalog_file_is_refused_and_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "catalog.json"
    path.write_bytes(content)
    with pytest.raises(PhraseBookError, match=r"catalog\.json"):
        PhraseBook.from_json(path)


def test_a_missing_catalog_file_is_refused_and_named(tmp_path: Path) -> None:
    with pytest.raises(PhraseBookError, match=r"absent\.json"):
        PhraseBook.from_json(tmp_path / "absent.json")
