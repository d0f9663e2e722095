from itertools import pairwise, product

import pytest

from server.catalog.models import Access, CapabilityEntry, Tier
from server.catalog.plans import TIERS, Means, no_plan_note, plan_words
from server.errors import CallerError


def entry(tier: Tier | None, *, available: bool = True, access: tuple[Access, ...] = ()) -> CapabilityEntry:
    return CapabilityEntry(category="performance", name="Vision", available=available, tier=tier, access=access)


def test_plans_are_ordered_from_the_cheapest() -> None:
    assert TIERS == ("free", "pro", "business", "enterprise")


def test_a_capability_is_open_on_its_own_plan_and_a_higher_one_and_not_on_a_lower() -> None:
    for tier in TIERS:
        assert Means(tier).open(entry(tier)), tier
    for lower, higher in pairwise(TIERS):
        assert Means(higher).open(entry(lower)), (lower, higher)
        assert not Means(lower).open(entry(higher)), (lower, higher)


def test_without_a_limit_every_available_capability_is_open() -> None:
    cases: list[Tier | None] = [*TIERS, None]
    for tier in cases:
        assert Means().open(entry(tier)), tier


def test_a_capability_that_no_plan_includes_is_open_on_none() -> None:
    for most in TIERS:
        assert not Means(most).open(entry(None, access=("ownKey",))), most


def test_an_access_opens_what_has_it_whatever_the_plan() -> None:
    assert Means("free", ("ownKey",)).open(entry("pro", access=("ownKey", "localModel")))
    assert Means(access=("localModel",)).open(entry(None, access=("localModel",)))
    assert not Means(access=("localModel",)).open(entry("free", access=("ownKey",)))


def test_a_capability_that_is_not_available_is_never_open() -> None:
    for tier, most in product([*TIERS, None], repeat=2):
        assert not Means(most).open(entry(tier, available=False)), (tier, most)


def test_a_plan_and_an_access_are_known_whatever_their_case() -> None:
    cases: list[tuple[str, Tier]] = [("free", "free"), ("PRO", "pro"), (" Business ", "business")]
    for name, tier in cases:
        assert Means.of(name, None).tier == tier, name
    assert Means.of(None, "OWNKEY, localmodel ").access == ("ownKey", "localModel")


def test_an_unknown_plan_or_access_is_refused_with_the_known_ones() -> None:
    for name in ["gold", "  ", "pro+", "free,pro"]:
        with pytest.raises(CallerError) as caught:
            Means.of(name, None)
        assert str(caught.value).startswith(f"unknown tier {name!r}; known: free, pro, business, enterprise")
    with pytest.raises(CallerError, match="unknown access 'key'; known: ownKey, cloudProvider, localModel, adminOnly"):
        Means.of(None, "key")


def test_what_a_capability_needs_is_said_in_words() -> None:
    cases: list[tuple[Tier | None, tuple[Access, ...], str]] = [
        ("pro", (), "pro"),
        ("pro", ("ownKey",), "pro or own key"),
        (None, ("ownKey", "localModel"), "own key or local model"),
        ("business", ("adminOnly",), "business, set up by an administrator"),
        (None, (), ""),
    ]
    for tier, access, words in cases:
        assert plan_words(tier, access) == words


def test_a_note_says_what_makes_a_plan_needless() -> None:
    assert no_plan_note([["ownKey"], []]) == "no plan needed with your own key"
    assert no_plan_note([["ownKey"], ["localModel"]]) == "no plan needed with: own key, local model"
    assert no_plan_note([[], ["adminOnly"]]) == ""
