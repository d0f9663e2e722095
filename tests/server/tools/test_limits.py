from hypothesis import given
from hypothesis import strategies as st

from server.tools.answers import RelevantStatement
from server.tools.paging import caution, cut


def test_a_long_text_is_cut_at_a_word() -> None:
    for text, most, shown in [
        ("only files", 10, "only files"),
        ("only files here", 11, "only files…"),
        ("only files here", 13, "only files…"),
        ("only files, here", 13, "only files…"),
        ("unbreakable", 5, "unbr…"),
        ("", 5, ""),
    ]:
        assert cut(text, most) == shown, (text, most, shown)


@given(st.text(), st.integers(min_value=1, max_value=40))
def test_no_text_is_longer_than_allowed(text: str, most: int) -> None:
    assert len(cut(text, most)) <= most


def said(field: str) -> RelevantStatement:
    return RelevantStatement(statement="it", field=field, confidence=0.5)


def test_one_limiting_statement_is_enough_for_caution() -> None:
    assert caution([said("setup"), said("gotchas")])
    assert not caution([said("setup"), said("description")])
    assert not caution(None)
