"""The log of a real server: a record of each request, and nothing that a client made up."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from server.telemetry.middleware import LOGGED_ARGUMENTS
from tests.server.faults.messages import ERAS, HELLO, TOOL, call, headers_of, lookup, message, raw_head
from tests.server.faults.raw import connected
from tests.server.faults.served import SECONDS, Served, running
from tests.server.stdio_process import answer_of, stdio_server
from tests.server.telemetry.collector import ODD, ODD_HEADERS, ODD_NAMES, ODD_PHRASES
from tests.server.telemetry.observed import token_file

pytestmark = pytest.mark.processes

ODD_REQUESTS: Final = (*ODD_PHRASES, *ODD_NAMES)
TOKEN: Final = "the-secret-token-of-alice"


@dataclass
class Day:
    """A server's answers until it was stopped, and its whole log."""

    answers: list[httpx2.Response]
    refusals: list[httpx2.Response]
    log: str = ""

    def records(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in map(json.loads, self.log.splitlines()) if record["message"] == kind]


def odd_answers(client: httpx2.Client, served: Served) -> Iterator[httpx2.Response]:
    for era in ERAS:
        for method, params in ODD_REQUESTS:
            headers = headers_of(era, method, params.get("name", params.get("uri")))
            yield client.post(served.address, content=json.dumps(message(era, method, **params)), headers=headers)
        for name in ODD_HEADERS:
            headers = headers_of(era, "tools/call", TOOL) | {name: f"{ODD} {ODD}"}
            yield client.post(served.address, json=message(era, "tools/call", **lookup()), headers=headers)
        for body in (f'{{"{ODD}"', f'["{ODD}"]', f'{{"method": "{ODD}"}}', ODD.encode("utf-16")):
            yield client.post(served.address, content=body, headers=headers_of(era, "tools/call", TOOL))
    yield client.get(f"{served.site}/{ODD}?{ODD}={ODD}")
    yield client.request(ODD.upper(), served.address)
    with connected(served) as connection:
        connection.sendall(f"{ODD} {ODD}\r\n\r\n".encode())
        assert connection.recv(1000)


def refusals(client: httpx2.Client, served: Served) -> Iterator[httpx2.Response]:
    headers = headers_of(ERAS[0], "ping")
    yield client.post(served.address, headers=headers | {"Authorization": ""})
    yield client.post(f"{served.site}/elsewhere", headers=headers)
    yield client.post(served.address, headers=headers, content=b"x" * 20001)
    begun = raw_head(headers | {"Authorization": f"Bearer {TOKEN}", "Content-Length": "9"}) + b"{"
    with ExitStack() as held:
        # More each time: one that came while an earlier request was still being put away has not been let in.
        while (answer := client.post(served.address, headers=headers)).status_code != 503:
            held.enter_context(connected(served)).sendall(begun)
        yield answer


def day_of(folder: Path, *options: str) -> Day:
    """Ask a server what is odd, have it refuse what it must, and stop it."""
    always = ("--tokens", token_file(folder, alice=TOKEN), "--dynamic-tools", "--max-phrase", "1000")
    served = Served(folder, [*always, "--max-body", "20000", "--max-concurrency", "2", *options])
    with running(served) as process, httpx2.Client(timeout=SECONDS) as client:
        served.wait_until_ready()
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        day = Day([*odd_answers(client, served)], [*refusals(client, served)])
        served.wait_until_ready()
        process.terminate()
        process.wait(SECONDS)
    day.log = served.log
    return day


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Day:
    return day_of(tmp_path_factory.mktemp("log"))


@pytest.fixture(scope="module")
def telling(tmp_path_factory: pytest.TempPathFactory) -> Day:
    return day_of(tmp_path_factory.mktemp("log"), "--log-phrases", "--log-format", "text")


def test_nothing_that_a_client_makes_up_is_logged(day: Day) -> None:
    assert all(answer.status_code < 500 for answer in day.answers)
    assert ODD not in day.log.lower()


def test_every_line_is_json_and_says_when_how_grave_and_who(day: Day) -> None:
    for line in day.log.splitlines():
        assert {"time", "level", "logger", "message"} <= json.loads(line).keys()


def test_each_mcp_request_that_was_answered_has_one_record(day: Day) -> None:
    records = {record["request"]: record for record in day.records("request")}
    assert len(records) == len(day.records("request"))
    for answer in [answer for answer in day.answers if answer.status_code == 200]:
        record = records[answer.headers["X-Request-Id"]]
        error, result = answer.json().get("error"), answer.json().get("result", {})
        outcome = str(error["code"]) if error else "tool_error" if result.get("isError") else "ok"
        assert (record["caller"], record["outcome"]) == ("alice", outcome)
        assert record.get("decision") == result.get("structuredContent", {}).get("decision")


def test_each_refusal_has_a_record(day: Day) -> None:
    records = {(record["request"], record["status"]) for record in day.records("refused")}
    assert [refusal.status_code for refusal in day.refusals] == [401, 404, 413, 503]
    assert {(refusal.headers["X-Request-Id"], refusal.status_code) for refusal in day.refusals} <= records


def test_with_phrases_the_arguments_of_calls_are_logged_and_nothing_else(telling: Day) -> None:
    parts = [line.partition(" arguments=") for line in telling.log.splitlines() if ODD in line]
    assert not any(ODD in known for known, _, _ in parts)
    sent = [json.dumps(params["arguments"]) for _, params in ODD_REQUESTS if ODD in str(params.get("arguments"))]
    assert {arguments for _, _, arguments in parts} == {arguments[:LOGGED_ARGUMENTS] for arguments in sent}
    assert max(map(len, sent)) > LOGGED_ARGUMENTS


def test_a_text_line_has_the_same_fields(telling: Day) -> None:
    (line,) = [line for line in telling.log.splitlines() if telling.answers[0].headers["X-Request-Id"] in line]
    said = "method=tools/call tool=lookup_capability caller=alice outcome=ok decision=[a-z_]+ milliseconds=[0-9.]+"
    sent = re.escape(json.dumps(ODD_REQUESTS[0][1]["arguments"]))
    assert re.fullmatch(rf"INFO server\.telemetry\.middleware: request request=[0-9a-f]+ {said} arguments={sent}", line)


@pytest.mark.parametrize("era", ERAS)
def test_over_stdio_nothing_is_logged_and_stdout_has_the_protocol_alone(era: str) -> None:
    hello = [message(era, "initialize", **HELLO)] if era == ERAS[0] else []
    asked = [*hello, message(era, "tools/call", **lookup(ODD)), message(era, "tools/call", **call(ODD))]
    with stdio_server("--log-phrases") as process:
        for one in asked:
            assert answer_of(process, one)["id"] == one["id"]
        assert process.stdin
        process.stdin.close()
        process.wait(SECONDS)
        assert process.stdout
        assert process.stderr
        assert (process.stdout.read(), process.stderr.read()) == ("", "")
