"""Reads the tools of MCP servers, as `tools/list` gives them, as the labels of a catalog.

A list was written by others, so it is read leniently: one bad tool does not stop the rest.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from embeddings.errors import PhraseBookError
from embeddings.labels.label import Label
from embeddings.labels.reading import CatalogParts, share, texts
from embeddings.labels.strictness import brief
from embeddings.labels.tool_entry import LONGEST_NAME, ToolEntry
from embeddings.text.visible import visible

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
        """The examples of a tool, given as its JSON value."""
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
    """The path from a `tools/list`, in any of its forms, to its list of tools."""
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
