"""The shares of right and false offers are those that can be counted by hand."""

import pytest

from benchmarks.gateways.contestants import Offer, read_offer
from benchmarks.gateways.offers import offer_figures
from benchmarks.gateways.tool_set import ToolRequest

STATUS, LOG, READ = ("git", "status"), ("git", "log"), ("files", "read")
SERVED = ToolRequest("what did I change", frozenset({STATUS}))
EITHER = ToolRequest("show the history", frozenset({LOG, STATUS}))
UNSERVED = ToolRequest("book a flight", frozenset())


def offer(*tools: tuple[str, str], decision: str = "") -> Offer:
    return Offer(tools, decision, "")


def answered(text: str, **more: bool) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}], **more}


def test_a_right_tool_behind_another_is_offered_but_not_first() -> None:
    figures = offer_figures([SERVED], [offer(READ, STATUS)])
    assert (figures["rightFirst"], figures["rightOffered"], figures["wrongAlone"]) == (0, 1, 0)


def test_any_of_several_tools_that_serve_a_request_is_right() -> None:
    assert offer_figures([EITHER], [offer(STATUS)])["rightFirst"] == 1


def test_a_served_request_without_the_right_tool_has_wrong_ones_alone_or_none() -> None:
    figures = offer_figures([SERVED, SERVED], [offer(READ), offer()])
    assert (figures["wrongAlone"], figures["noneOffered"]) == (0.5, 0.5)


def test_any_tool_for_a_request_that_none_serves_is_a_false_offer() -> None:
    assert offer_figures([UNSERVED, UNSERVED], [offer(READ), offer()])["falseOffer"] == 0.5


def test_requests_that_no_tool_serves_do_not_count_towards_right_offers() -> None:
    figures = offer_figures([SERVED, UNSERVED], [offer(STATUS), offer()])
    assert (figures["served"], figures["rightFirst"], figures["toolsOffered"]) == (1, 1, 1)


def test_precision_is_the_share_of_resolved_requests_that_got_the_right_tool() -> None:
    offers = [offer(STATUS, decision="resolved"), offer(READ, decision="resolved"), offer(READ, decision="ambiguous")]
    figures = offer_figures([SERVED, SERVED, SERVED], offers)
    assert figures["precision"] == 0.5
    assert figures["coverage"] == pytest.approx(2 / 3)


def test_only_a_resolved_answer_is_a_false_resolve() -> None:
    offers = [offer(READ, decision="resolved"), offer(READ, LOG, decision="ambiguous")]
    figures = offer_figures([UNSERVED, UNSERVED], offers)
    assert (figures["falseResolve"], figures["falseOffer"]) == (0.5, 1)


def test_a_gateway_that_does_not_decide_has_no_figures_of_decisions() -> None:
    assert not offer_figures([SERVED], [offer(STATUS)]).keys() & {"coverage", "precision", "falseResolve"}


def test_tools_are_read_from_an_object_and_from_a_bare_list() -> None:
    names = {"git__status": STATUS}
    bare = read_offer(answered('[{"name": "git__status"}]'), names)
    whole = read_offer(answered('{"decision": "resolved", "tools": [{"name": "git__status"}]}'), names)
    assert bare.tools == whole.tools == (STATUS,)
    assert (bare.decision, whole.decision) == ("", "resolved")


def test_an_answer_is_incomplete_while_words_alone_or_some_servers_are_searched() -> None:
    for said in ['"degraded": true', '"hint": "Not every server is ready: git is connecting."']:
        assert not read_offer(answered(f'{{"decision": "no_match", "tools": [], {said}}}'), {}).complete, said


def test_a_search_that_failed_is_no_empty_offer() -> None:
    with pytest.raises(ValueError, match="no such tool"):
        read_offer(answered("no such tool", isError=True), {})
