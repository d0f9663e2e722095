import json

import jsonschema

from server.catalog.schema import capability_schema
from tests.data.shipped import AGENTS, DATA, read


def test_the_schema_file_is_the_generated_one() -> None:
    written = (DATA / "capability-schema.json").read_text(encoding="utf-8")
    assert written == json.dumps(capability_schema(), indent=2) + "\n"


def test_every_agents_file_fits_the_schema() -> None:
    for agent in AGENTS:
        jsonschema.validate(read("agents", agent, "capabilities", "current.json"), read("capability-schema.json"))
