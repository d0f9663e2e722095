"""Catalog files: what they may hold, and what is refused as a likely mistake."""

import json
from pathlib import Path
from typing import Any

import pytest

from embeddings.errors import PhraseBookError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "catalog.json"
    path.write_text(text, encoding=encoding)
    return path


def refused(content: Any) -> str:
    with pytest.raises(PhraseBookError) as raised:
        PhraseBook.from_dict(content, "where")
    return str(raised.value)


def test_every_part_of_a_catalog_is_read() -> None:
    book = PhraseBook.from_dict(
        {
            "labels": [
                {
                    "name": "Refund",
                    "aliases": ["money back"],
                    "description": "Returns what was paid.",
                    "phrasings": ["undo the payment", {"text": "I want my cash", "origin": "generated"}],
                    "fields": {"form": "amount", "pages": ["terms", "contact"]},
                    "id": "R-1",
                    "metadata": {"queue": 7, "open": None},
                }
            ],
            "outOfScope": ["the weather"],
            "outOfScopeShare": 0.25,
        }
    )
    refund = Label(
        "Refund",
        ("money back",),
        "Returns what was paid.",
        ("undo the payment", "I want my cash"),
        {"form": ("amount",), "pages": ("terms", "contact")},
        frozenset({"I want my cash"}),
        "R-1",
        {"queue": 7, "open": None},
    )
    assert book == PhraseBook((refund,), ("the weather",), 0.25)


def test_a_byte_order_mark_is_fine(tmp_path: Path) -> None:
    assert PhraseBook.from_json(written(tmp_path, '{"labels": [{"name": "A"}]}', "utf-8-sig")).labels[0].name == "A"


def test_a_phrasing_that_a_person_wrote_too_is_not_generated() -> None:
    phrasings = ["undo it", {"text": "undo it", "origin": "generated"}]
    assert PhraseBook.from_dict({"labels": [{"name": "A", "phrasings": phrasings}]}).labels[0].generated == frozenset()


def test_an_unknown_key_is_refused_with_its_entry_and_the_nearest_known_one() -> None:
    cases: list[tuple[Any, str, str]] = [
        ({"labels": [{"name": "A"}, {"name": "Refund", "desription": "x"}]}, "labels[1] ('Refund')", "description"),
        ({"labels": [{"name": "Refund", "phrases": ["x"]}]}, "labels[0] ('Refund')", "phrasings"),
        ({"labels": [{"Name": "Refund"}]}, "labels[0]", "name"),
        ({"labels": [{"name": "A"}], "outofscope": []}, "where", "outOfScope"),
        ({"lables": [{"name": "A"}]}, "where", "labels"),
        ({"labels": [{"name": "A", "phrasings": [{"text": "x", "orign": "generated"}]}]}, "phrasings[0]", "origin"),
    ]
    for content, place, nearest in cases:
        message = refused(content)
        assert place in message, content
        assert f"the nearest is {nearest!r}" in message, content


def test_a_name_needs_a_character_that_is_no_punctuation() -> None:
    for name in ["?!", "...", "+", "$$$", "–", "“”", "- -", "\u200b"]:
        assert f"labels[1] has the name {name!r}" in refused({"labels": [{"name": "A"}, {"name": name}]}), name
    for name in ["C++", "?a", "7", "名", "🚀", "€"]:
        assert PhraseBook.from_dict({"labels": [{"name": name}]}).labels[0].name == name, name


def test_a_repeated_key_is_refused_with_its_entry(tmp_path: Path) -> None:
    cases = [
        (
            '{"labels": [{"name": "B"}, {"name": "A", "phrasings": [], "phrasings": []}]}',
            "labels[1] ('A')",
            "phrasings",
        ),
        ('{"labels": [{"name": "A"}], "labels": [{"name": "B"}]}', "catalog.json", "labels"),
        ('{"labels": [{"name": "A", "metadata": {"x": [{"y": 1, "y": 2}]}}]}', "labels[0] ('A')", "y"),
        ('{"labels": [{"name": "A", "fields": {"f": "1", "f": "2"}}]}', "labels[0] ('A')", "f"),
    ]
    for text, place, key in cases:
        with pytest.raises(PhraseBookError) as raised:
            PhraseBook.from_json(written(tmp_path, text))
        assert place in str(raised.value), text
        assert f"has the key {key!r} twice" in str(raised.value), text


def test_a_value_of_the_wrong_kind_is_refused_with_its_place() -> None:
    cases: list[tuple[Any, str]] = [
        ({"labels": [{"name": "A", "phrasings": [{"text": "x", "origin": "human"}]}]}, "labels[0].phrasings[0]"),
        ({"labels": [{"name": "A", "phrasings": [{"origin": "generated"}]}]}, "labels[0].phrasings[0]"),
        ({"labels": [{"name": "A", "fields": ["x"]}]}, "labels[0].fields"),
        ({"labels": [{"name": "A", "fields": {"x": 1}}]}, "labels[0].fields"),
        ({"labels": [{"name": "A", "id": 7}]}, "labels[0].id is 7"),
        ({"labels": [{"name": "A", "metadata": []}]}, "labels[0].metadata"),
        ({"labels": [{"name": "A", "metadata": {"x": float("nan")}}]}, "metadata that are not JSON"),
        ({"labels": [{"name": "A", "metadata": {"x": "\ud800"}}]}, "metadata that are not JSON"),
        ({"labels": [{"name": "A", "phrasings": ["\ud800"]}]}, "half of a surrogate pair"),
        ({"labels": [{"name": "A", "id": "1"}, {"name": "B", "id": "1"}]}, "has the id '1' of 'A'"),
        ({"labels": [{"name": "A", "id": "1"}, {"name": "a"}]}, "label 1 'a' repeats 'A'"),
        *(
            ({"labels": [{"name": "A"}], "outOfScopeShare": share}, "where.outOfScopeShare")
            for share in (1, -0.1, True, "0.5", None, float("nan"))
        ),
    ]
    for content, told in cases:
        assert told in refused(content), content


def test_names_may_fold_alike_if_each_label_has_an_id() -> None:
    labels = [{"name": "get_user", "id": "1"}, {"name": "get-user", "id": "2"}, {"name": "Get user", "id": "3"}]
    assert len(PhraseBook.from_dict({"labels": labels}).labels) == 3


def test_a_stored_book_is_read_as_it_was_written() -> None:
    book = PhraseBook((Label("?!", phrasings=("\ud800",)),))
    assert PhraseBook.from_dict(json.loads(json.dumps(book.to_dict())), strict=False) == book


def test_a_phrasing_of_two_meanings_is_a_warning_and_both_stay() -> None:
    cases: list[tuple[Any, str]] = [
        ([{"name": "A", "phrasings": ["Undo it"]}, {"name": "B", "phrasings": ["undo it!"]}], "under 'A' and 'B'"),
        ([{"name": "A", "phrasings": ["how much?"]}], "'how much?' of 'A' is also in outOfScope"),
    ]
    for content, told in cases:
        book = PhraseBook.from_dict({"labels": content, "outOfScope": ["how much"]})
        (warning,) = book.warnings
        assert told in warning, content
        assert [len(label.phrasings) for label in book.labels] == [1] * len(content), content
        assert book.out_of_scope == ("how much",), content


def test_a_phrasing_repeated_under_one_label_is_no_warning() -> None:
    assert PhraseBook.from_dict({"labels": [{"name": "A", "phrasings": ["undo it", "Undo it"]}]}).warnings == []
