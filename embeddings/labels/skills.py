"""Reads Agent Skills as the labels of a catalog: folders of SKILL.md files, or the answer to `skills/list`.

A skill is matched on its name and description, and on the words of what its body says. They were written by others, so
that they are read leniently: one bad skill does not stop the rest.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from embeddings.errors import PhraseBookError
from embeddings.files import read_text
from embeddings.labels.label import Label
from embeddings.labels.reading import CatalogParts, brief
from embeddings.labels.tool_list import ToolEntry
from embeddings.text.invisible import visible

SKILL_FILE: Final = "SKILL.md"

BODY: Final = "body"
"""The field of a label that has the pieces of a skill's body."""

MAX_SKILLS: Final = 5_000
"""Maximum skills of a folder."""

MAX_PIECES: Final = 60
"""Pieces of a body that are read. For 129 requests for 60 public skills, whose author saw their names only, the right
skill is first for 0.74 without the body, 0.88 with 20 pieces, 0.86 with 60 and 0.85 with 200; of the requests it
serves, 0.07, 0.05, 0.03 and 0.03 are `no_match`, of 50 others 0.96, 0.94, 0.96 and 0.96."""

LONGEST_PIECE: Final = 300
"""Characters of a piece that are read."""

PASSED: Final = frozenset({".git", "node_modules", ".venv", "__pycache__"})
"""Folders that are not looked into."""

_FRONTMATTER: Final = re.compile(
    r"\A\ufeff?---[ \t]*\n(?P<head>.*?)^---[ \t]*$\n?(?P<body>.*)", re.DOTALL | re.MULTILINE
)
_KEY: Final = re.compile(r"(?P<key>[A-Za-z][\w-]*):(?:[ \t]+(?P<value>.*)|[ \t]*)")
_BLOCK: Final = re.compile(r"[|>][+-]?\d?[+-]?[ \t]*(?:#.*)?")
_FENCED: Final = re.compile(r"^(?P<fence>```+|~~~+).*?^(?P=fence)[ \t]*$", re.DOTALL | re.MULTILINE)
_LEAD: Final = re.compile(r"^[\s#>*+\-|]*(?:\d+[.)]\s)?")
_MARKS: Final = re.compile(r"[*_`|\s]+")


def skills_in(folder: Path) -> dict[str, Any]:
    """Read the skills below a folder as a JSON value: `{"skills": [{"name", "description", "body", "path"}]}`.

    A skill that cannot be read has a `problem` instead of a name.

    Raises:
        PhraseBookError: the folder has no skill, or too many.
    """
    paths = skill_files(folder)
    if not paths:
        raise PhraseBookError(
            f"folder {str(folder)!r} has no {SKILL_FILE}; a folder that is given as a catalog holds skills, each in a "
            "folder of its own; give another folder, or a catalog file"
        )
    if len(paths) > MAX_SKILLS:
        raise PhraseBookError(
            f"folder {str(folder)!r} has {len(paths):,} skills; a catalog of skills has at most {MAX_SKILLS:,}; give a "
            "folder within it"
        )
    return {"skills": [_skill(path, path.parent.relative_to(folder).as_posix()) for path in paths]}


def skill_files(folder: Path) -> list[Path]:
    """Return the SKILL.md files below a folder, in order; links to other folders are not followed."""
    found = []
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in PASSED)
        if SKILL_FILE in files:
            found.append(Path(root, SKILL_FILE))
    return found


def _skill(path: Path, place: str) -> dict[str, Any]:
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        return {"path": place, "problem": f"cannot be read ({error})"}
    parts = split_skill(text)
    if not parts:
        return {"path": place, "problem": "has no frontmatter between two lines of ---"}
    head = frontmatter(parts[0])
    if not head.get("name", "").strip():
        return {"path": place, "problem": "has no name in its frontmatter"}
    return {"name": head["name"], "description": head.get("description", ""), BODY: parts[1], "path": place}


def split_skill(text: str) -> tuple[str, str] | None:
    """Return the head, without its lines of ---, and the body of a SKILL.md; None if it has no head."""
    parts = _FRONTMATTER.match(text.replace("\r\n", "\n"))
    return (parts["head"], parts[BODY]) if parts else None


def frontmatter(text: str) -> dict[str, str]:
    """Read the strings at the top level of a YAML head: plain, quoted, in blocks, or over several lines."""
    found: dict[str, str] = {}
    key, value, more = "", "", list[str]()
    for line in [*text.split("\n"), "end:"]:
        started = _KEY.fullmatch(line)
        if not started:
            more.append(line)
            continue
        if key:
            found.setdefault(key, _string(value, more))
        key, value, more = started["key"], (started["value"] or "").strip(), []
    return found


def _string(value: str, more: Sequence[str]) -> str:
    """Return the string that a key's value and the indented lines after it make."""
    if _BLOCK.fullmatch(value):
        return ("\n" if value[0] == "|" else " ").join(line.strip() for line in more).strip()
    whole = " ".join([value, *(line.strip() for line in more)]).strip()
    if whole[:1] == whole[-1:] == "'" and len(whole) > 1:
        return whole[1:-1].replace("''", "'")
    if whole[:1] == whole[-1:] == '"' and len(whole) > 1:
        return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), whole[1:-1])
    return re.sub(r"\s#.*", "", whole)


def skill_list(content: Any) -> Sequence[Any] | None:
    """Return the skills that a JSON value holds, also as the result of a response; None if it is something else."""
    value = content.get("result", content) if isinstance(content, Mapping) else None
    listed = value.get("skills") if isinstance(value, Mapping) and "labels" not in value else None
    return listed if isinstance(listed, list) else None


def skill_parts(skills: Sequence[Any], where: str) -> CatalogParts:
    """Read skills as labels, and report what was skipped, cut or cleaned.

    Raises:
        PhraseBookError: no skill can be used.
    """
    reports: list[str] = []
    read = [skill_label(skill, f"skills[{number}]", reports) for number, skill in enumerate(skills)]
    labels = tuple({label.id: label for label in read if label}.values())
    if not labels:
        why = f" ({reports[0]})" if reports else ""
        raise PhraseBookError(
            f"{where} has no skill that can be used{why}; a list of skills needs one with a name; correct it"
        )
    return CatalogParts(labels, reports=tuple(reports))


def skill_label(skill: Any, place: str, reports: list[str]) -> Label | None:
    """Read a skill; None if it cannot be used. Its id is the path of its folder, its address, or else its name.

    An entry of `skills/list` has its name and description in `frontmatter`.
    """
    path = skill.get("path", skill.get("uri")) if isinstance(skill, Mapping) else None
    where = f"{place} ({brief(path)})" if path else place
    if isinstance(skill, Mapping) and "problem" in skill:
        reports.append(f"{where} {skill['problem']}; skipped")
        return None
    head = skill.get("frontmatter", skill) if isinstance(skill, Mapping) else skill
    told = {key: head.get(key) for key in ("name", "description")} if isinstance(head, Mapping) else head
    label = ToolEntry.read(told, where, reports)
    if label is None:
        return None
    pieces = tuple(body_pieces(skill.get(BODY)))
    fields = {BODY: pieces} if pieces else {}
    named = path if isinstance(path, str) and path not in {"", "."} else label.id
    return Label(label.name, description=label.description, fields=fields, id=named)


def body_pieces(body: Any) -> Iterator[str]:
    """Yield the first headings, items and paragraphs of a body of Markdown, without code."""
    lines = _FENCED.sub("", body).split("\n") if isinstance(body, str) else ()
    pieces = (
        _MARKS.sub(" ", _LEAD.sub("", visible(line[: 2 * LONGEST_PIECE], one_line=True))).strip() for line in lines
    )
    yield from (piece[:LONGEST_PIECE] for piece in islice((piece for piece in pieces if " " in piece), MAX_PIECES))
