"""Fingerprints of JSON values of any depth."""

import hashlib
from collections.abc import Mapping
from typing import Any

import mcp_types


def fingerprint(tool: mcp_types.Tool) -> str:
    """Hex sha256 of all that a tool says of itself, as the upstream gave it: names, texts, schemas, annotations."""
    hints = tool.annotations.model_dump(exclude_none=True) if tool.annotations else None
    return digest([tool.name, tool.title, tool.description, tool.input_schema, tool.output_schema, hints])


def digest(value: Any) -> str:
    """Hex sha256 of a JSON value; the order of keys does not count."""
    found = hashlib.sha256()
    # A stack instead of recursion: an upstream may nest a schema deeper than Python can recurse.
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            found.update(b"{%d" % len(item))
            for key in sorted(item, key=str):
                waiting += [item[key], str(key)]
        elif isinstance(item, list | tuple):
            found.update(b"[%d" % len(item))
            waiting += item
        else:
            text = (item if isinstance(item, str) else repr(item)).encode("utf-8", "surrogatepass")
            found.update(b"%s%d:" % (b"s" if isinstance(item, str) else b"v", len(text)))
            found.update(text)
    return found.hexdigest()
