"""`explain_match`: why was a phrase understood that way?"""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from embeddings.ranking.match_result import DEFAULT_TOP, Decision, Note
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer, Confidence, echo
from server.tools.definition import Name, Request, ServiceTool

if TYPE_CHECKING:
    from embeddings.ranking.explanation import CandidateExplanation


class ExplainRequest(Request):
    """Arguments of `explain_match`."""

    phrase: Annotated[str, Field(description="the phrase whose match is to be explained")]
    capability: Annotated[
        Name | None, Field(description="a capability's name, to see why it was or was not chosen")
    ] = None


class Case(Answer):
    """The evidence for one candidate."""

    name: str
    match_confidence: Confidence
    parts: dict[str, float]
    nearest_phrase: str | None = None
    nearest_kind: str | None = None
    nearness: float | None = None


class ExplainAnswer(Answer):
    """Answer of `explain_match`."""

    query: str
    decision: Decision
    degraded: Literal[True] | None = None
    notes: Annotated[list[Note] | None, AbsentIfEmpty] = None
    read_as: str | None = None
    named: str | None = None
    candidates: list[Case]
    asked_about: Case | None = None
    nothing_fits: Case


def explain_match(service: Service, request: ExplainRequest) -> ExplainAnswer:
    """Show how the capabilities were ranked for a phrase."""
    asked = service.catalog.capability(request.capability) if request.capability else None
    result, explanation = service.explain(request.phrase)
    *labels, none = explanation.candidates
    cases = {label.name: case(label) for label in labels}
    best = list(cases.values())[:DEFAULT_TOP]
    if not explanation.named:
        # An alias of several capabilities splits the certainty among them, whatever the signals say.
        best = [
            cases[match.name].model_copy(update={"match_confidence": round(match.match_confidence, 3)})
            for match in result.matches
        ]
    return ExplainAnswer(
        query=echo(result.query),
        decision=result.decision,
        degraded=True if result.degraded else None,
        notes=list(result.notes),
        read_as=echo(explanation.read_as) if explanation.read_as != explanation.query else None,
        named=explanation.named,
        candidates=best,
        asked_about=cases.get(asked) if asked else None,
        nothing_fits=case(none),
    )


def case(candidate: "CandidateExplanation") -> Case:
    """The evidence for a candidate, as answers show it."""
    parts = {signal: round(part, 2) for signal, part in candidate.parts.items()}
    near = candidate.phrase and candidate.nearness > 0
    return Case(
        name=candidate.name,
        match_confidence=round(candidate.match_confidence, 3),
        parts={signal: part for signal, part in parts.items() if part},
        nearest_phrase=candidate.phrase if near else None,
        nearest_kind=candidate.kind if near else None,
        nearness=round(candidate.nearness, 3) if near else None,
    )


TOOL = ServiceTool(
    name="explain_match",
    title="Explain a match",
    family="match",
    description=(
        "Why was a phrase understood as that capability, or as none? Signals, nearest phrasings, and the case for any "
        "other capability."
    ),
    docs=(
        "Give the phrase and, to see why another capability was not chosen, its name. `parts` says how much each "
        "signal adds to a candidate's score: kernel, cosine, nearest, whole and part are nearness in meaning; words, "
        "coverage, spelling and substring are shared words and letters. `nearestPhrase` is the catalog's text that is "
        "most like the phrase. `nothingFits` is the case that no capability is meant, `askedAbout` that of the "
        "capability asked about; `readAs` is the phrase with its spelling corrected. Where `named` stands, the phrase "
        "is that capability's name or alias, which decides alone; the candidates then show what its words alone would "
        "mean. An alias of several capabilities shares the certainty among them."
    ),
    request=ExplainRequest,
    answer=ExplainAnswer,
    handler=explain_match,
)
