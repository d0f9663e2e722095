"""Tools are read from specifications and lists in JSON."""

import json
from pathlib import Path
from typing import Any

from benchmarks.sets.tool_lists import nestful, restbench_tmdb, toolalpaca


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_a_request_of_nestful_needs_all_tools_that_are_called(tmp_path: Path) -> None:
    for part in ("executable/executable", "non-executable/non-executable-glaive", "non-executable/non-executable-sgd"):
        write(tmp_path / f"data/{part}-spec.json", [])
        write(tmp_path / f"data/{part}-data.json", [])
    tools = [{"name": name, "description": "", "parameters": {"n": {"description": "a"}}} for name in ("Boil", "Pour")]
    calls = [{"name": "Boil"}, {"name": "Pour"}, {"name": "var_result"}]
    write(tmp_path / "data/executable/executable-spec.json", tools)
    write(tmp_path / "data/executable/executable-data.json", [{"input": "make tea", "output": calls}])
    assert nestful(tmp_path).queries[0].gold == ("Boil", "Pour")


def alpaca(root: Path, calls: list[str]) -> None:
    api = {
        "Name": "Kitchen",
        "Function_Description": {
            "boil": 'Heats water.\nParameters: {"degrees": "how hot"}\nOutput: ok',
            "components": "",
        },
        "Instructions": ["I want something hot"],
        "Golden_Answers": [[{"Action": name} for name in calls]],
    }
    write(root / "data/eval_simulated.json", [api])
    write(root / "data/eval_real.json", [])


def test_descriptions_of_toolalpaca_end_before_the_parameters(tmp_path: Path) -> None:
    alpaca(tmp_path, ["boil"])
    (label,) = toolalpaca(tmp_path).labels
    assert label.description == "Heats water."
    assert label.fields == {"parameters": ("degrees how hot",), "server": ("Kitchen",)}


def test_a_request_that_calls_an_unknown_tool_is_left_out(tmp_path: Path) -> None:
    alpaca(tmp_path, ["boil", "getDetails"])
    assert toolalpaca(tmp_path).queries == ()


def test_endpoints_are_labels(tmp_path: Path) -> None:
    operation = {"summary": "Get film", "description": "Reads <b>one</b> film.", "parameters": [{"name": "id"}]}
    write(tmp_path / "specs/tmdb_oas.json", {"paths": {"/film/{id}": {"get": operation, "servers": {}}}})
    write(tmp_path / "datasets/tmdb.json", [{"query": "what is Alien about", "solution": ["GET /film/{id}"]}])
    read = restbench_tmdb(tmp_path)
    assert [(label.name, label.description) for label in read.labels] == [
        ("GET /film/{id}", "Get film. Reads one film.")
    ]
    assert read.queries[0].gold == ("GET /film/{id}",)
