"""What `explain_match` answers, over the agents' catalog and over any other; the kinds of evidence differ."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Generic, Literal, Self, TypeVar

from embeddings.ranking.match_result import DEFAULT_TOP, Decision, MatchResult, Note
from embeddings.text.visible import visible
from server.matching.phrase_service import PhraseService
from server.tools.answers import AbsentIfEmpty, Answer, echo, resolved
from server.tools.evidence import AskedAbout, Case, Placed, case, legend, place_of, placed
from server.tools.reasons import Explained, why

if TYPE_CHECKING:
    from embeddings.ranking.explanation import CandidateExplanation

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
        service: PhraseService,
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


def expected_reading(service: PhraseService, words: str | None) -> MatchResult | None:
    """What the words for the expected reading mean; None if the caller expected nothing."""
    return service.match(words) if words and words.strip() else None


def _asked_about(
    reading: MatchResult, ranked: list[Placed], case_of: CaseMaker[CaseKind], asked_kind: type[AskedKind]
) -> AskedKind | None:
    if reading.decision == "no_match":
        return None
    place = place_of(reading, ranked)
    evidence = case_of(*ranked[place - 1]).model_dump()
    return asked_kind(**evidence, place=place, match=resolved(reading)["match"])
