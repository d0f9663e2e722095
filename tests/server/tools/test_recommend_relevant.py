import copy
import json
from pathlib import Path
from typing import Any

import pytest
from rs_bpe import openai

from server.matching.service import Service, open_service
from server.tools.recommend_agent import (
    FIELDS_OF_STATEMENT,
    LONGEST_STATEMENT,
    MAX_CHARACTERS,
    RecommendRequest,
    recommend,
)
from tests.toy import AGENT_FILES, ToyEncoder, write_data

CL100K = openai.cl100k_base()
MAX_TOKENS_AN_AGENT = 375
LOCAL = "no local model"


def found(service: Service, *needs: str) -> dict[str, Any]:
    return recommend(service, RecommendRequest(needs=list(needs))).to_json()


def sentences(answer: dict[str, Any]) -> list[str]:
    return [need["because"] for agent in answer["agents"] for need in agent["needs"] if "because" in need]


def saying(folder: Path, field: str, value: Any, *, lacking: str = "lacking") -> Service:
    """Return the toy catalog, in which all that is available has this field, and what is not is described so."""
    files = copy.deepcopy(AGENT_FILES)
    for file in files.values():
        for each in file["capabilities"]:
            each.update({field: value} if each["available"] else {"description": lacking})
    service = open_service(write_data(folder / "toy", files), lambda threads: ToyEncoder())
    service.matchers.load()
    return service


def test_the_weightiest_limitation_stands_with_its_need_and_agent(tmp_path: Path) -> None:
    service = saying(tmp_path, "limitations", [LOCAL, "only files"])
    needs = {agent["agent"]: agent["needs"] for agent in found(service, "checkpoints", "mcp")["agents"]}
    assert [(need["verdict"], need["because"]) for need in needs["claude-code"]] == [("yes", LOCAL)] * 2
    assert [(need["verdict"], need["because"]) for need in needs["gemini-cli"]] == [("yes", LOCAL), ("no", "lacking")]


@pytest.mark.parametrize("field", ["description", "requirements", "terminology"])
def test_a_statement_that_takes_nothing_back_is_no_reason(tmp_path: Path, field: str) -> None:
    service = saying(tmp_path, field, [LOCAL] if field == "requirements" else LOCAL)
    assert sentences(found(service, "mcp")) == ["lacking"]


def test_only_the_agent_that_comes_first_has_setup_and_a_source(service: Service) -> None:
    first, *others = found(service, "checkpoints", "mcp")["agents"]
    assert [need["setup"] for need in first["needs"]] == ["start Checkpoints", "start MCP Support"]
    assert {need["source"] for need in first["needs"]} == {"https://example.com/docs"}
    assert all({"setup", "source"} & set(need) == set() for agent in others for need in agent["needs"])


def test_with_little_room_what_is_lacking_stays(tmp_path: Path) -> None:
    service = saying(tmp_path, "limitations", ["limit " * 60], lacking="lacking " * 60)
    answer = found(service, *["checkpoints"] * 18, "mcp", "mcp")
    told = sentences(answer)
    assert 0 < len(told) < 40
    assert sum(each.startswith("lacking") for each in told) == 2
    assert max(map(len, told)) <= LONGEST_STATEMENT
    assert sum(len(each) + FIELDS_OF_STATEMENT for each in told) <= MAX_CHARACTERS


def test_a_sentence_is_cut_at_a_word(tmp_path: Path) -> None:
    answer = found(saying(tmp_path, "limitations", ["seventy " * 60]), "vision")
    (told,) = sentences(answer)
    assert told.endswith("seventy…")
    assert len(told) <= LONGEST_STATEMENT


def test_five_needs_of_all_agents_stay_within_the_budget(shipped_service: Service) -> None:
    names = sorted(shipped_service.catalog.by_name, key=len)[-5:]
    answer = found(shipped_service, *(f"{name} please" for name in names))
    assert [len(answer["agents"]), len(answer["agents"][0]["needs"])] == [len(shipped_service.catalog.agents), 5]
    assert sentences(answer)
    assert CL100K.count(json.dumps(answer, ensure_ascii=False, separators=(",", ":"))) <= MAX_TOKENS_AN_AGENT * len(
        answer["agents"]
    )


@pytest.mark.parametrize("repeated", [1, 100])
def test_five_needs_of_six_agents_with_texts_of_any_length_stay_within_the_budget(
    tmp_path: Path, repeated: int
) -> None:
    files = {f"agent-{number}": copy.deepcopy(AGENT_FILES["gemini-cli"]) for number in range(6)}
    for file in files.values():
        for each in file["capabilities"]:
            each["limitations"] = ["It works in the terminal only. " * repeated]
            each["description"] = "It is not there in the terminal. " * repeated
    service = open_service(write_data(tmp_path / "toy", files), lambda threads: ToyEncoder())
    service.matchers.load()
    answer = found(service, "checkpoints", "mcp", "vision", "rewind", "images")
    assert sentences(answer)
    assert CL100K.count(json.dumps(answer, ensure_ascii=False, separators=(",", ":"))) <= MAX_TOKENS_AN_AGENT * 6
