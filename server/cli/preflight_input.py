"""The catalog that `preflight` judges: a file, standard input, servers' tools, or the data folder's capabilities."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from embeddings.files import MAX_TEXT
from embeddings.labels.reading import parse_json, read_json_text
from embeddings.labels.skills import skills_in
from embeddings.labels.tool_list import ToolLists
from server.catalog.catalog import phrase_book
from server.catalog.folders import data_folder
from server.catalog.loading import load_catalog
from server.errors import CallerError
from server.preflight.outcome import Source

STANDARD_INPUT: Final = "-"


def chosen_catalog(options: argparse.Namespace) -> tuple[Source, Any]:
    """Read the catalog to judge, and its JSON value or the lists of tools.

    Raises:
        PhraseBookError: a file cannot be read or is not JSON.
        CallerError: standard input cannot be read, there is no such data folder, or no server answers.
    """
    if options.config:
        return listed_tools(options.config)
    if options.catalog is None:
        return Source("the capabilities"), phrase_book(load_catalog(data_folder(options.data))).to_dict()
    if options.catalog == STANDARD_INPUT:
        return Source("standard input"), parse_json(_standard_input(), "standard input")
    if Path(options.catalog).is_dir():
        return Source(options.catalog), skills_in(Path(options.catalog))
    text = read_json_text(Path(options.catalog), pipe=True)
    return Source(options.catalog, options.catalog, text), parse_json(text, f"catalog {options.catalog!r}")


def listed_tools(files: Sequence[Path]) -> tuple[Source, ToolLists]:
    """Return the tools of the servers of configurations, with the examples that are kept beside these."""
    from server.cli.gateway_run import listed_servers
    from server.gateway.tool_catalog.examples import examples_path, read_examples

    listed = listed_servers(files)
    tools = listed.gateway_tools
    kept = read_examples([examples_path(path) for path in files], tools)
    examples = {(tool.server, tool.own_name): kept[tool.name] for tool in tools if tool.name in kept}
    return Source(f"the servers of {', '.join(map(str, files))}"), ToolLists(listed.to_json(), {}, examples)


def _standard_input() -> str:
    content = sys.stdin.buffer.read(MAX_TEXT + 1)
    if len(content) > MAX_TEXT:
        raise CallerError(
            f"standard input has over {MAX_TEXT:,} bytes; a catalog has at most that many; give a smaller one"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CallerError(
            f"standard input cannot be read ({error}); it must be UTF-8 JSON; convert it, or give --catalog FILE"
        ) from error
