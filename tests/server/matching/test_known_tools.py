"""Examples for the tools of widely used servers."""

import json
from pathlib import Path

import pytest

from embeddings.labels.phrase_book import PhraseBook
from server.matching.known_tools import ASKED_IN_VAIN, KNOWN_TOOLS_FILE, recognised, with_known_examples
from server.matching.origins import CatalogFile
from server.paths import shipped_data
from tests.server.known_tools import EXAMPLES, STATUS, known_as
from tests.toy import ToyEncoder


@pytest.mark.usefixtures("one_known")
@pytest.mark.parametrize(
    ("name", "description", "is_known"),
    [
        ("git_status", STATUS, True),
        ("git_status", f"{STATUS}. Use it before a commit, for example with all options.", True),
        ("git_status", "Working tree status", True),
        ("git_status", "Shows whether the build server is idle", False),
        ("git_status", "", False),
        ("status", STATUS, False),
        ("my-repo_git_status", STATUS, True),
        ("mygit_status", STATUS, False),
    ],
)
def test_a_tool_is_recognised_by_its_name_and_most_words_of_its_description(
    name: str, description: str, is_known: bool
) -> None:
    assert (recognised(name, description) is not None) == is_known


def test_of_two_known_tools_of_one_name_the_one_whose_description_is_nearer_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    near, far = known_as("near", "finds pages of the web by words"), known_as("far", "finds pages")
    known = {"search": [far, near]}
    monkeypatch.setattr("server.matching.known_tools.known_tools", lambda: known)
    found = recognised("search", "pages of the web by words")
    assert found is not None
    assert found.server == "near"


def test_each_shipped_tool_has_eight_examples_that_no_other_tool_of_its_server_has() -> None:
    servers = json.loads((shipped_data() / KNOWN_TOOLS_FILE).read_text(encoding="utf-8"))["servers"]
    assert list(servers) == sorted(servers)
    for server, tools in servers.items():
        texts = [text.casefold() for tool in tools.values() for text in tool["examples"]]
        assert len(texts) == len(set(texts)) == 8 * len(tools), server
        assert all(text == text.strip() and text.isprintable() for text in texts), server


@pytest.mark.usefixtures("one_known")
def test_a_catalog_of_tools_gets_the_examples_of_those_that_are_known() -> None:
    tools = [{"name": "git_status", "description": STATUS}, {"name": "git_log", "description": "Shows commits"}]
    known = with_known_examples(PhraseBook.from_dict({"tools": tools}))
    assert [label.phrasings for label in known.labels] == [EXAMPLES, ()]
    assert [sorted(label.generated) for label in known.labels] == [sorted(EXAMPLES), []]
    assert known.out_of_scope_share == ASKED_IN_VAIN


@pytest.mark.usefixtures("one_known")
def test_what_a_catalog_says_itself_stays() -> None:
    own = {"name": "git_status", "description": STATUS, "phrasings": ["is it clean"]}
    book = PhraseBook.from_dict({"labels": [own]})
    assert with_known_examples(book) is book
    stated = PhraseBook.from_dict({"tools": [{"name": "git_status", "description": STATUS}], "outOfScopeShare": 0.1})
    assert with_known_examples(stated).out_of_scope_share == 0.1


@pytest.mark.usefixtures("one_known")
def test_a_catalog_that_is_served_has_the_examples_unless_they_are_not_wanted(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps({"tools": [{"name": "git_status", "description": STATUS}]}), encoding="utf-8")
    served, bare = (CatalogFile(path, known_tools=wanted).open(lambda _: ToyEncoder()) for wanted in (True, False))
    found = [service.matchers.get().labels("git_status")[0].phrasings for service in (served, bare)]
    assert found == [EXAMPLES, ()]
