"""Entries that are put into the text of a host's file, and taken out of it."""

import json
import re
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.gateway.configuration.edits import JSON, JSON_WITH_COMMENTS, TOML
from server.gateway.configuration.edits import toml as toml_value

COMMENT = re.compile(r"// c \{,\}\]|/\* c \] \n \" \*/")
ENTRY: dict[str, Any] = {"command": "/opt/a b/run", "args": ["serve", 'x"\\{}//', "Ü"], "env": {"A": "${A}"}}
GAPS = st.sampled_from(["", " ", "\n", "\r\n", "\n\t ", " // c {,}]\n", ' /* c ] \n " */ ', "\n\n    "])
NAMES = st.sampled_from(["a", "b", 'q"', "x//y", "/*"])


def _joined(opening: str, members: list[tuple[str, str, str]], trailing: bool, gap: str, closing: str) -> str:
    parts = [f"{before}{member}{after}" for before, member, after in members]
    return opening + ",".join(parts) + ("," if trailing and parts else "") + gap + closing


def _arrays(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    members = st.lists(st.tuples(GAPS, values, GAPS), max_size=2)
    return st.builds(_joined, st.just("["), members, st.booleans(), GAPS, st.just("]"))


def _objects(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    member = st.builds(lambda name, gap, value: f"{json.dumps(name)}{gap}:{gap}{value}", NAMES, GAPS, values)
    members = st.lists(st.tuples(GAPS, member, GAPS), max_size=3)
    return st.builds(_joined, st.just("{"), members, st.booleans(), GAPS, st.just("}"))


VALUES = st.recursive(
    st.sampled_from(["1", "-2.5e3", "true", "null", '"s // no"', '"\\"}"', '"/* no */"']),
    lambda inner: st.one_of(_objects(inner), _arrays(inner)),
    max_leaves=4,
)


def _with_servers(before: str, root: str, servers: str | None, gap: str) -> str:
    """Return a file: the members of an object, and the table of servers after them."""
    if servers is None:
        return before + root
    body = root[1:-1]
    cut = json.dumps("mcpServers") + gap + ":" + gap + servers
    return f"{before}{{{gap}{cut},{body}}}" if JSON_WITH_COMMENTS.loads(root) else f"{before}{{{gap}{cut}{gap}}}"


FILES = st.builds(_with_servers, GAPS, _objects(VALUES), st.none() | _objects(_objects(VALUES)), GAPS)


def put(text: str, name: str = "new") -> str:
    return JSON_WITH_COMMENTS.put(text, "mcpServers", name, ENTRY)


def take(text: str, name: str = "new") -> str:
    return JSON_WITH_COMMENTS.take(text, "mcpServers", name)


def stays(text: str, edited: str) -> bool:
    """Tell whether all characters but blanks are there still, in order."""
    left = iter(edited)
    return all(one in left for one in text if not one.isspace())


@given(FILES)
def test_an_entry_is_put_into_any_json_with_comments_and_the_rest_stays(text: str) -> None:
    edited = put(text)
    content = JSON_WITH_COMMENTS.read(text)
    assert JSON_WITH_COMMENTS.read(edited) == {
        **content,
        "mcpServers": {**content.get("mcpServers", {}), "new": ENTRY},
    }
    assert put(edited) == edited
    assert stays(text, edited)


@given(FILES, st.booleans())
def test_an_entry_is_taken_out_of_any_json_with_comments_and_the_rest_stays(text: str, among: bool) -> None:
    edited = put(text)
    more = put(edited, "other") if among else edited
    left = JSON_WITH_COMMENTS.read(take(more))
    servers = JSON_WITH_COMMENTS.servers(text, "mcpServers") | ({"other": ENTRY} if among else {})
    assert left.get("mcpServers", {}) == servers
    assert stays("".join(COMMENT.findall(text)), take(more))


@given(FILES)
def test_entries_are_taken_out_until_none_is_left(text: str) -> None:
    servers = JSON_WITH_COMMENTS.servers(text, "mcpServers")
    for name in list(servers):
        text = take(text, name)
        del servers[name]
        assert JSON_WITH_COMMENTS.servers(text, "mcpServers") == servers


def test_an_entry_looks_as_the_others_do() -> None:
    cases = [
        ("{}", '{\n  "mcpServers": {\n    "new": {\n      "a": 1\n    }\n  }\n}'),
        (
            '{\n\t"mcpServers": {\n\t\t"b": {} // b\n\t}\n}\n',
            '{\n\t"mcpServers": {\n\t\t"b": {}, // b\n\t\t"new": {\n\t\t\t"a": 1\n\t\t}\n\t}\n}\n',
        ),
        (
            '{\r\n "mcpServers": {\r\n  "b": {},\r\n }\r\n}',
            '{\r\n "mcpServers": {\r\n  "b": {},\r\n  "new": {\r\n   "a": 1\r\n  },\r\n }\r\n}',
        ),
        ('{"mcpServers": {"b": {}}}', '{"mcpServers": {"b": {}, "new": {"a": 1}}}'),
    ]
    for text, expected in cases:
        assert JSON_WITH_COMMENTS.put(text, "mcpServers", "new", {"a": 1}) == expected, text


def test_an_entry_is_replaced_in_its_place() -> None:
    text = '{"mcpServers": {"new": {"a": 1}, /* b */ "b": {}}}'
    edited = JSON.put('{"mcpServers": {"new": {"a": 1}, "b": {}}}', "mcpServers", "new", ENTRY)
    assert list(json.loads(edited)["mcpServers"]) == ["new", "b"]
    assert put(text).endswith(', /* b */ "b": {}}}')


TOML_FILES = [
    "",
    "# only a comment\n",
    'model = "x"  # best',
    '\n[mcp_servers.git]\ncommand = "git"\n\n[mcp_servers.git.env]\nA = "1"\n\n# last\n',
    'text = """\n[mcp_servers.new]\n"""\nlist = [\n  [1],\n  [2], # ]\n]\n[other]\r\nx = { a = "[b]" }\r\n',
    '[[jobs]]\na = 1\n[[jobs]]\na = 2\n["mcp_servers"."a.b"]\ncommand = \'c\'\n',
    '[mcp_servers]\na = { command = "x" }\n',
]


def test_an_entry_of_toml_is_put_in_and_taken_out_and_the_rest_stays() -> None:
    for text in TOML_FILES:
        edited = TOML.put(text, "mcp_servers", "new", ENTRY)
        assert tomllib.loads(edited)["mcp_servers"]["new"] == ENTRY, text
        assert edited.startswith(text), text
        assert TOML.put(edited, "mcp_servers", "new", ENTRY) == edited
        changed = TOML.put(edited, "mcp_servers", "new", {"command": "y"})
        assert tomllib.loads(changed)["mcp_servers"]["new"] == {"command": "y"}, text
        assert TOML.take(changed + "[mcp_servers.new.tools.a]\nx = 1\n", "mcp_servers", "new").strip() == text.strip()


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(-9, 9), st.booleans())
def test_every_value_of_toml_is_written_as_it_is_read(text: str, number: int, flag: bool) -> None:
    value = {"a": [text, number], "b": {text: flag, "c": number / 4}}
    assert tomllib.loads(f"x = {toml_value(value)}")["x"] == value


def test_what_cannot_be_edited_is_refused() -> None:
    cases = [
        (TOML, 'mcp_servers = { new = { command = "x" } }\n', "mcp_servers"),
        (TOML, '[mcp_servers]\nnew.command = "x"\n', "mcp_servers"),
        (JSON, '{"mcpServers": []}', "mcpServers"),
        (JSON, "[]", "mcpServers"),
        (JSON, "{// no\n}", "mcpServers"),
        (JSON, "[" * 100_000, "mcpServers"),
        (JSON_WITH_COMMENTS, '{"mcpServers": {"a": {}}', "mcpServers"),
    ]
    for form, text, table in cases:
        with pytest.raises(ValueError, match=r"."):
            form.put(text, table, "new", ENTRY)
        with pytest.raises(ValueError, match=r"."):
            form.take(text, table, "new")
