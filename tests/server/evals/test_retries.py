import pytest

from server.matching.service import Service
from tests.server.evals.judging import AMBIGUOUS, ERROR, LIST, LOOKUP, NO_MATCH, UNDO, Made, judge, prompt

pytestmark = [pytest.mark.anyio]


async def test_a_retry_is_the_same_tool_again_after_it_could_not_answer(service: Service) -> None:
    cases: list[tuple[list[Made], bool]] = [
        ([(LOOKUP, ERROR), (LOOKUP, UNDO)], True),
        ([(LOOKUP, AMBIGUOUS), (LOOKUP, UNDO)], True),
        ([(LOOKUP, NO_MATCH), (LOOKUP, UNDO)], True),
        ([(LOOKUP, "{"), (LOOKUP, UNDO)], True),
        ([("invented", {}), ("invented", {})], True),
        ([(LOOKUP, ERROR), (LIST, {"agent": "claude"}), (LOOKUP, UNDO)], True),
        ([(LIST, {"agent": "claude"}), (LOOKUP, NO_MATCH), (LOOKUP, NO_MATCH)], True),
        ([(LOOKUP, ERROR), (LIST, {"agent": "claude"})], False),
        ([(LOOKUP, UNDO), (LOOKUP, UNDO)], False),
        ([(LOOKUP, UNDO), (LOOKUP, ERROR)], False),
        ([(LOOKUP, NO_MATCH)], False),
        ([("invented", {}), (LOOKUP, UNDO)], False),
        ([], False),
    ]
    for calls, retried in cases:
        assert (await judge(service, prompt(), *calls)).retried is retried, calls
