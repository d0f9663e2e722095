import mcp_types as types
import pytest
from mcp import Client

from server.gateway.upstreams.states import UpstreamError
from tests.server.gateway.forwarding.fakes import FakeUpstream, connected

pytestmark = pytest.mark.anyio

PROMPT = types.PromptReference(name="writer__draft")
TEMPLATE = types.ResourceTemplateReference(uri="gateway://writer/file:///{path}")


def writer() -> FakeUpstream:
    template = types.ResourceTemplate(uri_template="file:///{path}", name="file")
    return FakeUpstream("writer", prompts=(types.Prompt(name="draft"),), resource_templates=(template,))


async def values(client: Client, ref: types.PromptReference | types.ResourceTemplateReference) -> list[str]:
    return (await client.complete(ref, {"name": "tone", "value": "dr"}, {"path": "x"})).completion.values


async def test_the_upstream_completes_what_it_calls_by_its_own_name() -> None:
    cases: list[tuple[types.PromptReference | types.ResourceTemplateReference, object]] = [
        (PROMPT, types.PromptReference(name="draft")),
        (TEMPLATE, types.ResourceTemplateReference(uri="file:///{path}")),
    ]
    for ref, own in cases:
        upstream = writer()
        async with connected(upstream) as client:
            assert (await values(client, ref))[0] == "dr0", ref
        (asked,) = upstream.completed
        assert (asked.ref, asked.argument.name) == (own, "tone"), ref
        assert asked.context == types.CompletionContext(arguments={"path": "x"}), ref


async def test_at_most_a_hundred_values_pass() -> None:
    async with connected(writer()) as client:
        completion = (await client.complete(PROMPT, {"name": "tone", "value": "dr"})).completion
    assert (len(completion.values), completion.has_more) == (100, True)


async def test_what_is_not_permitted_is_not_completed() -> None:
    cases: list[types.PromptReference | types.ResourceTemplateReference] = [PROMPT, TEMPLATE]
    for ref in cases:
        for hidden in ["writer", "draft", "file:///{path}"]:
            upstream = writer()
            concerned = hidden == "writer" or (hidden == "draft") == (ref is PROMPT)
            async with connected(upstream, hidden={hidden}) as client:
                assert bool(await values(client, ref)) is not concerned, (ref, hidden)
            assert bool(upstream.calls) is not concerned, (ref, hidden)


async def test_a_server_that_is_down_completes_nothing() -> None:
    upstream = writer()
    upstream.error = UpstreamError("writer", "down", "it exited")
    async with connected(upstream) as client:
        assert await values(client, PROMPT) == []
