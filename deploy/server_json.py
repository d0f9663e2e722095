"""Prints server.json for the MCP registry: `python -m deploy.server_json --repository OWNER/NAME [--bundle FILE]`.

The registry accepts the name only from that owner's account, and the package only if its description on PyPI, which
is README.md, contains the line that `--marker` prints.
"""

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any, Final

from deploy.project import TITLE, metadata, repository_address, short_description
from server.catalog.folders import DATA_VARIABLE
from server.matching.vector_cache import CACHE_VARIABLE
from server.tools.families import CHOOSABLE, CORE, FULL
from server.toolset.start import PROFILE_VARIABLE

SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
"""The newest released version of the schema."""

STDIO: Final = {"type": "stdio"}


def main() -> None:
    """Print the document, or the marker."""
    parser = argparse.ArgumentParser(description="Print server.json for the MCP registry.")
    parser.add_argument("--repository", metavar="OWNER/NAME", required=True, help="repository on GitHub")
    parser.add_argument(
        "--bundle", metavar="FILE", type=Path, help="the .mcpb bundle that is released with the package"
    )
    parser.add_argument("--marker", action="store_true", help="instead, print the line that README.md must contain")
    options = parser.parse_args()
    if options.marker:
        print(marker(options.repository))
    else:
        print(json.dumps(server_json(options.repository, options.bundle), indent=2, ensure_ascii=False))


def server_name(repository: str) -> str:
    """Return the server's name in the registry, in the owner's namespace."""
    repository_address(repository)
    return f"io.github.{repository.partition('/')[0]}/{metadata()['name']}"


def marker(repository: str) -> str:
    """Return the line by which the registry recognizes the package on PyPI as this server's."""
    return f"<!-- mcp-name: {server_name(repository)} -->"


def server_json(repository: str, bundle: Path | None = None) -> dict[str, Any]:
    """Return the content of server.json.

    Args:
        repository: OWNER/NAME on GitHub.
        bundle: the .mcpb file, to be attached to the GitHub release of this version's tag.
    """
    return {
        "$schema": SCHEMA,
        "name": server_name(repository),
        "title": TITLE,
        "description": short_description(),
        "repository": {"url": repository_address(repository), "source": "github"},
        "version": metadata()["version"],
        "packages": [_package(), *([_bundle(repository, bundle)] if bundle else [])],
    }


def _package() -> dict[str, Any]:
    return {
        "registryType": "pypi",
        "identifier": metadata()["name"],
        "version": metadata()["version"],
        "runtimeHint": "uvx",
        "transport": STDIO,
        "packageArguments": [{"type": "positional", "value": "serve"}],
        "environmentVariables": [
            {
                "name": PROFILE_VARIABLE,
                "description": f"Families of tools, joined by commas: {', '.join(CHOOSABLE)}; or {FULL}",
                "default": CORE,
            },
            {
                "name": DATA_VARIABLE,
                "description": "Folder with your own catalog, which contains agents/ (default: the shipped catalog)",
                "format": "filepath",
            },
            {
                "name": CACHE_VARIABLE,
                "description": "Folder for the cached vectors of your own catalog (default: the user's cache folder)",
                "format": "filepath",
            },
        ],
    }


def _bundle(repository: str, bundle: Path) -> dict[str, Any]:
    version = metadata()["version"]
    return {
        "registryType": "mcpb",
        "identifier": f"{repository_address(repository)}/releases/download/v{version}/{bundle.name}",
        "version": version,
        "fileSha256": hashlib.sha256(bundle.read_bytes()).hexdigest(),
        "transport": STDIO,
    }


if __name__ == "__main__":
    main()
