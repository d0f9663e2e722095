"""Answers to questions about a capability, as the tools show them."""

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

from embeddings.matcher import Matcher
from embeddings.ranking.match_result import MatchResult
from server.catalog.facets import Verdict
from server.matching.facet_reader import FacetReader, FacetReading
from server.matching.need import Need
from server.matching.service import Service, open_service
from server.tools.verdicts import Standing, weakest
from tests.server.calls import answer
from tests.toy import AGENT_FILES, BOOK, ToyEncoder, entry, write_data

PAGE = "https://example.com/docs"
SHELL = "Are the changes that shell commands made undone?"
KEY = "Which key restores files?"
NOT_SHELL = "Changes that shell commands made are not undone."
MOSTLY = "Only changes of known shell commands are undone."
PRESS = "Press Esc twice to restore files."
ASKED = "undo shell changes"
AGAINST = "never undo shell changes"
LIKELY = 0.0003
"""Confidence with which the toy encoder finds a question that is meant, and no other."""
KEY_ASKED = "which key restores files"
FACETS = {
    "Checkpoints": [{"id": "shell", "question": SHELL}, {"id": "key", "question": KEY, "kind": "value"}],
    "MCP Support": [{"id": "shell", "question": "Does it connect outside shell tools?"}],
}


def cell(facet: str, because: str, **more: Any) -> dict[str, Any]:
    return {"facet": f"Checkpoints/{facet}", "because": because, "source": PAGE, **more}


CELLS = {
    "claude-code": [cell("shell", "shell", verdict="no"), cell("key", "key", value="Esc Esc")],
    "gemini-cli": [cell("shell", "shell", verdict="partly")],
    "yes-cli": [cell("shell", "shell", verdict="yes"), {"facet": "Checkpoints/key", "verdict": "undocumented"}],
}
SAID = {"claude-code": NOT_SHELL, "gemini-cli": MOSTLY, "yes-cli": "All is undone."}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """Four agents: no, partly and yes to a question, and one without cells; a fifth lacks the capability."""
    files = {agent: copy.deepcopy(AGENT_FILES["claude-code"]) for agent in [*SAID, "silent"]}
    for agent, file in files.items():
        file["agent"]["name"] = agent
        said = [{"id": "shell", "text": SAID.get(agent, "It is so.")}, {"id": "key", "text": PRESS}]
        file["capabilities"] = [entry("Checkpoints", "agent-orchestration", details=said)]
    files["without"] = {
        "agent": {"name": "without"},
        "capabilities": [entry("Checkpoints", "agent-orchestration", available=False)],
    }
    data = write_data(tmp_path_factory.mktemp("facets") / "data", files)
    phrasings = {
        "phrasings": {label.name: list(label.phrasings) for label in BOOK.labels},
        "facets": {"Checkpoints/shell": [ASKED], "Checkpoints/key": [KEY_ASKED]},
        "against": {"Checkpoints/shell": [AGAINST]},
        "outOfScope": list(BOOK.out_of_scope),
    }
    (data / "phrasings.json").write_text(json.dumps(phrasings), encoding="utf-8")
    (data / "facets.json").write_text(json.dumps({"facets": FACETS}), encoding="utf-8")
    for agent, cells in CELLS.items():
        (data / "agents" / agent / "cells.json").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    service = open_service(data, lambda threads: ToyEncoder())
    service.matchers.load()
    return service


@pytest.fixture(autouse=True)
def sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The likeliest question is meant: the toy encoder knows too few words to be sure of one."""
    read = FacetReader.read

    def surely(self: FacetReader, need: Need, headings: MatchResult, matcher: Matcher) -> FacetReading:
        found = read(self, need, headings, matcher)
        if not found.facets or found.facets[0].confidence < LIKELY:
            return found
        return FacetReading("resolved", (replace(found.facets[0], confidence=0.9), *found.facets[1:]))

    monkeypatch.setattr(FacetReader, "read", surely)


def looked_up(service: Service, agent: str, phrase: str = ASKED) -> dict[str, Any]:
    found: dict[str, Any] = answer(service, "lookup_capability", {"agent": agent, "capability": phrase})["answer"]
    return found


def compared(service: Service, phrase: str = ASKED) -> dict[str, dict[str, Any]]:
    found = answer(service, "compare_capability", {"capability": phrase})
    return {line["agent"]: line for line in found["comparison"]}


def recommended(service: Service, *needs: str) -> dict[str, dict[str, Any]]:
    found = answer(service, "recommend_agent", {"needs": list(needs)})
    return {agent["agent"]: agent for agent in found["agents"]}


def told(part: dict[str, Any]) -> tuple[str | None, str | None]:
    return part.get("verdict"), part.get("because")


def test_a_lookup_answers_the_question_with_the_sentence_and_its_page(asked: Service) -> None:
    assert looked_up(asked, "claude-code") == {
        "question": SHELL,
        "verdict": "no",
        "because": NOT_SHELL,
        "source": PAGE,
        "matchConfidence": 0.9,
    }
    assert told(looked_up(asked, "gemini-cli")) == ("partly", MOSTLY)


def test_every_tool_shows_the_verdict_and_the_sentence_of_the_cell(asked: Service) -> None:
    expected = {
        "claude-code": ("no", NOT_SHELL),
        "gemini-cli": ("partly", MOSTLY),
        "yes-cli": ("yes", "All is undone."),
        "silent": ("undocumented", None),
        "without": ("no", "Checkpoints of this agent"),
    }
    assert {agent: told(looked_up(asked, agent)) for agent in expected} == expected
    assert {agent: told(line) for agent, line in compared(asked).items()} == expected
    assert {agent: told(each["needs"][0]) for agent, each in recommended(asked, ASKED).items()} == expected


def test_the_question_that_was_meant_is_named(asked: Service) -> None:
    found = answer(asked, "compare_capability", {"capability": ASKED})
    assert found["asked"] == {"question": SHELL, "matchConfidence": 0.9}
    (understood,) = answer(asked, "recommend_agent", {"needs": [ASKED]})["understood"]
    assert (understood["capability"], understood["question"]) == ("Checkpoints", SHELL)
    assert "opposite" not in understood


def test_a_missing_cell_is_undocumented_though_there_is_an_entry(asked: Service) -> None:
    assert looked_up(asked, "silent") == {"question": SHELL, "verdict": "undocumented", "matchConfidence": 0.9}
    line = compared(asked)["silent"]
    assert (line["verdict"], line["available"], "because" in line) == ("undocumented", True, False)
    silent = recommended(asked, ASKED)["silent"]
    assert (silent["covered"], silent["needs"][0]["verdict"]) == (0, "undocumented")


def test_a_cell_that_is_undocumented_has_no_sentence(asked: Service) -> None:
    assert told(looked_up(asked, "yes-cli", KEY_ASKED)) == ("undocumented", None)
    assert told(compared(asked, KEY_ASKED)["yes-cli"]) == ("undocumented", None)


def test_an_opposite_need_turns_yes_and_no(asked: Service) -> None:
    expected = {
        "claude-code": ("yes", NOT_SHELL),
        "gemini-cli": ("partly", MOSTLY),
        "yes-cli": ("no", "All is undone."),
        "silent": ("undocumented", None),
        "without": ("undocumented", None),
    }
    assert {agent: told(looked_up(asked, agent, AGAINST)) for agent in expected} == expected
    assert {agent: told(line) for agent, line in compared(asked, AGAINST).items()} == expected
    assert {agent: told(each["needs"][0]) for agent, each in recommended(asked, AGAINST).items()} == expected


def test_an_opposite_need_is_marked(asked: Service) -> None:
    assert looked_up(asked, "claude-code", AGAINST)["opposite"] is True
    assert answer(asked, "compare_capability", {"capability": AGAINST})["asked"]["opposite"] is True
    assert answer(asked, "recommend_agent", {"needs": [AGAINST]})["understood"][0]["opposite"] is True


def test_a_question_for_a_value_is_answered_with_it(asked: Service) -> None:
    found = looked_up(asked, "claude-code", KEY_ASKED)
    assert (found["value"], found["because"], "verdict" in found) == ("Esc Esc", PRESS, False)
    line = compared(asked, KEY_ASKED)["claude-code"]
    assert (line["value"], line["because"], "verdict" in line) == ("Esc Esc", PRESS, False)
    agent = recommended(asked, KEY_ASKED)["claude-code"]
    assert (agent["covered"], agent["needs"][0]["value"]) == (1, "Esc Esc")


def test_partly_covers_half_a_need(asked: Service) -> None:
    agents = recommended(asked, ASKED, AGAINST, "checkpoints")
    covered = {agent: each["covered"] for agent, each in agents.items()}
    assert covered == {"claude-code": 2, "gemini-cli": 2, "yes-cli": 2, "silent": 1, "without": 0}
    once = {agent: each["covered"] for agent, each in recommended(asked, ASKED).items()}
    assert once == {"yes-cli": 1, "gemini-cli": 0.5, "claude-code": 0, "silent": 0, "without": 0}
    assert next(iter(once)) == "yes-cli"


def test_a_capability_as_a_whole_has_no_question(asked: Service) -> None:
    found = answer(asked, "compare_capability", {"capability": "checkpoints"})
    assert "asked" not in found
    assert {line["agent"]: line["verdict"] for line in found["comparison"]} == {
        **dict.fromkeys([*SAID, "silent"], "yes"),
        "without": "no",
    }
    assert "answer" not in answer(asked, "lookup_capability", {"agent": "claude-code", "capability": "checkpoints"})


def test_the_weakest_verdict_decides_several_needs() -> None:
    verdicts: list[Verdict] = ["yes", "partly", "undocumented", "no"]
    for count in range(1, len(verdicts) + 1):
        assert weakest([Standing(each) for each in verdicts[:count]]).verdict == verdicts[count - 1]
    assert weakest([Standing(None, value="Esc"), Standing("partly")]).verdict == "partly"
