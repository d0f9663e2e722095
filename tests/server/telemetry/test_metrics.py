"""Metrics of a server, as Prometheus reads them."""

import re
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.shared.inbound import encode_header_value
from mcp_types import jsonrpc
from prometheus_client.parser import text_string_to_metric_families

from server.telemetry.metrics import SECONDS as BUCKETS
from server.toolset.registry import TOOLS
from tests.server.faults.messages import ERAS, call, headers_of, lookup, message
from tests.server.faults.served import SECONDS, Served, running
from tests.server.telemetry.collector import Figures, figures, run_without
from tests.server.telemetry.observed import application, http_client, token_file

REQUESTS: Final = "agent_capabilities_requests_total"
SPENT: Final = "agent_capabilities_request_seconds"
RESPONSES: Final = "agent_capabilities_http_responses_total"

METHODS: Final = {
    *("initialize", "server/discover", "ping", "tools/list", "tools/call", "completion/complete"),
    *("resources/list", "resources/templates/list", "resources/read", "other"),
}
CODES: Final = {str(code) for name, code in vars(jsonrpc).items() if name.isupper() and isinstance(code, int)}
OUTCOMES: Final = {"ok", "tool_error", "cancelled"} | CODES
DECISIONS: Final = {"", "resolved", "ambiguous", "no_match"}
STATUSES: Final = (200, 400, 404)
NAMES: Final = {tool.name for tool in TOOLS} | {"", "other"}


@pytest.fixture
async def client(toy_model: None, toy_data: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """Of a server that counts."""
    async with http_client(application(toy_data, "--metrics")) as client:
        yield client


async def ask(client: httpx2.AsyncClient, era: str, method: str, **params: Any) -> None:
    headers = headers_of(era, method, params.get("name"))
    await client.post("/mcp", json=message(era, method, **params), headers=headers)


async def shown(client: httpx2.AsyncClient, name: str) -> Figures:
    return figures((await client.get("/metrics")).text, name)


@pytest.mark.anyio
@pytest.mark.usefixtures("toy_model")
async def test_without_being_asked_to_a_server_shows_no_metrics(toy_data: Path) -> None:
    async with http_client(application(toy_data)) as client:
        assert (await client.get("/metrics")).status_code == 404


@pytest.mark.anyio
async def test_calls_are_counted_by_tool_outcome_and_decision(client: httpx2.AsyncClient) -> None:
    for era in ERAS:
        for params in (lookup("rewind"), lookup("rewind"), lookup("the weather"), call(agent="nobody"), call("none")):
            await ask(client, era, "tools/call", **params)
        await ask(client, era, "my/secret")
    method, tool = "tools/call", "lookup_capability"
    assert await shown(client, REQUESTS) == {
        ("resolved", method, "ok", tool): 4,
        ("no_match", method, "ok", tool): 2,
        ("", method, "tool_error", tool): 2,
        ("", method, "-32602", "other"): 2,
        ("", "other", "-32601", ""): 2,
    }


@pytest.mark.anyio
async def test_the_seconds_of_every_request_are_in_the_histogram(client: httpx2.AsyncClient) -> None:
    start = time.perf_counter()
    for _ in range(3):
        await ask(client, ERAS[0], "tools/call", **lookup())
    await ask(client, ERAS[0], "ping")
    assert await shown(client, f"{SPENT}_count") == {("tools/call", "lookup_capability"): 3, ("ping", ""): 1}
    assert 0 < sum((await shown(client, f"{SPENT}_sum")).values()) < time.perf_counter() - start
    buckets = await shown(client, f"{SPENT}_bucket")
    assert [buckets[str(end), "ping", ""] for end in (*BUCKETS, "+Inf")][-2:] == [1, 1]
    assert len(buckets) == 2 * len((*BUCKETS, "+Inf"))


@pytest.mark.anyio
async def test_http_responses_are_counted_by_status(client: httpx2.AsyncClient) -> None:
    await ask(client, ERAS[0], "ping")
    for path in ("/elsewhere", "/nowhere"):
        await client.get(path)
    assert await shown(client, RESPONSES) == {("200",): 1, ("404",): 2}


@pytest.mark.anyio
async def test_metrics_are_in_the_text_format_and_have_a_help_each(client: httpx2.AsyncClient) -> None:
    await ask(client, ERAS[0], "ping")
    response = await client.get("/metrics")
    assert response.headers["Content-Type"].startswith("text/plain; version=")
    families = text_string_to_metric_families(response.text)
    own = [(family.type, bool(family.documentation)) for family in families if family.name.startswith("agent_")]
    assert own == [("counter", True), ("histogram", True), ("counter", True), ("counter", True)]
    assert "_created" not in response.text


@pytest.mark.anyio
@pytest.mark.usefixtures("toy_model")
async def test_metrics_ask_for_no_token(toy_data: Path) -> None:
    tokens = token_file(toy_data, alice="the-secret-token-of-alice")
    async with http_client(application(toy_data, "--metrics", "--tokens", tokens)) as client:
        assert (await client.post("/mcp")).status_code == 401
        assert figures((await client.get("/metrics")).text, RESPONSES) == {("401",): 1}


@pytest.mark.processes
@pytest.mark.parametrize("more", [[], ["--workers", "2"]])
def test_without_their_package_the_command_says_what_to_install(tmp_path: Path, more: list[str]) -> None:
    done = run_without(tmp_path, "prometheus_client", "serve", "--transport", "http", "--metrics", *more)
    assert (done.returncode, done.stdout) == (2, "")
    said = "error: --metrics .*'prometheus_client' is not installed; .*; install it with: pip install .*\n"
    assert re.fullmatch(said, done.stderr)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("metrics"), ["--metrics"])
    with running(served):
        yield served


@pytest.mark.processes
@settings(deadline=None, database=None)
@given(st.sampled_from(ERAS), st.sampled_from(sorted(METHODS)) | st.text(), st.sampled_from(sorted(NAMES)) | st.text())
def test_whatever_clients_make_up_labels_take_known_values(served: Served, era: str, method: str, name: str) -> None:
    with httpx2.Client(timeout=SECONDS) as client:
        headers = headers_of(era, encode_header_value(method), encode_header_value(name))
        client.post(served.address, json=message(era, method, name=name, arguments={}), headers=headers)
        text = client.get(f"{served.site}/metrics").text
    for decision, known, outcome, tool in figures(text, REQUESTS):
        assert decision in DECISIONS
        assert known in METHODS
        assert outcome in OUTCOMES
        assert tool in NAMES
    for known, tool in figures(text, f"{SPENT}_count"):
        assert known in METHODS
        assert tool in NAMES
    assert figures(text, RESPONSES).keys() <= {(str(status),) for status in STATUSES}
