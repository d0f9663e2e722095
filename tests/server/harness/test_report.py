import json

import pytest

from server.harness.recording import Call
from server.harness.report import WORST_SHOWN, call_text, share, to_json, to_text
from server.harness.scores import Scores
from tests.server.harness.made_scores import CALL, judged, made

FIGURES = ["invocationAccuracy", "argumentAccuracy", "retryRate", "tokenRatio"]


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are not cut by the terminal that the tests run in."""
    monkeypatch.setenv("COLUMNS", "120")


def row(text: str, name: str) -> list[str]:
    (cells,) = [line.split() for line in text.splitlines() if line.split()[:1] == [name]]
    return cells[1:]


def test_json_begins_with_the_four_figures() -> None:
    value = to_json("some model", made())
    assert list(value)[:4] == FIGURES
    assert [value[name] for name in FIGURES] == [3 / 4, 1 / 3, 1 / 4, 200 / 400]
    assert (value["prompts"], value["model"]) == (4, "some model")


def test_json_can_be_written_and_is_the_same_each_time() -> None:
    assert json.dumps(to_json("m", made())) == json.dumps(to_json("m", made()))


def test_json_has_the_figures_of_each_stratum() -> None:
    assert to_json("m", made())["strata"] == {
        "named": dict(zip(FIGURES, (1.0, 0.5, 0.5, 150 / 200), strict=True)) | {"prompts": 2},
        "vague": dict(zip(FIGURES, (0.5, 0.0, 0.0, 50 / 200), strict=True)) | {"prompts": 2},
    }


def test_json_figures_that_there_are_not_are_null() -> None:
    value = to_json("m", Scores([], [], []))
    assert [value[name] for name in FIGURES] == [None] * 4


def test_json_has_the_confusion_of_tools() -> None:
    assert to_json("m", made())["confusion"] == [
        {"expected": "lookup_capability", "called": "list_capabilities", "prompts": 1},
        {"expected": "lookup_capability", "called": "lookup_capability", "prompts": 2},
        {"expected": "no call", "called": "no call", "prompts": 1},
    ]


def test_json_has_the_scenarios_with_their_ranges() -> None:
    assert to_json("m", made())["scenarios"] == [
        {"name": "tour", "calls": 3, "expected": [1, 2], "within": False},
        {"name": "visit", "calls": 1, "expected": [1, 1], "within": True},
    ]


def test_json_has_every_miss_with_what_was_expected_called_and_understood() -> None:
    wrong, half = to_json("m", made())["misses"]
    assert (wrong["input"], half["input"]) == ("wrong", "half right")
    assert wrong["stratum"] == "vague"
    assert wrong["expected"] == [
        {"tool": "lookup_capability", "args": {"agent": "claude-code", "capability": "Vision"}}
    ]
    assert wrong["calls"] == [{"tool": "list_capabilities", "arguments": {"agent": "claude-code"}}]
    assert wrong["understood"] == {"agent": "claude-code"}


def test_json_names_what_was_not_recorded() -> None:
    assert to_json("m", made())["missing"] == ["never asked"]


def test_json_misses_have_their_transcripts() -> None:
    assert "unknown agent" in json.dumps(to_json("m", made())["misses"])


def test_text_has_a_row_for_all_and_one_for_each_stratum() -> None:
    text = to_text("some model", made())
    assert text.startswith("some model\n")
    assert row(text, "all") == ["4", "75.0%", "33.3%", "25.0%", "50.0%"]
    assert row(text, "named") == ["2", "100.0%", "50.0%", "50.0%", "75.0%"]
    assert row(text, "vague") == ["2", "50.0%", "0.0%", "0.0%", "25.0%"]


def test_text_shows_a_dash_for_figures_that_there_are_not() -> None:
    assert row(to_text("m", Scores([], [], [])), "all") == ["0", "-", "-", "-", "-"]


def test_text_has_confusion_scenarios_and_the_number_of_the_missing() -> None:
    lines = [" ".join(line.split()) for line in to_text("m", made()).splitlines()]
    assert "lookup_capability list_capabilities 1" in lines
    assert "no call no call 1" in lines
    assert "tour 3 1 to 2 no" in lines
    assert "visit 1 1 to 1 yes" in lines
    assert "1 prompts were not recorded and are not counted." in lines


def test_text_says_of_a_miss_what_was_asked_expected_and_called() -> None:
    lines = [" ".join(line.split()) for line in to_text("m", made()).splitlines()]
    at = lines.index("asked: wrong")
    assert lines[at + 1 : at + 3] == [
        "expected: lookup_capability(agent='claude-code', capability='Vision')",
        "called: list_capabilities(agent='claude-code')",
    ]


def test_text_shows_the_transcript_of_a_miss() -> None:
    assert "unknown agent" in to_text("m", made())


def test_text_says_why_a_prompt_failed() -> None:
    failed = judged("asked", invoked=False, resolved=False, ending="failed", error="429 too many requests")
    assert "429 too many requests" in to_text("m", Scores([failed], [], []))


def test_text_shows_the_worst_misses_and_json_all() -> None:
    missed = [judged(f"prompt {number}", CALL, resolved=False) for number in range(WORST_SHOWN + 1)]
    scores = Scores([*missed, judged("worst", CALL, invoked=False, resolved=False)], [], [])
    assert to_text("m", scores).count("asked:") == WORST_SHOWN
    assert "worst" in to_text("m", scores)
    assert len(to_json("m", scores)["misses"]) == WORST_SHOWN + 2


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (Call(tool="t", arguments={}), "t"),
        (Call(tool="t", arguments={"a": "x", "b": [1]}), "t(a='x', b=[1])"),
        (Call(tool="t", arguments="{broken"), "t('{broken')"),
        (Call(tool="t", arguments=None), "t(None)"),
    ],
)
def test_a_call_is_shown_with_whatever_it_was_called_with(call: Call, text: str) -> None:
    assert call_text(call.tool, call.arguments) == text


@pytest.mark.parametrize(("value", "text"), [(None, "-"), (0.0, "0.0%"), (2 / 3, "66.7%"), (1.0, "100.0%")])
def test_a_share_is_shown_to_a_tenth_of_a_percent(value: float | None, text: str) -> None:
    assert share(value) == text
