from typing import Any

import pytest

from server import package_version
from server.matching.service import Service
from server.tools.families import CORE, FAMILIES, META
from server.toolset.registry import TOOLS, tools_for
from server.toolset.toolset import advertised
from tests.server.calls import MODERN
from tests.server.toolset.starts import answer, connected, manifest, names, rules, started

pytestmark = pytest.mark.anyio

V2 = ["schema_version", "server", "profile", "families"]
V3 = ["schema_version", "server", "profile", "summary", "to_describe_to_user", "families", "tools"]


async def asked(session_service: Service, **arguments: Any) -> dict[str, Any]:
    async with connected(session_service, MODERN, started("match", dynamic=True)) as client:
        return await answer(client, "capabilities", arguments)


async def test_version_1_has_the_names_of_the_loaded_tools_and_how_many_there_are(session_service: Service) -> None:
    async with connected(session_service, MODERN, started("match", dynamic=True)) as client:
        document = await answer(client, "capabilities", {"accept": "v1"})
        assert document == {"schema_version": "1", "tools": await names(client), "total": 13}


async def test_version_2_has_server_profile_and_families(session_service: Service) -> None:
    document = await asked(session_service, accept="v2")
    assert list(document) == V2
    assert document["schema_version"] == "2"
    assert document["server"] == {"name": "agent-capabilities", "version": package_version()}
    assert document["profile"] == "match"
    assert [(family["name"], family["loaded"], family["tools"]) for family in document["families"]] == [
        (name, name in (CORE, "match", META), [tool.name for tool in TOOLS if tool.family == name]) for name in FAMILIES
    ]


async def test_version_3_adds_two_sentences_and_the_tools(session_service: Service) -> None:
    document, second = await asked(session_service, accept="v3"), await asked(session_service, accept="v2")
    assert list(document) == V3
    assert {key: document[key] for key in V2} == second | {"schema_version": "3"}
    assert document["tools"] == [
        {
            "name": tool.name,
            "family": tool.family,
            "loaded": tool.family in (CORE, "match", META),
            "callable_now": tool.family in (CORE, "match", META),
        }
        for tool in TOOLS
    ]


async def test_version_3_names_the_permitted_families_where_an_allowlist_applies(session_service: Service) -> None:
    start = started(dynamic=True, allowlist=rules(the_caller=["core", "decide"]))
    async with connected(session_service, MODERN, start) as client:
        document = await answer(client, "capabilities")
    assert document["agent_permitted_families"] == ["core", "decide", "meta"]
    assert list(document) == [*V3[:5], "agent_permitted_families", *V3[5:]]


async def test_an_unknown_version_is_answered_with_version_3(session_service: Service) -> None:
    for accept in ["", "v4", "3", "V1", "x" * 200]:
        assert await asked(session_service, accept=accept) == await asked(session_service), accept


@pytest.mark.parametrize("dynamic", [False, True])
async def test_the_manifest_is_always_the_version_3_document(session_service: Service, dynamic: bool) -> None:
    async with connected(session_service, MODERN, started("match", dynamic=dynamic)) as client:
        document = await manifest(client)
        assert list(document) == V3
        assert document["schema_version"] == "3"
        assert not dynamic or document == await answer(client, "capabilities", {"accept": "v3"})
        addresses = [resource.uri for resource in (await client.list_resources()).resources]
    assert addresses[0] == "capabilities://manifest"


async def test_a_family_is_shown_alone_loaded_or_not(session_service: Service, subtests: pytest.Subtests) -> None:
    for family in FAMILIES:
        with subtests.test(family=family):
            tools = (await asked(session_service, family=family))["tools"]
            assert [tool["name"] for tool in tools] == [tool.name for tool in TOOLS if tool.family == family]
            assert {tool["loaded"] for tool in tools} == {family in (CORE, "match", META)}
            assert all("docs" not in tool and "input_schema" not in tool for tool in tools)


async def test_an_unknown_family_is_refused_with_the_known_ones(session_service: Service) -> None:
    async with connected(session_service, MODERN, started(dynamic=True)) as client:
        result = await client.call_tool("capabilities", {"family": "catalogue"})
    assert result.is_error
    assert "known: core, match, decide, catalog, meta; did you mean 'catalog'?" in str(result.content)


async def test_schemas_are_those_of_the_list_unless_more_is_asked_for(session_service: Service) -> None:
    tools = (await asked(session_service, include_schema=True))["tools"]
    assert [(tool["name"], tool["input_schema"], tool["output_schema"]) for tool in tools] == [
        (tool.name, advertised(tool).input_schema, advertised(tool).output_schema)
        for tool in tools_for(session_service)
    ]


async def test_verbose_schemas_are_untrimmed_and_docs_come_along(session_service: Service) -> None:
    tools = (await asked(session_service, family="catalog", include_schema=True, verbose=True))["tools"]
    (catalog_status,) = (tool for tool in TOOLS if tool.family == "catalog")
    whole = advertised(catalog_status, full_wire=True)
    assert [tool["name"] for tool in tools] == ["catalog_status"]
    assert tools[0]["docs"] == catalog_status.docs
    assert (tools[0]["input_schema"], tools[0]["output_schema"]) == (whole.input_schema, whole.output_schema)
    assert tools[0]["input_schema"]["properties"]["staleAfterDays"]["description"]


async def test_verbose_alone_has_the_docs_of_every_tool(session_service: Service) -> None:
    tools = (await asked(session_service, verbose=True))["tools"]
    assert [(tool["name"], tool["docs"]) for tool in tools] == [(tool.name, tool.docs) for tool in TOOLS]
