"""Finds what a need leaves out: "without Docker", "no API key needed", "in the terminal, not an editor plugin".

Sentence embeddings hardly tell a need from its opposite, so the words decide. What is left out can be the need itself
(all of "no API key needed"), or a condition beside it. A refusal of the speaker ("I don't want to cancel my order") is
read by `embeddings.text.negation`.
"""

import re
from dataclasses import dataclass
from typing import Final

from embeddings.text.normalization import normalize
from embeddings.text.words import stems

_WHAT: Final = r"(?P<what>[^\W\d_][^,;:!?()]{1,60}?)"
_DETERMINER: Final = r"(?:(?:a|an|any|the|my|our|your|another|having|needing|using|being|to|in|on|through|via)\s+)*"
_END: Final = (
    r"(?=\s*(?:[,;:!?()]|\.(?:\s|$)|$|\s(?:and|or|but|so|because|when|while|if|that|which|who|can|could|please|then)\b"
    r"|\s[-–—]\s))"
)
_STARTING: Final = r"(?:^|(?<=[,;(])\s*|\b(?:that|which|and|but)\s)"
_LIST_END: Final = _END.replace("and|or|but", "and|but")
"""Where a list ends of which nothing is wanted: "no microphone or voice"."""

_NEEDED: Final = r"(?:\s+(?:is\s)?(?:needed|required|necessary|wanted|allowed|involved|at\sall|either|please))*"
_DO_NOT: Final = r"(?:does\snot|doesn't|doesnt|do\snot|don't|dont)\s+"
_IN_PLACE_OF: Final = r"instead\sof|rather\sthan|as\sopposed\sto"
_PATTERNS: Final = (
    rf"(?<!\bwith\sor\s)\b(?:without|w/o|sans|minus)\s+{_DETERMINER}{_WHAT}{_LIST_END}",
    rf"\b(?:{_IN_PLACE_OF}|other\s(?:\w+\s)?than)\s+{_DETERMINER}{_WHAT}{_END}",
    rf"\b(?:any|every)(?:\s\w+|thing)\s(?:but|except)\s+{_DETERMINER}{_WHAT}{_END}",
    rf"(?<!\bor\s)\bno\s+(?:need\sfor\s+|extra\s+|more\s+)?{_DETERMINER}{_WHAT}{_NEEDED}{_LIST_END}",
    rf"(?:^|(?<=[,;(])\s*|\b(?:and|but|is|are|it's|as)\s)not\s+{_DETERMINER}{_WHAT}{_END}",
    rf"(?:{_STARTING}|\b(?:it|who|i|we)\s){_DO_NOT}(?:need|require|use|involve|(?:depend|rely)\son)\s+{_DETERMINER}{_WHAT}{_END}",
    rf"{_STARTING}(?:does\snot|doesn't|doesnt)\s+(?!(?:it|this|that|they)\s){_DETERMINER}{_WHAT}{_END}",
    rf"\b(?:never|must\snot|mustn't|may\snot|should\snot|shouldn't)\s+(?:have\sto\s+)?{_DETERMINER}{_WHAT}{_END}",
    rf"\b(?:nothing|nobody|no\sone)\s+(?:is\s|gets\s|has\sto\sbe\s)?{_WHAT}{_END}",
    r"(?:^|(?<=[,;(]))\s*(?P<what>[^\W\d_][^,;:!?()]{1,40}?)\s+(?:is\s|are\s)?(?:not|isn't|aren't)\s(?:needed|required|necessary|wanted)\b",
    r"(?:^|(?<=[,;(]))\s*(?P<what>[^\W\d_][^,;:!?()]{1,40}?)\s+(?:is\s|are\s)?excluded\b",
    rf"\b(?:leave|leaves|keep|keeps)\sout\s+{_DETERMINER}{_WHAT}{_END}",
    rf"\bignor(?:es|ing)\s+{_DETERMINER}{_WHAT}{_END}",
    rf"\bfree\s(?:of|from)\s+{_DETERMINER}{_WHAT}{_END}",
)
_NOT_NEEDED: Final = re.compile(
    rf"\b(?:without|w/o|sans|minus|{_IN_PLACE_OF}|need(?:s|ed|ing)?|require[sd]?|requiring|necessary|ha(?:s|ve|ving)\sto|leave\sout)\b",
    re.IGNORECASE,
)
"""Words by which what is left out may be there, as it only need not be: "no Docker needed", "without a browser"."""

_EXCLUSION: Final = re.compile(
    "|".join(f"(?:{each.replace('?P<what>', f'?P<what{n}>')})" for n, each in enumerate(_PATTERNS)), re.IGNORECASE
)
_INSTEAD: Final = re.compile(rf"\b(?:{_IN_PLACE_OF})\s", re.IGNORECASE)
_CONTRAST: Final = re.compile(rf"[,;(]\s*(?:and\s)?not\s|\b(?:{_IN_PLACE_OF})\s", re.IGNORECASE)

_OFF: Final = re.compile(
    r"\b(?:can|could|may|is|are)\s([^,;:!?()]{2,60}?)\s(?:be\s)?(?:turned|switched|cut)\soff\b(?!\sfrom\b)"
    r"|\b(?:turn|switch|shut)\soff\s([^,;:!?()]{2,40})|\b(?:turn|switch|shut)\s([^,;:!?()]{2,40}?)\soff\b"
    r"|^(?:.*?\bwith\s)?([^,;:!?()]{2,60}?)(?<!computer)(?<!machine)(?<!laptop)(?<!\bpc)(?<!\bmac)\s(?:is\s|are\s)?"
    r"(?:(?:turned\s|switched\s)?off|disabled|hidden)(?:\sby\sdefault)?$"
    r"|\b(?:wants?|needs?|have|has|get|keep)\s([^,;:!?()]{2,40}?)\s(?:blocked|disabled|forbidden|banned|prohibited)\b"
    r"|\b(?:disable|forbid|prevent)\s([^,;:!?()]{2,40})|^(?:please\s)?(?:block|skip|ignore|hide)\s([^,;:!?()]{2,40})"
    r"|^(?:do\snot|don't|dont)\s(?:keep|store|save|record|log|share|send|upload|collect|remember)\s([^,;:!?()]{2,40})"
    r"|\b(?:kept?|(?:keep|stop)\s\w+|cut\soff)\sfrom\s([^,;:!?()]{2,40})",
    re.IGNORECASE,
)
"""What is to be turned off: "can telemetry be turned off" leaves it out, but is about nothing else. A computer that is
off is a condition."""

_NOT_ONE: Final = re.compile(
    r"^(?:only|just|sure|yet|even|one|longer|matter|idea|clue|problem|doubt|wonder|way|to\smention|as|so|too|very|always|all|"
    r"work|working|supported|possible|available|there|the\ssame|locked|limited|restricted|tied|bound)\b",
    re.IGNORECASE,
)
"""What follows a negative word that leaves nothing out: "not only", "no longer", "does not work"."""

_STATES: Final = re.compile(r"^(?:it\s)?(?!is\b|does\b|has\b|works\b|runs\b)[a-z]{3,}(?<!s)s\s", re.IGNORECASE)
"""How a text begins that states what something does: "needs Node.js", "adds itself as co-author"."""

_NEGATIVE: Final = re.compile(
    r"\b(?:no|not|never|without|w/o|non|off|nothing|cannot|unable)\b|n['’]?t\b", re.IGNORECASE
)

_DENIAL: Final = re.compile(
    r"\b(?:can(?:not|['’]?t|\snot)|won['’]?t|(?:do|does|is|are|must|should)(?:n['’]?t|\snot)|(?<![,;(]\s)not|never)"
    r"\s(?P<verb>(?!only\b|just\b|every\b|sure\b|yet\b|all\b|locked\b|limited\b|restricted\b|tied\b|bound\b)[a-z]+[^,;:!?()]*)"
    r"|\b(?:kept|left|stays?)\s(?:out\sof|off)\b|\bno\sway\sto\s(?P<way>[^,;:!?()]*)",
    re.IGNORECASE,
)
"""What is denied: "can't stop a tool call", "not left running", "kept out of the repository"."""

_SUBORDINATE: Final = re.compile(
    r"\b(?:when|while|if|until|unless|because|since|after|before|so|even|but)\b.*", re.IGNORECASE
)
_COMPLAINT: Final = re.compile(r"^(?:why|how\scome)\b|\b(?:anymore|any\smore|no\slonger)\b", re.IGNORECASE)

_SAID_OTHERWISE: Final = (
    (re.compile(r"\b(?:(?:by|of)\s)?(?:itself|themselves)\b|\bon\s(?:its|their)\sown\b"), "automatically"),
    (re.compile(r"\binternet\b"), "network"),
    (re.compile(r"\bnpm\b"), "node.js"),
    (re.compile(r"\b(?:paid|monthly)\s(?:\w+\s)?plans?\b"), "subscription"),
)
"""Words that are compared as another one, with which a need or what it leaves out is said as often."""

_LITTLE: Final = frozenset(
    stems(
        "can could does do is are it its i we you they there which what who how any some one ones agent agents tool "
        "tools need needs needed want wants have has get use uses used using work works with for from that this be "
        "able possible support supports supported please should must would will only and or but also still even so "
        "run runs just"
    )
)
"""Words that state no need of their own."""


@dataclass(frozen=True)
class Exclusion:
    """What a text leaves out.

    Attributes:
        rest: the text without it; empty if it says nothing else.
        excluded: stems of what is left out, or is to be turned off.
        wanted: stems of the rest.
        states: whether the text states what something does, without a negative word.
        off: stems of what is to be turned off, which is there then.
        optional: stems of what only need not be there, as in "no Docker needed".
        replaces: whether it names what is wanted in place of that, as "the terminal instead of an editor" does.
        contrasts: whether it names what is wanted before that, as "the terminal, not an editor" does.
        denies: whether a verb of its main clause is denied, as in "a hook that can't stop a call". By these words
            somebody complains, or says what is wanted.
        denied: stems of what is denied, in order: "stop a call".
    """

    rest: str
    excluded: frozenset[str]
    wanted: frozenset[str]
    states: bool = False
    off: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    replaces: bool = False
    contrasts: bool = False
    denies: bool = False
    denied: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether leaving out is all that the text asks for."""
        return bool(self.excluded) and not self.wanted

    @property
    def is_optional(self) -> bool:
        """Whether all that is left out only need not be there."""
        return bool(self.excluded) and self.excluded <= self.optional


def content(text: str) -> frozenset[str]:
    """Return the stems of a text that can state a need."""
    return frozenset(_content(text))


def _content(text: str) -> tuple[str, ...]:
    plain = normalize(text).lower()
    for words, word in _SAID_OTHERWISE:
        plain = words.sub(word, plain)
    return tuple(stem for stem in stems(plain) if stem not in _LITTLE)


def read_exclusion(text: str) -> Exclusion:
    """Find what a text leaves out; usually nothing."""
    plain = " ".join(normalize(text).replace("’", "'").split())
    found, spared, kept, position = [], [], [], 0
    for match in _EXCLUSION.finditer(plain):
        what = next(value for name, value in match.groupdict().items() if value is not None)
        if _NOT_ONE.match(what) or not content(what):
            continue
        found.append(what)
        if _NOT_NEEDED.search(match[0]):
            spared.append(what)
        kept.append(plain[position : match.start()])
        position = match.end()
    kept.append(plain[position:])
    rest = " ".join(part for piece in kept if (part := piece.strip(" ,;"))) if found else plain
    wanted = content(rest)
    off = content(" ".join(filter(None, (part for match in _OFF.findall(plain) for part in match))))
    excluded = (content(" ".join(found)) - wanted) | off
    states = bool(_STATES.match(plain)) and not excluded and not _NEGATIVE.search(plain)
    denials = [] if _COMPLAINT.search(plain) else list(_DENIAL.finditer(_SUBORDINATE.sub("", plain)))
    denied = _content(" ".join(match["verb"] or match["way"] or "" for match in denials))
    replaces = bool(found and _INSTEAD.search(plain))
    optional = content(" ".join(spared)) - off
    return Exclusion(
        rest if wanted else "",
        excluded,
        wanted - off,
        states,
        off,
        optional,
        replaces,
        bool(found and _CONTRAST.search(plain)),
        bool(denials),
        denied,
    )
