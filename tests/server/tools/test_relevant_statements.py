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


def test_a_narrow_question_is_shown_what_settles_it(shipped: Service) -> None:
    answer = looked_up(shipped, "does going back also restore what a script of mine deleted on disk?")
    assert answer["capability"]["name"] == "Checkpoints"
    assert any("shell commands" in found["statement"] for found in answer["relevant"])


def test_what_bears_on_the_words_stands_before_the_entry(shipped: Service) -> None:
    keys = list(looked_up(shipped, "does going back also restore what a script of mine deleted on disk?"))
    assert keys.index("relevant") < keys.index("capability")


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
    said = {
        line["agent"]: " ".join(
            [*line.get("limitations", []), *(found["statement"] for found in line.get("relevant", []))]
        )
        for line in answer["comparison"]
    }
    assert "Ollama" in said["claude-code"]
    assert "local" in said["gemini-cli"]
    assert "claude-code" in answer["hint"]


def test_without_the_model_nothing_is_pointed_out() -> None:
    from embeddings.errors import ModelError

    def no_model(threads: int) -> Any:
        raise ModelError("no model here; it must be there; restore it")

    service = open_service(shipped_data(), no_model)
    service.matchers.load()
    answer = looked_up(service, "does going back also restore what a script of mine deleted on disk?")
    assert answer["degraded"]
    assert "relevant" not in answer
