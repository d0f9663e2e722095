from mcp.shared.uri_template import UriTemplate

from server.gateway.forwarding.addresses import address, located

ADDRESSES = ["file:///a%20b/c?q=1#f", "demo://resource/1", "gateway://inner/file:///x", "memo:7", "a"]
SERVERS = ["files", "My Server/ä", "GitHub", "a.b-c_d"]


def test_an_address_leads_back_to_its_server_and_its_own_address() -> None:
    for server in SERVERS:
        for uri in ADDRESSES:
            assert located(address(server, uri), SERVERS) == (server, uri), (server, uri)


def test_a_template_expands_to_the_address_of_what_its_own_expands_to() -> None:
    template, values = "file:///{path}{?line}", {"path": "a b/ü", "line": "3"}
    own = UriTemplate.parse(template).expand(values)
    assert UriTemplate.parse(address("My {Server}", template)).expand(values) == address("My {Server}", own)


def test_a_server_is_found_in_lower_case_and_never_guessed() -> None:
    assert located("gateway://github/memo:7", SERVERS) == ("GitHub", "memo:7")
    assert located("gateway://GITHUB/memo:7", ["GitHub", "github"]) is None
    for other in ["file:///x", "gateway://files", "gateway://files/", "gateway://other/x", "gateway:files/x", ""]:
        assert located(other, SERVERS) is None, other
