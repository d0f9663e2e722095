"""The manifest of the .mcpb bundle, and the pyproject.toml from which the host's uv installs what the server needs."""

import json
from typing import Any, Final

from deploy.project import TITLE, metadata, pins, repository_address, short_description
from server.tools.families import CHOOSABLE, CORE, FULL
from server.toolset.registry import TOOLS
from server.toolset.start import PROFILE_VARIABLE

ENTRY_POINT: Final = "src/main.py"
PLATFORMS: Final = ["darwin", "linux", "win32"]
"""Platforms for which onnxruntime has wheels."""

_LONG_DESCRIPTION: Final = (
    "Answers what AI coding agents can do, and how to set it up, from a sourced catalog. Phrases are understood by a "
    "model that runs on this computer. uv fetches Python packages at the first start; after that no network is needed."
)


def manifest(repository: str | None = None) -> dict[str, Any]:
    """Return the bundle's manifest.json.

    Args:
        repository: OWNER/NAME on GitHub, shown as the bundle's source.
    """
    project = metadata()
    address = repository_address(repository) if repository else None
    return {
        "manifest_version": "0.4",
        "name": project["name"],
        "display_name": TITLE,
        "version": project["version"],
        "description": short_description(),
        "long_description": _LONG_DESCRIPTION,
        "author": {"name": "the agent-capabilities authors"} | ({"url": address} if address else {}),
        **({"repository": {"type": "git", "url": f"{address}.git"}, "homepage": address} if address else {}),
        "server": {"type": "uv", "entry_point": ENTRY_POINT, "mcp_config": _command()},
        "tools": [{"name": tool.name, "description": tool.description} for tool in TOOLS if tool.family == CORE],
        # Other profiles have more tools.
        "tools_generated": True,
        "keywords": project["keywords"],
        "license": project["license"],
        "compatibility": {"platforms": PLATFORMS, "runtimes": {"python": project["requires-python"]}},
        "user_config": {"profile": _profile()},
    }


def bundled_project(wheel: str) -> str:
    """Return the bundle's pyproject.toml: it requires the wheel next to it, and the tested versions.

    Args:
        wheel: file name of the wheel.
    """
    project = metadata()
    versions = "".join(f"    {json.dumps(pin)},\n" for pin in pins("requirements.txt"))
    return (
        "[project]\n"
        f"name = {json.dumps(project['name'] + '-bundle')}\n"
        f"version = {json.dumps(project['version'])}\n"
        f"requires-python = {json.dumps(project['requires-python'])}\n"
        f"dependencies = [{json.dumps(project['name'])}]\n\n"
        "[tool.uv]\n"
        "package = false\n"
        f"constraint-dependencies = [\n{versions}]\n\n"
        "[tool.uv.sources]\n"
        f"{project['name']} = {{ path = {json.dumps(wheel)} }}\n"
    )


def _command() -> dict[str, Any]:
    return {
        "command": "uv",
        "args": ["run", "--directory", "${__dirname}", ENTRY_POINT],
        "env": {PROFILE_VARIABLE: "${user_config.profile}"},
    }


def _profile() -> dict[str, Any]:
    return {
        "type": "string",
        "title": "Tools",
        "description": f"Families of tools, joined by commas: {', '.join(CHOOSABLE)}; or {FULL}",
        "default": CORE,
        "required": False,
    }
