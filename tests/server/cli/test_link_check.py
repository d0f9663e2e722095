import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from server import package_version
from server.cli.link_check import MAX_CONCURRENCY, MAX_REDIRECTS, Link, check_links
from tests.server.link_site import Gauge, Site, running


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def site() -> Iterator[Site]:
    with running(Site()) as found:
        yield found


def ask(page: str, timeout: float = 15) -> Link:
    return check_links([page], timeout=timeout, pause=0)[page]


def test_the_state_of_a_page_is_that_of_its_answer(site: Site) -> None:
    for path in ["/ok", "/no-head", "/302", "/307", "/302-301"]:
        assert ask(site.page(path)) == Link("ok"), path
    for path, target in [("/301", "/ok"), ("/308", "/ok"), ("/301-302", "/302")]:
        assert ask(site.page(path)) == Link("moved", site.page(target)), path
    for path, status in [("/404", "404"), ("/410", "410"), ("/301-404", "404")]:
        assert ask(site.page(path)) == Link("gone", status), path
    assert ask(site.page("/500")) == Link("failed", "500")
    assert ask(site.page("/loop")) == Link("failed", f"more than {MAX_REDIRECTS} redirects")
    assert ask(site.page("/never"), timeout=0.2) == Link("failed", "no answer within 0.2 s")


def test_an_address_that_cannot_be_asked_has_failed_with_a_reason() -> None:
    for address in ["http://", f"http://{'a' * 70}.invalid/", "http://127.0.0.1:99999/"]:
        found = ask(address)
        assert found.state == "failed", address
        assert found.detail, address


def test_a_closed_port_has_failed_and_the_others_are_still_asked(site: Site) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        closed = f"http://127.0.0.1:{taken.getsockname()[1]}/"
    found = check_links([closed, site.page("/ok")], pause=0)
    assert [link.state for link in found.values()] == ["failed", "ok"]
    assert found[closed].detail


def test_a_page_is_asked_once_with_get_if_it_refuses_head_by_a_named_agent(site: Site) -> None:
    check_links([site.page("/ok"), site.page("/no-head"), site.page("/ok")], pause=0)
    assert sorted(site.requests) == [("GET", "/no-head"), ("HEAD", "/no-head"), ("HEAD", "/ok")]
    ask(site.page("/no-head"))
    assert site.agents == {f"agent-capabilities/{package_version()} (link check)"}


def test_no_more_hosts_are_asked_at_once_than_allowed() -> None:
    gauge = Gauge(MAX_CONCURRENCY)
    with ExitStack() as stack:
        sites = [stack.enter_context(running(Site(gauge))) for _ in range(MAX_CONCURRENCY + 4)]
        found = check_links((site.page("/hold") for site in sites), pause=0)
    assert gauge.peak == MAX_CONCURRENCY
    assert {link.state for link in found.values()} == {"ok"}


def test_a_host_is_asked_one_page_at_a_time() -> None:
    gauge = Gauge(1)
    with running(Site(gauge)) as site:
        check_links([site.page(f"/hold{number}") for number in range(4)], pause=0)
    assert gauge.peak == 1


def test_a_host_is_left_in_peace_between_two_pages(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    sleep = asyncio.sleep

    async def record(delay: float, *more: Any) -> Any:
        slept.append(delay)
        return await sleep(0, *more)

    monkeypatch.setattr(asyncio, "sleep", record)
    check_links([site.page("/1"), site.page("/2"), site.page("/3")], pause=123)
    assert slept.count(123) == 2
