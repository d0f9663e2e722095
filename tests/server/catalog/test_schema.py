import json
from pathlib import Path

import jsonschema
import pytest

from server.catalog.schema import capability_schema, write_schema
from tests.toy import AGENT_FILES, entry


def test_the_schema_is_valid_json_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(capability_schema())


def test_a_good_file_fits_the_schema(subtests: pytest.Subtests) -> None:
    for agent in sorted(AGENT_FILES):
        with subtests.test(agent=agent):
            jsonschema.validate(AGENT_FILES[agent], capability_schema())


def test_a_bad_entry_does_not_fit_the_schema(subtests: pytest.Subtests) -> None:
    cases: list[dict[str, object]] = [{"tier": "gold"}, {"available": "yes"}, {"sources": [{"url": "ftp://x"}]}]
    for change in cases:
        with subtests.test(change=change):
            file = {"agent": {"name": "A"}, "capabilities": [entry("Vision", "b") | change]}
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(file, capability_schema())


def test_the_written_file_is_the_schema(tmp_path: Path) -> None:
    path = write_schema(tmp_path)
    assert path == tmp_path / "capability-schema.json"
    assert path.read_text(encoding="utf-8") == json.dumps(capability_schema(), indent=2) + "\n"
