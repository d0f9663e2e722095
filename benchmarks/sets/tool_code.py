"""Reads sets whose tools are described in Python: WorkBench and API-Bank."""

import ast
import re
from pathlib import Path
from typing import Final

from benchmarks.sets.files import csv_rows, json_lines
from benchmarks.sets.labelled_set import LabelledSet, SetBuilder

_CONDITION: Final = re.compile(r"(?i)otherwise|if not|if so|^if ")
_A_TEMPLATE: Final = 2
"""Most requests of WorkBench that are made from one template and need the same tools."""
_PLUMBING: Final = frozenset(("GetUserToken", "CheckToken", "ToolSearcher"))
_MIN_WORDS: Final = 6
"""Words of the shortest opening message of API-Bank that is used; shorter ones only greet."""


def workbench(root: Path) -> LabelledSet:
    """Read the tools of WorkBench and its requests; the tools that act are right, not the searches before."""
    collected = SetBuilder("workbench")
    for path in sorted((root / "src/tools").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and (name := _tool_name(node)):
                summary = (ast.get_docstring(node) or "").split("\n\n")[0]
                collected.label(name, summary, server=name.split(".")[0])
    seen: dict[tuple[str, ...], int] = {}
    for path in sorted((root / "data/processed/queries_and_answers").glob("*.csv")):
        for row in csv_rows(path):
            names = re.findall(r"(\w+\.\w+)\.func", row["answer"])
            kind = (row["chosen_template"], *names)
            if names and not _CONDITION.search(row["query"]) and seen.get(kind, 0) < _A_TEMPLATE:
                seen[kind] = seen.get(kind, 0) + 1
                collected.query(row["query"], names)
    return collected.build()


def _tool_name(node: ast.FunctionDef) -> str:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and decorator.args and isinstance(decorator.args[0], ast.Constant):
            return str(decorator.args[0].value)
    return ""


def apibank(root: Path) -> LabelledSet:
    """Read the APIs of API-Bank, and the opening messages of dialogs that need one of them."""
    collected = SetBuilder("apibank")
    for row in csv_rows(root / "api-bank/data/all_apis.csv"):
        described = re.search(r"description = ['\"](.*?)['\"]\s*\n", row["api_info"], re.DOTALL)
        if row["类名"] and described and row["类名"] != "ToolSearcher":
            collected.label(row["类名"], described[1])
    for path in sorted((root / "api-bank/lv1-lv2-samples").glob("*/*.jsonl")):
        turns = json_lines(path)
        names = {turn["api_name"] for turn in turns if turn["role"] == "API"} - _PLUMBING
        opening = next((turn["text"] for turn in turns if turn["role"] == "User"), "")
        if len(names) == 1 and len(opening.split()) >= _MIN_WORDS:
            collected.query(opening, names)
    return collected.build()
