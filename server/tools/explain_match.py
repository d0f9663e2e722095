"""`explain_match`: why was a phrase matched as it was?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Generic, Literal, Self, TypeVar

from pydantic import Field

from embeddings.ranking.match_result import DEFAULT_TOP, Decision, Match, MatchResult, Note
from embeddings.text.invisible import visible
from server.errors import brief
from server.matching.label_service import LabelService
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer, echo, resolved
from server.tools.definition import Request, ServiceTool
from server.tools.evidence import AskedAbout, Case, Placed, case, legend, names_several, place_of, placed

if TYPE_CHECKING:
    from embeddings.ranking.explanation import CandidateExplanation

MIN_DIFFERENCE: Final = 0.05
"""A signal whose parts differ by less than this does not speak for either of two candidates."""
MAX_SIGNALS: Final = 2
MAX_CHARACTERS: Final = 80


@dataclass(frozen=True)
class Explained:
    """The match that the sentences explain.

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
    """Return one sentence on the outcome and, if the caller expected a reading, one or two on that."""
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
    """Return the signals that speak most for one candidate against another, with by how much."""
    found = {signal: round(part - worse.parts.get(signal, 0.0), 1) for signal, part in better.parts.items()}
    found |= {signal: -part for signal, part in worse.parts.items() if signal not in better.parts}
    ordered = sorted(found.items(), key=lambda item: -item[1])
    return ", ".join(f"{signal} +{more:.1f}" for signal, more in ordered[:MAX_SIGNALS] if more > MIN_DIFFERENCE)


def _sure(candidate: Case) -> str:
    return str(candidate.match_confidence) if candidate.match_confidence else "below 0.001"


def _nearest(candidate: Case, kind: str | None = None) -> str:
    """Return the text that is nearest to the phrase, to follow a confidence; empty if there is none."""
    if candidate.nearest_phrase is None:
        return ""
    shown = echo(candidate.nearest_phrase, MAX_CHARACTERS)
    return f'; nearest {kind or candidate.nearest_kind} "{shown}", {candidate.nearness:.2f}'


CaseKind = TypeVar("CaseKind", bound=Case)
AskedKind = TypeVar("AskedKind", bound=AskedAbout)

CaseMaker = Callable[["CandidateExplanation", float | None], CaseKind]
"""Makes the evidence for a candidate, as `evidence.case` does."""


class ExplanationAnswer(Answer, Generic[CaseKind, AskedKind]):
    """Why a phrase was matched as it was."""

    query: str
    decision: Decision
    degraded: Literal[True] | None = None
    notes: Annotated[list[Note] | None, AbsentIfEmpty] = None
    read_as: str | None = None
    named: str | None = None
    why: str
    candidates: list[CaseKind]
    asked_about: AskedKind | None = None
    nothing_fits: Case
    legend: dict[str, str]

    @classmethod
    def of(
        cls,
        service: LabelService,
        phrase: str,
        reading: MatchResult | None,
        case_of: CaseMaker[CaseKind],
        asked_kind: type[AskedKind],
    ) -> Self:
        """Explain a phrase.

        Args:
            service: matches it.
            phrase: the phrase.
            reading: what the words for the expected reading mean; None if the caller expected nothing.
            case_of: makes the evidence for a candidate.
            asked_kind: model of the evidence for the expected reading.
        """
        result, explanation = service.explain(
            phrase, [each.id or each.name for each in reading.matches[:1]] if reading else ()
        )
        ranked = placed(result, explanation)
        asked = _asked_about(reading, ranked, case_of, asked_kind) if reading else None
        first = [case_of(*each) for each in ranked[:DEFAULT_TOP]]
        nothing = case(explanation.candidates[-1])
        by_words = explanation.candidates[:-1][:DEFAULT_TOP]
        best = [case_of(label, None) for label in by_words] if explanation.named else first
        expected = reading.query if reading else ""
        return cls(
            query=echo(result.query),
            decision=result.decision,
            degraded=True if result.degraded else None,
            notes=list(result.notes),
            read_as=echo(explanation.read_as) if explanation.read_as != explanation.query else None,
            named=visible(explanation.named, one_line=True) if explanation.named else None,
            why=why(Explained(result, bool(explanation.named), first, nothing, expected, asked)),
            candidates=best,
            asked_about=asked,
            nothing_fits=nothing,
            legend=legend([*best, *([asked] if asked else []), nothing]),
        )


def expected_reading(service: LabelService, phrase: str, words: str | None) -> MatchResult | None:
    """Match the words for the expected reading; None if the caller expected nothing.

    Raises:
        CallerError: the words, or the phrase to be explained, are too long, or both are together.
    """
    if not words or not words.strip():
        return None
    service.check_windows("the phrase with the capability", [words, phrase])
    return service.match(words)


def _asked_about(
    reading: MatchResult, ranked: list[Placed], case_of: CaseMaker[CaseKind], asked_kind: type[AskedKind]
) -> AskedKind | None:
    if reading.decision == "no_match":
        return None
    place = place_of(reading, ranked)
    evidence = case_of(*ranked[place - 1]).model_dump()
    return asked_kind(**evidence, place=place, match=resolved(reading)["match"])


class ExplainRequest(Request):
    """Arguments of `explain_match`."""

    phrase: Annotated[str, Field(description="the phrase whose match is to be explained")]
    capability: Annotated[str | None, Field(description="the reading that was expected, in any wording")] = None


class ExplainAnswer(ExplanationAnswer[Case, AskedAbout]):
    """Answer of `explain_match`."""


def explain_match(service: Service, request: ExplainRequest) -> ExplainAnswer:
    """Show how the capabilities were ranked for a phrase."""
    reading = expected_reading(service, request.phrase, request.capability)
    return ExplainAnswer.of(service, request.phrase, reading, case, AskedAbout)


TOOL = ServiceTool(
    name="explain_match",
    title="Explain a match",
    family="match",
    description=(
        "Why a phrase was matched as it was, or not as expected: the reason in words, the signals, the case for the "
        "expected capability."
    ),
    docs=(
        "Give the phrase and, if another reading was expected, that reading as `capability`, in any wording. `why` "
        "says what won and why, and what speaks for the expected reading, or that it is the one that was found. "
        "`parts` says how many points each signal adds to a candidate's score, and the highest sum wins; `legend` says "
        "what these signals measure. `nearestPhrase` is the catalog's text that is most like the phrase. `nothingFits` "
        "is the case that no capability is meant, `askedAbout` that of the expected reading with its place among all; "
        "`readAs` is the phrase with its spelling corrected. Where `named` stands, the phrase is that capability's "
        "name or alias, which decides alone; the candidates then show what its words alone would mean. An alias of "
        "several capabilities shares the certainty among them."
    ),
    request=ExplainRequest,
    answer=ExplainAnswer,
    handler=explain_match,
)
