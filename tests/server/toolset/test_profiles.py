import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.errors import CallerError
from server.tools.families import CHOOSABLE
from server.toolset.start import PROFILE_VARIABLE, chosen_profile, parse_profile, profile_of

ALL = ("core", "match", "decide", "catalog")
KNOWN = "known: core, match, decide, catalog, full"


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PROFILE_VARIABLE, raising=False)


def test_the_families_to_choose_from_are_all_but_meta() -> None:
    assert CHOOSABLE == ALL


def test_the_flag_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROFILE_VARIABLE, "decide")
    assert chosen_profile("match").families == ("core", "match")


def test_an_empty_flag_still_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROFILE_VARIABLE, "decide")
    assert chosen_profile("").families == ("core",)


def test_the_environment_is_used_without_a_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROFILE_VARIABLE, "decide")
    assert chosen_profile(None).families == ("core", "decide")


def test_a_wrong_environment_does_not_matter_beside_a_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROFILE_VARIABLE, "nothing")
    assert chosen_profile("match").label == "match"


def test_without_flag_and_environment_it_is_core() -> None:
    profile = chosen_profile(None)
    assert (profile.label, profile.families) == ("core", ("core",))


def test_blank_text_and_core_are_core() -> None:
    for text in ["", "   ", ",", " , ,", "core", "core,core"]:
        profile = parse_profile(text)
        assert (profile.label, profile.families) == ("core", ("core",)), text


def test_blanks_and_repetitions_are_dropped() -> None:
    for text in ["match,decide", " match , decide ", "match,,decide,", "decide,match,decide"]:
        profile = parse_profile(text)
        assert (profile.label, profile.families) == ("match,decide", ("core", "match", "decide")), text


def test_core_is_always_in() -> None:
    for family in ["match", "decide", "catalog"]:
        assert parse_profile(family).families == ("core", family), family


def test_full_and_all_families_one_by_one_are_full() -> None:
    for text in ["full", "full,match", "core, full", "catalog,decide,match,core", "match,decide,catalog"]:
        profile = parse_profile(text)
        assert (profile.label, profile.families) == ("full", ALL), text


def test_an_unknown_name_is_refused_with_the_known_ones(subtests: pytest.Subtests) -> None:
    for name in ["nothing", "Core", "FULL", "meta", "match;decide", "core match"]:
        for text in ["{}", "match, {} ", "full,{}"]:
            with subtests.test(name=name, text=text):
                with pytest.raises(CallerError) as caught:
                    parse_profile(text.format(name))
                value, rule, step = str(caught.value).split("; ")
                assert value == f"profile names {name!r}"
                assert rule.startswith(KNOWN)
                assert step == "give one or more of these, separated by commas"


def test_a_wrong_flag_is_told_as_the_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROFILE_VARIABLE, "alsowrong")
    with pytest.raises(CallerError, match=r"^--profile names 'Match'; known: core, "):
        chosen_profile("Match")


def test_a_wrong_variable_is_told_as_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROFILE_VARIABLE, "meta")
    with pytest.raises(CallerError, match=r"^AGENT_CAPABILITIES_PROFILE names 'meta'; known: core, "):
        chosen_profile(None)


def test_a_long_wrong_name_is_cut() -> None:
    with pytest.raises(CallerError) as caught:
        parse_profile("x" * 10_000)
    assert len(str(caught.value)) < 400


@settings(deadline=None, database=None)
@given(st.lists(st.sampled_from(ALL)))
def test_the_label_can_be_given_back(families: list[str]) -> None:
    profile = profile_of(families)
    assert parse_profile(profile.label) == profile
    assert set(profile.families) == {"core", *families}
