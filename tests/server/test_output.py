import pytest

from server.output import paragraph, percent, table


def test_columns_are_aligned_and_lines_have_no_tail() -> None:
    assert table(["a", "b"], [["long", "x"], ["s", ""]]) == "a     b\nlong  x\ns"


def test_the_last_column_is_cut_to_the_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert table(["a", "b"], [["x", "y" * 100]]).splitlines()[1] == "x  " + "y" * 34 + "..."


def test_a_paragraph_is_wrapped_under_its_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert paragraph("what", "one two three four five") == "what:         one two three\n              four five"


def test_an_address_is_never_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert "https://example.com/a-long-path" in paragraph("source", "https://example.com/a-long-path")


def test_a_probability_is_shown_in_percent() -> None:
    assert percent(0.934) == "93%"
