"""`explain_match` over any catalog: why was a phrase understood that way?"""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.match_result import with_id
from embeddings.text.invisible import escaped
from embeddings.text.visible import visible
from server.matching.label_service import LabelService
from server.matching.store_service import StoreService
from server.tools.definition import Request, ServiceTool
from server.tools.evidence import AskedAbout, Case, case, names_several
from server.tools.explanations import ExplanationAnswer, expected_reading
from server.tools.labels.about import about

if TYPE_CHECKING:
    from embeddings.ranking.explanation import CandidateExplanation


class ExplainLabelRequest(Request):
    """Arguments of `explain_match` over any catalog."""

    phrase: Annotated[str, Field(description="the phrase whose match is to be explained")]
    capability: Annotated[
        str | None, Field(max_length=2_000, description="the label that was expected: its name, id or any wording")
    ] = None


class LabelCase(Case):
    """The evidence for one label."""

    id: str | None = None

    @property
    def called(self) -> str:
        """The name, with the id where it says more."""
        return with_id(self.name, self.id) if self.id and self.id != self.name else self.name


class AskedLabel(LabelCase, AskedAbout):
    """The evidence for the label that the caller expected."""


class ExplainLabelAnswer(ExplanationAnswer[LabelCase, AskedLabel]):
    """Answer of `explain_match` over any catalog."""


def explain_label(service: LabelService | StoreService, request: ExplainLabelRequest) -> ExplainLabelAnswer:
    """Show how the labels were ranked for a phrase."""
    reading = expected_reading(service, request.capability)
    if reading and request.capability and names_several(reading):
        service.label(request.capability)
    return ExplainLabelAnswer.of(service, request.phrase, reading, _case, AskedLabel)


def _case(candidate: "CandidateExplanation", confidence: float | None = None) -> LabelCase:
    found = case(candidate, confidence)
    nearest = found.nearest_phrase
    shown = {
        "name": visible(found.name, one_line=True),
        "nearest_phrase": visible(nearest, one_line=False) if nearest else None,
    }
    return LabelCase(**(found.model_dump() | shown), id=escaped(candidate.id) or None)


def explain_tool(book: PhraseBook | None) -> ServiceTool:
    """The tool for a catalog; None for one in a store."""
    return ServiceTool(
        name="explain_match",
        title="Explain a match",
        family="match",
        description=(
            f"Why a phrase was matched as one of this catalog's {about(book)}, as none, or not as expected: reason, "
            "signals, nearest texts."
        ),
        docs=(
            "Give the phrase and, if another label was expected, that label as `capability`: its name, id or any "
            "wording. `why` says what won and why, and what speaks for the expected label, or that it is the one that "
            "was found. `parts` says how many points each signal adds to a candidate's score, and the highest sum "
            "wins; `legend` says what these signals measure. `nearestPhrase` is the catalog's text that is most like "
            "the phrase. `nothingFits` is the case that no label is meant, `askedAbout` that of the expected label "
            "with its place among all; `readAs` is the phrase with its spelling corrected. Where `named` stands, the "
            "phrase is that label's name, id or alias, which decides alone; the candidates then show what its words "
            "alone would mean."
        ),
        request=ExplainLabelRequest,
        answer=ExplainLabelAnswer,
        handler=explain_label,
    )
