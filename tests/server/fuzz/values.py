"""Values that callers send: what a schema asks for, and what none does."""

import json
from typing import Any, Final

from hypothesis import strategies as st

Values = st.SearchStrategy[Any]

NASTY: Final = (
    "",
    " ",
    "\0",
    "\x1b[31mred",
    "\r\nSet-Cookie: a=b",
    "\ufeff\u200b\u202e\u2066\u00ad",
    "\ud800",
    "\udfff\ud800",
    "\U0010ffff",
    "../../../../etc/passwd",
    "capabilities://{agent}/{capability}",
    "{0.__class__} %s %n ${jndi:ldap://x} {{7*7}}",
    "'; DROP TABLE capabilities; --",
    '{"agent": "claude-code"}',
    "<script>alert(1)</script>",
    "null",
    "-1",
    "1e999",
)
REPEATED: Final = (
    ("\u0301", 2_000),
    ("\u0315" * 50 + "\u0300" * 50, 100),
    ("\u0f73\u0344\uff9e", 3_000),
    ("a\u0315\u0300", 3_000),
    ("\u3164\u115f\u034f\u180b", 2_000),
    ("\U000e0100\ufff0\u2065", 3_000),
    ("👩‍👩‍👧‍👦", 100),
    ("ﷺ", 1_000),
    ("ßİ", 100),
    ("undo ", 3_000),
    ("x", 10_001),
    ("[", 100_000),
)
"""Beginnings of long texts, and how often they come."""
KNOWN: Final = (
    "claude-code",
    "gemini-cli",
    "Claude Code",
    "claude_cod",
    "Checkpoints",
    "MCP Support",
    "rewind",
    "snapshots",
    "restore my files",
    "plug in outside tools",
    "performance",
    "free",
    "enterprise",
    "match",
    "decide",
    "catalog",
    "lookup_capability",
    "call_tool",
    "lookup capabilty",
)
TIMES: Final = (1, 20, 21, 50, 51, 5_000)
"""How often a list repeats one item: at the limits of the tools' lists, and far beyond them."""

MAX_CHARACTERS: Final = 10_000
"""Of all repetitions of one item; the heavy requests of `tests.server.faults` have more."""

EXPONENTS: Final = (0, 9, 10, 16, 19, 30, 309, 4_000)

texts: Values = st.one_of(
    st.sampled_from(KNOWN),
    st.sampled_from(NASTY),
    st.sampled_from(REPEATED).map(lambda repeated: repeated[0] * repeated[1]),
    st.text(st.characters(exclude_categories=())),
    st.lists(st.sampled_from((*KNOWN, *NASTY)), max_size=4).map(" ".join),
)
numbers: Values = st.one_of(
    st.sampled_from(EXPONENTS).map(lambda exponent: -(10**exponent)), st.integers(), st.floats()
)
scalars: Values = st.one_of(st.none(), st.booleans(), numbers, texts)
wild: Values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(texts, inner, max_size=5)),
    max_leaves=8,
)
"""Any JSON, and what only Python's JSON has."""


def of_schema(schema: dict[str, Any]) -> Values:
    """Values of the shape that a tool's schema asks for."""
    if "anyOf" in schema:
        return st.one_of([of_schema(choice) for choice in schema["anyOf"]])
    by_type: dict[str, Values] = {
        "null": st.none(),
        "boolean": st.booleans(),
        "integer": st.integers(schema.get("minimum"), schema.get("maximum")),
        "string": texts,
    }
    if schema.get("type") == "object":
        return objects(schema.get("properties", {}), schema.get("required", []))
    if schema.get("type") == "array":
        items = of_schema(schema.get("items", {}))
        few = st.lists(items, min_size=schema.get("minItems", 0), max_size=min(schema.get("maxItems", 5), 5))
        repeated = st.tuples(items, st.sampled_from(TIMES)).map(lambda pair: _repeated(*pair))
        return st.one_of(few, few, few, repeated)
    return by_type.get(schema.get("type", ""), wild)


def _repeated(item: Any, times: int) -> list[Any]:
    """Return one item so many times, or as many as a body has room for."""
    return [item] * min(times, 1 + MAX_CHARACTERS // (1 + len(str(item))))


def objects(properties: dict[str, Any], required: list[str]) -> Values:
    """Objects with the required properties, some of the others, and now and then one that is not asked for."""
    right = st.fixed_dictionaries(
        {name: of_schema(properties[name]) for name in required},
        optional={name: of_schema(schema) for name, schema in properties.items() if name not in required},
    )
    more = st.dictionaries(st.one_of(st.sampled_from(list(properties) or ["x"]), texts), wild, max_size=2)
    return st.one_of(right, right, st.tuples(right, more).map(lambda both: both[0] | both[1]), wild)


def written(value: Any, escaped: bool) -> bytes:
    """JSON as a client may write it: letters beyond ASCII as escapes, or as they are."""
    return json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
