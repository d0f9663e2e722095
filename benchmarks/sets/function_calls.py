"""Reads sets of single requests, each with the functions that it was offered: BFCL and ACEBench, pooled."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from benchmarks.sets.files import described, json_lines
from benchmarks.sets.labelled_set import LabelledSet, SetBuilder
from benchmarks.sets.twins import with_twins

_BFCL: Final = "berkeley-function-call-leaderboard/bfcl_eval/data"
_ACE: Final = "data_all/data_en"
_PLAIN: Final = ("simple_python", "multiple", "parallel", "parallel_multiple")
_LIVE: Final = ("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple")


def bfcl(root: Path) -> LabelledSet:
    """Read the functions and requests of BFCL that its authors wrote."""
    return _bfcl(root, "bfcl", _PLAIN)


def bfcl_live(root: Path) -> LabelledSet:
    """Read those that users of the leaderboard sent."""
    return _bfcl(root, "bfcl-live", _LIVE)


def _bfcl(root: Path, name: str, parts: Iterable[str]) -> LabelledSet:
    rows = []
    for part in parts:
        right = {
            row["id"]: row["ground_truth"] for row in json_lines(root / _BFCL / f"possible_answer/BFCL_v4_{part}.json")
        }
        for row in json_lines(root / _BFCL / f"BFCL_v4_{part}.json"):
            asked = [message["content"] for turn in row["question"] for message in turn if message["role"] == "user"]
            # Requests in other writing systems are few, and the model does not read them.
            if len(asked) == 1 and sum(ord(letter) > 127 for letter in asked[0]) <= 0.15 * len(asked[0]):
                rows.append((asked[0], row["function"], [function for call in right[row["id"]] for function in call]))
    return _pooled(name, rows)


def acebench(root: Path) -> LabelledSet:
    """Read the English requests of ACEBench that are one message long."""
    rows = []
    for path in sorted((root / _ACE).glob("data_normal_*.json")):
        right = {row["id"]: row["ground_truth"] for row in json_lines(path.parent / "possible_answer" / path.name)}
        for row in json_lines(path):
            calls = right.get(row["id"], [])
            offered = {function.get("name") for function in row["function"]}
            if len(re.findall(r"(?m)^(?:user|system):", row["question"])) == 1:
                listed = calls if isinstance(calls, list) else [calls]
                # A second call of a function has a number behind its name.
                named = [name if name in offered else re.sub(r"_\d+$", "", name) for call in listed for name in call]
                rows.append((row["question"].removeprefix("user: "), row["function"], named))
    return _pooled("acebench", rows)


def _pooled(name: str, rows: list[tuple[str, list[Any], list[str]]]) -> LabelledSet:
    collected, apart = SetBuilder(name), []
    for text, functions, right in rows:
        offered = {}
        for function in functions:
            if function.get("name") and function.get("description"):
                schema = function.get("parameters") or function.get("arguments") or {}
                offered[function["name"]] = collected.label(
                    function["name"], function["description"], parameters=described(schema.get("properties"))
                )
        apart.append(frozenset(offered.values()))
        if right and all(called in offered for called in right):
            collected.query(text, [offered[called] for called in right])
    return with_twins(collected.build(), apart)
