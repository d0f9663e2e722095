"""The requests and tools that the encoder is tuned on: where they are, their licences, their readers.

Public sets are read whose repository states a licence that allows it, and the tools of widely used MCP servers, whose
packages do, with the examples that ship with this project. No row of a set and no description of a tool is stored here.
"""

import ast
import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.sets import function_calls
from benchmarks.sets.files import described, json_file, json_lines
from benchmarks.sets.labelled_set import LabelledSet, SetBuilder
from benchmarks.sets.sources import Source
from embeddings.errors import ModelError
from embeddings.labels.label import Phrase
from embeddings.labels.phrase_book import PhraseBook
from server.matching.known_tools import KNOWN_TOOLS_FILE
from server.paths import shipped_data

MAX_DESCRIPTION: Final = 300
"""Characters of a description that are read; more than that are instructions for programmers."""


def checkout(source: Source, folder: Path) -> Path:
    """Return the checkout of a source in a folder, after cloning it there if it is missing.

    Raises:
        ModelError: it cannot be cloned.
    """
    path = folder / source.repository
    if path.is_dir():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    url = f"https://github.com/{source.repository}"
    for command in (
        ["git", "clone", "--quiet", url, str(path)],
        ["git", "-C", str(path), "checkout", "-q", source.commit],
    ):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            said = " ".join(done.stderr.split()) or done.returncode
            raise ModelError(
                f"{source.repository} at {source.commit} cannot be had ({said}); the pairs are read from a "
                "checkout; connect to GitHub, or give --sources a folder that holds it"
            )
    return path


def seal_tools(root: Path) -> LabelledSet:
    """Read the tools of Seal-Tools, and the requests of those of its files that the checkout has."""
    collected, data = SetBuilder("seal-tools"), root / "Seal-Tools_Dataset"
    for tool in json_lines(data / "tool.jsonl"):
        collected.label(tool["api_name"], tool["api_description"], parameters=described(tool["parameters"]))
    for name in ("train", "dev", "test_in_domain", "test_out_domain"):
        path = data / f"{name}.jsonl"
        for row in json_lines(path) if path.exists() else ():
            collected.query(row["query"], [call["api"] for call in row["calling"]])
    return collected.build()


def api_bench(root: Path) -> LabelledSet:
    """Read the requests of APIBench, each with the model that does what is asked."""
    collected = SetBuilder("apibench")
    for path in sorted((root / "data" / "apibench").glob("*.json")):
        for row in json_lines(path):
            api = row["api_data"]
            asked, description = _instruction(row["code"]), str(api.get("description", ""))
            if asked and description:
                name = collected.label(f"{api['functionality']} {api['api_name']}", description[:MAX_DESCRIPTION])
                collected.query(asked, [name])
    return collected.build()


def _instruction(code: str) -> str:
    """Return the request in an answer of APIBench, which is a dictionary of Python or a text with headings."""
    found = re.search(r"(?:###\s*)?Instruction['\"]?\s*:\s*(.+?)(?:\n|, *'Output'|, *\"Output\"|$)", code, re.DOTALL)
    text = found[1].strip() if found else ""
    try:
        return str(ast.literal_eval(text)) if text[:1] in "'\"" else text
    except (SyntaxError, ValueError):
        return text.strip("'\"")


def api_zoo(root: Path) -> LabelledSet:
    """Read API Zoo: calls of services that contributors described, with questions that each answers."""
    collected = SetBuilder("apizoo")
    for path in sorted((root / "data" / "apizoo").iterdir()):
        for api in _items(path):
            questions = [text for text in api.get("questions") or () if isinstance(text, str)]
            if api.get("api_name") and api.get("functionality") and questions:
                text = f"{api['functionality']} {(api.get('meta_data') or {}).get('description') or ''}"
                name = collected.label(str(api["api_name"]), text[:MAX_DESCRIPTION])
                for question in questions:
                    collected.query(question, [name])
    return collected.build()


def open_functions(root: Path) -> LabelledSet:
    """Read the requests of the first OpenFunctions that are in its repository."""
    collected = SetBuilder("openfunctions")
    for row in json_file(root / "openfunctions/openfunctions-v1/gorilla_openfunctions_v1_test.json"):
        function = row["function"]
        if isinstance(function, dict) and function.get("description"):
            collected.query(row["question"], [collected.label(function["name"], function["description"])])
    return collected.build()


def _items(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a contributor's file; one that is not JSON has none."""
    try:
        value = json_file(path)
    except ValueError:
        return
    yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict))


SOURCES: Final = (
    Source("fairyshine/Seal-Tools", "ce753ecd60ed08dd376984035de531ab8421f1c6", "Apache-2.0", (seal_tools,)),
    Source(
        "ShishirPatil/gorilla",
        "6ea57973c7a6097fd7c5915698c54c17c5b1b6c8",
        "Apache-2.0",
        (function_calls.bfcl, function_calls.bfcl_live, api_bench, api_zoo, open_functions),
    ),
)


PACKAGES: Final = Path(__file__).with_name("packages.json")
"""Version and licence of the packages of MCP servers whose tools are learned from."""


def packages() -> Mapping[str, Mapping[str, str]]:
    """Return these packages: `{name: {"version", "license"}}`."""
    found: Mapping[str, Mapping[str, str]] = json.loads(PACKAGES.read_text(encoding="utf-8"))
    return found


def known_tools(lists: Path) -> Iterator[LabelledSet]:
    """Read the tools of the packages, each server as a set, with the examples of `data/known-tools.json` as requests.

    Args:
        lists: JSON file of `{package: {"tools": [...]}}`, as `gateway catalog` prints it where each server is called
            like its package. Packages that are not in it are left out.
    """
    told, examples = json_file(lists), json_file(shipped_data() / KNOWN_TOOLS_FILE)["servers"]
    for package in packages():
        collected = SetBuilder("known-tools")
        described = {tool["name"]: tool.get("description") for tool in told.get(package, {}).get("tools", ())}
        for name, known in examples[package].items():
            if (described.get(name) or "").strip():
                label = collected.label(name, described[name][:MAX_DESCRIPTION])
                for example in known["examples"]:
                    collected.query(example, [label])
        read = collected.build()
        if read.labels:
            yield read


@dataclass(frozen=True)
class Pair:
    """A request and a tool that serves it.

    Attributes:
        request: as somebody made it.
        tool: what a catalog embeds of the tool: name with description, name, each sentence of the description.
        source: the set that it is of.
        all_tools: the first text of every tool that serves the request; none of them is wrong for it.
    """

    request: str
    tool: tuple[str, ...]
    source: str
    all_tools: frozenset[str]


def read_pairs(folder: Path, lists: Path | None = None, without: Iterable[str] = ()) -> list[Pair]:
    """Read the pairs of all sources, in a fixed order.

    Args:
        folder: holds the checkouts as owner/name; those that are missing are cloned into it.
        lists: the tools of MCP servers, see `known_tools`; None to learn from the public sets alone.
        without: texts that must not be learned, such as queries of evaluations; compared ignoring case and spaces.

    Raises:
        ModelError: a source cannot be had.
    """
    barred = {_plain(text) for text in without}
    found = []
    for source in SOURCES:
        root = checkout(source, folder)
        for reader in source.readers:
            found += [pair for pair in _pairs(reader(root)) if _plain(pair.request) not in barred]
    for read in known_tools(lists) if lists else ():
        found += [pair for pair in _pairs(read) if _plain(pair.request) not in barred]
    return found


def _pairs(read: LabelledSet) -> Iterator[Pair]:
    labels = tuple(replace(label, phrasings=()) for label in read.labels if label.description)
    found: dict[str, list[Phrase]] = {}
    for phrase in PhraseBook(labels).phrases():
        found.setdefault(labels[phrase.label].name, []).append(phrase)
    texts = {
        name: tuple(phrase.text for phrase in sorted(phrases, key=lambda phrase: phrase.kind != "whole"))
        for name, phrases in found.items()
    }
    for query in read.queries:
        tools = [texts[name] for name in query.gold if name in texts]
        for tool in tools:
            yield Pair(query.query, tool, read.name, frozenset(each[0] for each in tools))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
