"""Arguments of every tool: of the shape that its schema asks for, and of none."""

from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.server.faults.messages import ERAS, headers_of, message
from tests.server.fuzz.calls import ADVERTISED, calls
from tests.server.fuzz.lane import fuzzed
from tests.server.fuzz.sender import Sender, sender_of
from tests.server.fuzz.values import written

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

ANSWERS: Final = {name: Draft202012Validator(tool.output_schema or False) for name, tool in ADVERTISED.items()}


@pytest.fixture(scope="module")
async def sender(small: list[str]) -> AsyncIterator[Sender]:
    async with sender_of("arguments", *small) as sender:
        yield sender


@fuzzed("arguments")
@given(era=st.sampled_from(ERAS), params=calls(), escaped=st.booleans())
async def test_each_call_is_answered_to_schema_or_refused(
    sender: Sender, era: str, params: dict[str, Any], escaped: bool
) -> None:
    request = written(message(era, "tools/call", **params), escaped)
    response = await sender.send(request, headers_of(era, "tools/call", params["name"]))
    result = response.json().get("result")
    if result and not result.get("isError"):
        ANSWERS[params["name"]].validate(result["structuredContent"])
