"""The statements of a catalog: each sentence of an entry by itself, with questions that it answers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from embeddings.statements.statement import Statement
from server.catalog.catalog import Catalog
from server.catalog.folders import agents_folder
from server.catalog.models import QuestionsFile
from server.catalog.reading import read_json_file

QUESTIONS_FILE: Final = "questions.json"


def statements(catalog: Catalog) -> list[Statement]:
    """Return every statement of every entry, by agent, in the order of the catalog."""
    found = []
    for agent in catalog.agents.values():
        questions = agent_questions(catalog.folder, agent.id)
        for name, entry in agent.entries.items():
            asked = questions.get(name, {})
            found += [
                Statement(agent.id, name, field, text, asked.get(id_ or text) or asked.get(text, ()))
                for field, id_, text in entry.statements
            ]
    return found


def agent_questions(folder: Path, agent: str) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return questions by capability and statement; empty if the agent has no file of them.

    Raises:
        CatalogError: the file cannot be used.
    """
    path = agents_folder(folder) / agent / "capabilities" / QUESTIONS_FILE
    return read_json_file(QuestionsFile, path).questions if path.exists() else {}
