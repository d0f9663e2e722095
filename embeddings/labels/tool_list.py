"""Reads the tools of MCP servers, as `tools/list` gives them, as the labels of a catalog.

A list was written by others, so it is read leniently: one bad tool does not stop the rest.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from embeddings.errors import PhraseBookError
from embeddings.labels.label import Label
from embeddings.labels.reading import CatalogParts, brief, share, texts
from embeddings.text.invisible import escaped, visible
from embeddings.text.normalization import fold

LONGEST_NAME: Final = 200
"""Maximum characters of a name or title. The protocol advises names of at most 128."""

LONGEST_TEXT: Final = 4_000
"""Maximum characters of a description: some 1,000 tokens, of which the encoder reads 256."""

MAX_PARAMETERS: Final = 100
"""Maximum parameters of a tool that are read."""


@dataclass(frozen=True)
class ToolEntry:
    """A tool that is being read.

    Attributes:
        value: the tool's JSON object.
        place: where it stands, and its name, for reports.
        reports: list to which reports are added.
    """

    value: Mapping[str, Any]
    place: str
    reports: list[str]

    @classmethod
    def read(cls, entry: Any, place: str, reports: list[str]) -> Label | None:
        """Read a tool; None if it has no name. Its id is its exact name, with hidden characters spelled out."""
        name = entry.get("name") if isinstance(entry, Mapping) else None
        if not isinstance(name, str) or not fold(visible(name[:LONGEST_NAME], one_line=True)):
            reports.append(f"{place} is {brief(entry)}, which has no name; a tool needs one; skipped")
            return None
        tool = cls(entry, f"{place} ({brief(name)})", reports)
        plain, title = tool._text("name", LONGEST_NAME), tool._text("title", LONGEST_NAME)
        parameters = tuple(tool._parameters())
        return Label(
            name=plain,
            aliases=(title,) if fold(title) not in ("", fold(plain)) else (),
            description=tool._text("description", LONGEST_TEXT),
            fields={"parameters": parameters} if parameters else {},
            id=escaped(name[:LONGEST_NAME]),
        )

    def _text(self, key: str, most: int) -> str:
        """Return one of the tool's own texts; empty if it is absent or not a string."""
        value = self.value.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.reports.append(f"{self.place} has the {key} {brief(value)}, which is not a string; not read")
            return ""
        return self._clean(value, key, most, one_line=key != "description")

    def _clean(self, text: str, what: str, most: int, *, one_line: bool) -> str:
        if len(text) > most:
            self.reports.append(f"{self.place} has a {what} of {len(text):,} characters; cut to {most:,}")
        cut = text[:most]
        plain = visible(cut, one_line=one_line)
        if len(plain) < len(cut.replace("\r\n", "\n")):
            self.reports.append(f"{self.place} has a {what} that hides characters; they were removed")
        return plain.strip()

    def _parameters(self) -> Iterator[str]:
        """Yield each parameter's name and description."""
        schema = self.value.get("inputSchema", self.value.get("input_schema"))
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        if not isinstance(properties, Mapping):
            return
        if len(properties) > MAX_PARAMETERS:
            self.reports.append(f"{self.place} has {len(properties)} parameters; the first {MAX_PARAMETERS} are read")
        for key, value in list(properties.items())[:MAX_PARAMETERS]:
            name = self._clean(str(key), "parameter name", LONGEST_NAME, one_line=True)
            said = value.get("description") if isinstance(value, Mapping) else None
            text = said if isinstance(said, str) else ""
            described = self._clean(text, f"parameter {brief(key)}", LONGEST_TEXT, one_line=False)
            yield f"{name}: {described}" if described else name


_OF_LABELS: Final = frozenset({"aliases", "phrasings"})
"""Keys that labels have and tools do not."""

_BESIDE: Final = frozenset({"outOfScope", "outOfScopeShare"})
"""Keys of a catalog that may stand beside lists of tools."""


@dataclass(frozen=True)
class ToolLists:
    """Lists of tools.

    Attributes:
        by_server: the result of `tools/list` by the name of its server; the name is empty if it is not known.
        beside: the object in which the lists stand, which may have `outOfScope` and `outOfScopeShare`, too.
        examples: phrasings that a language model wrote, by server and name of the tool.
    """

    by_server: Mapping[str, Any]
    beside: Mapping[str, Any]
    examples: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)

    def of(self, server: str, tool: Any) -> tuple[str, ...]:
        """Return the examples of a tool, given as its JSON value."""
        name = tool.get("name") if isinstance(tool, Mapping) else None
        return tuple(self.examples.get((server, name), ())) if isinstance(name, str) else ()


def tool_lists(content: Any) -> ToolLists | None:
    """Return the tool lists that a JSON value holds; None if it is something else, such as a catalog of labels."""
    if isinstance(content, Mapping) and "labels" in content:
        return None
    single = _result(content)
    if single is not None:
        return ToolLists({"": content}, single)
    if isinstance(content, Mapping) and any(map(_is_result, content.values())):
        return ToolLists({name: value for name, value in content.items() if name not in _BESIDE}, content)
    return None


def _is_result(value: Any) -> bool:
    # A bare list is not enough: `{"label": [...]}` is a catalog with a misspelt key.
    return isinstance(value, Mapping) and _result(value) is not None


def _result(value: Any) -> Mapping[str, Any] | None:
    """Return the result of one `tools/list`, from itself, a JSON-RPC response, or a bare list of tools."""
    if isinstance(value, list):
        labels = any(isinstance(entry, Mapping) and not _OF_LABELS.isdisjoint(entry) for entry in value)
        return None if labels or not value else {"tools": value}
    if not isinstance(value, Mapping):
        return None
    if "tools" in value:
        return value
    result = value.get("result")
    return result if isinstance(result, Mapping) and "tools" in result else None


def tool_parts(lists: ToolLists, where: str) -> CatalogParts:
    """Read the tools of all lists as labels, and report what was skipped, cut or cleaned.

    `outOfScope` and `outOfScopeShare` may stand beside the lists, as in a catalog.

    Raises:
        PhraseBookError: no tool can be used, or `outOfScope` or `outOfScopeShare` are not as in a catalog.
    """
    reports: list[str] = []
    labels: dict[str, tuple[Label, str]] = {}
    for tool in located_tools(lists):
        if tool.problem:
            reports.append(tool.problem)
        else:
            _add(tool, labels, reports)
    if not labels:
        why = f" ({reports[0]})" if reports else ""
        raise PhraseBookError(
            f"{where} has no tool that can be used{why}; a tool list needs at least one tool with a name; ask the "
            "server for its tools again"
        )
    found = tuple(label for label, _ in labels.values())
    out_of_scope = texts(lists.beside, "outOfScope", where)
    return CatalogParts(found, out_of_scope, share(lists.beside, where), tuple(reports))


@dataclass(frozen=True)
class LocatedTool:
    """A tool's JSON value and where it stands, or what is the matter with a server's list.

    Attributes:
        value: the tool.
        server: name of its server; empty if it is not known.
        place: where it stands, in words.
        pointer: where it stands, as a JSON pointer.
        problem: what is the matter with the whole list; else empty.
        examples: phrasings that a language model wrote for it.
    """

    value: Any
    server: str
    place: str
    pointer: str
    problem: str = ""
    examples: tuple[str, ...] = ()

    def label(self, reports: list[str]) -> Label | None:
        """Read the tool as a label; None if it has no name. Reports what was cut or cleaned."""
        label = ToolEntry.read(self.value, self.place, reports)
        if label is not None and self.examples:
            label = replace(label, phrasings=self.examples, generated=frozenset(self.examples))
        if label is None or not self.server:
            return label
        name = visible(self.server[:LONGEST_NAME], one_line=True)
        return replace(label, id=f"{name}/{label.id}", fields={**label.fields, "server": (name,)})


def located_tools(lists: ToolLists) -> Iterator[LocatedTool]:
    """Yield every tool of all lists, and each problem of a list as a whole."""
    for server, value in lists.by_server.items():
        root = "/" + server.replace("~", "~0").replace("/", "~1") if server else ""
        whole = f"server {brief(server)}" if server else "the value"
        result = _result(value)
        tools = result["tools"] if result else None
        if not isinstance(tools, list):
            said = f"{whole} has no list of tools ({brief(value)}); skipped"
            yield LocatedTool(None, server, whole, root, said)
            continue
        if result and result.get("nextCursor"):
            said = f"{whole} is one page of a longer list, as its nextCursor says; the other pages are missing"
            yield LocatedTool(None, server, whole, root, said)
        within = f"{whole}: " if server else ""
        for number, entry in enumerate(tools):
            place, pointer = f"{within}tools[{number}]", f"{root}{_path(value)}/{number}"
            yield LocatedTool(entry, server, place, pointer, examples=lists.of(server, entry))


def _path(value: Any) -> str:
    """Return the path from a `tools/list`, in any of its forms, to its list of tools."""
    if isinstance(value, list):
        return ""
    return "/tools" if "tools" in value else "/result/tools"


def _add(tool: LocatedTool, labels: dict[str, tuple[Label, str]], reports: list[str]) -> None:
    """Add a tool, unless it has no name or the id of another."""
    label = tool.label(reports)
    if label is None:
        return
    known, first = labels.setdefault(label.id, (label, tool.place))
    if known is label:
        return
    difference = "" if known == label else ", but differs from it"
    reports.append(f"{tool.place} has the name {brief(label.name)} of {first}{difference}; skipped")
