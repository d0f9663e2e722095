import json
from pathlib import Path
from typing import Any

import pytest

from server.errors import CallerError
from server.evals.prompts import ExpectedCall, Value, read_suite

RIGHT: dict[str, Any] = {"input": "does it undo", "expectedTool": "lookup_capability"}
SCENARIO: dict[str, Any] = {"name": "Cite", "input": "cite it all", "calls": [1, 2]}


def write(folder: Path, value: Any) -> Path:
    path = folder / "prompts.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(CallerError) as caught:
        read_suite(path)
    return str(caught.value)


def test_a_prompt_is_read_and_its_expected_call_comes_first(tmp_path: Path) -> None:
    args: dict[str, Value] = {"agent": "claude-code", "capability": "MCP Support"}
    (prompt,) = read_suite(write(tmp_path, {"prompts": [RIGHT | {"expectedArgs": args}]})).prompts
    assert prompt.input == "does it undo"
    assert prompt.right_calls == (ExpectedCall(tool="lookup_capability", args=args),)
    others = [{"tool": "list_capabilities", "args": {"agent": "claude-code"}}, {"tool": None}]
    (prompt,) = read_suite(write(tmp_path, {"prompts": [RIGHT | {"alternatives": others}]})).prompts
    assert [expected.tool for expected in prompt.right_calls] == ["lookup_capability", "list_capabilities", None]


def test_a_missing_stratum_is_all_and_unknown_fields_are_passed_over(tmp_path: Path) -> None:
    assert read_suite(write(tmp_path, {"prompts": [RIGHT]})).prompts[0].stratum == "all"
    suite = read_suite(write(tmp_path, {"prompts": [RIGHT | {"note": 1}], "author": "someone"}))
    assert suite.inputs == ["does it undo"]


def test_the_inputs_are_those_of_the_prompts_then_of_the_scenarios(tmp_path: Path) -> None:
    path = write(tmp_path, {"scenarios": [SCENARIO], "prompts": [RIGHT, RIGHT | {"input": "second"}]})
    assert read_suite(path).inputs == ["does it undo", "second", "cite it all"]


def test_a_wrong_shape_is_refused_with_the_place_and_the_value(tmp_path: Path) -> None:
    cases: list[tuple[Any, str]] = [
        ({}, "prompts is"),
        ({"prompts": []}, "prompts is []"),
        ([RIGHT], "prompts.json' is ["),
        ({"prompts": ["does it undo"]}, "prompts.0 is 'does it undo'"),
        ({"prompts": [RIGHT, {"input": "no tool"}]}, "prompts.1.expectedTool is"),
        ({"prompts": [{"expectedTool": None}]}, "prompts.0.input is"),
        ({"prompts": [RIGHT | {"input": " \n"}]}, r"prompts.0.input is ' \n'"),
        ({"prompts": [RIGHT | {"expectedTool": 3}]}, "prompts.0.expectedTool is 3"),
        ({"prompts": [RIGHT | {"expectedArgs": ["claude"]}]}, "prompts.0.expectedArgs is ['claude']"),
        (
            {"prompts": [RIGHT | {"expectedArgs": {"agent": 7}}]},
            "value error, agent must be a string",
        ),
        ({"prompts": [RIGHT | {"expectedArgs": {"agent": ["a"]}}]}, "agent must not be a list"),
        ({"prompts": [RIGHT | {"expectedArgs": {"top": "5"}}]}, "top must be a number"),
        ({"prompts": [RIGHT | {"settles": [" "]}]}, "prompts.0.settles.0 is ' '"),
        ({"prompts": [RIGHT | {"alternatives": [{"args": {}}]}]}, "prompts.0.alternatives.0.tool is"),
        ({"prompts": [RIGHT], "scenarios": [SCENARIO | {"calls": [1]}]}, "scenarios.0.calls"),
        ({"prompts": [RIGHT], "scenarios": [SCENARIO | {"calls": [-1, 2]}]}, "scenarios.0.calls.0 is -1"),
    ]
    for value, where in cases:
        path = write(tmp_path, value)
        message = refusal(path)
        assert str(path) in message, value
        assert where in message, value


def test_a_value_of_a_wrong_form_is_refused(tmp_path: Path) -> None:
    assert r"'\s'" not in refusal(write(tmp_path, {"prompts": [RIGHT | {"input": " "}]}))
    assert "calls" in refusal(write(tmp_path, {"prompts": [RIGHT], "scenarios": [SCENARIO | {"calls": [5, 1]}]}))


def test_agents_that_are_no_list_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, {"prompts": [RIGHT | {"expectedArgs": {"agents": "claude-code"}}]})
    assert "prompts.0.expectedArgs" in refusal(path)


def test_an_input_that_stands_twice_is_refused(tmp_path: Path) -> None:
    cases: list[Any] = [{"prompts": [RIGHT, RIGHT]}, {"prompts": [RIGHT], "scenarios": [SCENARIO | RIGHT]}]
    for twice in cases:
        assert "have the input 'does it undo' twice" in refusal(write(tmp_path, twice)), twice


def test_a_file_that_is_no_json_or_not_there_is_refused(tmp_path: Path) -> None:
    for text in ["", "{", "[" * 100_000]:
        assert "they are UTF-8 JSON with a list 'prompts'" in refusal(write(tmp_path, text)), text
    path = tmp_path / "prompts.json"
    path.write_bytes(b'{"prompts": "\xff"}')
    assert "cannot be read" in refusal(path)
    assert "missing.json" in refusal(tmp_path / "missing.json")
