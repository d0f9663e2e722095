import pytest
from mcp import Client
from mcp_types import Completion, PromptReference, ResourceTemplateReference

from server.matching.service import Service
from server.protocol.server import build_server
from tests.server.calls import MODES

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]

CAPABILITY = "capabilities://{agent}/{capability}"
CATEGORY = "capabilities://category/{category}"


async def complete(service: Service, mode: str, template: str, variable: str, typed: str) -> Completion:
    reference = ResourceTemplateReference(type="ref/resource", uri=template)
    async with Client(build_server(service), mode=mode) as client:
        return (await client.complete(reference, {"name": variable, "value": typed})).completion


async def test_values_that_begin_with_what_was_typed_come_before_those_that_contain_it(
    service: Service, mode: str
) -> None:
    for template, variable, typed, values in [
        (CAPABILITY, "agent", "", ["claude-code", "gemini-cli"]),
        (CAPABILITY, "agent", "GEM", ["gemini-cli"]),
        (CAPABILITY, "agent", "c", ["claude-code", "gemini-cli"]),
        (CAPABILITY, "capability", "v", ["Vision"]),
        (CAPABILITY, "capability", "supp", ["MCP Support"]),
        (CATEGORY, "category", "per", ["performance"]),
        (CATEGORY, "category", "zzz", []),
    ]:
        completion = await complete(service, mode, template, variable, typed)
        assert (completion.values, completion.total, completion.has_more) == (values, len(values), False), (
            template,
            variable,
            typed,
            values,
        )


async def test_an_unknown_template_or_variable_has_no_values(service: Service, mode: str) -> None:
    for template, variable in [("other://{agent}", "agent"), (CAPABILITY, "category"), (CATEGORY, "agent"), ("", "")]:
        assert (await complete(service, mode, template, variable, "")).values == [], (template, variable)


async def test_an_unknown_prompt_has_no_values(service: Service, mode: str) -> None:
    reference = PromptReference(type="ref/prompt", name="none")
    async with Client(build_server(service), mode=mode) as client:
        completion = (await client.complete(reference, {"name": "agent", "value": "c"})).completion
    assert (completion.values, completion.total) == ([], 0)


async def test_shipped_capabilities_are_all_offered(shipped_service: Service, mode: str) -> None:
    completion = await complete(shipped_service, mode, CAPABILITY, "capability", "")
    assert completion.values == list(shipped_service.catalog.by_name)
