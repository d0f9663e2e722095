"""The skills of local folders: their entries, and the contents of their files."""

import base64
import logging
import mimetypes
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import mcp_types as types

from embeddings.files import read_bytes
from embeddings.labels.skills import MAX_SKILLS, PASSED, SKILL_FILE, skill_files, split_skill
from server.errors import CallerError, brief
from server.files import Stamp, file_stamp
from server.gateway.skills.skill import MAX_BYTES, MAX_FILES, Skill, SkillFile, digest, read_skill

SCHEME: Final = "skill://"
MARKDOWN: Final = "text/markdown"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class LocalSkill:
    """A skill of a folder.

    Attributes:
        skill: its entry.
        body: what its SKILL.md says after the frontmatter.
        paths: where its files are, by address.
    """

    skill: Skill
    body: str
    paths: Mapping[str, Path]


class SkillFolders:
    """The skills below some folders, as they are now. Safe to share between threads."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Serve the skills below `folders`.

        Raises:
            CallerError: a folder is missing, or has no skill, or too many.
        """
        for folder in folders:
            count = len(skill_files(folder)) if folder.is_dir() else 0
            if not 0 < count <= MAX_SKILLS:
                raise CallerError(
                    f"{brief(str(folder))} has {count or 'no'} skills; --skills takes a folder below which there are 1 "
                    f"to {MAX_SKILLS:,} files called {SKILL_FILE}; name another folder"
                )
        self._folders = tuple(folders)
        self._lock = threading.Lock()
        self._stamps: Mapping[Path, Stamp | None] = {}
        self._skills: Mapping[str, LocalSkill] = {}
        self._reported: set[str] = set()

    def skills(self) -> Mapping[str, LocalSkill]:
        """Return the skills by the address of their SKILL.md; the same object until a file changes."""
        with self._lock:
            found = [(folder, path) for folder in self._folders for path in skill_files(folder)]
            stamps = {file: file_stamp(file) for _, path in found for file in _files(path.parent)}
            if stamps != self._stamps:
                self._stamps, self._skills = stamps, self._read(found)
            return self._skills

    def _read(self, found: Sequence[tuple[Path, Path]]) -> dict[str, LocalSkill]:
        skills: dict[str, LocalSkill] = {}
        for folder, path in found:
            try:
                local = _local_skill(folder, path)
            except (OSError, ValueError) as error:
                self._report(f"skill {brief(str(path.parent))} cannot be offered: {' '.join(str(error).split())}")
                continue
            if local.skill.uri in skills:
                self._report(f"skill {brief(str(path.parent))} is left out; another one has its address")
            skills.setdefault(local.skill.uri, local)
        return skills

    def _report(self, told: str) -> None:
        if told not in self._reported:
            self._reported.add(told)
            logger.warning("%s", told)

    def resources(self) -> list[types.Resource]:
        """Return the SKILL.md of each skill as a resource."""
        return [
            types.Resource(uri=uri, name=skill.name, description=skill.description, mime_type=MARKDOWN)
            for uri, skill in ((uri, local.skill) for uri, local in self.skills().items())
        ]

    def read(self, uri: str) -> types.TextResourceContents | types.BlobResourceContents | None:
        """Return the contents of a file of a skill, as it is now; None if no skill has a file of this address.

        Raises:
            CallerError: it cannot be read any more.
        """
        if not uri.startswith(SCHEME):
            return None
        path = next((local.paths[uri] for local in self.skills().values() if uri in local.paths), None)
        if path is None:
            return None
        try:
            content = read_bytes(path, MAX_BYTES)
        except OSError as error:
            raise CallerError(
                f"{brief(uri)} cannot be read ({error}); a file of a skill must stay; list skills again"
            ) from error
        kind = media_type(path)
        try:
            return types.TextResourceContents(uri=uri, mime_type=kind, text=content.decode())
        except UnicodeDecodeError:
            return types.BlobResourceContents(uri=uri, mime_type=kind, blob=base64.b64encode(content).decode())


def media_type(path: Path) -> str | None:
    """Return the media type of a file by its name."""
    return MARKDOWN if path.suffix.lower() == ".md" else mimetypes.guess_type(path.name)[0]


def _local_skill(folder: Path, path: Path) -> LocalSkill:
    """Read a skill.

    Raises:
        OSError: a file cannot be read.
        ValueError: it is not as the Agent Skills specification has it, or not UTF-8.
    """
    # Reads YAML, which a gateway without skills does not need.
    from server.gateway.skills.frontmatter import read_frontmatter

    text = read_bytes(path, MAX_BYTES)
    parts = split_skill(text.decode())
    if parts is None:
        raise ValueError("it has no frontmatter between two lines of ---")
    head = read_frontmatter(parts[0])
    place = path.parent.relative_to(folder)
    root = SCHEME + "".join(f"{quote(part)}/" for part in [*place.parts[:-1], str(head.get("name", ""))])
    files = sorted(_files(path.parent))
    if len(files) > MAX_FILES:
        raise ValueError(f"it has {len(files):,} files, and hosts take {MAX_FILES}")
    paths = {root + quote(file.relative_to(path.parent).as_posix()): file for file in files}
    resources = []
    for uri, file in paths.items():
        content = text if file == path else read_bytes(file, MAX_BYTES)
        resources.append(SkillFile(uri=uri, digest=digest(content), size=len(content)))
    entry = {"uri": root + SKILL_FILE, "frontmatter": head, "resources": resources}
    return LocalSkill(read_skill(entry), parts[1], paths)


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a skill's folder that do not lead out of it."""
    whole = folder.resolve()
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in PASSED]
        for path in (Path(root, name) for name in names):
            if not path.is_symlink() or path.resolve().is_relative_to(whole):
                yield path
