"""How long a phrase may be."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from server.cli.main import parser
from server.matching.label_service import LONGEST_PHRASE
from server.matching.service import Service
from tests.server.calls import answer
from tests.server.faults.messages import ERAS, call, headers_of, message, post_call
from tests.server.http_server import http_server

MAX_PHRASE = 50

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "lookup_capability": ("capability", {"agent": "claude-code"}),
    "compare_capability": ("capability", {}),
    "get_sources": ("capability", {"agent": "claude-code"}),
    "match_capability": ("phrase", {}),
    "explain_match": ("phrase", {}),
    "smart_load": ("intent", {}),
}
"""The argument that takes a phrase, and the others."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    options = ["--max-phrase", str(MAX_PHRASE), "--profile", "full", "--dynamic-tools"]
    with http_server(tmp_path_factory.mktemp("phrases"), *options) as address:
        yield address


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    with httpx2.Client(timeout=60) as client:
        yield client


def phrase(length: int) -> str:
    return "undo what it did just now to the files that I have in there"[:length]


def arguments(tool: str, phrase: str) -> dict[str, Any]:
    if tool == "recommend_agent":
        return {"needs": ["undo", phrase]}
    name, others = CALLS[tool]
    return others | {name: phrase}


def called(client: httpx2.Client, address: str, tool: str, arguments: dict[str, Any], era: str = ERAS[1]) -> Any:
    return post_call(client, address, era, call(tool, **arguments)).json()["result"]


def assert_refused(result: Any, length: int) -> None:
    assert result["isError"] is True
    assert "structuredContent" not in result
    text = result["content"][0]["text"]
    assert f"the phrase has {length:,} characters; this server takes {MAX_PHRASE} at most; " in text


each_tool = pytest.mark.parametrize("tool", [*CALLS, "recommend_agent"])


@pytest.mark.processes
@each_tool
def test_a_longer_phrase_is_refused(address: str, client: httpx2.Client, tool: str) -> None:
    assert_refused(called(client, address, tool, arguments(tool, phrase(MAX_PHRASE + 1))), MAX_PHRASE + 1)


@pytest.mark.processes
@each_tool
def test_the_longest_phrase_is_answered(address: str, client: httpx2.Client, tool: str) -> None:
    result = called(client, address, tool, arguments(tool, phrase(MAX_PHRASE)))
    assert not result.get("isError"), result
    assert result["structuredContent"]


@pytest.mark.processes
@pytest.mark.parametrize("era", ERAS)
def test_it_is_refused_in_both_eras(address: str, client: httpx2.Client, era: str) -> None:
    tool = "lookup_capability"
    assert_refused(called(client, address, tool, arguments(tool, "x" * 20_000), era), 20_000)


@pytest.mark.processes
def test_it_is_refused_through_call_tool(address: str, client: httpx2.Client) -> None:
    inner = {"name": "match_capability", "arguments": {"phrase": phrase(MAX_PHRASE + 1)}}
    assert_refused(called(client, address, "call_tool", inner), MAX_PHRASE + 1)


@pytest.mark.processes
def test_it_is_characters_that_count(address: str, client: httpx2.Client) -> None:
    assert not called(client, address, "match_capability", {"phrase": "撤" * MAX_PHRASE}).get("isError")
    assert_refused(called(client, address, "match_capability", {"phrase": "撤" * (MAX_PHRASE + 1)}), MAX_PHRASE + 1)


@pytest.mark.processes
def test_an_address_with_a_longer_phrase_is_refused(address: str, client: httpx2.Client) -> None:
    uri = f"capabilities://claude-code/{quote(phrase(MAX_PHRASE + 1))}"
    sent = message(ERAS[1], "resources/read", uri=uri)
    response = client.post(address, json=sent, headers=headers_of(ERAS[1], "resources/read", uri)).json()
    assert f"has {MAX_PHRASE + 1} characters" in response["error"]["message"]


def test_what_is_taken_is_what_is_read_unless_another_limit_is_set() -> None:
    assert parser().parse_args(["serve"]).max_phrase == LONGEST_PHRASE


def test_without_a_limit_a_phrase_is_understood_by_its_beginning(toy_service: Service) -> None:
    beginning = "undo it".ljust(LONGEST_PHRASE)
    assert toy_service.match(beginning + "see a picture").matches == toy_service.match("undo it").matches
    assert toy_service.match(beginning[:-14] + " see a picture").matches != toy_service.match("undo it").matches


@pytest.mark.anyio
def test_without_a_limit_an_intent_is_understood_by_its_beginning(service: Service) -> None:
    beginning = "choose an agent".ljust(LONGEST_PHRASE)
    intents = ["choose an agent", f"{beginning}outside tools", f"{beginning[:-14]} outside tools"]
    sure = [(answer(service, "smart_load", {"intent": intent}))["matchConfidence"] for intent in intents]
    assert sure[0] == sure[1] != sure[2]
