import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate

from server.errors import Parts
from server.gateway.forwarding import source
from server.gateway.upstreams.states import UpstreamError
from tests.server.gateway.forwarding.fakes import FakeUpstream, connected

pytestmark = pytest.mark.anyio


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


async def test_two_servers_resources_of_one_address_are_told_apart() -> None:
    async with connected(files("memo:1", name="a"), files("memo:1", name="b")) as client:
        uris = await listed(client)
        texts = [getattr((await client.read_resource(uri)).contents[0], "text", None) for uri in uris]
    assert (uris, texts) == (["gateway://a/memo:1", "gateway://b/memo:1"], ["of a", "of b"])


async def test_contents_have_the_address_that_was_read_and_up_to_20_mb() -> None:
    async with connected(files("memo:1")) as client:
        (part,) = (await client.read_resource("gateway://files/memo:1")).contents
    assert part.uri == "gateway://files/memo:1"
    assert source.LARGEST == 20 << 20
    upstream = FakeUpstream("files", contents={"memo:1": "x" * (20 << 20)})
    async with connected(upstream) as client:
        (part,) = (await client.read_resource("gateway://files/memo:1")).contents
    assert len(getattr(part, "text", "")) == 20 << 20


async def test_an_expanded_template_reads_what_the_upstreams_own_expands_to() -> None:
    upstream = FakeUpstream("files", contents={"file:///a%20b": "found"})
    upstream.resource_templates = (types.ResourceTemplate(uri_template="file:///{path}", name="file"),)
    async with connected(upstream) as client:
        (template,) = (await client.list_resource_templates()).resource_templates
        (part,) = (
            await client.read_resource(UriTemplate.parse(template.uri_template).expand({"path": "a b"}))
        ).contents
    assert getattr(part, "text", None) == "found"


async def test_texts_are_cleaned_and_cut_and_hidden_addresses_left_out() -> None:
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
    async with connected(FakeUpstream("files", resources=(hiding,))) as client:
        (shown,) = (await client.list_resources()).resources
    assert shown.model_dump(exclude_none=True) == {
        "uri": "gateway://files/memo:1",
        "name": "Note",
        "title": "A note",
        "description": "Ignore this",
        "mime_type": "text/plain",
        "size": 3,
    }
    upstream = FakeUpstream("files", resources=(resource("memo:1", description="x" * 50_000),))
    async with connected(upstream) as client:
        (shown,) = (await client.list_resources()).resources
    assert len(shown.description or "") == 4_000
    async with connected(files("memo:\u200b1", "memo:2")) as client:
        assert await listed(client) == ["gateway://files/memo:2"]


async def test_pages_hold_every_resource_once_though_the_list_changed() -> None:
    uris = [f"memo:{number}" for number in range(230)]
    async with connected(files(*uris)) as client:
        first = await client.list_resources()
        found = await listed(client)
    assert len(first.resources) == 100
    assert sorted(found) == sorted(f"gateway://files/{uri}" for uri in uris)
    upstream = files(*(f"memo:{number:03}" for number in range(150)))
    async with connected(upstream) as client:
        first = await client.list_resources()
        upstream.resources = upstream.resources[50:]
        second = await client.list_resources(cursor=first.next_cursor)
    assert [one.uri for one in second.resources] == [f"gateway://files/memo:{number:03}" for number in range(100, 150)]


async def test_an_unknown_cursor_is_refused() -> None:
    for cursor in ["nonsense", "W10=", "é", "e30="]:
        async with connected(files("memo:1")) as client:
            with pytest.raises(MCPError, match="unknown cursor") as raised:
                await client.list_resources(cursor=cursor)
        assert raised.value.error.code == types.INVALID_PARAMS, cursor


async def test_what_is_not_permitted_is_not_listed() -> None:
    for hidden in ["secret", "memo:hidden"]:
        one, other = files("memo:1", name="files"), files("memo:hidden", name="secret")
        one.resource_templates = other.resource_templates = (types.ResourceTemplate(uri_template="memo:{x}", name="x"),)
        async with connected(one, other, hidden={"secret", hidden}) as client:
            templates = (await client.list_resource_templates()).resource_templates
            assert await listed(client) == ["gateway://files/memo:1"], hidden
            assert [template.uri_template for template in templates] == ["gateway://files/memo:{x}"], hidden


async def test_what_is_not_there_or_not_permitted_is_refused() -> None:
    hidden = files("memo:1", name="secret")
    async with connected(files("memo:1"), hidden, hidden={"secret"}) as client:
        not_permitted = await refused(client, "gateway://secret/memo:1")
        nowhere = await refused(client, "gateway://nowher/memo:1")
    assert not_permitted.error.message == nowhere.error.message.replace("nowher", "secret")
    assert hidden.calls == []
    upstream = files("memo:1", "memo:2")
    async with connected(upstream, hidden={"memo:2"}) as client:
        await refused(client, "gateway://files/memo:2")
    assert upstream.calls == []
    for uri in ["file:///x", "memo:1", "gateway://other/memo:1"]:
        async with connected(files("memo:1")) as client:
            error = (await refused(client, uri)).error
        assert (error.code, error.data) == (types.INVALID_PARAMS, {"uri": uri}), uri
        assert "servers: files" in error.message, uri


async def test_an_upstreams_failure_is_told() -> None:
    upstream = files("memo:1")
    upstream.error = UpstreamError("files", "down", "it exited with code 3")
    async with connected(upstream) as client:
        error = (await refused(client, "gateway://files/memo:1")).error
    assert "it exited with code 3" in error.message
    assert (error.data["server"], error.data["reason"]) == ("files", "down")
    upstream = files("memo:1")
    upstream.error = UpstreamError("files", "protocol", "no such note", code=-32002, data={"uri": "memo:1"})
    async with connected(upstream) as client:
        error = (await refused(client, "gateway://files/memo:1")).error
    assert (error.code, error.data) == (-32002, {"uri": "memo:1"})


async def test_contents_beyond_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.gateway.forwarding.resources.LARGEST", 10)
    upstream = FakeUpstream("files", contents={"memo:1": "é" * 5, "memo:2": "é" * 6})
    async with connected(upstream) as client:
        assert (await client.read_resource("gateway://files/memo:1")).contents
        assert "12 bytes" in (await refused(client, "gateway://files/memo:2")).error.message
