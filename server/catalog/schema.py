"""The JSON schema of an agent's file, generated from the models: `python -m server.catalog.schema` writes it."""

import json
from pathlib import Path
from typing import Any, Final

from embeddings.files import write_atomically
from server.catalog.models import AgentFile
from server.paths import shipped_data
from server.schema import wire_schema

SCHEMA_FILE: Final = "capability-schema.json"


def capability_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of `agents/<agent>/capabilities/current.json`."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "description": "What one AI coding agent offers for each canonical capability",
    }
    return head | wire_schema(AgentFile)


def write_schema(folder: Path) -> Path:
    """Write the schema into a data folder."""
    path = folder / SCHEMA_FILE
    write_atomically(path, (json.dumps(capability_schema(), indent=2) + "\n").encode())
    return path


if __name__ == "__main__":
    print(write_schema(shipped_data()))
