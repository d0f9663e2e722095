"""Reads one tool of an MCP server as a label, and reports what it cut or cleaned."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from embeddings.labels.label import Label
from embeddings.labels.strictness import brief
from embeddings.text.invisible import escaped
from embeddings.text.normalization import fold
from embeddings.text.visible import visible

LONGEST_NAME: Final = 200
"""Maximum characters of a name or title. The protocol advises names of at most 128."""

LONGEST_TEXT: Final = 4_000
"""Maximum characters of a description: some 1,000 tokens, of which the encoder reads 256."""

MOST_PARAMETERS: Final = 100
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
        if len(properties) > MOST_PARAMETERS:
            self.reports.append(f"{self.place} has {len(properties)} parameters; the first {MOST_PARAMETERS} are read")
        for key, value in list(properties.items())[:MOST_PARAMETERS]:
            name = self._clean(str(key), "parameter name", LONGEST_NAME, one_line=True)
            said = value.get("description") if isinstance(value, Mapping) else None
            text = said if isinstance(said, str) else ""
            described = self._clean(text, f"parameter {brief(key)}", LONGEST_TEXT, one_line=False)
            yield f"{name}: {described}" if described else name
