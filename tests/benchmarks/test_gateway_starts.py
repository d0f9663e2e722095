"""A start is complete only when answers stay so."""

from typing import cast

import pytest

from benchmarks.gateways import starts
from benchmarks.gateways.contestants import Contestant
from benchmarks.gateways.starts import until_complete
from benchmarks.gateways.tool_set import ToolRequest
from benchmarks.stdio import Connection

NEED = ToolRequest("book a flight", frozenset())
WORDS_ALONE = '{"decision": "no_match", "tools": [], "degraded": true}'
COMPLETE = '{"decision": "no_match", "tools": []}'


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Gateway:
    """Answers with some texts, the last one for ever."""

    name = "made"
    started = -1.0

    def __init__(self, *texts: str) -> None:
        self._texts = list(texts)

    def search(self, *_: object) -> dict[str, object]:
        text = self._texts.pop(0) if len(self._texts) > 1 else self._texts[0]
        return {"content": [{"type": "text", "text": text}]}


def times(monkeypatch: pytest.MonkeyPatch, *texts: str) -> tuple[float, float]:
    monkeypatch.setattr(starts, "time", Clock())
    gateway = Gateway(*texts)
    return until_complete(cast("Contestant", gateway), cast("Connection", gateway), {}, NEED)


def test_a_gateway_that_answers_completely_at_once_is_complete_with_its_first_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert times(monkeypatch, COMPLETE) == (1.0, 1.0)


def test_an_answer_before_further_upstreams_came_is_not_the_complete_one(monkeypatch: pytest.MonkeyPatch) -> None:
    first, complete = times(monkeypatch, COMPLETE, WORDS_ALONE, WORDS_ALONE, COMPLETE)
    assert (first, complete) == pytest.approx((1.0, 1.0 + 3 * starts.PAUSE))


def test_a_gateway_that_never_completes_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TimeoutError, match="made is not complete"):
        times(monkeypatch, WORDS_ALONE)
