import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from embeddings.text.invisible import is_hidden
from server.preflight.baseline import json_text


@given(st.dictionaries(st.text(), st.lists(st.text() | st.integers())), st.sampled_from([None, 2]))
def test_a_value_is_read_as_it_was_and_hides_nothing(value: Any, indent: int | None) -> None:
    text = json_text(value, indent)
    assert json.loads(text) == value
    assert not any(is_hidden(each) for each in text if each != "\n")


def test_hidden_characters_are_escapes() -> None:
    for hidden in ["\u202e", "\x7f", "\ud800", "\U000e0041", "\u2028"]:
        assert json_text([hidden]) == json.dumps([hidden]), hidden


def test_other_characters_stay_as_they_are() -> None:
    assert json_text(["é 道"]) == '["é 道"]'
