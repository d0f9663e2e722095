from embeddings.ranking.match_result import Match, MatchResult
from server.matching.service import Service
from server.tools.answers import Answer, echo, resolved, unresolved


class Pair(Answer):
    some_value: int | None = None
    agent: str | None = None


def result(*matches: Match, degraded: bool = False) -> MatchResult:
    return MatchResult("a phrase", "ambiguous", degraded, matches)


def test_names_are_camel_case_and_absent_fields_are_absent() -> None:
    assert Pair(some_value=3).to_json() == {"someValue": 3}


def test_the_agent_comes_first() -> None:
    assert list(Pair(some_value=3, agent="a").to_json()) == ["agent", "someValue"]


def test_a_short_phrase_is_repeated_whole() -> None:
    assert echo("x" * 200) == "x" * 200


def test_a_long_phrase_is_cut_to_the_limit() -> None:
    assert echo("x" * 201) == "x" * 197 + "..."


def test_an_exact_name_needs_no_note() -> None:
    assert resolved(result(Match("Vision", 1.0, "exact")))["match"] is None


def test_a_confidence_is_rounded_to_three_digits() -> None:
    note = resolved(result(Match("Vision", 0.98765, "embedding")))["match"]
    assert note is not None
    assert note.to_json() == {"query": "a phrase", "matchedBy": "embedding", "matchConfidence": 0.988}


def test_candidates_carry_the_standing_for_the_agent(service: Service) -> None:
    found = unresolved(service.catalog, result(Match("Checkpoints", 0.5, "alias")), "gemini-cli")
    assert found["matches"][0].to_json() == {
        "name": "Checkpoints",
        "category": "agent-orchestration",
        "matchConfidence": 0.5,
        "available": True,
        "tier": "free",
    }


def test_a_candidate_that_the_data_say_nothing_of_is_not_documented(service: Service) -> None:
    (candidate,) = unresolved(service.catalog, result(Match("Vision", 0.5, "alias")), "claude-code")["matches"]
    assert candidate.to_json()["documented"] is False
    assert "available" not in candidate.to_json()


def test_candidates_without_an_agent_have_no_standing(service: Service) -> None:
    (candidate,) = unresolved(service.catalog, result(Match("Vision", 0.5, "alias")))["matches"]
    assert set(candidate.to_json()) == {"name", "category", "matchConfidence"}


def test_candidates_of_almost_no_probability_are_left_out(service: Service) -> None:
    ranked = result(Match("Vision", 0.6, "alias"), Match("Checkpoints", 0.01, "alias"), Match("MCP", 0.0099, "alias"))
    assert [each.name for each in unresolved(service.catalog, ranked)["matches"]] == ["Vision", "Checkpoints"]


def test_the_first_candidate_is_listed_however_unlikely(service: Service) -> None:
    ranked = result(Match("Vision", 0.002, "alias"), Match("Checkpoints", 0.001, "alias"))
    assert [each.name for each in unresolved(service.catalog, ranked)["matches"]] == ["Vision"]


def test_a_degraded_match_says_so(service: Service) -> None:
    assert unresolved(service.catalog, result(degraded=True))["degraded"] is True
    assert unresolved(service.catalog, result())["degraded"] is None
