"""BFCL and ACEBench are read as one pool of functions."""

import json
from pathlib import Path
from typing import Any

from benchmarks.sets.function_calls import acebench, bfcl

BFCL = "berkeley-function-call-leaderboard/bfcl_eval/data"
ACE = "data_all/data_en"


def function(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "description": description, "parameters": {"properties": {"x": {"description": "a number"}}}}


BAKE, BREW = function("bake.bread", "Bake a loaf of bread."), function("brew_tea", "Make a pot of tea.")
BAKE_TOO = function("bread_bake", "Bake a loaf of bread")


def row(number: int, text: str, *functions: dict[str, Any]) -> dict[str, Any]:
    return {"id": number, "question": [[{"role": "user", "content": text}]], "function": list(functions)}


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(each) for each in rows), encoding="utf-8")


def write_bfcl(root: Path, rows: list[dict[str, Any]], right: list[str]) -> None:
    for part in ("simple_python", "multiple", "parallel", "parallel_multiple"):
        used = part == "multiple"
        answers = [{"id": each["id"], "ground_truth": [{name: {}}]} for each, name in zip(rows, right, strict=True)]
        write(root / BFCL / f"BFCL_v4_{part}.json", rows if used else [])
        write(root / BFCL / f"possible_answer/BFCL_v4_{part}.json", answers if used else [])


def test_functions_of_all_requests_make_one_catalog(tmp_path: Path) -> None:
    write_bfcl(
        tmp_path, [row(1, "a loaf please", BAKE), row(2, "I am thirsty", BAKE, BREW)], ["bake.bread", "brew_tea"]
    )
    read = bfcl(tmp_path)
    assert [label.name for label in read.labels] == ["bake.bread", "brew_tea"]
    assert [(query.query, query.gold) for query in read.queries] == [
        ("a loaf please", ("bake.bread",)),
        ("I am thirsty", ("brew_tea",)),
    ]


def test_parameters_are_read_as_a_field(tmp_path: Path) -> None:
    write_bfcl(tmp_path, [row(1, "a loaf please", BAKE)], ["bake.bread"])
    assert bfcl(tmp_path).labels[0].fields == {"parameters": ("x a number",)}


def test_a_function_that_does_the_same_is_right_too(tmp_path: Path) -> None:
    write_bfcl(tmp_path, [row(1, "a loaf please", BAKE), row(2, "bread", BAKE_TOO)], ["bake.bread", "bread_bake"])
    assert bfcl(tmp_path).queries[0].gold == ("bake.bread", "bread_bake")


def test_functions_offered_together_are_not_the_same(tmp_path: Path) -> None:
    write_bfcl(tmp_path, [row(1, "a loaf please", BAKE, BAKE_TOO)], ["bake.bread"])
    assert bfcl(tmp_path).queries[0].gold == ("bake.bread",)


def test_a_request_whose_function_was_not_offered_is_left_out(tmp_path: Path) -> None:
    write_bfcl(tmp_path, [row(1, "a loaf please", BAKE)], ["brew_tea"])
    assert bfcl(tmp_path).queries == ()


def test_dialogs_of_acebench_are_left_out_and_numbered_calls_are_one_function(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "question": "user: two loaves\n", "function": [BAKE]},
        {"id": 2, "question": "user: bread\nsystem: which?\nuser: rye\n", "function": [BAKE]},
    ]
    write(tmp_path / ACE / "data_normal_one.json", rows)
    answers = [{"id": each["id"], "ground_truth": {"bake.bread_1": {}, "bake.bread_2": {}}} for each in rows]
    write(tmp_path / ACE / "possible_answer/data_normal_one.json", answers)
    assert [(query.query, query.gold) for query in acebench(tmp_path).queries] == [("two loaves", ("bake.bread",))]
