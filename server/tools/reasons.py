"""Why a phrase was understood so, and what speaks for the reading that the caller expected: in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from embeddings.ranking.match_result import DEFAULT_TOP, Match, MatchResult
from server.errors import brief
from server.tools.answers import echo
from server.tools.evidence import AskedAbout, Case, names_several

LEAST_DIFFERENCE: Final = 0.05
"""A signal whose parts differ by less than this does not speak for either of two candidates."""
MOST_SIGNALS: Final = 2
MOST_CHARACTERS: Final = 80


@dataclass(frozen=True)
class Explained:
    """What the sentences are about.

    Attributes:
        result: how the phrase was understood.
        named: whether it is the name or alias of one label.
        cases: the first candidates in the order of the match; at least one.
        nothing: the case that nothing fits.
        expected: what the caller expected; empty if nothing was said.
        asked: the case for it; None if it fits no label.
    """

    result: MatchResult
    named: bool
    cases: Sequence[Case]
    nothing: Case
    expected: str
    asked: AskedAbout | None


def why(explained: Explained) -> str:
    """One sentence on the outcome and, if the caller expected a reading, one or two on that."""
    sentences = [_outcome(explained)]
    if explained.asked:
        sentences.append(_asked(explained, explained.asked))
    elif explained.expected:
        sentences.append(f"The expected reading {brief(explained.expected)} fits no known name; give another wording.")
    return " ".join(sentences)


def _outcome(explained: Explained) -> str:
    result, best = explained.result, explained.cases[0]
    if explained.named:
        kind = "the name" if result.matches[0].matched_by == "exact" else "an alias"
        return f"The phrase is {kind} of {best.called}, which alone decides."
    if names_several(result):
        sharing = [each.called for each, match in zip(explained.cases, result.matches, strict=False) if _names(match)]
        return f"The phrase is a name or alias of several ({', '.join(sharing)}), so none of them was chosen."
    if result.decision == "no_match":
        nothing = f"{_sure(explained.nothing)}{_nearest(explained.nothing, 'out-of-scope')}"
        first = f"{best.called} ({_sure(best)}{_nearest(best)})"
        return f"That nothing fits is likeliest ({nothing}); the first candidate is {first}."
    won = f"{best.called} ({_sure(best)}{_nearest(best)})"
    rival = max([*explained.cases[1:], explained.nothing], key=lambda each: each.match_confidence)
    behind = f"{'nothing fitting' if rival is explained.nothing else rival.called} ({_sure(rival)})"
    by = "" if rival is explained.nothing else _differences(best, rival)
    ahead = f"ahead of {behind}{f' by {by}' if by else ''}"
    if result.decision == "ambiguous":
        return f"Not unknown, but undecided: {won} leads, {ahead}, too unsurely to be chosen."
    return f"{won} was chosen, {ahead}."


def _asked(explained: Explained, asked: AskedAbout) -> str:
    name, decision = f"{asked.called}, the expected reading,", explained.result.decision
    if asked.place == 1:
        return {
            "resolved": f"{name} is what was found; nothing else was preferred to it.",
            "ambiguous": f"{name} was not missed: it comes first among the candidates.",
            "no_match": f"{name} comes first among the candidates, but that nothing fits is likelier.",
        }[decision]
    offered = decision == "ambiguous" and asked.place <= DEFAULT_TOP
    place = f"{'was offered as' if offered else 'is only'} number {asked.place}"
    where = f"{name} {place} ({_sure(asked)}{_nearest(asked)})."
    if explained.named or names_several(explained.result):
        return f"{where} The phrase is not one of its names."
    best = explained.cases[0]
    favour = _differences(asked, best) or ("its nearest text alone" if asked.nearest_phrase else "nothing")
    return f"{where} For it: {favour}; against it: {_differences(best, asked) or 'the sum of all signals'}."


def _names(match: Match) -> bool:
    return match.matched_by in ("exact", "alias")


def _differences(better: Case, worse: Case) -> str:
    """The signals that speak most for one candidate against another, with by how much."""
    found = {signal: round(part - worse.parts.get(signal, 0.0), 1) for signal, part in better.parts.items()}
    found |= {signal: -part for signal, part in worse.parts.items() if signal not in better.parts}
    ordered = sorted(found.items(), key=lambda item: -item[1])
    return ", ".join(f"{signal} +{more:.1f}" for signal, more in ordered[:MOST_SIGNALS] if more > LEAST_DIFFERENCE)


def _sure(candidate: Case) -> str:
    return str(candidate.match_confidence) if candidate.match_confidence else "below 0.001"


def _nearest(candidate: Case, kind: str | None = None) -> str:
    """The text that is nearest to the phrase, to follow a confidence; empty if there is none."""
    if candidate.nearest_phrase is None:
        return ""
    shown = echo(candidate.nearest_phrase, MOST_CHARACTERS)
    return f'; nearest {kind or candidate.nearest_kind} "{shown}", {candidate.nearness:.2f}'
