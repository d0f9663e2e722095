"""The statements of a catalog: each sentence of an entry by itself, with questions that it answers."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from embeddings.statements.statement import Statement
from server.catalog.catalog import Catalog
from server.catalog.folders import agents_folder
from server.catalog.loading import read_questions_file
from server.catalog.models import CapabilityEntry

QUESTIONS_FILE: Final = "questions.json"

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)\s+(?=[A-Z0-9`\"'/@$~(-])")
"""Between two sentences. One that starts in lower case, as a command's name does, stays with the one before."""


def statements(catalog: Catalog) -> list[Statement]:
    """Return every statement of every entry, by agent, in the order of the catalog."""
    found = []
    for agent in catalog.agents.values():
        questions = agent_questions(catalog.folder, agent.id)
        for name, entry in agent.entries.items():
            asked = questions.get(name, {})
            found += [
                Statement(agent.id, name, field, text, asked.get(text, ())) for field, text in entry_statements(entry)
            ]
    return found


def entry_statements(entry: CapabilityEntry) -> Iterator[tuple[str, str]]:
    """Yield the field and text of each statement of an entry."""
    for sentence in sentences(entry.description):
        yield "description", sentence
    for text in entry.limitations:
        yield "limitations", text
    for text in entry.requirements:
        yield "requirements", text
    notes = entry.implementation_notes
    if notes is None:
        return
    if notes.setup:
        yield "setup", notes.setup
    if notes.config_file:
        yield "configFile", notes.config_file
    for text in notes.gotchas:
        yield "gotchas", text


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [sentence for part in _SENTENCE_END.split(text) if (sentence := part.strip())]


def agent_questions(folder: Path, agent: str) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Questions by capability and statement; empty if the agent has no file of them.

    Raises:
        CatalogError: the file cannot be used.
    """
    path = agents_folder(folder) / agent / "capabilities" / QUESTIONS_FILE
    return read_questions_file(path).questions if path.exists() else {}
