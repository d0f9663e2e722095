"""Keeps a need that only asks for something from being settled with a tool that changes something.

"Is pull request 9 mergeable" is nearest to `merge_pull_request`. Words decide, as embeddings hardly tell the two apart.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

_ASKS: Final = re.compile(
    r"^\W*(?:(?:please|hey|hi|ok|so|and)\b\W*)*(?:"
    r"(?:(?:to|for|from|in|on|at|by|with)\s)?(?:what|which|who|whose|when|where|why|how\s(?:many|much|long|old|often|far|big))\b"
    r"|(?:is|are|was|were|isn['’]?t|aren['’]?t)\s(?!it\sok)"
    r"|(?:do|have)\s(?:i|we|you|they)\b"
    r"|(?:does|did|has|had)\s(?:i|we|you|they|he|she|it|the|any|my|our|that|this|someone|anyone|anybody)\b"
    r"|(?:tell|remind)\sme\b|(?:look\sup|find\sout|check\s(?:if|whether))\b"
    r"|(?:the\s)?\w+(?:\s(?:and|or)\s\w+)?\sof\b)",
    re.IGNORECASE,
)
"""How a need begins that only asks, or that names what is to be known, as "status and owner of issue 4" does. "How do
I ..." may be a wish to have it done."""

_GOES_ON: Final = re.compile(r"[.;!?]\s+\w|\b(?:and\s)?then\b|,\s*(?:and|so|if)\b", re.IGNORECASE)
"""More than one sentence or clause, of which another may say what is to be done."""

_WORD: Final = re.compile(r"[A-Za-z][a-z]*|[A-Z]+(?![a-z])")

_CHANGES: Final = frozenset(
    _WORD.findall(
        "add append apply approve archive assign attach cancel clear close commit complete copy create delete deploy "
        "disable drop edit enable execute fork import insert install invite kill lock mark merge modify move mute "
        "patch pause post publish push put register remove rename reopen replace reply request reset resolve respond "
        "restart restore resume revert revoke rollback run scale schedule send set share start stop submit subscribe "
        "transfer trigger unarchive unassign unlock unsubscribe update upload upsert write"
    )
)
_READS: Final = frozenset(
    _WORD.findall(
        "check count describe diff download explain export fetch find get inspect list log lookup query read retrieve "
        "search show status summarize view whoami"
    )
)
"""First verbs of tools' names."""


def only_asks(need: str) -> bool:
    """Return whether a need is one question for information, by how it begins; in English."""
    return bool(_ASKS.match(need)) and not _GOES_ON.search(need)


def changes_something(name: str, hints: Mapping[str, Any]) -> bool:
    """Return whether a tool changes something, as its server says, or else by the first verb of its name.

    Args:
        name: as its server calls it.
        hints: its annotations, on the wire.
    """
    said = hints.get("readOnlyHint")
    if isinstance(said, bool):
        return not said
    verbs = (word for word in map(str.lower, _WORD.findall(name)) if word in _CHANGES or word in _READS)
    return next(verbs, "") in _CHANGES


def is_unsafe(need: str, name: str, hints: Mapping[str, Any]) -> bool:
    """Return whether a tool must not be the one answer to a need, since it would do more than was asked.

    Of 348 needs for tools that only read, of three groups of ten public servers, 2 were resolved to a tool that
    changes something, or 1 where tools have examples; with this rule none is. Of 58 more in
    `benchmarks/agent_needs.jsonl`, which use the words of tools that change something, 7 and 3 were; none is, but the
    words of two rules come from them.
    """
    return only_asks(need) and changes_something(name, hints)
