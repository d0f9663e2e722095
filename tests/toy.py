"""An encoder and a catalog small enough to be worked out by hand."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.normalization import words

AXES = (("undo", "rewind", "restore", "back"), ("outside", "tools", "connect", "plug"), ("image", "picture", "see"))
"""Words of one meaning share an axis; any other word says nothing."""


class ToyEncoder:
    """Counts the words of each meaning and scales to unit length; a text without any has the zero vector."""

    def __init__(self, fingerprint: str = "toy-1") -> None:
        self.fingerprint = fingerprint
        self.dimensions = len(AXES)
        self.languages: tuple[str, ...] = ()
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.encoded += texts
        counts = np.array(
            [[sum(word in axis for word in words(text)) for axis in AXES] for text in texts], dtype=np.float32
        ).reshape(len(texts), len(AXES))
        lengths = np.linalg.norm(counts, axis=1, keepdims=True)
        return np.asarray(counts / np.where(lengths == 0, 1, lengths), dtype=np.float32)

    def knows(self, word: str) -> bool:
        return any(word in axis for axis in AXES)


BOOK = PhraseBook(
    labels=(
        Label("Checkpoints", ("rewind", "snapshots"), "go back to an earlier state", ("undo it", "restore my files")),
        Label(
            "MCP Support", ("mcp", "snapshots of tools"), "connect outside tools", ("plug in outside tools", "connect")
        ),
        Label("Vision", ("images",), "understands a picture", ("can it see a picture", "image input")),
    ),
    out_of_scope=("how much does it cost", "is the service down"),
)


def source(url: str = "https://example.com/docs") -> dict[str, Any]:
    return {
        "url": url,
        "description": "the page",
        "verifiedDate": "2026-08-22",
        "status": "active",
        "sourceGranularity": "dedicated",
    }


def entry(name: str, category: str, *, available: bool = True, **more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "category": category,
        "name": name,
        "description": f"{name} of this agent",
        "available": available,
        "sources": [source()],
    }
    if available:
        base |= {"tier": "pro", "maturityLevel": "stable"}
        base["implementationNotes"] = {"setup": f"start {name}", "startUrl": "https://example.com/start"}
    return base | more


AGENT_FILES: dict[str, dict[str, Any]] = {
    "claude-code": {
        "agent": {"name": "Claude Code", "vendor": "Anthropic", "version": "2", "lastUpdated": "2026-08-22T00:00:00Z"},
        "capabilities": [entry("Checkpoints", "agent-orchestration"), entry("MCP Support", "api-integration")],
    },
    "gemini-cli": {
        "agent": {"name": "Gemini CLI", "vendor": "Google", "version": "1", "lastUpdated": "2026-08-21T00:00:00Z"},
        "capabilities": [
            entry("Checkpoints", "agent-orchestration", tier="free"),
            entry("MCP Support", "api-integration", available=False),
            entry("Vision", "performance"),
        ],
    },
}


def write_data(folder: Path, agents: dict[str, dict[str, Any]] | None = None, *, texts: bool = True) -> Path:
    """Return a data folder like the shipped one, with the toy catalog; with `texts` off, the agents' files alone."""
    for agent, content in (AGENT_FILES if agents is None else agents).items():
        path = folder / "agents" / agent / "capabilities" / "current.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    if texts:
        categories = {"Checkpoints": "agent-orchestration", "MCP Support": "api-integration", "Vision": "performance"}
        files: dict[str, Any] = {
            "capabilities.json": {
                "capabilities": [
                    {"name": label.name, "category": categories[label.name], "definition": label.description}
                    for label in BOOK.labels
                ]
            },
            "aliases.json": {alias: label.name for label in BOOK.labels for alias in label.aliases},
            "phrasings.json": {
                "phrasings": {label.name: list(label.phrasings) for label in BOOK.labels},
                "outOfScope": list(BOOK.out_of_scope),
            },
        }
        for name, value in files.items():
            (folder / name).write_text(json.dumps(value), encoding="utf-8")
    return folder
