"""Reads the files of checkouts."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def json_file(path: Path) -> Any:
    """Read a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def json_lines(path: Path) -> list[Any]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def csv_rows(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file with a header."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def described(properties: Any) -> dict[str, str]:
    """Names and descriptions of the properties of a JSON schema, or of parameters that are alike."""
    pairs = (properties or {}).items()
    return {name: str(value.get("description", "")) if isinstance(value, dict) else "" for name, value in pairs}
