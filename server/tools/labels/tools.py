"""The tools for one catalog of labels, whose descriptions say what is in it."""

from embeddings.labels.phrase_book import PhraseBook
from server.tools.definition import ServiceTool
from server.tools.labels.explain_label import explain_tool
from server.tools.labels.match_label import match_tool


def label_tools(book: PhraseBook | None) -> tuple[ServiceTool, ...]:
    """The tools, in the order in which they are listed."""
    return match_tool(book), explain_tool(book)
