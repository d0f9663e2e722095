"""Arguments are checked against schemas that somebody else wrote."""

import time
from typing import Any

import pytest

from server.errors import CallerError, Parts
from server.tools.remote_tool import ArgumentCheck

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "repo": {"type": "string", "minLength": 2},
        "mode": {"enum": ["soft", "hard"]},
        "count": {"type": "integer", "minimum": 1},
        "files": {"type": "array", "items": {"type": "object", "properties": {"path": {"type": "string"}}}},
        "any": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    },
    "required": ["repo"],
    "additionalProperties": False,
}


def refusal(schema: dict[str, Any], arguments: dict[str, Any]) -> Parts:
    with pytest.raises(CallerError) as caught:
        ArgumentCheck(schema).check("git__reset", arguments)
    return Parts.of(caught.value)


def passes(schema: Any, arguments: dict[str, Any]) -> bool:
    ArgumentCheck(schema).check("git__reset", arguments)
    return True


def object_of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_what_fits_passes() -> None:
    assert passes(SCHEMA, {"repo": "here", "mode": "soft", "count": 2, "files": [{"path": "a"}], "any": 3})


def test_the_field_and_what_is_allowed_are_named() -> None:
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"repo": 3}, "git__reset got 3 for 'repo'", "it must be of type string"),
        ({"repo": "x"}, "git__reset got 'x' for 'repo'", "it must have at least 2 characters"),
        ({"repo": "here", "mode": "mixed"}, "git__reset got 'mixed' for 'mode'", "it must be one of 'soft', 'hard'"),
        ({"repo": "here", "count": 0}, "git__reset got 0 for 'count'", "it must be at least 1"),
        (
            {"repo": "here", "files": [{}, {"path": 1}]},
            "git__reset got 1 for 'files.1.path'",
            "it must be of type string",
        ),
        ({}, "git__reset needs the argument 'repo', which is missing", "known: repo, mode, count, files, any"),
        (
            {"repo": "here", "branch": "main"},
            "git__reset got 'branch' in 'arguments', which it does not know",
            "known: repo, mode, count, files, any",
        ),
    ]
    for arguments, value, rule in cases:
        parts = refusal(SCHEMA, arguments)
        assert (parts.value, parts.rule) == (value, rule), (arguments, value, rule)
        assert parts.next_step, (arguments, value, rule)


def test_a_field_that_misses_every_choice_is_named() -> None:
    assert refusal(SCHEMA, {"repo": "here", "any": []}).value == "git__reset got [] for 'any'"


def test_a_long_value_is_cut_in_the_message() -> None:
    assert len(str(refusal(SCHEMA, {"repo": ["x" * 100_000]}))) < 400


def test_a_schema_that_is_wrong_refuses_nothing() -> None:
    cases: list[Any] = [
        {"type": "nonsense"},
        {"required": "repo"},
        {"properties": []},
        {"$schema": {}, "type": "string"},
        {"$schema": "http://json-schema.org/draft-07/schema#", "properties": 3},
        {"$ref": "#/nowhere"},
        {"$ref": "#"},
        object_of(a={"$ref": "#/properties/a"}),
        {"$schema": "https://nobody.example/dialect", "$ref": "#/$defs/none"},
    ]
    for schema in cases:
        assert passes(schema, {"a": 1}), schema


def test_older_dialects_are_checked_as_such() -> None:
    for dialect in ["draft-04", "draft-06", "draft-07"]:
        schema = object_of(a={"type": "string"}) | {"$schema": f"http://json-schema.org/{dialect}/schema#"}
        assert refusal(schema, {"a": 1}).value == "git__reset got 1 for 'a'", dialect


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[Any] = []
    monkeypatch.setattr("urllib.request.urlopen", lambda *given, **_: fetched.append(given))
    assert passes(object_of(a={"$ref": "https://example.com/schema.json"}), {"a": 1})
    assert fetched == []


def nested(count: int) -> dict[str, Any]:
    """Return a schema of some lines that takes 2 ** count steps."""
    levels = {f"l{n}": {"anyOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 2} for n in range(count)}
    return object_of(a={"$ref": "#/$defs/l0"}) | {"$defs": levels | {f"l{count}": {"type": "string"}}}


def deep(count: int) -> Any:
    value: Any = {"type": "string"}
    for _ in range(count):
        value = {"properties": {"a": value}}
    return value


def test_a_costly_check_is_given_up_soon(subtests: pytest.Subtests) -> None:
    cases: dict[str, tuple[dict[str, Any], Any]] = {
        "nested references": (nested(40), 1),
        "pattern": (object_of(a={"pattern": "^(a+)+$"}), "a" * 40 + "!"),
        "pattern of names": ({"patternProperties": {"^(a+)+$": {}}}, 1),
        "unique items": (object_of(a={"uniqueItems": True}), [{"n": n} for n in range(20_000)]),
        "many items": (object_of(a={"items": {"type": "integer"}}), list(range(200_000))),
        "deep schema": (deep(5_000), 1),
        "long enum": (object_of(a={"enum": list(range(100_000))}), 5),
    }
    for costly, (schema, value) in cases.items():
        with subtests.test(costly=costly):
            start = time.perf_counter()
            arguments = {"a": value, "a" * 40 + "!": 1}
            try:
                ArgumentCheck(schema).check("git__reset", arguments)
            finally:
                assert time.perf_counter() - start < 3


def test_unknown_properties_pass_where_patterns_may_name_them() -> None:
    schema = {"patternProperties": {"^x-": {}}, "additionalProperties": False}
    assert passes(schema, {"x-1": 1})
