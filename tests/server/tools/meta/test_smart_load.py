"""Decisions and answers of `smart_load`, by the probabilities of the tools."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from embeddings.ranking.match_result import Match, MatchResult
from server.tools.families import AGENT_FAMILIES
from server.tools.meta.smart_load import SmartLoadRequest, smart_load
from server.toolset.registry import TOOLS, offered
from server.toolset.session import CallerSession
from server.toolset.start import Start
from server.toolset.tool_matcher import ToolMatcher
from tests.server.label_catalog import CATALOG, label_service
from tests.toy import ToyEncoder


class Ranked(CallerSession):
    """A caller whose needs are served by given tools."""

    ranked: Mapping[str, float] = {}
    matches_degraded = False

    def tools_for(self, need: str) -> MatchResult:
        matches = tuple(Match(name, confidence, "embedding") for name, confidence in self.ranked.items())
        return MatchResult(need, "ambiguous", False, matches)


@pytest.fixture
def session(tmp_path: Any) -> Ranked:
    service = label_service(tmp_path, CATALOG)
    matcher = ToolMatcher(TOOLS, lambda threads: ToyEncoder())
    offer = replace(offered(service, matcher, dynamic=True), tools=TOOLS, families=AGENT_FAMILIES)
    return Ranked(offer, Start(dynamic=True), loaded=[])


def explaining(confidence: float) -> dict[str, float]:
    return {"explain_match": confidence * 0.9, "match_capability": confidence * 0.1}


def answered(session: Ranked, ranked: Mapping[str, float], intent: str = "what made it think so") -> dict[str, Any]:
    session.ranked = ranked
    return smart_load(session, SmartLoadRequest(intent=intent)).to_json()


def test_what_was_loaded_is_ready_and_the_tool_that_fits_best_is_named(session: Ranked) -> None:
    found = answered(session, explaining(0.9))
    assert (found["decision"], found["best"]) == ("resolved", {"name": "explain_match", "matchConfidence": 0.81})
    assert (found["result"]["ready"], found["result"]["callBy"], found["result"]["listChanged"]) == (True, "name", True)
    assert "hint" not in found


def test_the_tool_that_fits_best_comes_first_and_is_the_example_of_a_call(session: Ranked) -> None:
    result = answered(session, explaining(0.9))["result"]
    assert [tool["name"] for tool in result["tools"]] == ["explain_match", "match_capability"]
    assert "call_tool(name='explain_match'" in result["howToCall"]


def test_nothing_in_a_success_reads_as_a_failure_where_the_list_stays(session: Ranked) -> None:
    session._loaded = None
    result = answered(session, explaining(0.9))["result"]
    assert (result["ready"], result["callBy"]) == (True, "call_tool")
    assert False not in result.values()


def test_of_several_plausible_families_none_is_loaded(session: Ranked) -> None:
    found = answered(session, explaining(0.5) | {"recommend_agent": 0.4, "lookup_capability": 0.001})
    assert (found["decision"], session._loaded) == ("ambiguous", [])
    assert found["matches"] == [
        {"family": "match", "matchConfidence": 0.5, "tool": "explain_match"},
        {"family": "decide", "matchConfidence": 0.4, "tool": "recommend_agent"},
    ]
    assert "nothing was loaded" in found["hint"]
    assert not {"best", "result"} & set(found)


def test_nothing_is_loaded_where_it_is_likelier_that_nothing_fits(session: Ranked) -> None:
    found = answered(session, explaining(0.3))
    assert (found["decision"], session._loaded) == ("no_match", [])
    assert not {"best", "result"} & set(found)


def test_a_caller_without_families_gets_no_match(session: Ranked) -> None:
    found = answered(session, {})
    assert (found["decision"], found["matchConfidence"], found["matches"]) == ("no_match", 0.0, [])


def test_a_family_asked_for_by_its_name_has_no_tool_that_fits_best(session: Ranked) -> None:
    found = answered(session, {}, intent="Match")
    assert (found["decision"], found["matches"]) == ("resolved", [{"family": "match", "matchConfidence": 1.0}])
    assert "best" not in found
    assert found["result"]["tools"][0]["name"] == "match_capability"
