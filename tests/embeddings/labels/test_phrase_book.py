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
JSON = (
    st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.floats(allow_nan=False, allow_infinity=False))
)
LABELS = st.lists(
    st.builds(
        Label,
        TEXT,
        TEXTS,
        st.text(),
        TEXTS,
        st.dictionaries(st.text(), TEXTS, max_size=2),
        metadata=st.dictionaries(st.text(), JSON, max_size=2),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda label: fold(label.name),
)


def with_ids_and_origins(labels: list[Label]) -> tuple[Label, ...]:
    """Give every other label an id, and mark its first phrasing as generated."""
    return tuple(
        replace(label, id=f"id {position}", generated=frozenset(label.phrasings[:1])) if position % 2 else label
        for position, label in enumerate(labels)
    )


SHARES = st.none() | st.floats(0, 1, exclude_max=True)
BOOKS = st.builds(PhraseBook, LABELS.map(with_ids_and_origins), TEXTS, SHARES)


@settings(deadline=None)
@given(BOOKS)
def test_a_book_comes_back_from_its_json_value(book: PhraseBook) -> None:
    assert PhraseBook.from_dict(json.loads(json.dumps(book.to_dict())), strict=False) == book


def test_labels_that_were_checked_make_the_same_book() -> None:
    book = PhraseBook.of_checked(BOOK.labels, BOOK.out_of_scope)
    assert book == BOOK
    assert [*book.phrases()] == [*BOOK.phrases()]


def test_a_catalog_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "catalog.json"
    path.write_text(json.dumps(BOOK.to_dict(), ensure_ascii=False), encoding="utf-8")
    assert PhraseBook.from_json(path) == BOOK


def test_all_but_the_name_may_be_left_out_or_blank() -> None:
    assert PhraseBook.from_dict({"labels": [{"name": "Vision"}]}) == PhraseBook((Label("Vision"),))
    book = PhraseBook.from_dict({"labels": [{"name": "A", "aliases": ["", " "], "phrasings": ["\n", "b"]}]})
    assert book.labels == (Label("A", (), "", ("b",)),)


def test_a_phrasing_may_be_marked_as_generated() -> None:
    content = {"labels": [{"name": "A", "phrasings": ["b", {"text": "c", "origin": "generated"}]}]}
    book = PhraseBook.from_dict(content)
    assert book.labels == (Label("A", phrasings=("b", "c"), generated=frozenset({"c"})),)
    assert book.to_dict()["labels"][0]["phrasings"] == content["labels"][0]["phrasings"]


def test_a_phrasing_of_another_shape_is_refused() -> None:
    cases: list[Any] = [1, None, {}, {"text": 1, "origin": "generated"}, {"text": "b", "origin": "x"}]
    for item in cases:
        with pytest.raises(PhraseBookError, match=r"labels\[0\].phrasings\[1\] is .*; a phrasing must be a string, or"):
            PhraseBook.from_dict({"labels": [{"name": "A", "phrasings": ["b", item]}]})


def test_a_phrasing_without_an_origin_was_written_by_a_person() -> None:
    book = PhraseBook.from_dict({"labels": [{"name": "A", "phrasings": [{"text": "b"}]}]})
    assert book.labels == (Label("A", phrasings=("b",)),)


def test_phrases_come_label_by_label_with_their_kind() -> None:
    book = PhraseBook((Label("A", ("b",), "c", ("d", "e")), Label("F")), ("g",))
    assert list(book.phrases()) == [
        Phrase("A", "name", 0),
        Phrase("b", "alias", 0),
        Phrase("A: c", "whole", 0),
        Phrase("c", "description", 0),
        Phrase("d", "phrasing", 0),
        Phrase("e", "phrasing", 0),
        Phrase("F", "name", 1),
    ]


def test_a_description_is_compared_as_a_whole_and_sentence_by_sentence() -> None:
    book = PhraseBook((Label("readFile", description="Reads a file. Fails if there is none."),))
    assert [(phrase.text, phrase.kind) for phrase in book.phrases()] == [
        ("read File", "name"),
        ("read File: Reads a file. Fails if there is none.", "whole"),
        ("Reads a file.", "description"),
        ("Fails if there is none.", "description"),
    ]


def test_names_are_compared_without_the_namespace_that_all_share() -> None:
    book = PhraseBook((Label("github/list_issues", ("list_issues",)), Label("github/get_me")))
    assert [phrase.text for phrase in book.phrases()] == ["list issues", "list issues", "get me"]


def test_any_change_of_text_or_order_changes_the_fingerprint() -> None:
    cases: list[PhraseBook] = [
        replace(BOOK, labels=BOOK.labels[::-1]),
        replace(BOOK, labels=BOOK.labels[:2]),
        replace(BOOK, out_of_scope=()),
        replace(BOOK, labels=(replace(BOOK.labels[0], aliases=BOOK.labels[0].aliases[::-1]), *BOOK.labels[1:])),
        replace(BOOK, labels=(replace(BOOK.labels[0], description=""), *BOOK.labels[1:])),
        replace(BOOK, labels=(replace(BOOK.labels[0], phrasings=("undo it",)), *BOOK.labels[1:])),
        replace(BOOK, labels=(replace(BOOK.labels[0], fields={"x": ("y",)}), *BOOK.labels[1:])),
        replace(BOOK, labels=(replace(BOOK.labels[0], generated=frozenset({"undo it"})), *BOOK.labels[1:])),
        replace(BOOK, out_of_scope_share=0.5),
    ]
    for changed in cases:
        assert changed.fingerprint != BOOK.fingerprint, changed


def test_a_fingerprint_is_of_the_texts_alone() -> None:
    labels = (replace(BOOK.labels[0], id="1", metadata={"x": 1}), *BOOK.labels[1:])
    assert replace(BOOK, labels=labels).fingerprint == BOOK.fingerprint
    assert BOOK.fingerprint == "299ab3fb61ee794ac4a075d1a5a56a163fa2485a167b064af52ed36f9f637e59"
    assert PhraseBook.from_dict(BOOK.to_dict()).fingerprint == BOOK.fingerprint
    assert len(PhraseBook((Label("a\ud800"),)).fingerprint) == 64


def test_an_empty_catalog_is_refused() -> None:
    with pytest.raises(PhraseBookError, match="no labels"):
        PhraseBook(())


def test_a_blank_name_is_refused_with_its_position() -> None:
    for name in ["", " \n"]:
        with pytest.raises(PhraseBookError, match="label 1 "):
            PhraseBook((Label("A"), Label(name)))


def test_names_that_fold_to_the_same_are_refused_and_both_named() -> None:
    for name in ["Sub-Agents", "SUB AGENTS", "ｓｕｂ agents?"]:
        with pytest.raises(PhraseBookError) as raised:
            PhraseBook((Label("Sub Agents"), Label("B"), Label(name)))
        assert f"label 2 {name!r} repeats 'Sub Agents'" in str(raised.value), name


def test_a_malformed_catalog_is_refused_with_entry_and_field() -> None:
    cases: list[tuple[Any, str]] = [
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
    ]
    for content, named in cases:
        with pytest.raises(PhraseBookError) as raised:
            PhraseBook.from_dict(content, where="where")
        assert named in str(raised.value), content


def test_a_damaged_or_missing_catalog_file_is_refused_and_named(tmp_path: Path) -> None:
    for content in [b'{"labels": [', b"", b"\xff\xfe", b"[]"]:
        path = tmp_path / "catalog.json"
        path.write_bytes(content)
        with pytest.raises(PhraseBookError, match=r"catalog\.json"):
            PhraseBook.from_json(path)
    with pytest.raises(PhraseBookError, match=r"absent\.json"):
        PhraseBook.from_json(tmp_path / "absent.json")
