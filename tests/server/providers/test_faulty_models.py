import json
from typing import Any

import pytest

from server.evals.recording import Call
from tests.server.evals.asking import UNDO, Asker
from tests.server.providers.model_server import Cut, Fail, Hang, Raw, Reply
from tests.server.providers.wire_shapes import Say, completion_of, message_of

pytestmark = [pytest.mark.anyio]

LOOKUP = "lookup_capability"
BROKEN: dict[str, Reply] = {"429": Fail(429), "500": Fail(500), "529": Fail(529), "cut": Cut()}


async def test_a_passing_fault_leaves_no_trace(ask: Asker, waits: list[float]) -> None:
    for fault in BROKEN.values():
        recording = await ask(fault, Say("Done."))
        assert (recording.ending, recording.error, recording.tokens_in) == ("answered", None, 100), fault
        assert len(waits) == 1, fault


async def test_a_fault_in_the_middle_is_tried_again_from_there(ask: Asker) -> None:
    recording = await ask(Say(calls=(UNDO,)), Fail(500), Say("Done."))
    assert len(recording.calls) == 1
    assert len(recording.messages) == 4
    assert ask.server.requests[1].body == ask.server.requests[2].body


async def test_the_wait_is_as_long_as_the_server_says(ask: Asker, waits: list[float]) -> None:
    await ask(Fail(429, headers={"Retry-After": "7"}), Say("Done."))
    assert waits == [7.0]


async def test_without_a_time_to_wait_each_wait_is_longer(ask: Asker, waits: list[float]) -> None:
    cases: list[dict[str, str]] = [{}, {"Retry-After": "0"}]
    for headers in cases:
        recording = await ask(*[Fail(429, headers=headers)] * 3, Say("Done."), retries=3)
        assert recording.ending == "answered", headers
        assert 0 < waits[0] < waits[1] < waits[2], headers


async def test_a_lasting_fault_ends_after_the_retries_and_is_named(ask: Asker) -> None:
    for fault in BROKEN.values():
        ask.server.requests.clear()
        recording = await ask(fault, retries=2)
        assert recording.ending == "failed", fault
        assert len(ask.server.requests) == 3, fault
        assert (str(fault.status) if isinstance(fault, Fail) else "Connection error") in (recording.error or ""), fault


async def test_calls_made_before_a_fault_are_kept(ask: Asker) -> None:
    recording = await ask(Say(calls=(UNDO,)), Fail(400, "too long"))
    assert (recording.ending, len(recording.calls)) == ("failed", 1)
    assert "too long" in (recording.error or "")


async def test_a_model_slower_than_the_timeout_fails(ask: Asker, waits: list[float]) -> None:
    recording = await ask(Hang(), timeout=0.2, retries=1)
    assert recording.ending == "failed"
    assert "timed out" in (recording.error or "")
    assert len(waits) == 1


async def test_a_model_that_was_too_slow_once_is_asked_again(ask: Asker) -> None:
    recording = await ask(Hang(), Say("Done."), timeout=1.0, retries=5)
    assert (recording.ending, recording.messages[-1].text) == ("answered", "Done.")


async def test_a_body_of_another_shape_fails(ask: Asker) -> None:
    for body in ["", "{nope", "[]", "null", '"text"', "{}", '{"choices": [], "content": null}']:
        recording = await ask(Raw(body))
        assert recording.ending == "failed", body
        assert recording.error, body


async def test_a_body_nested_without_end_fails(ask: Asker) -> None:
    recording = await ask(Raw("[" * 100_000))
    assert recording.ending == "failed"


async def test_tokens_that_are_no_counts_are_unknown(ask: Asker) -> None:
    cases: list[tuple[Any, Any]] = [(-1, -1), (1.5, 2.5), ("many", "few")]
    for tokens in cases:
        recording = await ask(Say("Done.", tokens=tokens))
        assert (recording.ending, recording.tokens_in, recording.tokens_out) == ("answered", None, None), tokens


async def test_text_in_parts_does_not_break_the_run(ask: Asker) -> None:
    parts: Any = [{"type": "text", "text": "Do"}, {"type": "text", "text": "ne."}]
    whole = message_of(Say(), "m", 1) | {"content": parts}
    if ask.vendor == "openai":
        whole = completion_of(Say(), "m", 1)
        whole["choices"][0]["message"]["content"] = parts
    recording = await ask(Raw(json.dumps(whole)))
    assert recording.ending in {"answered", "failed"}


async def test_an_answer_that_says_nothing_is_empty(ask: Asker) -> None:
    for text in ["", " \n"]:
        recording = await ask(Say(text))
        assert (recording.ending, recording.calls) == ("empty", ()), text


async def test_a_refusal_is_kept_as_one(ask: Asker) -> None:
    for words in ["I would rather not.", ""]:
        recording = await ask(Say(words, refused=True))
        assert (recording.ending, recording.messages[-1].text) == ("refused", words), words


async def test_arguments_that_are_no_object_are_kept_and_answered_with_an_error(
    subtests: pytest.Subtests, ask: Asker
) -> None:
    cases: list[Any] = ["{nope", ["undo"], 7, None]
    for written in cases:
        ask.server.requests.clear()
        with subtests.test(written=written):
            recording = await ask(Say(calls=((LOOKUP, written),)), Say("Done."))
            assert recording.calls == (Call(tool=LOOKUP, arguments=written),)
            assert "not a JSON object" in ask.answers()[0][1]
            assert recording.ending == "answered"


async def test_arguments_nested_deeply_are_answered_with_an_error(ask: Asker) -> None:
    deep: Any = json.loads("[" * 300 + "]" * 300)
    recording = await ask(Say(calls=((LOOKUP, {"agent": "claude-code", "capability": deep}),)), Say("Done."))
    assert recording.ending == "answered"


async def test_an_unknown_tool_is_answered_with_the_known_ones(ask: Asker) -> None:
    recording = await ask(Say(calls=(("no_such_tool", {}),)), Say("Done."))
    assert recording.calls == (Call(tool="no_such_tool", arguments={}),)
    assert LOOKUP in ask.answers()[0][1]
    assert recording.ending == "answered"


async def test_half_a_character_can_be_kept(ask: Asker) -> None:
    recording = await ask(Say("so \ud83d"))
    assert recording.to_line().encode()
