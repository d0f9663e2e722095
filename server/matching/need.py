"""Reads a caller's words as a need: an agent that is the subject becomes "it", and words of comparing are taken out."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from embeddings.text.clauses import clauses
from embeddings.text.exclusion import Exclusion, content, read_exclusion
from embeddings.text.normalization import fold, normalize
from server.catalog.catalog import Agent

_OF_A_PRODUCT: Final = (
    r"(?!['’]s\b)(?!\s*-?\s*(?:models?|opus|sonnet|haiku|max|pro|plus|team|enterprise|business|free|plan|plans|seat|seats|"
    r"license|licence|subscription|subscriptions|account|accounts|login|key|keys|api|sdk|token|tokens|spaces?|app|web|"
    r"desktop|cloud|ai|flash|ultra|advanced|\d[\w.]*|\.md|\.json|/)\b)"
)
"""What must not follow an agent's short name: with it, the words speak of a model, a plan, a vendor or a file."""

_NOT_OF: Final = r"(?<![\w./@#-])(?<!\ba\s)(?<!\ban\s)(?<!\bmy\s)(?<!\bour\s)"

_FRAMES: Final = re.compile(
    r"^\W*(?:so\s|ok\s|and\s|hi\s)*(?:which|what|who)(?:\sone|\sones)?(?:\sof)?(?:\s(?:them|these|those|the))?"
    r"(?:\s(?:two|three|six|lot|agents?|tools?|clis?|assistants?))*(?:\s(?:is|are|would\sbe))?"
    r"(?:\s(?:the\s)?(?:better|best|good|worse|stronger|nicer)(?:\s(?:at|for|in|when|if))?)?\b"
    r"|\b(?:is|are)\s(?:it|they|this|that|one|either)\s(?:any\s)?(?:better|good|best)\s(?:at|for|in)\b"
    r"|\b(?:which|who)\s(?:one\s)?(?:is|does|do|has|have|can)\s(?:(?:this|it|that)\s)?(?:better|best)\b(?:\s(?:at|for))?"
    r"|\b(?:any|some|none|one|all|both|either)\sof\s(?:them|these|those)\b\??"
    r"|\b(?:which|what)\s(?:agent|tool|cli|one)\s(?:should\si\s(?:take|use|pick|choose)|do\si\s(?:take|pick|choose)|fits)\b"
    r"|\bcompared\s(?:to|with)\b|\bversus\b|\bvs\b\.?(?!\s?code)",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"^(?:(?:does|do|can|could|will)\s(?:it|they|this)\s(?:have|support|offer|provide|include|come\swith|do)"
    r"|(?:is|are)\sthere|has\sit(?:\sgot)?|(?:what|how)(?:\sis|\sare|'s|\sabout|\sgood\s(?:is|are))"
    r"|(?:tell\sme|something)\sabout|explain|describe)\s(?:(?:an?|any|its|their|some|the)\s)?"
    r"(?P<name>.+?)(?:\s(?:like|features?|support))?\W*$",
    re.IGNORECASE,
)
"""A question about nothing but a name: "does it have ...", "what is its ... like"."""

_BRACKETS: Final = re.compile(r"\(\s*\)|\[\s*\]")
_COMMON: Final = frozenset(["cli", "code", "agent", "ai", "chat", "terminal", "in"])
_SEVERAL: Final = re.compile(
    r"\b(?:both\s|either\s)?it(?:\s*(?:[,/&+;]|\b(?:or|and|nor)\b)?\s*(?:the\s)?it)+\b", re.IGNORECASE
)
_ASIDE: Final = re.compile(r"^(?:it\s*)?[,;:/.!–—-]+\s*|\s*[,;:/–—-]\s*(?:it)?\W*$", re.IGNORECASE)
"""An agent that stands apart at one of the ends: "codex: ...", "..., codex?"."""


ENOUGH: Final = 2
"""Words beside what a need leaves out from which these alone are matched to a heading."""


@dataclass(frozen=True)
class Need:
    """What a caller wants.

    Attributes:
        text: the need without its subject; the caller's words if nothing else is left.
        agents: ids of the agents that are named, in the order in which they are.
        is_wish: whether it says what is wanted, and no question or complaint.
    """

    text: str
    agents: tuple[str, ...] = ()
    is_wish: bool = False

    @cached_property
    def exclusion(self) -> Exclusion:
        """What it leaves out."""
        return read_exclusion(self.text)

    @property
    def asked_about(self) -> str:
        """What it asks about if it only asks about that: "plan mode" of "does it have plan mode"; else all of it."""
        found = _ABOUT.match(self.text)
        return found["name"] if found else self.text

    @property
    def wanted(self) -> str:
        """The need without what it leaves out, if enough is left to be understood."""
        enough = self.exclusion.excluded and len(self.exclusion.wanted) >= ENOUGH
        return self.exclusion.rest if enough else self.text


def needs_of(need: Need) -> tuple[Need, ...]:
    """Return the clauses of a need, each as a need of its own."""
    return tuple(Need(clause.text, need.agents) for clause in clauses(need.text))


class NeedReader:
    """Reads needs in words that may name the agents of one catalog. Safe to share between threads."""

    def __init__(self, agents: Mapping[str, Agent]) -> None:
        """Learn what the agents are called: ids, names, and words that only one of them has."""
        names = _names(agents)
        longest_first = sorted(names, key=len, reverse=True)
        spelled = "|".join(re.escape(name).replace(r"\ ", r"[\s_-]+") for name in longest_first)
        self._names = names
        self._mention = re.compile(rf"{_NOT_OF}(?:the\s)?\b(?P<name>{spelled})\b{_OF_A_PRODUCT}", re.IGNORECASE)

    def read(self, words: str) -> Need:
        """Take agents and the words of comparing out of a text."""
        plain = " ".join(normalize(words).split())
        found: list[str] = []

        def subject(match: re.Match[str]) -> str:
            found.append(self._names[fold(match["name"])])
            return "it"

        named = self._mention.sub(subject, plain) if self._names else plain
        text = _tidy(_FRAMES.sub(" ", named))
        return Need(text if content(text) else words, tuple(dict.fromkeys(filter(None, found))))


def _names(agents: Mapping[str, Agent]) -> dict[str, str]:
    """Return agents by what they are called, folded; what could mean several stands for none of them ('')."""
    found: dict[str, str] = {}
    for id_, agent in agents.items():
        for word in set(fold(id_).split()) & set(fold(agent.info.name).split()) - _COMMON:
            found[word] = "" if word in found else id_
    for id_, agent in agents.items():
        name = fold(agent.info.name)
        for called in (fold(id_), name, name.removeprefix(fold(agent.info.vendor or "")).strip()):
            found.update(dict.fromkeys(_turned(called), id_))
    return {name: id_ for name, id_ in found.items() if name}


def _turned(name: str) -> Iterator[str]:
    """Yield a name, and how else it is said: 'copilot in vs code' is 'vs code copilot' and 'copilot in vscode', too."""
    yield name
    product, inside, place = name.partition(" in ")
    if not inside:
        return
    for where in (place, place.replace(" ", "")):
        for what in (product, product.split()[-1]):
            yield from (f"{what} in {where}", f"{where} {what}", f"{what} {where}")


def _tidy(text: str) -> str:
    """Join the subjects that stand side by side, and take out one that stands apart."""
    return _ASIDE.sub("", _SEVERAL.sub("it", " ".join(_BRACKETS.sub(" ", text).split()))).strip()
