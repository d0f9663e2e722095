"""The wall clock jumps, by a year and more, back and forth; what takes time goes by another clock."""

import json
import logging
import os
import time
from collections.abc import AsyncIterator
from datetime import datetime, tzinfo
from itertools import cycle
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from server.http.tokens import TokenFile
from server.matching.label_service import LiveService
from server.matching.origins import AgentsFolder
from server.matching.reload import Reloader
from server.matching.service import open_service
from server.tools import catalog_status
from tests.server.faults.clean import assert_clean
from tests.server.faults.in_process import application_client
from tests.server.faults.messages import ERAS, call, headers_of, message
from tests.toy import ToyEncoder

pytestmark = [pytest.mark.anyio]
YEAR = 365 * 24 * 3600
REQUEST_TIME = 2
SLOW = 60
FAR_DAYS = ("0001-01-01", "1970-01-01", "2100-02-28", "9999-12-31")
"""Times of clocks whose battery is dead, or that somebody has set."""
ANN, BOB = "ann-0123456789abcdef", "bob-0123456789abcdef"


@pytest.fixture
async def client(toy_data: Path, toy_model: None) -> AsyncIterator[httpx2.AsyncClient]:
    options = ["--data", str(toy_data), "--profile", "full", "--request-timeout", str(REQUEST_TIME)]
    async with application_client(*options) as client:
        yield client


@pytest.fixture
def jumping(client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on every look at the clock shows a time more than a year from the last."""
    now, jumps = time.time, cycle([0, YEAR, -YEAR, 20 * YEAR])
    monkeypatch.setattr(time, "time", lambda: now() + next(jumps))


async def post(client: httpx2.AsyncClient, era: str, params: dict[str, Any]) -> httpx2.Response:
    headers = headers_of(era, "tools/call", params["name"])
    return await client.post("/mcp", json=message(era, "tools/call", **params), headers=headers)


@pytest.mark.parametrize("era", ERAS)
async def test_calls_are_answered_and_their_times_measured(
    client: httpx2.AsyncClient, jumping: None, caplog: pytest.LogCaptureFixture, era: str
) -> None:
    caplog.set_level(logging.INFO, "server.telemetry.middleware")
    for _ in range(8):
        response = await post(client, era, call(agent="claude-code", capability="restore"))
        assert response.json()["result"]["structuredContent"]["capability"]["name"] == "Checkpoints"
    taken = [record.__dict__["milliseconds"] for record in caplog.records if record.msg == "request"]
    assert len(taken) == 8
    assert all(0 <= milliseconds < SLOW * 1000 for milliseconds in taken)


async def test_a_slow_body_has_its_time_neither_more_nor_less(client: httpx2.AsyncClient, jumping: None) -> None:
    async def body() -> AsyncIterator[bytes]:
        yield b"{"
        await anyio.sleep(SLOW)

    start = time.monotonic()
    response = await client.post("/mcp", content=body(), headers=headers_of(ERAS[0], "tools/call"))
    assert response.status_code == 504
    assert REQUEST_TIME / 2 < time.monotonic() - start < SLOW / 2


@pytest.mark.parametrize("day", FAR_DAYS)
async def test_the_age_of_the_sources_is_told_from_any_day(
    client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch, day: str
) -> None:
    class Stopped(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Stopped":
            return cls.fromisoformat(day).replace(tzinfo=tz)

    monkeypatch.setattr(catalog_status, "datetime", Stopped)
    for days in (0, 90, 10**9):
        response = await post(client, ERAS[0], call("catalog_status", staleAfterDays=days))
        assert_clean(response.status_code, response.text)
        answer = response.json()["result"]["structuredContent"]
        assert answer["today"] == day
        all_stale = day > "2100" and days < 10**9
        assert answer["sources"]["stale"] == (answer["sources"]["total"] if all_stale else 0)


@pytest.mark.parametrize("jump", [-20 * YEAR, -1, 20 * YEAR])
async def test_a_token_file_written_at_another_time_is_read(tmp_path: Path, jump: int) -> None:
    path = tmp_path / "tokens.json"
    path.write_text(json.dumps({"ann": ANN}), encoding="utf-8")
    tokens = TokenFile(path)
    write_as_of(path, json.dumps({"bob": BOB}), jump)
    assert await tokens.verify_token(ANN) is None
    assert await tokens.verify_token(BOB)


@pytest.mark.parametrize("jump", [-20 * YEAR, -1, 20 * YEAR])
async def test_a_catalog_written_at_another_time_is_read(toy_data: Path, jump: int) -> None:
    service = open_service(toy_data, lambda threads: ToyEncoder())
    service.matchers.load()
    live = LiveService(service)
    reloader = Reloader(live, AgentsFolder(toy_data))
    changed = [reloader.changed]
    write_as_of(toy_data / "aliases.json", json.dumps({"go back in time": "Checkpoints"}), jump)
    changed += [reloader.changed]
    assert reloader.reload()
    assert [*changed, reloader.changed] == [False, True, False]
    assert live.current.match("go back in time").matches[0].matched_by == "alias"


def write_as_of(path: Path, content: str, jump: int) -> None:
    """Write a file when the clock shows another time than when it was last written."""
    before = path.stat().st_mtime
    path.write_text(content, encoding="utf-8")
    os.utime(path, (before + jump, before + jump))
