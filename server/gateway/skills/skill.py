"""A skill as MCP's extension for skills has it (SEP-2640, `io.modelcontextprotocol/skills`), on the wire.

The extension is of protocol version 2026-07-28. The SDK has no types for it.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal
from urllib.parse import unquote

import mcp_types as types
from pydantic import BaseModel, Field, RootModel, ValidationError

from embeddings.labels.skills import SKILL_FILE
from embeddings.text.invisible import first_hidden

EXTENSION: Final = "io.modelcontextprotocol/skills"

MAX_FILES: Final = 512
MAX_BYTES: Final = 16 << 20
"""What the extension says that every host takes of one skill."""

LONGEST_DESCRIPTION: Final = 1024
"""Maximum characters that the Agent Skills specification allows."""

_NAME: Final = re.compile(r"(?!-)(?!.*--)[a-z0-9-]{1,64}(?<!-)")


class SkillFile(BaseModel):
    """A file of a skill: its address, `sha256:` and the digest of its bytes in hex, and how many bytes it has."""

    uri: str
    digest: str = Field(pattern=r"^sha256:[0-9a-f]{64}$")
    size: int = Field(ge=0)


class Skill(BaseModel):
    """A skill's entry: the address of its SKILL.md, the frontmatter of that file, and all files of the skill."""

    uri: str
    frontmatter: dict[str, Any]
    resources: list[SkillFile] | Literal["dynamic"]

    @property
    def name(self) -> str:
        """The name in its frontmatter."""
        return str(self.frontmatter["name"])

    @property
    def description(self) -> str:
        """The description in its frontmatter."""
        return str(self.frontmatter["description"])

    @property
    def files(self) -> dict[str, SkillFile]:
        """Its files by address; none if they cannot be known in advance."""
        return {} if self.resources == "dynamic" else {file.uri: file for file in self.resources}

    def at(self, address: Callable[[str], str]) -> "Skill":
        """Return the skill with other addresses."""
        if self.resources == "dynamic":
            return self.model_copy(update={"uri": address(self.uri)})
        files = [file.model_copy(update={"uri": address(file.uri)}) for file in self.resources]
        return self.model_copy(update={"uri": address(self.uri), "resources": files})


def digest(content: bytes) -> str:
    """Return the digest of a file's bytes as an entry has it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def read_skill(entry: Any) -> Skill:
    """Read the entry of a skill.

    Raises:
        ValueError: it is not as the extension has it, or it hides characters; the message says what is wrong.
    """
    try:
        skill = Skill.model_validate(entry)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    if problem := next(_problems(skill), None):
        raise ValueError(problem)
    return skill


def _problems(skill: Skill) -> Iterator[str]:
    name, description = skill.frontmatter.get("name"), skill.frontmatter.get("description")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield "its name is not 1 to 64 of a-z, 0-9 and single hyphens between them"
    if not isinstance(description, str) or not 0 < len(description.strip()) <= LONGEST_DESCRIPTION:
        yield f"its description does not have 1 to {LONGEST_DESCRIPTION:,} characters"
    if any(first_hidden(text, one_line=False) is not None for text in _texts([skill.uri, skill.frontmatter])):
        yield "it hides characters"
    if _segments(skill.uri)[-2:] != [name, SKILL_FILE]:
        yield f"its address does not end in its name and {SKILL_FILE}"
    if skill.resources != "dynamic":
        yield from _file_problems(skill.uri, skill.resources)


def _file_problems(uri: str, files: list[SkillFile]) -> Iterator[str]:
    addresses = [file.uri for file in files]
    if len(set(addresses)) < len(addresses) or uri not in addresses:
        yield f"its files are not each listed once, {SKILL_FILE} among them"
    root = uri.removesuffix(SKILL_FILE)
    if not all(each.startswith(root) and ".." not in _segments(each) for each in addresses):
        yield "a file of it is not in its folder"
    if len(files) > MAX_FILES or sum(file.size for file in files) > MAX_BYTES:
        yield f"it has more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB"


def _segments(uri: str) -> list[str]:
    return [unquote(segment) for segment in uri.split("/")]


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, keys included."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                yield text
            case dict() as table:
                waiting += [*table, *table.values()]
            case list() as items:
                waiting += items


class SkillEntry(RootModel[Any]):
    """An entry as somebody sent it; `read_skill` reads its `root`."""


class ListSkillsResult(types.PaginatedResult, types.CacheableResult):
    """A page of the answer to `skills/list`. Each entry is read by itself: a bad one does not spoil the rest."""

    skills: list[SkillEntry]
    result_type: Literal["complete"] = "complete"


class GetSkillParams(types.RequestParams):
    """Parameters of `skills/get`."""

    uri: str


class GetSkillResult(types.CacheableResult):
    """The answer to `skills/get`."""

    skill: Any
    result_type: Literal["complete"] = "complete"


class ListSkillsRequest(types.Request[types.PaginatedRequestParams, Literal["skills/list"]]):
    """The request `skills/list`."""

    method: Literal["skills/list"] = "skills/list"
    params: types.PaginatedRequestParams


class GetSkillRequest(types.Request[GetSkillParams, Literal["skills/get"]]):
    """The request `skills/get`."""

    method: Literal["skills/get"] = "skills/get"
    params: GetSkillParams
