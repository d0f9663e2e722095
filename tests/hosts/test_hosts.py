"""Real hosts with our servers, as their users have them; only the model is scripted."""

import json
import re
import sys
from collections.abc import Iterator
from functools import cache

import pytest

from checks.home import Home
from checks.packages import NotInstalledError
from tests.hosts import inspector
from tests.hosts.entries import add_broken, add_desk, add_gateway, add_serve, adopt, give_back, remove_serve
from tests.hosts.hosts import HOSTS, SERVERS, Host
from tests.hosts.measuring import (
    GATEWAY_TOOLS,
    converse,
    converse_once,
    converse_through_gateway,
    is_listed,
    kill_server,
    list_servers,
    private_home,
    serve_offer,
)

pytestmark = [pytest.mark.slow]

WARNINGS_OF_ALL = ("Model metadata for `fake` not found",)
"""What hosts warn of that is not about our servers."""
WITHOUT_INSTRUCTIONS = {"copilot-cli"}
STARTS_AGAIN = {"claude-code"}
"""The hosts that start a server again within a conversation."""
CODEX = next(host for host in HOSTS if host.name == "codex-cli")

once = cache(converse_once)
through_gateway = cache(converse_through_gateway)


@pytest.fixture(params=HOSTS, ids=lambda host: host.name)
def host(request: pytest.FixtureRequest) -> Host:
    found: Host = request.param
    return installed(found)


def installed(host: Host) -> Host:
    try:
        host.package.install()
    except NotInstalledError as error:
        pytest.skip(str(error))
    return host


def warnings(said: str) -> Iterator[str]:
    for line in said.splitlines():
        if re.search(r"warn|deprecat|invalid", line, re.IGNORECASE) and not any(w in line for w in WARNINGS_OF_ALL):
            yield line


def test_the_host_itself_lists_both_servers_without_a_warning(host: Host) -> None:
    listed = list_servers(host, add_serve, add_gateway)
    assert [name for name in SERVERS if is_listed(host, name, listed)] == [*SERVERS], listed.said
    assert not [*warnings(listed.said)]


def test_the_host_lists_a_server_no_more_that_was_removed(host: Host) -> None:
    listed = list_servers(host, add_serve, remove_serve)
    assert not is_listed(host, SERVERS[0], listed)
    assert not [*warnings(listed.said)]


def test_a_host_lists_the_gateway_in_the_place_of_the_servers_that_it_adopted_until_that_is_undone(host: Host) -> None:
    listed = list_servers(host, add_desk, adopt)
    assert (is_listed(host, "gateway", listed), is_listed(host, "desk", listed)) == (True, False), listed.said
    listed = list_servers(host, add_desk, adopt, give_back)
    assert (is_listed(host, "gateway", listed), is_listed(host, "desk", listed)) == (False, True), listed.said


def test_all_tools_are_in_the_first_request_beside_those_of_the_gateway(host: Host) -> None:
    ran = converse(host, add_serve, add_gateway)
    assert ran.offered_first([*serve_offer().tools, *GATEWAY_TOOLS]), (ran.ended, ran.turns[:1])


def test_a_call_is_made_and_its_answer_is_in_the_next_request(host: Host) -> None:
    ran = once(host)
    assert ran.ended.status == 0, ran.ended
    assert ran.offered_first(serve_offer().tools)
    assert ran.answers() == [True], ran.turns
    assert not [*warnings(ran.ended.said)]


def test_the_instructions_reach_the_model_where_the_host_passes_them(host: Host) -> None:
    assert serve_offer().instructed(once(host).turns[0]) is (host.name not in WITHOUT_INSTRUCTIONS)


def test_a_gateway_is_searched_while_one_of_its_servers_still_starts(host: Host) -> None:
    ran = through_gateway(host)
    assert ran.offered_first(GATEWAY_TOOLS), ran.ended
    assert "diary" in ran.turns[1].results[0]


def test_no_server_outlives_its_host(host: Host) -> None:
    assert not once(host).left_behind
    assert not through_gateway(host).left_behind


def test_a_killed_server_does_not_end_the_conversation_which_works_again_when_resumed(host: Host) -> None:
    after = kill_server(host)
    assert (after.status, after.before, after.resumed) == (0, True, True)
    if host.name in STARTS_AGAIN:
        assert all(after.calls[1:]), after


def test_codex_does_not_start_with_a_required_server_that_cannot_and_says_which() -> None:
    installed(CODEX)

    def add_missing(host: Host, home: Home) -> None:
        add_broken(host, home, "no-such-program")

    def add_failing(host: Host, home: Home) -> None:
        add_broken(host, home, sys.executable, "-c", "raise SystemExit('no data')")

    for add in (add_missing, add_failing):
        ran = converse(CODEX, add)
        assert (ran.ended.status, len(ran.turns)) == (1, 0)
        assert "required MCP servers failed to initialize: agent-capabilities" in ran.ended.errors


def test_the_inspector_lists_the_tools_of_both_servers_and_calls_one() -> None:
    try:
        inspector.PACKAGE.install()
    except NotInstalledError as error:
        pytest.skip(str(error))
    with private_home() as home:
        assert inspector.tools(home, SERVERS[0]) == [*serve_offer().tools]
        assert {*GATEWAY_TOOLS} <= {*inspector.tools(home, SERVERS[1])}
        named = ("--tool-name", "lookup_capability", "--tool-arg", "capability=hooks", "agent=claude-code")
        called = inspector.inspect(home, SERVERS[0], "--method", "tools/call", *named)
    assert "Lifecycle Hooks" in json.loads(called.out)["content"][0]["text"]
