"""The date that an agent's facts stand at is told where the facts are."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from rs_bpe import openai

from server.catalog.models import AsOf
from server.matching.service import Service, open_service
from server.tools.answers import as_text
from server.tools.catalog_status import StatusRequest, status
from server.tools.lookup_capability import LookupRequest, lookup
from tests.toy import AGENT_FILES, ToyEncoder, write_data

CL100K = openai.cl100k_base()
AS_OF = {"version": "2.1.316", "date": "2026-10-20"}
MEDIAN_TOKENS = 900


@pytest.fixture
def dated(tmp_path: Path) -> Service:
    """Return the toy catalog, in which one of the agents has a horizon."""
    files = copy.deepcopy(AGENT_FILES)
    files["claude-code"]["asOf"] = AS_OF
    service = open_service(write_data(tmp_path / "dated", files), lambda threads: ToyEncoder())
    service.matchers.load()
    return service


def asked(service: Service, agent: str, phrase: str) -> dict[str, Any]:
    return lookup(service, LookupRequest(agent=agent, capability=phrase)).to_json()


def test_a_lookup_names_it_beside_the_agent(dated: Service) -> None:
    for phrase in ["checkpoints", "Vision", "zzz qqq"]:
        assert list(asked(dated, "claude-code", phrase).items())[:2] == [("agent", "claude-code"), ("asOf", AS_OF)], (
            phrase
        )


def test_a_lookup_of_an_agent_without_one_has_none(dated: Service) -> None:
    for phrase in ["checkpoints", "zzz qqq"]:
        assert "asOf" not in asked(dated, "gemini-cli", phrase)


def test_the_status_has_it_for_each_agent(dated: Service) -> None:
    agents = status(dated, StatusRequest()).to_json()["agents"]
    assert [(agent["agent"], agent.get("asOf")) for agent in agents] == [("claude-code", AS_OF), ("gemini-cli", None)]


def test_marked_statements_are_shown_as_their_texts(tmp_path: Path) -> None:
    files = copy.deepcopy(AGENT_FILES)
    files["claude-code"]["capabilities"][0]["limitations"] = [{"text": "ten a day", "volatile": True}, "only files"]
    service = open_service(write_data(tmp_path / "marked", files), lambda threads: ToyEncoder())
    service.matchers.load()
    shown = json.loads(as_text(asked(service, "claude-code", "checkpoints")))
    assert shown["capability"]["limitations"] == ["ten a day", "only files"]


def test_half_of_the_shipped_lookups_stay_within_the_budget(shipped_service: Service) -> None:
    at = AsOf(version=AS_OF["version"], date=AS_OF["date"])
    agents = {id_: replace(agent, as_of=at) for id_, agent in shipped_service.catalog.agents.items()}
    service = Service(replace(shipped_service.catalog, agents=agents), shipped_service.matchers, shipped_service.loader)
    answers = [asked(service, agent, name) for agent in agents for name in service.catalog.by_name]
    assert all(answer["asOf"] == AS_OF for answer in answers)
    assert median(CL100K.count(as_text(answer)) for answer in answers) <= MEDIAN_TOKENS
