"""The tools for one catalog of labels, whose descriptions say what is in it."""

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field

from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.match_result import Decision, Match, MatchedBy, Note, with_id
from embeddings.text.invisible import escaped, visible
from server.matching.label_service import LabelService
from server.tools.answers import AbsentIfEmpty, Answer, Confidence, echo, hint
from server.tools.definition import Request, ServiceTool
from server.tools.evidence import AskedAbout, Case, case, names_several
from server.tools.explain_match import ExplanationAnswer, expected_reading
from server.tools.match_capability import MatchRequest, chosen_top

if TYPE_CHECKING:
    from embeddings.ranking.explanation import CandidateExplanation


MAX_NAMES: Final = 3
MAX_BYTES: Final = 40
"""Maximum names in a description, and UTF-8 bytes of them: with three Chinese names it has 50 cl100k tokens at most."""


def about(book: PhraseBook | None) -> str:
    """Summarize a catalog's labels by number and first names, such as `129 labels (create_issue, search_code, ...)`.

    Of labels in a store, which may change while it is served, nothing is said.
    """
    if book is None:
        return "labels"
    count = len(book.labels)
    names: list[str] = []
    for label in book.labels[:MAX_NAMES]:
        names.append(" ".join(visible(label.name, one_line=True).split()))
        if len(", ".join(names).encode()) > MAX_BYTES:
            del names[-1]
            break
    more = ["..."] if len(names) < count else []
    shown = f" ({', '.join([*names, *more])})" if names else ""
    return f"{count} {'label' if count == 1 else 'labels'}{shown}"


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


def explain_label(service: LabelService, request: ExplainLabelRequest) -> ExplainLabelAnswer:
    """Show how the labels were ranked for a phrase."""
    reading = expected_reading(service, request.phrase, request.capability)
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
    """Return the tool for a catalog; None for one in a store."""
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


HINTS: Final[dict[Decision, str]] = {
    "ambiguous": "Several labels fit. Choose among these candidates, or call again with one of their names or ids.",
    "no_match": "No label of this catalog fits this phrase. The candidates are weak guesses; if none is meant, say so.",
}


class LabelMatch(Answer):
    """One label that the phrase may mean."""

    name: str
    id: str | None = None
    match_confidence: Confidence
    matched_by: MatchedBy
    metadata: dict[str, Any] | None = None


class LabelMatchAnswer(Answer):
    """Answer of `match_capability` over any catalog."""

    query: str
    decision: Decision
    degraded: Literal[True] | None = None
    none_confidence: Confidence
    notes: Annotated[list[Note] | None, AbsentIfEmpty] = None
    matches: list[LabelMatch]
    hint: str | None = None


def match_label(service: LabelService, request: MatchRequest) -> LabelMatchAnswer:
    """Rank the labels that a phrase may mean."""
    result = service.match(request.phrase, chosen_top(request))
    return LabelMatchAnswer(
        query=echo(result.query),
        decision=result.decision,
        degraded=True if result.degraded else None,
        none_confidence=round(result.none_confidence, 3),
        notes=list(result.notes),
        matches=[_match(match) for match in result.matches],
        hint=hint(result, HINTS),
    )


def _match(match: Match) -> LabelMatch:
    return LabelMatch(
        name=visible(match.name, one_line=True),
        id=escaped(match.id) or None,
        match_confidence=round(match.match_confidence, 3),
        matched_by=match.matched_by,
        metadata=dict(match.metadata) or None,
    )


def match_tool(book: PhraseBook | None) -> ServiceTool:
    """Return the tool for a catalog; None for one in a store."""
    return ServiceTool(
        name="match_capability",
        title="Match a phrase",
        family="match",
        description=(
            f"Which of this catalog's {about(book)} does a phrase mean, or none? Ranked candidates with calibrated "
            "confidence."
        ),
        docs=(
            "Give any phrase for one need. `decision` is resolved (sure enough to answer for the first match), "
            "ambiguous (several are plausible) or no_match. `matchConfidence` is a probability: of the matches given "
            "with about 0.8, about 80% are what was meant; `noneConfidence` is the probability that none is. `notes` "
            "says that the phrase states several needs, says what is not wanted, is not English, or was read in part. "
            "A name, id or alias is certain and stands alone, unless `top` is given: then the others follow, each as "
            "likely as its words alone make it. "
            "`id` and `metadata` are the catalog's own, where it has "
            "them; labels whose names differ only in case and punctuation are told apart by `id`."
        ),
        request=MatchRequest,
        answer=LabelMatchAnswer,
        handler=match_label,
    )


def label_tools(book: PhraseBook | None) -> tuple[ServiceTool, ...]:
    """Return the tools, in the order in which they are listed."""
    return match_tool(book), explain_tool(book)
