"""Edits of hosts' files: a server's entry is put in or taken out, and everything else keeps its characters.

A file is JSON, with or without comments and trailing commas, or TOML.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from server.gateway.configuration.configurations import loads as loads_with_comments

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Format:
    """How a host's file is written.

    Attributes:
        loads: reads the whole file as the host does.
        is_toml: it is TOML; otherwise JSON.
    """

    loads: Callable[[str], Any]
    is_toml: bool = False

    def read(self, text: str) -> dict[str, Any]:
        """Return the file's content.

        Raises:
            ValueError: the host could not read it, or it is no table.
        """
        try:
            value = self.loads(text)
        except RecursionError as error:
            raise ValueError("it is nested too deeply") from error
        if not isinstance(value, dict):
            raise ValueError("it is not a table")
        return value

    def servers(self, text: str, table: str) -> dict[str, Any]:
        """Return the entries of a table of servers; none if it is missing.

        Raises:
            ValueError: the host could not read the file, or the table is something else.
        """
        found = self.read(text).get(table, {})
        if not isinstance(found, dict):
            raise ValueError(f"{table!r} is not a table")
        return found

    def put(self, text: str, table: str, name: str, entry: Entry) -> str:
        """Return the text with an entry in the place of one of this name, or after the others.

        Raises:
            ValueError: the host could not read the file, or the entry has no place in it.
        """
        before = self.servers(text, table)
        if before.get(name) == entry:
            return text
        edited = _put_toml(text, table, name, entry) if self.is_toml else _put_json(text, table, name, entry)
        return self._checked(text, edited, table, {**before, name: entry})

    def take(self, text: str, table: str, name: str) -> str:
        """Return the text without an entry; a table that is left empty stays.

        Raises:
            ValueError: the host could not read the file, or the entry is written in a way that cannot be taken out.
        """
        before = self.servers(text, table)
        if name not in before:
            return text
        edited = _take_toml(text, table, name) if self.is_toml else _take_json(text, table, name)
        return self._checked(text, edited, table, {key: value for key, value in before.items() if key != name})

    def _checked(self, text: str, edited: str, table: str, servers: Mapping[str, Any]) -> str:
        others = {key: value for key, value in self.read(text).items() if key != table}
        try:
            found = self.read(edited)
        except ValueError:
            found = {}
        if found.pop(table, {}) != servers or found != others:
            raise ValueError(f"{table!r} is written in a way that cannot be edited")
        return edited


JSON: Final = Format(json.loads)
JSON_WITH_COMMENTS: Final = Format(loads_with_comments)
TOML: Final = Format(tomllib.loads, is_toml=True)

_TEXT: Final = r'"(?:[^"\\]|\\.)*+"'
_STRING: Final = re.compile(_TEXT, re.DOTALL)
_GAP: Final = re.compile(r"(?:\s++|//[^\n]*+|/\*.*?\*/)*+", re.DOTALL)
_SAME_LINE: Final = re.compile(r"(?:[^\S\r\n]|//[^\r\n]*+|/\*[^\r\n]*?\*/)*+")
_TOKEN: Final = re.compile(rf"{_TEXT}|//[^\n]*+|/\*.*?\*/|[\[\]{{}}]", re.DOTALL)
_COMMENT: Final = re.compile(r"//[^\n]*+|/\*.*?\*/", re.DOTALL)
_SCALAR: Final = re.compile(r"[^\s,\]}/]++")


@dataclass(frozen=True)
class _Member:
    """A name and its value in the text: `start` is that of the name, `value` that of the value."""

    name: str
    start: int
    value: int
    end: int


@dataclass(frozen=True)
class _Object:
    """An object in the text, from its opening brace to after its closing one."""

    start: int
    end: int
    members: Sequence[_Member]

    def find(self, name: str) -> _Member | None:
        """Return the member that counts; of a name given twice that is the last."""
        return next((member for member in reversed(self.members) if member.name == name), None)


def _object(text: str, start: int) -> _Object:
    members: list[_Member] = []
    at = _after_gap(text, start + 1)
    while text[at : at + 1] != "}":
        if text[at : at + 1] == ",":
            at = _after_gap(text, at + 1)
            continue
        name = _STRING.match(text, at)
        if name is None:
            raise ValueError("a name is missing")
        value = _after_gap(text, _after_gap(text, name.end()) + 1)
        end = _value_end(text, value)
        members.append(_Member(json.loads(name.group(), strict=False), at, value, end))
        at = _after_gap(text, end)
    return _Object(start, at + 1, members)


def _after_gap(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    return found.end() if found else at


def _value_end(text: str, at: int) -> int:
    if text[at : at + 1] not in {"{", "["}:
        scalar = (_STRING if text[at : at + 1] == '"' else _SCALAR).match(text, at)
        return scalar.end() if scalar else at
    depth = 0
    for token in _TOKEN.finditer(text, at):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token.group(), 0)
        if depth == 0:
            return token.end()
    raise ValueError("a bracket is not closed")


def _put_json(text: str, table: str, name: str, entry: Entry) -> str:
    root = _object(text, _after_gap(text, 0))
    servers = root.find(table)
    if servers is None:
        return _inserted(text, root, table, {name: entry})
    container = _object(text, servers.value)
    old = container.find(name)
    if old is None:
        return _inserted(text, container, name, entry)
    return text[: old.value] + _written(text, entry, _indent(text, old.start)) + text[old.end :]


def _inserted(text: str, container: _Object, name: str, value: Entry) -> str:
    """Return the text with a member after the last one, whose comment on the same line stays with it."""
    if not container.members:
        return _filled(text, container, name, value)
    last = container.members[-1]
    comma = _after_gap(text, last.end)
    trailing = text[comma] == ","
    after = comma + 1 if trailing else last.end
    if "\n" not in text[container.start : container.end]:
        member = f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
        return text[:after] + (f"{member}," if trailing else f",{member}") + text[after:]
    first = container.members[0]
    inner = _indent(text, first.start) if _opens_line(text, first.start) else _inner(text, container)
    found = _SAME_LINE.match(text, after)
    line_end = found.end() if found else after
    member = f"{_newline(text)}{inner}{json.dumps(name)}: {_written(text, value, inner)}"
    between = text[after:line_end]
    return text[:after] + (f"{between}{member}," if trailing else f",{between}{member}") + text[line_end:]


def _filled(text: str, container: _Object, name: str, value: Entry) -> str:
    """Return the text with the first member of an object, after its comments."""
    inside = text[container.start + 1 : container.end - 1]
    kept = inside.rstrip()
    rest = inside[len(kept) :]
    newline, inner = _newline(text), _inner(text, container)
    end = rest if kept and "\n" in rest else newline + _indent(text, container.start)
    member = f"{newline}{inner}{json.dumps(name)}: {_written(text, value, inner)}"
    return text[: container.start + 1] + kept + member + end + text[container.end - 1 :]


def _written(text: str, value: Entry, indent: str) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return (_newline(text) + indent).join(lines)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """Return one step of the file's indentation."""
    found = re.search(r"\n([ \t]+)\"", text)
    return found[1] if found else "  "


def _indent(text: str, at: int) -> str:
    """Return the indentation of the line at a place."""
    found = re.match(r"[ \t]*", text[text.rfind("\n", 0, at) + 1 : at])
    return found.group() if found else ""


def _inner(text: str, container: _Object) -> str:
    return _indent(text, container.start) + _unit(text)


def _opens_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _take_json(text: str, table: str, name: str) -> str:
    while True:
        servers = _object(text, _after_gap(text, 0)).find(table)
        container = _object(text, servers.value) if servers else None
        member = container.find(name) if container else None
        if container is None or member is None:
            return text
        text = _without(text, container, member)


def _without(text: str, container: _Object, member: _Member) -> str:
    """Return the text without a member, the blank before it, and the comma that it does not need any more."""
    around = text[container.start + 1 : member.start] + text[member.end : container.end - 1]
    if not around.strip().removeprefix(","):
        return text[: container.start + 1] + text[container.end - 1 :]
    comma = _after_gap(text, member.end)
    at = container.members.index(member)
    begin = container.members[at - 1].end if at else container.start + 1
    kept, rest = text[begin : member.start], text[member.end :]
    if text[comma] == ",":
        rest = text[member.end : comma] + text[comma + 1 :]
    elif at:
        before = _after_gap(text, begin) - begin
        kept = kept[:before] + kept[before + 1 :]
    return text[:begin] + (kept if _needs_break(kept, rest) else kept.rstrip()) + rest


def _needs_break(kept: str, rest: str) -> bool:
    """Return whether what follows a comment to the end of its line would become a part of it."""
    comments = _COMMENT.findall(kept)
    last = comments[-1] if comments else ""
    return (
        last.startswith("//") and kept.rstrip().endswith(last.rstrip()) and rest.lstrip(" \t")[:1] not in {"\r", "\n"}
    )


_TOML_TOKEN: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'|#[^\n]*+|[\[\]{}]', re.DOTALL
)


def _sections(text: str) -> list[tuple[int, tuple[str, ...]]]:
    """Return where the tables of a TOML file begin, and their names."""
    found: list[tuple[int, tuple[str, ...]]] = []
    depth = start = 0
    header = False
    for token in _TOML_TOKEN.finditer(text):
        mark = token.group()
        if mark in {"[", "{"}:
            if depth == 0:
                start, header = token.start(), mark == "[" and _opens_line(text, token.start())
            depth += 1
        elif mark in {"]", "}"}:
            depth -= 1
            if depth == 0 and header:
                found.append((text.rfind("\n", 0, start) + 1, _section_name(text[start : token.end()])))
    return found


def _section_name(header: str) -> tuple[str, ...]:
    names: list[str] = []
    value: Any = tomllib.loads(header)
    while isinstance(value, dict) and value:
        ((name, value),) = value.items()
        names.append(name)
        value = value[0] if isinstance(value, list) else value
    return tuple(names)


def _put_toml(text: str, table: str, name: str, entry: Entry) -> str:
    kept = _take_toml(text, table, name)
    newline = _newline(text)
    lines = [f"[{table}.{_toml_name(name)}]", *(f"{_toml_name(key)} = {toml(value)}" for key, value in entry.items())]
    ending = "" if not kept or kept.endswith("\n") else newline
    blank = newline if kept.strip() else ""
    return kept + ending + blank + "".join(line + newline for line in lines)


def _take_toml(text: str, table: str, name: str) -> str:
    sections = [*_sections(text), (len(text), ())]
    for (start, path), (end, _) in reversed([*pairwise(sections)]):
        if path[:2] != (table, name):
            continue
        lines = text[start:end].splitlines(keepends=True)
        while not lines[-1].strip() or lines[-1].lstrip().startswith("#"):
            lines.pop()
        newline = _newline(text)
        before = text[:start].removesuffix(newline) if text[:start].endswith(newline * 2) else text[:start]
        text = before + text[start + len("".join(lines)) :]
    return text


def _toml_name(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml(name)


def toml(value: object) -> str:
    """Return a value of TOML on one line."""
    if isinstance(value, str):
        # Escapes are those of JSON, and DEL needs one, too.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml_name(key)} = {toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(toml, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)
