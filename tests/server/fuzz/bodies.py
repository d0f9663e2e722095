"""Bodies of HTTP requests: right ones, changed in their JSON or in their bytes, and bytes that were never right."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st
from mcp.shared.inbound import encode_header_value

from tests.server.faults.messages import ERAS, HELLO, call, lookup, message
from tests.server.fuzz.values import texts, wild, written

REFERENCE: Final = {"type": "ref/resource", "uri": "capabilities://{agent}/{capability}"}
RIGHT: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("initialize", HELLO),
    ("ping", {}),
    ("server/discover", {}),
    ("tools/list", {"cursor": None}),
    ("tools/call", lookup("restore my files")),
    ("tools/call", call("call_tool", name="match_capability", arguments={"phrase": "undo it", "top": 2})),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "capabilities://claude-code/Checkpoints"}),
    ("resources/subscribe", {"uri": "capabilities://manifest"}),
    ("completion/complete", {"ref": REFERENCE, "argument": {"name": "agent", "value": "c"}}),
    ("logging/setLevel", {"level": "debug"}),
    ("prompts/get", {"name": "x"}),
    ("subscriptions/listen", {"notifications": {"toolsListChanged": True}}),
    ("notifications/initialized", {}),
    ("notifications/cancelled", {"requestId": 1, "reason": "x"}),
    ("notifications/progress", {"progressToken": 1, "progress": 0.5}),
)
"""Methods with their params; not every one is served in every era."""


@dataclass(frozen=True)
class Body:
    """A request body, and the headers that describe it."""

    era: str
    method: str
    name: str | None
    content: bytes


@st.composite
def bodies(draw: st.DrawFn) -> Body:
    """Return a body of any kind, with the headers of the request that it was made of."""
    era, (method, params) = draw(st.sampled_from(ERAS)), draw(st.sampled_from(RIGHT))
    kind = draw(st.sampled_from(("right", "text", "text", "value", "value", "bytes", "noise")))
    params = copy.deepcopy(params)
    if kind == "text":
        change_a_text(draw, params)
    request = copy.deepcopy(message(era, method, **params))
    if method.startswith("notifications/"):
        del request["id"]
    value = draw(changed_values(request)) if kind == "value" else request
    content = written(value, draw(st.booleans()))
    if kind == "bytes":
        content = draw(changed_bytes(content))
    if kind == "noise":
        content = draw(st.binary(max_size=300))
    return Body(era, method, name_in(params), content)


def change_a_text(draw: st.DrawFn, params: dict[str, Any]) -> None:
    """Put another text in the place of one of them."""
    found = [(holder, position) for holder, position in places(params) if isinstance(holder[position], str)]
    if found:
        holder, position = found[draw(st.integers(0, len(found) - 1))]
        holder[position] = draw(texts)


def name_in(params: dict[str, Any]) -> str | None:
    """Return the name or address that a header of protocol 2026-07-28 repeats, written as a header can."""
    name = params.get("name", params.get("uri"))
    if name is None:
        return None
    try:
        return encode_header_value(name)
    except UnicodeEncodeError:
        return "cannot be written"


@st.composite
def changed_values(draw: st.DrawFn, request: dict[str, Any]) -> Any:
    """JSON of which one to three parts are replaced, left out, renamed or put in a list."""
    tree: list[Any] = [request]
    for _ in range(draw(st.integers(1, 3))):
        found = list(places(tree))
        if not found:
            break
        holder, position = found[draw(st.integers(0, len(found) - 1))]
        match draw(st.sampled_from(("replace", "remove", "rename", "nest"))):
            case "replace":
                holder[position] = draw(wild)
            case "rename" if isinstance(holder, dict):
                holder[draw(texts)] = holder.pop(position)
            case "nest":
                holder[position] = [holder[position]]
            case _:
                del holder[position]
    return tree[0] if tree else None


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every list or object within a value, with each of its positions."""
    positions = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for position in positions:
        yield value, position
        yield from places(value[position])


@st.composite
def changed_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    """Bytes of which a few stretches are left out, doubled, or others."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 20)))
        between = draw(st.one_of(st.just(b""), st.binary(max_size=8), st.just(content[start:end] * 3)))
        content = content[:start] + between + content[end:]
    return content
