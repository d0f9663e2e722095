import json

import anyio
import pytest

from server.evals.recording import Call, Recording
from server.evals.tool_runner import connect
from server.providers import KEY_VARIABLES
from tests.server.evals.asking import KEY, MODEL, UNDO, Asker
from tests.server.providers.wire_shapes import Say, call_id

pytestmark = [pytest.mark.anyio]
each_vendor = pytest.mark.parametrize("vendor", KEY_VARIABLES)

SOURCES = ("get_sources", {"agent": None, "capability": "undo"})
UNKNOWN_AGENT = ("lookup_capability", {"agent": "nobody", "capability": "undo"})


async def test_an_answer_without_a_call_ends_the_conversation(ask: Asker) -> None:
    recording = await ask(Say("Four."), text="2 + 2?")
    assert (recording.ending, recording.calls, recording.error) == ("answered", (), None)
    assert [(each.role, each.text) for each in recording.messages] == [("user", "2 + 2?"), ("assistant", "Four.")]


async def test_a_call_is_run_against_the_server_and_kept_with_its_answer(ask: Asker) -> None:
    recording = await ask(Say(calls=(UNDO,)), Say("Done."))
    assert recording.calls == (Call(tool=UNDO[0], arguments=UNDO[1]),)
    assert [each.role for each in recording.messages] == ["user", "assistant", "tool", "assistant"]
    assert json.loads(recording.messages[2].text)["capability"]["name"] == "Checkpoints"


@each_vendor
async def test_the_model_gets_the_key_and_the_servers_tools_in_the_vendors_form(ask: Asker) -> None:
    await ask(Say("Done."))
    async with connect(ask.service) as runner:
        definitions = runner.definitions
    names = {"openai": ("name", "description", "parameters"), "anthropic": ("name", "description", "input_schema")}
    parts = [(tool.name, tool.description, tool.input_schema) for tool in definitions]
    expected = [dict(zip(names[ask.vendor], part, strict=True)) for part in parts]
    body = ask.server.requests[0].body
    assert body["model"] == MODEL
    assert body["tools"] == (
        expected if ask.vendor == "anthropic" else [{"type": "function", "function": each} for each in expected]
    )
    (request,) = ask.server.requests
    assert request.path == {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}[ask.vendor]
    assert KEY in (request.headers.get("authorization", "") + request.headers.get("x-api-key", ""))


@each_vendor
async def test_what_the_model_said_is_sent_back_before_the_answers(ask: Asker) -> None:
    await ask(Say("Let me see.", calls=(UNDO, SOURCES)), Say("Done."))
    said = ask.sent[1]
    assert said["role"] == "assistant"
    if ask.vendor == "openai":
        calls = [(each["id"], each["function"]["name"], each["function"]["arguments"]) for each in said["tool_calls"]]
        arguments = [json.loads(text) for _, _, text in calls]
        text = said["content"]
    else:
        calls = [(each["id"], each["name"], each["input"]) for each in said["content"][1:]]
        arguments = [value for _, _, value in calls]
        text = said["content"][0]["text"]
    assert text == "Let me see."
    assert [(id_, name) for id_, name, _ in calls] == [(call_id(1, 0), UNDO[0]), (call_id(1, 1), SOURCES[0])]
    assert arguments == [UNDO[1], SOURCES[1]]


@each_vendor
async def test_parallel_calls_are_each_answered_under_their_own_id(ask: Asker) -> None:
    recording = await ask(Say(calls=(UNDO, SOURCES)), Say("Done."))
    assert [call.tool for call in recording.calls] == [UNDO[0], SOURCES[0]]
    texts = [each.text for each in recording.messages if each.role == "tool"]
    assert ask.answers() == [(call_id(1, 0), texts[0]), (call_id(1, 1), texts[1])]
    assert "implementationNotes" in texts[0]
    assert "implementationNotes" not in texts[1]


@each_vendor
async def test_an_error_is_told_in_the_vendors_form(ask: Asker) -> None:
    await ask(Say(calls=(UNDO, UNKNOWN_AGENT)), Say("Done."))
    assert "agent 'nobody' is not covered" in ask.answers()[1][1]
    if ask.vendor == "anthropic":
        assert [each["is_error"] for each in ask.sent[-1]["content"]] == [False, True]


async def test_a_second_call_follows_the_answer_to_the_first(ask: Asker) -> None:
    recording = await ask(Say(calls=(UNKNOWN_AGENT,)), Say(calls=(UNDO,)), Say("Done."))
    assert [call.arguments for call in recording.calls] == [UNKNOWN_AGENT[1], UNDO[1]]
    assert [id_ for id_, _ in ask.answers()][-1] == call_id(3, 0)
    assert recording.ending == "answered"


async def test_endless_calls_end_at_the_step_limit(ask: Asker) -> None:
    for steps in [1, 3]:
        ask.server.requests.clear()
        recording = await ask(Say(calls=(UNDO,)), steps=steps)
        assert recording.ending == "step_limit", steps
        assert len(recording.calls) == steps, steps
        assert len(ask.server.requests) == steps, steps


@each_vendor
async def test_tokens_of_all_turns_are_summed(ask: Asker) -> None:
    recording = await ask(Say(calls=(UNDO,), tokens=(100, 7)), Say("Done.", tokens=(250, 3)))
    assert (recording.tokens_in, recording.tokens_out) == (350, 10)


async def test_tokens_are_unknown_where_one_turn_lacks_them(ask: Asker) -> None:
    cases: list[tuple[None, None] | None] = [None, (None, None)]
    for missing in cases:
        recording = await ask(Say(calls=(UNDO,)), Say("Done.", tokens=missing))
        assert (recording.ending, recording.error) == ("answered", None), missing
        assert (recording.tokens_in, recording.tokens_out) == (None, None), missing


async def test_conversations_side_by_side_do_not_mix(ask: Asker) -> None:
    names = [f"prompt {number}" for number in range(6)]
    found: dict[str, Recording] = {}

    async def one(name: str) -> None:
        found[name] = await ask(Say(calls=((name, {}),)), Say(f"answer to {name}"), text=name)

    async with anyio.create_task_group() as group:
        for name in names:
            group.start_soon(one, name)
    told = {name: (each.calls[0].tool, each.messages[-1].text) for name, each in found.items()}
    assert told == {name: (name, f"answer to {name}") for name in names}
