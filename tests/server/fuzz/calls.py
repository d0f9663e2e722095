"""Calls of every registered tool."""

from typing import Any, Final

from hypothesis import strategies as st

from server.toolset.registry import TOOLS
from server.toolset.toolset import advertised
from tests.server.fuzz.values import of_schema

ADVERTISED: Final = {tool.name: advertised(tool) for tool in TOOLS}


@st.composite
def calls(draw: st.DrawFn) -> dict[str, Any]:
    """Return the params of a call; those of `call_tool` hold another one."""
    name = draw(st.sampled_from(list(ADVERTISED)))
    if name == "call_tool" and draw(st.booleans()):
        return {"name": name, "arguments": draw(calls())}
    return {"name": name, "arguments": draw(of_schema(ADVERTISED[name].input_schema))}
