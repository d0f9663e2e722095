import mcp_types as types
import pytest
from mcp import Client

from server.gateway.upstreams.states import UpstreamError
from tests.server.gateway.forwarding.fakes import MODES, FakeUpstream, connected

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]

PROMPT = types.PromptReference(name="writer__draft")
TEMPLATE = types.ResourceTemplateReference(uri="gateway://writer/file:///{path}")


def writer() -> FakeUpstream:
    template = types.ResourceTemplate(uri_template="file:///{path}", name="file")
    return FakeUpstream("writer", prompts=(types.Prompt(name="draft"),), resource_templates=(template,))


async def values(client: Client, ref: types.PromptReference | types.ResourceTemplateReference) -> list[str]:
    return (await client.complete(ref, {"name": "tone", "value": "dr"}, {"path": "x"})).completion.values


@pytest.mark.parametrize(
    ("ref", "own"),
    [
        (PROMPT, types.PromptReference(name="draft")),
        (TEMPLATE, types.ResourceTemplateReference(uri="file:///{path}")),
    ],
)
async def test_the_upstream_completes_what_it_calls_by_its_own_name(
    mode: str, ref: types.PromptReference | types.ResourceTemplateReference, own: object
) -> None:
    upstream = writer()
    async with connected(upstream, mode=mode) as client:
        assert (await values(client, ref))[0] == "dr0"
    (asked,) = upstream.completed
    assert (asked.ref, asked.argument.name) == (own, "tone")
    assert asked.context == types.CompletionContext(arguments={"path": "x"})


async def test_at_most_a_hundred_values_pass(mode: str) -> None:
    async with connected(writer(), mode=mode) as client:
        completion = (await client.complete(PROMPT, {"name": "tone", "value": "dr"})).completion
    assert (len(completion.values), completion.has_more) == (100, True)


@pytest.mark.parametrize("ref", [PROMPT, TEMPLATE])
@pytest.mark.parametrize("hidden", ["writer", "draft", "file:///{path}"])
async def test_what_is_not_permitted_is_not_completed(
    mode: str, ref: types.PromptReference | types.ResourceTemplateReference, hidden: str
) -> None:
    upstream = writer()
    concerned = hidden == "writer" or (hidden == "draft") == (ref is PROMPT)
    async with connected(upstream, mode=mode, hidden={hidden}) as client:
        assert bool(await values(client, ref)) is not concerned
    assert bool(upstream.calls) is not concerned


async def test_a_server_that_is_down_completes_nothing(mode: str) -> None:
    upstream = writer()
    upstream.error = UpstreamError("writer", "down", "it exited")
    async with connected(upstream, mode=mode) as client:
        assert await values(client, PROMPT) == []
