"""Statements that bear on the caller's words, over the shipped catalog and model."""

from typing import Any

import pytest

from server.matching.service import Service, open_service
from server.paths import shipped_data
from server.tools.compare_capability import TOOL as COMPARE
from server.tools.compare_capability import compare
from server.tools.definition import checked
from server.tools.lookup_capability import TOOL as LOOKUP
from server.tools.lookup_capability import lookup


@pytest.fixture(scope="module")
def shipped() -> Service:
    service = open_service(shipped_data())
    service.matchers.load()
    return service


def looked_up(service: Service, phrase: str, agent: str = "claude-code") -> dict[str, Any]:
    return lookup(service, checked(LOOKUP, {"agent": agent, "capability": phrase})).to_json()


def test_a_narrow_question_is_answered_with_what_settles_it(shipped: Service) -> None:
    answer = looked_up(shipped, "are files that a shell command deleted brought back?")
    assert answer["capability"]["name"] == "Checkpoints"
    assert answer["answer"]["verdict"] == "no"
    assert "shell commands" in answer["answer"]["because"]


def test_what_answers_the_words_stands_before_the_entry(shipped: Service) -> None:
    keys = list(looked_up(shipped, "are files that a shell command deleted brought back?"))
    assert keys.index("answer") < keys.index("capability")


def test_nothing_stands_out_for_a_bare_name_or_alias(shipped: Service) -> None:
    for phrase in ["Checkpoints", "rewind", "checkpoints!"]:
        assert "relevant" not in looked_up(shipped, phrase), phrase


def test_a_candidate_says_what_its_entry_has_for_the_question(shipped: Service) -> None:
    answer = looked_up(shipped, "does it keep what I said yesterday on disk or online")
    assert answer["decision"] == "ambiguous"
    assert any("relevant" in candidate for candidate in answer["matches"])


def test_a_comparison_on_local_models_has_the_limitation_of_each_agent_that_lacks_them(shipped: Service) -> None:
    asked = {"capability": "do these support a local model through Ollama?"}
    answer = compare(shipped, checked(COMPARE, asked)).to_json()
    said = {line["agent"]: (line["verdict"], line.get("because", "")) for line in answer["comparison"]}
    for agent, expected in (("claude-code", "partly"), ("gemini-cli", "no")):
        verdict, because = said[agent]
        assert verdict == expected
        assert "Ollama" in because


def test_without_the_model_nothing_is_pointed_out() -> None:
    from embeddings.errors import ModelError

    def no_model(threads: int) -> Any:
        raise ModelError("no model here; it must be there; restore it")

    service = open_service(shipped_data(), no_model)
    service.matchers.load()
    answer = looked_up(service, "does going back also restore what a script of mine deleted on disk?")
    assert answer["degraded"]
    assert "relevant" not in answer
