"""Matchers of tools with examples, as servers connect."""

from embeddings.ranking.decision import NAMED_COSTS
from server.gateway.tool_catalog.matcher_builder import MatcherBuilder, full
from server.gateway.tool_catalog.tool_book import tool_book
from server.toolset.tool_matcher import ToolsMatcher
from tests.server.gateway.tool_catalog.tools import offered
from tests.toy import ToyEncoder


def test_all_is_fitted_anew_once_a_fifth_is_new() -> None:
    builder, last = MatcherBuilder(lambda _: ToyEncoder(), NAMED_COSTS["offer"]), None
    approximate = []
    for count in (20, 21, 22, 40):
        tools = offered(**{f"look_{number}": f"see picture {number}" for number in range(count)})
        book = tool_book(tools, {tool.name: (f"look at {tool.own_name}",) for tool in tools})
        made: ToolsMatcher = builder.build(tools, book, last)
        last = full(made)
        assert last
        approximate.append(last.is_approximate)
    assert approximate == [False, True, True, False]
