from dataclasses import replace

import pytest

from server.evals.reports import MISSES_SHOWN, to_text
from server.evals.results import Results
from tests.server.evals.made_results import CALL, made, result


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are not cut by the terminal that the tests run in."""
    monkeypatch.setenv("COLUMNS", "120")


def row(text: str, name: str) -> list[str]:
    (cells,) = [line.split() for line in text.splitlines() if line.split()[:1] == [name]]
    return cells[1:]


def test_it_has_a_row_for_all_and_one_for_each_stratum() -> None:
    text = to_text("some model", made())
    assert text.startswith("some model\n")
    assert row(text, "all") == ["4", "75.0%", "33.3%", "25.0%", "50.0%", "66.7%", "50.0%", "1.3", "50"]
    assert row(text, "named") == ["2", "100.0%", "50.0%", "50.0%", "75.0%", "100.0%", "50.0%", "1.5", "75"]
    assert row(text, "vague") == ["2", "50.0%", "0.0%", "0.0%", "25.0%", "0.0%", "-", "1.0", "25"]
    assert row(to_text("m", Results([], [], [])), "all") == ["0", *"-" * 8]


def test_it_has_confusion_scenarios_options_and_what_is_missing_or_not_settled() -> None:
    assert "1 prompts were not settled by an answer, the first: 'half right'" in to_text("m", made()).splitlines()
    assert to_text("m", replace(made(), start="--dynamic-tools")).splitlines()[0] == "m, --dynamic-tools"
    lines = [" ".join(line.split()) for line in to_text("m", made()).splitlines()]
    assert "lookup_capability list_capabilities 1" in lines
    assert "no call no call 1" in lines
    assert "tour 3 1 to 2 no" in lines
    assert "visit 1 1 to 1 yes" in lines
    assert "1 prompts were not recorded and are not counted." in lines


def test_a_miss_says_what_was_asked_expected_and_called_and_why_it_failed() -> None:
    lines = [" ".join(line.split()) for line in to_text("m", made()).splitlines()]
    at = lines.index("asked: wrong")
    assert lines[at + 1 : at + 3] == [
        "expected: lookup_capability(agent='claude-code', capability='Vision')",
        "called: list_capabilities(agent='claude-code')",
    ]
    assert "unknown agent" in to_text("m", made())
    failed = result("asked", right_tool=False, right_arguments=False, ending="failed", error="429 too many requests")
    assert "429 too many requests" in to_text("m", Results([failed], [], []))


def test_it_shows_the_first_misses_only() -> None:
    missed = [result(f"prompt {number}", CALL, right_arguments=False) for number in range(MISSES_SHOWN + 1)]
    results = Results([*missed, result("worst", CALL, right_tool=False, right_arguments=False)], [], [])
    assert to_text("m", results).count("asked:") == MISSES_SHOWN
    assert "worst" in to_text("m", results)
