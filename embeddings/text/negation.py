"""Finds what a message says is not wanted, such as "I do NOT want to cancel my order, just change the address".

Only what the speaker refuses counts. Other negative words are usually the need itself: "my card isn't accepted", "it
does not ask me", "without asking me", "I don't want to fly any more".
"""

import re
from dataclasses import dataclass
from typing import Final

from embeddings.text.normalization import normalize

# Plain spaces in a text were made single before these are applied.
_START: Final = r"(?:(?<=^)|(?<=[.!?;,:-]\s)|(?<=\sbut\s))"
_NOT: Final = r"(?:do\snot|don't|dont|did\snot|didn't|would\snot|wouldn't|never)"
_TO: Final = r"(?:\s(?P<other>it|they|them|this|that|anyone|anybody)\sto\b|\syou\sto\b|\sto\b|\sabout\b|\sfor\b)?"
_OPENING: Final = re.compile(
    rf"\b(?:i|we)\s(?:really\s|certainly\s|definitely\s)?{_NOT}\s(?:\w+ly\s|even\s)?"
    rf"(?:wanted|want|wanna|wish|need|intend|meant|mean|plan|asked){_TO}|"
    rf"\b(?:i|we)\swo(?:uld\snot|uldn't)\slike{_TO.replace('?P<other>', '?:')}|"
    rf"(?:\b(?:i|we)(?:'m|\sam|'re|\sare|\swas|\swere)\s|{_START})not\s(?:\w+ly\s)?"
    r"(?:asking|saying|suggesting|requesting|wanting|looking|trying|calling|writing|here|interested|planning|hoping|going|talking|after)\b"
    r"(?:\s(?:to|you\sto|for|about|in|on)\b)*|"
    r"\b(?:i|we)(?:'m|\sam|'re|\sare)\snot\s"
    r"(?=\w+ing\b[^,.;!?]{0,60}(?:[,.;!]\s(?:(?:i|we)(?:'m|\sam|'re|\sare)?\s)?|\sbut\s)(?:just|only|merely)\b)|"
    r"\b(?:this|that|it)(?:\sis\snot|'s\snot|\sisn't)\s(?:about|for)\b|"
    r"\bit(?:\sis\snot|'s\snot|\sisn't)\s(?=[^,.;!?]{1,60}\b(?:i|we)\s(?:want|need|mean)\b)|"
    r"\b(?:i|we)(?:\shave|'ve|'ve\sgot|\shave\sgot)\sno\s(?:intention|wish|desire|need|plans?|interest)\s(?:of|to|for|in)\b|"
    r"\b(?:there's\s|there\sis\s)?no\sneed\s(?:to|for)\b|"
    r"(?P<than>\b(?:instead\sof|rather\sthan)\b)|"
    rf"{_START}(?:please\s)?stop\s(?=\w+ing\b)|"
    r"\b(?:nobody|no\sone)(?:\s\w+){0,2}\s(?:wants?|wanted|needs?|needed|asked|said|mentioned)"
    r"(?:\sanything)?(?:\syou)?(?:\s(?:to|for|about))?\b|"
    r"\b(?:i|we)\s(?:never|did\snot|didn't)\s(?:say|said|mention|mentioned)\s(?:anything\s|a\sword\s)?(?:about\b)?|"
    r"\bwho\s(?:said|asked|mentioned)(?:\sanything)?(?:\syou)?\s(?:about|for|to)\b|"
    r"\b(?:i|we)\s(?:won't|will\snot)\s(?:be\s)?(?:need|needing|want|wanting)(?:\sto)?\b|"
    rf"{_START}(?:you|it|they)\s(?:needn't|need\snot|(?:do|does)(?:n't|\snot)\s(?:have|need)\sto)\b|"
    r"\b(?:i|we)\s(?:can|could)\s(?:easily\s|well\s)?do\swithout\b|"
    r"\b(?:i|we)(?:'d|\swould)\s(?:really\s|much\s)?rather\snot\b|"
    rf"{_START}(?:please\s)?leave\s(?=[^,.;!?]{{2,60}}\b(?:alone|aside)\b)|"
    rf"{_START}(?P<aside>(?:please\s)?skip\s)|"
    rf"{_START}(?=[^,.;!?]{{2,60}}?\s(?:isn't|aren't|is\snot|are\snot)\s(?:really\s|at\sall\s)?"
    r"(?:wanted|needed|necessary|required|the\s(?:issue|problem|question|point))\b)|"
    rf"{_START}forget\s(?:about\s)?(?=(?:the|my)\b)|"
    rf"{_START}(?:please\s|kindly\s)?(?:do\snot|don't|dont)\s"
    r"(?!(?:let|forget|lose|have|know|see|get|understand|remember|like|want|need|think)\b)|"
    rf"{_START}no\s(?=[\w' -]{{3,50}}(?:\splease\b|,\s(?:but|i|we|please)\b))|"
    rf"{_START}not\s(?=(?!(?:longer|more|one|only|just|able|working|sure|idea|matter)\b)"
    r"[\w' -]{3,50}(?:\splease\b|,\s(?:thanks|thank\syou)\b|[,.]\s(?:but|just|only|simply|rather|i|we|please)\b))",
    re.IGNORECASE,
)
_SIGNS: Final = (
    *("not", "n't", "no ", "dont", "never", "nobody", "instead of", "rather ", "without"),
    *("stop ", "who ", "leave ", "skip ", "forget "),
)
"""Each opening has one of these."""

_SCOPE_END: Final = re.compile(
    r"\s*(?:[,;:!?…]|\.(?=\s|$)|\s[-–—]\s|\b(?:but|because|instead|just|only|since)\b|$)", re.IGNORECASE
)
_THAN_END: Final = re.compile(rf"{_SCOPE_END.pattern}|\s(?=(?:i|we|i'd|we'd|can|could|please)\s)", re.IGNORECASE)
_WISH: Final = re.compile(
    r"\b(?:(?:i|we)\s(?:\w+\s)?(?:want|need|prefer|wish)|(?:i|we)(?:'d|\swould)\s(?:\w+\s)?(?:like|rather|prefer))\b",
    re.IGNORECASE,
)
_A_NEED: Final = re.compile(
    r"\b(?:anymore|any\smore|any\slonger|unless|until|every|each|by\shand|manually|always|all\sthe\stime|myself)\b"
    r"|^(?:it|them|me|us|whatever|anyone|everything)\b",
    re.IGNORECASE,
)
"""Refusals in these ways state a need: "I don't want to fly any more", "I don't want to approve every command"."""

_ENDS_IN_IT: Final = re.compile(r"\b(?:it|them)$", re.IGNORECASE)
"""So does a need that was named before; but "rather than closing it, open a second one" refuses."""

_JOINS: Final = re.compile(r"^(?:[\s,.;:!?…–—-]|(?:but|and|because|instead|please|i mean|no,)(?=\s))+", re.IGNORECASE)
_NEGATIVE: Final = re.compile(
    r"\b(?:not|no|never|without|stop|less|nothing|neither|instead|rather|only|\w+n't|dont|cannot)\b", re.IGNORECASE
)

MAX_REFUSALS: Final = 3
"""Refusals of one message that are read."""

LONGEST_READ: Final = 4000
"""Characters of the longest text that is read; in a longer one, a refusal is one remark of many."""

_LONGEST: Final = 200
"""Characters of the longest refusal, and those around it that are looked at."""

_MIN_WORDS: Final = 2
"""Minimum words of what is left of a message that are matched."""


@dataclass(frozen=True)
class Refusal:
    """Something that a message says is not wanted.

    Attributes:
        said: the words of the message, such as "I do not want to cancel my order".
        what: what is refused, such as "cancel my order".
    """

    said: str
    what: str


def refusals(text: str) -> tuple[str, tuple[Refusal, ...]]:
    """Take what is not wanted out of a text.

    Returns:
        The rest of the text, empty if fewer than two words are left, and what was taken out; of a text of more than
        `LONGEST_READ` characters, the text and nothing.
    """
    if len(text) > LONGEST_READ:
        return text, ()
    plain = " ".join(normalize(text).replace("’", "'").split())
    if not _may_refuse(plain):
        return text, ()
    found: list[Refusal] = []
    rest: list[str] = []
    position = 0
    for opening in _OPENING.finditer(plain):
        start, stop = opening.start(), _end(plain, opening)
        what = plain[opening.end() : stop].strip()
        if start < position or not _is_refused(plain, opening, what):
            continue
        found.append(Refusal(plain[start:stop], what))
        rest.append(plain[position:start])
        position = stop
        if len(found) == MAX_REFUSALS:
            break
    if not found:
        return text, ()
    rest.append(plain[position:])
    kept = " ".join(part for piece in rest if (part := _JOINS.sub("", piece).strip()))
    kept = kept if len(kept.split()) >= _MIN_WORDS else ""
    return kept, tuple(found)


def _may_refuse(plain: str) -> bool:
    """Return whether a text has one of the words without which nothing is refused; looking for these is much faster."""
    lowered = plain.lower()
    return not lowered.isascii() or any(sign in lowered for sign in _SIGNS)


def is_negative(text: str) -> bool:
    """Return whether a text has a negative word."""
    return bool(_NEGATIVE.search(text.replace("’", "'")))


def _end(plain: str, opening: re.Match[str]) -> int:
    last = min(len(plain), opening.end() + _LONGEST)
    end = (_THAN_END if opening["than"] else _SCOPE_END).search(plain, opening.end(), last)
    return end.start() if end else last


def _is_refused(plain: str, opening: re.Match[str], what: str) -> bool:
    if not what or _A_NEED.search(what):
        return False
    if opening["than"]:
        before = re.split(r"[.!?;]\s", plain[max(0, opening.start() - _LONGEST) : opening.start()])[-1].strip(" ,")
        return not before or bool(_WISH.search(before))
    if _ENDS_IN_IT.search(what):
        return False
    # "Skip the plan" sets something aside if something else is said, and may be the need itself if not.
    if opening["aside"] and not plain[_end(plain, opening) :].strip(" .!?"):
        return False
    # "I don't want it to touch the network" is a need; "I don't want it to explain, I want it to fix" refuses.
    return not opening["other"] or bool(plain[(end := _end(plain, opening)) : end + _LONGEST].strip(" .!?"))
