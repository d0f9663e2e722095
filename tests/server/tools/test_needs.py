from itertools import pairwise, product

import pytest

from server.catalog.models import TIERS, CapabilityEntry, Tier, known_tier, within
from server.errors import CallerError
from server.matching.service import Service
from server.tools.recommend_agent import understood


def entry(tier: Tier | None, *, available: bool = True) -> CapabilityEntry:
    return CapabilityEntry(category="performance", name="Vision", available=available, tier=tier)


def test_plans_are_ordered_from_the_cheapest() -> None:
    assert TIERS == ("free", "pro", "business", "enterprise")


def test_a_capability_is_within_its_own_plan() -> None:
    for tier in TIERS:
        assert within(entry(tier), tier), tier


def test_a_capability_is_within_a_higher_plan_and_not_within_a_lower() -> None:
    for lower, higher in list(pairwise(TIERS)):
        assert within(entry(lower), higher), (lower, higher)
        assert not within(entry(higher), lower), (lower, higher)


def test_without_a_limit_every_available_capability_is_within() -> None:
    cases: list[Tier | None] = [*TIERS, None]
    for tier in cases:
        assert within(entry(tier), None), tier


def test_a_capability_of_an_unknown_plan_is_within_any() -> None:
    for most in TIERS:
        assert within(entry(None), most), most


def test_a_capability_that_is_not_available_is_never_within() -> None:
    for tier, most in list(product([*TIERS, None], repeat=2)):
        assert not within(entry(tier, available=False), most), (tier, most)


def test_a_plan_is_known_whatever_its_case() -> None:
    cases: list[tuple[str, Tier]] = [
        ("free", "free"),
        ("PRO", "pro"),
        (" Business ", "business"),
        ("eNTERPRISE\n", "enterprise"),
    ]
    for name, tier in cases:
        assert known_tier(name) == tier, (name, tier)


def test_an_unknown_plan_is_refused_with_the_known_ones(subtests: pytest.Subtests) -> None:
    for name in ["gold", "", "  ", "pro+", "free,pro"]:
        with subtests.test(name=name):
            with pytest.raises(CallerError) as caught:
                known_tier(name)
            message = str(caught.value)
            assert message.startswith(f"unknown tier {name!r}; known: free, pro, business, enterprise")
            assert message.endswith("Call again with a known tier.")


def test_needs_are_understood_one_by_one_in_their_order(service: Service) -> None:
    needs = understood(service, ["Vision", "undo it", "Vision"])
    assert [need.capability for need in needs] == ["Vision", "Checkpoints", "Vision"]
    assert [need.result.query for need in needs] == ["Vision", "undo it", "Vision"]


def test_a_need_that_is_not_resolved_has_no_capability(service: Service) -> None:
    needs = understood(service, ["history", "zzz qqq"])
    assert [(need.capability, need.result.decision) for need in needs] == [(None, "ambiguous"), (None, "no_match")]


def test_a_blank_need_is_refused(service: Service) -> None:
    with pytest.raises(CallerError, match="phrase is blank"):
        understood(service, ["Vision", " "])
