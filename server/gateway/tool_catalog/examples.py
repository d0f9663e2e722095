"""How people ask for tools: phrasings that a language model wrote, kept beside the configuration or shipped."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from embeddings.files import read_text, write_atomically
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.invisible import visible
from server.errors import CallerError, brief
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.json_file import data_folder, locked, read_object, read_or_put_aside, write_object
from server.matching.known_tools import KNOWN_TOOLS_FILE, recognised, said

EXAMPLES_FILE: Final = "gateway-examples.json"

LOCKS: Final = "locks"
"""Folder of locks in the user's data folder."""

MAX_PHRASINGS: Final = 50
"""Maximum phrasings of a tool that are read."""

LONGEST: Final = 500
"""Maximum characters of a phrasing that are read."""

_MODE: Final = 0o644
"""The file is no secret: it may be shared with the configuration."""


def examples_path(configuration: Path) -> Path:
    """Return where the examples for the tools of a configuration file are."""
    return configuration.with_name(EXAMPLES_FILE)


def read_examples(paths: Sequence[Path], tools: Sequence[GatewayTool]) -> dict[str, tuple[str, ...]]:
    """Return the examples of tools by full name: those written for the tool as it is now.

    Args:
        paths: files of examples, which may not exist; the first that has examples of a tool counts.
        tools: the tools.
    """
    found: dict[str, tuple[str, ...]] = {}
    for path in dict.fromkeys(paths):
        kept = _kept(read_object(path) or {})
        for tool in tools:
            written = kept.get(tool.name, {}).get(tool.fingerprint)
            if written and tool.name not in found:
                found[tool.name] = tuple(_texts(written))
    return {name: texts for name, texts in found.items() if texts}


def write_examples(path: Path, tools: Sequence[GatewayTool], examples: Mapping[str, Sequence[str]]) -> None:
    """Write examples of tools as they are now; what the file holds for others, and for other descriptions, stays.

    Args:
        path: the file.
        tools: the tools.
        examples: phrasings by full name; tools that are not named keep theirs.

    Raises:
        CallerError: the file cannot be written.
    """
    # The configuration's folder, often a repository, is no place for a lock.
    with locked(path, data_folder() / LOCKS):
        content = read_or_put_aside(path)
        kept = _kept(content)
        for tool in tools:
            if tool.name in examples:
                kept.setdefault(tool.name, {})[tool.fingerprint] = list(_texts(examples[tool.name]))
        write_object(path, content | {"tools": kept}, _MODE)


def known_examples(tools: Iterable[GatewayTool]) -> dict[str, tuple[str, ...]]:
    """Return the examples that ship for the tools that are recognised, by full name."""
    found = {tool.name: recognised(tool.own_name, tool.tool.description or "") for tool in tools}
    return {name: known.examples for name, known in found.items() if known}


def write_known_tools(path: Path, tools: Sequence[GatewayTool], examples: Mapping[str, Sequence[str]]) -> None:
    """Add tools to a file of known tools, under the names of their servers; what it has of others stays.

    Args:
        path: the file; made if there is none.
        tools: the tools.
        examples: by full name; a tool without any is left out.

    Raises:
        CallerError: the file cannot be read or written, or is no such file.
    """
    try:
        servers: dict[str, Any] = json.loads(read_text(path))["servers"] if path.exists() else {}
        for tool in tools:
            if tool.name in examples:
                written = {"said": said(tool.tool.description or ""), "examples": [*examples[tool.name]]}
                servers[tool.server] = dict(sorted({**servers.get(tool.server, {}), tool.own_name: written}.items()))
        text = json.dumps({"servers": dict(sorted(servers.items()))}, ensure_ascii=False, indent=1)
        write_atomically(path, f"{text}\n".encode())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CallerError(
            f"{brief(str(path))} cannot be used as a file of known tools ({error}); it is JSON with 'servers', as the "
            f"shipped {KNOWN_TOOLS_FILE}; name such a file, or a new one"
        ) from error


def written_examples(book: PhraseBook) -> dict[str, tuple[str, ...]]:
    """Return the generated phrasings of an enriched catalog of tools, by full name, which is a label's id."""
    written = {label.id: tuple(text for text in label.phrasings if text in label.generated) for label in book.labels}
    return {name: texts for name, texts in written.items() if texts}


def _kept(content: dict[str, Any]) -> dict[str, dict[str, Any]]:
    tools = content.get("tools")
    return {name: own for name, own in tools.items() if isinstance(own, dict)} if isinstance(tools, dict) else {}


def _texts(written: Any) -> Iterator[str]:
    """Yield the phrasings that can be used, without hidden characters."""
    listed = written if isinstance(written, list | tuple) else ()
    plain = (visible(text[:LONGEST], one_line=True).strip() for text in listed[:MAX_PHRASINGS] if isinstance(text, str))
    yield from dict.fromkeys(filter(None, plain))
