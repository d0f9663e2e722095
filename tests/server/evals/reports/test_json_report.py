import json
from dataclasses import replace

from server.evals.reports import to_json
from server.evals.results import Results
from tests.server.evals.made_results import CALL, made, result

METRICS = ["invocationAccuracy", "argumentAccuracy", "retryRate", "tokenRatio"]
MORE = ["reached", "settled", "steps", "tokens"]


def test_it_has_the_metrics_of_all_and_of_each_stratum() -> None:
    value = to_json("some model", made())
    assert list(value)[:8] == [*METRICS, *MORE]
    assert [value[name] for name in MORE] == [2 / 3, 1 / 2, 4 / 3, 200 / 4]
    assert [value[name] for name in METRICS] == [3 / 4, 1 / 3, 1 / 4, 200 / 400]
    assert (value["prompts"], value["model"]) == (4, "some model")
    assert to_json("m", made())["strata"] == {
        "named": dict(zip([*METRICS, *MORE], (1.0, 0.5, 0.5, 150 / 200, 1.0, 0.5, 1.5, 75), strict=True))
        | {"prompts": 2},
        "vague": dict(zip([*METRICS, *MORE], (0.5, 0.0, 0.0, 50 / 200, 0.0, None, 1.0, 25), strict=True))
        | {"prompts": 2},
    }


def test_it_can_be_written_and_is_the_same_each_time() -> None:
    assert json.dumps(to_json("m", made())) == json.dumps(to_json("m", made()))


def test_metrics_over_nothing_are_null() -> None:
    value = to_json("m", Results([], [], []))
    assert [value[name] for name in (*METRICS, *MORE)] == [None] * 8


def test_it_has_confusion_scenarios_options_and_what_is_not_settled() -> None:
    assert to_json("m", made())["unsettled"] == [{"input": "half right", "settles": ["sees pictures"]}]
    assert "start" not in to_json("m", made())
    assert to_json("m", replace(made(), start="--wire full"))["start"] == "--wire full"
    assert to_json("m", made())["confusion"] == [
        {"expected": "lookup_capability", "called": "list_capabilities", "prompts": 1},
        {"expected": "lookup_capability", "called": "lookup_capability", "prompts": 2},
        {"expected": "no call", "called": "no call", "prompts": 1},
    ]
    assert to_json("m", made())["scenarios"] == [
        {"name": "tour", "calls": 3, "expected": [1, 2], "within": False},
        {"name": "visit", "calls": 1, "expected": [1, 1], "within": True},
    ]
    assert to_json("m", made())["missing"] == ["never asked"]


def test_it_has_every_miss_with_its_transcript() -> None:
    wrong, half = to_json("m", made())["misses"]
    assert (wrong["input"], half["input"]) == ("wrong", "half right")
    assert wrong["stratum"] == "vague"
    assert wrong["expected"] == [
        {"tool": "lookup_capability", "args": {"agent": "claude-code", "capability": "Vision"}}
    ]
    assert wrong["calls"] == [{"tool": "list_capabilities", "arguments": {"agent": "claude-code"}}]
    assert wrong["understood"] == {"agent": "claude-code"}
    assert "unknown agent" in json.dumps(to_json("m", made())["misses"])


def test_it_has_every_miss_however_many_there_are() -> None:
    missed = [result(f"prompt {number}", CALL, right_arguments=False) for number in range(30)]
    assert len(to_json("m", Results(missed, [], []))["misses"]) == 30
