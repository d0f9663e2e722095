"""Reads sets of tools in JSON: NESTFUL, ToolAlpaca, RestBench."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks.sets.files import described, json_file
from benchmarks.sets.labelled_set import LabelledSet, SetBuilder, one_line

_METHODS: Final = frozenset(("get", "post", "put", "delete", "patch"))


def nestful(root: Path) -> LabelledSet:
    """Read the tools of NESTFUL, and requests that need several of them."""
    collected = SetBuilder("nestful")
    parts = ("executable/executable", "non-executable/non-executable-glaive", "non-executable/non-executable-sgd")
    for part in parts:
        for tool in json_file(root / "data" / f"{part}-spec.json"):
            parameters = tool.get("query_parameters") or tool.get("arguments") or tool.get("parameters")
            collected.label(tool["name"], tool["description"], parameters=described(parameters))
    for part in parts:
        for row in json_file(root / "data" / f"{part}-data.json"):
            names = [call["name"] for call in row["output"] if call["name"] != "var_result"]
            if names:
                collected.query(row["input"], names)
    return collected.build()


def toolalpaca(root: Path) -> LabelledSet:
    """Read the tools of ToolAlpaca's evaluation, simulated and real."""
    collected = SetBuilder("toolalpaca")
    for part in ("eval_simulated", "eval_real"):
        for api in json_file(root / "data" / f"{part}.json"):
            names = _tools_of(api, collected)
            for text, calls in zip(api["Instructions"], api["Golden_Answers"], strict=True):
                wanted = [call["Action"] for call in calls]
                if wanted and all(name in names for name in wanted):
                    collected.query(text, [names[name] for name in wanted])
    return collected.build()


def _tools_of(api: Mapping[str, Any], collected: SetBuilder) -> dict[str, str]:
    return {
        name: collected.label(
            name,
            text.split("\nParameters:")[0],
            parameters=parameters_of(text),
            server=api["Name"],
        )
        for name, text in (api.get("Function_Description") or {}).items()
        if name != "components"
    }


def parameters_of(text: str) -> dict[str, object]:
    """Return the parameters in a description of ToolAlpaca: name to description."""
    found = re.search(r"\nParameters: (\{.*?\})\n", text + "\n")
    try:
        parameters: dict[str, object] = json.loads(found[1]) if found else {}
    except ValueError:
        return {}
    return parameters


def restbench_tmdb(root: Path) -> LabelledSet:
    """Read the part of RestBench about films."""
    return _restbench(root, "tmdb")


def restbench_spotify(root: Path) -> LabelledSet:
    """Read the part of RestBench about music."""
    return _restbench(root, "spotify")


def _restbench(root: Path, name: str) -> LabelledSet:
    collected = SetBuilder(f"restbench-{name}")
    for path, methods in json_file(root / f"specs/{name}_oas.json")["paths"].items():
        for method, operation in methods.items():
            if method in _METHODS:
                _endpoint(collected, f"{method.upper()} {path}", operation)
    for row in json_file(root / f"datasets/{name}.json"):
        collected.query(row["query"], row["solution"])
    return collected.build()


def _endpoint(collected: SetBuilder, name: str, operation: Mapping[str, Any]) -> None:
    summary, text = operation.get("summary") or "", _plain(operation.get("description") or "")
    collected.label(
        name,
        one_line(text if summary in text else f"{summary}. {text}")[:400],
        parameters={
            parameter["name"]: _plain(parameter.get("description") or "")[:200]
            for parameter in operation.get("parameters", [])
            if parameter.get("name")
        },
    )


def _plain(text: str) -> str:
    return re.sub(r"<[^>]+>|\*\*", " ", text)
