"""The entry in the MCP registry. The schema is not kept here: the registry's own tool checks it before publishing."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from deploy import server_json as module
from deploy.project import metadata
from deploy.server_json import marker, server_json, server_name
from server.catalog.folders import DATA_VARIABLE
from server.cli.main import parser
from server.matching.vector_cache import CACHE_VARIABLE
from server.toolset.start import PROFILE_VARIABLE, chosen_profile

REPOSITORY = "Some-Owner/repository"
ENTRY = server_json(REPOSITORY)
(PACKAGE,) = ENTRY["packages"]


def test_the_entry_names_this_package_in_the_namespace_of_its_owner_with_short_texts() -> None:
    assert ENTRY["name"] == server_name(REPOSITORY) == f"io.github.Some-Owner/{metadata()['name']}"
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", ENTRY["name"])
    assert 1 <= len(ENTRY["description"]) <= 100
    assert 1 <= len(ENTRY["title"]) <= 100
    assert (PACKAGE["identifier"], PACKAGE["version"], ENTRY["version"]) == (
        metadata()["name"],
        metadata()["version"],
        metadata()["version"],
    )


def test_the_package_serves_over_stdio_with_variables_that_the_server_reads() -> None:
    options = parser().parse_args([argument["value"] for argument in PACKAGE["packageArguments"]])
    assert PACKAGE["runtimeHint"] == "uvx"
    assert options.transport == PACKAGE["transport"]["type"] == "stdio"
    variables = {variable["name"]: variable for variable in PACKAGE["environmentVariables"]}
    assert set(variables) == {PROFILE_VARIABLE, DATA_VARIABLE, CACHE_VARIABLE}
    assert chosen_profile(variables[PROFILE_VARIABLE]["default"]) == chosen_profile("core")


def test_a_bundle_is_named_by_its_place_in_the_release_and_its_hash(tmp_path: Path) -> None:
    bundle = tmp_path / "some.mcpb"
    bundle.write_bytes(b"bundle")
    _, entry = server_json(REPOSITORY, bundle)["packages"]
    tag = f"v{metadata()['version']}"
    assert entry["identifier"] == f"https://github.com/{REPOSITORY}/releases/download/{tag}/some.mcpb"
    assert entry["fileSha256"] == hashlib.sha256(b"bundle").hexdigest()


def test_the_marker_ends_where_the_name_ends() -> None:
    """The registry takes no letter, digit or mark of a name after it."""
    assert marker(REPOSITORY) == f"<!-- mcp-name: {ENTRY['name']} -->"


def test_the_entry_and_the_line_for_the_readme_are_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["server_json", "--repository", REPOSITORY])
    module.main()
    assert json.loads(capsys.readouterr().out) == ENTRY
    monkeypatch.setattr("sys.argv", ["server_json", "--repository", REPOSITORY, "--marker"])
    module.main()
    assert capsys.readouterr().out == f"{marker(REPOSITORY)}\n"
