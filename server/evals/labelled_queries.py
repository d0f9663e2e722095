"""Reads labelled queries: JSON lines, each a phrase with the labels that answer it."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from embeddings.files import read_text
from embeddings.metrics import LabelledQuery
from server.errors import CallerError, brief


def read_queries(path: Path) -> list[LabelledQuery]:
    """Read the labelled queries of a file.

    Raises:
        CallerError: the file cannot be read, holds no query, or has a line of the wrong shape.
    """
    return parse_queries(read_content(path), str(path))


def read_content(path: Path) -> str:
    """Read a file of JSON lines.

    Raises:
        CallerError: it cannot be read.
    """
    try:
        return read_text(path, pipe=True)
    except (OSError, UnicodeDecodeError) as error:
        raise CallerError(
            f"{brief(str(path))} cannot be read ({error}); it must be UTF-8 JSON lines; check the path"
        ) from error


def numbered_lines(content: str, name: str, what: str) -> list[tuple[int, str]]:
    """Return the lines of a file that are not blank, with their numbers.

    Args:
        content: of the file.
        name: what messages call the file.
        what: what a line holds, in the plural.

    Raises:
        CallerError: there is none.
    """
    # Not `splitlines`: a JSON string may hold other characters that end lines, such as U+2028.
    numbered = enumerate(content.removeprefix("\ufeff").split("\n"), start=1)
    lines = [(number, line) for number, line in numbered if line.strip()]
    if not lines:
        raise CallerError(f"{brief(name)} holds no {what}; each line must be a JSON object; add some")
    return lines


def parse_queries(content: str, name: str, most: int | None = None) -> list[LabelledQuery]:
    """Parse the content of a file of labelled queries.

    Args:
        content: JSON lines; blank ones are skipped.
        name: what messages call the file.
        most: maximum number of queries; None if any number will do.

    Raises:
        CallerError: there is no query, there are too many, or a line has the wrong shape.
    """
    lines = numbered_lines(content, name, "queries")
    if most is not None and len(lines) > most:
        raise CallerError(
            f"{brief(name)} holds {len(lines):,} queries; at most {most:,} are measured here; give fewer, or run "
            "`agent-capabilities eval matcher` on the file"
        )
    return [_query(line, f"{name}, line {number}") for number, line in lines]


def check_gold(queries: Iterable[LabelledQuery], names: Sequence[str], name: str) -> None:
    """Check that a catalog has the labels of the queries.

    Args:
        queries: the queries.
        names: of the catalog's labels.
        name: what messages call the file.

    Raises:
        CallerError: it lacks one.
    """
    unknown = sorted({label for query in queries for label in query.gold} - set(names))
    if unknown:
        raise CallerError(
            f"{name} has gold labels that the catalog lacks: {', '.join(unknown[:5])}; gold labels must be "
            "names in the catalog; correct the file, or give the catalog it was written for"
        )


def _query(line: str, where: str) -> LabelledQuery:
    try:
        value: Any = json.loads(line)
        query, gold, stratum = value["query"], value["gold"], value.get("stratum", "all")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CallerError(
            f"{where} is {brief(line)}; a line must be a JSON object with 'query' and 'gold'; fix the line"
        ) from error
    texts = isinstance(gold, list) and all(isinstance(name, str) for name in gold)
    if not isinstance(query, str) or not query.strip() or not texts or not isinstance(stratum, str):
        raise CallerError(
            f"{where} is {brief(line)}; 'query' must be a phrase, 'gold' a list of names, 'stratum' a string; "
            "fix the line"
        )
    return LabelledQuery(query, tuple(gold), stratum)
