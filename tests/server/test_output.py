import os

import pytest

from server.output import paragraph, percent, table, wrapped


def test_columns_are_aligned_and_lines_have_no_tail() -> None:
    assert table(["a", "b"], [["long", "x"], ["s", ""]]) == "a     b\nlong  x\ns"


LONG = "one two three four five six seven eight nine ten"


def test_the_last_column_wraps_within_the_width_and_loses_no_word(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    for columns in [40, 80, 200]:
        with subtests.test(columns=columns):
            monkeypatch.setenv("COLUMNS", str(columns))
            lines = table(["name", "setup"], [["x" * 12, LONG * 5], ["y", "z"]]).splitlines()
            assert max(map(len, lines)) <= columns
            assert " ".join(line[14:] for line in lines[1:-1]) == LONG * 5
            assert lines[-1] == "y" + " " * 13 + "z"


def test_a_row_is_one_line_where_the_output_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert table(["a", "b"], [["x", LONG * 10]]).splitlines()[1] == f"x  {LONG * 10}"


def test_a_terminal_is_as_wide_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("shutil.get_terminal_size", lambda _: os.terminal_size((30, 24)))
    assert max(map(len, table(["a", "b"], [["x", LONG]]).splitlines()[1:])) <= 30


def test_an_address_in_a_table_is_whole_at_any_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    address = "https://example.com/a-long-path-that-goes-on#and-on"
    assert address in table(["agent", "page"], [["claude-code", address]])


def test_a_column_that_is_empty_in_every_row_is_left_out() -> None:
    assert table(["a", "b", "c"], [["x", "", "z"], ["y", "", ""]]) == "a  c\nx  z\ny"


def test_a_table_without_rows_keeps_its_head() -> None:
    assert table(["a", "b"], []) == "a  b"


def test_a_table_of_empty_rows_keeps_a_column() -> None:
    assert table(["a", "b"], [["", ""]]) == "a\n"


def test_running_text_is_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert wrapped("one two three four five") == "one two three four\nfive"


def test_a_paragraph_is_wrapped_under_its_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert paragraph("what", "one two three four five") == "what:         one two three\n              four five"


def test_an_address_is_never_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert "https://example.com/a-long-path" in paragraph("source", "https://example.com/a-long-path")


def test_a_probability_is_shown_in_percent() -> None:
    assert percent(0.934) == "93%"
