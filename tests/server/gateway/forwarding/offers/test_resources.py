import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate

from server.errors import Parts
from server.gateway.forwarding import errors
from server.gateway.upstreams.states import UpstreamError
from tests.server.gateway.forwarding.fakes import MODES, FakeUpstream, connected

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]


def resource(uri: str, **more: object) -> types.Resource:
    return types.Resource.model_validate({"uri": uri, "name": uri, **more})


def files(*uris: str, name: str = "files") -> FakeUpstream:
    return FakeUpstream(name, resources=tuple(map(resource, uris)), contents=dict.fromkeys(uris, f"of {name}"))


async def listed(client: Client) -> list[str]:
    found, cursor = [], None
    while True:
        page = await client.list_resources(cursor=cursor)
        found += [one.uri for one in page.resources]
        if not (cursor := page.next_cursor):
            return found


async def refused(client: Client, uri: str) -> MCPError:
    with pytest.raises(MCPError) as raised:
        await client.read_resource(uri)
    message = raised.value.error.message
    assert str(Parts.of(message)) == message
    return raised.value


async def test_two_servers_resources_of_one_address_are_told_apart(mode: str) -> None:
    async with connected(files("memo:1", name="a"), files("memo:1", name="b"), mode=mode) as client:
        uris = await listed(client)
        texts = [getattr((await client.read_resource(uri)).contents[0], "text", None) for uri in uris]
    assert (uris, texts) == (["gateway://a/memo:1", "gateway://b/memo:1"], ["of a", "of b"])


async def test_contents_have_the_address_that_was_read(mode: str) -> None:
    async with connected(files("memo:1"), mode=mode) as client:
        (part,) = (await client.read_resource("gateway://files/memo:1")).contents
    assert part.uri == "gateway://files/memo:1"


async def test_an_expanded_template_reads_what_the_upstreams_own_expands_to(mode: str) -> None:
    upstream = FakeUpstream("files", contents={"file:///a%20b": "found"})
    upstream.resource_templates = (types.ResourceTemplate(uri_template="file:///{path}", name="file"),)
    async with connected(upstream, mode=mode) as client:
        (template,) = (await client.list_resource_templates()).resource_templates
        (part,) = (
            await client.read_resource(UriTemplate.parse(template.uri_template).expand({"path": "a b"}))
        ).contents
    assert getattr(part, "text", None) == "found"


async def test_texts_are_cleaned_and_parts_for_programs_stay(mode: str) -> None:
    hiding = resource(
        "memo:1",
        name="No\u200bte",
        title="A\nnote",
        description="Ignore\u202e this",
        mimeType="text/plain",
        size=3,
        icons=[{"src": "https://example.com/i.png"}],
        _meta={"x/y": 1},
    )
    async with connected(FakeUpstream("files", resources=(hiding,)), mode=mode) as client:
        (shown,) = (await client.list_resources()).resources
    assert shown.model_dump(exclude_none=True) == {
        "uri": "gateway://files/memo:1",
        "name": "Note",
        "title": "A note",
        "description": "Ignore this",
        "mime_type": "text/plain",
        "size": 3,
    }


async def test_a_long_description_is_cut(mode: str) -> None:
    upstream = FakeUpstream("files", resources=(resource("memo:1", description="x" * 50_000),))
    async with connected(upstream, mode=mode) as client:
        (shown,) = (await client.list_resources()).resources
    assert len(shown.description or "") == 4_000


async def test_an_address_that_hides_characters_is_left_out(mode: str) -> None:
    async with connected(files("memo:\u200b1", "memo:2"), mode=mode) as client:
        assert await listed(client) == ["gateway://files/memo:2"]


async def test_pages_hold_every_resource_once(mode: str) -> None:
    uris = [f"memo:{number}" for number in range(230)]
    async with connected(files(*uris), mode=mode) as client:
        first = await client.list_resources()
        found = await listed(client)
    assert len(first.resources) == 100
    assert sorted(found) == sorted(f"gateway://files/{uri}" for uri in uris)


async def test_a_page_goes_on_where_the_last_ended_though_the_list_changed(mode: str) -> None:
    upstream = files(*(f"memo:{number:03}" for number in range(150)))
    async with connected(upstream, mode=mode) as client:
        first = await client.list_resources()
        upstream.resources = upstream.resources[50:]
        second = await client.list_resources(cursor=first.next_cursor)
    assert [one.uri for one in second.resources] == [f"gateway://files/memo:{number:03}" for number in range(100, 150)]


@pytest.mark.parametrize("cursor", ["nonsense", "W10=", "é", "e30="])
async def test_an_unknown_cursor_is_refused(mode: str, cursor: str) -> None:
    async with connected(files("memo:1"), mode=mode) as client:
        with pytest.raises(MCPError, match="unknown cursor") as raised:
            await client.list_resources(cursor=cursor)
    assert raised.value.error.code == types.INVALID_PARAMS


@pytest.mark.parametrize("hidden", ["secret", "memo:hidden"])
async def test_what_is_not_permitted_is_not_listed(mode: str, hidden: str) -> None:
    one, other = files("memo:1", name="files"), files("memo:hidden", name="secret")
    one.resource_templates = other.resource_templates = (types.ResourceTemplate(uri_template="memo:{x}", name="x"),)
    async with connected(one, other, mode=mode, hidden={"secret", hidden}) as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert await listed(client) == ["gateway://files/memo:1"]
        assert [template.uri_template for template in templates] == ["gateway://files/memo:{x}"]


async def test_a_server_that_is_not_permitted_is_refused_as_if_there_were_none(mode: str) -> None:
    hidden = files("memo:1", name="secret")
    async with connected(files("memo:1"), hidden, mode=mode, hidden={"secret"}) as client:
        not_permitted = await refused(client, "gateway://secret/memo:1")
        nowhere = await refused(client, "gateway://nowher/memo:1")
    assert not_permitted.error.message == nowhere.error.message.replace("nowher", "secret")
    assert hidden.calls == []


async def test_an_address_that_is_not_permitted_never_reaches_the_upstream(mode: str) -> None:
    upstream = files("memo:1", "memo:2")
    async with connected(upstream, mode=mode, hidden={"memo:2"}) as client:
        await refused(client, "gateway://files/memo:2")
    assert upstream.calls == []


@pytest.mark.parametrize("uri", ["file:///x", "memo:1", "gateway://other/memo:1"])
async def test_an_unknown_address_is_refused_with_the_known_servers(mode: str, uri: str) -> None:
    async with connected(files("memo:1"), mode=mode) as client:
        error = (await refused(client, uri)).error
    assert (error.code, error.data) == (types.INVALID_PARAMS, {"uri": uri})
    assert "servers: files" in error.message


async def test_a_server_that_is_down_says_so(mode: str) -> None:
    upstream = files("memo:1")
    upstream.error = UpstreamError("files", "down", "it exited with code 3")
    async with connected(upstream, mode=mode) as client:
        error = (await refused(client, "gateway://files/memo:1")).error
    assert "it exited with code 3" in error.message
    assert (error.data["server"], error.data["reason"]) == ("files", "down")


async def test_an_upstreams_own_error_keeps_its_code_and_data(mode: str) -> None:
    upstream = files("memo:1")
    upstream.error = UpstreamError("files", "protocol", "no such note", code=-32002, data={"uri": "memo:1"})
    async with connected(upstream, mode=mode) as client:
        error = (await refused(client, "gateway://files/memo:1")).error
    assert (error.code, error.data) == (-32002, {"uri": "memo:1"})


async def test_contents_beyond_the_limit_are_refused(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.gateway.forwarding.offers.resources.LARGEST", 10)
    upstream = FakeUpstream("files", contents={"memo:1": "é" * 5, "memo:2": "é" * 6})
    async with connected(upstream, mode=mode) as client:
        assert (await client.read_resource("gateway://files/memo:1")).contents
        assert "12 bytes" in (await refused(client, "gateway://files/memo:2")).error.message


async def test_twenty_megabytes_may_pass(mode: str) -> None:
    assert errors.LARGEST == 20 << 20
    upstream = FakeUpstream("files", contents={"memo:1": "x" * (20 << 20)})
    async with connected(upstream, mode=mode) as client:
        (part,) = (await client.read_resource("gateway://files/memo:1")).contents
    assert len(getattr(part, "text", "")) == 20 << 20
