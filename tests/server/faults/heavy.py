"""Requests of up to 1 MiB that are made to cost as much as they can."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from server.toolset.registry import TOOLS
from server.toolset.toolset import advertised
from tests.server.faults.messages import call, lookup

LARGEST: Final = 1_000_000
"""Bytes that a heavy part takes at most, so that the body with all around it stays within 1 MiB."""

PHRASE: Final = 10_000
"""Characters of the longest phrase that is read."""

TEXTS: Final[dict[str, str]] = {
    "marks out of order": "\u0315" * 50 + "\u0300" * 50,
    "marks that decompose": "\u0f73\u0344",
    "characters of eighteen": "\ufdfa",
    "marks on letters": "a\u0315\u0300\u0323",
    "syllables": "각",
    "invisible": "\u3164\u200b\U000e0100",
    "quotes": "a'b\"c`",
    "words": "undo it all back ",
    "misspelt": "chekpoitns ",
    "one word": "x",
    "percent signs": "%25%E2",
    "case": "ẞİŉ",
}
"""Text that a heavy text repeats."""


@dataclass(frozen=True)
class Heavy:
    """A request that should cost little, whatever it asks for."""

    name: str
    method: str
    params: dict[str, Any]


def text(kind: str, characters: int) -> str:
    """Return a text of a kind, of so many characters, or of the bytes that a body may have."""
    unit = TEXTS[kind]
    most = LARGEST // max(1, len(unit.encode()) // len(unit) + 1)
    return (unit * (characters // len(unit) + 1))[: min(characters, most)]


def known_attacks() -> Iterator[Heavy]:
    """Requests that once froze the server, or made others wait."""
    marks = text("marks out of order", LARGEST)
    letters = text("characters of eighteen", LARGEST)
    yield Heavy("category of marks", "tools/call", call("list_capabilities", category=marks))
    yield Heavy("category that expands", "tools/call", call("list_capabilities", category=letters))
    yield Heavy("agent of marks", "tools/call", call(agent=marks, capability="undo"))
    yield Heavy(
        "misspelt agents", "tools/call", call("compare_capability", agents=["clod"] * 90_000, capability="undo")
    )
    yield Heavy("numbers for agents", "tools/call", call("compare_capability", agents=[7] * 200_000, capability="undo"))
    yield Heavy("long capability", "tools/call", call("explain_match", phrase="undo", capability="x" * LARGEST))
    for kind in TEXTS:
        needs = [text(kind, PHRASE)] * 20
        yield Heavy(f"needs: {kind}", "tools/call", call("recommend_agent", needs=needs))
    yield Heavy("address of marks", "resources/read", {"uri": f"capabilities://category/{marks}"})
    yield Heavy("long address", "resources/read", {"uri": "capabilities://a/" + "%CC%95" * 100_000})
    reference = {"type": "ref/resource", "uri": "capabilities://{agent}/{capability}"}
    yield Heavy(
        "completion", "completion/complete", {"ref": reference, "argument": {"name": "agent", "value": letters}}
    )
    yield Heavy("tool of a long name", "tools/call", call("call_tool", name=marks, arguments={}))
    yield Heavy("many keys", "tools/call", lookup() | {"arguments": {f"key {n}": n for n in range(60_000)}})
    yield Heavy("many objects", "tools/call", call(agent=[{"a": 1}] * 90_000, capability="undo"))
    yield Heavy("many lists", "tools/call", call(agent="a", capability=[[]] * 300_000))


def generated(count: int, seed: int) -> Iterator[Heavy]:
    """Calls of every tool with heavy texts and lists in the places of its arguments."""
    chosen = random.Random(seed)
    schemas = {tool.name: advertised(tool).input_schema for tool in TOOLS}
    for number in range(count):
        name = chosen.choice(list(schemas))
        properties = schemas[name].get("properties", {})
        arguments = {key: _value(chosen, schema, len(properties)) for key, schema in properties.items()}
        yield Heavy(f"{number}: {name}", "tools/call", call(name, **arguments))


def _value(chosen: random.Random, schema: dict[str, Any], shares: int) -> Any:
    kind = chosen.choice(list(TEXTS))
    size = chosen.choice((200, PHRASE, LARGEST)) // max(1, shares)
    if schema.get("type") == "array":
        item = text(kind, chosen.choice((10, 200, 9_000)))
        return [item] * min(chosen.choice((1, 20, 60_000)), LARGEST // (4 * len(item) * shares))
    if chosen.random() < 0.2:
        return chosen.choice(([[]] * (size // 4), {str(n): n for n in range(size // 16)}, size, None))
    return text(kind, size)
