from hypothesis import given
from hypothesis import strategies as st

from embeddings.text.invisible import first_hidden, visible


def test_what_a_reader_does_not_see_is_removed() -> None:
    cases = [
        ("plain", "plain", "plain"),
        ("two\nlines\tof text", "two\nlines\tof text", "two lines of text"),
        ("Windows\r\nlines", "Windows\nlines", "Windows  lines"),
        ("\x1b[31mred", "[31mred", "[31mred"),
        ("zero\u200bwidth \u202ereversed", "zerowidth reversed", "zerowidth reversed"),
        ("half \ud800", "half ", "half "),
        ("careful ⚠\ufe0f", "careful ⚠\ufe0f", "careful ⚠\ufe0f"),
        ("\u200b", "", ""),
    ]
    for text, lines, line in cases:
        assert (visible(text, one_line=False), visible(text, one_line=True)) == (lines, line), text


@given(st.text(st.sampled_from("aक\u094d⚠👩💻می\u200d\u200c\ufe0f\u200b\ud800\n\t")), st.booleans())
def test_nothing_hidden_is_left(text: str, one_line: bool) -> None:
    assert first_hidden(visible(text, one_line=one_line), one_line=one_line) is None
