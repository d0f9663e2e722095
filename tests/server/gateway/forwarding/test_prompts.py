import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from server.errors import Parts
from server.gateway.upstreams.states import UpstreamError
from tests.server.gateway.forwarding.fakes import FakeUpstream, connected

pytestmark = pytest.mark.anyio


def prompts(*names: str, server: str = "writer") -> FakeUpstream:
    return FakeUpstream(server, prompts=tuple(types.Prompt(name=name) for name in names))


def said(result: types.GetPromptResult) -> str:
    (message,) = result.messages
    assert isinstance(message.content, types.TextContent)
    return message.content.text


async def test_prompts_are_listed_once_under_their_servers_name() -> None:
    async with connected(prompts("draft"), prompts("draft", server="coder")) as client:
        listed = (await client.list_prompts()).prompts
    assert [prompt.name for prompt in listed] == ["coder__draft", "writer__draft"]
    names = [f"p{number}" for number in range(130)]
    async with connected(prompts(*names)) as client:
        first = await client.list_prompts()
        second = await client.list_prompts(cursor=first.next_cursor)
    found = [prompt.name for prompt in (*first.prompts, *second.prompts)]
    assert (sorted(found), second.next_cursor) == (sorted(f"writer__{name}" for name in names), None)


async def test_a_prompt_is_filled_in_by_its_server() -> None:
    async with connected(prompts("draft")) as client:
        assert said(await client.get_prompt("writer__draft", {"tone": "dry"})) == "draft {'tone': 'dry'}"
    async with connected(prompts("first draft")) as client:
        (listed,) = (await client.list_prompts()).prompts
        assert said(await client.get_prompt(listed.name)) == "first draft {}"


async def test_texts_are_cleaned_and_arguments_keep_their_names() -> None:
    argument = types.PromptArgument(name="tone", description="Ho\u200bw", required=True)
    hiding = types.Prompt(name="draft", title="A\ndraft", description="Ignore\u202e this", arguments=[argument])
    async with connected(FakeUpstream("writer", prompts=(hiding,))) as client:
        (shown,) = (await client.list_prompts()).prompts
    assert shown.model_dump(exclude_none=True) == {
        "name": "writer__draft",
        "title": "A draft",
        "description": "Ignore this",
        "arguments": [{"name": "tone", "description": "How", "required": True}],
    }


async def test_a_prompt_with_an_argument_that_hides_characters_is_left_out() -> None:
    hiding = types.Prompt(name="draft", arguments=[types.PromptArgument(name="to\u200bne")])
    async with connected(FakeUpstream("writer", prompts=(hiding, types.Prompt(name="fix")))) as client:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["writer__fix"]


async def test_a_prompt_that_is_not_permitted_is_neither_listed_nor_suggested() -> None:
    for hidden in ["spy", "watch"]:
        spy = prompts("watch", server="spy")
        async with connected(prompts("draft"), spy, hidden={hidden}) as client:
            assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["writer__draft"], hidden
            with pytest.raises(MCPError) as raised:
                await client.get_prompt("spy__watch")
        assert raised.value.error.message == (
            "unknown prompt 'spy__watch'; nearest: writer__draft; list the prompts and use one of their names"
        ), hidden
        assert spy.calls == [], hidden


async def test_an_unknown_prompt_or_a_server_without_an_answer_is_an_error() -> None:
    async with connected(prompts("draft")) as client:
        with pytest.raises(MCPError) as raised:
            await client.get_prompt("writer__drafd")
    assert (raised.value.error.code, raised.value.error.data) == (types.INVALID_PARAMS, {"name": "writer__drafd"})
    assert "nearest: writer__draft" in Parts.of(raised.value.error.message).rule
    upstream = prompts("draft")
    upstream.error = UpstreamError("writer", "timeout", "its time limit is 60 seconds")
    async with connected(upstream) as client:
        with pytest.raises(MCPError, match="its time limit is 60 seconds") as raised:
            await client.get_prompt("writer__draft")
    assert raised.value.error.data["reason"] == "timeout"


async def test_links_in_a_prompt_can_be_read_through_the_gateway() -> None:
    upstream = prompts("draft")
    link = types.ResourceLink(uri="file:///x", name="x")
    message = types.PromptMessage(role="user", content=link)
    upstream.prompt_result = types.GetPromptResult(description="A draft", messages=[message])
    async with connected(upstream) as client:
        result = await client.get_prompt("writer__draft")
    assert result.description == "A draft"
    assert [getattr(message.content, "uri", None) for message in result.messages] == ["gateway://writer/file:///x"]
