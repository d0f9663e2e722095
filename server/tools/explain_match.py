"""`explain_match`: why was a phrase understood that way?"""

from typing import Annotated

from pydantic import Field

from server.matching.service import Service
from server.tools.definition import Request, ServiceTool
from server.tools.evidence import AskedAbout, Case, case
from server.tools.explanations import ExplanationAnswer, expected_reading


class ExplainRequest(Request):
    """Arguments of `explain_match`."""

    phrase: Annotated[str, Field(description="the phrase whose match is to be explained")]
    capability: Annotated[str | None, Field(description="the reading that was expected, in any wording")] = None


class ExplainAnswer(ExplanationAnswer[Case, AskedAbout]):
    """Answer of `explain_match`."""


def explain_match(service: Service, request: ExplainRequest) -> ExplainAnswer:
    """Show how the capabilities were ranked for a phrase."""
    reading = expected_reading(service, request.capability)
    return ExplainAnswer.of(service, request.phrase, reading, case, AskedAbout)


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
