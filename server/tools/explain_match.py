"""`explain_match`: why was a phrase understood that way?"""

from typing import Annotated, Literal

from pydantic import Field

from embeddings.ranking.match_result import DEFAULT_TOP, Decision, MatchResult, Note
from server.matching.phrase_service import PhraseService
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer, echo, resolved
from server.tools.definition import Request, ServiceTool
from server.tools.evidence import AskedAbout, Case, Placed, case, legend, place_of, placed
from server.tools.reasons import Explained, why


class ExplainRequest(Request):
    """Arguments of `explain_match`."""

    phrase: Annotated[str, Field(description="the phrase whose match is to be explained")]
    capability: Annotated[str | None, Field(description="the reading that was expected, in any wording")] = None


class ExplainAnswer(Answer):
    """Answer of `explain_match`."""

    query: str
    decision: Decision
    degraded: Literal[True] | None = None
    notes: Annotated[list[Note] | None, AbsentIfEmpty] = None
    read_as: str | None = None
    named: str | None = None
    why: str
    candidates: list[Case]
    asked_about: AskedAbout | None = None
    nothing_fits: Case
    legend: dict[str, str]


def explain_match(service: Service, request: ExplainRequest) -> ExplainAnswer:
    """Show how the capabilities were ranked for a phrase."""
    reading = expected_reading(service, request.capability)
    result, explanation = service.explain(request.phrase)
    ranked = placed(result, explanation)
    asked = _asked_about(reading, ranked) if reading else None
    first = [case(*each) for each in ranked[:DEFAULT_TOP]]
    nothing = case(explanation.candidates[-1])
    best = [case(label) for label in explanation.candidates[:-1][:DEFAULT_TOP]] if explanation.named else first
    return ExplainAnswer(
        query=echo(result.query),
        decision=result.decision,
        degraded=True if result.degraded else None,
        notes=list(result.notes),
        read_as=echo(explanation.read_as) if explanation.read_as != explanation.query else None,
        named=explanation.named,
        why=why(Explained(result, bool(explanation.named), first, nothing, reading.query if reading else "", asked)),
        candidates=best,
        asked_about=asked,
        nothing_fits=nothing,
        legend=legend([*best, *([asked] if asked else []), nothing]),
    )


def expected_reading(service: PhraseService, words: str | None) -> MatchResult | None:
    """What the words for the expected reading mean; None if the caller expected nothing."""
    return service.match(words) if words and words.strip() else None


def _asked_about(reading: MatchResult, ranked: list[Placed]) -> AskedAbout | None:
    if reading.decision == "no_match":
        return None
    place = place_of(reading, ranked)
    return AskedAbout(**case(*ranked[place - 1]).model_dump(), place=place, match=resolved(reading)["match"])


TOOL = ServiceTool(
    name="explain_match",
    title="Explain a match",
    family="match",
    description=(
        "Why a phrase was matched as it was, or not as expected: the reason in words, the signals, the case for the "
        "expected capability. The match alone: match_capability."
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
