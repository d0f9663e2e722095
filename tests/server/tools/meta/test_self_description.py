"""The two sentences, held to the phrasing page to the letter and to its ban on jargon whatever the surface."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.tools.meta.manifest import describe_to_user, summary
from server.tools.meta.session import RecoveryPath
from server.tools.meta.surface import Naming, Profile, Surface
from tests.server.memory_surface import CALL, LOAD, NAMING, PROFILES, RECOVERY, RESTART, SMART_LOAD, SURFACE

WAYS = (
    "To use any unloaded tool, choose one of: (a) restart the server with --profile <family> or --profile full, "
    "(b) call memory_load_family(family=<name>) — preferred, "
    "(c) call memory_smart_load(intent='<plain language>') — easiest, "
    "(d) call the tool by name and recover from JSON-RPC -32601."
)
LOADED = "I can directly use {} memory tools right now (store, recall, list, get, search, ...). "
LOAD_OR_RESTART = (
    "are available on demand — I can load them if you ask for something that needs them, or you can restart the server "
    "with a different profile."
)
BANNED = (
    "--profile <family>",
    "load_family",
    "smart_load",
    "JSON-RPC",
    "-32601",
    "tools/list",
)

PREFIXES = ("memory_", "tool_", "Kg_", "x_", "_")
PIECES = st.sampled_from([*BANNED, *PREFIXES, "--profile", "json-rpc", "MEMORY_", "store", "list", "7"])
NAMES = st.lists(PIECES | st.text("aMeſİ_-./", min_size=1), min_size=1, max_size=4).map("".join)
Described = tuple[Surface, Profile, Naming, list[RecoveryPath]]


@st.composite
def surfaces(draw: st.DrawFn) -> Described:
    names = draw(st.lists(NAMES, unique=True, max_size=20))
    family_of = {name: draw(st.sampled_from("abcd")) for name in names}
    families = {family: tuple(name for name in names if family_of[name] == family) for family in "abcd"}
    always_on = draw(st.lists(st.sampled_from(names), unique=True, max_size=3)) if names else []
    loaded = sorted(draw(st.sets(st.sampled_from("abcd"))))
    return (
        Surface(families, tuple(always_on)),
        Profile(",".join(loaded), tuple(loaded)),
        Naming(draw(st.sampled_from(["memory", "agent-capability"])), draw(st.sampled_from(["", *PREFIXES]))),
        draw(st.lists(st.sampled_from(RECOVERY), unique=True)),
    )


def told(tools: list[str], unloaded: list[str] | None = None, *recovery: RecoveryPath) -> str:
    surface = Surface({"core": tuple(tools), "other": tuple(unloaded or ())})
    return describe_to_user(surface, Profile("core", ("core",)), NAMING, recovery)


def test_the_summary_is_the_pages_to_the_letter() -> None:
    for profile, visible, others in [
        ("core", 8, 43),
        ("graph", 19, 32),
        ("admin", 21, 30),
        ("power", 17, 34),
        ("full", 51, 0),
    ]:
        assert summary(SURFACE, PROFILES[profile], NAMING, RECOVERY) == (
            f"{visible} of 51 tools are advertised in tools/list under the current profile ({profile}). The other "
            f"{others} are listed in this manifest but NOT directly callable. {WAYS}"
        ), (profile, visible, others)


def test_the_summary_says_what_each_family_holds_before_the_ways_to_load_it() -> None:
    held = {"core": "what is stored", "graph": "what is linked", "unknown": "nothing"}
    told = summary(SURFACE, PROFILES["core"], NAMING, RECOVERY, held)
    assert told.endswith(f" NOT directly callable. Families: core — what is stored; graph — what is linked. {WAYS}")


def test_the_users_sentence_of_a_part_is_the_pages_to_the_letter() -> None:
    for profile, loaded, others in [("core", 7, 43), ("graph", 18, 32), ("power", 16, 34)]:
        assert describe_to_user(SURFACE, PROFILES[profile], NAMING, RECOVERY) == (
            f"{LOADED.format(loaded)}{others} more (update, delete, forget, gc, etc.) {LOAD_OR_RESTART}"
        ), (profile, loaded, others)


def test_the_users_sentence_names_what_a_profile_leaves_out() -> None:
    assert describe_to_user(SURFACE, PROFILES["admin"], NAMING, RECOVERY) == (
        f"{LOADED.format(20)}30 more (kg_query, kg_timeline, kg_invalidate, link, etc.) {LOAD_OR_RESTART}"
    )


def test_the_users_sentence_of_everything_is_the_pages_to_the_letter() -> None:
    assert describe_to_user(SURFACE, PROFILES["full"], NAMING, RECOVERY) == (
        f"{LOADED.format('all 50')}Nothing more to load — the full memory surface is already active."
    )


def test_only_the_ways_that_are_given_are_lettered_in_their_order() -> None:
    text = summary(SURFACE, PROFILES["core"], NAMING, (CALL, RESTART))
    assert text.endswith(
        "callable. To use any unloaded tool, choose one of: (a) call the tool by name and recover from JSON-RPC "
        "-32601, (b) restart the server with --profile <family> or --profile full."
    )


def test_without_a_way_the_summary_ends_before_the_choice() -> None:
    assert summary(SURFACE, PROFILES["core"], NAMING, ()).endswith("but NOT directly callable.")


def test_users_are_told_only_the_ways_that_are_given() -> None:
    cases: list[tuple[tuple[RecoveryPath, ...], str]] = [
        ((RESTART,), " are available on demand — you can restart the server with a different profile."),
        ((LOAD,), " are available on demand — I can load them if you ask for something that needs them."),
        ((SMART_LOAD, CALL), " are available on demand — I can load them if you ask for something that needs them."),
        ((CALL, RESTART), f" {LOAD_OR_RESTART}"),
        ((), " are not available here."),
    ]
    for recovery, ending in cases:
        text = describe_to_user(SURFACE, PROFILES["core"], NAMING, recovery)
        assert text == f"{LOADED.format(7)}43 more (update, delete, forget, gc, etc.){ending}", (recovery, ending)


def test_up_to_five_loaded_tools_have_no_ellipsis() -> None:
    assert told(list("abcde")).startswith("I can directly use all 5 memory tools right now (a, b, c, d, e). ")
    assert told(list("abcdef")).startswith("I can directly use all 6 memory tools right now (a, b, c, d, e, ...). ")


def test_one_loaded_tool_is_singular() -> None:
    assert told(["memory_get"], ["b"]).startswith("I can directly use 1 memory tool right now (get). 1 more (b, etc.)")
    assert told(["memory_get"]).startswith("I can directly use all 1 memory tool right now (get). ")


def test_tools_that_cannot_be_named_to_users_are_counted_without_brackets() -> None:
    assert told(["memory_load_family"], ["tools/list", "memory_memory_x"], RESTART) == (
        "I can directly use 1 memory tool right now. 2 more are available on demand — you can restart the server with "
        "a different profile."
    )


@settings(deadline=None, database=None)
@given(surfaces())
def test_users_are_never_shown_jargon(described: Described) -> None:
    text, prefix = describe_to_user(*described), described[2].prefix
    assert [word for word in (*BANNED, prefix) if word and word in text] == []


@settings(deadline=None, database=None)
@given(surfaces())
def test_the_counts_of_both_sentences_add_up_to_the_surface(described: Described) -> None:
    surface = described[0]
    visible, total, others = re.findall(r"^(\d+) of (\d+) tools .*The other (\d+) are", summary(*described))[0]
    assert int(visible) + int(others) == int(total) == len(surface.tools)
    counts = re.findall(r"^I can directly use (?:all )?(\d+)|\. (\d+) more[ (]", describe_to_user(*described))
    assert sum(int(first or second) for first, second in counts) == len(surface.tools) - len(surface.always_on)


def test_a_surface_without_tools_is_not_said_to_be_complete() -> None:
    nothing = describe_to_user(Surface({}), Profile("core", ()), NAMING, RECOVERY)
    assert nothing == "There are no memory tools for me to use here."


def test_a_noun_that_is_jargon_is_refused() -> None:
    with pytest.raises(ValueError, match="plain word"):
        Naming("JSON-RPC")
