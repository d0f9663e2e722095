from dataclasses import replace

import pytest

from server.preflight.formats import to_text
from tests.server.preflight.found import ALL, CONFUSABLE, REFUSED, THIN, accepting, outcome

LONG = "a_name_without_spaces_" * 9


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def test_the_gravest_findings_come_first() -> None:
    lines = to_text(outcome(THIN, CONFUSABLE, REFUSED)).splitlines()
    assert [line for line in lines if line and not line.startswith(" ")] == [
        "1 error",
        "1 warning",
        "1 note",
        "2 labels asked for with 5 phrases: 1 error, 1 warning, 1 note",
    ]


def test_a_finding_has_its_rule_its_line_what_is_the_matter_and_below_it_what_to_do() -> None:
    _, first, second, *_ = to_text(outcome(THIN)).splitlines()
    assert first == "  thin         line 3  'Shipping' says too little to be told from other labels"
    assert second == "                         add a description"


def test_no_line_has_over_80_columns() -> None:
    long = replace(CONFUSABLE, label=LONG, other=LONG, phrase=LONG, suggestion=f"{LONG} {'word ' * 40}")
    lines = to_text(outcome(*ALL, long)).splitlines()
    assert max(map(len, lines)) == 80
    assert "".join(line.strip() for line in lines).count("name_without") >= 20


def test_a_narrow_terminal_gets_narrow_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    assert max(map(len, to_text(outcome(*ALL)).splitlines())) <= 50


def test_without_a_file_there_are_no_lines() -> None:
    assert "line " not in to_text(outcome(*ALL, path=""))


def test_nothing_found_is_said_in_one_line() -> None:
    assert to_text(outcome(path="")) == "2 labels asked for with 5 phrases: nothing found"


def test_accepted_findings_are_counted_only() -> None:
    text = to_text(outcome(*ALL, baseline=accepting(*ALL)))
    assert text.splitlines() == ["2 labels asked for with 5 phrases: nothing found, 3 accepted"]


def test_a_label_cannot_write_to_the_terminal() -> None:
    bad = replace(THIN, label="\x1b[31m", suggestion="\x1b]0;title\x07")
    assert "\x1b" not in to_text(outcome(bad))
