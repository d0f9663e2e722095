from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from server.evals.recording import Call, Recording
from tests.server.evals.running import Watch, run_into

pytestmark = [pytest.mark.anyio]

INPUTS = [f"prompt {number}: déjà vu?" for number in range(6)]


class Model:
    """Answers at once and notes what it was asked."""

    def __init__(self, failing: str | None = None) -> None:
        self.asked: list[str] = []
        self.failing = failing

    async def __call__(self, text: str) -> Recording:
        self.asked.append(text)
        await checkpoint()
        if text == self.failing:
            return Recording(input=text, ending="failed", error="no luck")
        return Recording(input=text, calls=(Call(tool="lookup_capability", arguments={"capability": text}),))


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


async def interrupted(out: Path, after: int) -> None:
    """A run that is cancelled once so many prompts are done."""
    with anyio.CancelScope() as scope:

        def stop(done: int, _: int) -> None:
            if done == after:
                scope.cancel()

        await run_into(out, INPUTS, Model(), progress=Watch(stop))
    assert scope.cancelled_caught


async def test_an_interrupted_run_ends_as_one_that_was_not(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    expected = await run_into(whole, INPUTS, Model())
    for after in [1, 3, 5]:
        out, model = tmp_path / f"after-{after}.jsonl", Model()
        await interrupted(out, after)
        assert len(lines(out)) == after
        assert await run_into(out, INPUTS, model) == expected, after
        assert model.asked == INPUTS[after:], after
        assert out.read_bytes() == whole.read_bytes(), after


async def test_a_line_that_was_cut_off_is_asked_again(tmp_path: Path) -> None:
    for lost in [1, 2, 40]:
        whole, out, model = tmp_path / "whole.jsonl", tmp_path / "out.jsonl", Model()
        expected = await run_into(whole, INPUTS, Model())
        out.write_bytes(whole.read_bytes()[:-lost])
        assert await run_into(out, INPUTS, model) == expected, lost
        assert model.asked == INPUTS[-1:], lost
        assert out.read_bytes() == whole.read_bytes(), lost


async def test_a_line_cut_off_within_a_character_is_asked_again(tmp_path: Path) -> None:
    out, model = tmp_path / "out.jsonl", Model()
    expected = await run_into(out, INPUTS, Model())
    out.write_bytes(out.read_bytes()[: out.read_bytes().rindex("é".encode()) + 1])
    assert await run_into(out, INPUTS, model) == expected
    assert model.asked == INPUTS[-1:]


async def test_what_failed_is_asked_again(tmp_path: Path) -> None:
    out, model = tmp_path / "out.jsonl", Model()
    first = await run_into(out, INPUTS, Model(failing=INPUTS[2]), 2)
    second = await run_into(out, INPUTS, model, 2)
    assert [each.ending for each in first].count("failed") == 1
    assert model.asked == [INPUTS[2]]
    assert [each.ending for each in second] == ["answered"] * len(INPUTS)
    assert len(lines(out)) == len(INPUTS)


async def test_a_finished_run_asks_nothing_more_and_other_recordings_stay(tmp_path: Path) -> None:
    out, model = tmp_path / "out.jsonl", Model()
    expected = await run_into(out, INPUTS, Model(), 3)
    assert await run_into(out, INPUTS, model, 3) == expected
    assert model.asked == []
    out = tmp_path / "out.jsonl"
    await run_into(out, INPUTS, Model())
    await run_into(out, INPUTS[:2], Model())
    assert len(lines(out)) == len(INPUTS)


async def test_a_recording_is_taken_up_as_it_was_kept(tmp_path: Path) -> None:
    cases: list[dict[str, Any]] = [
        {"calls": (Call(tool="x", arguments=None),)},
        {"calls": (Call(tool="x", arguments={"agent": None}),)},
        {"error": "one\u2028two\u2029three\x85four\x0bfive"},
    ]

    async def answer(text: str) -> Recording:
        return Recording.model_validate({"input": text} | said)

    for number, said in enumerate(cases):
        out, model = tmp_path / f"{number}.jsonl", Model()
        expected = await run_into(out, INPUTS, answer)
        assert await run_into(out, INPUTS, model) == expected, said
        assert model.asked == [], said


async def test_no_more_prompts_than_allowed_are_under_way() -> None:
    under_way: set[str] = set()
    seen: list[int] = []

    async def answer(text: str) -> Recording:
        under_way.add(text)
        for _ in range(5):
            seen.append(len(under_way))
            await checkpoint()
        under_way.remove(text)
        return Recording(input=text)

    for concurrency in [1, 3, 20]:
        seen.clear()
        await run_into(None, INPUTS, answer, concurrency)
        assert max(seen) == min(concurrency, len(INPUTS)), concurrency


async def test_results_stand_in_the_order_of_the_prompts(tmp_path: Path) -> None:
    done = {text: anyio.Event() for text in INPUTS}

    async def answer(text: str) -> Recording:
        for later in INPUTS[INPUTS.index(text) + 1 :]:
            await done[later].wait()
        done[text].set()
        return Recording(input=text)

    results = await run_into(tmp_path / "out.jsonl", INPUTS, answer, len(INPUTS))
    assert [each.input for each in results] == INPUTS
