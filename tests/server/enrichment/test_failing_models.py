import json
import os
import signal
import threading
from collections.abc import Iterator
from itertools import product

import pytest

from server.enrichment.asking import MAX_FAILURES
from server.enrichment.prompts import ONCE_MORE
from tests.server.enrichment.enriching import QUERIES, Enrich
from tests.server.providers.model_server import Cut, Fail, Hang, Raw, Reply
from tests.server.providers.wire_shapes import Say
from tests.toy import BOOK

GOOD = Say(json.dumps(QUERIES["MCP Support"]))
FAULTS: dict[str, Reply] = {
    "500": Fail(500),
    "401": Fail(401, "no such key"),
    "cut": Cut(),
    "not-json": Raw("<html>"),
    "other-json": Raw('{"choices": []}'),
}
GARBAGE: dict[str, Reply] = {
    "prose": Say("Certainly! Which style would you like?"),
    "refusal": Say("I'm sorry, but I can't help with that.", refused=True),
    "nothing": Say(""),
    "empty-list": Say("[]"),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_model_that_fails_midway_loses_nothing_and_is_taken_up(enrich: Enrich, fault: Reply) -> None:
    ids = enrich.script(MCP=[fault])
    assert enrich.ask() == 1
    assert {answer.id for answer in enrich.answers()} == set(ids.values()) - {ids["MCP Support"]}
    assert enrich.generated() == QUERIES | {"MCP Support": []}
    assert f"1 prompts could not be asked, the first ({ids['MCP Support']}) with: " in enrich.command.out
    enrich.server.requests.clear()
    enrich.server.script = {prompt: [GOOD] for prompt in enrich.prompts().values()}
    assert enrich.ask() == 0
    assert len(enrich.server.requests) == 1
    assert enrich.generated() == QUERIES


def test_a_model_that_does_not_answer_in_time_fails(enrich: Enrich) -> None:
    enrich.script(MCP=[Hang()])
    assert enrich.ask("--timeout", "1", "--retries", "0") == 1
    assert enrich.generated() == QUERIES | {"MCP Support": []}


def test_a_passing_fault_leaves_no_trace(enrich: Enrich) -> None:
    enrich.script(MCP=[Fail(429), GOOD])
    assert enrich.ask() == 0
    assert enrich.generated() == QUERIES


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_a_reply_without_queries_is_asked_for_once_more(enrich: Enrich, garbage: Reply) -> None:
    ids = enrich.script(MCP=[garbage, GOOD])
    assert enrich.ask() == 0
    assert enrich.generated() == QUERIES
    assert [answer.id for answer in enrich.answers()].count(ids["MCP Support"]) == 2
    assert sum(request.text.endswith(ONCE_MORE) for request in enrich.server.requests) == 1


def test_a_model_that_never_replies_with_queries_is_asked_twice_and_reported(enrich: Enrich) -> None:
    ids = enrich.script(MCP=[GARBAGE["prose"], GARBAGE["refusal"]])
    assert enrich.ask("--json") == 1
    assert [answer.id for answer in enrich.answers()].count(ids["MCP Support"]) == 2
    (told,) = [value for value in enrich.command.objects() if value.get("label") == "MCP Support"]
    assert (told["withoutQueries"], told["dropped"], told["missing"]) == (2, {"refusal": 1}, True)


def test_nothing_is_asked_any_more_after_failures_in_a_row(enrich: Enrich) -> None:
    labels = [{"name": f"{first} {second}"} for first, second in product("abc", "defg")]
    enrich.catalog.write_text(json.dumps({"labels": labels}), encoding="utf-8")
    for prompt in enrich.prompts().values():
        enrich.server.script[prompt] = [Fail(401)]
    assert enrich.ask() == 1
    assert len(enrich.server.requests) == MAX_FAILURES
    assert not enrich.out.exists()
    assert "is not written: no query was added" in enrich.command.out


@pytest.fixture
def interruptible() -> Iterator[None]:
    """As in the foreground of a terminal: shells let what they start with `&` ignore Ctrl-C."""
    found = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, found)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_run_keeps_what_is_answered_and_can_be_taken_up(enrich: Enrich) -> None:
    ids = enrich.script(MCP=[Hang(), GOOD])

    def interrupt() -> None:
        if enrich.server.hanging.wait(60):
            os.kill(os.getpid(), signal.SIGINT)

    interrupting = threading.Thread(target=interrupt, daemon=True)
    interrupting.start()
    assert enrich.ask() == 130
    interrupting.join()
    assert [answer.id for answer in enrich.answers()] == [ids["Checkpoints"]]
    assert not enrich.out.exists()
    assert enrich.ask() == 0
    assert enrich.generated() == QUERIES
    assert BOOK.labels[0].name in enrich.written()
