"""Skills on disk, and those of a made server."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from embeddings.labels.skills import SKILL_FILE
from server.gateway.skills.skill import digest
from tests.server.gateway.made_upstreams import Made


def skill_text(name: str, description: str, body: str = "") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}"


def write_skill(folder: Path, name: str, description: str, body: str = "", files: Mapping[str, bytes] = {}) -> None:
    """Write a skill in a folder of its name, with more files by name."""
    own = folder / name
    own.mkdir(parents=True)
    (own / SKILL_FILE).write_text(skill_text(name, description, body), encoding="utf-8", newline="\n")
    for file, content in files.items():
        (own / file).write_bytes(content)


def entry(name: str, description: str = "does it", **more: Any) -> dict[str, Any]:
    """Return a server's entry of a skill of one file."""
    uri, content = f"skill://{name}/{SKILL_FILE}", skill_text(name, description).encode()
    files = [{"uri": uri, "digest": digest(content), "size": len(content)}]
    return {"uri": uri, "frontmatter": {"name": name, "description": description}, "resources": files, **more}


def skilled(*described: tuple[str, str], **more: Any) -> Made:
    """Return a server with skills of these names and descriptions."""
    return Made(
        skills=[entry(name, description) for name, description in described],
        contents={f"skill://{name}/{SKILL_FILE}": skill_text(name, description) for name, description in described},
        **more,
    )
