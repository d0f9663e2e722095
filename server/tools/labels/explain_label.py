"""`explain_match` over any catalog: why was a phrase understood that way?"""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.match_result import DEFAULT_TOP, Decision, Note
from embeddings.text.invisible import escaped
from embeddings.text.visible import visible
from server.matching.label_service import LabelService
from server.tools.answers import AbsentIfEmpty, Answer, echo
from server.tools.definition import Request, ServiceTool
from server.tools.explain_match import Case, case
from server.tools.labels.about import about

if TYPE_CHECKING:
    from embeddings.ranking.explanation import CandidateExplanation


class ExplainLabelRequest(Request):
    """Arguments of `explain_match` over any catalog."""

    phrase: Annotated[str, Field(description="the phrase whose match is to be explained")]
    capability: Annotated[
        str | None, Field(max_length=2_000, description="a label's name or id, to see why it was or was not chosen")
    ] = None


class LabelCase(Case):
    """The evidence for one label."""

    id: str | None = None


class ExplainLabelAnswer(Answer):
    """Answer of `explain_match` over any catalog."""

    query: str
    decision: Decision
    degraded: Literal[True] | None = None
    notes: Annotated[list[Note] | None, AbsentIfEmpty] = None
    read_as: str | None = None
    named: str | None = None
    candidates: list[LabelCase]
    asked_about: LabelCase | None = None
    nothing_fits: Case


def explain_label(service: LabelService, request: ExplainLabelRequest) -> ExplainLabelAnswer:
    """Show how the labels were ranked for a phrase."""
    asked = service.label(request.capability) if request.capability else None
    result, explanation = service.explain(request.phrase)
    *labels, none = explanation.candidates
    known = {(label.name, label.id): label for label in labels}
    best = [_case(label) for label in labels[:DEFAULT_TOP]]
    if not explanation.named:
        # A name or alias of several labels splits the certainty among them, whatever the signals say.
        best = [_case(known[match.name, match.id], match.match_confidence) for match in result.matches]
    return ExplainLabelAnswer(
        query=echo(result.query),
        decision=result.decision,
        degraded=True if result.degraded else None,
        notes=list(result.notes),
        read_as=echo(explanation.read_as) if explanation.read_as != explanation.query else None,
        named=visible(explanation.named, one_line=True) if explanation.named else None,
        candidates=best,
        asked_about=_case(known[asked.name, asked.id]) if asked else None,
        nothing_fits=case(none),
    )


def _case(candidate: "CandidateExplanation", confidence: float | None = None) -> LabelCase:
    found = case(candidate)
    if confidence is not None:
        found = found.model_copy(update={"match_confidence": round(confidence, 3)})
    nearest = found.nearest_phrase
    shown = {
        "name": visible(found.name, one_line=True),
        "nearest_phrase": visible(nearest, one_line=False) if nearest else None,
    }
    return LabelCase(**(found.model_dump() | shown), id=escaped(candidate.id) or None)


def explain_tool(book: PhraseBook) -> ServiceTool:
    """The tool for a catalog."""
    return ServiceTool(
        name="explain_match",
        title="Explain a match",
        family="match",
        description=(
            f"Why was a phrase understood as one of this catalog's {about(book)}, or as none? Signals and nearest "
            "phrasings of any label."
        ),
        docs=(
            "Give the phrase and, to see why another label was not chosen, that label's name or id as `capability`. "
            "`parts` says how much each signal adds to a candidate's score. `nearestPhrase` is the catalog's text that "
            "is most like the phrase. `nothingFits` is the case that no label is meant, `askedAbout` that of the label "
            "asked about; `readAs` is the phrase with its spelling corrected. Where `named` stands, the phrase is that "
            "label's name, id or alias, which decides alone; the candidates then show what its words alone would mean."
        ),
        request=ExplainLabelRequest,
        answer=ExplainLabelAnswer,
        handler=explain_label,
    )
