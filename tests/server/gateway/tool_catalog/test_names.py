"""Names of tools in the gateway."""

import re

from hypothesis import given
from hypothesis import strategies as st

from server.gateway.tool_catalog.names import LONGEST, gateway_names

# Short texts over few characters collide when they are cleaned; any text shows what cannot be cleaned.
NAMES = st.text("aB_-. é日", max_size=4) | st.text(max_size=8) | st.text("a_", min_size=60, max_size=70)
LISTS = st.dictionaries(NAMES, st.lists(NAMES, max_size=6), max_size=4)


def only(server: str, own: str) -> str:
    (name,) = gateway_names({server: [own]}).values()
    return name


@given(LISTS)
def test_names_are_unique_short_and_of_the_characters_that_hosts_allow(lists: dict[str, list[str]]) -> None:
    names = gateway_names(lists)
    assert set(names) == {(server, own) for server, listed in lists.items() for own in listed}
    assert len(set(names.values())) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names.values())


@given(LISTS)
def test_names_do_not_depend_on_the_order_of_servers_and_tools(lists: dict[str, list[str]]) -> None:
    turned = {server: list(reversed(listed)) for server, listed in reversed(lists.items())}
    assert gateway_names(turned) == gateway_names(lists)


@given(LISTS, st.lists(NAMES, max_size=5))
def test_what_another_server_lists_changes_no_name(lists: dict[str, list[str]], more: list[str]) -> None:
    servers = {"other": [], **lists}
    before = gateway_names(servers)
    after = gateway_names(servers | {"other": more})
    assert {key: name for key, name in after.items() if key[0] != "other"} == {
        key: name for key, name in before.items() if key[0] != "other"
    }


def test_a_name_stays_readable_or_gets_a_hash() -> None:
    cases = [
        ("github", "create_issue", "github__create_issue"),
        ("my server", "get.file/now", "my_server__get_file_now"),
        ("io.github.upstash/context7", "resolve-library-id", "io_github_upstash_context7__resolve-library-id"),
        ("büro", "straße_öffnen", "buro__strasse_offnen"),
        ("github", "_private__", "github___private__"),
    ]
    for server, own, name in cases:
        assert only(server, own) == name, server
    for own in ["日本語", "get_日本", " ", "🙂", ""]:
        assert re.fullmatch(r"a__(get_)?[0-9a-f]{8}", only("a", own)), own


def test_long_names_are_cut_with_a_hash_of_the_whole() -> None:
    names = gateway_names({"a": ["n" * 100 + "1", "n" * 100 + "2"]})
    assert len(set(names.values())) == 2
    assert all(len(name) == LONGEST and name.startswith("a__nnnn") for name in names.values())
    assert re.fullmatch(r"s{21}_[0-9a-f]{8}__create_issue", only("s" * 200, "create_issue"))


def test_of_names_that_clean_alike_the_allowed_one_stays() -> None:
    names = gateway_names({"a": ["get_file", "get.file"]})
    assert names["a", "get_file"] == "a__get_file"
    assert re.fullmatch(r"a__get_file_[0-9a-f]{8}", names["a", "get.file"])
    names = gateway_names({"a": ["b__c"], "a__b": ["c"]})
    assert names == {("a", "b__c"): "a__b__c", ("a__b", "c"): "a_b__c"}
    hashed = only("a", "日本").removeprefix("a__")
    names = gateway_names({"a": ["日本", hashed]})
    assert names["a", hashed] == f"a__{hashed}"
    assert names["a", "日本"] != f"a__{hashed}"
