"""Says what a catalog holds, in few words: a tool's description is all that a model sees before it calls."""

from typing import Final

from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.visible import visible

MOST_NAMES: Final = 3
MOST_BYTES: Final = 40
"""Maximum names in a description, and UTF-8 bytes of them: with three Chinese names it has 50 cl100k tokens at most."""


def about(book: PhraseBook | None) -> str:
    """The number of a catalog's labels and the first names, such as `129 labels (create_issue, search_code, ...)`.

    Of labels in a store, which may change while it is served, nothing is said.
    """
    if book is None:
        return "labels"
    count = len(book.labels)
    names: list[str] = []
    for label in book.labels[:MOST_NAMES]:
        names.append(" ".join(visible(label.name, one_line=True).split()))
        if len(", ".join(names).encode()) > MOST_BYTES:
            del names[-1]
            break
    more = ["..."] if len(names) < count else []
    shown = f" ({', '.join([*names, *more])})" if names else ""
    return f"{count} {'label' if count == 1 else 'labels'}{shown}"
