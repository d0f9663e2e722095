import pytest

from server.evals.prompts import Prompt
from server.matching.service import Service
from tests.server.evals.judging import (
    AMBIGUOUS,
    COMPARE,
    ERROR,
    LIST,
    LOOKUP,
    NO_MATCH,
    SOURCES,
    UNDO,
    Made,
    judge,
    prompt,
)

pytestmark = [pytest.mark.anyio]


async def test_a_call_of_the_expected_tool_in_canonical_names_is_right(service: Service) -> None:
    result = await judge(service, prompt(), (LOOKUP, UNDO))
    assert (result.right_tool, result.right_arguments, result.retried) == (True, True, False)


async def test_what_the_server_understands_as_expected_is_right(service: Service) -> None:
    cases: list[tuple[Prompt, Made]] = [
        (prompt(), (LOOKUP, {"agent": "Claude", "capability": "rewind"})),
        (prompt(), (LOOKUP, {"agent": "claude code", "capability": "let me restore what was"})),
        (prompt(), (LOOKUP, UNDO | {"verbose": True})),
        (prompt(COMPARE, {"capability": "Vision"}), (COMPARE, {"capability": "images"})),
        (prompt(COMPARE, {"capability": "Vision"}), (COMPARE, {"capability": "Vision", "agents": []})),
        (
            prompt(COMPARE, {"capability": "Vision"}),
            (COMPARE, {"capability": "Vision", "agents": ["gemini", "claude"]}),
        ),
        (
            prompt(COMPARE, {"capability": "Vision", "agents": ["gemini-cli", "claude-code"]}),
            (COMPARE, {"capability": "Vision"}),
        ),
        (
            prompt(COMPARE, {"capability": "Vision", "agents": ["gemini-cli"]}),
            (COMPARE, {"capability": "Vision", "agents": ["gemini", "Gemini CLI"]}),
        ),
        (prompt(LIST, {"category": "performance"}), (LIST, {"category": "Performance"})),
        (prompt(SOURCES, {"agent": "gemini-cli"}), (SOURCES, {"agent": "gemini"})),
        (prompt(LOOKUP, UNDO | {"capability": "Vision"}), (LOOKUP, UNDO | {"capability": "Vision"})),
    ]
    for expected, made in cases:
        assert (await judge(service, expected, made)).right_arguments is True, expected


async def test_the_right_tool_with_other_arguments_is_half_right(service: Service) -> None:
    cases: list[tuple[Prompt, Made]] = [
        (prompt(), (LOOKUP, UNDO | {"agent": "gemini-cli"})),
        (prompt(), (LOOKUP, UNDO | {"capability": "Vision"})),
        (prompt(), (LOOKUP, AMBIGUOUS)),
        (prompt(), (LOOKUP, NO_MATCH)),
        (prompt(), (LOOKUP, ERROR)),
        (prompt(), (LOOKUP, '{"agent": "claude-code"')),
        (prompt(), (LOOKUP, None)),
        (prompt(LIST, {"category": "performance"}), (LIST, {"category": "api-integration"})),
        (prompt(LIST, {"category": "performance"}), (LIST, {"category": "performance", "agent": "gemini-cli"})),
        (prompt(LIST, {"category": "performance", "agent": "gemini-cli"}), (LIST, {"category": "performance"})),
        (prompt(COMPARE, {"capability": "Vision"}), (COMPARE, {"capability": "Vision", "agents": ["gemini-cli"]})),
        (prompt(SOURCES, {"agent": "gemini-cli"}), (SOURCES, {"agent": "gemini-cli", "capability": "Vision"})),
        (prompt(SOURCES, {"agent": "gemini-cli"}), (SOURCES, {"agent": "gemini-cli", "capability": "history"})),
    ]
    for expected, made in cases:
        result = await judge(service, expected, made)
        assert (result.right_tool, result.right_arguments) == (True, False), expected


async def test_another_tool_or_none_is_wrong_in_both(service: Service) -> None:
    cases: list[list[Made]] = [[], [(COMPARE, {"capability": "Checkpoints"})], [("invented", UNDO)]]
    for calls in cases:
        result = await judge(service, prompt(), *calls)
        assert (result.right_tool, result.right_arguments) == (False, False), calls


async def test_only_the_first_call_counts(service: Service) -> None:
    result = await judge(service, prompt(), (LIST, {"agent": "claude-code"}), (LOOKUP, UNDO))
    assert (result.right_tool, result.called) == (False, LIST)


async def test_where_no_call_is_expected_arguments_are_not_judged(service: Service) -> None:
    cases: list[tuple[list[Made], bool]] = [([], True), ([(LOOKUP, UNDO)], False)]
    for calls, right_tool in cases:
        result = await judge(service, prompt(None), *calls)
        assert (result.right_tool, result.right_arguments) == (right_tool, None), calls


async def test_a_tool_of_an_alternative_needs_the_arguments_of_that_alternative(service: Service) -> None:
    cases: list[tuple[Made, bool]] = [
        ((LIST, {"agent": "claude-code"}), True),
        ((LOOKUP, UNDO | {"capability": "Vision"}), True),
        ((LIST, {"agent": "gemini-cli"}), False),
    ]
    for made, right_arguments in cases:
        expected = prompt(LOOKUP, UNDO, (LIST, {"agent": "claude-code"}), (LOOKUP, UNDO | {"capability": "Vision"}))
        result = await judge(service, expected, made)
        assert (result.right_tool, result.right_arguments) == (True, right_arguments), made
