"""Catalogs of names and descriptions alone, as tool lists are, with the shipped model."""

import pytest

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from tests.remembering import Remembering

pytestmark = pytest.mark.measures

TOOLS = PhraseBook(
    (
        Label("create_issue", (), "Open a new issue in a repository."),
        Label("list_pull_requests", (), "List the pull requests of a repository."),
        Label("read_file", (), "Read the content of a file as text."),
        Label("move_file", (), "Move or rename a file or a folder."),
        Label("browser_screenshot", (), "Take a screenshot of the current page."),
        Label("run_query", (), "Run an SQL query on the database."),
    )
)


@pytest.fixture(scope="module")
def tools(remembering: Remembering, whole_background: None) -> Matcher:
    return Matcher.build(TOOLS, remembering)


def test_small_talk_is_no_match(tools: Matcher) -> None:
    cases = [
        "hi there, how are you today",
        "tell me something funny",
        "who won the world cup in 1998",
        "what is 17 times 23",
        "write a poem about autumn",
    ]
    for phrase in cases:
        assert tools.match(phrase).decision == "no_match", phrase


def test_what_a_tool_serves_is_not_turned_away(tools: Matcher) -> None:
    cases = [
        ("file a bug in the repo", "create_issue"),
        ("show me the open pull requests", "list_pull_requests"),
        ("show me what is in the file", "read_file"),
        ("rename notes.txt to old.txt", "move_file"),
        ("capture an image of this page", "browser_screenshot"),
    ]
    for phrase, name in cases:
        result = tools.match(phrase)
        assert result.matches[0].name == name, phrase
        assert result.decision != "no_match", phrase


def test_the_words_of_fields_decide_between_labels_that_are_otherwise_alike(remembering: Remembering) -> None:
    one = Label("record_a", (), "Get a record.", (), {"parameters": ("invoice number",)})
    other = Label("record_b", (), "Get a record.", (), {"parameters": ("shipment code",)})
    matcher = Matcher.build(PhraseBook((one, other)), remembering)
    assert matcher.match("record for an invoice number").matches[0].name == "record_a"
    assert matcher.match("record for a shipment code").matches[0].name == "record_b"


def test_the_more_a_catalog_expects_out_of_scope_the_likelier_none_is(remembering: Remembering) -> None:
    expected = [
        Matcher.build(PhraseBook(TOOLS.labels, (), share), remembering).match("see what is in there")
        for share in (0.02, 0.2, 0.7)
    ]
    none = [result.none_confidence for result in expected]
    best = [result.matches[0].match_confidence for result in expected]
    assert none == sorted(none)
    assert best == sorted(best, reverse=True)
    assert none[-1] - none[0] > 0.1
