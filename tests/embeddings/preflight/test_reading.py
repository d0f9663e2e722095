"""Errors of the catalog's reader are findings, and the rest is judged all the same."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from embeddings.labels.phrase_book import PhraseBook
from embeddings.preflight.preflight import preflight
from embeddings.preflight.reading import read
from tests.embeddings.preflight.judging import LimitedToyEncoder, found, judged

UNDO = {"name": "Undo", "description": "go back"}


def test_a_value_without_labels_has_a_report_all_the_same() -> None:
    cases: list[Any] = [None, 3, "text", [], {}, {"labels": 3}, {"labels": []}, {"tools": 4}]
    for content in cases:
        report = preflight(content, LimitedToyEncoder())
        assert report.labels == 0, content


def test_a_value_that_is_no_catalog_is_refused() -> None:
    cases: list[Any] = [None, 3, {}, {"labels": 3}, {"tools": 4}]
    for content in cases:
        assert [finding.rule for finding in read(content).findings] == ["refused"], content


def test_a_label_with_an_unknown_key_is_refused_and_judged_without_it() -> None:
    report = judged(UNDO | {"fraising": ["x"]}, UNDO)
    (finding,) = found(report, "refused")
    assert (finding.label, finding.pointer) == ("Undo", "/labels/0")
    assert "fraising" in finding.suggestion
    assert report.labels == 2


def test_a_label_without_a_usable_name_is_refused() -> None:
    cases: list[Any] = ["text", {"description": "x"}, {"name": 3}, {"name": "  "}, {"name": "***"}, None]
    for entry in cases:
        report = preflight({"labels": [entry, UNDO]}, LimitedToyEncoder())
        assert [finding.pointer for finding in found(report, "refused")] == ["/labels/0"], entry


def test_a_field_of_the_wrong_type_is_left_out() -> None:
    read_ = read({"labels": [UNDO | {"aliases": "rewind", "phrasings": ["undo it"]}]})
    (entry,) = read_.entries
    assert entry.label.aliases == ()
    assert entry.label.phrasings == ("undo it",)
    assert len(read_.findings) == 1


def test_an_unknown_key_of_the_catalog_is_refused() -> None:
    assert "outofscope" in found(judged(UNDO, outofscope=[]), "refused")[0].suggestion


def test_a_wrong_share_beside_the_labels_is_refused() -> None:
    assert "outOfScopeShare" in found(judged(UNDO, outOfScopeShare=3), "refused")[0].suggestion


def test_a_tool_whose_title_is_no_string_is_a_warning() -> None:
    report = preflight({"tools": [{"name": "undo", "title": 3}]}, LimitedToyEncoder())
    (finding,) = found(report, "refused")
    assert (finding.severity, finding.pointer) == ("warning", "/tools/0")


def test_a_tool_is_located_in_every_form_of_list() -> None:
    cases: list[tuple[Any, str]] = [
        ([{"name": "undo"}], "/0"),
        ({"tools": [{"name": "undo"}]}, "/tools/0"),
        ({"jsonrpc": "2.0", "result": {"tools": [{"name": "undo"}]}}, "/result/tools/0"),
        ({"a/b~": {"tools": [{"name": "undo"}]}}, "/a~1b~0/tools/0"),
        ({"a": {"result": {"tools": [{"name": "undo"}]}}}, "/a/result/tools/0"),
    ]
    for content, pointer in cases:
        assert [entry.pointer for entry in read(content).entries] == [pointer], content


def test_what_is_read_from_a_faultless_catalog_is_what_the_reader_reads() -> None:
    content = {"labels": [UNDO | {"phrasings": ["undo it"]}, {"name": "Connect"}], "outOfScope": ["price"]}
    book = read(content).book()
    assert book is not None
    expected = PhraseBook.from_dict(content)
    assert [label.phrasings for label in book.labels] == [label.phrasings for label in expected.labels]
    assert book.out_of_scope == expected.out_of_scope


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)
KEYS = st.sampled_from(["name", "aliases", "description", "phrasings", "fields", "id", "metadata", "title", "other"])


@given(st.lists(st.dictionaries(KEYS, JSON_VALUES) | JSON_VALUES, max_size=4), st.sampled_from(["labels", "tools"]))
def test_nothing_in_a_catalog_raises_an_error(entries: list[Any], key: str) -> None:
    preflight({key: entries}, LimitedToyEncoder())
